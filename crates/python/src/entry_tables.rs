//! Separate tables for every value, in the clear or encrypted.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::engines::packed::{self, EncryptedTables, EntryKind, SlotTables};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Numbers, integers};
use crate::errors::{Result, exception, raise};
use crate::files::{Access, write_file};
use crate::pool;
use crate::properties::properties;
use crate::table::Signs;

/// Names of the kinds of entries.
const KINDS: [(&str, EntryKind); 3] = [
    ("shared", EntryKind::Shared),
    ("per-value", EntryKind::Plain),
    ("encrypted", EntryKind::Encrypted),
];

/// Returns the kind of entries with this name.
pub(crate) fn kind_of(name: &str) -> Result<EntryKind> {
    let found = KINDS.into_iter().find(|(known, _)| *known == name);
    let unknown = || {
        let message =
            format!("entries is {name:?}, but must be 'shared', 'per-value' or 'encrypted'");
        PyValueError::new_err(message)
    };
    found.map(|(_, kind)| kind).ok_or_else(unknown)
}

/// Encrypted tables, which the server evaluates without reading them: one for all values, or one per value. Public.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct EncryptedTable {
    pub(crate) inner: Arc<EncryptedTables>,
}

#[pymethods]
impl EncryptedTable {
    /// Writes a file for `EvaluationKey.open_encrypted_table`. An existing file is replaced only with `replace=True`.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        crate::call::detach(py, || {
            write_file(&path, Access::Public, replace, |out| self.inner.write(out).map_err(raise))
        })
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.inner)
    }
}

properties!(EncryptedTable {
    /// The number of tables; `None` if one serves all values.
    count: Option<usize> = |it| it.inner.count();
    /// The identifier of the secret key under which they are encrypted.
    key_id: String = |it| it.inner.key_id().to_string();
    /// Size in memory, or of the file in which they lie, in bytes.
    memory_bytes: usize = |it| it.inner.memory_bytes();
});

/// Converts an array to one table per value, with outputs along the last axis.
///
/// # Errors
/// `TableError` if the shape is not that of the values followed by an axis of all inputs.
pub(crate) fn per_value(
    tables: &Bound<'_, PyAny>,
    parameters: &cryptable::Parameters,
    values: Option<&[usize]>,
    signed: Signs,
) -> Result<SlotTables> {
    let (inputs, modulus) = (parameters.input_modulus(), parameters.output_modulus());
    let Numbers { values: outputs, shape } = integers(tables, modulus, signed.outputs)?;
    let expected = |values: &[usize]| [values, &[inputs as usize]].concat();
    let fits = match values {
        Some(values) => shape == expected(values),
        None => shape.last() == Some(&(inputs as usize)) && shape.len() > 1,
    };
    if !fits {
        let wanted = values.map_or(format!("(..., {inputs})"), |it| format!("{:?}", expected(it)));
        let message = format!("tables have the shape {shape:?}, but must have {wanted}");
        return Err(exception("TableError", message));
    }
    // The library refuses outputs that do not fit, and names their place.
    let outputs = outputs.into_iter().map(|y| u32::try_from(y).unwrap_or(u32::MAX)).collect();
    pool::run(|| SlotTables::from_outputs(inputs, modulus, outputs)).map_err(raise)
}

/// Tables that a client encrypts: one that `cryptable.table` makes, or one per value.
pub(crate) fn to_encrypt(
    key: &packed::SecretKey,
    table: &Bound<'_, PyAny>,
    is_per_value: bool,
    signed: Signs,
) -> Result<SlotTables> {
    let parameters = key.parameters().clone().into();
    if is_per_value {
        return per_value(table, &parameters, None, signed);
    }
    let (inputs, outputs) = (parameters.input_modulus(), parameters.output_modulus());
    let table = crate::table::of_moduli(table, inputs, outputs, signed)?;
    let table = &table.cast::<crate::table::Table>()?.get().inner;
    pool::run(|| SlotTables::shared(table)).map_err(raise)
}
