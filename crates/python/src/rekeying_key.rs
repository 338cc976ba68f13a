//! Keys that convert ciphertexts to a new owner.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::call;
use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise};
use crate::files::{Access, write_file};
use crate::key_files::{load_public, read_options};
use crate::parameters::Parameters;
use crate::properties::properties;

/// Turns ciphertexts and results of one client into those of another, without decrypting them.
///
/// `SecretKey.rekey_to` makes it. Give it only to the server: whoever holds it together with the new owner's secret key
/// can decrypt all ciphertexts of the old owner.
///
///     >>> import cryptable
///     >>> clinic = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
///     >>> analyst = cryptable.SecretKey.generate(clinic.parameters)
///     >>> rekeying = clinic.rekey_to(analyst.public_key())
///     >>> analyst.decrypt(rekeying.apply(clinic.encrypt([3, 1, 4]))).tolist()
///     [3, 1, 4]
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct RekeyingKey {
    pub(crate) inner: cryptable::RekeyingKey,
}

#[pymethods]
impl RekeyingKey {
    /// Turns values of the owner, fresh or computed, into the same values of the new owner.
    fn apply(&self, py: Python<'_>, ciphertext: &Ciphertext) -> Result<Ciphertext> {
        let inner = call::run_silently(py, || self.inner.apply(&ciphertext.inner))?;
        Ok(Ciphertext::new(inner, ciphertext.shape.clone()))
    }

    /// Writes the key to a file that only its owner can read.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = self.inner.to_bytes();
        call::detach(py, || {
            write_file(&path, Access::Private, replace, |out| out.write_all(&bytes))
        })
    }

    /// Reads a key from a file, as `save` and `cryptable rekey keygen` write it.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let options = read_options(allow_insecure);
        let read = |bytes: &[u8]| cryptable::RekeyingKey::from_bytes(bytes, options);
        Ok(Self { inner: load_public(py, &path, read)? })
    }

    fn __repr__(&self) -> String {
        format!("RekeyingKey(from {} to {})", self.inner.owner(), self.inner.new_owner())
    }
}

properties!(RekeyingKey {
    /// The identifier of the secret key whose ciphertexts it converts.
    owner: String = |it| it.inner.owner().to_string();
    /// The identifier of the secret key that decrypts its results.
    new_owner: String = |it| it.inner.new_owner().to_string();
    /// The parameters of both secret keys.
    parameters: Result<Parameters> =
        |it| Ok(Parameters { inner: it.inner.parameters().lookups().map_err(raise)? });
    /// Standard deviation of the noise that it adds to every value, as a fraction of the modulus.
    noise: f64 = |it| it.inner.noise().deviation();
});
