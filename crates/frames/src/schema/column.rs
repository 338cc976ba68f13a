//! Validated schemas.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::encoding::Encoding;
use super::literal::{ColumnSchema, ColumnType, Nulls, Scalar};
use crate::error::{CellProblem, ColumnProblem, Error, Result};
use crate::value::Value;

/// Longest name of a column, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 1024;

/// Largest number of columns of a schema and of a frame.
pub(crate) const MAX_COLUMNS: usize = 4096;

/// A schema as its file states it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaFile {
    columns: Vec<ColumnSchema>,
}

/// A column of a schema after validation.
#[derive(Clone, Debug)]
pub struct Column {
    literal: ColumnSchema,
    encoding: Encoding,
    /// The step that represents missing values, if any.
    null: Option<i64>,
}

impl Column {
    /// Validates a column.
    ///
    /// # Errors
    /// [`Error::Column`] if fields are missing, foreign to the type, or contradict each other.
    pub fn new(literal: ColumnSchema) -> Result<Self> {
        check_name(&literal.column)?;
        let of_column = |problem| Error::of_column(&literal.column, problem);
        let encoding = Encoding::new(&literal).map_err(of_column)?;
        let null = match &literal.nulls {
            Nulls::Refuse | Nulls::Validity => None,
            Nulls::Value(scalar) => {
                let step = encoding.step_within(scalar.value(), None);
                Some(step.map_err(|_| {
                    of_column(ColumnProblem::Field {
                        field: "nulls",
                        found: scalar.value().quoted(),
                        expected: "\"refuse\", \"validity\" or {\"value\": …} with a value of the column",
                    })
                })?)
            }
        };
        Ok(Self { literal, encoding, null })
    }

    /// Returns the representation of integers modulo `modulus`, which columns without a schema have.
    ///
    /// # Errors
    /// If the name is empty or very long.
    pub fn integers(name: &str, is_signed: bool, modulus: u64) -> Result<Self> {
        let least = -((modulus / 2) as i64);
        let minimum = is_signed.then_some(Scalar::Integer(least));
        Self::new(ColumnSchema { minimum, ..ColumnSchema::new(name, ColumnType::Integer) })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.literal.column
    }

    /// Returns the fields from which the column was made.
    #[must_use]
    pub fn literal(&self) -> &ColumnSchema {
        &self.literal
    }

    /// Returns the encoding of values.
    #[must_use]
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Returns whether a column of bits marks missing values.
    #[must_use]
    pub fn has_validity(&self) -> bool {
        self.literal.nulls == Nulls::Validity
    }

    /// Checks that values modulo `modulus` represent all values of the column.
    ///
    /// # Errors
    /// [`ColumnProblem::TooWide`] if they do not.
    pub fn check_modulus(&self, modulus: u64) -> Result<()> {
        let needed = self.encoding.values_needed();
        if needed <= modulus {
            return Ok(());
        }
        let bits = u64::BITS - (needed - 1).leading_zeros();
        Err(Error::of_column(self.name(), ColumnProblem::TooWide { needed, modulus, bits }))
    }

    /// Returns the residue modulo `modulus` that represents the value in a row; `None` for a missing value that a
    /// column of bits marks.
    pub(crate) fn residue(
        &self,
        value: Option<Value<'_>>,
        row: usize,
        modulus: u64,
    ) -> Result<Option<u64>> {
        let of_cell = |value: String, problem| Error::Cell {
            column: self.name().into(),
            row: row + 1,
            value,
            problem,
        };
        let value = value.filter(|value| !self.encoding.is_missing(*value));
        let step = match (value, self.null) {
            (Some(value), _) => self
                .encoding
                .step_within(value, Some(modulus))
                .map_err(|problem| of_cell(value.quoted(), problem))?,
            (None, Some(step)) => step,
            (None, None) if self.has_validity() => return Ok(None),
            (None, None) => {
                return Err(of_cell("it".into(), CellProblem::Missing));
            }
        };
        Ok(Some(self.encoding.residue(step, modulus)))
    }
}

/// The columns of a table of data, with the representation by which they are encrypted and decrypted.
///
/// A schema may reveal much about the data from which it was suggested: least and greatest values, and all words. It
/// belongs to the client, who decides whether to show it to others.
///
/// ```
/// use cryptable_frames::Schema;
/// let schema = Schema::from_json(br#"{"columns": [
///     {"column": "age", "type": "integer", "maximum": 120},
///     {"column": "income", "type": "number", "bins": [0, 12000, 30000, 1000000], "clip": true},
///     {"column": "region", "type": "words", "words": ["north", "south"], "nulls": "validity"}
/// ]}"#)?;
/// assert_eq!(schema.columns().len(), 3);
/// assert_eq!(schema.columns()[1].encoding().values_needed(), 3);
/// # Ok::<(), cryptable_frames::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    columns: Vec<Column>,
}

impl Schema {
    /// Validates columns.
    ///
    /// # Errors
    /// If a column is not valid, if two have the same name, or if there are none or more than 4,096.
    pub fn new(columns: Vec<ColumnSchema>) -> Result<Self> {
        check_count(columns.len())?;
        let mut names = HashSet::new();
        if let Some(column) = columns.iter().find(|column| !names.insert(column.column.clone())) {
            return Err(Error::TwoColumns(column.column.clone()));
        }
        let columns = columns.into_iter().map(Column::new).collect::<Result<_>>()?;
        Ok(Self { columns })
    }

    /// Reads a schema from JSON.
    ///
    /// # Errors
    /// If it is not JSON of this form, or not valid.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let file: SchemaFile = serde_json::from_slice(json).map_err(|error| Error::Syntax {
            what: "it is not a schema",
            text: error.to_string(),
        })?;
        Self::new(file.columns)
    }

    /// Writes the schema as JSON for people.
    #[must_use]
    pub fn to_json(&self) -> String {
        let columns = self.columns.iter().map(|column| column.literal.clone()).collect();
        let json = serde_json::to_string_pretty(&SchemaFile { columns });
        json.expect("fields with names of text") + "\n"
    }

    /// Returns the columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the column of this name.
    ///
    /// # Errors
    /// [`Error::NoColumn`] if there is none.
    pub fn column(&self, name: &str) -> Result<&Column> {
        let found = self.columns.iter().find(|column| column.name() == name);
        found.ok_or_else(|| Error::NoColumn {
            name: name.into(),
            known: self.columns.iter().map(|column| column.name().into()).collect(),
        })
    }
}

/// Checks the length of a column's name.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match name.len() {
        1..=MAX_NAME_BYTES => Ok(()),
        bytes => Err(Error::Name { bytes, limit: MAX_NAME_BYTES }),
    }
}

/// Checks a number of columns.
pub(crate) fn check_count(columns: usize) -> Result<()> {
    match columns {
        1..=MAX_COLUMNS => Ok(()),
        columns => Err(Error::Columns { columns, limit: MAX_COLUMNS }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> String {
        Schema::from_json(json.as_bytes()).unwrap_err().to_string()
    }

    fn of(fields: &str) -> String {
        message(&format!("{{\"columns\": [{{\"column\": \"c\", {fields}}}]}}"))
    }

    #[test]
    fn mistakes_are_named_by_column_and_field() {
        for (fields, expected) in [
            (r#""type": "float""#, "unknown variant `float`"),
            (r#""type": "integer", "limit": 3"#, "unknown field `limit`"),
            (r#""type": "integer", "bins": [1, 2]"#, "`bins` is not for columns of type integer"),
            (r#""type": "words""#, "columns of type words need `words`"),
            (r#""type": "words", "words": ["a", "a"]"#, "the word \"a\" is in `words` twice"),
            (r#""type": "words", "words": []"#, "`words` is empty"),
            (r#""type": "words", "words": ["a"], "other": "b"#, "EOF"),
            (r#""type": "words", "words": ["a"], "other": "b""#, "`other` is \"b\""),
            (r#""type": "number", "bins": [1, 1]"#, "`bins` is 1 after 1"),
            (r#""type": "number", "bins": [1]"#, "`bins` is a list of length 1"),
            (r#""type": "number", "scale": 0"#, "`scale` is 0"),
            (r#""type": "number", "scale": -1.5"#, "`scale` is -1.5"),
            (r#""type": "integer", "minimum": 4, "maximum": 3"#, "`minimum` is above `maximum`"),
            (r#""type": "integer", "maximum": 3.5"#, "`maximum` is 3.5"),
            (r#""type": "date", "offset": "2024-02-30""#, "`offset` is \"2024-02-30\""),
            (r#""type": "date", "unit": "week""#, "unknown variant `week`"),
            (r#""type": "integer", "maximum": 3, "nulls": {"value": 4}"#, "`nulls` is 4"),
            (r#""type": "boolean", "clip": true"#, "`clip` is not for columns of type boolean"),
        ] {
            let found = of(fields);
            assert!(found.contains(expected), "{fields}: {found}");
        }
        let twice = r#"{"columns": [{"column": "c", "type": "boolean"}, {"column": "c", "type": "boolean"}]}"#;
        assert_eq!(message(twice), "two columns are called \"c\"");
        assert_eq!(message(r#"{"columns": []}"#), "0 columns; a frame has 1 to 4096");
        assert!(message(r#"{"columns": [{"column": "", "type": "boolean"}]}"#).contains("0 bytes"));
        assert!(message("[1]").starts_with("it is not a schema"));
    }

    #[test]
    fn schemas_are_written_as_they_are_read() {
        let json = r#"{"columns": [
            {"column": "age", "type": "integer", "minimum": -4, "maximum": 3, "clip": true},
            {"column": "at", "type": "datetime", "offset": "2024-01-01 00:00:00", "scale": 3600.0, "round": true},
            {"column": "region", "type": "words", "words": ["n", "s"], "other": "s", "nulls": {"value": "n"}}
        ]}"#;
        let schema = Schema::from_json(json.as_bytes()).unwrap();
        let again = Schema::from_json(schema.to_json().as_bytes()).unwrap();
        assert_eq!(schema.to_json(), again.to_json());
        let literals = |schema: &Schema| -> Vec<ColumnSchema> {
            schema.columns().iter().map(|column| column.literal().clone()).collect()
        };
        assert_eq!(literals(&schema), literals(&again));
        assert!(schema.column("age").is_ok());
        let missing = schema.column("Age").unwrap_err().to_string();
        assert_eq!(missing, "no column \"Age\"; there are \"age\", \"at\", \"region\"");
    }

    #[test]
    fn keys_have_as_many_values_as_columns_need() {
        let column = |minimum, maximum| {
            let literal = ColumnSchema {
                minimum: Some(crate::Scalar::Integer(minimum)),
                maximum: Some(crate::Scalar::Integer(maximum)),
                ..ColumnSchema::new("c", crate::ColumnType::Integer)
            };
            Column::new(literal).unwrap()
        };
        for (minimum, maximum, needed) in
            [(0, 255, 256), (0, 0, 1), (-128, 127, 256), (-1, 127, 255), (-129, 0, 258), (-2, 2, 5)]
        {
            let column = column(minimum, maximum);
            assert_eq!(column.encoding().values_needed(), needed, "{minimum} to {maximum}");
            assert!(column.check_modulus(needed).is_ok());
            assert!(needed == 1 || column.check_modulus(needed - 1).is_err());
        }
        let message = column(0, 300).check_modulus(256).unwrap_err().to_string();
        assert_eq!(
            message,
            "column \"c\": it needs 301 values, but values of the key are below 256; use bins, a larger scale or keys \
             of `keygen --bits 9`"
        );
    }
}
