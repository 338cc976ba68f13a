//! Polynomial Hermite interpolation of any order at arbitrary points (Section 3.5 of Alexandru, Kim, Polyakov, CRYPTO
//! 2025, ePrint 2024/1623): evaluates a table, or cleans real numbers near some points, without any bootstrap.

use num_complex::Complex64;

use crate::chebyshev::ChebyshevSeries;
use cryptable_lattice::error::{Error, Result, check_equal, check_within};

/// Highest order: the number of derivatives that vanish.
const MAX_ORDER: u64 = 15;

/// Largest number of coefficients.
const MAX_COEFFICIENTS: u64 = 1 << 12;

/// Number of samples of a deviation on either side of a point.
const DEVIATION_SAMPLES: u32 = 8;

/// The polynomial R of degree below `p(M + 1)` with `R(x_k) = f_k` and vanishing first M derivatives at p points `x_k`
/// of [-1, 1], as a Chebyshev series.
///
/// `R(x) = Σ_k f_k·B_k(x)`, `B_k(x) = ℓ_k(x)^(M+1)·S_k(x - x_k)`, where `ℓ_k` is Lagrange's basis polynomial, and `S_k`
/// the Taylor polynomial of degree M of `ℓ_k^-(M+1)` about `x_k` (equation (21), for any M). R is computed as products,
/// at the zeros of a Chebyshev polynomial; its precision is limited only by the size of the `B_k` there.
///
/// Noise ε in an input `x_k + ε` becomes `C_k·ε^(M+1)` to the leading order
/// ([`HermitePolynomial::error_coefficients`]). Equidistant points are badly conditioned for any method: R is large
/// between the outermost points, so that the coefficients of random tables of 8, 12 and 16 points add up to 2^2, 2^8
/// and 2^13 for the first order (by formula).
///
/// ```
/// use cryptable_ckks::polynomial_hermite::HermitePolynomial;
/// // 3x² - 2x³, which cleans bits.
/// let h1 = HermitePolynomial::new(&[0.0, 1.0], &[0.0, 1.0], 1)?;
/// assert!((h1.evaluate(0.01) - 0.000_298).abs() < 1e-15);
/// assert!((h1.error_coefficients()[0] - 3.0).abs() < 1e-12);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HermitePolynomial {
    points: Vec<f64>,
    values: Vec<f64>,
    order: usize,
    /// Taylor coefficients 0 to M + 1 of `ℓ_k^-(M+1)` about `x_k`.
    expansions: Vec<Vec<f64>>,
    series: ChebyshevSeries,
}

impl HermitePolynomial {
    /// Interpolates values at points. The first `order` derivatives vanish there; order 0 is Lagrange's interpolation.
    ///
    /// # Errors
    /// If there are no points, the number of values differs, a number is not finite, a point is outside [-1, 1], two
    /// points are equal, the order is above 15, or there would be more than 4,096 coefficients.
    pub fn new(points: &[f64], values: &[f64], order: usize) -> Result<Self> {
        check(points, values, order)?;
        let expansions = (0..points.len()).map(|k| expansion(points, k, order)).collect();
        let series = ChebyshevSeries { coefficients: Vec::new() };
        let (points, values) = (points.to_vec(), values.to_vec());
        let mut polynomial = Self { points, values, order, expansions, series };
        let degree = polynomial.points.len() * (order + 1) - 1;
        let value = |x| Complex64::from(polynomial.evaluate(x));
        polynomial.series = ChebyshevSeries::interpolate(value, degree);
        Ok(polynomial)
    }

    /// Returns the points `x_k`.
    #[must_use]
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Returns the values `f_k`.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number M of derivatives that vanish.
    #[must_use]
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns the Chebyshev series of R: `p(M + 1)` coefficients.
    #[must_use]
    pub fn series(&self) -> &ChebyshevSeries {
        &self.series
    }

    /// `Σ_k |c_k|` of the Chebyshev series: an upper bound on R in [-1, 1], and on the amplification of errors of the
    /// `T_k(x)`.
    #[must_use]
    pub fn magnitude(&self) -> f64 {
        self.series.coefficients.iter().map(|c| c.norm()).sum()
    }

    /// Evaluates R(x) from the products, without the series.
    #[must_use]
    pub fn evaluate(&self, x: f64) -> f64 {
        (0..self.points.len()).map(|k| self.values[k] * self.basis(k, x)).sum()
    }

    /// `C_k` for all points, where `R(x_k + ε) = f_k + C_k·ε^(M+1) + O(ε^(M+2))`:
    /// `C_k = Σ_{l ≠ k} f_l·ℓ'_l(x_k)^(M+1)·S_l(x_k - x_l) - f_k·g_{k,M+1}`, g the Taylor coefficients of `ℓ_k^-(M+1)`.
    #[must_use]
    pub fn error_coefficients(&self) -> Vec<f64> {
        (0..self.points.len()).map(|k| self.error_coefficient(k)).collect()
    }

    /// Returns the largest error of R within ε of a point, by samples: `max_k max_{|e| <= ε} |R(x_k + e) - f_k|`.
    #[must_use]
    pub fn largest_deviation(&self, epsilon: f64) -> f64 {
        let at = |k: usize| {
            let fractions =
                (1..=DEVIATION_SAMPLES).map(|i| f64::from(i) / f64::from(DEVIATION_SAMPLES));
            let both = fractions.flat_map(|part| [part * epsilon, -part * epsilon]);
            both.map(|e| self.deviation(k, e).abs()).fold(0.0, f64::max)
        };
        (0..self.points.len()).map(at).fold(0.0, f64::max)
    }

    /// Returns the mean square error of R, over the points, for inputs with Gaussian errors of this variance.
    #[must_use]
    pub fn mean_square_deviation(&self, variance: f64) -> f64 {
        /// Number of points of the sum over the Gaussian on either side, in quarters of its deviation.
        const POINTS: i32 = 32;
        let (mut sum, mut weights) = (0.0, 0.0);
        for point in -POINTS..=POINTS {
            let ratio = f64::from(point) / 4.0;
            let weight = (-ratio * ratio / 2.0).exp();
            let error = ratio * variance.sqrt();
            let squares = (0..self.points.len()).map(|k| self.deviation(k, error).powi(2));
            sum += weight * squares.sum::<f64>();
            weights += weight;
        }
        sum / weights / self.points.len() as f64
    }

    /// `R(x_k + e) - f_k`.
    fn deviation(&self, k: usize, error: f64) -> f64 {
        let x = self.points[k] + error;
        let terms = (0..self.points.len()).map(|l| {
            let basis = self.basis(l, x);
            self.values[l] * if l == k { basis - 1.0 } else { basis }
        });
        terms.sum()
    }

    /// `ℓ_k(x)^(M+1)·S_k(x - x_k)`.
    fn basis(&self, k: usize, x: f64) -> f64 {
        let at = self.points[k];
        let others = self.points.iter().enumerate().filter(|&(j, _)| j != k);
        let lagrange: f64 = others.map(|(_, &other)| (x - other) / (at - other)).product();
        lagrange.powi(self.order as i32 + 1) * self.taylor(k, x - at)
    }

    /// `S_k(h)`, by Horner's rule.
    fn taylor(&self, k: usize, h: f64) -> f64 {
        self.expansions[k][..=self.order].iter().rev().fold(0.0, |sum, g| sum * h + g)
    }

    fn error_coefficient(&self, k: usize) -> f64 {
        let x = self.points[k];
        let of_others = (0..self.points.len()).filter(|&l| l != k).map(|l| {
            let at = self.points[l];
            let others = self.points.iter().enumerate().filter(|&(j, _)| j != l && j != k);
            let slope =
                others.map(|(_, &other)| (x - other) / (at - other)).product::<f64>() / (at - x);
            self.values[l] * slope.powi(self.order as i32 + 1) * self.taylor(l, x - at)
        });
        of_others.sum::<f64>() - self.values[k] * self.expansions[k][self.order + 1]
    }
}

/// Taylor coefficients 0 to M + 1 of `g = ℓ_k^-(M+1)` about `x_k`.
///
/// `g'/g = -(M + 1)·Σ_{j ≠ k} 1/(d_j + h)`, `d_j = x_k - x_j`, whose coefficients are sums of powers of `1/d_j`.
fn expansion(points: &[f64], k: usize, order: usize) -> Vec<f64> {
    let inverses: Vec<f64> = points
        .iter()
        .enumerate()
        .filter(|&(j, _)| j != k)
        .map(|(_, &other)| 1.0 / (points[k] - other))
        .collect();
    let logarithmic: Vec<f64> = (0..=order)
        .map(|i| {
            let sum: f64 = inverses.iter().map(|d| d.powi(i as i32 + 1)).sum();
            sum * (order + 1) as f64 * if i % 2 == 0 { -1.0 } else { 1.0 }
        })
        .collect();
    let mut g = vec![1.0];
    for n in 0..=order {
        let next: f64 = (0..=n).map(|i| logarithmic[i] * g[n - i]).sum();
        g.push(next / (n + 1) as f64);
    }
    g
}

fn check(points: &[f64], values: &[f64], order: usize) -> Result<()> {
    let count = points.len() as u64;
    if count == 0 {
        return Err(Error::TooSmall { name: "number of points", value: 0, limit: 1 });
    }
    check_equal("number of values", values.len(), points.len())?;
    let order = order as u64;
    check_within("order of the interpolation", order, ..=MAX_ORDER)?;
    let value = count.saturating_mul(order + 1);
    check_within("number of coefficients of the interpolation", value, ..=MAX_COEFFICIENTS)?;
    let refuse =
        |name, value, limit: &str| Err(Error::Parameter { name, value, limit: limit.into() });
    for (index, &point) in points.iter().enumerate() {
        if !(-1.0..=1.0).contains(&point) {
            return refuse("point of the interpolation", point, "it must be from -1 to 1");
        }
        if points[..index].contains(&point) {
            return refuse("point of the interpolation", point, "it must be there once only");
        }
    }
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => refuse("value of the interpolation", value, "it must be finite"),
        None => Ok(()),
    }
}
