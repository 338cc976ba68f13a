//! The server's key for large values, standing alone or at the end of a bridge.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::Progress as LibraryProgress;
use cryptable::engines::integer_bridge::EvaluationKey as IntegerEvaluationKeys;
use cryptable::large_values::EvaluationKey as LibraryEvaluationKey;
use cryptable::large_values::{
    EncryptedIntegers, RadixInteger, RealFunction as LibraryFunction,
    SmallValues as LibrarySmallValues,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::radix::Radix;
use crate::bridges::{Integers, SmallValues};
use crate::call::{self, Progress};
use crate::errors::{Result, raise};
use crate::key_files::{Origin, ReducedKey, open_mapped};
use crate::properties::properties;
use crate::real_function::RealFunction;
use crate::table::{Signs, Table, of_moduli};

/// The server's key for large values.
#[pyclass(frozen, module = "cryptable.large_values")]
pub(crate) struct EvaluationKey {
    inner: Key,
    origin: Origin,
}

/// A key that stands alone, or the end of a bridge.
enum Key {
    Own(Box<LibraryEvaluationKey>),
    Bridge(Arc<IntegerEvaluationKeys>),
}

/// Number of values of a digit.
const BASE: u64 = 8;

/// A function on integers.
type Function<'a> =
    Box<dyn FnOnce(LibraryProgress<'_>) -> cryptable::Result<EncryptedIntegers> + Send + 'a>;

impl EvaluationKey {
    fn own(inner: LibraryEvaluationKey, origin: Origin) -> Self {
        Self { inner: Key::Own(Box::new(inner)), origin }
    }

    pub(super) fn in_memory(inner: LibraryEvaluationKey) -> Self {
        Self::own(inner, Origin::default())
    }

    /// Wraps the keys at the end of a bridge.
    pub(crate) fn of_bridge(keys: Arc<IntegerEvaluationKeys>) -> Self {
        Self { inner: Key::Bridge(keys), origin: Origin::default() }
    }

    fn library(&self) -> &LibraryEvaluationKey {
        match &self.inner {
            Key::Own(key) => key,
            Key::Bridge(keys) => keys.single(),
        }
    }

    fn radix(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&LibraryEvaluationKey) -> cryptable::Result<RadixInteger> + Send,
    ) -> Result<Radix> {
        Ok(Radix { inner: call::run_silently(py, || operation(self.library()))? })
    }

    fn small(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&LibraryEvaluationKey) -> cryptable::Result<LibrarySmallValues> + Send,
    ) -> Result<SmallValues> {
        Ok(SmallValues { inner: call::run_silently(py, || operation(self.library()))? })
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
        Ok(Self::own(inner, origin))
    }

    /// Returns 1 for negative integers, else 0; with a second operand, 1 where x < y, else 0.
    #[pyo3(signature = (x, y = None, *, threads: "int" = 0, progress = true))]
    fn sign(
        &self,
        py: Python<'_>,
        x: &Integers,
        y: Option<&Integers>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<SmallValues> {
        let inner = call::run_engine(py, threads, progress, "sign", |progress| match y {
            None => self.library().sign(&x.inner, progress),
            Some(y) => self.library().less_than(&x.inner, &y.inner, progress),
        })?;
        Ok(SmallValues { inner })
    }

    /// Evaluates `absolute` or `relu` of x, or `maximum` of x and y.
    #[pyo3(signature = (name, x, y = None, *, threads: "int" = 0, progress = true))]
    fn function(
        &self,
        py: Python<'_>,
        name: &str,
        x: &Integers,
        y: Option<&Integers>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Integers> {
        let x = &x.inner;
        let function: Function<'_> = match (name, y) {
            ("absolute", None) => Box::new(|progress| self.library().absolute(x, progress)),
            ("relu", None) => Box::new(|progress| self.library().relu(x, progress)),
            ("maximum", Some(y)) => {
                Box::new(|progress| self.library().maximum(x, &y.inner, progress))
            }
            _ => {
                let message = format!(
                    "{name}: absolute and relu are functions of one operand, maximum of two"
                );
                return Err(PyValueError::new_err(message));
            }
        };
        Ok(Integers { inner: call::run_engine(py, threads, progress, name, function)? })
    }

    /// Returns the digits of every integer's two's complement in base 8.
    #[pyo3(signature = (x, *, threads: "int" = 0, progress = true))]
    fn to_radix(
        &self,
        py: Python<'_>,
        x: &Integers,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Radix>> {
        let found = call::run_engine(py, threads, progress, "digits", |progress| {
            self.library().to_radix(&x.inner, progress)
        })?;
        Ok(found.into_iter().map(|inner| Radix { inner }).collect())
    }

    /// Evaluates a continuous function approximately on integers read as fractions v = x / 2^(bits - 1). The function
    /// may jump only at 0, and its slope is at most `lipschitz` everywhere. Results have the noise of
    /// `continuous_noise`; they can be decrypted, or used in further such functions. Values range from
    /// -`continuous_limit()` to `continuous_limit()`.
    #[pyo3(signature = (x, function: "Callable[[float], float]", *, lipschitz, threads: "int" = 0, progress = true))]
    fn continuous(
        &self,
        x: &Integers,
        function: &Bound<'_, PyAny>,
        lipschitz: f64,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Integers> {
        let py = function.py();
        let function = RealFunction::new(function);
        let values = |v| function.value(v, 0.0);
        let continuous = LibraryFunction { function: &values, lipschitz };
        let found = call::run_engine(py, threads, progress, "function", |progress| {
            self.library().continuous(&x.inner, &continuous, progress)
        });
        Ok(Integers { inner: function.result(found)?? })
    }

    /// Returns the standard deviation of results of `continuous` on fresh integers, on the scale of values in [-1, 1).
    fn continuous_noise(&self, lipschitz: f64) -> Result<f64> {
        let parameters = self.library().parameters();
        let fresh = parameters.fresh_integer_noise();
        let noise = parameters.continuous_noise(lipschitz, fresh).map_err(raise)?;
        Ok(2.0 * noise.deviation())
    }

    /// Returns the largest value that `continuous` accepts for fresh integers: beyond it, noise may turn it into a
    /// value at the other end of the range.
    fn continuous_limit(&self) -> Result<f64> {
        let parameters = self.library().parameters();
        parameters.continuous_limit(parameters.fresh_integer_noise()).map_err(raise)
    }

    /// Returns x + y modulo 8 to the power of the number of digits.
    fn radix_add(&self, py: Python<'_>, x: &Radix, y: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_add(&x.inner, &y.inner))
    }

    /// Returns -x modulo 8 to the power of the number of digits.
    fn radix_negate(&self, py: Python<'_>, x: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_negate(&x.inner))
    }

    /// Returns the larger of x and y, as unsigned integers.
    fn radix_maximum(&self, py: Python<'_>, x: &Radix, y: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_maximum(&x.inner, &y.inner))
    }

    /// Returns the absolute value in two's complement.
    fn radix_absolute(&self, py: Python<'_>, x: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_absolute(&x.inner))
    }

    /// Returns x where it is positive in two's complement, else 0.
    fn radix_relu(&self, py: Python<'_>, x: &Radix) -> Result<Radix> {
        self.radix(py, |key| key.radix_relu(&x.inner))
    }

    /// Returns x where a sign or a comparison is 1, else y.
    fn radix_select(
        &self,
        py: Python<'_>,
        selector: &SmallValues,
        x: &Radix,
        y: &Radix,
    ) -> Result<Radix> {
        self.radix(py, |key| key.radix_select(&selector.inner, &x.inner, &y.inner))
    }

    /// Returns 1 if x < y as unsigned integers, else 0.
    fn radix_less_than(&self, py: Python<'_>, x: &Radix, y: &Radix) -> Result<SmallValues> {
        self.small(py, |key| key.radix_less_than(&x.inner, &y.inner))
    }

    /// Returns 1 if x is negative in two's complement, else 0.
    fn radix_sign(&self, py: Python<'_>, x: &Radix) -> Result<SmallValues> {
        self.small(py, |key| key.radix_sign(&x.inner))
    }

    /// Maps every digit through a table from digits to digits.
    #[pyo3(signature = (x, table: "TableLike"))]
    fn radix_map(&self, x: &Radix, table: &Bound<'_, PyAny>) -> Result<Radix> {
        let py = table.py();
        let table = of_moduli(table, BASE, BASE, Signs::default())?;
        let table = &table.cast::<Table>()?.get().inner;
        self.radix(py, |key| key.radix_map(&x.inner, table))
    }

    /// Maps the whole integer through a table with one entry per value of its digits together, and outputs below a
    /// modulus.
    #[pyo3(signature = (x, table: "TableLike", output_modulus))]
    fn radix_lookup(
        &self,
        x: &Radix,
        table: &Bound<'_, PyAny>,
        output_modulus: u64,
    ) -> Result<SmallValues> {
        let py = table.py();
        let inputs = BASE.saturating_pow(x.inner.digits() as u32);
        let table = of_moduli(table, inputs, output_modulus, Signs::default())?;
        let table = &table.cast::<Table>()?.get().inner;
        self.small(py, |key| key.radix_lookup(&x.inner, table))
    }

    /// Runs a two-state automaton over the digits, the lowest first, and returns its last state. For each digit there
    /// are the next states from state 0 and from state 1.
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
        format!("EvaluationKey(large values, of client key {})", self.library().key_id())
    }
}

properties!(EvaluationKey {
    /// The identifier of the secret key that it was made from.
    key_id: String = |it| it.library().key_id().to_string();
    /// Bytes of memory that it uses.
    memory_bytes: usize = |it| it.library().memory_bytes();
});
