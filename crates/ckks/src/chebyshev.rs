//! Chebyshev series of functions on [-1, 1]: interpolation, evaluation in the clear, bounds of their errors.

use std::f64::consts::PI;

use num_complex::Complex64;

/// `Σ_k c_k·T_k(x)` on [-1, 1], where `T_k(cos θ) = cos kθ`.
///
/// ```
/// use cryptable_ckks::chebyshev::ChebyshevSeries;
/// use num_complex::Complex64;
/// let exponential = |x: f64| Complex64::from_polar(1.0, 5.0 * x);
/// let series = ChebyshevSeries::interpolate(exponential, 31);
/// assert!(series.max_error(exponential, 200) < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ChebyshevSeries {
    /// c_0, c_1, …; an empty list is the series 0.
    pub coefficients: Vec<Complex64>,
}

impl ChebyshevSeries {
    /// Interpolates f at the `degree + 1` zeros of `T_(degree + 1)`: `x_j = cos(π(2j + 1)/2(degree + 1))`.
    ///
    /// `c_k = (2 - [k = 0])/(degree + 1) · Σ_j f(x_j)·T_k(x_j)`, in O(degree²) steps. The error is at most twice the
    /// sum of the absolute coefficients of f beyond `degree`: these are truncated, and alias onto the others.
    #[must_use]
    pub fn interpolate(f: impl Fn(f64) -> Complex64, degree: usize) -> Self {
        let count = degree + 1;
        // All angles are multiples of π/(2·count); reduced to one turn as integers, they are accurate.
        let turn = 4 * count;
        let cosines: Vec<f64> =
            (0..turn).map(|i| (PI * i as f64 / (2 * count) as f64).cos()).collect();
        let cosine = |i: usize| cosines[i % turn];
        let samples: Vec<Complex64> = (0..count).map(|j| f(cosine(2 * j + 1))).collect();
        let coefficients = (0..count)
            .map(|k| {
                let terms = samples.iter().enumerate().map(|(j, f)| f * cosine(k * (2 * j + 1)));
                terms.sum::<Complex64>() * if k == 0 { 1.0 } else { 2.0 } / count as f64
            })
            .collect();
        Self { coefficients }
    }

    /// Returns the series of `e^{iax}` up to `degree`: `c_0 = J_0(a)`, `c_k = 2·i^k·J_k(a)` (Jacobi-Anger).
    ///
    /// Its error is at most [`Self::exponential_truncation_error`].
    ///
    /// ```
    /// use cryptable_ckks::chebyshev::ChebyshevSeries;
    /// let series = ChebyshevSeries::exponential(5.0, 31);
    /// assert!((series.evaluate(0.3).re - 1.5f64.cos()).abs() < 1e-14);
    /// ```
    ///
    /// # Panics
    /// If a is not finite.
    #[must_use]
    pub fn exponential(a: f64, degree: usize) -> Self {
        let powers = [Complex64::ONE, Complex64::I, -Complex64::ONE, -Complex64::I];
        let coefficients = bessel_j(a, degree)
            .into_iter()
            .enumerate()
            .map(|(k, j)| powers[k % 4] * if k == 0 { j } else { 2.0 * j })
            .collect();
        Self { coefficients }
    }

    /// A bound on the error of [`Self::exponential`] on [-1, 1]: `2·Σ_{k>degree} |J_k(a)|`.
    ///
    /// # Panics
    /// If a is not finite.
    #[must_use]
    pub fn exponential_truncation_error(a: f64, degree: usize) -> f64 {
        Self::exponential_truncation_errors(a, degree)[degree]
    }

    /// Returns the bounds of [`Self::exponential_truncation_error`] for every degree from 0 to `most`.
    ///
    /// From the first order K >= |a| on, terms are bounded by `|J_k(a)| <= (|a|/2)^k/k!`, a series whose terms at least
    /// halve.
    ///
    /// # Panics
    /// If a is not finite.
    #[must_use]
    pub fn exponential_truncation_errors(a: f64, most: usize) -> Vec<f64> {
        let order = most.max(a.abs().ceil() as usize) + 20;
        let first_left = (1..=order + 1).map(|k| a.abs() / (2 * k) as f64).product::<f64>();
        let mut error = 4.0 * first_left;
        let mut errors: Vec<f64> = bessel_j(a, order)
            .into_iter()
            .rev()
            .map(|j| {
                let of_degree = error;
                error += 2.0 * j.abs();
                of_degree
            })
            .collect();
        errors.reverse();
        errors.truncate(most + 1);
        errors
    }

    /// Returns the value at x in [-1, 1], by Clenshaw's recurrence.
    #[must_use]
    pub fn evaluate(&self, x: f64) -> Complex64 {
        let (mut b1, mut b2) = (Complex64::ZERO, Complex64::ZERO);
        for &c in self.coefficients.iter().skip(1).rev() {
            (b1, b2) = (c + 2.0 * x * b1 - b2, b1);
        }
        self.coefficients.first().copied().unwrap_or_default() + x * b1 - b2
    }

    /// Largest distance to f at `samples + 1` equidistant points, including both ends.
    ///
    /// # Panics
    /// If `samples` is 0.
    #[must_use]
    pub fn max_error(&self, f: impl Fn(f64) -> Complex64, samples: usize) -> f64 {
        assert!(samples > 0, "no samples");
        (0..=samples)
            .map(|i| {
                let x = 2.0 * i as f64 / samples as f64 - 1.0;
                (self.evaluate(x) - f(x)).norm()
            })
            .fold(0.0, f64::max)
    }
}

/// Returns the Bessel functions `J_0(a) … J_order(a)` of the first kind, within some 10^-15.
///
/// Miller's algorithm: `J_{k-1} = (2k/a)·J_k - J_{k+1}` is stable downwards. It starts with arbitrary
/// values at an order where J is negligible, and is normalized by `J_0 + 2·(J_2 + J_4 + …) = 1`.
///
/// ```
/// use cryptable_ckks::chebyshev::bessel_j;
/// let j = bessel_j(1.0, 1);
/// assert!((j[0] - 0.765_197_686_557_966_6).abs() < 1e-15);
/// assert!((j[1] - 0.440_050_585_744_933_5).abs() < 1e-15);
/// ```
///
/// # Panics
/// If a is not finite.
#[must_use]
pub fn bessel_j(a: f64, order: usize) -> Vec<f64> {
    assert!(a.is_finite(), "argument {a}");
    // Below this, J_k is (a/2)^k/k! to the last bit, and 2k/a may overflow.
    if a.abs() < 1e-8 {
        let leading = |k: usize| (1..=k).map(|i| a / (2 * i) as f64).product();
        return (0..=order).map(leading).collect();
    }
    // J falls below 10^-16 within some 15·a^(1/3) orders beyond a.
    let turning = a.abs() + 15.0 * a.abs().cbrt() + 40.0;
    let start = order.max(turning as usize) + 20;
    let mut values = vec![0.0; start + 2];
    values[start] = 1e-300;
    for k in (1..=start).rev() {
        values[k - 1] = 2.0 * k as f64 / a * values[k] - values[k + 1];
        if values[k - 1].abs() > 1e200 {
            // Orders that underflow here are negligible.
            values[k - 1..].iter_mut().for_each(|v| *v *= 1e-200);
        }
    }
    let total = values[0] + 2.0 * values.iter().skip(2).step_by(2).sum::<f64>();
    values.truncate(order + 1);
    values.iter_mut().for_each(|v| *v /= total);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exponential(a: f64) -> impl Fn(f64) -> Complex64 {
        move |x| Complex64::from_polar(1.0, a * x)
    }

    #[test]
    fn polynomials_are_reproduced() {
        // 3 + 2·T_1 - i·T_3, T_3 = 4x³ - 3x.
        let f = |x: f64| Complex64::new(3.0 + 2.0 * x, 3.0 * x - 4.0 * x * x * x);
        let series = ChebyshevSeries::interpolate(f, 5);
        let expected = [(3.0, 0.0), (2.0, 0.0), (0.0, 0.0), (0.0, -1.0), (0.0, 0.0), (0.0, 0.0)];
        for (c, (re, im)) in series.coefficients.iter().zip(expected) {
            assert!((c - Complex64::new(re, im)).norm() < 1e-15);
        }
        for x in [-1.0, -0.3, 0.0, 0.71, 1.0] {
            assert!((series.evaluate(x) - f(x)).norm() < 1e-14);
        }
        assert_eq!(ChebyshevSeries { coefficients: Vec::new() }.evaluate(0.5), Complex64::ZERO);
    }

    #[test]
    fn bessel_functions_agree_with_their_integral() {
        // J_k(a) = (1/π)·∫_0^π cos(kθ - a·sin θ) dθ; the midpoint rule is exact for smooth periodic
        // functions.
        for a in [-20.0, -1e-9, 0.0, 1e-9, 1e-3, 0.5, 3.0, 12.96, 103.7] {
            let values = bessel_j(a, 60);
            for (k, &found) in values.iter().enumerate() {
                let steps = 400;
                let f = |theta: f64| (k as f64 * theta - a * theta.sin()).cos();
                let nodes = (0..steps).map(|i| PI * (f64::from(i) + 0.5) / f64::from(steps));
                let expected = nodes.map(f).sum::<f64>() / f64::from(steps);
                assert!((found - expected).abs() < 1e-14, "J_{k}({a}): {found} and {expected}");
            }
        }
    }

    #[test]
    fn closed_form_and_interpolation_of_exponentials_agree() {
        for (a, degree) in [(0.5, 15), (3.24, 31), (-12.96, 63), (25.9, 63), (103.7, 170)] {
            let closed = ChebyshevSeries::exponential(a, degree);
            let interpolated = ChebyshevSeries::interpolate(exponential(a), degree);
            assert_eq!(closed.coefficients.len(), interpolated.coefficients.len());
            for (c, d) in closed.coefficients.iter().zip(&interpolated.coefficients) {
                assert!((c - d).norm() < 1e-13, "a = {a}: {c} and {d}");
            }
        }
    }

    #[test]
    fn truncation_errors_are_bounded_closely() {
        for (a, degree) in [(0.5, 3), (3.24, 7), (12.96, 10), (12.96, 31), (25.9, 40), (-25.9, 40)]
        {
            let bound = ChebyshevSeries::exponential_truncation_error(a, degree);
            let truncated = ChebyshevSeries::exponential(a, degree).max_error(exponential(a), 2000);
            assert!(truncated <= bound + 1e-14, "a = {a}: {truncated:e} above {bound:e}");
            assert!(truncated > 0.1 * bound - 1e-14, "a = {a}: {truncated:e}, bound {bound:e}");
            let interpolated = ChebyshevSeries::interpolate(exponential(a), degree);
            let interpolated = interpolated.max_error(exponential(a), 2000);
            assert!(interpolated <= 2.0 * bound + 1e-14, "a = {a}: {interpolated:e}");
        }
        assert_eq!(ChebyshevSeries::exponential_truncation_error(0.0, 0), 0.0);
    }
}
