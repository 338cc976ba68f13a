//! Canaries: values with known results among encrypted ones.

use std::path::PathBuf;

use cryptable_wire::hex;
use numpy::PyArray1;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::arrays::{are_signed, array, as_array, integers, of_words, words};
use crate::call;
use crate::ciphertext::{Ciphertext, check_signs};
use crate::errors::{Result, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{refuse_pickle, save_secret};
use crate::properties::properties;
use crate::public_key::PublicKey;
use crate::secret_key::SecretKey;
use crate::table::{Signs, Table, of_moduli};

/// Secret places and inputs of the canaries in a ciphertext, made by `SecretKey.encrypt_with_canaries`.
///
/// If a server answers wrong in w of n places, chosen without knowing the c canaries, it escapes detection with
/// probability C(n - w, c)/C(n, c), `missed_probability(w)`. Canaries detect servers that are wrong in a fraction of
/// all places, not those that are wrong in a few places. The book's page on checked results describes the other limits.
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
    /// Shape of the values among the canaries.
    shape: Vec<usize>,
}

#[pymethods]
impl Canaries {
    /// Returns the probability that a server that answers wrong in `wrong` places is not detected.
    fn missed_probability(&self, wrong: usize) -> f64 {
        self.inner.missed_probability(wrong)
    }

    /// Returns the least number of canaries among `places` places for which a server that is wrong in `wrong` of them
    /// escapes detection with a probability of at most `limit`; `None` if no number suffices.
    #[staticmethod]
    fn needed(places: usize, wrong: usize, limit: f64) -> Option<usize> {
        cryptable::Canaries::needed(places, wrong, limit)
    }

    /// Writes the canaries to a file that only its owner may read. After loading, the values decrypt to one dimension.
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
        Ok(Self::new(inner))
    }

    /// Makes canaries at the same places, with inputs drawn from `inputs`, for another operand of the same operation.
    #[pyo3(signature = (inputs: "npt.ArrayLike", *, signed = false))]
    fn with_inputs_of(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        signed: bool,
    ) -> Result<Self> {
        let inputs = Zeroizing::new(words(inputs, self.bits(), signed)?.values);
        let inner = call::run_silently(py, || self.inner.with_inputs_of(&inputs))?;
        Ok(Self { inner, shape: self.shape.clone() })
    }

    /// Returns the array to encrypt: the values in order, among canaries. Signed integers are in two's complement.
    #[pyo3(signature = (values: "npt.ArrayLike", *, signed = false) -> "npt.NDArray[Any]")]
    fn hide<'py>(&self, values: &Bound<'py, PyAny>, signed: bool) -> Result<Bound<'py, PyAny>> {
        let py = values.py();
        let values = Zeroizing::new(words(values, self.bits(), signed)?.values);
        let list = call::run_silently(py, || self.inner.hide(&values))?;
        self.integers(py, &list, signed)
    }

    /// The inputs of the canaries, as secret as their places.
    #[pyo3(signature = (*, signed = false) -> "npt.NDArray[Any]")]
    fn inputs<'py>(&self, py: Python<'py>, signed: bool) -> Result<Bound<'py, PyAny>> {
        self.integers(py, self.inner.inputs(), signed)
    }

    /// Compares the canaries among decrypted results with `expected`, in the order of `inputs`, and returns the results
    /// of the other values.
    ///
    /// Raises `errors.WrongResultError` if a canary has any other result; then use none of the results.
    #[pyo3(signature = (results: "npt.ArrayLike", expected: "npt.ArrayLike") -> "npt.NDArray[Any]")]
    fn check_results<'py>(
        &self,
        results: &Bound<'py, PyAny>,
        expected: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = results.py();
        let (results, dtype) = in_words(results)?;
        let (expected, _) = in_words(expected)?;
        let found = call::run_silently(py, || self.inner.check_results(&results, &expected))?;
        let found = PyArray1::from_slice(py, &Zeroizing::new(found));
        found.call_method1("view", ("int64",))?.call_method1("astype", (dtype,))
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("Canaries"))
    }

    fn __repr__(&self) -> String {
        format!("Canaries({} of {} places)", self.inner.count(), self.inner.places())
    }
}

impl Canaries {
    fn new(inner: cryptable::Canaries) -> Self {
        let shape = vec![inner.places() - inner.count()];
        Self { inner, shape }
    }

    /// Number of bits of the largest input.
    fn bits(&self) -> u32 {
        u64::BITS - self.inner.largest_input().leading_zeros()
    }

    /// Returns an array of words, of the smallest type that holds them.
    fn integers<'py>(
        &self,
        py: Python<'py>,
        words: &[u64],
        signed: bool,
    ) -> Result<Bound<'py, PyAny>> {
        let shift = u64::BITS - self.bits();
        // The highest bit of a signed word is its sign.
        let word = |&word: &u64| match signed {
            true => ((word << shift).cast_signed() >> shift).cast_unsigned(),
            false => word,
        };
        let words = Zeroizing::new(words.iter().map(word).collect::<Vec<_>>());
        of_words(py, &words, &[words.len()], self.bits(), signed)
    }
}

/// Returns integers as words of 64 bits in two's complement, and their type.
fn in_words<'py>(values: &Bound<'py, PyAny>) -> Result<(Zeroizing<Vec<u64>>, Bound<'py, PyAny>)> {
    let dtype = as_array(values)?.getattr("dtype")?;
    let is_signed = dtype.getattr("kind")?.eq("i")?;
    Ok((Zeroizing::new(words(values, u64::BITS, is_signed)?.values), dtype))
}

properties!(Canaries {
    /// An identifier drawn for these canaries. It reveals nothing about them.
    id: String = |it| hex(&it.inner.id());
    /// The identifier of the secret key that encrypted them.
    key_id: String = |it| it.inner.key_id().to_string();
    /// The number of canaries.
    count: usize = |it| it.inner.count();
    /// The number of values in the ciphertext, including canaries.
    places: usize = |it| it.inner.places();
});

#[pymethods]
impl SecretKey {
    /// Encrypts values of any shape like `encrypt`, and hides `canaries` canaries among them, whose results
    /// `decrypt_checked` checks. Returns the ciphertext, of one dimension, and the canaries, which stay with the
    /// client.
    ///
    /// Canaries have uniform inputs, or inputs drawn from `inputs`. Inputs distributed like your values detect a wrong
    /// table as often as your values meet it. But if they are your values and the server sees that a check failed, it
    /// learns something about them.
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
        let (ciphertext, inner) = call::run_silently(py, || match &inputs {
            None => self.library().encrypt_with_canaries(&clear, canaries),
            Some(inputs) => self.library().encrypt_with_canaries_from(&clear, canaries, inputs),
        })?;
        let places = vec![inner.places()];
        let canaries = Canaries { inner, shape: values.shape };
        Ok((Ciphertext::new(ciphertext.with_signed(signed), places), canaries))
    }

    /// Draws canaries of uniform inputs, and their places among `values` values, for anything that the key encrypts:
    /// inputs of lookups or, with `bits`, integers of that many bits, as in columns and values in words.
    /// `Canaries.hide` returns the array to encrypt.
    ///
    ///     >>> import cryptable
    ///     >>> from cryptable import integers
    ///     >>> plan = integers.plan(8, engine="single", insecure_toy=True)    # without `insecure_toy` for use
    ///     >>> secret = cryptable.SecretKey.generate(plan)
    ///     >>> canaries = secret.draw_canaries(3, 20, bits=8)
    ///     >>> column = integers.encrypt(secret, canaries.hide([200, 7, 9]))
    ///     >>> canaries.check_results(integers.decrypt(secret, column), canaries.inputs()).tolist()
    ///     [200, 7, 9]
    #[pyo3(signature = (values, canaries, *, bits = None))]
    fn draw_canaries(
        &self,
        py: Python<'_>,
        values: usize,
        canaries: usize,
        bits: Option<u32>,
    ) -> Result<Canaries> {
        let key = self.library();
        call::run_silently(py, || key.draw_canaries(values, canaries, bits)).map(Canaries::new)
    }

    /// Decrypts results of a lookup in `table` like `decrypt`, checks those of the canaries, and removes them. After
    /// several lookups, `table` is the composition of all of them.
    ///
    /// Raises `errors.WrongResultError` if a canary has another result than in the table; then use none of the results.
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
        let values = call::run_silently(py, || {
            let values = Zeroizing::new(self.library().decrypt(&ciphertext.inner)?);
            canaries.inner.check(&values, &table.inner)
        })?;
        array(py, &Zeroizing::new(values), &canaries.shape, modulus, signed)
    }
}

#[pymethods]
impl PublicKey {
    /// Draws canaries as `SecretKey.draw_canaries` does: the holder of this public key hides them among its values, and
    /// gives their file to the holder of the secret key.
    #[pyo3(signature = (values, canaries, *, bits = None))]
    fn draw_canaries(
        &self,
        py: Python<'_>,
        values: usize,
        canaries: usize,
        bits: Option<u32>,
    ) -> Result<Canaries> {
        let key = &self.inner;
        call::run_silently(py, || key.draw_canaries(values, canaries, bits)).map(Canaries::new)
    }
}
