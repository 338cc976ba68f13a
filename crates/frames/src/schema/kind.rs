//! Types of columns, with their offsets, scales and lists.

use std::collections::HashMap;

use chrono::{Datelike as _, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike as _};

use super::literal::{ColumnSchema, ColumnType, Scalar, Unit};
use crate::error::{CellProblem, ColumnProblem};
use crate::value::{self, Value};

/// Largest difference between a number and a multiple of the scale, in scales, that rounding of floating-point numbers
/// explains.
const TOLERANCE: f64 = 1e-6;

/// Largest step, which floating-point numbers represent exactly and which exceeds the number of entries of any table.
pub(super) const MAX_STEP: i64 = 1 << 52;

/// Nanoseconds of a second.
const NANOSECONDS: i128 = 1_000_000_000;

/// Seconds of a day.
pub(super) const DAY_SECONDS: i64 = 86_400;

/// A type of values with its offset, scale and lists.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Integer { offset: i64 },
    Boolean,
    Number { offset: f64, scale: f64 },
    Bins { ends: Vec<f64>, labels: Vec<String> },
    Date { offset: NaiveDate, unit: Unit },
    DateTime { offset: NaiveDateTime, seconds: i64 },
    Time { seconds: i64 },
    Words { words: Vec<String>, places: HashMap<String, i64>, other: Option<i64> },
}

/// A step, and whether it represents exactly the value.
pub(super) type Nearest = (i64, bool);

impl Kind {
    pub(super) fn new(literal: &ColumnSchema) -> Result<Self, ColumnProblem> {
        let offset = literal.offset.as_ref().map(Scalar::value);
        let wrong = |expected| ColumnProblem::Field {
            field: "offset",
            found: offset.map_or_else(String::new, Value::quoted),
            expected,
        };
        let text = match offset {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        };
        match literal.kind {
            ColumnType::Integer => match offset {
                None => Ok(Self::Integer { offset: 0 }),
                Some(Value::Integer(integer)) if i64::try_from(integer).is_ok() => {
                    Ok(Self::Integer { offset: integer as i64 })
                }
                Some(_) => Err(wrong("an integer of 64 bits")),
            },
            ColumnType::Boolean => Ok(Self::Boolean),
            ColumnType::Number => match &literal.bins {
                Some(ends) => Self::bins(ends),
                None => {
                    let offset = match offset {
                        None => Some(0.0),
                        Some(value) => number_of(value).filter(|number| number.is_finite()),
                    };
                    let offset = offset.ok_or_else(|| wrong("a number"))?;
                    Ok(Self::Number { offset, scale: scale(literal)? })
                }
            },
            ColumnType::Date => {
                let day =
                    text.map_or_else(|| offset.is_none().then(NaiveDate::default), value::date);
                let day = day.ok_or_else(|| wrong("a date such as \"2026-11-28\""))?;
                Ok(Self::Date { offset: day, unit: literal.unit.unwrap_or_default() })
            }
            ColumnType::DateTime => {
                let at = text.map_or_else(
                    || offset.is_none().then(NaiveDateTime::default),
                    |text| value::date_time(text).or(value::date(text).map(Into::into)),
                );
                let at = at.ok_or_else(|| wrong("a time such as \"2026-11-28 09:30:00\""))?;
                Ok(Self::DateTime { offset: at, seconds: seconds(literal)? })
            }
            ColumnType::Time => Ok(Self::Time { seconds: seconds(literal)? }),
            ColumnType::Words => Self::words(literal),
        }
    }

    fn bins(ends: &[f64]) -> Result<Self, ColumnProblem> {
        let wrong = |found: String| ColumnProblem::Field {
            field: "bins",
            found,
            expected: "a list of at least two numbers, each above the one before",
        };
        if ends.len() < 2 {
            return Err(wrong(format!("a list of length {}", ends.len())));
        }
        if let Some(pair) = ends
            .windows(2)
            .find(|pair| pair[0].partial_cmp(&pair[1]) != Some(std::cmp::Ordering::Less))
        {
            return Err(wrong(format!("{} after {}", pair[1], pair[0])));
        }
        let labels = ends.windows(2).map(|pair| format!("{} to {}", pair[0], pair[1])).collect();
        Ok(Self::Bins { ends: ends.to_vec(), labels })
    }

    fn words(literal: &ColumnSchema) -> Result<Self, ColumnProblem> {
        let words = literal.words.clone();
        let words = words.ok_or(ColumnProblem::Missing { field: "words", kind: "words" })?;
        if words.is_empty() {
            let (field, expected) = ("words", "a list of at least one word");
            return Err(ColumnProblem::Field { field, found: "empty".into(), expected });
        }
        let mut places = HashMap::new();
        for (place, word) in words.iter().enumerate() {
            if places.insert(word.clone(), place as i64).is_some() {
                return Err(ColumnProblem::RepeatedWord { word: value::quoted(word) });
            }
        }
        let place = |word: &String| {
            places.get(word).copied().ok_or_else(|| ColumnProblem::Field {
                field: "other",
                found: value::quoted(word),
                expected: "one of `words`",
            })
        };
        let other = literal.other.as_ref().map(place).transpose()?;
        Ok(Self::Words { words, places, other })
    }

    /// Returns the name of the type for messages, with an article.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Integer { .. } => "an integer",
            Self::Boolean => "true or false",
            Self::Number { .. } | Self::Bins { .. } => "a number",
            Self::Date { .. } => "a date such as 2026-11-28",
            Self::DateTime { .. } => "a time such as 2026-11-28 09:30:00",
            Self::Time { .. } => "a time of day such as 09:30:00",
            Self::Words { .. } => "a word",
        }
    }

    /// Parses a text that is not missing.
    pub(super) fn parse<'a>(&self, text: &'a str) -> Option<Value<'a>> {
        match self {
            Self::Integer { .. } => value::integer(text).map(Value::Integer),
            Self::Boolean => value::boolean(text).map(Value::Boolean),
            Self::Number { .. } | Self::Bins { .. } => value::number(text).map(Value::Number),
            Self::Date { .. } => value::date(text).map(Value::Date),
            Self::DateTime { .. } => {
                let at = value::date_time(text).or(value::date(text).map(Into::into));
                at.map(Value::DateTime)
            }
            Self::Time { .. } => value::time(text).map(Value::Time),
            Self::Words { .. } => Some(Value::Text(text)),
        }
    }

    /// Returns the nearest step of a value that is not text, and whether it is exact.
    pub(super) fn nearest(&self, value: Value<'_>) -> Result<Nearest, CellProblem> {
        let exact = |step: Option<i64>| step.map(|step| (step, true));
        let found = match (self, value) {
            (Self::Integer { offset }, value) => {
                let integer = match value {
                    Value::Integer(integer) => Some(integer),
                    // Many programs hold integer columns with gaps as floating-point numbers.
                    Value::Number(number)
                        if number.fract() == 0.0 && number.abs() < 2f64.powi(53) =>
                    {
                        Some(number as i128)
                    }
                    _ => None,
                };
                exact(integer.map(|integer| saturated(integer - i128::from(*offset))))
            }
            (Self::Boolean, Value::Boolean(value)) => Some((value.into(), true)),
            (Self::Boolean, Value::Integer(value @ (0 | 1))) => Some((value as i64, true)),
            (Self::Number { offset, scale }, value) => number_of(value).map(|number| {
                let steps = (number - offset) / scale;
                let nearest = steps.round();
                // A float with many digits differs from the multiple by its own rounding error.
                let tolerance =
                    TOLERANCE + 4.0 * f64::EPSILON * (number.abs() + offset.abs()) / scale;
                (nearest as i64, (steps - nearest).abs() <= tolerance)
            }),
            (Self::Bins { ends, .. }, value) => number_of(value).map(|number| {
                let bin = ends.partition_point(|end| *end <= number) as i64 - 1;
                // The greatest value of a column belongs to its last bin only with `clip`.
                (bin, true)
            }),
            (Self::Date { offset, unit }, Value::Date(day)) => {
                Some(dates_since(*offset, *unit, day))
            }
            (Self::Date { offset, unit }, Value::DateTime(at)) => {
                let (step, is_exact) = dates_since(*offset, *unit, at.date());
                Some((step, is_exact && at.time() == NaiveTime::MIN))
            }
            (Self::DateTime { offset, seconds }, Value::DateTime(at)) => {
                Some(times_since(*offset, *seconds, at))
            }
            (Self::DateTime { offset, seconds }, Value::Date(day)) => {
                Some(times_since(*offset, *seconds, day.into()))
            }
            (Self::Time { seconds }, Value::Time(time)) => {
                let at = i64::from(time.num_seconds_from_midnight());
                Some((at / seconds, at % seconds == 0 && time.nanosecond() == 0))
            }
            _ => None,
        };
        found.ok_or(CellProblem::Type(self.noun()))
    }
}

/// Checks that a column has no field that belongs to other types.
pub(super) fn check_fields(literal: &ColumnSchema) -> Result<(), ColumnProblem> {
    use ColumnType as T;
    let counted = [T::Integer, T::Number, T::Date, T::DateTime];
    let scaled = [T::Number, T::DateTime, T::Time];
    let rounded = [T::Number, T::Date, T::DateTime, T::Time];
    let has_bins = literal.bins.is_some();
    let fields: [(&'static str, bool, &[ColumnType]); 10] = [
        ("minimum", literal.minimum.is_some(), &counted),
        ("maximum", literal.maximum.is_some(), &counted),
        ("offset", literal.offset.is_some(), &counted),
        ("scale", literal.scale.is_some(), &scaled),
        ("bins", has_bins, &[T::Number]),
        ("unit", literal.unit.is_some(), &[T::Date]),
        ("words", literal.words.is_some(), &[T::Words]),
        ("other", literal.other.is_some(), &[T::Words]),
        ("round", literal.round, &rounded),
        ("clip", literal.clip, &counted),
    ];
    let foreign = fields.iter().find(|(field, is_given, kinds)| {
        // Columns with bins have no other field that states positions.
        let is_foreign = !kinds.contains(&literal.kind)
            || has_bins && ["minimum", "maximum", "offset", "scale", "round"].contains(field);
        *is_given && is_foreign
    });
    match foreign {
        Some((field, ..)) => {
            let kind = if has_bins && literal.kind == T::Number {
                "number with bins"
            } else {
                literal.kind.name()
            };
            Err(ColumnProblem::Foreign { field, kind })
        }
        None => Ok(()),
    }
}

fn scale(literal: &ColumnSchema) -> Result<f64, ColumnProblem> {
    let scale = literal.scale.unwrap_or(1.0);
    let expected = "a number above 0";
    match scale.is_finite() && scale > 0.0 {
        true => Ok(scale),
        false => Err(ColumnProblem::Field { field: "scale", found: scale.to_string(), expected }),
    }
}

/// Returns the scale of times: whole seconds.
fn seconds(literal: &ColumnSchema) -> Result<i64, ColumnProblem> {
    let scale = scale(literal)?;
    match scale.fract() == 0.0 && scale <= MAX_STEP as f64 {
        true => Ok(scale as i64),
        false => Err(ColumnProblem::Field {
            field: "scale",
            found: scale.to_string(),
            expected: "a whole number of seconds",
        }),
    }
}

pub(super) fn number_of(value: Value<'_>) -> Option<f64> {
    match value {
        Value::Number(number) => Some(number).filter(|number| !number.is_nan()),
        Value::Integer(integer) => Some(integer as f64),
        _ => None,
    }
}

/// Returns `step·scale`, as the quotient where the scale is the inverse of an integer: 3 tenths are 0.3.
pub(super) fn multiple(step: i64, scale: f64) -> f64 {
    let inverse = (1.0 / scale).round();
    let is_inverse = scale < 1.0 && (1.0 / inverse) == scale;
    if is_inverse { step as f64 / inverse } else { step as f64 * scale }
}

fn saturated(integer: i128) -> i64 {
    integer.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// Returns by how many units a date follows another one, rounded down, and whether the difference is exact.
fn dates_since(offset: NaiveDate, unit: Unit, day: NaiveDate) -> Nearest {
    let months = |date: NaiveDate| i64::from(date.year()) * 12 + i64::from(date.month0());
    match unit {
        Unit::Day => (day.signed_duration_since(offset).num_days(), true),
        Unit::Month => (months(day) - months(offset), day.day() == 1),
        Unit::Year => (i64::from(day.year() - offset.year()), day.ordinal() == 1),
    }
}

/// Returns the first day of the unit that is `step` units after the one with the offset.
pub(super) fn date_after(offset: NaiveDate, unit: Unit, step: i64) -> Option<NaiveDate> {
    let (start, months) = match unit {
        Unit::Day if step < 0 => return offset.checked_sub_days(Days::new(step.unsigned_abs())),
        Unit::Day => return offset.checked_add_days(Days::new(step.unsigned_abs())),
        Unit::Month => (offset.with_day(1)?, step),
        Unit::Year => (offset.with_ordinal(1)?, step.checked_mul(12)?),
    };
    let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    if months < 0 { start.checked_sub_months(count) } else { start.checked_add_months(count) }
}

/// Returns by how many times `seconds` a time follows another one, rounded down, and whether the difference is exact.
fn times_since(offset: NaiveDateTime, seconds: i64, at: NaiveDateTime) -> Nearest {
    let since = |at: NaiveDateTime| {
        let at = at.and_utc();
        i128::from(at.timestamp()) * NANOSECONDS + i128::from(at.timestamp_subsec_nanos())
    };
    let (distance, step) = (since(at) - since(offset), i128::from(seconds) * NANOSECONDS);
    (saturated(distance.div_euclid(step)), distance.rem_euclid(step) == 0)
}
