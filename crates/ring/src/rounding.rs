//! Rounding of secret numbers, in constant time.
//!
//! In the system's library, `round` and `floor` branch wherever the target processor has no instruction for them, and
//! division takes a time that depends on the dividend. Sums and products of numbers that are not denormal take constant
//! time.

/// 1.5·2^52: adding this double to a smaller number leaves no bits below the point.
const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;

/// 2^31: numbers are rounded in two parts.
const HIGH: u32 = 31;
const UNIT: f64 = (1u64 << HIGH) as f64;

/// Returns the nearest integer to a number of size below 2^82, and the even one of two.
///
/// ```
/// use cryptable_ring::rounding::nearest;
/// assert_eq!([-1.6, -0.5, 0.4, 1.5, 2.5].map(nearest), [-2.0, 0.0, 0.0, 2.0, 2.0]);
/// ```
#[must_use]
#[inline]
pub fn nearest(x: f64) -> f64 {
    let high = upper(x) * UNIT;
    high + ((x - high + ROUNDER) - ROUNDER)
}

/// Returns the nearest integer to a number of size below 2^62, and the even one of two. The result for larger numbers
/// is unspecified.
///
/// ```
/// use cryptable_ring::rounding::nearest_integer;
/// assert_eq!(nearest_integer(-1.6), -2);
/// assert_eq!(nearest_integer(61f64.exp2()), 1 << 61);
/// ```
#[must_use]
#[inline]
pub fn nearest_integer(x: f64) -> i64 {
    let high = upper(x);
    (bits_of(high) << HIGH).wrapping_add(bits_of(x - high * UNIT))
}

/// Returns the nearest multiple of 2^31, divided by 2^31. The rest is at most half a unit, and exact.
#[inline]
fn upper(x: f64) -> f64 {
    (x * (1.0 / UNIT) + ROUNDER) - ROUNDER
}

/// Returns the nearest integer to a number of size below 2^51, from the bits of its sum with the rounder.
#[inline]
fn bits_of(x: f64) -> i64 {
    ((x + ROUNDER).to_bits() as i64).wrapping_sub(ROUNDER.to_bits() as i64)
}

/// Fractions with a public integer as denominator: `c/d` for integers c, without a division.
///
/// ```
/// use cryptable_ring::rounding::FractionOf;
/// assert_eq!(FractionOf::new(1000).of(-499), -0.499);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FractionOf {
    reciprocal: f64,
    /// The divisor, in two parts of 26 bits.
    high: f64,
    low: f64,
}

impl FractionOf {
    /// Returns the fractions with this divisor.
    ///
    /// # Panics
    /// Unless the divisor is from 1 to 2^50.
    #[must_use]
    pub fn new(divisor: u64) -> Self {
        assert!((1..=1 << 50).contains(&divisor), "divisor {divisor}");
        let low = divisor & ((1 << 26) - 1);
        Self { reciprocal: 1.0 / divisor as f64, high: (divisor - low) as f64, low: low as f64 }
    }

    /// Returns `c/d`, rounded like a division of doubles, for c of size up to that of the divisor.
    #[must_use]
    #[inline]
    pub fn of(&self, numerator: i64) -> f64 {
        /// 2^27 + 1: the product of a double with this number splits off the upper half of the double (Veltkamp).
        const SPLITTER: f64 = ((1u64 << 27) + 1) as f64;
        let Self { reciprocal, high, low } = *self;
        let numerator = numerator as f64;
        let quotient = numerator * reciprocal;
        let scaled = quotient * SPLITTER;
        let upper = scaled - (scaled - quotient);
        let lower = quotient - upper;
        // The remainder of the quotient. It is exact: every product is, and every difference fits into a double.
        let rest = numerator - upper * high - upper * low - lower * high - lower * low;
        quotient + rest * reciprocal
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn large_and_small_numbers_are_rounded() {
        let sizes = [0.0, 0.3, 0.5, 0.7, 1.5, 2.5, 1e6 + 0.5, 1e9 + 0.49, 1e15 + 0.5, 1e17, 4e18];
        for x in sizes.into_iter().flat_map(|x| [x, -x]) {
            assert_eq!(nearest_integer(x), x.round_ties_even() as i64, "{x}");
            assert_eq!(nearest(x), x.round_ties_even(), "{x}");
        }
        // A tie in both parts.
        let tie = 30f64.exp2();
        assert_eq!([tie, -tie, 3.0 * tie].map(nearest_integer), [1 << 30, -(1 << 30), 3 << 30]);
    }

    proptest! {
        #[test]
        fn every_integer_is_its_own_nearest(x in -(1i64 << 52)..1 << 52, shift in 0..10) {
            let scaled = x << shift;
            prop_assert_eq!(nearest_integer(scaled as f64), scaled);
            prop_assert_eq!(nearest(scaled as f64), scaled as f64);
        }

        #[test]
        fn fractions_are_divided(bits in 0..51u32, word in any::<u64>(), part in any::<u64>()) {
            let divisor = 1 + word % (1u64 << bits);
            let numerator = (part % (divisor + 1)) as i64;
            for numerator in [numerator, -numerator, divisor as i64, (divisor - 1) as i64] {
                let found = FractionOf::new(divisor).of(numerator);
                prop_assert_eq!(found, numerator as f64 / divisor as f64, "{}/{}", numerator, divisor);
            }
        }
    }
}
