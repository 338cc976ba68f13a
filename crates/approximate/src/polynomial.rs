//! Polynomials of slots, in the monomial and in the Chebyshev basis: by Paterson and Stockmeyer
//! (`ckks/src/paterson_stockmeyer.rs`), at the scales of levels.
//!
//! Levels: `⌈log2(d + 1)⌉` for degree d, one more where the interval is not [-1, 1].

use cryptable_ckks::Arithmetic;
use cryptable_ckks::chebyshev::ChebyshevSeries;
use cryptable_ckks::dry_run::SlotNoise;
use cryptable_ckks::paterson_stockmeyer::{PolynomialBasis, Steps};
use cryptable_lattice::error::{Result, demand};
use num_complex::Complex64;

use crate::bootstrap_circuit::EVALUATION_MARGIN;
use crate::bounds::SlotBounds;
use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;
use crate::levels::Levels;

/// Highest degree of a polynomial.
const MAX_DEGREE: usize = 1023;

/// A polynomial in the Chebyshev basis on an interval `[-b, b]`, exact or an approximation of another function.
///
/// ```
/// use cryptable_approximate::Polynomial;
/// let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
/// let series = Polynomial::interpolate(logistic, 8.0, 31)?;
/// assert!(series.max_error(logistic) < 1e-4);
/// let square = Polynomial::monomial(&[0.0, 0.0, 1.0], 2.0)?;
/// assert!((square.evaluate(1.5) - 2.25).abs() < 1e-12);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    series: ChebyshevSeries,
    interval: f64,
    /// Largest distance to the approximated function.
    bias: f64,
}

impl Polynomial {
    /// `Σ c_k·T_k(x/b)`.
    ///
    /// # Errors
    /// If there is no coefficient or more than 1024, a number is not finite, or b is not positive.
    pub fn chebyshev(coefficients: &[f64], interval: f64) -> Result<Self> {
        check_numbers(coefficients, interval)?;
        let coefficients = coefficients.iter().map(|&c| Complex64::from(c)).collect();
        Ok(Self { series: ChebyshevSeries { coefficients }, interval, bias: 0.0 })
    }

    /// `Σ c_k·x^k`, for x in `[-b, b]`, in the Chebyshev basis, where coefficients do not cancel.
    ///
    /// # Errors
    /// The errors of [`Polynomial::chebyshev`].
    pub fn monomial(coefficients: &[f64], interval: f64) -> Result<Self> {
        check_numbers(coefficients, interval)?;
        let value = |x: f64| coefficients.iter().rev().fold(0.0, |sum, c| sum * interval * x + c);
        let series = ChebyshevSeries::interpolate(|x| value(x).into(), coefficients.len() - 1);
        Ok(Self { series, interval, bias: 0.0 })
    }

    /// Interpolates f at the Chebyshev points of `[-b, b]` by a polynomial of this degree. Its distance to f, at 16
    /// points per degree, enters the bias of results.
    ///
    /// # Errors
    /// If the degree is above 1023, b is not positive, or a value is not finite.
    pub fn interpolate(f: impl Fn(f64) -> f64, interval: f64, degree: usize) -> Result<Self> {
        demand(degree <= MAX_DEGREE, "degree", degree as f64, "at most 1023")?;
        demand(interval > 0.0 && interval.is_finite(), "interval", interval, "above 0")?;
        let series = ChebyshevSeries::interpolate(|x| f(interval * x).into(), degree);
        let numbers: Vec<f64> = series.coefficients.iter().map(|c| c.re).collect();
        check_numbers(&numbers, interval)?;
        let mut found = Self { series, interval, bias: 0.0 };
        found.bias = found.max_error(f);
        Ok(found)
    }

    /// The degree of the polynomial.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.series.coefficients.len() - 1
    }

    /// Number of levels that an evaluation consumes.
    #[must_use]
    pub fn levels(&self) -> usize {
        log_length(self.degree()) as usize + usize::from(self.interval.to_bits() != 1f64.to_bits())
    }

    /// The value at x in `[-b, b]`.
    #[must_use]
    pub fn evaluate(&self, x: f64) -> f64 {
        self.series.evaluate(x / self.interval).re
    }

    /// Largest distance to f, at 16 points per degree.
    #[must_use]
    pub fn max_error(&self, f: impl Fn(f64) -> f64) -> f64 {
        let samples = 16 * (self.degree() + 1);
        self.series.max_error(|x| f(self.interval * x).into(), samples)
    }

    /// A bound on the absolute values: the smaller of the sum of absolute coefficients, and of the largest value at 16
    /// points per degree times the ratio from Bernstein's inequality.
    fn bound(&self) -> f64 {
        let sum: f64 = self.series.coefficients.iter().map(|c| c.norm()).sum();
        let samples = 16 * (self.degree() + 1);
        // Between points at a distance of δ in θ a trigonometric polynomial of degree d grows by 1/cos(dδ/2) at most.
        let at = |i: usize| (std::f64::consts::PI * i as f64 / samples as f64).cos();
        let values = (0..=samples).map(|i| self.series.evaluate(at(i)).norm());
        sum.min(values.fold(0.0, f64::max) / (std::f64::consts::PI / 32.0).cos())
    }

    /// A bound on the slope on the interval: `Σ |c_k|·k²/b`, or the bound on values times the factor from Markov's
    /// inequality.
    fn slope(&self) -> f64 {
        let terms = self.series.coefficients.iter().enumerate();
        let sum: f64 = terms.map(|(k, c)| c.norm() * (k * k) as f64).sum();
        let degree = self.degree() as f64;
        sum.min(self.bound() * degree * degree) / self.interval
    }
}

/// log2 of the number of coefficients in an evaluation: at least two.
fn log_length(degree: usize) -> u32 {
    (degree + 1).next_power_of_two().ilog2().max(1)
}

fn check_numbers(coefficients: &[f64], interval: f64) -> Result<()> {
    let count = coefficients.len();
    let limit = "from 1 to 1024";
    demand((1..=MAX_DEGREE + 1).contains(&count), "number of coefficients", count as f64, limit)?;
    demand(interval > 0.0 && interval.is_finite(), "interval", interval, "above 0")?;
    let size: f64 = coefficients.iter().map(|c| c.abs()).sum();
    demand(size.is_finite(), "sum of all coefficients", size, "finite")
}

/// Evaluates on `x/b` with `limbs` limbs, to the scale of the level where the evaluation ends.
fn evaluate<A: Arithmetic>(
    arithmetic: &A,
    levels: &Levels,
    x: &A::Ciphertext,
    polynomial: &Polynomial,
) -> A::Ciphertext {
    let limbs = arithmetic.limbs(x);
    let scaled = if polynomial.interval.to_bits() == 1f64.to_bits() {
        x.clone()
    } else {
        levels.combine(arithmetic, &[x], &[(1.0 / polynomial.interval).into()], limbs - 1)
    };
    let log_length = log_length(polynomial.degree());
    let mut coefficients = polynomial.series.coefficients.clone();
    coefficients.resize(1 << log_length, Complex64::ZERO);
    let end = limbs - polynomial.levels();
    // The numbers of baby steps and of blocks are about equal.
    let log_babies = log_length.div_ceil(2);
    let steps = Steps::new(arithmetic, PolynomialBasis::Chebyshev, &scaled, log_length, log_babies);
    steps.evaluate_at_least_depth(arithmetic, &coefficients, levels.scale_at(end))
}

impl EvaluationKey {
    /// Evaluates a polynomial of every slot. Slots must be real.
    ///
    /// Errors of slots are multiplied by at most the polynomial's slope. The error that the evaluation adds is not a
    /// bound but a prediction with a margin: it takes errors of the terms as independent.
    ///
    /// ```
    /// use cryptable_approximate::{KeySet, Parameters, Polynomial, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let server = secret.evaluation_key_for(&KeySet::new(), Progress::silent())?;
    /// let x = secret.encrypt_reals(&[0.5, -1.0])?;
    /// let cube = Polynomial::monomial(&[0.25, 0.0, 0.0, 1.0], 1.0)?;
    /// let y = secret.decrypt_reals(&server.polynomial(&x, &cube)?)?;
    /// assert!((y[0] - 0.375).abs() < 1e-6 && (y[1] + 0.75).abs() < 1e-6);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or to other parameters, its slots may be complex or beyond the
    /// polynomial's interval, or it has too few levels.
    pub fn polynomial(&self, x: &Ciphertext, polynomial: &Polynomial) -> Result<Ciphertext> {
        self.check(&[x])?;
        let x = &*self.with_levels(x, polynomial.levels())?;
        let (bounds, interval) = (x.bounds(), polynomial.interval);
        let limit = "it must be 0: a polynomial is one of real slots";
        demand(bounds.im == 0.0, "bound of imaginary parts", bounds.im, limit)?;
        let limit = format!("it must be at most {interval}, the polynomial's interval");
        demand(bounds.re <= interval, "bound of slots", bounds.re, &limit)?;
        let (evaluator, dry_run) = self.arithmetics();
        let levels = self.parameters().level_scales();
        let inner = evaluate(&evaluator, levels, &x.inner, polynomial);
        // The noise of the evaluation at an exact argument, plus that of the argument times the slope.
        let mut exact = x.shape;
        exact.noise = SlotNoise::ZERO;
        let mut shape = evaluate(&dry_run, levels, &exact, polynomial);
        let slope = polynomial.slope();
        shape.noise = shape.noise * EVALUATION_MARGIN + x.shape.noise * (slope * slope);
        let bias = slope * x.tags.bias + polynomial.bias;
        let bounds = SlotBounds::real(polynomial.bound());
        Ok(Ciphertext::join(inner, shape, Tags { bounds, bias, ..x.tags }))
    }
}
