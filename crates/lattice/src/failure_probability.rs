//! Failure probabilities: the probability that a result is wrong.
//!
//! A failure probability, with `log2_fail` as its logarithm, is that of the whole operation on one ciphertext: the
//! probability that any decision on the way, decryption included, is wrong for any of its values. A ciphertext of
//! single values holds one value. The probability per value has a name of its own: `value_failure_probability`, or
//! `log2_fail_per_value` in JSON. Literals of packed parameters, the probabilities that they state (`stated_log2_fail`)
//! and the bounds of readers ([`FailureProbability::READ_LIMIT`]) are per value.

use std::fmt;

/// The probability that a result is wrong, by its logarithm to base 2.
///
/// By the union bound, the probability that any of k results is wrong is at most k times that of one result. This
/// converts between values and ciphertexts.
///
/// ```
/// use cryptable_lattice::FailureProbability;
/// let value = FailureProbability::from_log2(-80.0);
/// let ciphertext = value.of_any(65_536);
/// assert_eq!(ciphertext.to_string(), "2^-64.0");
/// assert_eq!(ciphertext.of_each(65_536), value);
/// assert!(value < ciphertext && ciphertext.of_any(1 << 20) <= FailureProbability::from_log2(-44.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct FailureProbability {
    log2: f64,
}

impl FailureProbability {
    /// The default limit for a ciphertext: 2^-64.
    pub const DEFAULT: Self = Self::from_log2(-64.0);

    /// The default limit for a value under parameters that are read from a file, 2^-40;
    /// [`crate::ReadOptions::allow_failures`] raises it.
    pub const READ_LIMIT: Self = Self::from_log2(-40.0);

    /// Returns the probability `2^log2`.
    #[must_use]
    pub const fn from_log2(log2: f64) -> Self {
        Self { log2 }
    }

    /// Returns the logarithm to base 2.
    #[must_use]
    pub const fn log2(self) -> f64 {
        self.log2
    }

    /// Returns the probability that any of `count` results is wrong if each is wrong with this probability: at most
    /// `count` times as large, and at most 1.
    #[must_use]
    pub fn of_any(self, count: usize) -> Self {
        // No probability is above 1. If it is not a number, `min` returns the other operand.
        Self { log2: (self.log2 + (count.max(1) as f64).log2()).min(0.0) }
    }

    /// Returns the largest probability for each of `count` results with which the probability that any of them is wrong
    /// is at most this one.
    #[must_use]
    pub fn of_each(self, count: usize) -> Self {
        Self { log2: self.log2 - (count.max(1) as f64).log2() }
    }
}

impl fmt::Display for FailureProbability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2^{:.1}", self.log2)
    }
}
