//! Public keys of vectors.

use std::path::PathBuf;

use cryptable::ckks::PublicKey as LibraryPublicKey;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::clear_numbers::{Cleared, bounds_of};
use super::parameters::Parameters;
use super::vector::Vector;
use crate::arrays::complex_numbers;
use crate::call;
use crate::errors::{Result, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{read_options, save_public};
use crate::properties::properties;

/// A public key of vectors: anyone who has it encrypts numbers that only the secret key decrypts.
///
/// `SecretKey.public_key` makes it. May be sent to anyone. Vectors have a larger error than those of the secret key, and state
/// it.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct PublicKey {
    pub(crate) inner: LibraryPublicKey,
}

#[pymethods]
impl PublicKey {
    /// Encrypts numbers of any shape whose parts are at most `bound`; slots beyond them are 0.
    #[pyo3(signature = (values: "npt.ArrayLike", *, bound = 1.0))]
    fn encrypt(&self, values: &Bound<'_, PyAny>, bound: f64) -> Result<Vector> {
        let py = values.py();
        let (values, is_real) = complex_numbers(values)?;
        let clear = Cleared(values.values);
        let bounds = bounds_of(bound, is_real);
        let inner = call::run_silently(py, || self.inner.encrypt_within(&clear.0, bounds))?;
        Ok(Vector::new(inner, self.inner.parameters(), values.shape))
    }

    /// Writes the key to a file.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        save_public(py, &path, replace, &self.inner.to_bytes())
    }

    /// Reads a key from a file that `save` wrote.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let inner = call::detach(py, || {
            let bytes = read_file(&path)?;
            LibraryPublicKey::from_bytes(&bytes, read_options(allow_insecure))
                .map_err(raise_of(&path))
        })?;
        Ok(Self { inner })
    }

    /// The key as bytes, as a file holds it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    /// Reads what `to_bytes` or a file holds.
    #[staticmethod]
    #[pyo3(signature = (bytes, *, allow_insecure = false))]
    fn from_bytes(bytes: &[u8], allow_insecure: bool) -> Result<Self> {
        let read = LibraryPublicKey::from_bytes(bytes, read_options(allow_insecure));
        Ok(Self { inner: read.map_err(raise)? })
    }

    fn __repr__(&self) -> String {
        format!("PublicKey(id {})", self.inner.id())
    }
}

properties!(PublicKey {
    /// The identifier of the secret key, which its evaluation keys and vectors share.
    id: String = |it| it.inner.id().to_string();
    /// The parameters.
    parameters: Parameters = |it| Parameters { inner: it.inner.parameters().clone() };
});
