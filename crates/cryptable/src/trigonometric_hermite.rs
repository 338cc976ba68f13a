//! First-order trigonometric Hermite interpolation (Theorem 1 and Corollary 1 of Alexandru, Kim,
//! Polyakov, CRYPTO 2025).

use num_complex::Complex64;
use rustfft::FftPlanner;

/// The coefficients α of `T(x) = α_0 + Σ_{k=1}^{p-1} α_k·e^{2πikx}`, of which R = Re T has
/// `R(l/p) = f(l)` and `R'(l/p) = 0` at every l.
///
/// `α_0 = (1/p)·Σ_l f(l)`, `α_k = 2(p-k)/p² · Σ_l f(l)·e^{-2πikl/p}`.
///
/// ```
/// use cryptable::trigonometric_hermite::trigonometric_hermite;
/// let alpha = trigonometric_hermite(&[3.0, 3.0, 3.0]);
/// assert!((alpha[0].re - 3.0).abs() < 1e-12 && alpha[1].norm() < 1e-12);
/// ```
#[must_use]
pub fn trigonometric_hermite(values: &[f64]) -> Vec<Complex64> {
    let p = values.len();
    let mut sums: Vec<Complex64> = values.iter().map(|&v| Complex64::new(v, 0.0)).collect();
    FftPlanner::new().plan_fft_forward(p).process(&mut sums);
    let p = p as f64;
    sums.iter()
        .enumerate()
        .map(|(k, sum)| if k == 0 { sum / p } else { sum * 2.0 * (p - k as f64) / (p * p) })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    fn value_and_slope(alpha: &[Complex64], x: f64) -> (f64, f64) {
        let term = |k: usize| alpha[k] * Complex64::from_polar(1.0, TAU * k as f64 * x);
        let value = (0..alpha.len()).map(|k| term(k).re).sum();
        let slope = (0..alpha.len()).map(|k| -term(k).im * TAU * k as f64).sum();
        (value, slope)
    }

    #[test]
    fn interpolates_with_zero_slope() {
        for p in [2usize, 3, 4, 5, 7, 12, 16, 100, 256, 257, 512] {
            let random = (0..p).map(|l| ((l * l * 7919 + 13 * l) % 97) as f64 / 97.0).collect();
            let tables: [Vec<f64>; 3] = [
                random,
                vec![0.5; p],
                (0..p).map(|l| l as f64 / p as f64).collect(),
            ];
            for f in &tables {
                let alpha = trigonometric_hermite(f);
                assert_eq!(alpha.len(), p);
                for (l, expected) in f.iter().enumerate() {
                    let (value, slope) = value_and_slope(&alpha, l as f64 / p as f64);
                    assert!((value - expected).abs() < 1e-10, "p = {p}, l = {l}");
                    assert!(slope.abs() < 1e-7, "p = {p}, l = {l}: slope {slope}");
                }
            }
        }
    }

    #[test]
    fn two_values_need_a_cosine_only() {
        let alpha = trigonometric_hermite(&[1.0, 4.0]);
        for x in [0.0, 0.1, 0.3, 0.5] {
            let cosine = (TAU * x / 2.0).cos();
            let direct = 4.0 + (1.0 - 4.0) * cosine * cosine;
            assert!((value_and_slope(&alpha, x).0 - direct).abs() < 1e-12);
        }
    }
}
