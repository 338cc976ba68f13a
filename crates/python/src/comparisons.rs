//! Comparison, maximum, ReLU and their like of encrypted integers, for `cryptable/comparisons.py`.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::comparisons::{Digits as LibraryDigits, OperationResult, Signedness};
use cryptable::jobs::Comparisons;
use cryptable::{Limits, OperationPlan, Request};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arrays::{common_shape, length, no_truth, reshaped};
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::equality::{compared, hash_of};
use crate::errors::{Result, raise, raise_of};
use crate::evaluation_key::EvaluationKey;
use crate::files::read_file;
use crate::key_files::save_public;
use crate::parameters::Parameters;

/// What comparisons of integers of so many bits take. Prints as a list.
#[pyclass(frozen, module = "cryptable.comparisons")]
pub(crate) struct ComparisonPlan {
    pub(crate) inner: OperationPlan<Comparisons>,
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
        operations.map(|it| (it.name, it.duration.as_secs_f64(), it.failure.log2())).collect()
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
    values: Option<u64>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    #[pyo3(from_py_with = crate::threads::of_plan)] threads: Option<usize>,
    insecure_toy: bool,
) -> Result<ComparisonPlan> {
    let limits = Limits { values, memory, log2_fail, threads, insecure_toy, ..Limits::default() };
    let request = Request::comparisons(bits).limits(limits);
    Ok(ComparisonPlan { inner: call::run(py, 0, None, |_| request.plan())? })
}

/// Encrypted integers in digits: what maximum, ReLU and their like give.
#[pyclass(frozen, module = "cryptable.comparisons")]
pub(crate) struct Digits {
    pub(crate) inner: Arc<LibraryDigits>,
    pub(crate) shape: Vec<usize>,
}

#[pymethods]
impl Digits {
    /// The shape of the encrypted array.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The number of its axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// What integers are below.
    #[getter]
    fn modulus(&self) -> u64 {
        self.inner.modulus()
    }

    /// The number of integers.
    #[getter]
    fn size(&self) -> usize {
        self.inner.count()
    }

    /// Sizes of the digits: integers are the sum of digits times the product of the sizes before.
    #[getter]
    fn sizes(&self) -> Vec<u64> {
        self.inner.sizes().to_vec()
    }

    /// Digits that came one by one, as results under these parameters have them.
    #[staticmethod]
    fn of(py: Python<'_>, parameters: &Parameters, digits: Vec<Py<Ciphertext>>) -> Result<Self> {
        let shape = common_shape(digits.iter().map(|digit| &digit.get().shape))?;
        let digits: Vec<_> = digits.iter().map(|digit| (*digit.get().inner).clone()).collect();
        let make = || LibraryDigits::new(&parameters.inner, digits);
        let inner = call::run_silently(py, make)?;
        Ok(Self { inner: inner.into(), shape })
    }

    /// Writes a file, one of `cryptable compare`. An existing one is replaced only if told so.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = call::detach(py, || self.bytes()).map_err(raise)?;
        save_public(py, &path, replace, &bytes)
    }

    /// Reads a file of digits under parameters: one dimension.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, parameters: &Parameters) -> Result<Self> {
        call::detach(py, || {
            Self::read(&read_file(&path)?, &parameters.inner).map_err(raise_of(&path))
        })
    }

    /// Its bytes, as a file has them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = call::detach(py, || self.bytes()).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// From the bytes of a file of digits under parameters: one dimension.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], parameters: &Parameters) -> Result<Self> {
        call::detach(py, || Self::read(bytes, &parameters.inner)).map_err(raise)
    }

    /// The same integers in another shape.
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: &Bound<'_, PyTuple>) -> Result<Self> {
        let shape = reshaped(shape, self.inner.count())?;
        Ok(Self { inner: Arc::clone(&self.inner), shape })
    }

    /// Whether the integers are signed.
    #[getter]
    fn signed(&self) -> bool {
        self.inner.is_signed()
    }

    /// The digits, the least significant first, to be looked up or added.
    #[getter]
    fn digits(&self) -> Vec<Ciphertext> {
        let digits = self.inner.digits().iter();
        digits.map(|digit| Ciphertext::new(digit.clone(), self.shape.clone())).collect()
    }

    fn __len__(&self) -> Result<usize> {
        length(&self.shape)
    }

    fn __bool__(&self) -> Result<bool> {
        no_truth()
    }

    fn __richcmp__<'py>(
        slf: Bound<'py, Self>,
        other: Bound<'py, PyAny>,
        comparison: CompareOp,
    ) -> Result<Bound<'py, PyAny>> {
        compared(
            slf.as_any(),
            &other,
            comparison,
            "`comparisons.equal` compares ciphertexts before they are in digits",
        )
    }

    fn __hash__(slf: Bound<'_, Self>) -> usize {
        hash_of(slf.as_any())
    }

    fn __repr__(&self) -> String {
        format!("Digits(sizes {:?}, shape {:?})", self.inner.sizes(), self.shape)
    }
}

impl Digits {
    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        Ok(self.inner.to_ciphertext()?.to_bytes())
    }

    fn read(bytes: &[u8], parameters: &cryptable::Parameters) -> cryptable::Result<Self> {
        let joined = cryptable::Ciphertext::from_bytes(bytes)?;
        let inner = LibraryDigits::from_ciphertext(parameters, joined)?;
        let shape = vec![inner.count()];
        Ok(Self { inner: inner.into(), shape })
    }
}

/// Which integers values stand for.
pub(crate) fn signedness(signed: bool) -> Signedness {
    if signed { Signedness::Signed } else { Signedness::Unsigned }
}

/// Runs an operation, by its name, on one or two ciphertexts.
#[pyfunction]
#[pyo3(signature = (key, operation, operands, *, bounds = None, threads = 0, progress = true))]
pub(crate) fn compare<'py>(
    key: &Bound<'py, EvaluationKey>,
    operation: &str,
    operands: Vec<Py<Ciphertext>>,
    bounds: Option<(i64, i64)>,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<Bound<'py, PyAny>> {
    let py = key.py();
    let title = operation;
    let operation = operation.parse().map_err(raise)?;
    let shape = common_shape(operands.iter().map(|operand| &operand.get().shape))?;
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
