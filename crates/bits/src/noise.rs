//! Distance of an encrypted bit from 0 or 1.

use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::iter::Sum;
use std::ops::Add;

use cryptable_lattice::error::Result;
use cryptable_lattice::noise_bound::{NoiseBound, check_log2_fail, read_size};
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_wire::{BodyReader, BodyWriter};

/// A bound on the error of a bit: the law of its noise, and a bias. The bias bounds errors that are not noise (squares
/// of errors, truncation of series), and holds except with the stated failure probability.
///
/// Roundings are noise of slots ([`cryptable_lattice::noise_law`]): `|s(ζ_j)|²`, which multiplies all roundings of slot
/// j, is fixed by the key. All sums here share this factor and keep the law. Errors that add up over many slots, as in
/// SlotsToCoeffs, are Gaussian.
///
/// A sum adds standard deviations, not variances: bits of one circuit may depend on each other. For a sum of t
/// independent bits the bound is too large by √t.
///
/// ```
/// use cryptable_bits::{Packing, Parameters};
/// let parameters = Parameters::insecure_toy(Packing::Real)?;
/// let fresh = parameters.fresh_noise();
/// assert_eq!((fresh + fresh).deviation(), 2.0 * fresh.deviation());
/// assert!(parameters.log2_fail_per_bit(fresh) < -1000.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BitNoise {
    bound: NoiseBound,
    /// Root mean square of the bias: the value to expect in measurements. No failure probability depends on it.
    bias_deviation: f64,
}

// No part is ever NaN.
impl Eq for BitNoise {}

impl Hash for BitNoise {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal bounds have equal deviations. Adding zero turns a negative zero, which equals zero, into a positive
        // one.
        let parts = [self.bound.deviation(), self.bound.bias(), self.bias_deviation];
        parts.map(|part| (part + 0.0).to_bits()).hash(state);
    }
}

impl Default for BitNoise {
    fn default() -> Self {
        Self::of_law(NoiseLaw::ZERO)
    }
}

impl BitNoise {
    /// Noise of this law.
    pub(crate) fn of_law(law: NoiseLaw) -> Self {
        NoiseBound::of_law(law, 0.0).into()
    }

    /// Returns a bias of at most this size, and with this root mean square, which is no larger.
    ///
    /// # Panics
    /// If the size is negative or no number.
    pub(crate) fn bias_of(bias: f64, deviation: f64) -> Self {
        Self { bound: NoiseBound::new(0.0, bias), bias_deviation: deviation.min(bias) }
    }

    /// Law of the noise.
    #[must_use]
    pub fn law(self) -> NoiseLaw {
        self.bound.law()
    }

    /// Standard deviation of the error, bias included.
    #[must_use]
    pub fn deviation(self) -> f64 {
        self.bound.deviation().hypot(self.bias_deviation)
    }

    /// Variance of the error, bias included.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.deviation().powi(2)
    }

    /// Largest error that is not noise.
    #[must_use]
    pub fn bias(self) -> f64 {
        self.bound.bias()
    }

    /// Returns the error in a slot whose `|s(ζ_j)|²` is at most `size` times its mean, independently of all other noise
    /// of the slot.
    pub(crate) fn in_slots_up_to(self, size: f64) -> Self {
        let law = self.law().in_slots_up_to(size);
        Self { bound: NoiseBound::of_law(law, self.bias()), ..self }
    }

    /// Adds an independent error: variances add up, and so do largest sizes.
    pub(crate) fn with_independent(self, other: Self) -> Self {
        Self {
            bound: self.bound.with_independent(other.bound),
            bias_deviation: self.bias_deviation.hypot(other.bias_deviation),
        }
    }

    /// Returns the maximum of two bounds in every part.
    pub(crate) fn at_least(self, other: Self) -> Self {
        Self {
            bound: self.bound.max(other.bound),
            bias_deviation: self.bias_deviation.max(other.bias_deviation),
        }
    }

    /// Scales the noise by one factor and the bias by another.
    pub(crate) fn scaled_apart(self, of_noise: f64, of_bias: f64) -> Self {
        Self {
            bound: NoiseBound::of_law(self.law().times(of_noise), of_bias * self.bias()),
            bias_deviation: of_bias * self.bias_deviation,
        }
    }

    /// Scales the error by `factor`.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        self.scaled_apart(factor, factor)
    }

    /// Returns what a function with zero slope at bits leaves of an error ε: at most `factor·ε²`, with ε as large as it
    /// is except with probability `2^log2_fail`.
    pub(crate) fn squared(self, factor: f64, log2_fail: f64) -> Self {
        let largest = factor * self.largest(log2_fail).powi(2);
        Self::bias_of(largest, factor * self.fourth_moment().sqrt())
    }

    /// `E ε⁴`, from the kurtosis of the noise, with the bias taken as Gaussian.
    pub(crate) fn fourth_moment(self) -> f64 {
        let (law, bias) = (self.law(), self.bias_deviation.powi(2));
        let variance = law.variance();
        law.kurtosis() * variance * variance + 6.0 * bias * variance + 3.0 * bias * bias
    }

    /// Upper bound on the probability that a bit is off by half, as log2.
    pub(crate) fn log2_fail(self) -> f64 {
        self.bound.log2_exceeds(0.5)
    }

    /// Upper bound on the probability that the error of a bit exceeds a margin, as log2.
    pub(crate) fn log2_exceeds(self, margin: f64) -> f64 {
        self.bound.log2_exceeds(margin)
    }

    /// Largest error, except with probability `2^log2_fail`.
    pub(crate) fn largest(self, log2_fail: f64) -> f64 {
        self.bound.largest(log2_fail)
    }

    /// Checks that the noise is at least that of fresh bits: no bits have less.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Mismatch`].
    pub(crate) fn check_floor(self, fresh: Self) -> Result<()> {
        let all = |noise: Self| NoiseBound::new(noise.deviation(), 0.0);
        all(self).check_floor(all(fresh))
    }

    /// Writes all parts.
    ///
    /// # Errors
    /// The errors of the writer.
    pub(crate) fn write<W: Write>(self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        self.bound.write(writer)?;
        writer.f64(self.bias_deviation)
    }

    /// Reads what [`BitNoise::write`] wrote. The caller checks the result against the parameters.
    ///
    /// # Errors
    /// If bytes are missing, or a number is not from 0 to 1/2: noise above that leaves no bit.
    pub(crate) fn read(reader: &mut BodyReader<'_>) -> Result<Self> {
        let bound = NoiseBound::read(reader)?;
        let bias_deviation = read_size(reader, "root mean square of the bias")?;
        Ok(Self { bound, bias_deviation })
    }

    /// Checks that a bit is off by half with a probability of at most `2^limit`.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::NoiseTooLarge`], which names `operation`.
    pub(crate) fn check(self, operation: &'static str, limit: f64) -> Result<()> {
        check_log2_fail(operation, self.log2_fail(), limit)
    }
}

/// A bound whose root mean square of the bias is its maximum.
impl From<NoiseBound> for BitNoise {
    fn from(bound: NoiseBound) -> Self {
        Self { bound, bias_deviation: bound.bias() }
    }
}

impl Add for BitNoise {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bound: self.bound + other.bound,
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
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use super::*;

    #[test]
    fn biases_take_from_the_margin_and_squares_follow_the_law() {
        assert_eq!(BitNoise::bias_of(0.6, 0.6).log2_fail(), 0.0);
        assert_eq!(BitNoise::bias_of(0.4, 0.4).log2_fail(), f64::NEG_INFINITY);
        assert_eq!(BitNoise::bias_of(0.25, 0.1).largest(-80.0), 0.25);
        for (law, kurtosis) in
            [(NoiseLaw::gaussian(1e-6), 3.0), (NoiseLaw::slots(1e-6, f64::INFINITY), 6.0)]
        {
            let noise = BitNoise::of_law(law);
            assert!((noise.fourth_moment() / (kurtosis * 1e-12) - 1.0).abs() < 1e-6);
            let squared = noise.squared(3.0, -80.0);
            assert_eq!(squared.bias(), 3.0 * law.largest(-80.0).powi(2));
            assert!((squared.deviation() / (3.0 * kurtosis.sqrt() * 1e-6) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn equal_bounds_have_equal_hashes_and_are_read_back() {
        let law = NoiseLaw::slots(1e-8, 10.0).with_independent(NoiseLaw::gaussian(1e-9));
        let noise = BitNoise::of_law(law).with_independent(BitNoise::bias_of(1e-3, 1e-5));
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        assert_eq!(hasher.hash_one(noise), hasher.hash_one(noise.scaled(1.0)));
        assert_eq!(hasher.hash_one(BitNoise::default()), hasher.hash_one(noise.scaled(-0.0)));
        let mut writer = BodyWriter::new(Vec::new());
        noise.write(&mut writer).unwrap();
        let bytes = writer.into_inner();
        assert_eq!(bytes.len() as u64, NoiseBound::BYTES + 8);
        assert_eq!(BitNoise::read(&mut BodyReader::new(&bytes)).unwrap(), noise);
    }
}
