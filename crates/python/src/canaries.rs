//! Canaries: values with known results among encrypted ones.

use std::path::PathBuf;

use cryptable_wire::hex;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::arrays::{are_signed, array, integers};
use crate::call;
use crate::ciphertext::{Ciphertext, check_signs};
use crate::errors::{Result, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{refuse_pickle, save_secret};
use crate::properties::properties;
use crate::secret_key::SecretKey;
use crate::table::{Signs, Table, of_moduli};

/// The secret places and inputs of canaries in a ciphertext, of `SecretKey.encrypt_with_canaries`.
///
/// A server that answers wrong in w of n places, chosen without knowing the c canaries, is missed with probability
/// C(n - w, c)/C(n, c), `missed_probability(w)`. Canaries find servers that are wrong in a fraction of all places, not those
/// that are wrong in a few; the book's page on checked results says what else they leave open.
///
///     >>> import cryptable
///     >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
///     >>> squares = [x * x % 16 for x in range(16)]
///     >>> encrypted, canaries = secret.encrypt_with_canaries([3, 1, 4], 20)
///     >>> result = secret.evaluation_key().lookup(encrypted, squares)
///     >>> secret.decrypt_checked(result, canaries, squares).tolist()
///     [9, 1, 0]
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Canaries {
    inner: cryptable::Canaries,
    /// The shape of the values among them.
    shape: Vec<usize>,
}

#[pymethods]
impl Canaries {
    /// The probability that a server is missed that answers wrong in `wrong` places.
    fn missed_probability(&self, wrong: usize) -> f64 {
        self.inner.missed_probability(wrong)
    }

    /// The least number of canaries among `places` places by which a server that is wrong in `wrong` of them is missed with a
    /// probability of at most `limit`; `None` if no number does that.
    #[staticmethod]
    fn needed(places: usize, wrong: usize, limit: f64) -> Option<usize> {
        cryptable::Canaries::needed(places, wrong, limit)
    }

    /// Writes the canaries to a file that its owner alone may read. Their values decrypt to one dimension then.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, path: PathBuf, replace: bool) -> Result<()> {
        save_secret(&path, replace, &self.inner.to_bytes())
    }

    /// Reads canaries of this secret key from a file, as `save` and `cryptable encrypt --canaries` write it.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, secret: &SecretKey) -> Result<Self> {
        let inner = call::detach(py, || {
            let bytes = Zeroizing::new(read_file(&path)?);
            cryptable::Canaries::from_bytes(&bytes, secret.library()).map_err(raise_of(&path))
        })?;
        let shape = vec![inner.places() - inner.count()];
        Ok(Self { inner, shape })
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("Canaries"))
    }

    fn __repr__(&self) -> String {
        format!("Canaries({} of {} places)", self.inner.count(), self.inner.places())
    }
}

properties!(Canaries {
    /// An identifier drawn for these canaries. Reveals nothing of them.
    id: String = |it| hex(&it.inner.id());
    /// The identifier of the secret key that encrypted them.
    key_id: String = |it| it.inner.key_id().to_string();
    /// The number of canaries.
    count: usize = |it| it.inner.count();
    /// The number of values of the ciphertext, canaries included.
    places: usize = |it| it.inner.places();
});

#[pymethods]
impl SecretKey {
    /// Encrypts values of any shape like `encrypt`, with `canaries` values among them whose results `decrypt_checked` checks.
    /// Returns the ciphertext, of one dimension, and the canaries, which stay with the client.
    ///
    /// Canaries have uniform inputs, or are drawn from those in `inputs`. Inputs such as your values find a wrong table as
    /// often as values meet it; if they are your values, and the server sees that a check failed, it learns something of them.
    #[pyo3(signature = (values: "npt.ArrayLike", canaries, *, inputs: "npt.ArrayLike | None" = None, signed = None))]
    fn encrypt_with_canaries(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        canaries: usize,
        inputs: Option<&Bound<'_, PyAny>>,
        signed: Option<bool>,
    ) -> Result<(Ciphertext, Canaries)> {
        let modulus = self.library().lookup_parameters().map_err(raise)?.input_modulus();
        let signed = are_signed(values, modulus, signed)?;
        let values = integers(values, modulus, signed)?;
        let clear = Zeroizing::new(values.values);
        let inputs = inputs.map(|inputs| integers(inputs, modulus, signed)).transpose()?;
        let inputs = inputs.map(|inputs| Zeroizing::new(inputs.values));
        let (ciphertext, inner) = call::run(py, 0, None, |_| match &inputs {
            None => self.library().encrypt_with_canaries(&clear, canaries),
            Some(inputs) => self.library().encrypt_with_canaries_from(&clear, canaries, inputs),
        })?;
        let places = vec![inner.places()];
        let canaries = Canaries { inner, shape: values.shape };
        Ok((Ciphertext::new(ciphertext.with_signed(signed), places), canaries))
    }

    /// Decrypts results of a lookup in `table` like `decrypt`, checks those of the canaries, and leaves them out. After several
    /// lookups, `table` is that of all of them together.
    ///
    /// Raises `errors.WrongResultError` if a canary has another result than the table has for it: use none of the results then.
    #[pyo3(signature = (ciphertext, canaries, table: "TableLike", *, signed = None) -> "npt.NDArray[Any]")]
    fn decrypt_checked<'py>(
        &self,
        ciphertext: &Ciphertext,
        canaries: &Canaries,
        table: &Bound<'py, PyAny>,
        signed: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = table.py();
        let signed = check_signs(ciphertext.inner.is_signed(), signed)?;
        let inputs = self.library().lookup_parameters().map_err(raise)?.input_modulus();
        let modulus = ciphertext.inner.modulus();
        let table = of_moduli(table, inputs, modulus, Signs::both(signed))?;
        let table = table.cast::<Table>()?.get();
        let values = call::run(py, 0, None, |_| {
            let values = Zeroizing::new(self.library().decrypt(&ciphertext.inner)?);
            canaries.inner.check(&values, &table.inner)
        })?;
        array(py, &Zeroizing::new(values), &canaries.shape, modulus, signed)
    }
}
