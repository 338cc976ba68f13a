//! Cleaning between bootstraps: `h1(x) = 3x² - 2x³` squares the errors of bits and consumes two levels (BLEACH:
//! Drucker,
//! Moshkowich, Pelleg, Shaul, Journal of Cryptology 37(1), 2024, ePrint 2022/1298).
//!
//! In: bits at scale S. Out: two levels below, at the scale that two squarings leave, as after two gates. Noise: ε becomes
//! at most `(3 + 2ε)·ε²`, and of the three roundings (of a factor, of x one level lower, of the product) up to
//! [`ROUNDINGS`] are left.

use cryptable_ckks::Arithmetic;
use cryptable_ckks::cleaning::{H1_ROUNDINGS, h1};

use crate::noise::BitNoise;

/// Levels that a cleaning consumes.
pub(crate) const LEVELS: usize = 2;

/// Roundings in the result, in units of the variance of one: those of the polynomial, and the one of lowering x by a
/// level.
const ROUNDINGS: f64 = H1_ROUNDINGS + 1.0;

/// `3x² - 2x³`; `lowered` is x one level below, at the scale of its square.
pub(crate) fn clean<A: Arithmetic>(
    arithmetic: &A,
    x: &A::Ciphertext,
    lowered: &A::Ciphertext,
) -> A::Ciphertext {
    h1(arithmetic, x, lowered, 1)
}

/// Noise of a cleaned bit, given the noise of the bit and of one rounding. Squares are bounded except with probability
/// `2^log2_fail`.
pub(crate) fn noise_after(x: BitNoise, rounding: BitNoise, log2_fail: f64) -> BitNoise {
    let factor = 3.0 + 2.0 * x.largest(log2_fail);
    x.squared(factor, log2_fail).with_independent(roundings(rounding))
}

/// Returns the roundings' part of a cleaned bit's noise, from the noise of one rounding.
pub(crate) fn roundings(rounding: BitNoise) -> BitNoise {
    rounding.scaled(ROUNDINGS.sqrt())
}
