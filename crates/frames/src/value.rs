//! Values in readable form.

use std::fmt;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

/// Fields of text that mean a missing value in columns of anything but words, in lower case.
const MISSING: [&str; 13] = [
    "", "na", "null", "nan", "none", "nil", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "-nan", "nat",
];

/// Text formats of dates with a time of day.
const DATE_TIMES: [&str; 4] =
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];

/// A value of a column before it is encoded, or after it was decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// An integer.
    Integer(i128),
    /// A floating-point or decimal number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// A date.
    Date(NaiveDate),
    /// A date with a time of day, in UTC if the column has a time zone.
    DateTime(NaiveDateTime),
    /// A time of day.
    Time(NaiveTime),
    /// A word, or anything else as text.
    Text(&'a str),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Date(date) => write!(f, "{date}"),
            Self::DateTime(at) => f.write_str(&date_time_text(*at)),
            Self::Time(time) => f.write_str(&time_text(*time)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Value<'_> {
    /// Formats the value for a message: text in quotes, shortened to a readable length.
    pub(crate) fn quoted(self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            other => other.to_string(),
        }
    }
}

/// Formats a date with a time of day: `2026-11-28 09:30:00`.
pub(crate) fn date_time_text(at: NaiveDateTime) -> String {
    at.format("%Y-%m-%d %H:%M:%S%.f").to_string()
}

/// Formats a time of day: `09:30:00`.
pub(crate) fn time_text(time: NaiveTime) -> String {
    time.format("%H:%M:%S%.f").to_string()
}

/// Returns whether a field of text means a missing value, in columns of anything but words.
pub(crate) fn is_missing(field: &str) -> bool {
    MISSING.iter().any(|missing| field.trim().eq_ignore_ascii_case(missing))
}

/// Formats a field for a message, shortened to a readable length.
pub(crate) fn quoted(field: &str) -> String {
    if field.is_empty() {
        return "an empty field".into();
    }
    let short: String = field.chars().take(40).collect();
    let dots = if short.len() < field.len() { "…" } else { "" };
    format!("\"{short}{dots}\"")
}

/// Parses an integer: digits with an optional sign, or a decimal with only zeros after the point (`36.0`).
pub(crate) fn integer(text: &str) -> Option<i128> {
    let (whole, zeros) = text.split_once('.').unwrap_or((text, ""));
    let is_whole = zeros.bytes().all(|digit| digit == b'0');
    whole.parse().ok().filter(|_| is_whole)
}

/// Parses a finite number.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses a truth value: `true`, `false`, `1` or `0`.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Parses a date, `2026-11-28`.
pub(crate) fn date(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()
}

/// Parses a date with a time of day, `2026-11-28 09:30:00`, optionally with a `T` between them and a time zone, from
/// which it is converted to UTC.
pub(crate) fn date_time(text: &str) -> Option<NaiveDateTime> {
    if let Ok(zoned) = chrono::DateTime::parse_from_rfc3339(text) {
        return Some(zoned.naive_utc());
    }
    DATE_TIMES.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
}

/// Parses a time of day, `09:30` or `09:30:00`.
pub(crate) fn time(text: &str) -> Option<NaiveTime> {
    ["%H:%M:%S%.f", "%H:%M"].iter().find_map(|form| NaiveTime::parse_from_str(text, form).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_parsed_as_one_kind_of_value_or_not_at_all() {
        assert_eq!(["7", "-7.00", "7.5", "1e3"].map(integer), [Some(7), Some(-7), None, None]);
        assert_eq!(["0.5", "1e3", "inf", "x"].map(number), [Some(0.5), Some(1e3), None, None]);
        assert_eq!(["True", "0", "yes"].map(boolean), [Some(true), Some(false), None]);
        assert_eq!(date("2024-02-29").unwrap().to_string(), "2024-02-29");
        assert_eq!(date("2023-02-29"), None);
        for text in ["2024-02-29T09:30:00Z", "2024-02-29 09:30", "2024-02-29T10:30:00+01:00"] {
            assert_eq!(date_time_text(date_time(text).unwrap()), "2024-02-29 09:30:00");
        }
        assert_eq!(time("09:30").map(time_text).as_deref(), Some("09:30:00"));
        assert_eq!(["25:00", "9"].map(time), [None, None]);
    }

    #[test]
    fn missing_values_are_those_that_programs_write() {
        assert!(["", "NA", "NaN", "None", " null "].iter().all(|field| is_missing(field)));
        assert!(!["0", "x", "-"].iter().any(|field| is_missing(field)));
        assert_eq!(quoted(""), "an empty field");
        assert_eq!(quoted(&"9".repeat(100)).chars().count(), 43);
    }
}
