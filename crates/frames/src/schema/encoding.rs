//! The steps that represent the values of a column.
//!
//! A value is represented by a *step*, an integer that counts from the offset: `(value - offset) / scale` for integers,
//! numbers, dates and times, the number of the bin, or the position of the word. The step is encrypted modulo the
//! modulus of the key; columns with negative steps are signed.

use chrono::NaiveTime;

use super::kind::{DAY_SECONDS, Kind, MAX_STEP, check_fields, date_after, multiple, number_of};
use super::literal::{ColumnSchema, ColumnType, Scalar};
use crate::error::{CellProblem, ColumnProblem};
use crate::value::{self, Value};

/// Returns the least modulus whose residues represent these integers; if one is negative, as signed values.
pub(crate) fn values_of(low: i128, high: i128) -> u64 {
    let needed = match low < 0 {
        // Residues modulo p represent -⌊p/2⌋ to ⌈p/2⌉ - 1.
        true => (high.saturating_mul(2).saturating_add(1)).max(low.saturating_mul(-2)),
        false => high.saturating_add(1),
    };
    needed.max(1).try_into().unwrap_or(u64::MAX)
}

/// Representation of the values of a column.
#[derive(Clone, Debug)]
pub struct Encoding {
    kind: Kind,
    /// Least step.
    low: i64,
    /// Greatest step, if the schema states one.
    high: Option<i64>,
    clip: bool,
    round: bool,
}

impl Encoding {
    /// Validates the fields of a column.
    pub(crate) fn new(literal: &ColumnSchema) -> Result<Self, ColumnProblem> {
        check_fields(literal)?;
        let kind = Kind::new(literal)?;
        let (clip, round) = (literal.clip, literal.round);
        let (low, high) = match &kind {
            Kind::Boolean => (0, Some(1)),
            Kind::Bins { labels, .. } => (0, Some(labels.len() as i64 - 1)),
            Kind::Words { words, .. } => (0, Some(words.len() as i64 - 1)),
            Kind::Time { seconds } => (0, Some((DAY_SECONDS - 1) / seconds)),
            _ => (0, None),
        };
        let mut encoding = Self { kind, low, high, clip, round };
        let bound = |field, scalar: &Option<Scalar>| {
            let Some(scalar) = scalar else { return Ok(None) };
            let found = encoding.nearest(scalar.value());
            let expected =
                "a value of the column's type, a multiple of its scale from its offset on";
            let wrong = || ColumnProblem::Field { field, found: scalar.value().quoted(), expected };
            match found {
                Ok((step, true)) if step.abs() <= MAX_STEP => Ok(Some(step)),
                _ => Err(wrong()),
            }
        };
        let (minimum, maximum) =
            (bound("minimum", &literal.minimum)?, bound("maximum", &literal.maximum)?);
        encoding.low = minimum.unwrap_or(encoding.low);
        encoding.high = maximum.or(encoding.high);
        match encoding.high {
            Some(high) if high < encoding.low => Err(ColumnProblem::Reversed),
            _ => Ok(encoding),
        }
    }

    /// Returns whether steps may be negative, so that values are encrypted as signed ones.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.low < 0
    }

    /// Returns the least modulus whose residues represent all values, at least 1.
    #[must_use]
    pub fn values_needed(&self) -> u64 {
        values_of(self.low.into(), self.high.unwrap_or(self.low.max(0)).into())
    }

    /// Returns the least modulus whose residues represent all values modulo `modulus`: fewer if the schema limits the
    /// values.
    pub(crate) fn values_within(&self, modulus: u64) -> u64 {
        let (low, high) = self.range(Some(modulus));
        values_of(low.into(), high.into())
    }

    /// Returns the least and the greatest step of values modulo `modulus`.
    pub(crate) fn range(&self, modulus: Option<u64>) -> (i64, i64) {
        let Some(modulus) = modulus else { return (self.low, self.high.unwrap_or(MAX_STEP)) };
        let least = if self.is_signed() { -((modulus / 2) as i64) } else { 0 };
        let greatest = least + (modulus - 1).min(MAX_STEP as u64) as i64;
        (self.low.max(least), self.high.map_or(greatest, |high| high.min(greatest)))
    }

    /// Returns the step that represents a value, within the range of the schema and of the modulus.
    pub(crate) fn step_within(
        &self,
        value: Value<'_>,
        modulus: Option<u64>,
    ) -> Result<i64, CellProblem> {
        let (step, is_exact) = self.nearest(value)?;
        let (low, high) = self.range(modulus);
        let clipped = step.clamp(low, high);
        if clipped != step && !self.clip {
            return Err(CellProblem::Outside { range: self.range_text(low, high) });
        }
        if !is_exact && clipped == step && !self.round {
            return Err(self.between());
        }
        Ok(clipped)
    }

    /// Formats the values from one step to another.
    fn range_text(&self, low: i64, high: i64) -> String {
        if let Kind::Bins { ends, .. } = &self.kind {
            return format!("{} to {}, without the latter", ends[0], ends[ends.len() - 1]);
        }
        let end = |step| self.value(step).map_or_else(|| step.to_string(), |end| end.to_string());
        format!("{} to {}", end(low), end(high))
    }

    /// Returns the error for a value between two steps.
    fn between(&self) -> CellProblem {
        let (step, offset, nearest) = match &self.kind {
            Kind::Number { offset, scale } => {
                (scale.to_string(), offset.to_string(), "the nearest one")
            }
            Kind::Date { offset, unit } => {
                let unit = ["a day", "a month", "a year"][*unit as usize];
                (unit.into(), offset.to_string(), "the one before")
            }
            Kind::DateTime { offset, seconds } => {
                (format!("{seconds} s"), value::date_time_text(*offset), "the one before")
            }
            Kind::Time { seconds } => (format!("{seconds} s"), "midnight".into(), "the one before"),
            _ => ("1".into(), "0".into(), "the nearest one"),
        };
        CellProblem::Between { step, offset, nearest }
    }

    /// Returns the residue of a step.
    pub(crate) fn residue(&self, step: i64, modulus: u64) -> u64 {
        i128::from(step).rem_euclid(modulus.into()) as u64
    }

    /// Returns the step of a residue.
    #[cfg(feature = "client")]
    pub(crate) fn step_of_residue(&self, residue: u64, modulus: u64) -> i64 {
        let is_negative = self.is_signed() && residue >= modulus.div_ceil(2);
        if is_negative {
            (i128::from(residue) - i128::from(modulus)) as i64
        } else {
            residue as i64
        }
    }

    /// Returns whether a value of a file stands for a missing one.
    pub(crate) fn is_missing(&self, value: Value<'_>) -> bool {
        match value {
            Value::Number(number) => number.is_nan(),
            Value::Text(text) => {
                !matches!(self.kind, Kind::Words { .. }) && value::is_missing(text)
            }
            _ => false,
        }
    }

    /// Returns the step that is nearest to a value, and whether it represents exactly this value.
    fn nearest(&self, value: Value<'_>) -> Result<(i64, bool), CellProblem> {
        match (&self.kind, value) {
            (Kind::Words { places, other, .. }, Value::Text(text)) => {
                let place = places.get(text).copied().or(*other);
                place.map(|place| (place, true)).ok_or(CellProblem::Unknown)
            }
            (Kind::Words { .. }, Value::Integer(integer)) => {
                self.nearest(Value::Text(&integer.to_string()))
            }
            (kind, Value::Text(text)) => {
                let parsed = kind.parse(text.trim()).ok_or(CellProblem::Type(kind.noun()))?;
                self.nearest(parsed)
            }
            (kind, value) => kind.nearest(value),
        }
    }

    /// Returns the value that a step represents; `None` if it represents none.
    pub(crate) fn value(&self, step: i64) -> Option<Value<'_>> {
        Some(match &self.kind {
            Kind::Integer { offset } => Value::Integer(i128::from(step) + i128::from(*offset)),
            Kind::Boolean => Value::Boolean(match step {
                0 => false,
                1 => true,
                _ => return None,
            }),
            Kind::Number { offset, scale } => Value::Number(multiple(step, *scale) + offset),
            Kind::Bins { labels, .. } => Value::Text(labels.get(usize::try_from(step).ok()?)?),
            Kind::Date { offset, unit } => Value::Date(date_after(*offset, *unit, step)?),
            Kind::DateTime { offset, seconds } => {
                let delta = chrono::TimeDelta::try_seconds(step.checked_mul(*seconds)?)?;
                Value::DateTime(offset.checked_add_signed(delta)?)
            }
            Kind::Time { seconds } => {
                let at = u32::try_from(step.checked_mul(*seconds)?).ok()?;
                Value::Time(NaiveTime::from_num_seconds_from_midnight_opt(at, 0)?)
            }
            Kind::Words { words, .. } => Value::Text(words.get(usize::try_from(step).ok()?)?),
        })
    }

    /// Returns the type of the column.
    #[must_use]
    pub fn kind(&self) -> ColumnType {
        match self.kind {
            Kind::Integer { .. } => ColumnType::Integer,
            Kind::Boolean => ColumnType::Boolean,
            Kind::Number { .. } | Kind::Bins { .. } => ColumnType::Number,
            Kind::Date { .. } => ColumnType::Date,
            Kind::DateTime { .. } => ColumnType::DateTime,
            Kind::Time { .. } => ColumnType::Time,
            Kind::Words { .. } => ColumnType::Words,
        }
    }

    /// Returns whether values are numbers that are represented by bins, and are decrypted to names of bins.
    #[must_use]
    pub fn has_bins(&self) -> bool {
        matches!(self.kind, Kind::Bins { .. })
    }

    /// Returns the least step whose value is at least, and the greatest whose value is at most, a value that a range in
    /// a mapping begins or ends with. For bins, the value must be an end of one: the bin that begins there, and the bin
    /// that ends there.
    pub(crate) fn steps_around(&self, value: Value<'_>) -> Result<(i64, i64), CellProblem> {
        if let Kind::Bins { ends, .. } = &self.kind {
            let number = match value {
                Value::Text(text) => value::number(text.trim()),
                Value::Number(number) => Some(number),
                _ => None,
            };
            let place = number.and_then(|number| ends.iter().position(|end| *end == number));
            let place = place.ok_or(CellProblem::Type("an end of a bin"))? as i64;
            return Ok((place, place - 1));
        }
        let (step, is_exact) = self.nearest(value)?;
        let is_below = match (self.value(step), self.parsed(value)) {
            (Some(Value::Number(found)), Some(wanted)) => number_of(wanted) > Some(found),
            // Dates and times are rounded down.
            _ => !is_exact,
        };
        Ok(match (is_exact, is_below) {
            (true, _) => (step, step),
            (false, true) => (step + 1, step),
            (false, false) => (step, step - 1),
        })
    }

    /// Returns the step of the single value that a line of a mapping states; for bins, given by name.
    pub(crate) fn step_of_name(&self, text: &str) -> Result<i64, CellProblem> {
        if let Kind::Bins { labels, .. } = &self.kind {
            let place = labels.iter().position(|label| label == text.trim());
            let place =
                place.ok_or(CellProblem::Type("the name of a bin, such as \"0 to 100\""))?;
            return Ok(place as i64);
        }
        match self.nearest(Value::Text(text))? {
            (step, true) => Ok(step),
            (_, false) => Err(self.between()),
        }
    }

    fn parsed<'a>(&self, value: Value<'a>) -> Option<Value<'a>> {
        match value {
            Value::Text(text) => self.kind.parse(text.trim()),
            other => Some(other),
        }
    }
}
