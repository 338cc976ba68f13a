//! Arrow arrays, value by value.

use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    AnyDictionaryArray, Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Date32Array,
    Float64Array, Int64Array, LargeStringArray, PrimitiveArray, StringArray, StringViewArray,
    Time32SecondArray, TimestampMicrosecondArray, cast::AsArray as _,
};
use arrow_schema::{DataType, TimeUnit};
use chrono::{NaiveDate, Timelike as _};

use crate::error::{ColumnProblem, Error, Result};
use crate::schema::{ColumnType, Encoding};
use crate::value::Value;

/// Visits an array of a primitive type, with a function for its values.
macro_rules! primitive {
    ($array:ident, $each:ident, $type:ty, $value:expr) => {
        visit_primitive($array.as_primitive::<$type>(), $value, &mut $each)
    };
}

/// Visits an array of integers.
macro_rules! integers {
    ($array:ident, $each:ident, $type:ty) => {
        primitive!($array, $each, $type, |array, row| Some(Value::Integer(array.value(row).into())))
    };
}

/// Visits an array of texts.
macro_rules! texts {
    ($array:ident, $each:ident, $type:ty) => {{
        let texts: &$type = $array.as_any().downcast_ref().expect("of this type");
        visit_texts(texts.iter(), &mut $each)
    }};
}

/// Visits an array of times of day.
macro_rules! times {
    ($array:ident, $each:ident, $type:ty) => {
        primitive!($array, $each, $type, |array, row| array.value_as_time(row).map(Value::Time))
    };
}

/// Visits an array of dates with times of day.
macro_rules! date_times {
    ($array:ident, $each:ident, $type:ty) => {
        primitive!($array, $each, $type, |array, row| {
            array.value_as_datetime(row).map(Value::DateTime)
        })
    };
}

/// Calls `each` with every row of an array and its value, `None` for a missing one.
///
/// # Errors
/// [`ColumnProblem::Unsupported`] if values of the array's type have no representation; the first error of `each`.
pub(crate) fn visit(
    array: &ArrayRef,
    column: &str,
    mut each: impl FnMut(usize, Option<Value<'_>>) -> Result<()>,
) -> Result<()> {
    use DataType as D;
    match array.data_type() {
        D::Null => (0..array.len()).try_for_each(|row| each(row, None)),
        D::Boolean => {
            let booleans = array.as_boolean();
            let value = |row| (!booleans.is_null(row)).then(|| Value::Boolean(booleans.value(row)));
            (0..array.len()).try_for_each(|row| each(row, value(row)))
        }
        D::Int8 => integers!(array, each, Int8Type),
        D::Int16 => integers!(array, each, Int16Type),
        D::Int32 => integers!(array, each, Int32Type),
        D::Int64 => integers!(array, each, Int64Type),
        D::UInt8 => integers!(array, each, UInt8Type),
        D::UInt16 => integers!(array, each, UInt16Type),
        D::UInt32 => integers!(array, each, UInt32Type),
        D::UInt64 => integers!(array, each, UInt64Type),
        D::Float32 => primitive!(array, each, Float32Type, |array, row| {
            // The shortest decimal of this float: 0.1 stays 0.1.
            let value = array.value(row);
            Some(Value::Number(value.to_string().parse().unwrap_or(value.into())))
        }),
        D::Float64 => {
            primitive!(array, each, Float64Type, |array, row| Some(Value::Number(array.value(row))))
        }
        D::Decimal128(_, scale) => primitive!(array, each, Decimal128Type, |array, row| {
            let digits = array.value(row) as f64;
            let power = 10f64.powi(i32::from(*scale).abs());
            Some(Value::Number(if *scale < 0 { digits * power } else { digits / power }))
        }),
        D::Date32 => {
            primitive!(array, each, Date32Type, |array, row| array
                .value_as_date(row)
                .map(Value::Date))
        }
        D::Date64 => date_times!(array, each, Date64Type),
        D::Timestamp(TimeUnit::Second, _) => date_times!(array, each, TimestampSecondType),
        D::Timestamp(TimeUnit::Millisecond, _) => {
            date_times!(array, each, TimestampMillisecondType)
        }
        D::Timestamp(TimeUnit::Microsecond, _) => {
            date_times!(array, each, TimestampMicrosecondType)
        }
        D::Timestamp(TimeUnit::Nanosecond, _) => date_times!(array, each, TimestampNanosecondType),
        D::Time32(TimeUnit::Second) => times!(array, each, Time32SecondType),
        D::Time32(_) => times!(array, each, Time32MillisecondType),
        D::Time64(TimeUnit::Microsecond) => times!(array, each, Time64MicrosecondType),
        D::Time64(_) => times!(array, each, Time64NanosecondType),
        D::Utf8 => texts!(array, each, StringArray),
        D::LargeUtf8 => texts!(array, each, LargeStringArray),
        D::Utf8View => texts!(array, each, StringViewArray),
        D::Dictionary(..) => visit(&expanded(array.as_any_dictionary(), column)?, column, each),
        other => Err(unsupported(column, other)),
    }
}

fn unsupported(column: &str, found: &DataType) -> Error {
    Error::of_column(column, ColumnProblem::Unsupported(found.to_string()))
}

/// Returns the values of a dictionary in the order of its keys.
fn expanded(dictionary: &dyn AnyDictionaryArray, column: &str) -> Result<ArrayRef> {
    let values = arrow_select::take::take(dictionary.values(), dictionary.keys(), None);
    values.map_err(|_| unsupported(column, dictionary.values().data_type()))
}

/// Calls `each` with the values of an array. A value that its type cannot represent is an error, not a missing value.
fn visit_primitive<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    value: impl Fn(&PrimitiveArray<T>, usize) -> Option<Value<'static>>,
    each: &mut impl FnMut(usize, Option<Value<'_>>) -> Result<()>,
) -> Result<()> {
    for row in 0..array.len() {
        match array.is_null(row) {
            true => each(row, None)?,
            false => match value(array, row) {
                Some(value) => each(row, Some(value))?,
                // The date or time is beyond the calendar.
                None => each(row, Some(Value::Text("a value beyond the calendar")))?,
            },
        }
    }
    Ok(())
}

fn visit_texts<'a>(
    mut texts: impl Iterator<Item = Option<&'a str>>,
    each: &mut impl FnMut(usize, Option<Value<'_>>) -> Result<()>,
) -> Result<()> {
    let mut row = 0;
    texts.try_for_each(|text| {
        row += 1;
        each(row - 1, text.map(Value::Text))
    })
}

/// Returns the array of the values that steps represent.
///
/// # Panics
/// If a step represents no value.
pub(crate) fn array_of(encoding: &Encoding, steps: &[Option<i64>]) -> ArrayRef {
    let values =
        steps.iter().map(|step| step.map(|step| encoding.value(step).expect("of a value")));
    macro_rules! collected {
        ($array:ty, $pattern:pat => $value:expr) => {
            Arc::new(<$array>::from_iter(values.map(|value| match value {
                Some($pattern) => Some($value),
                _ => None,
            })))
        };
    }
    match encoding.kind() {
        ColumnType::Integer => collected!(Int64Array, Value::Integer(value) => saturated(value)),
        ColumnType::Boolean => collected!(BooleanArray, Value::Boolean(value) => value),
        ColumnType::Number if encoding.has_bins() => {
            collected!(StringArray, Value::Text(text) => text)
        }
        ColumnType::Number => collected!(Float64Array, Value::Number(value) => value),
        ColumnType::Date => collected!(Date32Array, Value::Date(date) => days(date)),
        ColumnType::DateTime => {
            collected!(TimestampMicrosecondArray, Value::DateTime(at) => at.and_utc().timestamp_micros())
        }
        ColumnType::Time => {
            collected!(Time32SecondArray, Value::Time(time) => time.num_seconds_from_midnight() as i32)
        }
        ColumnType::Words => collected!(StringArray, Value::Text(text) => text),
    }
}

fn saturated(integer: i128) -> i64 {
    integer.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// Returns the days since 1970-01-01.
fn days(date: NaiveDate) -> i32 {
    date.signed_duration_since(NaiveDate::default()).num_days() as i32
}
