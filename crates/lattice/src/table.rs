//! Tables.

use std::fmt;
use std::ops::Index;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Outputs that `Debug` shows.
const SHOWN_OUTPUTS: usize = 8;

/// Most inputs of a table from a function: far more than any engine looks up, and a list that a machine may hold.
const MAX_INPUTS: u64 = 1 << 32;

/// A table f of integers: an output from 0 to P - 1 for each input from 0 to p - 1. What lookups map encrypted values through.
///
/// ```
/// use cryptable_lattice::Table;
/// let square = Table::from_fn(16, 256, |x| x * x)?;
/// assert_eq!(square.values()[15], 225);
/// assert_eq!((square[3], square.len()), (9, 16));
/// assert!(Table::new(4, 4, vec![0, 1, 2, 4]).is_err());
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Table {
    input_modulus: u64,
    output_modulus: u64,
    values: Vec<u64>,
}

/// A table as read, before it is checked.
#[derive(Deserialize)]
struct Unchecked {
    input_modulus: u64,
    output_modulus: u64,
    values: Vec<u64>,
}

impl TryFrom<Unchecked> for Table {
    type Error = Error;

    fn try_from(table: Unchecked) -> Result<Self> {
        Self::new(table.input_modulus, table.output_modulus, table.values)
    }
}

/// f(x).
///
/// # Panics
/// If x is not below p.
impl Index<usize> for Table {
    type Output = u64;

    fn index(&self, x: usize) -> &u64 {
        &self.values[x]
    }
}

/// The moduli, and the first outputs.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.values[..self.values.len().min(SHOWN_OUTPUTS)];
        let rest = if shown.len() < self.values.len() { ", …" } else { "" };
        write!(f, "Table({} -> {}: {shown:?}{rest})", self.input_modulus, self.output_modulus)
    }
}

impl Table {
    /// A table from its list of outputs, `values[x] = f(x)`: p is `input_modulus`, P is `output_modulus`.
    ///
    /// # Errors
    /// If a modulus is below 2, the number of values is not `input_modulus`, or a value is not below
    /// `output_modulus`.
    pub fn new(input_modulus: u64, output_modulus: u64, values: Vec<u64>) -> Result<Self> {
        for (name, value) in [("input modulus", input_modulus), ("output modulus", output_modulus)]
        {
            if value < 2 {
                return Err(Error::TooSmall { name, value, limit: 2 });
            }
        }
        if values.len() as u64 != input_modulus {
            return Err(Error::TableLength { found: values.len(), expected: input_modulus });
        }
        if let Some(index) = values.iter().position(|&v| v >= output_modulus) {
            return Err(Error::TableEntry { index, value: values[index], limit: output_modulus });
        }
        Ok(Self { input_modulus, output_modulus, values })
    }

    /// A table from a function, which is called once for each input 0, 1, …, `input_modulus - 1`.
    ///
    /// # Errors
    /// As [`Table::new`]; [`Error::TooLarge`] if there are more than 2^32 inputs.
    pub fn from_fn(
        input_modulus: u64,
        output_modulus: u64,
        f: impl FnMut(u64) -> u64,
    ) -> Result<Self> {
        if input_modulus > MAX_INPUTS {
            let (name, value) = ("input modulus", input_modulus);
            return Err(Error::TooLarge { name, value, limit: MAX_INPUTS });
        }
        Self::new(input_modulus, output_modulus, (0..input_modulus).map(f).collect())
    }

    /// Two tables of half as many bits of output, low and high: `f(x) = low(x) + r·high(x)`, both modulo r,
    /// the least power of two with `r² >= P`. They need half the precision of the whole table, and
    /// looking up both at once evaluates both on the same selectors.
    ///
    /// ```
    /// use cryptable_lattice::Table;
    /// let [low, high] = Table::from_fn(16, 256, |x| 17 * x)?.halves()?;
    /// assert_eq!((low.output_modulus(), high.output_modulus()), (16, 16));
    /// assert_eq!(low.values()[3] + 16 * high.values()[3], 51);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never for a valid table.
    pub fn halves(&self) -> Result<[Self; 2]> {
        let bits = u64::BITS - (self.output_modulus - 1).leading_zeros();
        let radix = 1 << bits.div_ceil(2);
        let half = |part: fn(u64, u64) -> u64| {
            let values = self.values.iter().map(|&value| part(value, radix)).collect();
            Self::new(self.input_modulus, radix, values)
        };
        Ok([half(|value, radix| value % radix)?, half(|value, radix| value / radix)?])
    }

    /// The number of outputs, p. Never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no table is empty")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Input modulus p: inputs are 0 to p - 1.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Output modulus P: outputs are 0 to P - 1.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// f(0), f(1), …
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// f(input); inputs count modulo p.
    #[must_use]
    pub fn output(&self, input: u64) -> u64 {
        self.values[(input % self.input_modulus) as usize]
    }

    /// Checks that it has these moduli.
    ///
    /// # Errors
    /// If one differs: names it.
    pub fn check_moduli(&self, input_modulus: u64, output_modulus: u64) -> Result<()> {
        for (name, found, expected) in [
            ("table's input modulus", self.input_modulus, input_modulus),
            ("table's output modulus", self.output_modulus, output_modulus),
        ] {
            if found != expected {
                let (found, expected) = (found.to_string(), expected.to_string());
                return Err(Error::Mismatch { name, found, expected });
            }
        }
        Ok(())
    }

    /// f(x), of which the representative in `[-P/2, P/2)`: outputs count modulo P, and the smaller
    /// ones amplify less noise.
    #[must_use]
    pub fn centered_value(&self, x: usize) -> i64 {
        let (value, modulus) = (self.values[x], self.output_modulus);
        // Of any modulus the difference is at most 2^63 in size.
        (if value >= modulus.div_ceil(2) { value.wrapping_sub(modulus) } else { value }) as i64
    }

    /// All of [`Table::centered_value`].
    #[must_use]
    pub fn centered(&self) -> Vec<i64> {
        (0..self.values.len()).map(|x| self.centered_value(x)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_may_be_as_large_as_words() {
        let error = Table::from_fn(u64::MAX, 2, |_| 0).unwrap_err();
        assert!(matches!(error, Error::TooLarge { name: "input modulus", .. }), "{error}");
        let table = Table::new(3, u64::MAX, vec![i64::MAX as u64, 1 << 63, u64::MAX - 1]).unwrap();
        assert_eq!(table.centered(), [i64::MAX, -i64::MAX, -1]);
        let [low, high] = table.halves().unwrap();
        assert_eq!((low[1], high[1]), (0, 1 << 31));
    }

    #[test]
    fn tables_are_checked_when_read() {
        let table = Table::from_fn(20, 3, |x| x % 3).unwrap();
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(serde_json::from_str::<Table>(&text).unwrap(), table);
        assert_eq!(format!("{table:?}"), "Table(20 -> 3: [0, 1, 2, 0, 1, 2, 0, 1], …)");
        let wrong = text.replace("\"output_modulus\":3", "\"output_modulus\":2");
        let error = serde_json::from_str::<Table>(&wrong).unwrap_err().to_string();
        assert!(error.contains("output 2 at input 2"), "{error}");
    }
}
