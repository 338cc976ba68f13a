//! Trigonometric Hermite interpolation of first, second and third order (Theorems 1 to 3 of Alexandru, Kim, Polyakov,
//! CRYPTO 2025, ePrint 2024/1623), and what it does to the noise of its input.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::akp::fourier_sums::FourierSums;
use crate::akp::hermite_kernel::{HermiteKernel, HermiteOrder};

/// The coefficients α of `T(x) = α_0 + Σ_{k=1}^{n-1} α_k·e^{2πikx}`, of which R = Re T has `R(l/p) = f(l)`, and the first
/// M derivatives 0, at every l; f is given by its p >= 1 values, n by the order M ([`HermiteOrder::coefficients`]).
///
/// `α_0 = c_0·Σ_l f(l)`, `α_k = 2·c_k·Σ_l f(l)·e^{-2πikl/p}`, c the [`HermiteKernel`]: for M = 1, `c_k = (p-k)/p²`.
///
/// R is the only trigonometric polynomial of that degree to do so. Noise ε in an input l/p + ε leaves as
/// `f(l) + ε^(M+1)·R^(M+1)(l/p)/(M+1)!`, for M = 1 squared ([`curvature`]).
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
    // Real values have the conjugates of sums with the other sign.
    let sums = transform(values.iter().map(|&v| Complex64::from(v)));
    let coefficients = kernel.coefficients().iter().enumerate();
    coefficients
        .map(|(k, c)| sums[k % values.len()].conj() * if k == 0 { *c } else { 2.0 * c })
        .collect()
}

/// `z_m·T'(z_m)` at all nodes `z_m = e^{2πim/p}`, for `T(z) = Σ_k α_k·z^k` of first order, p = number of coefficients.
///
/// A small relative error δ of z, complex, changes the output `Re T(z)` by `Re(z·T'(z)·δ)` to first
/// order. Where α interpolates a real table, `z_m·T'(z_m)` is real, because its imaginary part is
/// `-R'(m/p)/2π = 0`: errors of phase cancel and errors of modulus are what counts, `g_m·Re δ`. Those
/// come from the evaluation of z itself. The gains of a table f are
///
/// `g_m = Σ_l f(l)·G(m - l)`, `G(0) = (p² - 1)/3p`, `G(d) = -1/(p·sin²(πd/p))`,
///
/// and so at most `2(p² - 1)/3p · max |f|`.
///
/// ```
/// use cryptable_packed::{HermiteOrder, radial_gains, trigonometric_hermite};
/// // A delta: G(0) at its node.
/// let gains = radial_gains(&trigonometric_hermite(&[1.0, 0.0, 0.0, 0.0], HermiteOrder::First));
/// assert!((gains[0].re - 15.0 / 12.0).abs() < 1e-12);
/// ```
///
/// # Panics
/// If there are no coefficients.
#[must_use]
pub fn radial_gains(coefficients: &[Complex64]) -> Vec<Complex64> {
    let terms = coefficients.iter().enumerate().map(|(k, alpha)| alpha * k as f64);
    transform(terms)
}

/// The sizes of all [`radial_gains`] of one table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseGain {
    /// The largest modulus: for the worst input.
    pub largest: f64,
    /// The root mean square over all inputs.
    pub root_mean_square: f64,
}

/// How much interpolation amplifies relative errors of `z = e^{2πix}`, at the worst input and on
/// average.
///
/// For independent errors of the real and the imaginary part with standard deviation σ each, the
/// output's error at input m has standard deviation `|z_m·T'(z_m)|·σ`.
///
/// ```
/// use cryptable_packed::{HermiteOrder, noise_gain, trigonometric_hermite};
/// let gain = noise_gain(&trigonometric_hermite(&[0.5, -0.5], HermiteOrder::First));
/// assert!((gain.largest - 0.5).abs() < 1e-12 && (gain.root_mean_square - 0.5).abs() < 1e-12);
/// ```
///
/// # Panics
/// If there are no coefficients.
#[must_use]
pub fn noise_gain(coefficients: &[Complex64]) -> NoiseGain {
    let squares: Vec<f64> = radial_gains(coefficients).iter().map(|g| g.norm_sqr()).collect();
    NoiseGain {
        largest: squares.iter().copied().fold(0.0, f64::max).sqrt(),
        root_mean_square: (squares.iter().sum::<f64>() / squares.len() as f64).sqrt(),
    }
}

/// `R''(m/p)` at all nodes, for `R(x) = Re Σ_k α_k·e^{2πikx}` of first order, p = number of coefficients.
///
/// `R''(x) = -4π²·Re Σ_k k²·α_k·e^{2πikx}`. Where α interpolates a real table it is `-2π²p·g_m`, g the
/// [`radial_gains`], and so at most `4π²(p² - 1)/3 · max |f|`.
///
/// ```
/// use std::f64::consts::PI;
/// use cryptable_packed::{HermiteOrder, curvature, trigonometric_hermite};
/// // (1 + cos 2πx)/2 is at its top at 0 and at its bottom at 1/2.
/// let curvature = curvature(&trigonometric_hermite(&[1.0, 0.0], HermiteOrder::First));
/// assert!((curvature[0] + 2.0 * PI * PI).abs() < 1e-12);
/// assert!((curvature[1] - 2.0 * PI * PI).abs() < 1e-12);
/// ```
///
/// # Panics
/// If there are no coefficients.
#[must_use]
pub fn curvature(coefficients: &[Complex64]) -> Vec<f64> {
    let terms = coefficients.iter().enumerate().map(|(k, alpha)| alpha * (k * k) as f64);
    let sums = transform(terms);
    sums.into_iter().map(|sum| -TAU * TAU * sum.re).collect()
}

/// The discrete Fourier transform of any length, without a factor 1/p.
fn transform(values: impl Iterator<Item = Complex64>) -> Vec<Complex64> {
    let values: Vec<Complex64> = values.collect();
    assert!(!values.is_empty(), "an interpolation needs values");
    FourierSums::new(values.len()).of(&values)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    const SIZES: [usize; 11] = [2, 3, 4, 5, 7, 12, 16, 100, 256, 257, 512];

    /// Equation (17) of the paper term by term, for a table of every size.
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

    /// T as a polynomial in z.
    fn polynomial(alpha: &[Complex64], z: Complex64) -> Complex64 {
        alpha.iter().rev().fold(Complex64::ZERO, |sum, c| sum * z + c)
    }

    fn largest(values: impl Iterator<Item = f64>) -> f64 {
        values.map(f64::abs).fold(0.0, f64::max)
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
            assert!(largest(alpha[1..].iter().map(|c| c.norm())) < 1e-14);
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

    #[test]
    fn gains_are_finite_differences() {
        for p in SIZES {
            // Any coefficients: those of a table have real gains, which would hide errors of sign.
            let random = random_table(2 * p);
            let any = (0..p).map(|k| Complex64::new(random[k], random[p + k]) / p as f64).collect();
            for alpha in [trigonometric_hermite(&random[..p], HermiteOrder::First), any] {
                let gains = radial_gains(&alpha);
                let step = 1e-5 / p as f64;
                for (m, gain) in gains.iter().enumerate() {
                    let z = Complex64::from_polar(1.0, TAU * m as f64 / p as f64);
                    for direction in [Complex64::ONE, Complex64::I] {
                        let delta = direction * step;
                        let difference = polynomial(&alpha, z * (1.0 + delta))
                            - polynomial(&alpha, z * (1.0 - delta));
                        let expected = difference.re / (2.0 * step);
                        let error = ((gain * direction).re - expected).abs();
                        assert!(error < 1e-6 * p as f64, "p = {p}, m = {m}: {error:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn curvature_is_a_second_difference() {
        for p in SIZES {
            let random = random_table(2 * p);
            let any: Vec<_> =
                (0..p).map(|k| Complex64::new(random[k], random[p + k]) / p as f64).collect();
            let step = 1e-3 / p as f64;
            for alpha in [trigonometric_hermite(&random[..p], HermiteOrder::First), any] {
                for (m, found) in curvature(&alpha).into_iter().enumerate() {
                    let value = |shift: f64| value_and_slope(&alpha, m as f64 / p as f64 + shift).0;
                    let expected = (value(step) - 2.0 * value(0.0) + value(-step)) / (step * step);
                    let error = (found - expected).abs() / (p * p) as f64;
                    assert!(error < 1e-3, "p = {p}, m = {m}: {found} and {expected}");
                }
            }
        }
    }

    #[test]
    fn gains_of_tables_follow_the_closed_form() {
        for p in SIZES {
            let f = random_table(p);
            let alpha = trigonometric_hermite(&f, HermiteOrder::First);
            let (gains, curvature) = (radial_gains(&alpha), curvature(&alpha));
            let kernel = |d: usize| match d {
                0 => ((p * p - 1) as f64) / (3 * p) as f64,
                d => -1.0 / (p as f64 * (PI * d as f64 / p as f64).sin().powi(2)),
            };
            for (m, gain) in gains.iter().enumerate() {
                let closed: f64 = (0..p).map(|l| f[l] * kernel((m + p - l) % p)).sum();
                assert!((gain - closed).norm() < 1e-10 * p as f64, "p = {p}: {gain}, {closed}");
                let expected = -2.0 * PI * PI * p as f64 * gain.re;
                assert!((curvature[m] - expected).abs() < 1e-9 * (p * p * p) as f64, "p = {p}");
            }
            let mean = gains.iter().map(|g| g.norm_sqr()).sum::<f64>() / p as f64;
            let gain = noise_gain(&alpha);
            assert!((gain.root_mean_square - mean.sqrt()).abs() < 1e-12 * p as f64);
            assert_eq!(gain.largest, largest(gains.iter().map(|g| g.norm())));
        }
    }

    #[test]
    fn the_largest_gain_is_that_of_a_single_peak() {
        for p in SIZES {
            let limit = 2.0 * (p * p - 1) as f64 / (3 * p) as f64;
            assert!(
                noise_gain(&trigonometric_hermite(&random_table(p), HermiteOrder::First)).largest
                    < (1.0 + 1e-9) * limit
            );
            let peak: Vec<f64> = (0..p).map(|l| if l == 1 { 1.0 } else { -1.0 }).collect();
            let alpha = trigonometric_hermite(&peak, HermiteOrder::First);
            assert!((noise_gain(&alpha).largest - limit).abs() < 1e-10 * limit, "p = {p}");
            let steepest = 2.0 * PI * PI * p as f64 * limit;
            assert!((largest(curvature(&alpha).into_iter()) / steepest - 1.0).abs() < 1e-9);
        }
    }
}
