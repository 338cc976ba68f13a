//! The fields of a schema as its file states them, before validation.

use serde::{Deserialize, Serialize};

use crate::value::Value;

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Integers, from `minimum` to `maximum`, counted from `offset`.
    Integer,
    /// Truth values.
    Boolean,
    /// Numbers, as multiples of `scale` counted from `offset`, or as the `bins` that they fall in.
    Number,
    /// Dates, counted in a `unit` from `offset`.
    Date,
    /// Dates with a time of day, counted in `scale` seconds from `offset`.
    DateTime,
    /// Times of day, counted in `scale` seconds from midnight.
    Time,
    /// Words, by their positions in the list `words`.
    Words,
}

impl ColumnType {
    /// Returns the name in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::Time => "time",
            Self::Words => "words",
        }
    }
}

/// Unit in which dates are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Days.
    #[default]
    Day,
    /// Months.
    Month,
    /// Years.
    Year,
}

/// A value in a schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A truth value.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A word, a date or a time.
    Text(String),
}

impl Scalar {
    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        match self {
            Self::Boolean(value) => Value::Boolean(*value),
            Self::Integer(value) => Value::Integer((*value).into()),
            Self::Number(value) => Value::Number(*value),
            Self::Text(text) => Value::Text(text),
        }
    }
}

/// The representation of missing values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Nulls {
    /// None: missing values are errors.
    #[default]
    Refuse,
    /// A second column of encrypted bits, which tells for each row whether it has a value.
    Validity,
    /// This value of the column.
    Value(Scalar),
}

/// A column of a schema, as its file states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSchema {
    /// Name of the column.
    pub column: String,
    /// Type of its values.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// Least value. Default: `offset` or, for numbers and integers without one, 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Scalar>,
    /// Greatest value. Default: the greatest that the key supports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Scalar>,
    /// Distance between values that are distinguished. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The value that is represented by 0. Default: 0, or 1970-01-01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Scalar>,
    /// Ends of bins, in increasing order: a bin contains its lower end but not its upper one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<Vec<f64>>,
    /// Unit in which dates are counted. Default: days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Words, represented by their positions, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// The word of the list that stands for all others. Default: others are errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Whether values between two multiples of the scale are rounded, numbers to the nearest one, dates and times down.
    /// Default: they are errors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub round: bool,
    /// Whether values outside of the range become its nearest end. Default: they are errors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clip: bool,
    /// The representation of missing values. Default: they are errors.
    #[serde(default, skip_serializing_if = "is_refused")]
    pub nulls: Nulls,
}

fn is_refused(nulls: &Nulls) -> bool {
    *nulls == Nulls::Refuse
}

impl ColumnSchema {
    /// Creates a column with the defaults.
    #[must_use]
    pub fn new(column: impl Into<String>, kind: ColumnType) -> Self {
        Self {
            column: column.into(),
            kind,
            minimum: None,
            maximum: None,
            scale: None,
            offset: None,
            bins: None,
            unit: None,
            words: None,
            other: None,
            round: false,
            clip: false,
            nulls: Nulls::Refuse,
        }
    }
}
