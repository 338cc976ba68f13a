//! What operations on columns of integers take.

use std::fmt::Write as _;

use cryptable::engines::{packed, single};
use cryptable::integers::{
    AnyColumn, ColumnKind, DryRun, Evaluator, LookupModel, Operation, Piece, PlannedOperand,
    insecure_packed_toy, packed_parameters_for, single_parameters,
};
use cryptable::{CostModel, Engine, Parameters};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::call;
use crate::errors::{Result, raise};

/// Digits of packed and of single values, unless it is said otherwise.
const DIGIT_BITS: [u32; 2] = [3, 2];

/// Places of a toy.
const TOY_PLACES: usize = 1024;

/// Pieces of the function that is planned.
const PIECES: i128 = 5;

/// Operations of two columns.
const OF_TWO: [&str; 8] = ["add", "sub", "mul", "min", "max", "less", "less_or_equal", "equal"];

/// Shifts, by encrypted amounts.
const SHIFTS: [&str; 3] = ["shift_left", "shift_right", "rotate_left"];

/// An operation: its name, lookups, tables, predicted seconds of a full ciphertext, and log2 of the probability that any of
/// its integers comes out wrong.
type OperationReport = (&'static str, usize, usize, f64, f64);

/// What operations on columns of integers of so many bits take. Prints as a list; keys are generated for it.
#[pyclass(frozen, module = "cryptable.integers")]
pub(crate) struct IntegerPlan {
    pub(crate) parameters: Parameters,
    kind: ColumnKind,
    digit_bits: u32,
    threads: usize,
    operations: Vec<OperationReport>,
}

#[pymethods]
impl IntegerPlan {
    /// Bits of the integers.
    #[getter]
    fn bits(&self) -> u32 {
        self.kind.bits()
    }

    /// Whether they are signed.
    #[getter]
    fn signed(&self) -> bool {
        self.kind.is_signed()
    }

    /// Bits of a digit: a ciphertext each.
    #[getter]
    fn digit_bits(&self) -> u32 {
        self.digit_bits
    }

    /// Which engine it is of.
    #[getter]
    fn engine(&self) -> &'static str {
        self.parameters.engine().name()
    }

    /// Predicted memory of a lookup at its peak, keys included.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.parameters.prediction().peak_bytes()
    }

    /// Bytes of the file of the evaluation key.
    #[getter]
    fn key_file_bytes(&self) -> usize {
        self.parameters.prediction().key_file_bytes
    }

    /// Security in bits, classical.
    #[getter]
    fn security_bits(&self) -> f64 {
        self.parameters.security_bits()
    }

    /// For each operation its name, lookups, tables, predicted seconds for a full ciphertext, and log2 of the probability
    /// that any of its integers comes out wrong.
    #[getter]
    fn operations(&self) -> Vec<OperationReport> {
        self.operations.clone()
    }

    fn __repr__(&self) -> String {
        let values = self.parameters.values_per_ciphertext();
        let plural = if self.threads == 1 { "" } else { "s" };
        let mut text = format!(
            "{} in digits of {} bits: {}\n{values} integers at once, {} thread{plural}, predicted:\n",
            self.kind, self.digit_bits, self.parameters, self.threads
        );
        for (name, lookups, tables, seconds, log2_fail) in &self.operations {
            let _ = writeln!(
                text,
                "  {name:<14}{lookups:>5} lookups, {tables:>5} tables {seconds:>9.3} s  fails with 2^{log2_fail:.1}"
            );
        }
        text
    }
}

/// What operations on columns of integers of so many bits take.
#[pyfunction]
#[pyo3(signature = (bits, signed, engine, *, digit_bits = None, values = None, memory = None, log2_fail = None,
    threads = None, insecure_toy = false))]
// One argument for each thing that a user may ask for, by name: what Python has in place of a builder.
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan_integers(
    py: Python<'_>,
    bits: u32,
    signed: bool,
    engine: &str,
    digit_bits: Option<u32>,
    values: Option<usize>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    #[pyo3(from_py_with = crate::threads::of_plan)] threads: Option<usize>,
    insecure_toy: bool,
) -> Result<IntegerPlan> {
    let threads = crate::threads::all_for_none(threads.unwrap_or(0));
    let kind = ColumnKind::new(bits, signed).map_err(raise)?;
    let engine: Engine = engine.parse().map_err(raise)?;
    let is_limited = (values, memory, log2_fail) != (None, None, None);
    if engine != Engine::Packed && is_limited {
        let message = "values, memory and log2_fail are for engine='packed'";
        return Err(PyValueError::new_err(message));
    }
    call::run_silently(py, || {
        let parameters: Parameters = match engine {
            Engine::Packed => {
                let digit_bits = digit_bits.unwrap_or(DIGIT_BITS[0]);
                if insecure_toy {
                    insecure_packed_toy(digit_bits, TOY_PLACES)?.into()
                } else {
                    let request = packed::Request {
                        count: values,
                        memory,
                        log2_fail,
                        ..packed::Request::new(4, 4)
                    };
                    packed_parameters_for(digit_bits, &request)?.into()
                }
            }
            Engine::Single => {
                let digit_bits = digit_bits.unwrap_or(DIGIT_BITS[1]);
                if insecure_toy {
                    let modulus = 1 << (2 * digit_bits.min(3));
                    single::Parameters::insecure_toy(modulus, modulus)?.into()
                } else {
                    single_parameters(digit_bits)?.into()
                }
            }
            Engine::Leveled => {
                let what = "integers in digits on the engine leveled: on packed or single".into();
                return Err(cryptable::Error::Unsupported(what));
            }
        };
        let (digit_bits, operations) = predicted(&parameters, kind, threads)?;
        Ok(IntegerPlan { parameters, kind, digit_bits, threads, operations })
    })
}

/// Bits of a digit, and every operation on fresh columns.
fn predicted(
    parameters: &Parameters,
    kind: ColumnKind,
    threads: usize,
) -> cryptable::Result<(u32, Vec<OperationReport>)> {
    let cost = CostModel::calibrated();
    let prediction = parameters.prediction();
    let (model, values): (&(dyn LookupModel + Sync), usize) = match parameters {
        Parameters::Single(single) => (&**single, 1),
        other => (other.packed()?, parameters.values_per_ciphertext()),
    };
    let count = values as u64;
    let seconds = |tables: usize| match parameters {
        Parameters::Packed(packed) => {
            packed.prediction_of(tables).duration(&cost, count, threads).as_secs_f64()
        }
        _ => tables as f64 * prediction.duration(&cost, count, threads).as_secs_f64(),
    };
    let digit_bits = Evaluator::new(&DryRun::new(model, values))?.digit_bits();
    let columns = [PlannedOperand::Column(kind); 2];
    let amount = [PlannedOperand::Column(kind), PlannedOperand::Column(ColumnKind::of::<u8>())];
    let condition = [PlannedOperand::Column(ColumnKind::BOOLEANS), columns[0], columns[1]];
    let most = 1 << (digit_bits - u32::from(digit_bits > 1));
    let slopes: Vec<_> = (0..PIECES.min(most)).map(|i| (i * 20, 1 + i as i64)).collect();
    let pieces = Piece::continuous(&slopes);
    let named =
        |name: &'static str| (name, Operation::by_name(name).expect("an operation of the list"));
    let mut jobs: Vec<(&'static str, Operation, &[PlannedOperand])> = Vec::new();
    let of_two = OF_TWO.map(named).map(|(name, job)| (name, job, &columns[..]));
    let shifts = SHIFTS.map(named).map(|(name, job)| (name, job, &amount[..]));
    jobs.extend(of_two);
    jobs.push(("select", Operation::Select, &condition));
    jobs.extend(shifts);
    jobs.push(("piecewise", Operation::Piecewise(pieces, kind), &columns[..1]));
    let operation = |(name, job, operands): (&'static str, Operation, &[PlannedOperand])| {
        let dry_run = DryRun::new(model, values);
        let results = job.dry_run(&dry_run, operands)?;
        let lookups = dry_run.lookups();
        // An empty sum of floats is -0.
        let time = lookups.iter().fold(0.0, |sum, &tables| sum + seconds(tables));
        let fails =
            dry_run.failure_probability(results.iter().flat_map(AnyColumn::ciphertexts))?.log2();
        Ok((name, lookups.len(), lookups.iter().sum(), time, fails))
    };
    Ok((digit_bits, jobs.into_iter().map(operation).collect::<cryptable::Result<_>>()?))
}
