//! Floor and step functions by their closed forms: equations (12) to (15) of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint
//! 2024/1623), Sec. 3.3 and App. C.1.
//!
//! `k mod p` and `step(k) = [k ≥ p/2]` have interpolations of first order whose coefficients need no table and no transform:
//!
//! `R_mod = (p-1)/2 + Re (1/p)·Σ_{0<k<p} (p-k)·(-1 + i·cot(πk/p))·e^{2πikx}`,
//! `R_step = 1/2 + Re (2/p²)·Σ_{k odd} (p-k)·(-1 + i·cot(πk/p))·e^{2πikx}`.
//!
//! The paper states them for powers of two. They hold for every p, the step for every even one. Signs: the paper's (15) has
//! `1 - i·cot` where its (12), with which the values at nodes agree, has the opposite sign; what is here is (12). Cosines of
//! p = 2, equation (13), are what both give there.

use std::f64::consts::PI;

use num_complex::Complex64;

/// `-1 + i·cot(πk/p)` times `(p - k)/p`: α_k of `k mod p`, for k from 1 on.
fn sawtooth(p: u64, k: u64) -> Complex64 {
    let (size, index) = (p as f64, k as f64);
    let cotangent = 1.0 / (PI * index / size).tan();
    Complex64::new(-1.0, cotangent) * ((size - index) / size)
}

/// Coefficients of `((x mod p) - centre)/p`: equation (14), over p.
///
/// Returns the coefficients of [`super::trigonometric_hermite::trigonometric_hermite`] for the values `(l - centre)/p`
/// and the first order.
pub(crate) fn modulo(p: u64, centre: f64) -> Vec<Complex64> {
    let size = p as f64;
    let constant = Complex64::from(((size - 1.0) / 2.0 - centre) / size);
    std::iter::once(constant).chain((1..p).map(|k| sawtooth(p, k) / size)).collect()
}

/// Coefficients of `low` in the lower half of the inputs and `high` in the upper half: equation (15), moved and scaled.
///
/// Even ones but the first are zero.
///
/// # Panics
/// If p is odd.
pub(crate) fn step(p: u64, [low, high]: [f64; 2]) -> Vec<Complex64> {
    assert!(p.is_multiple_of(2), "a step of {p} values has no middle");
    let height = high - low;
    let coefficient = |k: u64| match k {
        0 => Complex64::from((low + high) / 2.0),
        k if k.is_multiple_of(2) => Complex64::ZERO,
        // The paper's step is of height p/2.
        k => sawtooth(p, k) * (2.0 * height / p as f64),
    };
    (0..p).map(coefficient).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::akp::hermite_kernel::HermiteOrder;
    use crate::akp::trigonometric_hermite::trigonometric_hermite;

    fn assert_same(found: &[Complex64], values: &[f64], what: &str) {
        let expected = trigonometric_hermite(values, HermiteOrder::First);
        assert_eq!(found.len(), expected.len(), "{what}");
        for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!((found - expected).norm() < 1e-12, "{what}, k = {k}: {found}, {expected}");
        }
    }

    #[test]
    fn closed_forms_are_the_general_interpolation() {
        for p in 2..=256u64 {
            for centre in [0, p / 2] {
                let values = (0..p).map(|l| (l as f64 - centre as f64) / p as f64);
                let values: Vec<f64> = values.collect();
                assert_same(&modulo(p, centre as f64), &values, &format!("{p} values"));
            }
            if p.is_multiple_of(2) {
                for [low, high] in [[0.0, 0.5], [0.25, -0.125]] {
                    let value = |l| if l < p / 2 { low } else { high };
                    let values: Vec<f64> = (0..p).map(value).collect();
                    assert_same(&step(p, [low, high]), &values, &format!("step of {p} values"));
                }
            }
        }
    }

    /// Equations (9) and (11): `mod p` is `mod p/2` and a step of p/2.
    #[test]
    fn the_sawtooth_is_a_sum_of_steps() {
        let at = |alpha: &[Complex64], x: f64| -> f64 {
            let term = |(k, a): (usize, &Complex64)| {
                (a * Complex64::from_polar(1.0, 2.0 * PI * k as f64 * x)).re
            };
            alpha.iter().enumerate().map(term).sum()
        };
        for p in [4u64, 16, 64] {
            for node in 0..p {
                let x = node as f64 / p as f64;
                let whole = p as f64 * at(&modulo(p, 0.0), x);
                let half = (p / 2) as f64 * at(&modulo(p / 2, 0.0), 2.0 * x);
                let step = at(&step(p, [0.0, (p / 2) as f64]), x);
                assert!((whole - half - step).abs() < 1e-9, "{node} of {p}");
            }
        }
    }
}
