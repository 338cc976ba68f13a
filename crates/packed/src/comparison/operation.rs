//! The named operations on packed integers: their operands, costs and failure probabilities.

use std::fmt;
use std::str::FromStr;

use cryptable_lattice::FailureProbability;
use cryptable_lattice::cost::Prediction;
use cryptable_lattice::error::{Error, Result};

use crate::parameters::parameter_set::Parameters;

/// An operation on packed integers.
///
/// ```
/// use cryptable_packed::{Operation, Parameters};
/// assert_eq!("less-than".parse::<Operation>()?, Operation::LessThan);
/// let parameters = Parameters::insecure_toy_comparisons(8)?;
/// let digits = parameters.literal().digits.len();
/// assert_eq!(parameters.bootstraps(Operation::LessThan), digits);
/// assert_eq!(parameters.bootstraps(Operation::Maximum), 3 * digits);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Whether x is negative: [`crate::EvaluationKey::is_negative`].
    Sign,
    /// The digits of x: [`crate::EvaluationKey::digit_list`].
    Digits,
    /// Whether x < y: [`crate::EvaluationKey::less_than`].
    LessThan,
    /// Whether x ≥ y: [`crate::EvaluationKey::greater_or_equal`].
    GreaterOrEqual,
    /// Whether x = y: [`crate::EvaluationKey::equal`].
    Equal,
    /// The larger of x and y: [`crate::EvaluationKey::maximum`].
    Maximum,
    /// The smaller of x and y: [`crate::EvaluationKey::minimum`].
    Minimum,
    /// x if it is positive, else 0: [`crate::EvaluationKey::relu`].
    Relu,
    /// |x|: [`crate::EvaluationKey::absolute_value`].
    AbsoluteValue,
    /// x if it is within two bounds, else the nearest bound: [`crate::EvaluationKey::clamp`].
    Clamp,
}

impl Operation {
    /// All operations.
    pub const ALL: [Self; 10] = [
        Self::Sign,
        Self::Digits,
        Self::LessThan,
        Self::GreaterOrEqual,
        Self::Equal,
        Self::Maximum,
        Self::Minimum,
        Self::Relu,
        Self::AbsoluteValue,
        Self::Clamp,
    ];

    /// The operation's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sign => "sign",
            Self::Digits => "digits",
            Self::LessThan => "less-than",
            Self::GreaterOrEqual => "greater-or-equal",
            Self::Equal => "equal",
            Self::Maximum => "maximum",
            Self::Minimum => "minimum",
            Self::Relu => "relu",
            Self::AbsoluteValue => "absolute-value",
            Self::Clamp => "clamp",
        }
    }

    /// The number of operands.
    #[must_use]
    pub const fn operands(self) -> usize {
        match self {
            Self::LessThan | Self::GreaterOrEqual | Self::Equal | Self::Maximum | Self::Minimum => {
                2
            }
            Self::Sign | Self::Digits | Self::Relu | Self::AbsoluteValue | Self::Clamp => 1,
        }
    }

    /// Whether the result is a bit rather than a [`crate::DigitList`].
    #[must_use]
    pub const fn is_predicate(self) -> bool {
        matches!(self, Self::Sign | Self::LessThan | Self::GreaterOrEqual | Self::Equal)
    }

    /// Number of bootstraps on k digits.
    const fn bootstraps_of(self, digits: usize) -> usize {
        match self {
            Self::Sign | Self::Digits | Self::LessThan | Self::GreaterOrEqual | Self::Relu => {
                digits
            }
            Self::Equal => digits + 1,
            Self::AbsoluteValue => 2 * digits,
            Self::Maximum | Self::Minimum | Self::Clamp => 3 * digits,
        }
    }

    /// Number of vectors in slots that wait for the lookup of the last of k digits.
    const fn waiting_in_slots(self, digits: usize) -> usize {
        match self {
            Self::Sign | Self::Digits | Self::LessThan | Self::GreaterOrEqual | Self::Equal => 0,
            Self::Relu => digits - 1,
            // All digits of one value, all but one of the other's, and a sign; or all but one of either value, and two
            // signs.
            Self::AbsoluteValue | Self::Maximum | Self::Minimum => 2 * digits,
            Self::Clamp => digits + 1,
        }
    }

    /// Maximum number of bootstraps of any operation on k digits.
    pub(crate) fn most_bootstraps(digits: usize) -> usize {
        let bootstraps = Self::ALL.map(|operation| operation.bootstraps_of(digits));
        bootstraps.into_iter().max().unwrap_or(1)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Operation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::Unsupported(format!("operation {text:?}: there are {names}"))
        })
    }
}

impl Parameters {
    /// Sizes of the digits of results of selections, the least significant first: those of inputs, with the last one
    /// halved, since it has no sign. If parameters process values as a whole, half of the modulus.
    #[must_use]
    pub fn integer_digits(&self) -> Vec<u64> {
        let literal = self.literal();
        match literal.digits.split_last() {
            None => vec![literal.input_modulus.div_ceil(2)],
            Some((last, digits)) => digits.iter().copied().chain([last / 2]).collect(),
        }
    }

    /// Number of bootstraps of an operation; one if parameters process values as a whole.
    #[must_use]
    pub fn bootstraps(&self, operation: Operation) -> usize {
        match self.literal().digits.len() {
            0 => 1,
            digits => operation.bootstraps_of(digits),
        }
    }

    /// The probability that an operation returns any wrong value for a full ciphertext, including decryption: the union
    /// bound over all of its lookups, each of which fails with at most [`Parameters::stated_log2_fail`] per value.
    #[must_use]
    pub fn operation_failure(&self, operation: Operation) -> FailureProbability {
        let lookups = (self.bootstraps(operation) as f64).log2();
        let of_value = FailureProbability::from_log2(self.stated_log2_fail() + lookups);
        of_value.of_any(self.literal().slots)
    }

    /// Predicts an operation on full ciphertexts: its bootstraps, each with one table, and the memory of digits that
    /// wait for others.
    #[must_use]
    pub fn operation_prediction(&self, operation: Operation) -> Prediction {
        let mut prediction = self.prediction();
        let one = self.literal().digits.len().max(1) as f64;
        let factor = self.bootstraps(operation) as f64 / one;
        prediction.work = prediction.work * factor;
        if self.selection().is_some() {
            let vectors = operation.waiting_in_slots(self.literal().digits.len());
            prediction.working_bytes += self.bytes_of_slot_vectors(vectors);
        }
        prediction
    }
}
