//! Functions of large single values, for `cryptable/large_values.py`.

use std::path::PathBuf;

use cryptable::Progress as LibraryProgress;
use cryptable::integers::large_values::{
    EncryptedIntegers, EvaluationKey as LibraryEvaluationKey, Parameters,
    RadixInteger as LibraryRadix, SecretKey as LibrarySecretKey,
};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::arrays::signed_integers;
use crate::bridges::{Integers, SmallValues};
use crate::call::{self, Progress};
use crate::errors::{Result, raise};
use crate::key_files::{
    Origin, Reduced, ReducedKey, load_secret, open_mapped, refuse_pickle, save_secret,
    write_evaluation_key,
};
use crate::table::{Table, of_moduli};

/// The client's secret key of large values.
///
/// Cleared from memory when it goes; never pickled.
#[pyclass(frozen, module = "cryptable.large_values")]
pub(crate) struct SecretKey {
    inner: LibrarySecretKey,
}

#[pymethods]
impl SecretKey {
    /// Draws a fresh secret for integers of so many bits, of 128 bits of security; a function of one fails with at most
    /// 2^`log2_fail`, 2^-64 if left out.
    #[staticmethod]
    #[pyo3(signature = (bits, *, log2_fail = None, insecure_toy = false))]
    fn generate(
        py: Python<'_>,
        bits: u32,
        log2_fail: Option<f64>,
        insecure_toy: bool,
    ) -> Result<Self> {
        let inner = call::run_silently(py, || {
            let parameters = match log2_fail {
                _ if insecure_toy => Parameters::insecure_toy(bits)?,
                None => Parameters::new(bits)?,
                Some(log2_fail) => Parameters::with_log2_fail(bits, log2_fail)?,
            };
            Ok(LibrarySecretKey::generate(&parameters))
        })?;
        Ok(Self { inner })
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key.
    #[getter]
    fn id(&self) -> String {
        self.inner.id().to_string()
    }

    /// Bits of the integers: from -2^(bits-1) to 2^(bits-1) - 1.
    #[getter]
    fn bits(&self) -> u32 {
        self.inner.parameters().bits()
    }

    /// Security in bits, classical; 0 of toys.
    #[getter]
    fn security_bits(&self) -> f64 {
        self.inner.parameters().security_bits()
    }

    /// log2 of the probability that a function of an integer goes wrong.
    #[getter]
    fn log2_fail(&self) -> f64 {
        self.inner.parameters().log2_fail()
    }

    /// Encrypts integers, of one dimension.
    fn encrypt(&self, values: &Bound<'_, PyAny>) -> Result<Integers> {
        let numbers = signed_integers(values)?;
        let clear = Zeroizing::new(numbers.values);
        if numbers.shape.len() != 1 {
            let found = numbers.shape;
            let message = format!("large values are of one dimension, not of the shape {found:?}");
            return Err(PyValueError::new_err(message));
        }
        let inner = call::run_silently(values.py(), || self.inner.encrypt(&clear))?;
        Ok(Integers { inner })
    }

    /// Decrypts integers.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        values: &Integers,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let found = call::run_silently(py, || self.inner.decrypt(&values.inner))?;
        Ok(PyArray1::from_slice(py, &Zeroizing::new(found)))
    }

    /// Decrypts signs, comparisons and results of tables.
    fn decrypt_small<'py>(
        &self,
        py: Python<'py>,
        values: &SmallValues,
    ) -> Result<Bound<'py, PyArray1<u64>>> {
        let found = call::run_silently(py, || self.inner.decrypt_small(&values.inner))?;
        Ok(PyArray1::from_slice(py, &Zeroizing::new(found)))
    }

    /// Encrypts an unsigned integer in so many digits of base 8.
    #[pyo3(signature = (value, *, digits))]
    fn encrypt_radix(&self, py: Python<'_>, value: u64, digits: usize) -> Result<Radix> {
        Ok(Radix { inner: call::run_silently(py, || self.inner.encrypt_radix(value, digits))? })
    }

    /// Decrypts an integer in digits, as an unsigned one.
    fn decrypt_radix(&self, py: Python<'_>, value: &Radix) -> Result<u64> {
        call::run_silently(py, || self.inner.decrypt_radix(&value.inner))
    }

    /// The server's key, in memory.
    #[pyo3(signature = (*, threads = 0, progress = Progress::Bar))]
    fn evaluation_key(
        &self,
        py: Python<'_>,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<EvaluationKey> {
        let inner = call::run_engine(py, (threads, progress, "evaluation key"), |progress| {
            self.inner.evaluation_key(progress)
        })?;
        Ok(EvaluationKey { inner, origin: Origin::default() })
    }

    /// Makes the server's key and writes it to a file.
    #[pyo3(signature = (path, *, threads = 0, progress = Progress::Bar, replace = false))]
    fn save_evaluation_key(
        &self,
        py: Python<'_>,
        path: PathBuf,
        threads: usize,
        progress: Progress<'_>,
        replace: bool,
    ) -> Result<()> {
        write_evaluation_key(py, (&path, replace), (threads, progress), |out, progress| {
            self.inner.write_evaluation_key(out, progress)
        })
    }

    /// Writes the key to a file that its owner alone may read. An existing one is replaced only if told so.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, path: PathBuf, replace: bool) -> Result<()> {
        save_secret(&path, replace, &self.inner.to_bytes())
    }

    /// Reads a key file.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        Ok(Self { inner: load_secret(py, &path, allow_insecure, LibrarySecretKey::from_bytes)? })
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("SecretKey"))
    }

    fn __repr__(&self) -> String {
        format!("SecretKey({} bits, id {})", self.bits(), self.id())
    }
}

/// An encrypted integer in digits of base 8. Public.
#[pyclass(frozen, module = "cryptable.large_values")]
pub(crate) struct Radix {
    inner: LibraryRadix,
}

#[pymethods]
impl Radix {
    /// Its digits.
    #[getter]
    fn digits(&self) -> usize {
        self.inner.digits()
    }

    /// Its bytes, as a file has them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.inner.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// From the bytes of a file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> Result<Self> {
        let inner = py.detach(|| LibraryRadix::from_bytes(bytes)).map_err(raise)?;
        Ok(Self { inner })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        let restore = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((restore, (self.to_bytes(py),)))
    }
}

/// The server's key of large values.
#[pyclass(frozen, module = "cryptable.large_values")]
pub(crate) struct EvaluationKey {
    inner: LibraryEvaluationKey,
    origin: Origin,
}

/// Values of a digit.
const BASE: u64 = 8;

/// A function of whole integers.
type Function<'a> =
    Box<dyn FnOnce(LibraryProgress<'_>) -> cryptable::Result<EncryptedIntegers> + Send + 'a>;

impl EvaluationKey {
    fn radix(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&LibraryEvaluationKey) -> cryptable::Result<LibraryRadix> + Send,
    ) -> Result<Radix> {
        Ok(Radix { inner: call::run_silently(py, || operation(&self.inner))? })
    }

    fn small(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(
            &LibraryEvaluationKey,
        )
            -> cryptable::Result<cryptable::integers::large_values::SmallValues>
        + Send,
    ) -> Result<SmallValues> {
        Ok(SmallValues { inner: call::run_silently(py, || operation(&self.inner))? })
    }
}

#[pymethods]
impl EvaluationKey {
    /// Maps a key file into memory and checks all of it.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn open(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let read = LibraryEvaluationKey::from_shared;
        let (inner, origin) = open_mapped(py, &path, allow_insecure, read)?;
        Ok(Self { inner, origin })
    }

    /// The identifier of the secret key that it was made from.
    #[getter]
    fn key_id(&self) -> String {
        self.inner.key_id().to_string()
    }

    /// Bytes of memory that it takes.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    /// 1 for negative integers, 0 for others; with a second operand, 1 where x < y, else 0.
    #[pyo3(signature = (x, y = None, *, threads = 0, progress = Progress::Bar))]
    fn sign(
        &self,
        py: Python<'_>,
        x: &Integers,
        y: Option<&Integers>,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<SmallValues> {
        let inner = call::run_engine(py, (threads, progress, "sign"), |progress| match y {
            None => self.inner.sign(&x.inner, progress),
            Some(y) => self.inner.less_than(&x.inner, &y.inner, progress),
        })?;
        Ok(SmallValues { inner })
    }

    /// `absolute` and `relu` of x, `maximum` of x and y.
    #[pyo3(signature = (name, x, y = None, *, threads = 0, progress = Progress::Bar))]
    fn function(
        &self,
        py: Python<'_>,
        name: &str,
        x: &Integers,
        y: Option<&Integers>,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Integers> {
        let x = &x.inner;
        let function: Function<'_> = match (name, y) {
            ("absolute", None) => Box::new(|progress| self.inner.absolute(x, progress)),
            ("relu", None) => Box::new(|progress| self.inner.relu(x, progress)),
            ("maximum", Some(y)) => Box::new(|progress| self.inner.maximum(x, &y.inner, progress)),
            _ => {
                let message = format!(
                    "{name}: absolute and relu are functions of one operand, maximum of two"
                );
                return Err(PyValueError::new_err(message));
            }
        };
        Ok(Integers { inner: call::run_engine(py, (threads, progress, name), function)? })
    }

    /// The digits of base 8 of every integer's two's complement.
    #[pyo3(signature = (x, *, threads = 0, progress = Progress::Bar))]
    fn to_radix(
        &self,
        py: Python<'_>,
        x: &Integers,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Vec<Radix>> {
        let found = call::run_engine(py, (threads, progress, "digits"), |progress| {
            self.inner.to_radix(&x.inner, progress)
        })?;
        Ok(found.into_iter().map(|inner| Radix { inner }).collect())
    }

    /// x + y modulo 8 to the number of digits.
    fn radix_add(&self, py: Python<'_>, x: &Radix, y: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_add(&x.inner, &y.inner))
    }

    /// -x modulo 8 to the number of digits.
    fn radix_negate(&self, py: Python<'_>, x: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_negate(&x.inner))
    }

    /// The larger of x and y, as unsigned integers.
    fn radix_maximum(&self, py: Python<'_>, x: &Radix, y: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_maximum(&x.inner, &y.inner))
    }

    /// The absolute value in two's complement.
    fn radix_absolute(&self, py: Python<'_>, x: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_absolute(&x.inner))
    }

    /// x where it is positive in two's complement, else 0.
    fn radix_relu(&self, py: Python<'_>, x: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_relu(&x.inner))
    }

    /// x where a sign or a comparison is 1, else y.
    fn radix_select(
        &self,
        py: Python<'_>,
        selector: &SmallValues,
        x: &Radix,
        y: &Radix,
    ) -> Result<Radix> {
        self.radix(py, |key| key.radix_select(&selector.inner, &x.inner, &y.inner))
    }

    /// 1 if x < y as unsigned integers, else 0.
    fn radix_less_than(&self, py: Python<'_>, x: &Radix, y: &Radix) -> Result<SmallValues> {
        self.small(py, |key| key.radix_less_than(&x.inner, &y.inner))
    }

    /// 1 if x is negative in two's complement, else 0.
    fn radix_sign(&self, py: Python<'_>, x: &Radix) -> Result<SmallValues> {
        self.small(py, |key| key.radix_sign(&x.inner))
    }

    /// Every digit through a table from digits to digits.
    fn radix_map(&self, x: &Radix, table: &Bound<'_, PyAny>) -> Result<Radix> {
        let py = table.py();
        let table = of_moduli(table, (BASE, BASE), false)?;
        let table = &table.cast::<Table>()?.get().inner;
        self.radix(py, |key| key.radix_map(&x.inner, table))
    }

    /// The whole integer through a table of as many entries as its digits have values, with outputs below a modulus.
    fn radix_lookup(
        &self,
        x: &Radix,
        table: &Bound<'_, PyAny>,
        output_modulus: u64,
    ) -> Result<SmallValues> {
        let py = table.py();
        let inputs = BASE.saturating_pow(x.inner.digits() as u32);
        let table = of_moduli(table, (inputs, output_modulus), false)?;
        let table = &table.cast::<Table>()?.get().inner;
        self.small(py, |key| key.radix_lookup(&x.inner, table))
    }

    /// The last state of an automaton of two states that reads the digits, the lowest first: the next states of each digit,
    /// from state 0 and from state 1.
    fn radix_fold(
        &self,
        py: Python<'_>,
        x: &Radix,
        initial: u64,
        next: [[u64; 2]; BASE as usize],
    ) -> Result<SmallValues> {
        self.small(py, |key| {
            key.radix_fold(&x.inner, initial, |digit, state| next[digit as usize][state as usize])
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<ReducedKey<'py>> {
        self.origin.reduce::<Self>(py)
    }

    fn __repr__(&self) -> String {
        format!("EvaluationKey(large values, of client key {})", self.inner.key_id())
    }
}
