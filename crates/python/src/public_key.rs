//! Public keys.

use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::arrays::{are_signed, integers};
use crate::call;
use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise};
use crate::keys::public_key;
use crate::parameters::Parameters;
use crate::properties::properties;

/// A public key, with which anyone can encrypt values that only the secret key decrypts.
///
/// `SecretKey.public_key` makes it, for keys of lookups. It may be sent to anyone.
///
///     >>> import cryptable
///     >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
///     >>> public = secret.public_key()
///     >>> secret.decrypt(public.encrypt([3, 1, 4])).tolist()
///     [3, 1, 4]
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct PublicKey {
    pub(crate) inner: cryptable::PublicKey,
}

#[pymethods]
impl PublicKey {
    /// Encrypts integers of any shape, from 0 to P - 1, where P is the `input_modulus`, or from -P/2 to P/2 - 1 if
    /// `signed`. By default, values are signed if the array's type cannot hold P - 1, as with int8 for a modulus of
    /// 256.
    #[pyo3(signature = (values: "npt.ArrayLike", *, signed = None))]
    fn encrypt(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        signed: Option<bool>,
    ) -> Result<Ciphertext> {
        let modulus = self.lookups()?.input_modulus();
        let signed = are_signed(values, modulus, signed)?;
        let values = integers(values, modulus, signed)?;
        let clear = Zeroizing::new(values.values);
        let inner = call::run_silently(py, || self.inner.encrypt(&clear))?;
        Ok(Ciphertext::new(inner.with_signed(signed), values.shape))
    }

    /// Gives packed values a fresh mask, so that nobody but the client can tell from which ciphertext they were made.
    fn rerandomize(&self, py: Python<'_>, values: &Ciphertext) -> Result<Ciphertext> {
        let inner = call::run_silently(py, || self.inner.rerandomize(&values.inner))?;
        Ok(Ciphertext::new(inner, values.shape.clone()))
    }
}

public_key!(PublicKey: cryptable::PublicKey);

impl PublicKey {
    fn lookups(&self) -> Result<cryptable::Parameters> {
        self.inner.parameters().lookups().map_err(raise)
    }
}

properties!(PublicKey {
    /// The parameters.
    parameters: Result<Parameters> = |it| Ok(Parameters { inner: it.lookups()? });
    /// Values are below this modulus.
    input_modulus: Result<u64> = |it| Ok(it.lookups()?.input_modulus());
});
