//! Truth tables of up to eight bits.

use cryptable_lattice::Result;
use cryptable_lattice::error::out_of_range;

/// A function from k bits to one bit, k from 1 to [`BitTable::MAX_INPUTS`].
///
/// ```
/// use cryptable_bits::BitTable;
/// let majority = BitTable::from_fn(3, |x| x.count_ones() >= 2)?;
/// assert!(majority.evaluate(0b011) && !majority.evaluate(0b100));
/// assert_eq!((majority.inputs(), majority.levels()), (3, 2));
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitTable {
    inputs: usize,
    /// The output at x is bit `x mod 64` of word `x/64`.
    outputs: [u64; 4],
}

impl BitTable {
    /// Largest number of inputs of a table.
    pub const MAX_INPUTS: usize = 8;

    /// Makes a table from its outputs at 0, 1, …, 2^k - 1, where input i is bit i of the argument.
    ///
    /// # Errors
    /// If the number of outputs is not 2^k for a k from 1 to [`BitTable::MAX_INPUTS`].
    pub fn new(outputs: &[bool]) -> Result<Self> {
        let count = outputs.len();
        if !count.is_power_of_two() || !(2..=1 << Self::MAX_INPUTS).contains(&count) {
            let limit = "a power of two from 2 to 256";
            return Err(out_of_range("outputs of a table of bits", count as u64, limit));
        }
        let mut words = [0; 4];
        for (x, _) in outputs.iter().enumerate().filter(|(_, output)| **output) {
            words[x / 64] |= 1 << (x % 64);
        }
        Ok(Self { inputs: count.ilog2() as usize, outputs: words })
    }

    /// Makes a table from a function of arguments from 0 to 2^k - 1, where input i is bit i of the argument.
    ///
    /// # Errors
    /// If k is not from 1 to [`BitTable::MAX_INPUTS`].
    pub fn from_fn(inputs: usize, output: impl Fn(usize) -> bool) -> Result<Self> {
        if !(1..=Self::MAX_INPUTS).contains(&inputs) {
            return Err(out_of_range("inputs of a table of bits", inputs as u64, "from 1 to 8"));
        }
        Self::new(&(0..1 << inputs).map(output).collect::<Vec<bool>>())
    }

    /// Returns the number k of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Levels that an evaluation consumes: ⌈log2 k⌉.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.inputs.next_power_of_two().ilog2() as usize
    }

    /// Returns the output at x.
    ///
    /// # Panics
    /// If x has more than k bits.
    #[must_use]
    pub fn evaluate(&self, x: usize) -> bool {
        assert!(x >> self.inputs == 0, "{x} has more than {} bits", self.inputs);
        self.outputs[x / 64] >> (x % 64) & 1 == 1
    }

    /// All outputs, in order.
    pub fn outputs(&self) -> impl Iterator<Item = bool> + '_ {
        (0..1 << self.inputs).map(|x| self.evaluate(x))
    }

    /// The derivative of the table's multilinear extension by an input, at x: -1, 0 or 1. This is `F(x with input i
    /// inverted) - F(x)`, negated where input i is 1.
    pub(crate) fn derivative(&self, x: usize, input: usize) -> i32 {
        let at = |x| i32::from(self.evaluate(x));
        at(x | 1 << input) - at(x & !(1 << input))
    }

    /// Returns whether the table depends on an input.
    pub(crate) fn depends_on(&self, input: usize) -> bool {
        (0..1 << self.inputs).any(|x| self.derivative(x, input) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_other_sizes_are_refused() {
        for count in [0, 1, 3, 12, 512] {
            assert!(BitTable::new(&vec![true; count]).is_err(), "{count}");
        }
        assert!(BitTable::from_fn(0, |_| true).is_err() && BitTable::from_fn(9, |_| true).is_err());
    }

    #[test]
    fn outputs_and_derivatives() {
        let outputs: Vec<bool> = (0..256usize).map(|x| (x * x + x / 7) % 3 == 1).collect();
        let table = BitTable::new(&outputs).unwrap();
        assert!(table.outputs().eq(outputs.iter().copied()));
        let parity = BitTable::from_fn(2, |x| x.count_ones() % 2 == 1).unwrap();
        assert_eq!([0, 1, 2, 3].map(|x| parity.derivative(x, 0)), [1, 1, -1, -1]);
        let first = BitTable::from_fn(3, |x| x & 1 == 1).unwrap();
        assert!(first.depends_on(0) && !first.depends_on(1) && !first.depends_on(2));
    }
}
