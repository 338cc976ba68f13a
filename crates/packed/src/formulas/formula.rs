//! The formula type of the public API.

use std::ops::Range;

use cryptable_lattice::error::{Error, Result, check_within};
use serde::{Deserialize, Serialize};

/// Maximum number of nested choices: deeper trees would need more levels than the chain of primes has.
const MAX_CHOICES_IN_A_ROW: usize = 8;

/// A function of the values of several columns in the same row, whose result is an integer.
///
/// In JSON, formulas look like `{"choice": {"column": 0, "within": [[18, 65]], "then": {"constant": 3}, "otherwise":
/// {"table": {"column": 1, "outputs": [0, 1, 1, 2]}}}}`.
///
/// ```
/// use cryptable_packed::Formula;
/// // One leaf of three: x below 4, else y below 2 or not.
/// let leaf = |value| Box::new(Formula::Constant(value));
/// let right = Formula::Choice { column: 1, within: vec![[0, 2]], then: leaf(20), otherwise: leaf(30) };
/// let tree = Formula::Choice { column: 0, within: vec![[0, 4]], then: leaf(10), otherwise: Box::new(right) };
/// assert_eq!(tree.value(&[3, 0]), 10);
/// assert_eq!(tree.value(&[4, 0]), 20);
/// assert_eq!(tree.value(&[4, 2]), 30);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Formula {
    /// The same integer in every row.
    Constant(i64),
    /// The value of a column, by its number from 0 on.
    Column(usize),
    /// An integer for each value of a column.
    Table {
        /// Number of the column, from 0 on.
        column: usize,
        /// Output of each value that the column may have, from 0 on.
        outputs: Vec<i64>,
    },
    /// One formula where a column's value is in any of the given ranges, and another one elsewhere.
    Choice {
        /// Number of the column, from 0 on.
        column: usize,
        /// Ranges, each given by its first value and the first value after it.
        within: Vec<[u64; 2]>,
        /// Formula for values in a range.
        then: Box<Self>,
        /// Formula for all other values.
        otherwise: Box<Self>,
    },
    /// The sum of formulas.
    Sum(Vec<Self>),
}

impl Formula {
    /// Returns the result for a row with these values.
    ///
    /// # Panics
    /// If there are fewer values than columns, or a value is beyond a table.
    #[must_use]
    pub fn value(&self, row: &[u64]) -> i64 {
        match self {
            Self::Constant(value) => *value,
            Self::Column(column) => row[*column] as i64,
            Self::Table { column, outputs } => outputs[row[*column] as usize],
            Self::Choice { column, within, then, otherwise } => {
                if is_within(within, row[*column]) {
                    then.value(row)
                } else {
                    otherwise.value(row)
                }
            }
            Self::Sum(terms) => terms.iter().map(|term| term.value(row)).sum(),
        }
    }

    /// Returns the number of columns that the formula may read: one more than the largest column number in it.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::Column(column) | Self::Table { column, .. } => column + 1,
            Self::Choice { column, then, otherwise, .. } => {
                (column + 1).max(then.columns()).max(otherwise.columns())
            }
            Self::Sum(terms) => terms.iter().map(Self::columns).max().unwrap_or(0),
        }
    }

    /// Checks that tables have an output for each value below the modulus of columns, that ranges are in order, and
    /// that no more than eight choices are nested.
    ///
    /// # Errors
    /// If a table, a range or the number of nested choices is not valid.
    pub(crate) fn check(&self, modulus: u64) -> Result<()> {
        self.check_within(modulus, 0)
    }

    fn check_within(&self, modulus: u64, choices: usize) -> Result<()> {
        match self {
            Self::Constant(_) | Self::Column(_) => Ok(()),
            Self::Table { outputs, .. } => check_table(outputs, modulus),
            Self::Choice { within, then, otherwise, .. } => {
                let (value, limit) = (choices as u64 + 1, MAX_CHOICES_IN_A_ROW as u64);
                check_within("number of nested choices", value, ..=limit)?;
                for &[from, below] in within {
                    check_within("first value of a range", from, ..=below)?;
                }
                then.check_within(modulus, choices + 1)?;
                otherwise.check_within(modulus, choices + 1)
            }
            Self::Sum(terms) => terms.iter().try_for_each(|it| it.check_within(modulus, choices)),
        }
    }
}

/// Checks that a table has an output for each value below the modulus.
pub(crate) fn check_table(outputs: &[i64], modulus: u64) -> Result<()> {
    let found = outputs.len();
    if found as u64 == modulus {
        Ok(())
    } else {
        Err(Error::TableLength { found, expected: modulus })
    }
}

/// Returns whether a value is in any of the ranges.
pub(crate) fn is_within(within: &[[u64; 2]], value: u64) -> bool {
    within.iter().any(|&[from, below]| Range { start: from, end: below }.contains(&value))
}
