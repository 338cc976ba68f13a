//! Keys of both ends of a bridge.

use std::path::PathBuf;

use cryptable::bridges::{
    IntegerEvaluationKeys, IntegerSecretKeys, LeveledEvaluationKeys, LeveledSecretKeys,
};
use cryptable::engines::packed;
use cryptable::{Error, PreparedTable as LibraryPreparedTable};
use numpy::PyArray1;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::plan::{BridgePlan, Planned};
use super::values::{Integers, LeveledValues, SmallValues};
use crate::arrays::{array, integers};
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::errors::Result;
use crate::evaluation_key::PreparedTable;
use crate::key_files::{
    Origin, ReducedKey, load_secret, open_mapped, refuse_pickle, save_secret, write_evaluation_key,
};
use crate::table::Table;

/// A client's keys, whatever the engine at the other end.
enum Secrets {
    Integers(Box<IntegerSecretKeys>),
    Leveled(Box<LeveledSecretKeys>),
}

/// A server's keys, whatever the engine at the other end.
enum Keys {
    Integers(Box<IntegerEvaluationKeys>),
    Leveled(Box<LeveledEvaluationKeys>),
}

/// Evaluates an expression for the keys of either.
macro_rules! each_keys {
    ($type:ident, $keys:expr, $it:ident => $body:expr) => {
        match $keys {
            $type::Integers($it) => $body,
            $type::Leveled($it) => $body,
        }
    };
}

/// The client's secret keys of both ends: encrypts packed values, and decrypts what comes of them.
///
/// Cleared from memory when they go; never pickled.
#[pyclass(frozen, module = "cryptable.bridges")]
pub(crate) struct SecretKeys {
    inner: Secrets,
}

impl SecretKeys {
    fn packed(&self) -> &packed::SecretKey {
        each_keys!(Secrets, &self.inner, keys => keys.packed())
    }
}

/// What calls on keys of the other kind fail with.
fn other_end<T>(expected: &'static str, found: &'static str) -> cryptable::Result<T> {
    Err(Error::mismatch("keys of a bridge", found, expected))
}

/// The one packed ciphertext of values.
fn one_part(values: &Ciphertext) -> cryptable::Result<&packed::Ciphertext> {
    let parts = values.inner.packed()?;
    match parts[..] {
        [part] => Ok(part),
        _ => {
            let (name, value) = ("number of packed ciphertexts", parts.len() as u64);
            Err(Error::TooLarge { name, value, limit: 1 })
        }
    }
}

#[pymethods]
impl SecretKeys {
    /// Draws fresh secrets for a plan.
    #[staticmethod]
    fn generate(py: Python<'_>, plan: &BridgePlan) -> Self {
        let inner = py.detach(|| match &plan.inner {
            Planned::Integers(plan) => {
                Secrets::Integers(Box::new(IntegerSecretKeys::generate(plan.parameters())))
            }
            Planned::Leveled(plan) => {
                Secrets::Leveled(Box::new(LeveledSecretKeys::generate(plan.parameters())))
            }
        });
        Self { inner }
    }

    /// The identifiers of both keys. Reveal nothing of them.
    #[getter]
    fn ids(&self) -> [String; 2] {
        each_keys!(Secrets, &self.inner, keys => keys.ids().map(|id| id.to_string()))
    }

    /// Encrypts values of any shape for the packed lookup, at most as many as a ciphertext holds.
    #[pyo3(signature = (values, *, signed = false))]
    fn encrypt(&self, values: &Bound<'_, PyAny>, signed: bool) -> Result<Ciphertext> {
        let modulus = self.packed().parameters().input_modulus();
        let values_ = integers(values, modulus, signed)?;
        let clear = Zeroizing::new(values_.values);
        let inner = call::run_silently(values.py(), || self.packed().encrypt(&clear))?;
        Ok(Ciphertext::new(inner.into(), values_.shape))
    }

    /// Decrypts packed values, in the shape that was encrypted.
    #[pyo3(signature = (values, *, signed = false))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        values: &Ciphertext,
        signed: bool,
    ) -> Result<Bound<'py, PyAny>> {
        let found = call::run_silently(py, || self.packed().decrypt(one_part(values)?))?;
        let found = Zeroizing::new(found);
        array(py, &found, &values.shape, values.inner.modulus(), signed)
    }

    /// Decrypts whole integers.
    fn decrypt_integers<'py>(
        &self,
        py: Python<'py>,
        values: &Integers,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let found = call::run_silently(py, || match &self.inner {
            Secrets::Integers(keys) => keys.single().decrypt(&values.inner),
            Secrets::Leveled(_) => other_end("of integers", "of leveled values"),
        });
        Ok(PyArray1::from_slice(py, &Zeroizing::new(found?)))
    }

    /// Decrypts small values.
    fn decrypt_small<'py>(
        &self,
        py: Python<'py>,
        values: &SmallValues,
    ) -> Result<Bound<'py, PyAny>> {
        let found = call::run_silently(py, || match &self.inner {
            Secrets::Integers(keys) => keys.single().decrypt_small(&values.inner),
            Secrets::Leveled(_) => other_end("of integers", "of leveled values"),
        });
        let found = Zeroizing::new(found?);
        array(py, &found, &[found.len()], values.inner.modulus(), false)
    }

    /// Decrypts leveled values.
    fn decrypt_leveled<'py>(
        &self,
        py: Python<'py>,
        values: &LeveledValues,
    ) -> Result<Bound<'py, PyAny>> {
        let found = call::run_silently(py, || match &self.inner {
            Secrets::Leveled(keys) => keys.single().decrypt(&values.inner),
            Secrets::Integers(_) => other_end("of leveled values", "of integers"),
        });
        let found = Zeroizing::new(found?);
        array(py, &found, &[found.len()], values.inner.modulus(), false)
    }

    /// The server's keys, in memory.
    #[pyo3(signature = (*, threads = 0, progress = Progress::Bar))]
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<EvaluationKeys> {
        let inner = call::run_engine(py, (threads, progress, "evaluation keys"), |progress| {
            Ok(match &self.inner {
                Secrets::Integers(keys) => {
                    Keys::Integers(Box::new(keys.evaluation_keys(progress)?))
                }
                Secrets::Leveled(keys) => Keys::Leveled(Box::new(keys.evaluation_keys(progress)?)),
            })
        })?;
        Ok(EvaluationKeys { inner, origin: Origin::default() })
    }

    /// Makes the server's keys and writes them to a file, never all of them in memory.
    #[pyo3(signature = (path, *, threads = 0, progress = Progress::Bar, replace = false))]
    fn save_evaluation_keys(
        &self,
        py: Python<'_>,
        path: PathBuf,
        threads: usize,
        progress: Progress<'_>,
        replace: bool,
    ) -> Result<()> {
        write_evaluation_key(
            py,
            (&path, replace),
            (threads, progress),
            |out, progress| each_keys!(Secrets, &self.inner, keys => keys.write_evaluation_keys(out, progress)),
        )
    }

    /// Writes the keys to a file that its owner alone may read. An existing one is replaced only if told so.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = each_keys!(Secrets, &self.inner, keys => keys.to_bytes());
        save_secret(&path, replace, &bytes)
    }

    /// Reads a file of keys.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let inner = load_secret(py, &path, allow_insecure, |bytes, options| {
            // Files say what they are of; what is neither is refused by both.
            match IntegerSecretKeys::from_bytes(bytes, options) {
                Ok(keys) => Ok(Secrets::Integers(Box::new(keys))),
                Err(Error::Wire(_)) => {
                    let keys = LeveledSecretKeys::from_bytes(bytes, options)?;
                    Ok(Secrets::Leveled(Box::new(keys)))
                }
                Err(error) => Err(error),
            }
        })?;
        Ok(Self { inner })
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("SecretKeys"))
    }
}

/// The server's keys of both ends, and between them. Threads may share them.
#[pyclass(frozen, module = "cryptable.bridges")]
pub(crate) struct EvaluationKeys {
    inner: Keys,
    origin: Origin,
}

impl EvaluationKeys {
    fn packed(&self) -> &packed::EvaluationKey {
        each_keys!(Keys, &self.inner, keys => keys.packed())
    }

    fn integers(&self) -> cryptable::Result<&IntegerEvaluationKeys> {
        match &self.inner {
            Keys::Integers(keys) => Ok(keys),
            Keys::Leveled(_) => other_end("of integers", "of leveled values"),
        }
    }

    fn leveled(&self) -> cryptable::Result<&LeveledEvaluationKeys> {
        match &self.inner {
            Keys::Leveled(keys) => Ok(keys),
            Keys::Integers(_) => other_end("of leveled values", "of integers"),
        }
    }
}

#[pymethods]
impl EvaluationKeys {
    /// Maps a file of keys into memory and checks all of it.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn open(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let (inner, origin) = open_mapped(py, &path, allow_insecure, |bytes, options| {
            match IntegerEvaluationKeys::from_shared(bytes.clone(), options) {
                Ok(keys) => Ok(Keys::Integers(Box::new(keys))),
                Err(Error::Wire(_)) => {
                    let keys = LeveledEvaluationKeys::from_shared(bytes, options)?;
                    Ok(Keys::Leveled(Box::new(keys)))
                }
                Err(error) => Err(error),
            }
        })?;
        Ok(Self { inner, origin })
    }

    /// Bytes of memory that they take.
    #[getter]
    fn memory_bytes(&self) -> usize {
        each_keys!(Keys, &self.inner, keys => keys.memory_bytes())
    }

    /// Encodes a table of the packed lookup.
    fn prepare(&self, py: Python<'_>, table: &Table) -> Result<PreparedTable> {
        let inner = call::run_silently(py, || self.packed().prepare(&table.inner))?;
        Ok(PreparedTable { inner: LibraryPreparedTable::Packed(Box::new(inner)) })
    }

    /// Encodes a table of leveled values.
    fn prepare_leveled(&self, py: Python<'_>, table: &Table) -> Result<PreparedTable> {
        let inner = call::run_silently(py, || self.leveled()?.single().prepare(&table.inner))?;
        Ok(PreparedTable { inner: LibraryPreparedTable::Leveled(Box::new(inner)) })
    }

    /// Maps packed values through tables: of leveled values one a digit, the lowest first.
    #[pyo3(signature = (values, tables, *, threads = 0, progress = Progress::Bar))]
    fn lookup_many(
        &self,
        py: Python<'_>,
        values: &Ciphertext,
        tables: Vec<Py<PreparedTable>>,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let tables: Vec<_> = tables.iter().map(|table| &table.get().inner).collect();
        let found = call::run_engine(py, (threads, progress, "lookup"), |progress| {
            let tables = tables.iter().map(|table| match table {
                LibraryPreparedTable::Packed(table) => Ok(&**table),
                _ => Err(Error::mismatch("table", "of leveled values", "of packed ones")),
            });
            let tables = tables.collect::<cryptable::Result<Vec<_>>>()?;
            self.packed().lookup_many(one_part(values)?, &tables, progress)
        })?;
        Ok(found.into_iter().map(|it| Ciphertext::new(it.into(), values.shape.clone())).collect())
    }

    /// Takes packed values from `start` to `stop` out as integers.
    fn to_integers(
        &self,
        py: Python<'_>,
        values: &Ciphertext,
        start: usize,
        stop: usize,
    ) -> Result<Integers> {
        let inner = call::run_silently(py, || {
            let keys = self.integers()?;
            keys.bridge().to_integers(keys.ends(), one_part(values)?, start..stop)
        })?;
        Ok(Integers { inner })
    }

    /// 1 of integers below 0; with `y`, of x less than y.
    #[pyo3(signature = (x, y = None, *, threads = 0, progress = Progress::Bar))]
    fn sign(
        &self,
        py: Python<'_>,
        x: &Integers,
        y: Option<&Integers>,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<SmallValues> {
        let inner = call::run_engine(py, (threads, progress, "sign"), |progress| {
            let functions = self.integers()?.single();
            match y {
                None => functions.sign(&x.inner, progress),
                Some(y) => functions.less_than(&x.inner, &y.inner, progress),
            }
        })?;
        Ok(SmallValues { inner })
    }

    /// `maximum` of two integers, `absolute` or `relu` of one.
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
        let inner = call::run_engine(py, (threads, progress, name), |progress| {
            let functions = self.integers()?.single();
            match (name, y) {
                ("maximum", Some(y)) => functions.maximum(&x.inner, &y.inner, progress),
                ("absolute", None) => functions.absolute(&x.inner, progress),
                ("relu", None) => functions.relu(&x.inner, progress),
                _ => Err(Error::Unsupported(format!("{name} of these integers"))),
            }
        })?;
        Ok(Integers { inner })
    }

    /// Packs small values again, modulo `modulus`.
    #[pyo3(signature = (values, modulus = 2, *, threads = 0, progress = Progress::Bar))]
    fn pack(
        &self,
        py: Python<'_>,
        values: &SmallValues,
        modulus: u64,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let packed = call::run_engine(py, (threads, progress, "pack"), |progress| {
            let keys = self.integers()?;
            keys.bridge().pack_small(keys.ends(), &values.inner, modulus, progress)
        })?;
        Ok(Ciphertext::new(packed.into(), vec![values.inner.count()]))
    }

    /// Takes packed digits from `start` to `stop` out as leveled values.
    fn to_leveled(
        &self,
        py: Python<'_>,
        digits: Vec<Py<Ciphertext>>,
        start: usize,
        stop: usize,
    ) -> Result<LeveledValues> {
        let digits: Vec<_> = digits.iter().map(|digit| digit.get()).collect();
        let inner = call::run_silently(py, || {
            let keys = self.leveled()?;
            let digits = digits.iter().map(|digit| one_part(digit).cloned());
            let digits = digits.collect::<cryptable::Result<Vec<_>>>()?;
            let modulus = keys.parameters().target().input_modulus();
            keys.bridge().to_leveled(keys.ends(), &digits, (modulus, start..stop))
        })?;
        Ok(LeveledValues { inner })
    }

    /// Maps leveled values through a table.
    #[pyo3(signature = (values, table, *, threads = 0, progress = Progress::Bar))]
    fn lookup_leveled(
        &self,
        py: Python<'_>,
        values: &LeveledValues,
        table: &PreparedTable,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<LeveledValues> {
        let inner = call::run_engine(py, (threads, progress, "lookup"), |progress| {
            let LibraryPreparedTable::Leveled(table) = &table.inner else {
                return Err(Error::mismatch("table", "of packed values", "of leveled ones"));
            };
            let found = self.leveled()?.single();
            Ok(found.lookup_many(&values.inner, &[table], progress)?.swap_remove(0))
        })?;
        Ok(LeveledValues { inner })
    }

    /// Packs leveled values again, a ciphertext a digit of two bits, the lowest first.
    #[pyo3(signature = (values, *, threads = 0, progress = Progress::Bar))]
    fn pack_leveled(
        &self,
        py: Python<'_>,
        values: &LeveledValues,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let packed = call::run_engine(py, (threads, progress, "pack"), |progress| {
            let keys = self.leveled()?;
            keys.bridge().pack_leveled(keys.ends(), &values.inner, progress)
        })?;
        let shape = vec![values.inner.count()];
        Ok(packed.into_iter().map(|it| Ciphertext::new(it.into(), shape.clone())).collect())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<ReducedKey<'py>> {
        self.origin.reduce::<Self>(py)
    }
}
