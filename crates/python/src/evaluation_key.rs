//! The server's key, and tables that are prepared for it.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::engines::packed::{EncryptedTables, EntryKind};
use pyo3::prelude::*;

use crate::arrays::{Numbers, common_shape, integers};
use crate::call::{self, Progress};
use crate::ciphertext::{Ciphertext, check_signs, one_or_several};
use crate::entry_tables::{EncryptedTable, per_value};
use crate::errors::{Result, raise};
use crate::fixed_point::{ComplexTable, PreparedComplexTable};
use crate::key_files::{Origin, check_memory, open_mapped};
use crate::keys::server_key;
use crate::parameters::Parameters;
use crate::properties::properties;
use crate::table::{PreparedTable, Signs, Table, of_moduli, tables_of_digits};

/// The server's key: maps encrypted values through tables, without the secret. Threads may share it.
///
///     >>> import cryptable
///     >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)    # for use: of a plan
///     >>> server = secret.evaluation_key()
///     >>> squares = server.lookup(secret.encrypt([1, 2, 3]), lambda x: x * x % 16)
///     >>> secret.decrypt(squares).tolist()
///     [1, 4, 9]
///
/// Sums need no lookup: use `add`, `sub` and `mul_scalar`, or operators within `with cryptable.computing(server):`.
/// Operands must have the same shape; nothing is broadcast.
///
/// Long calls accept `threads` (0 for all of the machine's) and `progress`: `True` for a bar (by tqdm, after the first
/// second), `False` for none, or a callback that gets the steps done and the total. `signed` says whether inputs and
/// outputs of a table range from -P/2 to P/2 - 1, where P is the modulus of each, or only one of them: `"inputs"`,
/// `"outputs"`. By default, a lookup treats anything that is not a `Table` yet as signed if the values are; a `Table`
/// for values of the other kind is a `MismatchError`.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct EvaluationKey {
    inner: Arc<cryptable::EvaluationKey>,
    origin: Origin,
}

impl EvaluationKey {
    pub(crate) fn in_memory(inner: cryptable::EvaluationKey) -> Self {
        Self { inner: inner.into(), origin: Origin::default() }
    }

    pub(crate) fn library(&self) -> &cryptable::EvaluationKey {
        &self.inner
    }

    pub(crate) fn shared(&self) -> Arc<cryptable::EvaluationKey> {
        self.inner.clone()
    }

    /// Moduli of tables of whole values.
    fn moduli(&self) -> Result<(u64, u64)> {
        Ok((self.input_modulus()?, self.output_modulus()?))
    }

    /// Encodes a table of these moduli, or anything that `cryptable.table` converts to one.
    fn prepare_of(
        &self,
        table: &Bound<'_, PyAny>,
        moduli: (u64, u64),
        signed: Signs,
    ) -> Result<PreparedTable> {
        let py = table.py();
        let table = of_moduli(table, moduli.0, moduli.1, signed)?;
        let table = table.cast::<Table>()?.get();
        let inner = call::run_silently(py, || self.inner.prepare(&table.inner))?;
        Ok(PreparedTable { inner })
    }

    /// Prepares a table as [`EvaluationKey::prepare_of`] does, unless it is prepared.
    fn prepared<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        moduli: (u64, u64),
        signed: Signs,
    ) -> Result<Bound<'py, PreparedTable>> {
        match table.cast::<PreparedTable>() {
            Ok(prepared) => Ok(prepared.clone()),
            Err(_) => Bound::new(table.py(), self.prepare_of(table, moduli, signed)?),
        }
    }

    /// Prepares several tables.
    fn all_prepared<'py>(
        &self,
        tables: &[Bound<'py, PyAny>],
        moduli: (u64, u64),
        signed: Signs,
    ) -> Result<Vec<Bound<'py, PreparedTable>>> {
        tables.iter().map(|table| self.prepared(table, moduli, signed)).collect()
    }

    /// Returns the parameters of its lookups.
    fn lookups(&self) -> Result<cryptable::Parameters> {
        self.inner.lookup_parameters().map_err(raise)
    }

    /// Checks that there is room for the memory that lookups use besides the key.
    fn check_memory(&self, kind: EntryKind, tables: usize, input: &Ciphertext) -> Result<()> {
        let parameters = self.lookups()?;
        let values = input.inner.count() as u64;
        let at_once = values.min(parameters.values_per_part() as u64);
        let prediction = parameters.lookup_prediction(kind, tables, at_once);
        check_memory("the lookup", prediction.peak_bytes() - prediction.key_memory_bytes)
    }

    /// An operation on ciphertexts that needs no table.
    fn combine(
        &self,
        py: Python<'_>,
        shape: &[usize],
        operation: impl FnOnce(&cryptable::EvaluationKey) -> cryptable::Result<cryptable::Ciphertext>
        + Send,
    ) -> Result<Ciphertext> {
        let inner = call::run_silently(py, || operation(&self.inner))?;
        Ok(Ciphertext::new(inner, shape.to_vec()))
    }
}

#[pymethods]
impl EvaluationKey {
    /// Maps a key file into memory and checks all of it. Processes that open the same file share its memory pages.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn open(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let read = cryptable::EvaluationKey::from_shared;
        let (inner, origin) = open_mapped(py, &path, allow_insecure, read)?;
        Ok(Self { inner: inner.into(), origin })
    }

    /// Encodes a table once for any number of lookups: a `Table`, or anything that `cryptable.table` converts to one.
    #[pyo3(signature = (table: "TableLike", *, signed = None))]
    fn prepare(&self, table: &Bound<'_, PyAny>, signed: Option<Signs>) -> Result<PreparedTable> {
        self.prepare_of(table, self.moduli()?, signed.unwrap_or_default())
    }

    /// Maps every value through a table: a prepared one, a `Table`, or anything that `cryptable.table` converts to one
    /// (an array, a dictionary, a function). The result has the shape of the input.
    #[pyo3(signature = (input, table: "TableLike | PreparedTable", *, signed = None, threads: "int" = 0, progress = true))]
    fn lookup(
        &self,
        input: &Ciphertext,
        table: &Bound<'_, PyAny>,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let py = table.py();
        self.check_memory(EntryKind::Shared, 1, input)?;
        let prepared =
            self.prepared(table, self.moduli()?, Signs::of(signed, input.inner.is_signed()))?;
        let table = &prepared.get().inner;
        let result = call::run_reporting(py, threads, progress, "lookup", |execution| {
            self.inner.lookup_with(&input.inner, table, execution)
        })?;
        Ok(Ciphertext::new(result, input.shape.clone()))
    }

    /// Maps every value through each of several tables, faster than separate lookups.
    #[pyo3(signature = (input, tables: "Sequence[TableLike | PreparedTable]", *, signed = None, threads: "int" = 0, progress = true))]
    fn lookup_many(
        &self,
        py: Python<'_>,
        input: &Ciphertext,
        tables: Vec<Bound<'_, PyAny>>,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Ciphertext>> {
        self.check_memory(EntryKind::Shared, tables.len(), input)?;
        let prepared =
            self.all_prepared(&tables, self.moduli()?, Signs::of(signed, input.inner.is_signed()))?;
        let tables: Vec<_> = prepared.iter().map(|table| &table.get().inner).collect();
        let results = call::run_reporting(py, threads, progress, "lookup", |execution| {
            self.inner.lookup_many_with(&input.inner, &tables, execution)
        })?;
        Ok(results.into_iter().map(|r| Ciphertext::new(r, input.shape.clone())).collect())
    }

    /// Maps every value through a table of its own. `tables` is an array of the shape of the values with one more axis
    /// at the end, the outputs for all inputs. Needs keys of a plan with `entries="per-value"`.
    #[pyo3(signature = (input, tables: "npt.ArrayLike", *, signed = None, threads: "int" = 0, progress = true))]
    fn lookup_per_value(
        &self,
        input: &Ciphertext,
        tables: &Bound<'_, PyAny>,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let signed = Signs::of(signed, input.inner.is_signed());
        check_signs(input.inner.is_signed(), Some(signed.inputs))?;
        self.check_memory(EntryKind::Plain, 1, input)?;
        let parameters = self.lookups()?;
        let tables_ = per_value(tables, &parameters, Some(&input.shape), signed)?;
        let result = call::run_reporting(tables.py(), threads, progress, "lookup", |execution| {
            self.inner.lookup_per_value(&input.inner, &tables_, execution)
        })?;
        Ok(Ciphertext::new(result.with_signed(signed.outputs), input.shape.clone()))
    }

    /// Maps values in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, each value
    /// through a table of its own. These are tables of several variables, in the shape that `lookup_per_value` expects.
    #[pyo3(signature = (inputs, tables: "npt.ArrayLike", *, signed = None, threads: "int" = 0, progress = true))]
    fn lookup_per_value_digits(
        &self,
        inputs: Vec<Py<Ciphertext>>,
        tables: &Bound<'_, PyAny>,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let shape = common_shape(inputs.iter().map(|input| &input.get().shape))?;
        let signed = signed.unwrap_or_default();
        let tables_ = per_value(tables, &self.lookups()?, Some(&shape), signed)?;
        let inputs: Vec<_> = inputs.iter().map(|input| (*input.get().inner).clone()).collect();
        let result = call::run_reporting(tables.py(), threads, progress, "lookup", |execution| {
            self.inner.lookup_per_value_digits(&inputs, &tables_, execution)
        })?;
        Ok(Ciphertext::new(result.with_signed(signed.outputs), shape))
    }

    /// Maps a file written by `SecretKey.save_encrypted_table` into memory and checks all of it.
    fn open_encrypted_table(&self, py: Python<'_>, path: PathBuf) -> Result<EncryptedTable> {
        let read = |file, _| EncryptedTables::from_shared(self.inner.packed()?, file);
        let (inner, _) = open_mapped(py, &path, false, read)?;
        Ok(EncryptedTable { inner: inner.into() })
    }

    /// Maps every value through a table that the client encrypted; needs keys of a plan with `entries="encrypted"`.
    /// `signed` must be the same as when the table was encrypted; by default it follows the values. Values in several
    /// ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, are inputs of a table of several
    /// variables.
    #[pyo3(signature = (input: "Ciphertext | Sequence[Ciphertext]", table, *, signed = None, threads: "int" = 0, progress = true))]
    fn lookup_encrypted(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = one_or_several)] input: Vec<Py<Ciphertext>>,
        table: &EncryptedTable,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let first = input[0].get();
        let signed = Signs::of(signed, first.inner.is_signed());
        check_signs(first.inner.is_signed(), Some(signed.inputs))?;
        self.check_memory(EntryKind::Encrypted, 1, first)?;
        let shape = common_shape(input.iter().map(|input| &input.get().shape))?;
        let inputs: Vec<_> = input.iter().map(|input| (*input.get().inner).clone()).collect();
        let result = call::run_reporting(py, threads, progress, "lookup", |execution| {
            self.inner.lookup_encrypted_digits(&inputs, &table.inner, execution)
        })?;
        Ok(Ciphertext::new(result.with_signed(signed.outputs), shape))
    }

    /// Decomposes every value into digits and maps each through tables, by functional digit decomposition. Returns for
    /// each digit, the least significant first, the results of its tables, which may be anything that `cryptable.table`
    /// accepts. Without tables, it returns the digits themselves.
    #[pyo3(signature = (input, tables: "Sequence[Sequence[TableLike]] | None" = None, *, threads: "int" = 0, progress = true))]
    fn decompose(
        &self,
        py: Python<'_>,
        input: &Ciphertext,
        tables: Option<Vec<Vec<Bound<'_, PyAny>>>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Vec<Ciphertext>>> {
        let tables = tables_of_digits(tables, &self.digit_sizes()?)?;
        let found = call::run_reporting(py, threads, progress, "digits", |execution| {
            self.inner.decompose(&input.inner, &tables, execution)
        })?;
        let shaped = |outputs: Vec<_>| {
            outputs.into_iter().map(|it| Ciphertext::new(it, input.shape.clone())).collect()
        };
        Ok(found.into_iter().map(shaped).collect())
    }

    /// Runs an automaton over the pieces of every value, the least significant first, starting in state 0. Table i maps
    /// `s + states * d`, for state s and piece i = d, to the next state; the last table maps to the result.
    /// `chain_pieces` returns the sizes of the pieces.
    #[pyo3(signature = (input, states, tables: "Sequence[TableLike]", *, threads: "int" = 0, progress = true))]
    fn lookup_chain(
        &self,
        py: Python<'_>,
        input: &Ciphertext,
        states: u64,
        tables: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let sizes = self.chain_pieces(states)?.into_iter().map(|size| states * size);
        let tables = tables.into_iter().map(|table| vec![table]).collect();
        let tables = tables_of_digits(Some(tables), &sizes.collect::<Vec<_>>())?.concat();
        let found = call::run_reporting(py, threads, progress, "automaton", |execution| {
            self.inner.lookup_chain(&input.inner, states, &tables, execution)
        })?;
        Ok(Ciphertext::new(found, input.shape.clone()))
    }

    /// Returns the sizes of the pieces of values that an automaton of `states` states reads in `lookup_chain`, the
    /// lowest first.
    fn chain_pieces(&self, states: u64) -> Result<Vec<u64>> {
        self.lookups()?.chain_pieces(states).map_err(raise)
    }

    /// Maps a digit through tables; it is a result of `decompose` or one of `comparisons.Digits`.
    #[pyo3(signature = (digit, tables: "Sequence[TableLike | PreparedTable]", *, signed = None, threads: "int" = 0, progress = true))]
    fn lookup_digit(
        &self,
        py: Python<'_>,
        digit: &Ciphertext,
        tables: Vec<Bound<'_, PyAny>>,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Ciphertext>> {
        let moduli = (digit.inner.modulus(), self.output_modulus()?);
        let prepared = self.all_prepared(&tables, moduli, signed.unwrap_or_default())?;
        let tables: Vec<_> = prepared.iter().map(|table| &table.get().inner).collect();
        let found = call::run_reporting(py, threads, progress, "lookup", |execution| {
            self.inner.lookup_digit(&digit.inner, &tables, execution)
        })?;
        Ok(found.into_iter().map(|it| Ciphertext::new(it, digit.shape.clone())).collect())
    }

    /// Maps values in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, through
    /// tables of all their digits together.
    #[pyo3(signature = (inputs, tables: "Sequence[TableLike | PreparedTable]", *, signed = None, threads: "int" = 0, progress = true))]
    fn lookup_digits(
        &self,
        py: Python<'_>,
        inputs: Vec<Py<Ciphertext>>,
        tables: Vec<Bound<'_, PyAny>>,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Ciphertext>> {
        let prepared = self.all_prepared(&tables, self.moduli()?, signed.unwrap_or_default())?;
        let tables: Vec<_> = prepared.iter().map(|table| &table.get().inner).collect();
        let shape = common_shape(inputs.iter().map(|input| &input.get().shape))?;
        let inputs: Vec<_> = inputs.iter().map(|input| (*input.get().inner).clone()).collect();
        let found = call::run_reporting(py, threads, progress, "lookup", |execution| {
            self.inner.lookup_digits(&inputs, &tables, execution)
        })?;
        Ok(found.into_iter().map(|it| Ciphertext::new(it, shape.clone())).collect())
    }

    /// Encodes a complex table once for any number of lookups.
    fn prepare_complex(
        &self,
        py: Python<'_>,
        table: &ComplexTable,
    ) -> Result<PreparedComplexTable> {
        let prepare = || self.inner.packed()?.prepare_complex(&table.inner);
        Ok(PreparedComplexTable { inner: call::run_silently(py, prepare)? })
    }

    /// Maps every value through a complex table, prepared or not; needs keys of a plan with `complex_outputs=True`. The
    /// result has a last axis of two, the real and imaginary parts; `SecretKey.decrypt_complex` joins them.
    #[pyo3(signature = (input, table: "ComplexTable | PreparedComplexTable", *, threads: "int" = 0, progress = true))]
    fn lookup_complex(
        &self,
        input: &Ciphertext,
        table: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let py = table.py();
        let prepared = match table.cast::<PreparedComplexTable>() {
            Ok(prepared) => prepared.clone(),
            Err(_) => {
                let table = table.cast::<ComplexTable>()?;
                Bound::new(py, self.prepare_complex(py, table.get())?)?
            }
        };
        let table = &prepared.get().inner;
        let mut found = call::run_reporting(py, threads, progress, "lookup", |execution| {
            self.inner.lookup_complex(&input.inner, &[table], execution)
        })?;
        Ok(Ciphertext::new(found.swap_remove(0), [&input.shape[..], &[2]].concat()))
    }

    /// Returns the values without their lowest `digits` digits, rounded down.
    #[pyo3(signature = (input, digits = 1, *, threads: "int" = 0, progress = true))]
    fn floor(
        &self,
        py: Python<'_>,
        input: &Ciphertext,
        digits: usize,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Ciphertext> {
        let result = call::run_reporting(py, threads, progress, "floor", |execution| {
            self.inner.floor(&input.inner, digits, execution)
        })?;
        Ok(Ciphertext::new(result, input.shape.clone()))
    }

    /// `x + y` modulo the modulus of the values, value by value, without a lookup.
    fn add(&self, py: Python<'_>, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let shape = common_shape([&x.shape, &y.shape])?;
        self.combine(py, &shape, |key| key.add(&x.inner, &y.inner))
    }

    /// `x - y` modulo the modulus of the values, value by value, without a lookup.
    fn sub(&self, py: Python<'_>, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let shape = common_shape([&x.shape, &y.shape])?;
        self.combine(py, &shape, |key| key.sub(&x.inner, &y.inner))
    }

    /// `-x` modulo the modulus of the values.
    fn negate(&self, py: Python<'_>, x: &Ciphertext) -> Result<Ciphertext> {
        self.combine(py, &x.shape, |key| key.negate(&x.inner))
    }

    /// `x + constants` for constants in the clear: an integer per value, or one for all; signed if `x` is, or as
    /// `signed` says.
    #[pyo3(signature = (x, constants: "npt.ArrayLike", *, signed = None))]
    fn add_plain(
        &self,
        py: Python<'_>,
        x: &Ciphertext,
        constants: &Bound<'_, PyAny>,
        signed: Option<bool>,
    ) -> Result<Ciphertext> {
        let signed = signed.unwrap_or(x.inner.is_signed());
        let Numbers { mut values, shape } = integers(constants, x.inner.modulus(), signed)?;
        if shape.is_empty() {
            values.resize(x.inner.count(), values[0]);
        } else {
            common_shape([&x.shape, &shape])?;
        }
        self.combine(py, &x.shape, |key| key.add_plain(&x.inner, &values))
    }

    /// `factor * x` modulo the modulus of the values.
    fn mul_scalar(&self, py: Python<'_>, x: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        self.combine(py, &x.shape, |key| key.mul_scalar(&x.inner, factor))
    }

    /// Compresses packed or leveled results for sending them to the client; afterwards they can only be decrypted.
    fn compress(&self, py: Python<'_>, results: &Ciphertext) -> Result<Ciphertext> {
        self.combine(py, &results.shape, |key| key.compress(&results.inner))
    }

    /// Packs single values, so that many can be looked up at once.
    fn pack(&self, py: Python<'_>, values: &Ciphertext) -> Result<Ciphertext> {
        self.combine(py, &values.shape, |key| key.pack(&values.inner))
    }

    /// Extracts packed values as single ones.
    fn unpack(&self, py: Python<'_>, values: &Ciphertext) -> Result<Ciphertext> {
        self.combine(py, &values.shape, |key| key.unpack(&values.inner))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.inner)
    }
}

properties!(EvaluationKey {
    /// Its parameters.
    parameters: Result<Parameters> = |it| Ok(Parameters { inner: it.lookups()? });
    /// The name of its engine.
    engine: Result<&'static str> = |it| Ok(it.lookups()?.engine().name());
    /// Inputs are below this modulus.
    input_modulus: Result<u64> = |it| Ok(it.lookups()?.input_modulus());
    /// Outputs are below this modulus.
    output_modulus: Result<u64> = |it| Ok(it.lookups()?.output_modulus());
    /// Sizes of the digits that `decompose` returns, the least significant first.
    digit_sizes: Result<Vec<u64>> = |it| it.lookups()?.digit_sizes().map_err(raise);
});

server_key!(EvaluationKey);
