//! The Kronecker deltas of a digit: p ciphertexts of 0 or 1, which tell which of its p values the digit has.
//!
//! This is SlotsMVB (Algorithm 1 of Dumezy et al., TCHES 2026(1), ePrint 2025/1301, without lines 9 to 11) for the p
//! tables δ_0 … δ_{p-1}. For small p, all powers of the exponential are computed, and every delta is a linear
//! combination of them, so no table costs a multiplication. The trigonometric Hermite interpolation of a delta is the
//! Fejér kernel
//!
//! `δ_k(θ) = 1/p + Σ_{j=1}^{p-1} (2/p)(1 - j/p)·cos(j(θ - 2πk/p))`,
//!
//! which is 1 at its own node, 0 at the others, and flat at all nodes. For p = 2 it is `(1 ± cos θ)/2`, which needs no
//! constants, and no conjugate if it starts from a cosine.

use std::f64::consts::TAU;

use cryptable_ckks::Arithmetic;
use num_complex::Complex64;

use cryptable_ckks::bootstrapping::exponential::PhaseFunction;

/// Levels below the exponential: `ceil(log2(p - 1))` for the powers and one for the constants; none for p = 2.
pub(crate) fn levels(p: u64) -> usize {
    if p == 2 { 0 } else { ((p - 1).next_power_of_two().trailing_zeros() + 1) as usize }
}

/// Computes the deltas of the digits `m` in slots from an exponential `e^{2πim/p}` (or from its real part, for p = 2).
/// Errors of its phase are squared, errors of its modulus are amplified by up to p/3.
///
/// Result: p ciphertexts of real slots, all at the scale of their last prime over 2^`spare_bits`. For p > 2: `p - 2`
/// multiplications, `p(p - 1)` products with constants (`p²/4 + 4p` or so if 4 divides p), and p conjugations: a delta
/// is twice the real part of a combination of powers, one level below them.
///
/// # Panics
/// If p is below 2 or the exponential has too few limbs.
pub(crate) fn kronecker_deltas<A: Arithmetic>(
    arithmetic: &A,
    exponential: &A::Ciphertext,
    kind: PhaseFunction,
    p: u64,
    spare_bits: f64,
) -> Vec<A::Ciphertext> {
    assert!(p >= 2, "a digit has at least two values");
    if p == 2 {
        return cosine_deltas(arithmetic, cosine_of(arithmetic, exponential, kind)).into();
    }
    assert_eq!(kind, PhaseFunction::Exponential, "a cosine serves digits of two values only");
    arithmetic.begin_stage("delta_powers");
    let powers = powers(arithmetic, exponential, p as usize - 1);
    arithmetic.begin_stage("deltas");
    let limbs = arithmetic.limbs(powers.last().expect("the exponential itself"));
    let inputs: Vec<_> = powers.iter().collect();
    let constant_prime = arithmetic.prime(limbs - 1);
    let scale = arithmetic.prime(limbs - 2) * (-spare_bits).exp2();
    let sums = half_deltas(arithmetic, &inputs, limbs, scale * constant_prime);
    drop(powers);
    arithmetic.map_all(sums, |half| {
        let mut delta = arithmetic.rescale(half, 1);
        let conjugate = arithmetic.conjugate(&delta);
        arithmetic.add_assign(&mut delta, &conjugate);
        arithmetic.add_constant_assign(&mut delta, Complex64::new(1.0 / p as f64, 0.0));
        arithmetic.declare_power(&mut delta, 1.0 / p as f64);
        delta
    })
}

/// Least size of a digit, a multiple of four, whose combinations are made in quarters. Relative to the time row by row,
/// size 32 takes 0.7, size 64 takes 0.45, size 16 takes 1 with AVX-512 IFMA and 0.77 without, and smaller sizes take
/// longer.
const LEAST_OF_QUARTERS: u64 = 16;

/// Computes, for all k, the combination of `z, z², …, z^{p-1}` that becomes `δ_k - 1/p` when its conjugate is added.
fn half_deltas<A: Arithmetic>(
    arithmetic: &A,
    powers: &[&A::Ciphertext],
    limbs: usize,
    scale: f64,
) -> Vec<A::Ciphertext> {
    let p = powers.len() as u64 + 1;
    let rows =
        |count: u64| -> Vec<_> { (0..count).map(|k| half_delta_coefficients(p, k)).collect() };
    if p >= LEAST_OF_QUARTERS && p.is_multiple_of(4) {
        // Coefficient j of δ_{k + tp/4} is that of δ_k times e^{-2πijt/4}.
        let exponents: Vec<_> = (1..p as usize).collect();
        return arithmetic.quarter_combinations(limbs, powers, &exponents, &rows(p / 4), scale);
    }
    arithmetic.linear_combinations(limbs, powers, &rows(p), scale)
}

/// Computes the real part of an exponential; a cosine is returned unchanged.
fn cosine_of<A: Arithmetic>(
    arithmetic: &A,
    exponential: &A::Ciphertext,
    kind: PhaseFunction,
) -> A::Ciphertext {
    let mut cosine = exponential.clone();
    if kind == PhaseFunction::Exponential {
        arithmetic.add_assign(&mut cosine, &arithmetic.conjugate(exponential));
        arithmetic.divide_slots_assign(&mut cosine, 2.0);
    }
    cosine
}

/// Computes `(1 + c)/2` and `(1 - c)/2` from a cosine c. Divisions only change the scale.
pub(super) fn cosine_deltas<A: Arithmetic>(
    arithmetic: &A,
    cosine: A::Ciphertext,
) -> [A::Ciphertext; 2] {
    arithmetic.begin_stage("deltas");
    [1, -1].map(|sign| {
        let mut delta = cosine.clone();
        if sign < 0 {
            arithmetic.mul_integer_assign(&mut delta, sign);
        }
        arithmetic.add_constant_assign(&mut delta, Complex64::ONE);
        arithmetic.divide_slots_assign(&mut delta, 2.0);
        arithmetic.declare_power(&mut delta, 0.5);
        delta
    })
}

/// Returns the factors of `e^{ijθ}`, j from 1 to p - 1, in the half of δ_k - 1/p whose conjugate is added to it.
fn half_delta_coefficients(p: u64, k: u64) -> Vec<Complex64> {
    let size = p as f64;
    let weight = |j: u64| (1.0 - j as f64 / size) / size;
    // j·k modulo p keeps the angle exact for large products.
    let angle = |j: u64| TAU * ((j * k) % p) as f64 / size;
    (1..p).map(|j| Complex64::from_polar(weight(j), -angle(j))).collect()
}

/// Computes the powers `z, z², …, z^count`, where `z^j` is at depth `ceil(log2 j)`.
fn powers<A: Arithmetic>(arithmetic: &A, z: &A::Ciphertext, count: usize) -> Vec<A::Ciphertext> {
    let mut powers = vec![z.clone()];
    while powers.len() < count {
        // One depth at a time: all powers up to twice the last are products of two that exist.
        let last = (2 * powers.len()).min(count);
        let next = arithmetic.map_all((powers.len() + 1..=last).collect(), |j: usize| {
            let (high, low) = (j.div_ceil(2), j / 2);
            let mut power = arithmetic.mul(&powers[high - 1], &powers[low - 1]);
            arithmetic.declare_power(&mut power, 1.0);
            power
        });
        powers.extend(next);
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_with_the_digit() {
        assert_eq!([levels(2), levels(3), levels(16), levels(32)], [0, 2, 5, 6]);
    }

    #[test]
    fn fejer_kernels_are_deltas_with_zero_slope() {
        for p in [3u64, 4, 5, 12, 16, 32] {
            for k in 0..p {
                let coefficients = half_delta_coefficients(p, k);
                let value = |theta: f64| {
                    let term = |(j, c): (usize, &Complex64)| {
                        2.0 * (c * Complex64::from_polar(1.0, (j + 1) as f64 * theta)).re
                    };
                    1.0 / p as f64 + coefficients.iter().enumerate().map(term).sum::<f64>()
                };
                for m in 0..p {
                    let theta = TAU * m as f64 / p as f64;
                    let expected = f64::from(m == k);
                    assert!((value(theta) - expected).abs() < 1e-12, "p {p}, δ_{k}({m})");
                    let slope = (value(theta + 1e-5) - value(theta - 1e-5)) / 2e-5;
                    assert!(slope.abs() < 1e-5, "p {p}, δ_{k}({m})");
                }
            }
        }
    }
}
