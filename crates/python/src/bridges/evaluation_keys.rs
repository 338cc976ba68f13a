//! The server's keys for both ends of a bridge.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::engines::integer_bridge::EvaluationKey as IntegerEvaluationKeys;
use cryptable::engines::leveled_bridge::EvaluationKey as LeveledEvaluationKeys;
use cryptable::engines::packed;
use cryptable::{Error, PreparedTable as LibraryPreparedTable};
use pyo3::prelude::*;

use super::values::{Integers, LeveledValues, SmallValues};
use super::{each_keys, one_part, other_end};
use crate::arrays::common_shape;
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise};
use crate::key_files::{Origin, ReducedKey, open_mapped};
use crate::large_values::{EvaluationKey as LargeValuesKey, Radix};
use crate::table::{PreparedTable, Table};

/// A server's keys, for either engine at the other end.
pub(super) enum Keys {
    /// Shared with `EvaluationKeys.single`.
    Integers(Arc<IntegerEvaluationKeys>),
    Leveled(Box<LeveledEvaluationKeys>),
}

/// The server's keys for both ends of a bridge and the conversion between them. Threads may share them.
#[pyclass(frozen, module = "cryptable.bridges")]
pub(crate) struct EvaluationKeys {
    inner: Keys,
    origin: Origin,
}

impl EvaluationKeys {
    pub(super) fn in_memory(inner: Keys) -> Self {
        Self { inner, origin: Origin::default() }
    }

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

/// Tables of the packed end.
fn packed_tables<'a>(
    tables: &[&'a LibraryPreparedTable],
) -> cryptable::Result<Vec<&'a packed::PreparedTable>> {
    let packed = |table: &&'a LibraryPreparedTable| {
        let other = |_| Error::mismatch("table", "of leveled values", "of packed ones");
        table.packed().map_err(other)
    };
    tables.iter().map(packed).collect()
}

#[pymethods]
impl EvaluationKeys {
    /// Maps a file of keys into memory and checks all of it.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn open(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let (inner, origin) = open_mapped(py, &path, allow_insecure, |bytes, options| {
            match IntegerEvaluationKeys::from_shared(bytes.clone(), options) {
                Ok(keys) => Ok(Keys::Integers(Arc::new(keys))),
                Err(Error::Wire(_)) => {
                    let keys = LeveledEvaluationKeys::from_shared(bytes, options)?;
                    Ok(Keys::Leveled(Box::new(keys)))
                }
                Err(error) => Err(error),
            }
        })?;
        Ok(Self { inner, origin })
    }

    /// Bytes of memory that they use.
    #[getter]
    fn memory_bytes(&self) -> usize {
        each_keys!(Keys, &self.inner, keys => keys.memory_bytes())
    }

    /// Encodes a table of the packed lookup.
    fn prepare(&self, py: Python<'_>, table: &Table) -> Result<PreparedTable> {
        let inner = call::run_silently(py, || self.packed().prepare(&table.inner))?;
        Ok(PreparedTable { inner: inner.into() })
    }

    /// Encodes a table of leveled values.
    fn prepare_leveled(&self, py: Python<'_>, table: &Table) -> Result<PreparedTable> {
        let inner = call::run_silently(py, || self.leveled()?.single().prepare(&table.inner))?;
        Ok(PreparedTable { inner: inner.into() })
    }

    /// Maps packed values through tables; for leveled values, these are one table per digit, the lowest first.
    #[pyo3(signature = (values, tables, *, threads: "int" = 0, progress = true))]
    fn lookup_many(
        &self,
        py: Python<'_>,
        values: &Ciphertext,
        tables: Vec<Py<PreparedTable>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Ciphertext>> {
        let tables: Vec<_> = tables.iter().map(|table| &table.get().inner).collect();
        let found = call::run_engine(py, threads, progress, "lookup", |progress| {
            self.packed().lookup_many(one_part(values)?, &packed_tables(&tables)?, progress)
        })?;
        Ok(found.into_iter().map(|it| Ciphertext::new(it.into(), values.shape.clone())).collect())
    }

    /// Maps packed values in several ciphertexts, the least significant digits first, through tables of all digits
    /// together. Inputs are results of `pack_radix`, where the packed end has digits of three bits.
    #[pyo3(signature = (inputs, tables, *, threads: "int" = 0, progress = true))]
    fn lookup_digits(
        &self,
        py: Python<'_>,
        inputs: Vec<Py<Ciphertext>>,
        tables: Vec<Py<PreparedTable>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Ciphertext>> {
        let shape = common_shape(inputs.iter().map(|input| &input.get().shape))?;
        let inputs: Vec<_> = inputs.iter().map(|input| input.get()).collect();
        let tables: Vec<_> = tables.iter().map(|table| &table.get().inner).collect();
        let found = call::run_engine(py, threads, progress, "lookup", |progress| {
            let inputs = inputs.iter().map(|input| one_part(input).cloned());
            let inputs = inputs.collect::<cryptable::Result<Vec<_>>>()?;
            self.packed().lookup_digits(&inputs, &packed_tables(&tables)?, progress)
        })?;
        Ok(found.into_iter().map(|it| Ciphertext::new(it.into(), shape.clone())).collect())
    }

    /// Extracts the packed values from `start` to `stop` as integers.
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

    /// Extracts the packed values from `start` to `stop`, of an even modulus up to 16, as small values modulo 16:
    /// selectors.
    #[pyo3(signature = (values, start, stop, *, threads: "int" = 0, progress = true))]
    fn to_small(
        &self,
        py: Python<'_>,
        values: &Ciphertext,
        start: usize,
        stop: usize,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<SmallValues> {
        let inner = call::run_engine(py, threads, progress, "small values", |progress| {
            let keys = self.integers()?;
            keys.bridge().to_small(keys.ends(), one_part(values)?, start..stop, progress)
        })?;
        Ok(SmallValues { inner })
    }

    /// Extracts packed digits from `start` to `stop`, of an even modulus up to 8 and with one ciphertext per digit, the
    /// lowest first, as integers in digits of base 8.
    #[pyo3(signature = (digits, start, stop, *, threads: "int" = 0, progress = true))]
    fn to_radix(
        &self,
        py: Python<'_>,
        digits: Vec<Py<Ciphertext>>,
        start: usize,
        stop: usize,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Radix>> {
        let digits: Vec<_> = digits.iter().map(|digit| digit.get()).collect();
        let found = call::run_engine(py, threads, progress, "digits", |progress| {
            let keys = self.integers()?;
            let digits = digits.iter().map(|digit| one_part(digit).cloned());
            let digits = digits.collect::<cryptable::Result<Vec<_>>>()?;
            keys.bridge().to_radix(keys.ends(), &digits, start..stop, progress)
        })?;
        Ok(found.into_iter().map(|inner| Radix { inner }).collect())
    }

    /// Packs integers in digits again, into one ciphertext of values below 8 per digit, the lowest first.
    #[pyo3(signature = (values, *, threads: "int" = 0, progress = true))]
    fn pack_radix(
        &self,
        py: Python<'_>,
        values: Vec<Py<Radix>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Ciphertext>> {
        let shape = vec![values.len()];
        let values: Vec<_> = values.iter().map(|value| value.get().inner.clone()).collect();
        let packed = call::run_engine(py, threads, progress, "pack", |progress| {
            let keys = self.integers()?;
            keys.bridge().pack_radix(keys.ends(), &values, progress)
        })?;
        Ok(packed.into_iter().map(|it| Ciphertext::new(it.into(), shape.clone())).collect())
    }

    /// The key for integers at the other end, for all functions of `cryptable.large_values`: `sign`, `maximum`, digits.
    #[getter]
    fn single(&self) -> Result<LargeValuesKey> {
        match &self.inner {
            Keys::Integers(keys) => Ok(LargeValuesKey::of_bridge(Arc::clone(keys))),
            Keys::Leveled(_) => other_end("of integers", "of leveled values").map_err(raise),
        }
    }

    /// Packs small values again, modulo `modulus`.
    #[pyo3(signature = (values, modulus = 2, *, threads: "int" = 0, progress = true))]
    fn pack(
        &self,
        py: Python<'_>,
        values: &SmallValues,
        modulus: u64,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let packed = call::run_engine(py, threads, progress, "pack", |progress| {
            let keys = self.integers()?;
            keys.bridge().pack_small(keys.ends(), &values.inner, modulus, progress)
        })?;
        Ok(Ciphertext::new(packed.into(), vec![values.inner.count()]))
    }

    /// Extracts packed digits from `start` to `stop` as leveled values.
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
            let modulus = keys.parameters().single().input_modulus();
            keys.bridge().to_leveled(keys.ends(), &digits, modulus, start..stop)
        })?;
        Ok(LeveledValues { inner })
    }

    /// Maps leveled values through a table.
    #[pyo3(signature = (values, table, *, threads: "int" = 0, progress = true))]
    fn lookup_leveled(
        &self,
        py: Python<'_>,
        values: &LeveledValues,
        table: &PreparedTable,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<LeveledValues> {
        let inner = call::run_engine(py, threads, progress, "lookup", |progress| {
            let other = |_| Error::mismatch("table", "of packed values", "of leveled ones");
            let table = table.inner.leveled().map_err(other)?;
            let found = self.leveled()?.single();
            Ok(found.lookup_many(&values.inner, &[table], progress)?.swap_remove(0))
        })?;
        Ok(LeveledValues { inner })
    }

    /// Packs leveled values again, into one ciphertext per digit of two bits, the lowest first.
    #[pyo3(signature = (values, *, threads: "int" = 0, progress = true))]
    fn pack_leveled(
        &self,
        py: Python<'_>,
        values: &LeveledValues,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Ciphertext>> {
        let packed = call::run_engine(py, threads, progress, "pack", |progress| {
            let keys = self.leveled()?;
            keys.bridge().pack_leveled(keys.ends(), &values.inner, progress)
        })?;
        let shape = vec![values.inner.count()];
        Ok(packed.into_iter().map(|it| Ciphertext::new(it.into(), shape.clone())).collect())
    }

    fn __repr__(&self) -> String {
        let end = match &self.inner {
            Keys::Integers(_) => "integers",
            Keys::Leveled(_) => "leveled values",
        };
        format!("EvaluationKeys({}; then {end})", self.packed().parameters())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<ReducedKey<'py>> {
        self.origin.reduce::<Self>(py)
    }
}
