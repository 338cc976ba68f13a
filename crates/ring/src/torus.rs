//! Coefficients as fractions of the torus `R/Z`, in fixed point.
//!
//! A residue v modulo q stands for v/q on the torus. Accumulators of many products store that fraction with 52 bits,
//! `⌊v·2^52/q⌉`, instead of the residue. Sums then need no reduction, digits of base 2^w are bits of the word, and the
//! last multiplication of an inverse transform yields a fraction with two instructions. For q below 2^50 a fraction is
//! finer than a residue.
//!
//! Only the low 52 bits of a word count; the bits above them are arbitrary.

use crate::Modulus;
use crate::fraction_digits::UNUSED_BITS;
pub use crate::fraction_digits::{FRACTION_BITS, FractionDigits};
pub use crate::kernels::automorphism::automorphism;

/// Converts residues to fractions, `out = ⌊v·2^52/q⌉`.
///
/// # Panics
/// If lengths differ.
pub fn from_residues(m: &Modulus, out: &mut [u64], residues: &[u64]) {
    assert_eq!(out.len(), residues.len());
    let q = m.value();
    // The quotient has 64 fractional bits, so the product is exact to 2^-12 of a unit.
    let ratio = (1u128 << (FRACTION_BITS + 64)) / u128::from(q);
    let (whole, part) = ((ratio >> 64) as u64, ratio as u64);
    for (out, &v) in out.iter_mut().zip(residues) {
        let low = (u128::from(v) * u128::from(part) + (1 << 63)) >> 64;
        *out = v.wrapping_mul(whole).wrapping_add(low as u64);
    }
}

/// Converts fractions to residues, `out = ⌊v·q/2^52⌉ mod q`.
///
/// # Panics
/// If lengths differ.
pub fn to_residues(m: &Modulus, out: &mut [u64], fractions: &[u64]) {
    assert_eq!(out.len(), fractions.len());
    let q = m.value();
    for (out, &v) in out.iter_mut().zip(fractions) {
        let product = u128::from(v << UNUSED_BITS) * u128::from(q);
        let rounded = ((product + (1 << 63)) >> 64) as u64;
        *out = if rounded == q { 0 } else { rounded };
    }
}

/// Converts fractions to residues modulo a power of two, `out = ⌊v·2^bits/2^52⌉ mod 2^bits`.
///
/// ```
/// use cryptable_ring::torus::to_power_of_two;
/// let mut words = [0; 2];
/// to_power_of_two(&mut words, &[3 << 50, (1 << 52) - 1], 4);
/// assert_eq!(words, [12, 0]);
/// ```
///
/// # Panics
/// If lengths differ, or the power is not below 2^52.
pub fn to_power_of_two(out: &mut [u64], fractions: &[u64], bits: u32) {
    assert!(out.len() == fractions.len() && bits < FRACTION_BITS, "2^{bits}");
    let (shift, mask) = (FRACTION_BITS - bits, (1 << bits) - 1);
    let half = 1u64 << (shift - 1);
    for (out, &v) in out.iter_mut().zip(fractions) {
        *out = v.wrapping_add(half) >> shift & mask;
    }
}

/// `out += source·X^exponent - source`, modulo X^N + 1.
///
/// # Panics
/// If lengths differ, or the exponent is 2N or more.
pub fn add_rotation_difference(out: &mut [u64], source: &[u64], exponent: usize) {
    let n = source.len();
    assert!(out.len() == n && exponent < 2 * n, "X^{exponent} of degree {n}");
    let shift = exponent % n;
    let (kept, wrapped) = source.split_at(n - shift);
    for (i, (out, &moved)) in out.iter_mut().zip(wrapped.iter().chain(kept)).enumerate() {
        let negated = (i < shift) == (exponent < n);
        let moved = if negated { moved.wrapping_neg() } else { moved };
        *out = out.wrapping_add(moved).wrapping_sub(source[i]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::primes::ntt_primes;

    proptest! {
        #[test]
        fn residues_survive(log2 in 20.0f64..49.9, word in any::<u64>()) {
            let m = Modulus::new(ntt_primes(1024, log2, 1, &[])[0]);
            let residue = word % m.value();
            let (mut fraction, mut back) = ([0], [0]);
            from_residues(&m, &mut fraction, &[residue]);
            // Bits above the fraction do not count.
            fraction[0] ^= word << FRACTION_BITS;
            to_residues(&m, &mut back, &fraction);
            prop_assert_eq!(back[0], residue);
        }
    }
}
