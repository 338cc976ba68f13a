//! Parameters of both ends of a bridge, and the cost of every step.

use cryptable::Request;
use cryptable::bridges::{Continuation, Function, Integers, LeveledTable, Plan, Returning, Target};
use cryptable::engines::leveled;
use cryptable::large_values;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::call;
use crate::errors::Result;
use crate::properties::properties;

/// A plan, for either engine at the other end.
pub(crate) enum Planned {
    Integers(Plan<large_values::Parameters>),
    Leveled(Plan<leveled::Parameters>),
}

/// Evaluates an expression for the plan of either engine.
macro_rules! each_plan {
    ($planned:expr, $plan:ident => $body:expr) => {
        match $planned {
            Planned::Integers($plan) => $body,
            Planned::Leveled($plan) => $body,
        }
    };
}

/// A plan of a packed lookup and the steps after it, with the cost of every step; keys are generated from it. Prints as
/// a list.
#[pyclass(frozen, module = "cryptable.bridges", name = "Plan")]
pub(crate) struct BridgePlan {
    pub(crate) inner: Planned,
}

#[pymethods]
impl BridgePlan {
    /// Inputs of the packed lookup are below this modulus.
    #[getter]
    fn input_modulus(&self) -> u64 {
        each_plan!(&self.inner, plan => plan.parameters().packed().input_modulus())
    }

    /// Outputs of the packed lookup are below this modulus: `2**bits` for integers, 4 for digits of leveled values.
    #[getter]
    fn output_modulus(&self) -> u64 {
        each_plan!(&self.inner, plan => plan.parameters().packed().output_modulus())
    }

    /// Lists for each step its name, log2 of the probability that a value goes wrong in it (`None` for steps that only
    /// add noise), and predicted seconds.
    #[getter]
    fn steps(&self) -> Vec<(&'static str, Option<f64>, f64)> {
        let steps = each_plan!(&self.inner, plan => plan.steps());
        let step = |it: &cryptable::bridges::Step| {
            (it.name, it.failure.map(|failure| failure.log2()), it.duration.as_secs_f64())
        };
        steps.iter().map(step).collect()
    }

    /// log2 of the probability that one value goes wrong.
    #[getter]
    fn log2_fail_per_value(&self) -> f64 {
        each_plan!(&self.inner, plan => plan.value_failure_probability().log2())
    }

    fn __repr__(&self) -> String {
        each_plan!(&self.inner, plan => plan.to_string())
    }
}

properties!(BridgePlan {
    /// Predicted time of all steps, in seconds.
    seconds: f64 = |it| each_plan!(&it.inner, plan => plan.duration().as_secs_f64());
    /// log2 of the probability that any value of a packed ciphertext goes wrong anywhere on its way.
    log2_fail: f64 = |it| each_plan!(&it.inner, plan => plan.log2_fail());
    /// Predicted peak memory in bytes, including keys.
    memory_bytes: usize = |it| each_plan!(&it.inner, plan => plan.peak_bytes());
    /// Size of the evaluation keys' file in bytes.
    key_file_bytes: usize = |it| each_plan!(&it.inner, plan => plan.key_file_bytes());
});

/// Options of a plan besides its operation.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Limits {
    values: Option<u64>,
    taken_out: Option<u64>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    threads: usize,
    insecure_toy: bool,
}

impl Limits {
    fn plan<C: Continuation>(
        &self,
        input_modulus: u64,
        next: C,
        returning: Returning,
    ) -> cryptable::Result<Plan<C::Target>>
    where
        C::Target: Target,
    {
        let request = Request::bridge(input_modulus, next).returning(returning);
        let request = request.limits(self.limits());
        self.taken_out.into_iter().fold(request, Request::taken_out).plan()
    }

    fn limits(&self) -> cryptable::Limits {
        cryptable::Limits {
            values: self.values,
            memory: self.memory,
            log2_fail: self.log2_fail,
            threads: crate::threads::stated(self.threads),
            insecure_toy: self.insecure_toy,
            ..cryptable::Limits::default()
        }
    }
}

/// Plans a packed lookup whose results become integers of `bits` bits (`then` is `sign` or `absolute`) or inputs of a
/// table with these moduli (`table`).
#[pyfunction]
#[pyo3(signature = (input_modulus, then, bits, moduli, returning, limits: "Mapping[str, Any]"))]
pub(crate) fn plan_bridge(
    py: Python<'_>,
    input_modulus: u64,
    then: &str,
    bits: u32,
    moduli: (u64, u64),
    returning: &str,
    limits: Limits,
) -> Result<BridgePlan> {
    let returning = match returning {
        "single" => Returning::Single,
        "packed" => Returning::Packed,
        "looked up" => Returning::LookedUp,
        _ => {
            let message = format!(
                "returning is {returning:?}, but must be 'single', 'packed' or 'looked up'"
            );
            return Err(PyValueError::new_err(message));
        }
    };
    let function = match then {
        "sign" => Some(Function::Sign),
        "absolute" => Some(Function::Absolute),
        "table" => None,
        _ => {
            let message = format!("then is {then:?}, but must be 'sign', 'absolute' or 'table'");
            return Err(PyValueError::new_err(message));
        }
    };
    let inner = call::run_silently(py, || {
        Ok(match function {
            Some(function) => {
                let next = Integers { bits, function };
                Planned::Integers(limits.plan(input_modulus, next, returning)?)
            }
            None => {
                let (input, output) = moduli;
                let next = LeveledTable { input_modulus: input, output_modulus: output };
                Planned::Leveled(limits.plan(input_modulus, next, returning)?)
            }
        })
    })?;
    Ok(BridgePlan { inner })
}
