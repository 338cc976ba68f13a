//! Tables of functions of bfloat16 numbers, exact to the last bit.
//!
//! A bfloat16 number has 16 bits, so any function of one is a table of 65,536 entries. A lookup of an encrypted bit
//! pattern computes the function exactly, without a polynomial approximation.

use half::bf16;

use crate::Result;
use crate::Table;

/// Number of bit patterns: the input and output modulus of [`table`].
const PATTERNS: u64 = 1 << 16;

/// The only NaN in the outputs of [`table`]: quiet, positive, without payload.
pub const CANONICAL_NAN: u16 = 0x7FC0;

/// Creates the table that maps the bit pattern of x to that of f(x), rounded to nearest, ties to even.
///
/// NaN is mapped to [`CANONICAL_NAN`], whatever `f` returns for it.
///
/// ```
/// use cryptable::bfloat16;
/// let negation = bfloat16::table(|x| -x)?;
/// assert_eq!(negation.values()[0x3F80], 0xBF80); // 1 -> -1
/// assert_eq!(negation.values()[0xFFFF], u64::from(bfloat16::CANONICAL_NAN));
/// # Ok::<(), cryptable::Error>(())
/// ```
///
/// # Errors
/// None in practice: these moduli are valid.
pub fn table(f: impl Fn(f64) -> f64) -> Result<Table> {
    Table::from_fn(PATTERNS, PATTERNS, |bits| {
        let x = bf16::from_bits(bits as u16);
        let y = if x.is_nan() { bf16::NAN } else { nearest(f(x.to_f64())) };
        u64::from(if y.is_nan() { CANONICAL_NAN } else { y.to_bits() })
    })
}

/// Rounds to the nearest bfloat16 number, ties to even. `bf16::from_f64` is not used: it first drops the low half of a
/// double, and so treats numbers very close to a tie as ties.
fn nearest(y: f64) -> bf16 {
    let near = bf16::from_f64(y);
    if !near.is_finite() || near == bf16::ZERO {
        return near;
    }
    let neighbours = [near.to_bits() - 1, near.to_bits(), near.to_bits() + 1].map(bf16::from_bits);
    // The differences are exact, since the numbers are so close.
    let distance = |b: &bf16| ((b.to_f64() - y).abs(), b.to_bits() & 1);
    let finite = neighbours.into_iter().filter(|b| b.is_finite());
    finite.min_by(|a, b| distance(a).partial_cmp(&distance(b)).expect("finite")).unwrap_or(near)
}

/// Returns the Gaussian error linear unit, `x·Φ(x) = x·erfc(-x/√2)/2`.
///
/// `erfc` keeps its relative precision where Φ is small, so the result is correct to about 15 digits everywhere. At -∞
/// it is the limit, -0.
///
/// ```
/// use cryptable::bfloat16::gelu;
/// assert_eq!(gelu(0.0), 0.0);
/// assert!((gelu(1.0) - 0.8413447460685429).abs() < 1e-15);
/// assert!((gelu(-1.0) + 0.15865525393145707).abs() < 1e-15);
/// ```
#[must_use]
pub fn gelu(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_is_right_to_the_last_bit_where_it_is_known() {
        let values = table(gelu).unwrap();
        let at = |x: f32| values.values()[usize::from(bf16::from_f32(x).to_bits())] as u16;
        let bits = |x: f32| bf16::from_f32(x).to_bits();
        // Φ(1), Φ(-1), Φ(2), Φ(3)·3, from tables of the normal distribution.
        assert_eq!(at(1.0), bits(0.841_344_7));
        assert_eq!(at(-1.0), bits(-0.158_655_25));
        assert_eq!(at(2.0), bits(1.954_499_7));
        assert_eq!(at(3.0), bits(2.995_950_3));
        assert_eq!(at(0.0), 0);
        assert_eq!(at(-0.0), 0x8000);
        assert_eq!(at(100.0), bits(100.0));
        assert_eq!(at(-100.0), 0x8000);
        assert_eq!(at(f32::INFINITY), bits(f32::INFINITY));
        assert_eq!(at(f32::NEG_INFINITY), 0x8000);
        assert_eq!(at(f32::NAN), CANONICAL_NAN);
        // Φ(0) = 1/2, so small numbers are halved; the smallest subnormal ties to even, 0.
        assert_eq!(at(1e-30), bits(0.5e-30));
        assert_eq!(values.values()[1], 0);
        assert_eq!(values.values()[3], 2);
    }

    #[test]
    fn gelu_differs_from_its_mirror_by_the_argument() {
        for i in -600..600 {
            let x = f64::from(i) / 100.0;
            assert!((gelu(x) - gelu(-x) - x).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn roundings_are_to_nearest_with_ties_to_even() {
        // 1 + 2^-8 is halfway between 1 and 1 + 2^-7, and is rounded to 1, whose last bit is 0.
        let tie = table(|_| 1.0 + 2f64.powi(-8)).unwrap();
        assert_eq!(tie.values()[0], 0x3F80);
        let above = table(|_| 1.0 + 2f64.powi(-8) + 2f64.powi(-40)).unwrap();
        assert_eq!(above.values()[0], 0x3F81);
        let next_tie = table(|_| 1.0 + 3.0 * 2f64.powi(-8)).unwrap();
        assert_eq!(next_tie.values()[0], 0x3F82);
    }
}
