//! The complex exponential of the raised phase, which removes the overflow.
//!
//! For t = m/p + I with |t| <= K, `e^{2πit}` is the Chebyshev series of `e^{2πiKx/2^r}` on x = t/K in [-1, 1], squared
//! r times (Section 4 of Alexandru, Kim, Polyakov, CRYPTO 2025, ePrint 2024/1623). For p = 2 only the cosine is needed
//! (Remark 1), and the doublings are `cos 2θ = 2·cos²θ - 1`.
//!
//! Errors of the modulus double with every doubling, and tables amplify them. The last doublings may be cleaned:
//! `w²·(2 - |w|²)` has modulus `1 - ε²` where `|w|² = 1 + ε`, and the phase of w², at the cost of one more level, two
//! more multiplications and a conjugation.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::Arithmetic;
use crate::chebyshev::ChebyshevSeries;
use crate::kept::Kept;
use crate::paterson_stockmeyer::{
    ConstantScale, PolynomialBasis, Steps, relinearizations_at_least_depth, rounding_gain,
};

/// Cost of a level, in multiplications per exponential: one more limb in everything above it. Measured on 8-bit
/// lookups, where 64 coefficients and one level less took 5 % more time than 32.
const MULTIPLICATIONS_PER_LEVEL: f64 = 2.5;

/// Share of the tolerance that the error may use if coefficients are omitted: the expected error of results must remain
/// that of the noise.
const SHARE_OF_LEFT_OUT: f64 = 0.1;

/// The function of the phase that is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PhaseFunction {
    /// The complex exponential `e^{2πit}`.
    Exponential,
    /// Its real part, `cos 2πt`, which is enough for two values.
    Cosine,
    /// Both parts, `cos 2πt` and `sin 2πt`, in real slots.
    Parts,
}

/// The Chebyshev series and the doublings for one interval.
#[derive(Clone, Debug)]
pub struct Exponential {
    function: PhaseFunction,
    series: ChebyshevSeries,
    shape: ExponentialShape,
    /// The series is of `e^{i·angle·x}`.
    angle: f64,
    /// log2 of the scale of the result, over that of the chain's primes.
    scale_shift: f64,
    /// Mean square of the function, for dry runs: 1, or its average.
    power: f64,
}

/// The sizes of an exponential's evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExponentialShape {
    /// Doublings of the angle after the series.
    pub doublings: u32,
    /// Number of doublings, the last ones, that are cleaned.
    pub cleanings: u32,
    /// log2 of the number of Chebyshev coefficients, omitted ones included.
    pub log_length: u32,
    /// Number of coefficients that are omitted, the last ones: less than half.
    pub left_out: u32,
    /// log2 of the baby steps of the series.
    pub log_babies: u32,
    /// Whether the series is evaluated at the least depth, its constants included: with one level less and a few more
    /// products.
    pub least_depth: bool,
}

impl ExponentialShape {
    /// Levels that the evaluation consumes: one per Chebyshev doubling, one for the constants unless depth is least,
    /// one per doubling of the angle, and one more for each that is cleaned.
    pub fn levels(self) -> usize {
        let constants = u32::from(!self.least_depth);
        (self.log_length + constants + self.doublings + self.cleanings) as usize
    }

    /// All useful sizes at the least depth with this number of cleanings. Coefficients are omitted in sixteenths, which
    /// may save a product or two.
    fn all(cleanings: u32) -> impl Iterator<Item = Self> {
        (2..=8u32).flat_map(move |log_length| {
            (cleanings..=8u32).flat_map(move |doublings| {
                (0..8u32).flat_map(move |sixteenths| {
                    let left_out = sixteenths << log_length >> 4;
                    (1..=log_length).map(move |log_babies| Self {
                        doublings,
                        cleanings,
                        log_length,
                        left_out,
                        log_babies,
                        least_depth: true,
                    })
                })
            })
        })
    }

    /// Number of Chebyshev coefficients.
    #[must_use]
    pub fn coefficients(self) -> usize {
        (1 << self.log_length) - self.left_out as usize
    }
}

impl Exponential {
    /// Interpolates for phases in `[-bound, bound]`.
    ///
    /// # Panics
    /// If more doublings are cleaned than there are, or if any doubling of a cosine is cleaned.
    pub fn new(function: PhaseFunction, bound: f64, shape: ExponentialShape) -> Self {
        assert!(shape.cleanings <= shape.doublings, "{shape:?}");
        assert!(
            function != PhaseFunction::Cosine || shape.cleanings == 0,
            "a cosine has no modulus to clean"
        );
        let angle = TAU * bound / f64::from(shape.doublings).exp2();
        let f = |x: f64| match function {
            PhaseFunction::Exponential | PhaseFunction::Parts => {
                Complex64::from_polar(1.0, angle * x)
            }
            PhaseFunction::Cosine => Complex64::new((angle * x).cos(), 0.0),
        };
        let series = ChebyshevSeries::interpolate(f, shape.coefficients() - 1);
        Self { function, series, shape, angle, scale_shift: 0.0, power: 1.0 }
    }

    /// Returns the function and the sizes of its evaluation.
    #[must_use]
    pub fn kind(&self) -> (PhaseFunction, ExponentialShape) {
        (self.function, self.shape)
    }

    /// Returns the same with a result at half the scale. `(1 ± cos θ)/2` is then at the whole scale, and its products
    /// stay there.
    pub fn at_half_scale(mut self) -> Self {
        self.scale_shift = -1.0;
        self
    }

    /// Returns the same for a dry run that predicts the noise of an average input. The square of a cosine is at most 1,
    /// but before each doubling it is 1/2 on average over the phases of both values. The noise of the series is
    /// therefore a quarter as large after two doublings.
    pub fn of_average_phases(mut self) -> Self {
        if self.function == PhaseFunction::Cosine {
            self.power = 0.5;
        }
        self
    }

    /// A bound on the error of the result, over phases of the interval: the error of the series (proven, from the
    /// truncated Bessel functions), times its growth by the doublings.
    pub fn approximation_error(
        function: PhaseFunction,
        bound: f64,
        doublings: u32,
        coefficients: usize,
    ) -> f64 {
        Self::approximation_errors(function, bound, doublings, coefficients)[coefficients - 1]
    }

    /// The bounds of [`Self::approximation_error`] for every number of coefficients from 1 to `most`.
    fn approximation_errors(
        function: PhaseFunction,
        bound: f64,
        doublings: u32,
        most: usize,
    ) -> Vec<f64> {
        let angle = TAU * bound / f64::from(doublings).exp2();
        // d(z²) = 2·dz on the unit circle; d(2c² - 1) = 4c·dc.
        let growth: f64 = match function {
            PhaseFunction::Exponential | PhaseFunction::Parts => 2.0,
            PhaseFunction::Cosine => 4.0,
        };
        let growth = 2.0 * growth.powi(doublings as i32);
        let of_series = ChebyshevSeries::exponential_truncation_errors(angle, most - 1);
        of_series.into_iter().map(|error| growth * error).collect()
    }

    /// Returns how far the modulus of the result is from 1 at x in [-1, 1], in exact arithmetic; for a cosine, returns
    /// the result's error.
    ///
    /// ```
    /// use cryptable_ckks::bootstrapping::exponential::{Exponential, PhaseFunction};
    /// let shape = Exponential::choose(PhaseFunction::Exponential, 13.0, 1e-4, 0);
    /// let exponential = Exponential::new(PhaseFunction::Exponential, 13.0, shape);
    /// assert!((0..10).all(|k| exponential.modulus_error(f64::from(k) / 10.0).abs() < 1e-4));
    /// ```
    pub fn modulus_error(&self, x: f64) -> f64 {
        let ExponentialShape { doublings, cleanings, .. } = self.shape;
        let mut z = self.series.evaluate(x);
        for done in 0..doublings {
            z = match self.function {
                PhaseFunction::Cosine => 2.0 * z * z - 1.0,
                _ if done + cleanings >= doublings => z * z * (2.0 - z.norm_sqr()),
                _ => z * z,
            };
        }
        match self.function {
            PhaseFunction::Cosine => z.re - (self.angle * f64::from(doublings).exp2() * x).cos(),
            PhaseFunction::Exponential | PhaseFunction::Parts => z.norm() - 1.0,
        }
    }

    /// Returns the ratio of the relative variance of the result to that of one rounding, at x in [-1, 1]. The variance
    /// counts all roundings of the evaluation, to first order. `None` for cosines and cleaned doublings.
    #[must_use]
    pub fn rounding_gain(&self, x: f64) -> Option<f64> {
        let ExponentialShape { doublings, cleanings, log_babies, least_depth, .. } = self.shape;
        let is_known = self.function == PhaseFunction::Exponential && cleanings == 0 && least_depth;
        let coefficients = &self.series.coefficients;
        is_known.then(|| rounding_gain(coefficients, log_babies, doublings, x))
    }

    /// Returns the relative variance of the result if x has noise of variance 1.
    ///
    /// Noise of the real part is an error of the phase. An imaginary part ε is an error of the modulus:
    /// `|e^{i(θ + iε)}| = e^{-ε}`.
    #[must_use]
    pub fn phase_gain(&self) -> f64 {
        (self.angle * f64::from(self.shape.doublings).exp2()).powi(2)
    }

    /// Returns the cheapest shape with an error of at most `tolerance` and `cleanings` cleaned doublings.
    ///
    /// The cost is the number of multiplications, where a level counts as two and a half. Two real parts share the
    /// steps of their series; their multiplications stand for two exponentials.
    ///
    /// # Panics
    /// If no combination of up to 8 doublings and 256 coefficients reaches the tolerance.
    pub fn choose(
        function: PhaseFunction,
        bound: f64,
        tolerance: f64,
        cleanings: u32,
    ) -> ExponentialShape {
        static SHAPES: Kept<(PhaseFunction, [u64; 2], u32), ExponentialShape> = Kept::new();
        let key = (function, [bound, tolerance].map(f64::to_bits), cleanings);
        SHAPES.get(key, |_| true, || Self::searched(function, bound, tolerance, cleanings))
    }

    /// [`Exponential::choose`] by a search among all shapes.
    fn searched(
        function: PhaseFunction,
        bound: f64,
        tolerance: f64,
        cleanings: u32,
    ) -> ExponentialShape {
        let errors = |doublings| Self::approximation_errors(function, bound, doublings, 256);
        let errors: Vec<Vec<f64>> = (0..=8).map(errors).collect();
        let reaches = |shape: &ExponentialShape| {
            let share = if shape.left_out > 0 { SHARE_OF_LEFT_OUT } else { 1.0 };
            errors[shape.doublings as usize][shape.coefficients() - 1] <= share * tolerance
        };
        let mut best = None;
        for shape in ExponentialShape::all(cleanings).filter(reaches) {
            let ExponentialShape { doublings, log_length, log_babies, .. } = shape;
            let steps = (1 << log_babies) - 2 + log_length - log_babies;
            let steps = match function {
                PhaseFunction::Parts => f64::from(steps) / 2.0,
                PhaseFunction::Exponential | PhaseFunction::Cosine => f64::from(steps),
            };
            let levels = MULTIPLICATIONS_PER_LEVEL * shape.levels() as f64;
            let without_joins = steps + f64::from(doublings) + levels;
            // Counting joins takes longer than all else.
            if best.is_some_and(|(least, _)| without_joins >= least) {
                continue;
            }
            let joins = relinearizations_at_least_depth(shape.coefficients(), log_babies);
            let cost = without_joins + f64::from(joins);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, shape));
            }
        }
        best.expect("256 coefficients and 8 doublings reach any tolerance of use").1
    }

    /// Evaluates the function on a ciphertext of x = t/K.
    ///
    /// # Panics
    /// If the function is both parts.
    pub fn evaluate<A: Arithmetic>(&self, arithmetic: &A, x: &A::Ciphertext) -> A::Ciphertext {
        assert_ne!(self.function, PhaseFunction::Parts, "two ciphertexts");
        let [mut z] = self.series(arithmetic, x, [&self.series.coefficients]);
        arithmetic.declare_power(&mut z, self.power);
        arithmetic.begin_stage("doublings");
        let ExponentialShape { doublings, cleanings, .. } = self.shape;
        for done in 0..doublings {
            z = match self.function {
                PhaseFunction::Cosine => double_cosine(arithmetic, &z),
                _ if done + cleanings >= doublings => double_and_clean(arithmetic, &z),
                _ => arithmetic.mul(&z, &z),
            };
            arithmetic.declare_power(&mut z, self.power);
        }
        z
    }

    /// Evaluates both parts, `cos 2πt` and `sin 2πt`, on a ciphertext of x = t/K in real slots: two real series with
    /// common steps, then squarings of `c + is`.
    ///
    /// In a dry run, the noise of each part is a bound on the noise of any `c·cos α + s·sin α`.
    pub fn evaluate_parts<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
    ) -> [A::Ciphertext; 2] {
        let part = |part: fn(&Complex64) -> f64| -> Vec<Complex64> {
            self.series.coefficients.iter().map(|c| part(c).into()).collect()
        };
        let series = [part(|c| c.re), part(|c| c.im)];
        let [mut cosine, mut sine] =
            self.series(arithmetic, x, series.each_ref().map(|it| &it[..]));
        arithmetic.declare_dependent(&mut cosine, &mut sine);
        arithmetic.begin_stage("doublings");
        let ExponentialShape { doublings, cleanings, .. } = self.shape;
        let mut parts = [cosine, sine];
        for done in 0..doublings {
            declare_parts(arithmetic, &mut parts);
            parts = double_parts(arithmetic, &parts, done + cleanings >= doublings);
        }
        declare_parts(arithmetic, &mut parts);
        parts
    }

    /// The sums of series with these coefficients and common steps.
    fn series<A: Arithmetic, const COUNT: usize>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        series: [&[Complex64]; COUNT],
    ) -> [A::Ciphertext; COUNT] {
        let ExponentialShape { doublings, log_length, log_babies, least_depth, .. } = self.shape;
        arithmetic.begin_stage("chebyshev_series");
        let steps = Steps::new(arithmetic, PolynomialBasis::Chebyshev, x, log_length, log_babies);
        // Every doubling squares the scale, and thus doubles a shift of its logarithm.
        let shift = self.scale_shift / f64::from(doublings).exp2();
        series.map(|coefficients| {
            if least_depth {
                let scale = arithmetic.scale(x) * shift.exp2();
                steps.evaluate_at_least_depth(arithmetic, coefficients, scale)
            } else {
                steps.evaluate(arithmetic, coefficients, ConstantScale::Shifted(shift))
            }
        })
    }
}

/// Tells a dry run that the squares of a cosine and a sine add up to 1, and that the noise of each bounds that of their
/// combinations, as if they were independent.
fn declare_parts<A: Arithmetic>(arithmetic: &A, parts: &mut [A::Ciphertext; 2]) {
    for (source, part) in parts.iter_mut().enumerate() {
        arithmetic.declare_power(part, 0.5);
        arithmetic.declare_source(part, source as u32);
    }
}

/// `cos 2θ = c² - s²` and `sin 2θ = 2sc`. If they are cleaned, as in [`double_and_clean`], both are multiplied by
/// `2 - c² - s²`, one level below. With `2c² - 1` instead, errors would grow by four.
fn double_parts<A: Arithmetic>(
    arithmetic: &A,
    parts: &[A::Ciphertext; 2],
    is_cleaned: bool,
) -> [A::Ciphertext; 2] {
    let [cosine, sine] = parts;
    let multiple = |part: &A::Ciphertext, factor| {
        let mut multiple = part.clone();
        arithmetic.mul_integer_assign(&mut multiple, factor);
        multiple
    };
    let negative = multiple(sine, -1);
    let difference = arithmetic.product_sum(&[(cosine, cosine), (sine, &negative)]);
    let doubled_cosine = arithmetic.relinearize(difference, 1);
    // Twice the sine, so that no rounding error is doubled.
    let doubled_sine = arithmetic.mul(&multiple(sine, 2), cosine);
    if !is_cleaned {
        return [doubled_cosine, doubled_sine];
    }
    let squares = [(cosine, &multiple(cosine, -1)), (sine, &negative)];
    let mut correction = arithmetic.relinearize(arithmetic.product_sum(&squares), 1);
    arithmetic.add_constant_assign(&mut correction, Complex64::new(2.0, 0.0));
    [doubled_cosine, doubled_sine].map(|doubled| {
        let mut cleaned = arithmetic.mul(&doubled, &correction);
        arithmetic.declare_cleaned(&mut cleaned, cosine, 4.0, 4.0);
        cleaned
    })
}

/// `cos 2θ = 2·cos²θ - 1`.
fn double_cosine<A: Arithmetic>(arithmetic: &A, cosine: &A::Ciphertext) -> A::Ciphertext {
    let mut doubled = arithmetic.mul(cosine, cosine);
    arithmetic.mul_integer_assign(&mut doubled, 2);
    arithmetic.add_constant_assign(&mut doubled, Complex64::new(-1.0, 0.0));
    doubled
}

/// `w²·(2 - |w|²)`: a doubling that squares the error of the modulus, for two levels.
fn double_and_clean<A: Arithmetic>(arithmetic: &A, w: &A::Ciphertext) -> A::Ciphertext {
    let square = arithmetic.mul(w, w);
    let mut correction = arithmetic.mul(w, &arithmetic.conjugate(w));
    arithmetic.mul_integer_assign(&mut correction, -1);
    arithmetic.add_constant_assign(&mut correction, Complex64::new(2.0, 0.0));
    let mut doubled = arithmetic.mul(&square, &correction);
    // |w|² = 1 + ε has twice the relative error of w. There are new roundings of the square,
    // of the correction with its conjugation, and of the product.
    arithmetic.declare_cleaned(&mut doubled, w, 4.0, 4.0);
    doubled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stay_below_their_bound_and_the_tolerance_is_met() {
        for (function, tolerance) in [
            (PhaseFunction::Exponential, 1e-7),
            (PhaseFunction::Exponential, 1e-4),
            (PhaseFunction::Cosine, 1e-3),
        ] {
            let shape = Exponential::choose(function, 13.2, tolerance, 0);
            let ExponentialShape { doublings, .. } = shape;
            let exponential = Exponential::new(function, 13.2, shape);
            let coefficients = shape.coefficients();
            let bound = Exponential::approximation_error(function, 13.2, doublings, coefficients);
            assert!(bound <= tolerance);
            for i in 0..=200 {
                let x = f64::from(i) / 100.0 - 1.0;
                let mut z = exponential.series.evaluate(x);
                for _ in 0..doublings {
                    z = if function == PhaseFunction::Cosine { 2.0 * z * z - 1.0 } else { z * z };
                }
                let exact = Complex64::from_polar(1.0, TAU * 13.2 * x);
                let error = match function {
                    PhaseFunction::Cosine => (z.re - exact.re).abs(),
                    _ => (z - exact).norm(),
                };
                assert!(
                    error <= bound * 1.01 + 1e-11,
                    "{function:?} at {x}: {error:e} > {bound:e}"
                );
            }
        }
    }

    /// Dry runs take the largest of the gains at a few places as the worst one.
    #[test]
    fn roundings_count_most_in_the_middle() {
        for tolerance in [1e-3, 1e-5, 1e-7] {
            for bound in [13.2, 16.5] {
                let shape = Exponential::choose(PhaseFunction::Exponential, bound, tolerance, 0);
                let exponential = Exponential::new(PhaseFunction::Exponential, bound, shape);
                let gain = |place: i32| exponential.rounding_gain(f64::from(place) / 64.0).unwrap();
                let largest = (0..=64).map(gain).fold(0.0, f64::max);
                assert!(largest <= 1.01 * gain(0), "{shape:?}: {largest} for {}", gain(0));
            }
        }
        let cosine = Exponential::choose(PhaseFunction::Cosine, 13.2, 1e-3, 0);
        let cosine = Exponential::new(PhaseFunction::Cosine, 13.2, cosine);
        assert_eq!(cosine.rounding_gain(0.0), None);
    }

    #[test]
    fn looser_tolerances_are_cheaper() {
        let cost = |tolerance| {
            let shape = Exponential::choose(PhaseFunction::Exponential, 13.2, tolerance, 0);
            shape.levels() + shape.coefficients()
        };
        assert!(cost(1e-4) < cost(1e-9));
    }
}
