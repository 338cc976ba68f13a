//! Plans: all ways to evaluate a table, the best first.

use std::sync::Arc;

use cryptable::jobs::Lookups;
use cryptable::{Engine, Goal, Limits, Parameters, Request};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::call;
use crate::cost_model::CostModel;
use crate::entry_tables::kind_of;
use crate::errors::{Result, raise};
use crate::parameters::{Parameters as PythonParameters, Prediction};
use crate::properties::properties;

/// One way to evaluate a table.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Candidate {
    inner: Arc<cryptable::Candidate>,
}

#[pymethods]
impl Candidate {
    /// The parameters.
    #[getter(parameters)]
    fn parameters_of_it(&self) -> PythonParameters {
        PythonParameters { inner: self.parameters().clone() }
    }

    fn __str__(&self) -> String {
        self.parameters().to_string()
    }

    fn __repr__(&self) -> String {
        format!("Candidate({}, {}, {:.3} s)", self.engine(), self.method(), self.seconds())
    }
}

impl Candidate {
    fn new(candidate: &cryptable::Candidate) -> Self {
        Self { inner: candidate.clone().into() }
    }
}

properties!(Candidate {
    /// The engine, which determines how values are encrypted: `packed`, `single` or `leveled`.
    engine: &'static str = |it| it.parameters().engine().name();
    /// The method that evaluates tables.
    method: String = |it| it.parameters().method_name();
    /// Predicted time to look up all values with a key in memory, in seconds.
    seconds: f64 = |it| it.inner.duration().as_secs_f64();
    /// Predicted time to generate the evaluation key, in seconds; reading it from its file takes about as long.
    key_seconds: f64 = |it| it.inner.key_duration().as_secs_f64();
    /// Predicted time to read the evaluation key and then look up all values, in seconds.
    first_seconds: f64 = |it| it.inner.first_duration().as_secs_f64();
    /// Time to send the evaluation key, in seconds, if the plan states a bandwidth.
    transfer_seconds: Option<f64> = |it| it.inner.transfer_duration().map(|time| time.as_secs_f64());
    /// Predicted peak memory of a lookup in bytes, including keys.
    memory_bytes: usize = |it| it.inner.prediction().peak_bytes();
    /// Predicted costs of a lookup: memory, bytes of keys and ciphertexts, seconds for any number of values.
    prediction: Prediction = |it| Prediction::new(*it.inner.prediction());
    /// Size of the evaluation key's file in bytes.
    key_file_bytes: usize = |it| it.inner.prediction().key_file_bytes;
    /// Size of one fresh ciphertext in bytes.
    ciphertext_bytes: usize = |it| it.inner.prediction().ciphertext_bytes;
    /// Number of values that one ciphertext holds.
    values_per_ciphertext: usize = |it| it.parameters().values_per_ciphertext();
    /// log2 of the probability that any value of a ciphertext comes out wrong.
    log2_fail: f64 = |it| it.parameters().failure_probability().log2();
    /// Classical security in bits.
    security_bits: f64 = |it| it.parameters().security_bits();
    /// Inputs are below this modulus.
    input_modulus: u64 = |it| it.parameters().input_modulus();
    /// Outputs are below this modulus.
    output_modulus: u64 = |it| it.parameters().output_modulus();
});

impl Candidate {
    pub(crate) fn parameters(&self) -> &Parameters {
        self.inner.parameters()
    }
}

/// All ways to evaluate a table, the best first. Prints as a table.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Plan {
    inner: cryptable::Plan,
}

#[pymethods]
impl Plan {
    /// The best way, which `SecretKey.generate` uses.
    #[getter]
    pub(crate) fn best(&self) -> Candidate {
        Candidate::new(self.inner.best())
    }

    /// All ways, the best first.
    #[getter]
    fn candidates(&self) -> Vec<Candidate> {
        self.inner.candidates().iter().map(Candidate::new).collect()
    }

    /// The fastest parameters of the three fastest methods of each engine, which a printed plan shows.
    #[getter]
    fn fastest_per_method(&self) -> Vec<Candidate> {
        self.inner.fastest_per_method().into_iter().map(Candidate::new).collect()
    }

    /// The number of lookups with one key from which another way becomes the best, and that way; `None` if the best way
    /// also has the fastest lookups.
    #[getter]
    fn best_for_more_lookups(&self) -> Option<(u64, Candidate)> {
        let (lookups, candidate) = self.inner.best_for_more_lookups()?;
        Some((lookups, Candidate::new(candidate)))
    }

    /// Returns the best way of an engine, if it has one.
    #[pyo3(signature = (engine: "Engine"))]
    fn best_of(&self, engine: &str) -> Result<Option<Candidate>> {
        let engine = engine.parse().map_err(raise)?;
        Ok(self.inner.best_of(engine).map(Candidate::new))
    }

    /// Engines that have no parameters for the request, with the reasons.
    #[getter]
    fn refusals(&self) -> Vec<(&'static str, String)> {
        self.inner
            .refusals()
            .iter()
            .map(|(engine, error)| (engine.name(), error.to_string()))
            .collect()
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        self.inner.to_string()
    }

    /// Returns the comparison as HTML, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> Result<String> {
        let html = py.import("cryptable._html")?.getattr("plan")?;
        let assumed = self.values_assumed();
        let shown = self.fastest_per_method();
        html.call1((shown, self.refusals(), self.values(), assumed, self.threads()))?.extract()
    }
}

properties!(Plan {
    /// The least number of values for which the server should pack single ones, in a plan with `inputs="single"`.
    crossing: Option<u64> = |it| it.inner.crossing();
    /// Cost model of the predicted times.
    cost_model: CostModel = |it| CostModel { inner: *it.inner.cost_model() };
    /// Number of values for which times are predicted.
    values: u64 = |it| it.inner.values();
    /// Whether that number is assumed, since the caller did not set it.
    values_assumed: bool = |it| it.inner.values_assumed();
    /// Number of threads for which times are predicted.
    threads: usize = |it| it.inner.threads();
    /// Number of lookups with one key for which engines are compared.
    lookups: u64 = |it| it.inner.lookups();
});

/// Compares all ways to evaluate a table of these input and output moduli.
#[pyfunction]
#[pyo3(signature = (moduli, *, values = None, lookups = 1, bandwidth = None, tables = 1, lookups_in_a_row = 1, word_length = 0, chain = 0, log2_fail = None, memory = None, threads: "int | None" = None, goal: "Literal[\"throughput\", \"latency\"]" = "throughput", engine: "Engine | None" = None, inputs: "Engine | None" = None, method = None, ring_degree = None, digit_bits = None, entries: "Entries" = "shared", complex_outputs = false, hide_table = None, cost_model = None))]
// One keyword argument per option: Python's counterpart of a builder.
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan(
    py: Python<'_>,
    moduli: (u64, u64),
    values: Option<u64>,
    lookups: u64,
    bandwidth: Option<u64>,
    tables: usize,
    lookups_in_a_row: u32,
    word_length: usize,
    chain: u64,
    log2_fail: Option<f64>,
    memory: Option<usize>,
    #[pyo3(from_py_with = crate::threads::of_plan)] threads: Option<usize>,
    goal: &str,
    engine: Option<&str>,
    inputs: Option<&str>,
    method: Option<&str>,
    ring_degree: Option<usize>,
    digit_bits: Option<u32>,
    entries: &str,
    complex_outputs: bool,
    hide_table: Option<u32>,
    cost_model: Option<CostModel>,
) -> Result<Plan> {
    let engine = engine.map(str::parse::<Engine>).transpose().map_err(raise)?;
    let inputs = inputs.map(str::parse::<Engine>).transpose().map_err(raise)?;
    let request = Request::new(moduli.0, moduli.1).lookups(lookups).tables(tables);
    let request = request.lookups_in_a_row(lookups_in_a_row).word_length(word_length);
    let request = request.chain(chain);
    let request = if complex_outputs { request.complex_outputs() } else { request };
    let request = request.entries(kind_of(entries)?);
    /// Sets the options that were given.
    fn with<T>(request: Request, given: Option<T>, set: impl Fn(Request, T) -> Request) -> Request {
        match given {
            Some(value) => set(request, value),
            None => request,
        }
    }
    let request = request.limits(Limits {
        values,
        memory,
        log2_fail,
        threads,
        goal: goal_of(goal)?,
        cost: cost_model.map(|model| model.inner),
        insecure_toy: false,
    });
    let request = with(request, hide_table, Request::hide_table);
    let request = with(request, bandwidth, Request::bandwidth);
    let request = with(request, engine, Request::<Lookups>::engine);
    let request = with(request, inputs, Request::inputs);
    let request = with(request, method, |request, name| request.method(name));
    let request = with(request, ring_degree, Request::<Lookups>::ring_degree);
    let request = with(request, digit_bits, Request::<Lookups>::digit_bits);
    let inner = call::run_silently(py, || request.plan())?;
    Ok(Plan { inner })
}

fn goal_of(name: &str) -> Result<Goal> {
    match name {
        "throughput" => Ok(Goal::Throughput),
        "latency" => Ok(Goal::Latency),
        _ => Err(PyValueError::new_err(format!(
            "goal is {name:?}, but must be 'throughput' or 'latency'"
        ))),
    }
}
