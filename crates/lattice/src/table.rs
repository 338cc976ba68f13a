//! Tables of integers, which lookups evaluate.

use std::fmt;
use std::ops::Index;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, check_equal, check_within};

/// Number of outputs that `Debug` shows.
const SHOWN_OUTPUTS: usize = 8;

/// The most inputs of a table from a function: far more than any engine looks up, and a list that a machine may hold.
const MAX_INPUTS: u64 = 1 << 32;

/// A table f of integers, which lookups apply to encrypted values: an output from 0 to P - 1 for each input from 0 to p
/// - 1.
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
    #[serde(default, skip_serializing_if = "is_false")]
    signed_inputs: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    signed_outputs: bool,
}

/// A table as read, before it is checked.
#[derive(Deserialize)]
struct Unchecked {
    input_modulus: u64,
    output_modulus: u64,
    values: Vec<u64>,
    #[serde(default)]
    signed_inputs: bool,
    #[serde(default)]
    signed_outputs: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(it: &bool) -> bool {
    !it
}

impl TryFrom<Unchecked> for Table {
    type Error = Error;

    fn try_from(table: Unchecked) -> Result<Self> {
        let found = Self::new(table.input_modulus, table.output_modulus, table.values)?;
        Ok(found.with_signs(table.signed_inputs, table.signed_outputs))
    }
}

/// Returns f(x).
///
/// # Panics
/// If x is not below p.
impl Index<usize> for Table {
    type Output = u64;

    fn index(&self, x: usize) -> &u64 {
        &self.values[x]
    }
}

/// Shows the moduli, and the first outputs.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.values[..self.values.len().min(SHOWN_OUTPUTS)];
        let rest = if shown.len() < self.values.len() { ", …" } else { "" };
        write!(f, "Table({} -> {}: {shown:?}{rest})", self.input_modulus, self.output_modulus)
    }
}

impl Table {
    /// Returns the table with a list of outputs, `values[x] = f(x)`: p is `input_modulus`, P is `output_modulus`.
    ///
    /// # Errors
    /// If a modulus is below 2, the number of values is not `input_modulus`, or a value is not below
    /// `output_modulus`.
    pub fn new(input_modulus: u64, output_modulus: u64, values: Vec<u64>) -> Result<Self> {
        check_within("input modulus", input_modulus, 2..)?;
        check_within("output modulus", output_modulus, 2..)?;
        if values.len() as u64 != input_modulus {
            return Err(Error::TableLength { found: values.len(), expected: input_modulus });
        }
        if let Some(index) = values.iter().position(|&v| v >= output_modulus) {
            return Err(Error::TableEntry { index, value: values[index], limit: output_modulus });
        }
        let (signed_inputs, signed_outputs) = (false, false);
        Ok(Self { input_modulus, output_modulus, values, signed_inputs, signed_outputs })
    }

    /// Returns the table of a function, which is called once for each input 0, 1, …, `input_modulus - 1`.
    ///
    /// # Errors
    /// The errors of [`Table::new`]; [`Error::TooLarge`] if there are more than 2^32 inputs.
    pub fn from_fn(
        input_modulus: u64,
        output_modulus: u64,
        f: impl FnMut(u64) -> u64,
    ) -> Result<Self> {
        check_within("input modulus", input_modulus, ..=MAX_INPUTS)?;
        Self::new(input_modulus, output_modulus, (0..input_modulus).map(f).collect())
    }

    /// Returns the table of a function of signed integers, which is called once for each input from `-p/2` to
    /// `p/2 - 1`. Inputs and outputs of the table are signed ([`Table::with_signs`]).
    ///
    /// ```
    /// use cryptable_lattice::Table;
    /// let halves = Table::from_signed_fn(8, 4, |x| x / 2)?;
    /// assert_eq!(halves.values(), [0, 0, 1, 1, 2, 3, 3, 0]);
    /// assert!(halves.signed_inputs() && halves.signed_outputs());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Table::from_fn`]: an output must be from `-P/2` to `P/2 - 1`. As in [`Table::centered_value`],
    /// odd moduli have as many negative integers as positive ones.
    pub fn from_signed_fn(
        input_modulus: u64,
        output_modulus: u64,
        mut f: impl FnMut(i64) -> i64,
    ) -> Result<Self> {
        let of_residue = |x: u64| {
            let is_negative = x >= input_modulus.div_ceil(2);
            let y = f(if is_negative { x.wrapping_sub(input_modulus) } else { x }.cast_signed());
            match y {
                0.. if y.cast_unsigned() < output_modulus.div_ceil(2) => y.cast_unsigned(),
                ..0 if y.unsigned_abs() <= output_modulus / 2 => output_modulus - y.unsigned_abs(),
                // A value outside of any table, so that the error names it.
                _ => y.unsigned_abs().max(output_modulus),
            }
        };
        Ok(Self::from_fn(input_modulus, output_modulus, of_residue)?.with_signs(true, true))
    }

    /// Returns the same table with inputs and outputs that are signed or not. As signed integers, residues from half
    /// the modulus on stand for negative ones.
    #[must_use]
    pub fn with_signs(self, inputs: bool, outputs: bool) -> Self {
        Self { signed_inputs: inputs, signed_outputs: outputs, ..self }
    }

    /// Returns whether inputs are signed values.
    #[must_use]
    pub fn signed_inputs(&self) -> bool {
        self.signed_inputs
    }

    /// Returns whether results are signed values.
    #[must_use]
    pub fn signed_outputs(&self) -> bool {
        self.signed_outputs
    }

    /// Returns two tables with half as many output bits, low and high: `f(x) = low(x) + r·high(x)`, both modulo r, the
    /// least power of two with `r² >= P`. They need half the precision of the whole table, and looking up both at once
    /// evaluates both on the same selectors.
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
            let table = Self::new(self.input_modulus, radix, values);
            table.map(|table| table.with_signs(self.signed_inputs, false))
        };
        Ok([half(|value, radix| value % radix)?, half(|value, radix| value / radix)?])
    }

    /// Returns the number of outputs, p. Never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no table is empty")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the input modulus p: inputs are 0 to p - 1.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Returns the output modulus P: outputs are 0 to P - 1.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// Returns f(0), f(1), …
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Returns f(input); inputs count modulo p.
    #[must_use]
    pub fn output(&self, input: u64) -> u64 {
        self.values[(input % self.input_modulus) as usize]
    }

    /// Checks that the table has these moduli.
    ///
    /// # Errors
    /// If one of them differs: the error names it.
    pub fn check_moduli(&self, input_modulus: u64, output_modulus: u64) -> Result<()> {
        check_equal("table's input modulus", self.input_modulus, input_modulus)?;
        check_equal("table's output modulus", self.output_modulus, output_modulus)
    }

    /// Returns the representative of f(x) in `[-P/2, P/2)`: outputs count modulo P, and smaller ones amplify less
    /// noise.
    #[must_use]
    pub fn centered_value(&self, x: usize) -> i64 {
        let (value, modulus) = (self.values[x], self.output_modulus);
        // For any modulus the difference is at most 2^63 in absolute value.
        (if value >= modulus.div_ceil(2) { value.wrapping_sub(modulus) } else { value }) as i64
    }

    /// Returns [`Table::centered_value`] for all inputs.
    #[must_use]
    pub fn centered(&self) -> Vec<i64> {
        (0..self.values.len()).map(|x| self.centered_value(x)).collect()
    }

    /// Returns the largest difference of two outputs, each as its [`Table::centered_value`].
    #[must_use]
    pub fn output_range(&self) -> u64 {
        let outputs = self.centered();
        let ends = outputs.iter().min().zip(outputs.iter().max());
        ends.map_or(0, |(least, most)| least.abs_diff(*most))
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
    fn signed_tables_name_what_does_not_fit() {
        let table = Table::from_signed_fn(5, 6, |x| x).unwrap();
        assert_eq!(table.values(), [0, 1, 2, 4, 5]);
        for (outputs, refused) in [(4, 2), (2, 1)] {
            let error = Table::from_signed_fn(5, outputs, |x| x.max(0)).unwrap_err();
            assert!(
                matches!(error, Error::TableEntry { index, .. } if index == refused),
                "{error}"
            );
        }
        let error = Table::from_signed_fn(4, 4, |x| x - 1).unwrap_err();
        assert!(matches!(error, Error::TableEntry { index: 2, .. }), "{error}");
    }

    #[test]
    fn tables_are_checked_when_read() {
        let table = Table::from_fn(20, 3, |x| x % 3).unwrap();
        let signed = table.clone().with_signs(true, false);
        for table in [&table, &signed] {
            let text = serde_json::to_string(table).unwrap();
            assert_eq!(serde_json::from_str::<Table>(&text).unwrap(), *table);
        }
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(format!("{table:?}"), "Table(20 -> 3: [0, 1, 2, 0, 1, 2, 0, 1], …)");
        let wrong = text.replace("\"output_modulus\":3", "\"output_modulus\":2");
        let error = serde_json::from_str::<Table>(&wrong).unwrap_err().to_string();
        assert!(error.contains("output 2 at input 2"), "{error}");
    }
}
