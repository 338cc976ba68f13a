//! Variances of phases, and of the products in which keys are used.

use std::ops::{Add, Mul};

use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{ERROR_VARIANCE, NoiseBound};
use cryptable_ring::gadget::Gadget;

/// A variance of a phase, as a fraction of the squared modulus. The noise is a sum of very many terms, so its law is
/// Gaussian ([`Variance::law`]). Noise that is multiplied by other noise is a [`NoiseLaw`] from the start.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Variance(pub f64);

impl Variance {
    /// The variance of a phase without noise.
    pub const ZERO: Self = Self(0.0);

    /// Converts a variance from squared units of a modulus.
    #[must_use]
    pub fn of_units(variance: f64, modulus: f64) -> Self {
        Self(variance / (modulus * modulus))
    }

    /// Returns the standard deviation, as a fraction of the modulus.
    #[must_use]
    pub fn standard_deviation(self) -> f64 {
        self.0.sqrt()
    }

    /// Returns the Gaussian law of this variance.
    #[must_use]
    pub fn law(self) -> NoiseLaw {
        NoiseLaw::gaussian(self.0)
    }
}

/// The Gaussian law of this variance.
impl From<Variance> for NoiseLaw {
    fn from(variance: Variance) -> Self {
        variance.law()
    }
}

/// Gaussian noise of this variance, without bias.
impl From<Variance> for NoiseBound {
    fn from(variance: Variance) -> Self {
        Self::of_law(variance.law(), 0.0)
    }
}

impl Add for Variance {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Mul<f64> for Variance {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

impl std::iter::Sum for Variance {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::ZERO, Add::add)
    }
}

/// Returns log2 Σ 2^x, at most 0.
#[must_use]
pub fn log2_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let terms: Vec<f64> = terms.collect();
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    (largest + terms.iter().map(|x| (x - largest).exp2()).sum::<f64>().log2()).min(0.0)
}

/// Returns the second moment of a coefficient of a secret.
///
/// # Panics
/// If the secret has fixed weight, which no parameters of single values allow.
#[must_use]
pub fn second_moment(secret: SecretDistribution) -> f64 {
    match secret {
        SecretDistribution::Binary => 0.5,
        SecretDistribution::UniformTernary => 2.0 / 3.0,
        SecretDistribution::FixedWeightTernary(_) | SecretDistribution::Blocks(_) => {
            unreachable!("parameters refuse it")
        }
    }
}

/// Returns the variance of Σ_k digit_k·row_k over a polynomial's digits, where each coefficient has `terms` independent
/// products, in squared units: `ℓ·terms·E[digit²]·(σ² + (5u·Q)²/12·(1 + ‖s‖²))`, s the secret of the rows. The second
/// part, u = 2^-53, bounds the errors that Fourier transforms over doubles add to body and mask
/// (`kernels/digit_product/fourier.rs` of `ring`); the error of the mask is multiplied by the secret, of this squared norm.
/// For Q = 2^47 and a binary secret of degree 2,048 the second part is 2^-4.4 of the first; larger primes have none.
pub(crate) fn digit_noise(gadget: Gadget, terms: f64, secret_norm: f64) -> f64 {
    let modulus = gadget.modulus() as f64;
    let transforms =
        if modulus < FOURIER_LIMIT { (5.0 * ROUNDOFF * modulus).powi(2) / 12.0 } else { 0.0 };
    let each = ERROR_VARIANCE + transforms * (1.0 + secret_norm);
    gadget.length() as f64 * terms * gadget.digit_variance() * each
}

/// Unit roundoff u of double precision.
const ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Products modulo primes from this one on use residues instead of Fourier transforms.
const FOURIER_LIMIT: f64 = (1_u64 << 47) as f64;

/// Squared norms of the secrets that a gadget product switches between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecretNorms {
    /// Second moment of the gadget ciphertexts' content, which multiplies the rounding error of the polynomial.
    pub source: f64,
    /// Second moment of the secret, which multiplies the rounding errors that transforms make in masks.
    pub target: f64,
}

/// Returns the variance of a gadget product, as a fraction of the gadget's modulus squared: that of its digits, with
/// `terms` products per coefficient, and of rounding:
/// `ℓ·terms·E[digit²]·(σ² + transforms·(1 + ‖target‖²)) + rounding·‖source‖²`.
#[must_use]
pub fn gadget_product_noise(gadget: Gadget, terms: f64, secrets: SecretNorms) -> Variance {
    let rounding = gadget.rounding_variance() * secrets.source;
    let digits = digit_noise(gadget, terms, secrets.target);
    Variance::of_units(digits + rounding, gadget.modulus() as f64)
}

/// Numbers that, besides the gadgets, determine the noise of products in a ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingNumbers {
    /// Ring degree N.
    pub(crate) degree: f64,
    /// The modulus Q.
    pub(crate) prime: f64,
    /// The ring secret's distribution.
    pub(crate) secret: SecretDistribution,
}

impl RingNumbers {
    /// Returns the mean squared norm of the secret, N·E[s²].
    pub(crate) fn secret_norm(&self) -> f64 {
        self.degree * second_moment(self.secret)
    }

    /// Converts a variance from squared units of Q.
    pub(crate) fn units(&self, variance: f64) -> Variance {
        Variance::of_units(variance, self.prime)
    }

    /// Returns the variance of a gadget product with a polynomial of this squared norm.
    pub(crate) fn gadget_product(&self, gadget: Gadget, norm: f64) -> Variance {
        self.units(self.digits(gadget) + gadget.rounding_variance() * norm)
    }

    /// Returns the variance of the digits of a gadget product, in squared units.
    fn digits(&self, gadget: Gadget) -> f64 {
        digit_noise(gadget, self.degree, self.secret_norm())
    }

    /// Returns the variance of the digits of an external product, of body and mask, in squared units.
    pub(crate) fn rgsw_digits(&self, gadget: RgswGadget) -> f64 {
        self.digits(gadget.body) + self.digits(gadget.mask)
    }

    /// Returns the variance of the rounding error of an RLWE ciphertext's phase, in squared units: that of the body, and that
    /// of the mask times the secret.
    pub(crate) fn rgsw_rounding(&self, gadget: RgswGadget) -> f64 {
        gadget.body.rounding_variance() + gadget.mask.rounding_variance() * self.secret_norm()
    }

    /// Returns the second moment of a coefficient of s².
    ///
    /// Coefficient x is a sum of x + 1 products minus a sum of N - 1 - x, in which each product of two different
    /// coefficients occurs twice: `2N·E[s²]²` if the coefficients have mean 0. Binary coefficients do not: the mean of the sum
    /// is (2x + 2 - N)/4, whose square is N²/48 on average, and products have a variance of 3/16.
    pub(crate) fn square_moment(&self) -> f64 {
        let n = self.degree;
        match self.secret {
            SecretDistribution::Binary => n * n / 48.0 + n * 3.0 / 8.0,
            _ => 2.0 * n * second_moment(self.secret).powi(2),
        }
    }
}
