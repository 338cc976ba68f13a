//! Chebyshev series.

use std::f64::consts::PI;

use num_complex::Complex64;

/// `Σ_k c_k·T_k(x)` on [-1, 1].
///
/// ```
/// use cryptable_ckks::chebyshev::ChebyshevSeries;
/// use num_complex::Complex64;
/// let wave = |x: f64| Complex64::from_polar(1.0, 5.0 * x);
/// let series = ChebyshevSeries::interpolate(wave, 31);
/// assert!(series.max_error(wave, 200) < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ChebyshevSeries {
    /// c_0, c_1, …
    pub coefficients: Vec<Complex64>,
}

impl ChebyshevSeries {
    /// Interpolates f at the `degree + 1` Chebyshev nodes.
    #[must_use]
    pub fn interpolate(f: impl Fn(f64) -> Complex64, degree: usize) -> Self {
        let count = degree + 1;
        let angle = |j: usize| PI * (j as f64 + 0.5) / count as f64;
        let samples: Vec<Complex64> = (0..count).map(|j| f(angle(j).cos())).collect();
        let coefficients = (0..count)
            .map(|k| {
                let sum: Complex64 =
                    (0..count).map(|j| samples[j] * (k as f64 * angle(j)).cos()).sum();
                sum * if k == 0 { 1.0 } else { 2.0 } / count as f64
            })
            .collect();
        Self { coefficients }
    }

    /// The value at x, by Clenshaw's recurrence.
    #[must_use]
    pub fn evaluate(&self, x: f64) -> Complex64 {
        let (mut b1, mut b2) = (Complex64::ZERO, Complex64::ZERO);
        for &c in self.coefficients.iter().skip(1).rev() {
            (b1, b2) = (c + 2.0 * x * b1 - b2, b1);
        }
        self.coefficients[0] + x * b1 - b2
    }

    /// Largest distance to f at `samples + 1` equidistant points.
    #[must_use]
    pub fn max_error(&self, f: impl Fn(f64) -> Complex64, samples: usize) -> f64 {
        (0..=samples)
            .map(|i| {
                let x = 2.0 * i as f64 / samples as f64 - 1.0;
                (self.evaluate(x) - f(x)).norm()
            })
            .fold(0.0, f64::max)
    }
}
