//! How far an encrypted bit may be from 0 or 1.

use std::f64::consts::{LN_2, SQRT_2};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::iter::Sum;
use std::ops::Add;

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::noise_bound::{NoiseBound, check_log2_fail};
use cryptable_wire::{BodyReader, BodyWriter, WireError};

/// `(√5 - 1)/2`.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Bounds on the error of a bit: standard deviations of its two kinds of noise, and the size of what is no noise (squares
/// of errors, what series leave), which holds but for the stated failure probability.
///
/// **Noise of slots is not Gaussian.** A rounding leaves `e_0 + e_1·s`: in slot j the error is `e_0(ζ_j) + e_1(ζ_j)·s(ζ_j)`,
/// and `|s(ζ_j)|²`, which multiplies all such errors of that slot, is exponentially distributed over slots and keys, about
/// 2N/3 for a uniform ternary s. These errors are Gaussian of variance `X·σ²` with X exponential of mean 1, which is
/// Laplace's distribution: `P(|ε| > r·σ) = e^{-√2·r}`, `E ε⁴ = 6σ⁴`. Sums of errors of one slot share X and keep that law.
/// Errors that add up over many slots, as in SlotsToCoeffs, are Gaussian.
///
/// A sum adds standard deviations, not variances: bits of one circuit may depend on each other. For a sum of t
/// independent bits the bound is too large by √t.
///
/// ```
/// use cryptable_bits::{Packing, Parameters};
/// let parameters = Parameters::insecure_toy(Packing::Real)?;
/// let fresh = parameters.fresh_noise();
/// assert_eq!((fresh + fresh).deviation(), 2.0 * fresh.deviation());
/// assert!(parameters.log2_fail(fresh) < -1000.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BitNoise {
    /// Deviation of Gaussian noise.
    gaussian: f64,
    /// Deviation of noise of slots.
    of_slots: f64,
    /// Largest size of what is no noise.
    bias: f64,
    /// Its root mean square, for what to expect of a measurement: no failure depends on it.
    bias_deviation: f64,
}

// No part is ever NaN.
impl Eq for BitNoise {}

impl Hash for BitNoise {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Adding zero turns a negative zero, which equals it, into a positive one.
        self.parts().map(|part| (part + 0.0).to_bits()).hash(state);
    }
}

impl BitNoise {
    /// Gaussian noise of this variance.
    pub(crate) fn gaussian(variance: f64) -> Self {
        Self::new([variance.sqrt(), 0.0, 0.0, 0.0])
    }

    /// Noise of slots of this variance.
    pub(crate) fn of_slots(variance: f64) -> Self {
        Self::new([0.0, variance.sqrt(), 0.0, 0.0])
    }

    /// What is no noise, of this size.
    pub(crate) fn bias_of(bias: f64) -> Self {
        Self::new([0.0, 0.0, bias, bias])
    }

    /// From deviations of Gaussian noise and of noise of slots, and the size and root mean square of the bias.
    ///
    /// # Panics
    /// If one is negative or no number.
    pub(crate) fn new(parts: [f64; 4]) -> Self {
        assert!(parts.iter().all(|&part| part >= 0.0), "noise {parts:?}");
        let [gaussian, of_slots, bias, bias_deviation] = parts;
        Self { gaussian, of_slots, bias, bias_deviation }
    }

    /// What [`BitNoise::new`] takes.
    pub(crate) fn parts(self) -> [f64; 4] {
        [self.gaussian, self.of_slots, self.bias, self.bias_deviation]
    }

    /// Standard deviation of the error, bias included.
    #[must_use]
    pub fn deviation(self) -> f64 {
        self.noise_deviation().hypot(self.bias_deviation)
    }

    /// Variance of the error, bias included.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.deviation().powi(2)
    }

    /// Of noise alone.
    fn noise_deviation(self) -> f64 {
        self.gaussian.hypot(self.of_slots)
    }

    /// Largest error that is no noise.
    #[must_use]
    pub fn bias(self) -> f64 {
        self.bias
    }

    /// With an independent error added: variances add up, and largest sizes.
    pub(crate) fn with_independent(self, other: Self) -> Self {
        Self {
            gaussian: self.gaussian.hypot(other.gaussian),
            of_slots: self.of_slots.hypot(other.of_slots),
            bias: self.bias + other.bias,
            bias_deviation: self.bias_deviation.hypot(other.bias_deviation),
        }
    }

    /// At least as large as both, in every part.
    pub(crate) fn at_least(self, other: Self) -> Self {
        let (own, other) = (self.parts(), other.parts());
        Self::new(std::array::from_fn(|part| own[part].max(other[part])))
    }

    /// Of the error times `factor`.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self::new(self.parts().map(|part| factor * part))
    }

    /// What is left of an error ε by a function with zero slope at bits: at most `factor·ε²`, with ε as large as it is
    /// with probability `2^log2_fail`. `E ε⁴` is 3σ⁴ of Gaussian noise, 6σ⁴ of noise of slots.
    pub(crate) fn squared(self, factor: f64, log2_fail: f64) -> Self {
        let [g, s, _, b] = self.parts().map(|part| part * part);
        let fourth = 3.0 * g * g + 6.0 * s * (g + s) + 6.0 * b * (g + s) + 3.0 * b * b;
        let largest = factor * self.largest(log2_fail).powi(2);
        Self::new([0.0, 0.0, largest, (factor * fourth.sqrt()).min(largest)])
    }

    /// log2 of the probability that a bit is off by half, at most.
    pub(crate) fn log2_fail(self) -> f64 {
        let margin = 0.5 - self.bias;
        if margin <= 0.0 {
            return 0.0;
        }
        if self.noise_deviation() == 0.0 {
            return f64::NEG_INFINITY;
        }
        let exponent = |lambda: f64| self.log_moment(lambda) - lambda * margin;
        let least = self.least_over_rates(margin, exponent);
        ((LN_2 + least) / LN_2).min(0.0)
    }

    /// The largest error, but for a probability of `2^log2_fail`.
    pub(crate) fn largest(self, log2_fail: f64) -> f64 {
        let noise = |lambda: f64| (self.log_moment(lambda) + LN_2 * (1.0 - log2_fail)) / lambda;
        self.bias + self.least_over_rates(self.noise_deviation() * log2_fail.abs().sqrt(), noise)
    }

    /// `ln E e^{λε}` of the noise, for λ below `√2/σ` of slots: `λ²σ²/2` of Gaussian noise, `-ln(1 - λ²σ²/2)` of Laplace's.
    /// With Markov's inequality, `P(|ε| > t) <= 2·e^{-λt}·E e^{λε}` for every λ.
    fn log_moment(self, lambda: f64) -> f64 {
        (lambda * self.gaussian).powi(2) / 2.0 - (-(lambda * self.of_slots).powi(2) / 2.0).ln_1p()
    }

    /// The least value over all rates λ of a function that falls and then rises; `size` is a size of errors.
    fn least_over_rates(self, size: f64, value: impl Fn(f64) -> f64) -> f64 {
        if self.noise_deviation() == 0.0 {
            return value(f64::MAX.sqrt());
        }
        // Beyond the first the moment of Laplace's law is infinite, beyond the second that of Gauss's outweighs the rest.
        let of_slots = SQRT_2 / self.of_slots * (1.0 - 1e-9);
        let gaussian = 4.0 * size / self.gaussian.powi(2);
        let (mut low, mut high) = (0.0, of_slots.min(gaussian));
        // Golden section: one of both inner points is one of the next interval's. Every rate gives a bound, so that what is
        // left of the interval after 40 steps, a share of 10^-8, costs no safety.
        let inner = |low: f64, high: f64| high - (high - low) * GOLDEN;
        let (mut left, mut right) = (inner(low, high), inner(high, low));
        let (mut at_left, mut at_right) = (value(left), value(right));
        for _ in 0..40 {
            if at_left < at_right {
                (high, right, at_right) = (right, left, at_left);
                left = inner(low, high);
                at_left = value(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = inner(high, low);
                at_right = value(right);
            }
        }
        at_left.min(at_right)
    }

    /// Demands at least as much noise as fresh bits have: none have less.
    ///
    /// # Errors
    /// [`Error::Mismatch`].
    pub(crate) fn check_floor(self, fresh: Self) -> Result<()> {
        // Two machines may compute a deviation with other roundings.
        if self.deviation() >= fresh.deviation() * (1.0 - 1e-6) {
            return Ok(());
        }
        let expected = format!("at least {:e}, that of fresh ones", fresh.deviation());
        Err(Error::mismatch("noise of the bits", format!("{:e}", self.deviation()), expected))
    }

    /// Writes all parts.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write<W: Write>(self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        self.parts().iter().try_for_each(|&part| writer.f64(part))
    }

    /// Reads what [`BitNoise::write`] wrote. Whoever has the parameters checks it against them.
    ///
    /// # Errors
    /// If bytes are missing, or a number is not from 0 to 1/2: bits so noisy are none.
    pub(crate) fn read(reader: &mut BodyReader<'_>) -> Result<Self> {
        let mut part = |name| {
            let value = reader.f64(name)?;
            // Negative zero would be another encoding of the same bound.
            if (0.0..=0.5).contains(&value) && value.is_sign_positive() {
                return Ok(value);
            }
            Err(WireError::invalid(name, value, "from 0 to 1/2"))
        };
        let gaussian = part("deviation of Gaussian noise")?;
        let of_slots = part("deviation of noise of slots")?;
        let bias = part("bias of the noise")?;
        let bias_deviation = part("root mean square of the bias")?;
        Ok(Self { gaussian, of_slots, bias, bias_deviation })
    }

    /// Demands that a bit is off by half with a probability of at most `2^limit`.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::NoiseTooLarge`], which says what `operation` would have failed.
    pub(crate) fn check(self, operation: &'static str, limit: f64) -> Result<()> {
        check_log2_fail(operation, self.log2_fail(), limit)
    }
}

/// Of Gaussian noise with a bias.
impl From<NoiseBound> for BitNoise {
    fn from(noise: NoiseBound) -> Self {
        Self::new([noise.deviation(), 0.0, noise.bias(), noise.bias()])
    }
}

impl Add for BitNoise {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            gaussian: self.gaussian + other.gaussian,
            of_slots: self.of_slots + other.of_slots,
            bias: self.bias + other.bias,
            bias_deviation: self.bias_deviation + other.bias_deviation,
        }
    }
}

impl Sum for BitNoise {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cryptable_lattice::gaussian_tail::gaussian_ratio_for;

    #[test]
    fn bounds_are_near_the_laws_of_either_noise() {
        for log2_fail in [-20.0, -40.0, -80.0] {
            // Markov's inequality loses a factor of some ratio.
            let gaussian = BitNoise::gaussian(1e-6).largest(log2_fail) / 1e-3;
            let exact = gaussian_ratio_for(log2_fail);
            assert!((1.0..1.15).contains(&(gaussian / exact)), "{gaussian} and {exact}");
            let of_slots = BitNoise::of_slots(1e-6).largest(log2_fail) / 1e-3;
            let exact = -log2_fail * LN_2 / SQRT_2;
            assert!((1.0..1.5).contains(&(of_slots / exact)), "{of_slots} and {exact}");
        }
    }

    #[test]
    fn largest_errors_invert_the_tail() {
        for (gaussian, of_slots) in [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (5.0, 0.1), (0.1, 5.0)] {
            let noise = BitNoise::new([gaussian, of_slots, 0.0, 0.0]);
            let largest = noise.largest(-80.0);
            let factor = 0.4 / largest;
            let scaled = BitNoise::new([gaussian * factor, of_slots * factor, 0.1, 0.1]);
            assert!((scaled.log2_fail() + 80.0).abs() < 1e-6, "{}", scaled.log2_fail());
        }
        assert_eq!(BitNoise::bias_of(0.6).log2_fail(), 0.0);
        assert_eq!(BitNoise::bias_of(0.4).log2_fail(), f64::NEG_INFINITY);
        assert_eq!(BitNoise::bias_of(0.25).largest(-80.0), 0.25);
    }
}
