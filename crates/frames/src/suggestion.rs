//! Schemas suggested from data.

use std::collections::BTreeSet;

use arrow_array::{ArrayRef, RecordBatch};
use chrono::{Datelike as _, NaiveDate, NaiveDateTime, Timelike as _};

use crate::arrays::visit;
use crate::error::{Error, Result};
use crate::schema::{Column, ColumnSchema, ColumnType, Nulls, Scalar, Schema, Unit};
use crate::value::{self, Value};

/// Largest number of decimal places of numbers that are kept exactly.
const MOST_DECIMALS: i32 = 6;

/// Seconds in which times may be counted, from fine to coarse.
const TIME_SCALES: [i64; 9] = [1, 60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_592_000];

/// A column for which nothing is suggested, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of the column.
    pub column: String,
    /// The reason, for messages.
    pub reason: String,
}

/// Suggests a schema for data and keys with this input modulus.
///
/// Scales are the finest that the modulus allows; if values must be rounded, the schema says so. Columns with gaps get
/// a validity. The schema contains least and greatest values and all words of the data, so it is as private as the
/// data.
///
/// # Errors
/// If there is no column for which a schema can be suggested.
pub fn suggest(data: &RecordBatch, modulus: u64) -> Result<(Schema, Vec<LeftOut>)> {
    let mut columns = Vec::new();
    let mut left_out = Vec::new();
    let schema = data.schema();
    for (field, array) in schema.fields().iter().zip(data.columns()) {
        let name = field.name();
        let found = observe(array, name).map_err(|error| error.to_string());
        let suggested = found.and_then(|found| found.suggest(name, modulus));
        match suggested {
            Ok(column) => columns.push(column),
            Err(reason) => left_out.push(LeftOut { column: name.clone(), reason }),
        }
    }
    if columns.is_empty() {
        let reasons = left_out.iter().map(|it| format!("{}: {}", it.column, it.reason));
        let text = reasons.collect::<Vec<_>>().join("; ");
        return Err(Error::Syntax { what: "no column can be encrypted", text });
    }
    Ok((Schema::new(columns)?, left_out))
}

/// The values of a column, in the narrowest type that has all of them.
struct Observed {
    values: Values,
    has_gaps: bool,
}

enum Values {
    None,
    Integers(Vec<i128>),
    Numbers(Vec<f64>),
    Booleans,
    Dates(Vec<NaiveDate>),
    DateTimes(Vec<NaiveDateTime>),
    Times(Vec<u32>),
    Words(BTreeSet<String>),
}

fn observe(array: &ArrayRef, name: &str) -> Result<Observed> {
    let mut has_gaps = false;
    let (mut texts, mut integers, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut dates, mut date_times, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let mut booleans = 0_usize;
    visit(array, name, |_, value| {
        match value {
            None => has_gaps = true,
            Some(Value::Number(number)) if number.is_nan() => has_gaps = true,
            Some(Value::Integer(integer)) => integers.push(integer),
            Some(Value::Number(number)) => numbers.push(number),
            Some(Value::Boolean(_)) => booleans += 1,
            Some(Value::Date(date)) => dates.push(date),
            Some(Value::DateTime(at)) => date_times.push(at),
            Some(Value::Time(time)) => times.push(time.num_seconds_from_midnight()),
            Some(Value::Text(text)) => texts.push(text.to_owned()),
        }
        Ok(())
    })?;
    if !texts.is_empty() {
        return Ok(of_texts(texts, has_gaps));
    }
    let values = if booleans > 0 {
        Values::Booleans
    } else if !integers.is_empty() {
        Values::Integers(integers)
    } else if !numbers.is_empty() {
        numbers_or_integers(numbers)
    } else if !dates.is_empty() {
        Values::Dates(dates)
    } else if !date_times.is_empty() {
        dates_or_times(date_times)
    } else if !times.is_empty() {
        Values::Times(times)
    } else {
        Values::None
    };
    Ok(Observed { values, has_gaps })
}

/// Finds the type of values in text. Fields that mean missing values are gaps unless all others are words.
fn of_texts(texts: Vec<String>, has_gaps: bool) -> Observed {
    fn all<T>(texts: &[&str], parse: fn(&str) -> Option<T>) -> Option<Vec<T>> {
        texts.iter().map(|text| parse(text)).collect()
    }
    let present: Vec<&str> =
        texts.iter().map(|text| text.trim()).filter(|text| !value::is_missing(text)).collect();
    let found_gaps = has_gaps || present.len() < texts.len();
    // Codes such as 007 are words.
    let is_padded = |text: &&&str| {
        let digits = text.trim_start_matches(['-', '+']);
        digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.")
    };
    let may_be_numbers = !present.is_empty() && !present.iter().any(|text| is_padded(&text));
    let values = if present.is_empty() {
        Values::None
    } else if let Some(integers) = all(&present, value::integer).filter(|_| may_be_numbers) {
        Values::Integers(integers)
    } else if let Some(numbers) = all(&present, value::number).filter(|_| may_be_numbers) {
        Values::Numbers(numbers)
    } else if all(&present, value::boolean).is_some() {
        Values::Booleans
    } else if let Some(dates) = all(&present, value::date) {
        Values::Dates(dates)
    } else if let Some(date_times) = all(&present, value::date_time) {
        dates_or_times(date_times)
    } else if let Some(times) = all(&present, value::time) {
        Values::Times(times.iter().map(|time| time.num_seconds_from_midnight()).collect())
    } else {
        return Observed { values: Values::Words(texts.into_iter().collect()), has_gaps };
    };
    Observed { values, has_gaps: found_gaps }
}

/// Converts floating-point numbers to integers if all are whole, since many programs hold integers with gaps as floats.
fn numbers_or_integers(numbers: Vec<f64>) -> Values {
    let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() < 2f64.powi(53);
    match numbers.iter().all(is_whole) {
        true => Values::Integers(numbers.into_iter().map(|number| number as i128).collect()),
        false => Values::Numbers(numbers),
    }
}

/// Converts times to dates if all are midnights, since many programs hold dates as such.
fn dates_or_times(date_times: Vec<NaiveDateTime>) -> Values {
    match date_times.iter().all(|at| at.time() == chrono::NaiveTime::MIN) {
        true => Values::Dates(date_times.iter().map(NaiveDateTime::date).collect()),
        false => Values::DateTimes(date_times),
    }
}

impl Observed {
    /// Suggests a column, or returns the reason why none can be suggested.
    fn suggest(&self, name: &str, modulus: u64) -> Result<ColumnSchema, String> {
        let of = |kind| ColumnSchema::new(name, kind);
        let column = match &self.values {
            Values::None => return Err("it has no values".into()),
            Values::Integers(integers) => of_integers(of(ColumnType::Integer), integers, modulus),
            Values::Numbers(numbers) => {
                if numbers.iter().any(|number| !number.is_finite()) {
                    return Err("it has infinite numbers".into());
                }
                of_numbers(of(ColumnType::Number), numbers, modulus)
            }
            Values::Booleans => of(ColumnType::Boolean),
            Values::Dates(dates) => of_dates(of(ColumnType::Date), dates, modulus),
            Values::DateTimes(times) => of_date_times(of(ColumnType::DateTime), times, modulus),
            Values::Times(times) => of_times(of(ColumnType::Time), times, modulus),
            Values::Words(words) if words.len() as u64 > modulus => {
                let count = words.len();
                return Err(format!(
                    "it has {count} different words, but the key has only {modulus} values"
                ));
            }
            Values::Words(words) => ColumnSchema {
                words: Some(words.iter().cloned().collect()),
                ..of(ColumnType::Words)
            },
        };
        let nulls = if self.has_gaps { Nulls::Validity } else { Nulls::Refuse };
        let column = ColumnSchema { nulls, ..column };
        let checked = Column::new(column.clone()).and_then(|it| it.check_modulus(modulus));
        checked.map_err(|error| error.to_string())?;
        Ok(column)
    }
}

/// Returns the least and the greatest of the values, of which there is at least one.
fn ends<T: Copy + PartialOrd>(values: &[T]) -> (T, T) {
    let least = values.iter().copied().reduce(|a, b| if b < a { b } else { a });
    let greatest = values.iter().copied().reduce(|a, b| if b > a { b } else { a });
    (least.expect("some values"), greatest.expect("some values"))
}

fn of_integers(column: ColumnSchema, integers: &[i128], modulus: u64) -> ColumnSchema {
    let (least, greatest) = ends(integers);
    let scalar = |integer: i128| Scalar::Integer(integer as i64);
    let fits = |column: &ColumnSchema| {
        Column::new(column.clone()).is_ok_and(|column| column.check_modulus(modulus).is_ok())
    };
    let within = |integer| i64::try_from(integer).is_ok();
    if !within(least) || !within(greatest) {
        let numbers: Vec<f64> = integers.iter().map(|&integer| integer as f64).collect();
        return of_numbers(ColumnSchema { kind: ColumnType::Number, ..column }, &numbers, modulus);
    }
    let plain = ColumnSchema {
        minimum: (least < 0).then(|| scalar(least)),
        maximum: Some(scalar(greatest)),
        ..column.clone()
    };
    if greatest >= 0 && fits(&plain) {
        return plain;
    }
    let moved = ColumnSchema {
        minimum: Some(scalar(least)),
        maximum: Some(scalar(greatest)),
        offset: Some(scalar(least)),
        ..column.clone()
    };
    if fits(&moved) {
        return moved;
    }
    let numbers: Vec<f64> = integers.iter().map(|&integer| integer as f64).collect();
    of_numbers(ColumnSchema { kind: ColumnType::Number, ..column }, &numbers, modulus)
}

/// Suggests a decimal scale: the one that keeps all numbers exactly, or the finest of 1, 2 and 5 times a power of ten.
fn of_numbers(column: ColumnSchema, numbers: &[f64], modulus: u64) -> ColumnSchema {
    let (least, greatest) = ends(numbers);
    // Numbers from 0 on are counted from 0 if the modulus allows, so that sums of them are meaningful.
    let offsets =
        |scale: f64| [(least >= 0.0).then_some(0.0), Some((least / scale).floor() * scale)];
    let most = (modulus - 1) as f64 - 0.5;
    let offset = |scale: f64| {
        let mut offsets = offsets(scale).into_iter().flatten();
        offsets.find(|offset| (greatest - offset) / scale <= most)
    };
    let fits = |scale: f64| offset(scale).is_some();
    let is_exact = |decimals: i32| {
        let power = 10f64.powi(decimals);
        numbers.iter().all(|number| (number * power).round() / power == *number)
    };
    let exact = (0..=MOST_DECIMALS).find(|&decimals| is_exact(decimals));
    let exact = exact.map(|decimals| 1.0 / 10f64.powi(decimals)).filter(|&scale| fits(scale));
    let (scale, round) = match exact {
        Some(scale) => (scale, false),
        None => {
            let smallest = ((greatest - least) / (modulus as f64)).max(f64::MIN_POSITIVE);
            let power = smallest.log10().floor() as i32;
            let scales = (power..power + 3).flat_map(|power| {
                [1.0, 2.0, 5.0].map(|digit| match power {
                    ..0 => digit / 10f64.powi(-power),
                    _ => digit * 10f64.powi(power),
                })
            });
            (scales.into_iter().find(|&scale| fits(scale)).unwrap_or(1.0), true)
        }
    };
    let offset = offset(scale).unwrap_or(0.0);
    let highest = (greatest - offset) / scale;
    // Ends are exact multiples, so that they are values of the column.
    let rounded = |steps: f64| {
        let inverse = (1.0 / scale).round();
        if scale < 1.0 { steps / inverse } else { steps * scale }
    };
    let offset = rounded((offset / scale).round());
    ColumnSchema {
        scale: Some(scale),
        offset: (offset != 0.0).then_some(Scalar::Number(offset)),
        maximum: Some(Scalar::Number(offset + rounded(highest.round()))),
        minimum: (offset != 0.0).then_some(Scalar::Number(offset)),
        round,
        ..column
    }
}

fn of_dates(column: ColumnSchema, dates: &[NaiveDate], modulus: u64) -> ColumnSchema {
    let (least, greatest) = ends(dates);
    let months = |date: NaiveDate| i64::from(date.year()) * 12 + i64::from(date.month0());
    let days = greatest.signed_duration_since(least).num_days();
    let (unit, offset, last) = if days < modulus as i64 {
        (None, least, greatest)
    } else if months(greatest) - months(least) < modulus as i64 {
        (
            Some(Unit::Month),
            least.with_day(1).unwrap_or(least),
            greatest.with_day(1).unwrap_or(greatest),
        )
    } else {
        let year = |date: NaiveDate| date.with_ordinal(1).unwrap_or(date);
        (Some(Unit::Year), year(least), year(greatest))
    };
    let scalar = |date: NaiveDate| Some(Scalar::Text(date.to_string()));
    ColumnSchema {
        unit,
        offset: scalar(offset),
        maximum: scalar(last),
        round: unit.is_some(),
        ..column
    }
}

fn of_date_times(column: ColumnSchema, times: &[NaiveDateTime], modulus: u64) -> ColumnSchema {
    let (least, greatest) = ends(times);
    let offset = least.date().and_time(chrono::NaiveTime::MIN);
    let seconds = greatest.signed_duration_since(offset).num_seconds();
    let is_multiple = |scale: i64| {
        let exact = |at: &NaiveDateTime| {
            at.nanosecond() == 0 && at.signed_duration_since(offset).num_seconds() % scale == 0
        };
        times.iter().all(exact)
    };
    let fits = |scale: &i64| seconds / scale < modulus as i64;
    let exact = TIME_SCALES.into_iter().rev().find(|scale| fits(scale) && is_multiple(*scale));
    let finest = TIME_SCALES.into_iter().find(fits);
    let scale = exact.or(finest).unwrap_or(seconds / (modulus as i64) + 1);
    let last = offset + chrono::TimeDelta::seconds(seconds / scale * scale);
    ColumnSchema {
        scale: Some(scale as f64),
        offset: Some(Scalar::Text(value::date_time_text(offset))),
        maximum: Some(Scalar::Text(value::date_time_text(last))),
        round: !is_multiple(scale),
        ..column
    }
}

fn of_times(column: ColumnSchema, times: &[u32], modulus: u64) -> ColumnSchema {
    let fits = |scale: &i64| 86_399 / scale < modulus as i64;
    let is_multiple = |scale: i64| times.iter().all(|&time| i64::from(time) % scale == 0);
    let exact = TIME_SCALES.into_iter().rev().find(|scale| fits(scale) && is_multiple(*scale));
    let scale = exact.or(TIME_SCALES.into_iter().find(fits)).unwrap_or(86_400);
    ColumnSchema { scale: Some(scale as f64), round: !is_multiple(scale), ..column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileFormat, FileKind};

    fn of(values: &[&str], modulus: u64) -> Result<ColumnSchema, String> {
        let text = format!(
            "c,other\n{}",
            values.iter().map(|value| format!("{value},1\n")).collect::<String>()
        );
        let data = FileFormat::from(FileKind::Csv).read(text.as_bytes()).unwrap();
        let (schema, left_out) = suggest(&data, modulus).unwrap();
        match left_out.into_iter().next() {
            Some(left_out) => Err(left_out.reason),
            None => {
                // The schema encrypts every value from which it was suggested.
                let column = schema.column("c").unwrap();
                for (row, value) in values.iter().enumerate() {
                    let value = Some(Value::Text(value)).filter(|_| !value.is_empty());
                    column.residue(value, row, modulus).unwrap();
                }
                Ok(column.literal().clone())
            }
        }
    }

    fn json(values: &[&str], modulus: u64) -> String {
        serde_json::to_string(&of(values, modulus).unwrap())
            .unwrap()
            .replace("\"column\":\"c\",", "")
    }

    #[test]
    fn types_and_ranges_are_found() {
        for (values, modulus, expected) in [
            (&["3", "250"][..], 256, r#"{"type":"integer","maximum":250}"#),
            (&["3", "-4"], 16, r#"{"type":"integer","minimum":-4,"maximum":3}"#),
            (&["3", "", "NA"], 16, r#"{"type":"integer","maximum":3,"nulls":"validity"}"#),
            (
                &["1950", "2010"],
                64,
                r#"{"type":"integer","minimum":1950,"maximum":2010,"offset":1950}"#,
            ),
            (&["0.5", "2.25"], 256, r#"{"type":"number","maximum":2.25,"scale":0.01}"#),
            (
                &["1000", "50000"],
                256,
                r#"{"type":"number","maximum":50000.0,"scale":200.0,"round":true}"#,
            ),
            (&["true", "false"], 16, r#"{"type":"boolean"}"#),
            (&["007", "12"], 16, r#"{"type":"words","words":["007","12"]}"#),
            (&["x", "y", "x"], 16, r#"{"type":"words","words":["x","y"]}"#),
            (
                &["2024-01-05", "2024-01-01"],
                16,
                r#"{"type":"date","maximum":"2024-01-05","offset":"2024-01-01"}"#,
            ),
            (
                &["2024-01-05", "2023-01-07"],
                16,
                r#"{"type":"date","maximum":"2024-01-01","offset":"2023-01-01","unit":"month","round":true}"#,
            ),
            (
                &["2024-01-01 07:00", "2024-01-01 09:00:00"],
                16,
                r#"{"type":"datetime","maximum":"2024-01-01 09:00:00","scale":3600.0,"offset":"2024-01-01 00:00:00"}"#,
            ),
            (&["09:30", "10:00"], 256, r#"{"type":"time","scale":900.0}"#),
        ] {
            assert_eq!(json(values, modulus), expected, "{values:?}");
        }
    }

    #[test]
    fn columns_without_a_representation_are_named() {
        let many: Vec<String> = (0..17).map(|word| format!("w{word}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(
            of(&many, 16).unwrap_err(),
            "it has 17 different words, but the key has only 16 values"
        );
        assert_eq!(of(&["", "NA"], 16).unwrap_err(), "it has no values");
    }

    #[test]
    fn numbers_of_every_size_fit() {
        for modulus in [4, 16, 100, 256, 65_536] {
            for scale in [1e-9, 1e-3, 0.7, 1.0, 123.0, 1e12] {
                for start in [-3.0, 0.0, 0.01, 50.0] {
                    let values: Vec<String> = (0..40)
                        .map(|i| ((start + f64::from(i * i) / 70.0) * scale).to_string())
                        .collect();
                    let values: Vec<&str> = values.iter().map(String::as_str).collect();
                    let column = of(&values, modulus)
                        .unwrap_or_else(|reason| panic!("{modulus} {scale} {start}: {reason}"));
                    assert!(matches!(column.kind, ColumnType::Number | ColumnType::Integer));
                }
            }
        }
    }
}
