//! Shapes of ciphertexts and plaintexts in a dry run.

use num_complex::Complex64;

use super::slot_noise::SlotNoise;
use crate::noise_sources::NoiseSources;

/// The variance of slot values about 0, not scaled.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct SlotVariance(pub f64);

/// Shape of a ciphertext in a dry run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Number of primes of the modulus.
    pub limbs: usize,
    /// The chain of these primes.
    pub chain: usize,
    /// The exact factor between slots and encoded values.
    pub scale: f64,
    /// Mean square of the slots.
    pub power: SlotVariance,
    /// Noise in a slot.
    pub noise: SlotNoise,
    /// Sources of the noise.
    pub sources: NoiseSources,
}

impl Shape {
    /// Returns the shape of a ciphertext of the first chain, with slots of this mean square and noise of unknown origin.
    #[must_use]
    pub fn new(limbs: usize, scale: f64, mean_square: f64, noise: SlotNoise) -> Self {
        let (power, sources) = (SlotVariance(mean_square), NoiseSources::UNKNOWN);
        Self { limbs, chain: 0, scale, power, noise, sources }
    }

    /// Noise of the product with `other`, except for the product of both noises. The noises add up as variances if
    /// their sources are independent, else as deviations.
    #[must_use]
    pub fn product_noise(&self, other: &Self) -> SlotNoise {
        let of_self = self.noise * other.power.0;
        let of_other = other.noise * self.power.0;
        let noise = if self.sources.independent_of(other.sources) {
            of_self + of_other
        } else {
            of_self.with_correlated(of_other)
        };
        // Of the bits in a set, one is 1: their sizes add up as powers do. The size of other slots follows from their
        // power.
        let size = |power: SlotVariance| power.0.min(power.0.sqrt());
        let bound = self.noise.bound * size(other.power) + other.noise.bound * size(self.power);
        SlotNoise { bound, ..noise }
    }
}

/// The linear combination with these constants, each rounded to an integer at the ratio of `scale` to the scale of its
/// input.
pub(super) fn combination(
    limbs: usize,
    inputs: &[&Shape],
    constants: &[Complex64],
    scale: f64,
) -> Shape {
    let (mut power, mut noise) = (0.0, SlotNoise::ZERO);
    for (constant, input) in constants.iter().zip(inputs) {
        let rounding = (input.scale / scale).powi(2) / 6.0;
        power += constant.norm_sqr() * input.power.0;
        // Both parts of a constant are off by at most half a unit.
        let largest = (3.0 * rounding * input.power.0).sqrt();
        let rounded = SlotNoise::fixed(rounding * input.power.0, largest);
        noise += input.noise * constant.norm_sqr() + rounded;
    }
    let sources = NoiseSources::union_of(inputs.iter().map(|input| input.sources));
    let power = SlotVariance(power);
    let chain = inputs.first().map_or(0, |input| input.chain);
    Shape { limbs, chain, scale, power, noise, sources }
}

/// Shape of a plaintext in a dry run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainShape {
    /// The exact factor between slots and encoded values.
    pub scale: f64,
    /// Mean square of the slots.
    pub mean_square: f64,
    /// Number of encoded slots, which the others repeat.
    pub slots: usize,
}

impl PlainShape {
    /// Returns the slot variance that rounding coefficients causes, two coefficients per slot.
    pub(super) fn encoding_noise(&self) -> f64 {
        self.slots as f64 / 6.0 / (self.scale * self.scale)
    }
}
