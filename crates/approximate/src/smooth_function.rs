//! Smooth functions of slots, by Fourier extension, with bounds on all factors by which bootstraps multiply errors.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use cryptable_lattice::error::{Error, Result, demand};
use num_complex::Complex64;

use crate::fourier_extension::{Extension, Samples};
use crate::phase_series::{PhaseSeries, SlotPeriod};

/// Range of log2 of the number of coefficients.
const LOG_LENGTHS: std::ops::RangeInclusive<u32> = 2..=8;

/// Periods that are tried, in multiples of the interval's length.
const RATIOS: [f64; 7] = [1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0];

/// Largest ratio of the sum of coefficients to the size of the function: with more, the noise of powers would be too
/// large.
const LARGEST_SUM: f64 = 8.0;

/// Inputs may be off by this fraction of the interval's length: bounds hold that far beyond it.
const GUARD: f64 = 1.0 / 64.0;

/// Number of points at which slopes are computed.
const SLOPE_POINTS: usize = 1 << 12;

/// Largest number of points at which the distance to the function is computed.
const MOST_POINTS: f64 = (1 << 20) as f64;

/// A smooth function of the numbers of an interval, which a bootstrap evaluates: [`crate::EvaluationKey::lookup`].
///
/// On the interval it is a trigonometric series of a longer period, within a tolerance. **Inputs outside the interval**
/// yield the series' values there ([`SmoothFunction::evaluate`]), which are within the bounds that results state but
/// are not the function's. Encryption does not look at values: a ciphertext whose bounds exceed the interval's larger
/// end is refused, and the client is responsible for the rest. Unused slots are 0.
///
/// ```
/// use cryptable_approximate::SmoothFunction;
/// let gelu = SmoothFunction::gelu(8.0, 1e-6)?;
/// assert!(gelu.error() <= 1e-6 && gelu.levels() == 5);
/// assert!((gelu.evaluate(1.0) - 0.841345).abs() < 1e-5);
/// let softplus = SmoothFunction::fit(|x| x.exp().ln_1p(), [-4.0, 6.0], 1e-5)?;
/// assert!((softplus.evaluate(0.0) - 2f64.ln()).abs() <= 1e-5);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SmoothFunction {
    series: PhaseSeries,
    interval: [f64; 2],
    error: Largest,
    magnitude: f64,
    slope: Largest,
    gain: Largest,
}

/// The largest value of a quantity on the interval, and its mean square.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Largest {
    pub bound: f64,
    pub mean_square: f64,
}

impl SmoothFunction {
    /// Fits a function on `[interval[0], interval[1]]` with the fewest coefficients, a power of two up to 256, whose
    /// distance to the function is at most `tolerance`.
    ///
    /// The distance is computed at many points. Between them it can grow only slightly, by the second derivative: that
    /// of the series, and twice the largest second difference of the function at the points. Functions with features
    /// narrower than the points' distance, at least a 2^20th of the interval, are not smooth.
    ///
    /// # Errors
    /// If the interval is empty, a value is not finite, the tolerance is not positive, or no series is near enough.
    pub fn fit(f: impl Fn(f64) -> f64, interval: [f64; 2], tolerance: f64) -> Result<Self> {
        Self::with_curvature(f, interval, tolerance, None)
    }

    /// Returns `x·Φ(x)` on `[-bound, bound]`, where Φ is the normal distribution.
    ///
    /// # Errors
    /// The errors of [`SmoothFunction::fit`].
    pub fn gelu(bound: f64, tolerance: f64) -> Result<Self> {
        let f = |x: f64| x * f64::midpoint(1.0, erf(x * FRAC_1_SQRT_2));
        // The second derivative is (2 - x²) times the normal density.
        Self::with_curvature(f, [-bound, bound], tolerance, Some(2.0 / TAU.sqrt()))
    }

    /// Returns `1/(1 + e^-x)` on `[-bound, bound]`.
    ///
    /// # Errors
    /// The errors of [`SmoothFunction::fit`].
    pub fn sigmoid(bound: f64, tolerance: f64) -> Result<Self> {
        let curvature = 3f64.sqrt() / 18.0;
        let f = |x: f64| 1.0 / (1.0 + (-x).exp());
        Self::with_curvature(f, [-bound, bound], tolerance, Some(curvature))
    }

    /// Returns the hyperbolic tangent on `[-bound, bound]`.
    ///
    /// # Errors
    /// The errors of [`SmoothFunction::fit`].
    pub fn tanh(bound: f64, tolerance: f64) -> Result<Self> {
        let curvature = 4.0 / 27f64.sqrt();
        Self::with_curvature(f64::tanh, [-bound, bound], tolerance, Some(curvature))
    }

    /// Returns `e^x` on an interval.
    ///
    /// # Errors
    /// The errors of [`SmoothFunction::fit`].
    pub fn exponential(interval: [f64; 2], tolerance: f64) -> Result<Self> {
        Self::with_curvature(f64::exp, interval, tolerance, Some(interval[1].exp()))
    }

    /// Returns `1/x` on an interval of positive numbers.
    ///
    /// # Errors
    /// The errors of [`SmoothFunction::fit`]; also if the interval does not begin above 0.
    pub fn reciprocal(interval: [f64; 2], tolerance: f64) -> Result<Self> {
        check_positive(interval[0])?;
        let curvature = 2.0 / interval[0].powi(3);
        Self::with_curvature(f64::recip, interval, tolerance, Some(curvature))
    }

    /// Returns the square root on an interval of positive numbers.
    ///
    /// # Errors
    /// The errors of [`SmoothFunction::fit`]; also if the interval does not begin above 0.
    pub fn square_root(interval: [f64; 2], tolerance: f64) -> Result<Self> {
        check_positive(interval[0])?;
        let curvature = 0.25 / interval[0].powf(1.5);
        Self::with_curvature(f64::sqrt, interval, tolerance, Some(curvature))
    }

    /// Fits a function whose second derivative is at most `curvature`.
    fn with_curvature(
        f: impl Fn(f64) -> f64,
        interval: [f64; 2],
        tolerance: f64,
        curvature: Option<f64>,
    ) -> Result<Self> {
        let [lower, upper] = interval;
        let is_finite = lower.is_finite() && upper.is_finite() && (upper - lower).is_finite();
        let limit = "both ends finite, the second one larger";
        demand(is_finite && lower < upper, "length of the interval", upper - lower, limit)?;
        demand(tolerance > 0.0, "tolerance of a smooth function", tolerance, "above 0")?;
        for log_length in LOG_LENGTHS {
            let Some(extension) = quietest(&f, interval, 1 << log_length, tolerance)? else {
                continue;
            };
            let found = Self::of(&extension, &f, interval, curvature, tolerance)?;
            if found.error() <= tolerance {
                return Ok(found);
            }
        }
        let (name, value) = ("tolerance of a smooth function", tolerance);
        let limit = "no series of 256 coefficients is that close: use a larger tolerance, or an interval \
                     that is shorter or farther from where the function or its slope is not finite";
        Err(Error::Parameter { name, value, limit: limit.into() })
    }

    /// Computes all bounds of a series.
    fn of(
        extension: &Extension,
        f: impl Fn(f64) -> f64,
        interval: [f64; 2],
        curvature: Option<f64>,
        tolerance: f64,
    ) -> Result<Self> {
        let [lower, upper] = interval;
        let length = upper - lower;
        let period =
            SlotPeriod { first: f64::midpoint(lower, upper), period: extension.ratio * length };
        let pairs = extension.cosines.iter().zip(&extension.sines);
        let series = PhaseSeries::new(period, pairs.map(|(&a, &b)| Complex64::new(a, -b)));
        let mut found = Self {
            series,
            interval,
            error: Largest::default(),
            magnitude: 0.0,
            slope: Largest::default(),
            gain: Largest::default(),
        };
        found.magnitude = found.largest_value();
        found.slope = found.largest(1, |z| z.re.abs());
        let of_turn = period.period / TAU;
        let gain = found.largest(1, |z| z.norm());
        let mean_square = gain.mean_square * of_turn * of_turn;
        found.gain = Largest { bound: gain.bound * of_turn, mean_square };
        found.measure(f, curvature, tolerance)?;
        Ok(found)
    }

    /// A bound on absolute values over the whole period.
    fn largest_value(&self) -> f64 {
        let harmonics = self.series.halves().len();
        let samples = 16 * harmonics;
        let step = self.series.period.period / samples as f64;
        let value = |i: usize| self.evaluate(i as f64 * step).abs();
        // Between points at a distance of δ in phase, a series of n harmonics grows by 1/cos(nδ/2) at most.
        let largest = (0..samples).map(value).fold(0.0, f64::max);
        (largest / (PI * harmonics as f64 / samples as f64).cos())
            .min(self.series.largest_derivative(0))
    }

    /// The largest size of a derivative on the interval and its guard, from points and the next derivative, and its
    /// mean square on the interval.
    fn largest(&self, order: u32, size: impl Fn(Complex64) -> f64) -> Largest {
        let [lower, upper] = self.interval;
        let guard = self.guard();
        let step = (upper - lower + 2.0 * guard) / SLOPE_POINTS as f64;
        let (mut largest, mut squares, mut inside) = (0f64, 0.0, 0.0);
        for i in 0..=SLOPE_POINTS {
            let x = lower - guard + i as f64 * step;
            let found = size(self.series.derivative(order, x));
            largest = largest.max(found);
            if (lower..=upper).contains(&x) {
                squares += found * found;
                inside += 1.0;
            }
        }
        let between = step / 2.0 * self.series.largest_derivative(order + 1);
        Largest { bound: largest + between, mean_square: squares / inside }
    }

    /// Computes the largest distance to the function.
    fn measure(
        &mut self,
        f: impl Fn(f64) -> f64,
        curvature: Option<f64>,
        tolerance: f64,
    ) -> Result<()> {
        let [lower, upper] = self.interval;
        let length = upper - lower;
        let own = self.largest(2, |z| z.re.abs()).bound;
        // Enough points that the second derivative changes the distance between two points by at most a 16th of the
        // tolerance.
        let assumed = own + curvature.unwrap_or(own);
        let points = length * (2.0 * assumed / tolerance).sqrt();
        let points = points.clamp(SLOPE_POINTS as f64, MOST_POINTS).ceil() as usize;
        let step = length / points as f64;
        let values: Vec<f64> = (0..=points).map(|i| f(lower + i as f64 * step)).collect();
        let sum: f64 = values.iter().map(|y| y.abs()).sum();
        demand(sum.is_finite(), "value of a smooth function", sum, "finite on the interval")?;
        let second = |y: &[f64]| (y[0] - 2.0 * y[1] + y[2]).abs();
        let of_function = curvature.map_or_else(
            || 2.0 * values.windows(3).map(second).fold(0.0, f64::max),
            |curvature| curvature * step * step,
        );
        let distance = |(i, y): (usize, &f64)| (self.evaluate(lower + i as f64 * step) - y).abs();
        let distances: Vec<f64> = values.iter().enumerate().map(distance).collect();
        let largest = distances.iter().copied().fold(0.0, f64::max);
        let rounding = 1e-14 * self.series.largest_derivative(0);
        self.error = Largest {
            bound: largest + (own * step * step + of_function) / 8.0 + rounding,
            mean_square: distances.iter().map(|d| d * d).sum::<f64>() / distances.len() as f64,
        };
        Ok(())
    }

    /// Returns the interval.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        self.interval
    }

    /// Returns the distance after which the series repeats, 1.25 to 4 times the interval's length.
    #[must_use]
    pub fn period(&self) -> f64 {
        self.series.period.period
    }

    /// Number of levels between the exponential and the result: log2 of the number of coefficients.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.series.levels()
    }

    /// Returns the largest distance between function and series on the interval.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error.bound
    }

    /// Returns the largest slope of the series on the interval, an upper bound on the factor of input errors.
    #[must_use]
    pub fn slope(&self) -> f64 {
        self.slope.bound
    }

    /// Returns the value of the series at x, inside the interval or outside.
    #[must_use]
    pub fn evaluate(&self, x: f64) -> f64 {
        self.series.derivative(0, x).re
    }

    /// Largest error of inputs: bounds hold that far beyond the interval.
    pub(crate) fn guard(&self) -> f64 {
        GUARD * (self.interval[1] - self.interval[0])
    }

    /// The largest absolute input.
    pub(crate) fn largest_input(&self) -> f64 {
        self.interval[0].abs().max(self.interval[1].abs())
    }

    pub(crate) fn series(&self) -> &PhaseSeries {
        &self.series
    }

    pub(crate) fn magnitude(&self) -> f64 {
        self.magnitude
    }

    /// Distances to the function.
    pub(crate) fn errors(&self) -> Largest {
        self.error
    }

    /// Slopes.
    pub(crate) fn slopes(&self) -> Largest {
        self.slope
    }

    /// Factors on relative errors of the exponential, of modulus and phase.
    pub(crate) fn gains(&self) -> Largest {
        self.gain
    }
}

/// Returns the least sensitive extension with `length` coefficients, of any period, that is within the tolerance at
/// some points.
fn quietest(
    f: impl Fn(f64) -> f64,
    interval: [f64; 2],
    length: usize,
    tolerance: f64,
) -> Result<Option<Extension>> {
    let (middle, half) =
        (f64::midpoint(interval[0], interval[1]), (interval[1] - interval[0]) / 2.0);
    let g = |u: f64| f(half.mul_add(u, middle));
    let samples = Samples::new(g, length);
    let between = 16 * length;
    let points = (0..=between).map(|i| (PI * i as f64 / between as f64).cos());
    let checks: Vec<_> = points.map(|u| (u, g(u))).collect();
    let sum: f64 = checks.iter().map(|(_, y)| y.abs()).sum();
    demand(sum.is_finite(), "value of a smooth function", sum, "finite on the interval")?;
    let largest = checks.iter().fold(0f64, |most, (_, y)| most.max(y.abs()));
    let sum = |it: &Extension| it.amplitudes().sum::<f64>();
    // Leaves room for the distance between the points.
    let is_near =
        |it: &Extension| checks.iter().all(|&(u, y)| (it.value(u) - y).abs() <= 0.9 * tolerance);
    let fits = RATIOS.iter().map(|&ratio| samples.fit(length, ratio));
    let found = fits.filter_map(|fit| fit.quietest(0.1 * largest, is_near));
    let usable = found.filter(|it| sum(it) <= LARGEST_SUM * largest.max(tolerance));
    Ok(usable.min_by(|a, b| a.unrest().total_cmp(&b.unrest())))
}

fn check_positive(lower: f64) -> Result<()> {
    demand(lower > 0.0, "lower end of the interval", lower, "above 0")
}

/// The error function: `2/√π·e^{-x²}·Σ 2^n·x^{2n+1}/(1·3·5⋯(2n+1))`, whose terms are all positive.
fn erf(x: f64) -> f64 {
    let size = x.abs();
    if size > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum, mut odd) = (size, size, 1.0);
    while term > 1e-18 * sum {
        odd += 2.0;
        term *= 2.0 * size * size / odd;
        sum += term;
    }
    x.signum() * 2.0 / PI.sqrt() * (-size * size).exp() * sum
}
