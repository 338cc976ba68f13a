//! Client operations on values in words.

use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::WideValues;
use crate::arrays::{Numbers, shaped, words};
use crate::call;
use crate::errors::Result;
use crate::secret_key::SecretKey;

/// Encrypts unsigned integers of `bits` bits, of any shape.
#[pyfunction]
#[pyo3(signature = (secret, values: "npt.ArrayLike", bits))]
pub(crate) fn encrypt_wide(
    secret: &SecretKey,
    values: &Bound<'_, PyAny>,
    bits: u32,
) -> Result<WideValues> {
    let py = values.py();
    let Numbers { values, shape } = words(values, bits, false)?;
    let clear = Zeroizing::new(values);
    let inner = call::run_silently(py, || secret.library().encrypt_wide(&clear, bits))?;
    Ok(WideValues { inner: inner.into(), shape })
}

/// Decrypts values in words to an array of `uint64`, in the shape that was encrypted.
#[pyfunction]
#[pyo3(signature = (secret, values) -> "npt.NDArray[np.uint64]")]
pub(crate) fn decrypt_wide<'py>(
    py: Python<'py>,
    secret: &SecretKey,
    values: &WideValues,
) -> Result<Bound<'py, PyAny>> {
    let found = call::run_silently(py, || secret.library().decrypt_wide(&values.inner))?;
    shaped(py, &Zeroizing::new(found), &values.shape)
}
