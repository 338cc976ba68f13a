//! Trigonometric Hermite interpolation of first, second and third order (Theorems 1 to 3 of Alexandru, Kim, Polyakov,
//! CRYPTO 2025, ePrint 2024/1623).

use num_complex::Complex64;

use crate::akp::fourier_sums::FourierSums;
use crate::akp::hermite_kernel::{HermiteKernel, HermiteOrder};

/// The coefficients α of `T(x) = α_0 + Σ_{k=1}^{n-1} α_k·e^{2πikx}`, where R = Re T satisfies `R(l/p) = f(l)`, and its
/// first M derivatives are 0, at every l. f is given by its p >= 1 values, and n follows from the order M
/// ([`HermiteOrder::coefficients`]).
///
/// `α_0 = c_0·Σ_l f(l)`, `α_k = 2·c_k·Σ_l f(l)·e^{-2πikl/p}`, c the [`HermiteKernel`]: for M = 1, `c_k = (p-k)/p²`.
///
/// R is the only trigonometric polynomial of that degree with these properties. For noise ε in an input l/p + ε, the
/// output is `f(l) + ε^(M+1)·R^(M+1)(l/p)/(M+1)!`: for M = 1, noise is squared.
///
/// ```
/// use cryptable_packed::{HermiteOrder, trigonometric_hermite};
/// let alpha = trigonometric_hermite(&[3.0, 3.0, 3.0], HermiteOrder::First);
/// assert!((alpha[0].re - 3.0).abs() < 1e-12 && alpha[1].norm() < 1e-12);
/// ```
///
/// # Panics
/// If there are no values.
#[must_use]
pub fn trigonometric_hermite(values: &[f64], order: HermiteOrder) -> Vec<Complex64> {
    let kernel = HermiteKernel::new(values.len(), order);
    // For real values, sums with the opposite sign in the exponent are conjugates.
    let values: Vec<_> = values.iter().map(|&v| Complex64::from(v)).collect();
    let sums = FourierSums::new(values.len()).of(&values);
    let coefficients = kernel.coefficients().iter().enumerate();
    coefficients
        .map(|(k, c)| sums[k % values.len()].conj() * if k == 0 { *c } else { 2.0 * c })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::*;

    const SIZES: [usize; 11] = [2, 3, 4, 5, 7, 12, 16, 100, 256, 257, 512];

    /// Checks Equation (17) of the paper term by term, for a table of every size.
    #[test]
    fn second_order_has_the_coefficients_of_theorem_2() {
        for p in SIZES {
            let (size, values) = (p as f64, random_table(p));
            let sum = |k: usize| -> Complex64 {
                let angle = |l: usize| -TAU * (k * l % p) as f64 / size;
                values.iter().enumerate().map(|(l, &f)| Complex64::from_polar(f, angle(l))).sum()
            };
            let mut expected = vec![Complex64::ZERO; p + p / 2 + 1];
            expected[0] = sum(0) / size;
            for (v, coefficient) in expected.iter_mut().enumerate().take(p).skip(1) {
                *coefficient += sum(v) * (2.0 * (size - v as f64) / (size * size));
            }
            for k in 1..=p / 2 {
                let gamma = if 2 * k == p { 1.0 } else { 0.0 };
                let factor = (2.0 - gamma) * k as f64 * (size - k as f64) / size.powi(3);
                // β, δ and θ differ in their sums over the table.
                expected[k] += sum(k) * factor;
                expected[p + k] -= sum(p + k) * factor / 2.0;
                expected[p - k] -= sum(p - k) * factor / 2.0;
            }
            let found = trigonometric_hermite(&values, HermiteOrder::Second);
            assert_eq!(found.len(), expected.len(), "p = {p}");
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!((found - expected).norm() < 1e-12, "p = {p}, k = {k}: {found}, {expected}");
            }
        }
    }

    /// Checks Equations (12) and (15) of the paper, the latter with the sign of the former: for `k mod p`, and for
    /// steps in the middle.
    #[test]
    fn first_order_has_closed_forms_for_floors_and_signs() {
        for p in SIZES {
            let size = p as f64;
            let term = |k: usize| {
                let cotangent = 1.0 / (PI * k as f64 / size).tan();
                Complex64::new(-1.0, cotangent) * ((size - k as f64) / size)
            };
            let values: Vec<f64> = (0..p).map(|k| k as f64).collect();
            let steps: Vec<f64> = (0..p).map(|k| f64::from(u8::from(2 * k >= p))).collect();
            let [floor, sign] =
                [values, steps].map(|it| trigonometric_hermite(&it, HermiteOrder::First));
            assert!((floor[0] - (size - 1.0) / 2.0).norm() < 1e-10, "p = {p}");
            for k in 1..p {
                assert!((floor[k] - term(k)).norm() < 1e-10, "p = {p}, k = {k}");
                if p.is_multiple_of(2) {
                    let expected = if k % 2 == 0 { 0.0.into() } else { term(k) * (2.0 / size) };
                    assert!((sign[k] - expected).norm() < 1e-12, "p = {p}, k = {k}");
                }
            }
        }
    }

    /// Values in [-1, 1].
    fn random_table(p: usize) -> Vec<f64> {
        (0..p).map(|l| ((l * l * 7919 + 13 * l + 5) % 97) as f64 / 48.0 - 1.0).collect()
    }

    fn value_and_slope(alpha: &[Complex64], x: f64) -> (f64, f64) {
        let term = |k: usize| alpha[k] * Complex64::from_polar(1.0, TAU * k as f64 * x);
        let value = (0..alpha.len()).map(|k| term(k).re).sum();
        let slope = (0..alpha.len()).map(|k| -term(k).im * TAU * k as f64).sum();
        (value, slope)
    }

    #[test]
    fn interpolates_with_zero_slope() {
        for (p, order) in SIZES.into_iter().flat_map(|p| HermiteOrder::ALL.map(|order| (p, order)))
        {
            let identity = (0..p).map(|l| l as f64 / p as f64).collect();
            for f in [random_table(p), vec![0.5; p], identity] {
                let alpha = trigonometric_hermite(&f, order);
                assert_eq!(alpha.len(), order.coefficients(p));
                for (l, expected) in f.iter().enumerate() {
                    let (value, slope) = value_and_slope(&alpha, l as f64 / p as f64);
                    assert!((value - expected).abs() < 1e-10, "p = {p}, l = {l}");
                    assert!(slope.abs() < 1e-7, "p = {p}, l = {l}: slope {slope}");
                }
            }
        }
    }

    #[test]
    fn constants_stay_constant() {
        for p in SIZES {
            let alpha = trigonometric_hermite(&vec![0.75; p], HermiteOrder::First);
            assert!((alpha[0] - 0.75).norm() < 1e-14);
            assert!(alpha[1..].iter().all(|c| c.norm() < 1e-14));
        }
    }

    #[test]
    fn two_values_need_a_cosine_only() {
        let alpha = trigonometric_hermite(&[1.0, 4.0], HermiteOrder::First);
        for x in [0.0, 0.1, 0.3, 0.5] {
            let cosine = (PI * x).cos();
            let direct = 4.0 + (1.0 - 4.0) * cosine * cosine;
            assert!((value_and_slope(&alpha, x).0 - direct).abs() < 1e-12);
        }
    }
}
