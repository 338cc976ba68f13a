//! Gates of two bits, and functions of sums of bits.

use std::fmt;

use cryptable_lattice::Result;
use cryptable_lattice::error::out_of_range;

/// A gate of two bits that depends on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// Both bits.
    And,
    /// At least one bit.
    Or,
    /// Exactly one bit.
    Xor,
    /// Not both bits.
    Nand,
    /// No bit.
    Nor,
    /// Both or none.
    Xnor,
    /// The first bit and not the second.
    AndNot,
    /// The first bit, or not the second.
    OrNot,
    /// Not the first bit, and the second.
    NotAnd,
    /// Not the first bit, or the second.
    NotOr,
}

/// A gate as a polynomial `constant + of_x·x + of_y·y + of_product·x·y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GatePolynomial {
    pub constant: i64,
    pub of_x: i64,
    pub of_y: i64,
    pub of_product: i64,
}

impl Gate {
    /// All gates.
    pub const ALL: [Self; 10] = [
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Nand,
        Self::Nor,
        Self::Xnor,
        Self::AndNot,
        Self::OrNot,
        Self::NotAnd,
        Self::NotOr,
    ];

    /// The symmetric gates: functions of the sum of both bits.
    pub const SYMMETRIC: [Self; 6] =
        [Self::And, Self::Or, Self::Xor, Self::Nand, Self::Nor, Self::Xnor];

    /// Returns the gate as a symmetric gate, a function of the sum of bits, and which of its inputs are negated first.
    /// Negation is free.
    ///
    /// ```
    /// use cryptable_bits::Gate;
    /// assert_eq!(Gate::AndNot.symmetric_form(), (Gate::And, [false, true]));
    /// assert_eq!(Gate::Xor.symmetric_form(), (Gate::Xor, [false, false]));
    /// ```
    #[must_use]
    pub const fn symmetric_form(self) -> (Self, [bool; 2]) {
        match self {
            Self::AndNot => (Self::And, [false, true]),
            Self::OrNot => (Self::Or, [false, true]),
            Self::NotAnd => (Self::And, [true, false]),
            Self::NotOr => (Self::Or, [true, false]),
            symmetric => (symmetric, [false, false]),
        }
    }

    /// Returns the outputs of the gate's [`Gate::symmetric_form`] where the sum of the bits is 0, 1 and 2.
    ///
    /// ```
    /// use cryptable_bits::Gate;
    /// assert_eq!(Gate::Nand.outputs(), [true, true, false]);
    /// ```
    #[must_use]
    pub const fn outputs(self) -> [bool; 3] {
        match self {
            Self::And | Self::AndNot | Self::NotAnd => [false, false, true],
            Self::Or | Self::OrNot | Self::NotOr => [false, true, true],
            Self::Xor => [false, true, false],
            Self::Nand => [true, true, false],
            Self::Nor => [true, false, false],
            Self::Xnor => [true, false, true],
        }
    }

    /// Evaluates the gate on two bits.
    #[must_use]
    pub const fn evaluate(self, x: bool, y: bool) -> bool {
        let (_, [not_x, not_y]) = self.symmetric_form();
        self.outputs()[(x ^ not_x) as usize + (y ^ not_y) as usize]
    }

    /// The polynomial that equals the gate at bits.
    pub(crate) fn polynomial(self) -> GatePolynomial {
        let at = |x, y| i64::from(self.evaluate(x, y));
        let constant = at(false, false);
        let (of_x, of_y) = (at(true, false) - constant, at(false, true) - constant);
        let of_product = at(true, true) - constant - of_x - of_y;
        GatePolynomial { constant, of_x, of_y, of_product }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::And => "AND",
            Self::Or => "OR",
            Self::Xor => "XOR",
            Self::Nand => "NAND",
            Self::Nor => "NOR",
            Self::Xnor => "XNOR",
            Self::AndNot => "ANDNOT",
            Self::OrNot => "ORNOT",
            Self::NotAnd => "NOTAND",
            Self::NotOr => "NOTOR",
        })
    }
}

/// A function from the sum of k bits, a number from 0 to k, to a bit: majority, XOR, a threshold, a comparison.
///
/// ```
/// use cryptable_bits::SumGate;
/// let carry = SumGate::at_least(2, 3)?;
/// assert_eq!(carry.outputs(), [false, false, true, true]);
/// assert_eq!(carry, SumGate::new(&[false, false, true, true])?);
/// assert_eq!(SumGate::parity(3)?.outputs(), [false, true, false, true]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SumGate {
    outputs: Vec<bool>,
}

impl SumGate {
    /// Largest number of bits in a sum, and so the largest sum.
    pub const MAX_INPUTS: usize = 7;

    /// Makes a function from its outputs at 0, 1, …, k.
    ///
    /// # Errors
    /// If k is not from 1 to [`SumGate::MAX_INPUTS`], or all outputs are the same.
    pub fn new(outputs: &[bool]) -> Result<Self> {
        let inputs = outputs.len().saturating_sub(1);
        if !(1..=Self::MAX_INPUTS).contains(&inputs) {
            return Err(out_of_range("inputs of a gate", inputs as u64, "from 1 to 7"));
        }
        let ones = outputs.iter().filter(|output| **output).count();
        if ones == 0 || ones == outputs.len() {
            let limit = format!("from 1 to {inputs}: a constant needs no gate");
            return Err(out_of_range("outputs that are 1", ones as u64, limit));
        }
        Ok(Self { outputs: outputs.to_vec() })
    }

    /// Returns the XOR of k bits.
    ///
    /// # Errors
    /// If k is not from 1 to [`SumGate::MAX_INPUTS`].
    pub fn parity(inputs: usize) -> Result<Self> {
        Self::of(inputs, |sum| sum % 2 == 1)
    }

    /// Returns the test whether at least `threshold` of k bits are 1: OR for 1, AND for k, the majority for more than
    /// half of them.
    ///
    /// # Errors
    /// If k is not from 1 to [`SumGate::MAX_INPUTS`], or the threshold is not from 1 to k.
    pub fn at_least(threshold: usize, inputs: usize) -> Result<Self> {
        Self::of(inputs, |sum| sum >= threshold)
    }

    fn of(inputs: usize, output: impl Fn(usize) -> bool) -> Result<Self> {
        // One input more than allowed is enough for `new` to refuse.
        Self::new(&(0..=inputs.min(Self::MAX_INPUTS + 1)).map(output).collect::<Vec<bool>>())
    }

    /// The outputs at 0, 1, …, k.
    #[must_use]
    pub fn outputs(&self) -> &[bool] {
        &self.outputs
    }

    /// Returns the number k of bits.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.outputs.len() - 1
    }

    /// Returns whether the function is the XOR of its bits or the negated XOR.
    pub(crate) fn is_parity(&self) -> bool {
        self.outputs.windows(2).all(|pair| pair[0] != pair[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_have_the_outputs_of_their_gates() {
        let mut seen = Vec::new();
        for gate in Gate::ALL {
            let GatePolynomial { constant, of_x, of_y, of_product } = gate.polynomial();
            assert!(of_product != 0 && of_x.abs() <= 1 && of_y.abs() <= 1, "{gate}");
            let mut outputs = Vec::new();
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let value = constant + of_x * x + of_y * y + of_product * x * y;
                assert_eq!(value, i64::from(gate.evaluate(x == 1, y == 1)), "{gate} {x} {y}");
                outputs.push(value);
            }
            assert!(!seen.contains(&outputs), "{gate} comes twice");
            seen.push(outputs);
        }
    }
}
