//! Comparison, maximum, ReLU and their like of encrypted integers, for `cryptable/comparisons.py`.

use std::sync::Arc;

use cryptable::comparisons::{OperationResult, Request, Signedness};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;

/// What comparisons of integers of so many bits take. Prints as a list.
#[pyclass(frozen, module = "cryptable.comparisons")]
pub(crate) struct ComparisonPlan {
    pub(crate) inner: cryptable::comparisons::Plan,
}

#[pymethods]
impl ComparisonPlan {
    /// Bits of the integers.
    #[getter]
    fn bits(&self) -> u32 {
        self.inner.bits()
    }

    /// Predicted memory at its peak, keys included.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.peak_bytes()
    }

    /// Bytes of the file of the evaluation key.
    #[getter]
    fn key_file_bytes(&self) -> usize {
        self.inner.key_file_bytes()
    }

    /// For each operation its name, predicted seconds for a full ciphertext, and log2 of the probability that any of
    /// its integers comes out wrong.
    #[getter]
    fn operations(&self) -> Vec<(&'static str, f64, f64)> {
        let operations = self.inner.operations().iter();
        operations
            .map(|it| (it.operation.name(), it.duration.as_secs_f64(), it.failure.log2()))
            .collect()
    }

    fn __repr__(&self) -> String {
        self.inner.to_string()
    }
}

/// What comparisons of integers of `bits` bits take.
#[pyfunction]
#[pyo3(signature = (bits, *, values = None, memory = None, log2_fail = None, threads = None, insecure_toy = false))]
pub(crate) fn plan_comparisons(
    py: Python<'_>,
    bits: u32,
    values: Option<usize>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    threads: Option<usize>,
    insecure_toy: bool,
) -> Result<ComparisonPlan> {
    let mut request = Request::new(bits);
    if let Some(values) = values {
        request = request.values(values);
    }
    if let Some(bytes) = memory {
        request = request.memory(bytes);
    }
    if let Some(log2_fail) = log2_fail {
        request = request.log2_fail(log2_fail);
    }
    if let Some(threads) = threads {
        request = request.threads(threads);
    }
    if insecure_toy {
        request = request.insecure_toy();
    }
    Ok(ComparisonPlan { inner: call::run(py, 0, None, |_| request.plan())? })
}

/// Encrypted integers in digits: what maximum, ReLU and their like give.
#[pyclass(frozen, module = "cryptable.comparisons")]
pub(crate) struct Digits {
    pub(crate) inner: Arc<cryptable::comparisons::Digits>,
    pub(crate) shape: Vec<usize>,
}

#[pymethods]
impl Digits {
    /// The shape of the encrypted array.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// What integers are below.
    #[getter]
    fn modulus(&self) -> u64 {
        self.inner.modulus()
    }

    /// The digits, the least significant first, to be looked up or added.
    #[getter]
    fn digits(&self) -> Vec<Ciphertext> {
        let digits = self.inner.digits().iter();
        digits.map(|digit| Ciphertext::new(digit.clone(), self.shape.clone())).collect()
    }

    fn __repr__(&self) -> String {
        format!("Digits(sizes {:?}, shape {:?})", self.inner.sizes(), self.shape)
    }
}

/// Which integers values stand for.
pub(crate) fn signedness(signed: bool) -> Signedness {
    if signed { Signedness::Signed } else { Signedness::Unsigned }
}

/// Runs an operation, by its name, on one or two ciphertexts.
#[pyfunction]
#[pyo3(signature = (key, operation, operands, *, bounds = None, threads = 0, progress = Progress::Bar))]
pub(crate) fn compare<'py>(
    key: &Bound<'py, EvaluationKey>,
    operation: &str,
    operands: Vec<Py<Ciphertext>>,
    bounds: Option<(i64, i64)>,
    threads: usize,
    progress: Progress<'_>,
) -> Result<Bound<'py, PyAny>> {
    let py = key.py();
    let title = operation;
    let operation = operation.parse().map_err(raise)?;
    let shape = operands.first().map(|first| first.get().shape.clone()).unwrap_or_default();
    let operands: Vec<_> = operands.iter().map(|operand| &*operand.get().inner).collect();
    let key = key.get().library();
    let result = call::run_reporting(py, threads, progress, title, |execution| {
        key.compare(operation, &operands, bounds, execution)
    })?;
    Ok(match result {
        OperationResult::Bits(bits) => Bound::new(py, Ciphertext::new(bits, shape))?.into_any(),
        OperationResult::Digits(digits) => {
            Bound::new(py, Digits { inner: digits.into(), shape })?.into_any()
        }
    })
}
