//! Tables on slots without a bootstrap: polynomial Hermite interpolation evaluated on slots that hold points and noise
//! (Section 3.5 of Alexandru, Kim, Polyakov, CRYPTO 2025, ePrint 2024/1623).

use cryptable_lattice::error::{Error, Result};
use num_complex::Complex64;

use crate::dry_run::{Shape, SlotNoise};
use crate::paterson_stockmeyer::{PolynomialBasis, Steps};
use crate::polynomial_hermite::HermitePolynomial;
use crate::{Arithmetic, DryRun};

/// A function of some real numbers, ready to be evaluated on slots that hold them with noise: step functions, tables of
/// small integers, cleanings.
///
/// Slots `x_k + e` become `f_k + C_k·e^(M+1)`, where M is the order. p points need `⌈log2(p(M + 1))⌉` levels (at least
/// one), and one more to map slots to [-1, 1] if points are outside.
///
/// ```
/// use cryptable_ckks::leveled_table::LeveledTable;
/// let table = LeveledTable::of_integers(&[0.0, 1.0, 4.0, 9.0], 1)?;
/// assert_eq!(table.levels(), 4);
/// // In the clear, an input that is off by 1 %:
/// assert!((table.function(2.01) - 4.0).abs() < 0.01);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LeveledTable {
    /// Subtracted from slots before they are divided.
    centre: f64,
    radius: f64,
    polynomial: HermitePolynomial,
    /// Chebyshev coefficients, a power of two of them.
    coefficients: Vec<Complex64>,
}

impl LeveledTable {
    /// Interpolates these values at these points. The first `order` derivatives vanish there.
    ///
    /// # Errors
    /// The errors of [`HermitePolynomial::new`], except that points may be any finite numbers.
    pub fn new(points: &[f64], values: &[f64], order: usize) -> Result<Self> {
        if let Some(&value) = points.iter().find(|point| !point.is_finite()) {
            let (name, limit) = ("point of the interpolation", "it must be finite".into());
            return Err(Error::Parameter { name, value, limit });
        }
        let least = points.iter().copied().fold(f64::INFINITY, f64::min);
        let most = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (centre, radius) = if points.is_empty() || (least >= -1.0 && most <= 1.0) {
            (0.0, 1.0)
        } else if least < most {
            (least.midpoint(most), most / 2.0 - least / 2.0)
        } else {
            (least, 1.0)
        };
        let moved: Vec<f64> =
            points.iter().map(|x| ((x - centre) / radius).clamp(-1.0, 1.0)).collect();
        let polynomial = HermitePolynomial::new(&moved, values, order)?;
        let mut coefficients = polynomial.series().coefficients.clone();
        coefficients.resize(coefficients.len().next_power_of_two().max(2), Complex64::ZERO);
        Ok(Self { centre, radius, polynomial, coefficients })
    }

    /// Returns the table with `values[m]` at m = 0, 1, ….
    ///
    /// # Errors
    /// The errors of [`LeveledTable::new`].
    pub fn of_integers(values: &[f64], order: usize) -> Result<Self> {
        let points: Vec<f64> = (0..values.len()).map(|m| m as f64).collect();
        Self::new(&points, values, order)
    }

    /// Returns the polynomial, as a function of slots mapped to [-1, 1].
    #[must_use]
    pub fn polynomial(&self) -> &HermitePolynomial {
        &self.polynomial
    }

    /// Evaluates the function in the clear.
    #[must_use]
    pub fn function(&self, x: f64) -> f64 {
        self.polynomial.evaluate((x - self.centre) / self.radius)
    }

    /// Returns the largest error of outputs if inputs have errors of up to `error`, without the noise of the
    /// evaluation.
    #[must_use]
    pub fn largest_deviation(&self, error: f64) -> f64 {
        self.polynomial.largest_deviation(error / self.radius)
    }

    /// Levels that the evaluation consumes.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.coefficients.len().ilog2() as usize + usize::from(self.moves())
    }

    /// Returns the distance of the two closest points.
    #[must_use]
    pub fn least_distance(&self) -> f64 {
        let points = self.polynomial.points();
        let pairs = points
            .iter()
            .enumerate()
            .flat_map(|(k, x)| points[..k].iter().map(move |y| (x - y).abs()));
        self.radius * pairs.fold(f64::INFINITY, f64::min)
    }

    /// Evaluates the table on slots, to an exact scale.
    ///
    /// # Panics
    /// If the ciphertext has fewer levels than [`LeveledTable::levels`].
    pub fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        ct: &A::Ciphertext,
        scale: f64,
    ) -> A::Ciphertext {
        let x = if self.moves() { self.moved(arithmetic, ct) } else { ct.clone() };
        let log_length = self.coefficients.len().ilog2();
        let log_babies = log_length.div_ceil(2);
        let basis = PolynomialBasis::Chebyshev;
        let steps = Steps::new(arithmetic, basis, &x, log_length, log_babies);
        steps.evaluate_at_least_depth(arithmetic, &self.coefficients, scale)
    }

    /// Predicts the result by a dry run: the noise that the evaluation adds, and the rest of the input's noise, taken
    /// as Gaussian, which the polynomial raises to the power `M + 1`.
    #[must_use]
    pub fn predict(&self, dry_run: &DryRun, input: Shape, scale: f64) -> Shape {
        let mut result = self.predict_exact(dry_run, input, scale);
        let variance = input.noise.total() / (self.radius * self.radius);
        result.noise += SlotNoise::fixed(self.polynomial.mean_square_deviation(variance), 0.0);
        result
    }

    /// Predicts the result for an input without noise: only the noise that the evaluation adds.
    #[must_use]
    pub fn predict_exact(&self, dry_run: &DryRun, input: Shape, scale: f64) -> Shape {
        let exact = Shape { noise: SlotNoise::ZERO, ..input };
        let mut result = self.evaluate(dry_run, &exact, scale);
        let squares: f64 = self.polynomial.values().iter().map(|f| f * f).sum();
        dry_run.declare_power(&mut result, squares / self.polynomial.values().len() as f64);
        result
    }

    fn moves(&self) -> bool {
        self.centre != 0.0 || self.radius != 1.0
    }

    /// `(x - centre)/radius`, a level below, at the input's scale.
    fn moved<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> A::Ciphertext {
        let limbs = arithmetic.limbs(ct);
        let scale = arithmetic.scale(ct) * arithmetic.prime(limbs - 1);
        let row = [vec![Complex64::from(1.0 / self.radius)]];
        let wide = arithmetic.linear_combinations(limbs, &[ct], &row, scale).swap_remove(0);
        let mut moved = arithmetic.rescale(wide, 1);
        arithmetic.add_constant_assign(&mut moved, Complex64::from(-self.centre / self.radius));
        arithmetic.declare_power(&mut moved, 1.0);
        moved
    }
}
