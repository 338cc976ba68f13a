//! Plans of columns of integers.

use cryptable::integers::ColumnKind;
use cryptable::jobs::Integers;
use cryptable::{Engine, Limits, OperationPlan, PlannedOperation, Request};
use pyo3::prelude::*;

use crate::call;
use crate::errors::{Result, raise};
use crate::properties::properties;

/// An operation: its name, number of lookups, number of tables, predicted seconds for a full ciphertext, and log2 of
/// the probability that any of its integers comes out wrong.
type OperationReport = (&'static str, usize, usize, f64, f64);

/// Predicted costs of operations on columns of integers, from which keys are generated. Prints as a list.
#[pyclass(frozen, module = "cryptable.integers")]
pub(crate) struct IntegerPlan {
    pub(crate) inner: OperationPlan<Integers>,
}

#[pymethods]
impl IntegerPlan {
    /// Lists for each operation its name, number of lookups, number of tables, predicted seconds for a full ciphertext,
    /// and log2 of the probability that any of its integers comes out wrong.
    #[getter]
    fn operations(&self) -> Vec<OperationReport> {
        let report = |it: &PlannedOperation| {
            (it.name, it.lookups, it.tables, it.duration.as_secs_f64(), it.failure.log2())
        };
        self.inner.operations().iter().map(report).collect()
    }

    fn __repr__(&self) -> String {
        self.inner.to_string()
    }
}

properties!(IntegerPlan {
    /// Bits of the integers.
    bits: u32 = |it| it.inner.kind().bits();
    /// Whether they are signed.
    signed: bool = |it| it.inner.kind().is_signed();
    /// Number of bits per digit; each digit is one ciphertext.
    digit_bits: u32 = |it| it.inner.digit_bits();
    /// The name of its engine.
    engine: &'static str = |it| it.inner.parameters().engine().name();
    /// Predicted peak memory of a lookup in bytes, including keys.
    memory_bytes: usize = |it| it.inner.peak_bytes();
    /// Size of the evaluation key's file in bytes.
    key_file_bytes: usize = |it| it.inner.key_file_bytes();
    /// Classical security in bits.
    security_bits: f64 = |it| it.inner.parameters().security_bits();
});

/// Plans operations on columns of integers of `bits` bits.
#[pyfunction]
#[pyo3(signature = (bits, signed, engine, *, digit_bits = None, search = false, sums = false, values = None, memory = None, log2_fail = None,
    threads: "int | None" = None, insecure_toy = false))]
// One keyword argument per option: Python's counterpart of a builder.
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan_integers(
    py: Python<'_>,
    bits: u32,
    signed: bool,
    engine: &str,
    digit_bits: Option<u32>,
    search: bool,
    sums: bool,
    values: Option<u64>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    #[pyo3(from_py_with = crate::threads::of_plan)] threads: Option<usize>,
    insecure_toy: bool,
) -> Result<IntegerPlan> {
    let kind = ColumnKind::new(bits, signed).map_err(raise)?;
    let engine: Engine = engine.parse().map_err(raise)?;
    let limits = Limits { values, memory, log2_fail, threads, insecure_toy, ..Limits::default() };
    let request = Request::integers(kind).engine(engine).limits(limits);
    let request = if search { request.searched() } else { request };
    let request = if sums { request.for_sums() } else { request };
    let request = digit_bits.into_iter().fold(request, |request, bits| request.digit_bits(bits));
    Ok(IntegerPlan { inner: call::run_silently(py, || request.plan())? })
}
