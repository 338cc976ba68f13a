//! Comparison, maximum, ReLU and similar functions of encrypted integers, for `cryptable/comparisons.py`.

use std::sync::Arc;

use cryptable::comparisons::{Digits as LibraryDigits, OperationResult, Signedness};
use cryptable::jobs::Comparisons;
use cryptable::{Limits, OperationPlan, Request};
use pyo3::prelude::*;

use crate::arrays::common_shape;
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::encrypted_array::{array_files, array_methods, not_compared};
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;
use crate::parameters::Parameters;
use crate::properties::properties;

/// Predicted costs of comparisons of integers, from which keys are generated. Prints as a list.
#[pyclass(frozen, module = "cryptable.comparisons")]
pub(crate) struct ComparisonPlan {
    pub(crate) inner: OperationPlan<Comparisons>,
}

#[pymethods]
impl ComparisonPlan {
    /// Lists for each operation its name, the predicted seconds for a full ciphertext, and log2 of the probability that
    /// any of its integers comes out wrong.
    #[getter]
    fn operations(&self) -> Vec<(&'static str, f64, f64)> {
        let operations = self.inner.operations().iter();
        operations.map(|it| (it.name, it.duration.as_secs_f64(), it.failure.log2())).collect()
    }

    fn __repr__(&self) -> String {
        self.inner.to_string()
    }
}

properties!(ComparisonPlan {
    /// Bits of the integers.
    bits: u32 = |it| it.inner.bits();
    /// Sizes of the digits of values, the least significant first; one bit of the last is headroom.
    digit_sizes: Result<Vec<u64>> = |it| it.inner.parameters().digit_sizes().map_err(raise);
    /// Predicted peak memory in bytes, including keys.
    memory_bytes: usize = |it| it.inner.peak_bytes();
    /// Size of the evaluation key's file in bytes.
    key_file_bytes: usize = |it| it.inner.key_file_bytes();
});

/// Predicts comparisons of integers of `bits` bits.
#[pyfunction]
#[pyo3(signature = (bits, *, digit_bits = None, values = None, memory = None, log2_fail = None,
    threads: "int | None" = None, insecure_toy = false))]
// One keyword argument per option: Python's counterpart of a builder.
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan_comparisons(
    py: Python<'_>,
    bits: u32,
    digit_bits: Option<u32>,
    values: Option<u64>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    #[pyo3(from_py_with = crate::threads::of_plan)] threads: Option<usize>,
    insecure_toy: bool,
) -> Result<ComparisonPlan> {
    let limits = Limits { values, memory, log2_fail, threads, insecure_toy, ..Limits::default() };
    let request = Request::comparisons(bits).limits(limits);
    let request = digit_bits.into_iter().fold(request, |request, bits| request.digit_bits(bits));
    Ok(ComparisonPlan { inner: call::run_silently(py, || request.plan())? })
}

/// Encrypted integers in digits, the results of maximum, ReLU and similar functions.
#[pyclass(frozen, module = "cryptable.comparisons")]
pub(crate) struct Digits {
    pub(crate) inner: Arc<LibraryDigits>,
    pub(crate) shape: Vec<usize>,
}

#[pymethods]
impl Digits {
    /// Makes the value of separate digits, which are results under these parameters.
    #[staticmethod]
    fn of(py: Python<'_>, parameters: &Parameters, digits: Vec<Py<Ciphertext>>) -> Result<Self> {
        let shape = common_shape(digits.iter().map(|digit| &digit.get().shape))?;
        let digits: Vec<_> = digits.iter().map(|digit| (*digit.get().inner).clone()).collect();
        let make = || LibraryDigits::new(&parameters.inner, digits);
        let inner = call::run_silently(py, make)?;
        Ok(Self { inner: inner.into(), shape })
    }

    /// The digits, the least significant first, which can be looked up or added.
    #[getter]
    fn digits(&self) -> Vec<Ciphertext> {
        let digits = self.inner.digits().iter();
        digits.map(|digit| Ciphertext::new(digit.clone(), self.shape.clone())).collect()
    }

    fn __repr__(&self) -> String {
        format!("Digits(sizes {:?}, shape {:?})", self.inner.sizes(), self.shape)
    }
}

properties!(Digits {
    /// Integers are below this modulus.
    modulus: u64 = |it| it.inner.modulus();
    /// Sizes of the digits: an integer is the sum of its digits, each times the product of the sizes before it.
    sizes: Vec<u64> = |it| it.inner.sizes().to_vec();
    /// Whether the integers are signed.
    signed: bool = |it| it.inner.is_signed();
});

impl Digits {
    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        Ok(self.inner.to_ciphertext()?.to_bytes())
    }

    fn read(bytes: &[u8], parameters: &Parameters) -> cryptable::Result<Self> {
        let joined = cryptable::Ciphertext::from_bytes(bytes)?;
        let inner = LibraryDigits::from_ciphertext(&parameters.inner, joined)?;
        let shape = vec![inner.count()];
        Ok(Self { inner: inner.into(), shape })
    }
}

array_methods!(Digits { inner }, "`is None` and `size` tell what can be known");
array_files!(Digits, parameters: &Parameters);
not_compared!(Digits, "`comparisons.equal` compares ciphertexts before they are in digits");

/// The integers that values represent.
pub(crate) fn signedness(signed: bool) -> Signedness {
    if signed { Signedness::Signed } else { Signedness::Unsigned }
}

/// Runs an operation, by its name, on one or two ciphertexts.
#[pyfunction]
#[pyo3(signature = (key, operation, operands, *, bounds = None, threads: "int" = 0, progress = true) -> "Ciphertext | Digits")]
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
