//! Encryption of columns into frames, and decryption.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema as ArrowSchema};
use cryptable::engines::packed::group_totals;
use cryptable::{Ciphertext, Parameters, PublicKey, SecretKey};
use zeroize::Zeroizing;

use crate::arrays::{array_of, visit};
use crate::error::{CellProblem, Error, Result};
use crate::frame::{Frame, FrameColumn, RowGroups, check_sign};
use crate::schema::{Column, Schema};

/// The residues of a column, and its validity if values may be missing.
struct Residues {
    values: Zeroizing<Vec<u64>>,
    validity: Option<Zeroizing<Vec<u64>>>,
}

impl Frame {
    /// Encrypts the columns of a schema. Columns of the data that are not in the schema are not encrypted.
    ///
    /// All values are checked before anything is encrypted.
    ///
    /// # Errors
    /// [`Error::NoColumn`] if the data lack a column, [`Error::Column`] if one needs more values than the key has,
    /// [`Error::Cell`] for the first value that does not fit; if the key is not for lookups.
    pub fn encrypt(secret: &SecretKey, data: &RecordBatch, schema: &Schema) -> Result<Self> {
        let parameters = secret.lookup_parameters()?;
        encrypt_by(&parameters, data, schema, |values| secret.encrypt(values))
    }

    /// Encrypts the columns of a schema by a public key.
    ///
    /// # Errors
    /// Same errors as [`Frame::encrypt`].
    pub fn encrypt_with_public_key(
        public: &PublicKey,
        data: &RecordBatch,
        schema: &Schema,
    ) -> Result<Self> {
        let parameters = public.parameters().lookups()?;
        encrypt_by(&parameters, data, schema, |values| public.encrypt(values))
    }

    /// Decrypts all columns, in the units that the frame states, or else in those of the schema. Columns without units
    /// in either are integers.
    ///
    /// Sums by groups become a table with one row per group, whose first column holds the value that the group stands
    /// for. Groups without a value in the schema are dropped.
    ///
    /// # Errors
    /// If the frame belongs to another key, if values are signed but not in the schema, or if a number represents no
    /// value of the schema.
    pub fn decrypt(&self, secret: &SecretKey, schema: Option<&Schema>) -> Result<RecordBatch> {
        if let Some(groups) = self.columns()[0].groups() {
            return self.decrypt_sums(secret, schema, groups);
        }
        let mut fields = Vec::new();
        let mut arrays = Vec::new();
        for column in self.columns() {
            let named = schema.and_then(|schema| schema.column(column.name()).ok());
            let integers;
            let units = match column.units().or(named) {
                Some(units) => units,
                None => {
                    let (values, name) = (column.values(), column.name());
                    integers = Column::integers(name, values.is_signed(), values.modulus())?;
                    &integers
                }
            };
            let array = decrypt_column(secret, column, units)?;
            fields.push(Field::new(column.name(), array.data_type().clone(), true));
            arrays.push(array);
        }
        let batch = RecordBatch::try_new(ArrowSchema::new(fields).into(), arrays);
        Ok(batch.expect("columns of a frame have one number of rows"))
    }

    /// Decrypts sums by groups.
    fn decrypt_sums(
        &self,
        secret: &SecretKey,
        schema: Option<&Schema>,
        groups: &RowGroups,
    ) -> Result<RecordBatch> {
        let named = schema.and_then(|schema| schema.column(&groups.column).ok()).cloned();
        let units = match named {
            Some(units) => units,
            None => Column::integers(&groups.column, false, groups.groups.into())?,
        };
        let encoding = units.encoding();
        // Negative values are residues modulo the modulus of the columns, which sums do not record.
        let has_value = |&step: &i64| !encoding.is_signed() && encoding.value(step).is_some();
        let steps: Vec<i64> = (0..i64::from(groups.groups)).filter(has_value).collect();
        let of_groups = array_of(encoding, &steps.iter().copied().map(Some).collect::<Vec<_>>());
        let mut fields = vec![Field::new(&groups.column, of_groups.data_type().clone(), true)];
        let mut arrays = vec![of_groups];
        for column in self.columns() {
            let values = column.values();
            let results = Zeroizing::new(secret.decrypt(values)?);
            let modulus = values.is_signed().then_some(values.modulus());
            let totals = Zeroizing::new(group_totals(&results, groups.groups as usize, modulus));
            let of_steps = steps.iter().map(|&step| totals[step as usize]);
            let array: ArrayRef = Arc::new(Int64Array::from_iter_values(of_steps));
            fields.push(Field::new(column.name(), array.data_type().clone(), true));
            arrays.push(array);
        }
        let batch = RecordBatch::try_new(ArrowSchema::new(fields).into(), arrays);
        Ok(batch.expect("a row for each group"))
    }
}

fn encrypt_by(
    parameters: &Parameters,
    data: &RecordBatch,
    schema: &Schema,
    encrypt: impl Fn(&[u64]) -> cryptable::Result<Ciphertext>,
) -> Result<Frame> {
    if data.num_rows() == 0 {
        return Err(Error::Empty);
    }
    let modulus = parameters.input_modulus();
    let residues = schema.columns().iter().map(|column| {
        column.check_modulus(modulus)?;
        residues_of(data, column, modulus)
    });
    let residues = residues.collect::<Result<Vec<Residues>>>()?;
    let columns = schema.columns().iter().zip(residues).map(|(column, residues)| {
        let values = encrypt(&residues.values)?.with_signed(column.encoding().is_signed());
        let validity = residues.validity.map(|bits| encrypt(&bits)).transpose()?;
        let found = FrameColumn::new(column.name(), values).with_validity(validity);
        Ok(found.with_values_of(column.encoding().values_within(modulus)))
    });
    Frame::new(columns.collect::<Result<_>>()?)
}

/// Returns the residues of a column's values. Missing values with a validity are 0.
fn residues_of(data: &RecordBatch, column: &Column, modulus: u64) -> Result<Residues> {
    let array = data.column_by_name(column.name()).ok_or_else(|| Error::NoColumn {
        name: column.name().into(),
        known: data.schema().fields().iter().map(|field| field.name().clone()).collect(),
    })?;
    if data.schema().fields().iter().filter(|field| field.name() == column.name()).count() > 1 {
        return Err(Error::TwoColumns(column.name().into()));
    }
    // Reserve space for all of them, since growing would leave copies behind.
    let rows = data.num_rows();
    let mut values = Zeroizing::new(Vec::with_capacity(rows));
    let mut bits = Zeroizing::new(Vec::with_capacity(rows));
    visit(array, column.name(), |row, value| {
        let residue = column.residue(value, row, modulus)?;
        values.push(residue.unwrap_or(0));
        bits.push(residue.is_some().into());
        Ok(())
    })?;
    Ok(Residues { values, validity: column.has_validity().then_some(bits) })
}

fn decrypt_column(secret: &SecretKey, column: &FrameColumn, units: &Column) -> Result<ArrayRef> {
    check_sign(column.name(), units, column.values())?;
    let modulus = column.values().modulus();
    let values = Zeroizing::new(secret.decrypt(column.values())?);
    let bits = column.validity().map(|validity| secret.decrypt(validity)).transpose()?;
    let bits = bits.map(Zeroizing::new);
    let encoding = units.encoding();
    let [low, high] = column.range();
    let steps = values.iter().enumerate().map(|(row, &residue)| {
        let step = encoding.step_of_residue(residue, modulus);
        let has_value = match bits.as_ref().map(|bits| bits[row]) {
            None | Some(1) => true,
            Some(0) => false,
            Some(bit) => return Err(no_code(column.name(), row, bit as i64)),
        };
        match has_value {
            false => Ok(None),
            true if !(low..=high).contains(&step) => {
                let problem = CellProblem::Beyond { low, high };
                Err(Error::cell(column.name(), row, step, problem))
            }
            true if encoding.value(step).is_none() => Err(no_code(column.name(), row, step)),
            true => Ok(Some(step)),
        }
    });
    let steps = Zeroizing::new(steps.collect::<Result<Vec<Option<i64>>>>()?);
    Ok(array_of(encoding, &steps))
}

fn no_code(column: &str, row: usize, step: i64) -> Error {
    Error::cell(column, row, step, CellProblem::NoCode)
}
