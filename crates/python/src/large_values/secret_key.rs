//! The client's key for large values.

use cryptable::large_values::{Parameters, SecretKey as LibrarySecretKey};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::evaluation_key::EvaluationKey;
use super::radix::Radix;
use crate::arrays::{Numbers, reals, signed_integers};
use crate::bridges::{Integers, SmallValues};
use crate::call;
use crate::errors::Result;
use crate::keys::{makes_evaluation_key, secret_key_files};
use crate::properties::properties;

/// The client's secret key for large values.
///
/// Erased from memory when it is deleted; it cannot be pickled.
#[pyclass(frozen, module = "cryptable.large_values")]
pub(crate) struct SecretKey {
    inner: LibrarySecretKey,
}

/// Returns the values of an array of one dimension.
fn one_dimension<T>(numbers: Numbers<T>) -> Result<Vec<T>> {
    if numbers.shape.len() == 1 {
        return Ok(numbers.values);
    }
    let found = numbers.shape;
    let message = format!("large values must have one dimension, not the shape {found:?}");
    Err(PyValueError::new_err(message))
}

#[pymethods]
impl SecretKey {
    /// Draws a fresh secret of 128 bits of security for integers of `bits` bits; a function of one integer fails with
    /// probability at most 2^`log2_fail` (default: 2^-64). `algorithm` decomposes integers into digits:
    /// `"HomDecomp-Reduce"` (the default and the fastest), `"HomDecomp-FDFB"`, `"HomFloor"` or `"HomFloorAlt"`.
    #[staticmethod]
    #[pyo3(signature = (bits, *, log2_fail = None, algorithm = None, insecure_toy = false))]
    fn generate(
        py: Python<'_>,
        bits: u32,
        log2_fail: Option<f64>,
        algorithm: Option<&str>,
        insecure_toy: bool,
    ) -> Result<Self> {
        let inner = call::run_silently(py, || {
            let parameters = match log2_fail {
                _ if insecure_toy => Parameters::insecure_toy(bits)?,
                None => Parameters::new(bits)?,
                Some(log2_fail) => Parameters::with_log2_fail(bits, log2_fail)?,
            };
            let parameters = match algorithm {
                Some(name) => parameters.with_algorithm(name)?,
                None => parameters,
            };
            Ok(LibrarySecretKey::generate(&parameters))
        })?;
        Ok(Self { inner })
    }

    /// Encrypts integers, of one dimension, from -2^(bits-2) to 2^(bits-2) - 1, any two of which can be compared. With
    /// `full_range`, the range is -2^(bits-1) to 2^(bits-1) - 1, for functions of one integer: comparisons and maxima
    /// are wrong for integers that differ by 2^(bits-1) or more.
    #[pyo3(signature = (values: "npt.ArrayLike", *, full_range = false))]
    fn encrypt(&self, values: &Bound<'_, PyAny>, full_range: bool) -> Result<Integers> {
        let clear = Zeroizing::new(one_dimension(signed_integers(values)?)?);
        let inner = call::run_silently(values.py(), || {
            if full_range {
                self.inner.encrypt_full_range(&clear)
            } else {
                self.inner.encrypt(&clear)
            }
        })?;
        Ok(Integers { inner })
    }

    /// Decrypts integers.
    #[pyo3(signature = (values) -> "npt.NDArray[np.int64]")]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        values: &Integers,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let found = call::run_silently(py, || self.inner.decrypt(&values.inner))?;
        Ok(PyArray1::from_slice(py, &Zeroizing::new(found)))
    }

    /// Decrypts signs, comparisons and results of tables.
    #[pyo3(signature = (values) -> "npt.NDArray[np.uint64]")]
    fn decrypt_small<'py>(
        &self,
        py: Python<'py>,
        values: &SmallValues,
    ) -> Result<Bound<'py, PyArray1<u64>>> {
        let found = call::run_silently(py, || self.inner.decrypt_small(&values.inner))?;
        Ok(PyArray1::from_slice(py, &Zeroizing::new(found)))
    }

    /// Encrypts numbers from -1 to below 1, of one dimension, as integers: multiples of 2^-(bits - 1).
    #[pyo3(signature = (values: "npt.ArrayLike"))]
    fn encrypt_reals(&self, values: &Bound<'_, PyAny>) -> Result<Integers> {
        let numbers = one_dimension(reals(values)?)?;
        let clear = Zeroizing::new(numbers);
        let inner = call::run_silently(values.py(), || self.inner.encrypt_reals(&clear))?;
        Ok(Integers { inner })
    }

    /// Decrypts integers as numbers from -1 to below 1. Results of continuous functions reveal part of their noise:
    /// show them to nobody who has the ciphertexts.
    #[pyo3(signature = (values) -> "npt.NDArray[np.float64]")]
    fn decrypt_reals<'py>(
        &self,
        py: Python<'py>,
        values: &Integers,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let found = call::run_silently(py, || self.inner.decrypt_reals(&values.inner))?;
        Ok(PyArray1::from_slice(py, &Zeroizing::new(found)))
    }

    /// Encrypts an unsigned integer as `digits` digits of base 8.
    #[pyo3(signature = (value, *, digits))]
    fn encrypt_radix(&self, py: Python<'_>, value: u64, digits: usize) -> Result<Radix> {
        Ok(Radix { inner: call::run_silently(py, || self.inner.encrypt_radix(value, digits))? })
    }

    /// Decrypts an integer in digits, as an unsigned one.
    fn decrypt_radix(&self, py: Python<'_>, value: &Radix) -> Result<u64> {
        call::run_silently(py, || self.inner.decrypt_radix(&value.inner))
    }

    fn __repr__(&self) -> String {
        format!("SecretKey({} bits, id {})", self.bits(), self.id())
    }
}

properties!(SecretKey {
    /// The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the key.
    id: String = |it| it.inner.id().to_string();
    /// Number of bits of the integers and of differences: integers to be compared range from -2^(bits-2) to 2^(bits-2)
    /// - 1.
    bits: u32 = |it| it.inner.parameters().bits();
    /// Classical security in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.parameters().security_bits();
    /// log2 of the probability that a function of an integer goes wrong.
    log2_fail: f64 = |it| it.inner.parameters().log2_fail();
    /// Whether results of functions can be operands of further functions.
    results_are_inputs: bool = |it| it.inner.parameters().results_are_inputs();
});

secret_key_files!(SecretKey: LibrarySecretKey::from_bytes);
makes_evaluation_key!(SecretKey, EvaluationKey);
