//! Noise in slots, by its distribution.

use std::ops::{Add, AddAssign, Mul};

use cryptable_lattice::NoiseLaw;

/// Variances of the noise in a slot, not scaled, by the reason for which they differ from slot to slot.
///
/// A slot's noise is Gaussian under one key, but its variance differs between slots: a rounding `e_0 + e_1·s` is
/// multiplied in slot j by `|s(ζ_j)|²`, a key switch `Σ d_i·e_i` by `|e_i(ζ_j)|²`, both fixed by the keys. Operations
/// on slots keep that law; matrices average over slots. [`SlotNoise::law`] returns the [`NoiseLaw`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlotNoise {
    /// Noise with the same variance in every slot: errors of coefficients, and roundings of a matrix times random
    /// phases.
    pub gaussian: f64,
    /// Roundings in slots, multiplied by `|s(ζ_j)|²`, where s is the secret.
    pub roundings: f64,
    /// Key switches in slots, multiplied by `|e(ζ_j)|²`, where e is an error of a key.
    pub switches: f64,
    /// Roundings and key switches in real slots: products of two Gaussians, one from a random polynomial, the other
    /// from the secret or the error of a key.
    pub products: f64,
    /// Means of roundings and key switches over several slots.
    pub means: f64,
    /// The largest variance of a product of two Gaussians among the means.
    pub largest_mean: f64,
    /// Mean square of errors that the table and inputs determine: roundings of constants and of matrices that outputs
    /// meet.
    pub fixed: f64,
    /// Largest size of errors that the table and inputs determine. It is not a variance: in sums and multiples of noise
    /// it counts once.
    pub bound: f64,
}

impl SlotNoise {
    /// No noise.
    pub const ZERO: Self = Self {
        bound: 0.0,
        gaussian: 0.0,
        roundings: 0.0,
        switches: 0.0,
        products: 0.0,
        means: 0.0,
        largest_mean: 0.0,
        fixed: 0.0,
    };

    /// Gaussian noise of this variance.
    #[must_use]
    pub fn gaussian(variance: f64) -> Self {
        Self { gaussian: variance, ..Self::ZERO }
    }

    /// Noise of roundings in slots, of this variance.
    #[must_use]
    pub fn roundings(variance: f64) -> Self {
        Self { roundings: variance, ..Self::ZERO }
    }

    /// Noise of key switches in slots, of this variance.
    #[must_use]
    pub fn switches(variance: f64) -> Self {
        Self { switches: variance, ..Self::ZERO }
    }

    /// Noise of roundings and key switches in real slots, of this variance.
    #[must_use]
    pub fn products(variance: f64) -> Self {
        Self { products: variance, ..Self::ZERO }
    }

    /// Errors that the table and inputs determine, with this mean square and at most this size.
    #[must_use]
    pub fn fixed(mean_square: f64, bound: f64) -> Self {
        Self { fixed: mean_square, bound, ..Self::ZERO }
    }

    /// Returns the variance of the whole noise.
    #[must_use]
    pub fn total(self) -> f64 {
        self.gaussian + self.roundings + self.switches + self.products + self.means + self.fixed
    }

    /// Adds the deviations of every kind: an upper bound for noises that depend on each other.
    #[must_use]
    pub fn with_correlated(self, other: Self) -> Self {
        // Means add up like products in `NoiseLaw`.
        let largest = self.largest_mean.sqrt() + other.largest_mean.sqrt();
        let means = |it: Self| if it.means > 0.0 { it.means / it.largest_mean.sqrt() } else { 0.0 };
        Self {
            means: largest * (means(self) + means(other)),
            largest_mean: largest * largest,
            bound: self.bound + other.bound,
            ..self.zip(other, |a, b| (a.sqrt() + b.sqrt()).powi(2))
        }
    }

    /// Subtracts a part of the noise.
    #[must_use]
    pub fn without(self, part: Self) -> Self {
        let rest = self.zip(part, |all, part| (all - part).max(0.0));
        Self { bound: self.bound, largest_mean: self.largest_mean, ..rest }
    }

    /// Combines both noises, kind by kind.
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            gaussian: f(self.gaussian, other.gaussian),
            roundings: f(self.roundings, other.roundings),
            switches: f(self.switches, other.switches),
            products: f(self.products, other.products),
            means: f(self.means, other.means),
            largest_mean: f(self.largest_mean, other.largest_mean),
            fixed: f(self.fixed, other.fixed),
            bound: f(self.bound, other.bound),
        }
    }

    /// Noise after a matrix with `entries` equal entries per row whose squares add up to `gain`: each slot is a mean
    /// over `entries` slots.
    #[must_use]
    pub fn averaged(self, entries: usize, gain: f64) -> Self {
        let averaged = self.roundings + self.switches;
        // A complex slot is two products of variance 1/2; a part that was a real slot is one product.
        let largest = (averaged / 2.0 + self.products) / entries as f64;
        Self {
            gaussian: self.gaussian,
            means: self.means + averaged + self.products,
            largest_mean: self.largest_mean + largest,
            fixed: self.fixed,
            bound: self.bound * (entries as f64).sqrt(),
            ..Self::ZERO
        } * gain
    }

    /// Returns the law of the real part of a slot's noise if `|s(ζ_j)|²` is at most `limit` times its mean, or the mean
    /// over `copies` slots if values repeat. Errors that the table and inputs determine are not included.
    ///
    /// Variances are those of the whole slot; for a part, the caller halves them.
    #[must_use]
    pub fn law(self, limit: f64, copies: usize) -> NoiseLaw {
        let count = copies.max(1);
        let roundings = if count == 1 {
            NoiseLaw::slots(self.roundings, limit)
        } else {
            NoiseLaw::mean_of_slots(self.roundings, count)
        };
        NoiseLaw::gaussian(self.gaussian)
            .with_independent(roundings)
            .with_independent(NoiseLaw::mean_of_slots(self.switches, count))
            .with_independent(NoiseLaw::products(self.products, self.products / count as f64))
            .with_independent(NoiseLaw::products(self.means, self.largest_mean))
    }
}

impl Add for SlotNoise {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // Means may be over the same slots, so their largest ones add up, too.
        self.zip(other, Add::add)
    }
}

impl AddAssign for SlotNoise {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for SlotNoise {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

/// Multiplies the noise by a number whose square is the factor.
impl Mul<f64> for SlotNoise {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        let scaled = self.zip(Self::ZERO, |variance, _| variance * factor);
        Self { bound: self.bound * factor.sqrt(), ..scaled }
    }
}
