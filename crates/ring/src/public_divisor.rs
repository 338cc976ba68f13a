//! Division of secrets by public numbers, in constant time.

use subtle::{ConditionallySelectable, ConstantTimeGreater};

/// A public divisor d, with its reciprocal.
///
/// The quotient of a double word takes two multiplications and masks, whatever the dividend. The division instructions
/// of most processors, and the compiler's routine for double words, take a time that depends on their operands.
/// (Algorithm 4 of Möller and Granlund, Improved division by invariant integers, IEEE Transactions on Computers 60(2),
/// 2011.)
///
/// ```
/// use cryptable_ring::public_divisor::PublicDivisor;
/// let seven = PublicDivisor::new(7);
/// assert_eq!(seven.divide(100), (14, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicDivisor {
    /// d·2^shift, whose top bit is set.
    normalized: u64,
    shift: u32,
    /// `floor((2^128 - 1)/normalized) - 2^64`.
    reciprocal: u64,
}

impl PublicDivisor {
    /// Returns the divisor d. The time that this takes depends on d.
    ///
    /// # Panics
    /// If the divisor is 0.
    #[must_use]
    pub fn new(divisor: u64) -> Self {
        assert!(divisor > 0, "division by 0");
        let shift = divisor.leading_zeros();
        let normalized = divisor << shift;
        // The quotient without its top bit, which stands for 2^64, is the reciprocal.
        let reciprocal = (u128::MAX / u128::from(normalized)) as u64;
        Self { normalized, shift, reciprocal }
    }

    /// Returns the quotient and the remainder of a dividend below d·2^64.
    #[must_use]
    #[inline]
    pub fn divide(&self, dividend: u128) -> (u64, u64) {
        let Self { normalized, shift, reciprocal } = *self;
        let shifted = dividend << shift;
        let high = (shifted >> 64) as u64;
        debug_assert!(high < normalized && shifted >> shift == dividend, "quotient beyond 2^64");
        let estimate = (u128::from(high) * u128::from(reciprocal)).wrapping_add(shifted);
        let quotient = ((estimate >> 64) as u64).wrapping_add(1);
        let remainder = (shifted as u64).wrapping_sub(quotient.wrapping_mul(normalized));
        // The estimate may be one too large, then one too small.
        let is_large = remainder.ct_gt(&(estimate as u64));
        let back = u64::conditional_select(&0, &normalized, is_large);
        let quotient = quotient.wrapping_sub(is_large.unwrap_u8().into());
        let remainder = remainder.wrapping_add(back);
        let is_small = !normalized.ct_gt(&remainder);
        let back = u64::conditional_select(&0, &normalized, is_small);
        let quotient = quotient.wrapping_add(is_small.unwrap_u8().into());
        (quotient, remainder.wrapping_sub(back) >> shift)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(divisor: u64, high: u64, low: u64) {
        let dividend = u128::from(high % divisor) << 64 | u128::from(low);
        let wide = u128::from(divisor);
        let expected = ((dividend / wide) as u64, (dividend % wide) as u64);
        assert_eq!(PublicDivisor::new(divisor).divide(dividend), expected, "{dividend}/{divisor}");
    }

    #[test]
    fn extreme_dividends() {
        let words = [0, 1, 2, 3, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, u64::MAX];
        for divisor in words.into_iter().skip(1) {
            for high in words.into_iter().chain([divisor - 1]) {
                for low in words.into_iter().chain([divisor - 1, divisor]) {
                    check(divisor, high, low);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn quotients_are_those_of_integers(divisor in 1..u64::MAX, cut in 0..64u32, words: [u64; 2]) {
            check((divisor >> cut).max(1), words[0], words[1]);
        }
    }
}
