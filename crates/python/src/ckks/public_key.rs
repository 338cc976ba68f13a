//! Public keys of vectors.

use cryptable::ckks::PublicKey as LibraryPublicKey;
use pyo3::prelude::*;

use super::clear_numbers::{Cleared, bounds_of};
use super::parameters::Parameters;
use super::vector::Vector;
use crate::arrays::complex_numbers;
use crate::call;
use crate::errors::Result;
use crate::keys::public_key;
use crate::properties::properties;

/// A public key for vectors, with which anyone can encrypt numbers that only the secret key decrypts.
///
/// `SecretKey.public_key` makes it. It may be sent to anyone. Vectors encrypted with it have a larger error than those
/// of the secret key, and state it.
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
}

public_key!(PublicKey: LibraryPublicKey);

properties!(PublicKey {
    /// The parameters.
    parameters: Parameters = |it| Parameters { inner: it.inner.parameters().clone() };
});
