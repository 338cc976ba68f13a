//! Variances of phases, and of the products that every key is used by.

use std::ops::{Add, Mul};

use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{ERROR_VARIANCE, NoiseBound};
use cryptable_ring::gadget::Gadget;

/// A variance of a phase, as a fraction of the squared modulus: of a sum of very many terms, whose law is the Gaussian's
/// ([`Variance::law`]). What is multiplied by another noise is a [`NoiseLaw`] from the start.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Variance(pub f64);

impl Variance {
    /// The variance of what has no noise.
    pub const ZERO: Self = Self(0.0);

    /// From a variance in squared units of a modulus.
    #[must_use]
    pub fn of_units(variance: f64, modulus: f64) -> Self {
        Self(variance / (modulus * modulus))
    }

    /// Standard deviation, as a fraction of the modulus.
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

/// log2 Σ 2^x, at most 0.
#[must_use]
pub fn log2_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let terms: Vec<f64> = terms.collect();
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    (largest + terms.iter().map(|x| (x - largest).exp2()).sum::<f64>().log2()).min(0.0)
}

/// Second moment of a coefficient of a secret.
///
/// # Panics
/// If it is one of fixed weight, which no parameters of single values admit.
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

/// Σ_k digit_k·row_k over a polynomial's digits, each coefficient of `terms` independent products, in squared units:
/// `ℓ·terms·E[digit²]·(σ² + (5u·Q)²/12·(1 + ‖s‖²))`, s the secret that rows are under. The second part, u = 2^-53,
/// bounds what Fourier transforms over doubles add to body and mask (`kernels/digit_product/fourier.rs` of `ring`); the
/// secret, of this squared norm, multiplies the mask's. For Q = 2^47 and a binary secret of degree 2,048 it is 2^-4.4
/// of the first part; larger primes have none.
pub(crate) fn digit_noise(gadget: Gadget, terms: f64, secret_norm: f64) -> f64 {
    let modulus = gadget.modulus() as f64;
    let transforms =
        if modulus < FOURIER_LIMIT { (5.0 * ROUNDOFF * modulus).powi(2) / 12.0 } else { 0.0 };
    let each = ERROR_VARIANCE + transforms * (1.0 + secret_norm);
    gadget.length() as f64 * terms * gadget.digit_variance() * each
}

/// u of double precision.
const ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Products modulo primes from here on are of residues.
const FOURIER_LIMIT: f64 = (1_u64 << 47) as f64;

/// Squared norms of the secrets that a gadget product switches between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecretNorms {
    /// Second moment of the gadget ciphertexts' content, which multiplies the rounding error of the polynomial.
    pub source: f64,
    /// Second moment of the secret, which multiplies the rounding errors that transforms make in masks.
    pub target: f64,
}

/// A gadget product, a fraction of the gadget's modulus squared: that of its digits, `terms` products a coefficient, and
/// what rounding leaves: `ℓ·terms·E[digit²]·(σ² + transforms·(1 + ‖target‖²)) + rounding·‖source‖²`.
#[must_use]
pub fn gadget_product_noise(gadget: Gadget, terms: f64, secrets: SecretNorms) -> Variance {
    let rounding = gadget.rounding_variance() * secrets.source;
    let digits = digit_noise(gadget, terms, secrets.target);
    Variance::of_units(digits + rounding, gadget.modulus() as f64)
}

/// Numbers that determine the noise of products in a ring, besides their gadgets.
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
    /// Squared norm of the secret on average, N·E[s²].
    pub(crate) fn secret_norm(&self) -> f64 {
        self.degree * second_moment(self.secret)
    }

    /// A variance in squared units of Q.
    pub(crate) fn units(&self, variance: f64) -> Variance {
        Variance::of_units(variance, self.prime)
    }

    /// A gadget product with a polynomial of this squared norm.
    pub(crate) fn gadget_product(&self, gadget: Gadget, norm: f64) -> Variance {
        self.units(self.digits(gadget) + gadget.rounding_variance() * norm)
    }

    /// The digits of a gadget product, in squared units.
    fn digits(&self, gadget: Gadget) -> f64 {
        digit_noise(gadget, self.degree, self.secret_norm())
    }

    /// The digits of an external product, of body and mask, in squared units.
    pub(crate) fn rgsw_digits(&self, gadget: RgswGadget) -> f64 {
        self.digits(gadget.body) + self.digits(gadget.mask)
    }

    /// Variance of the rounding error of an RLWE ciphertext's phase, in squared units: the body's, and the mask's times
    /// the secret.
    pub(crate) fn rgsw_rounding(&self, gadget: RgswGadget) -> f64 {
        gadget.body.rounding_variance() + gadget.mask.rounding_variance() * self.secret_norm()
    }

    /// Second moment of a coefficient of s².
    ///
    /// Coefficient x is a sum of x + 1 products less one of N - 1 - x, in which each product of two different
    /// coefficients is there twice: `2N·E[s²]²` if they have no mean. Binary ones have: that of the sum is
    /// (2x + 2 - N)/4, whose square is N²/48 on average, and products have a variance of 3/16.
    pub(crate) fn square_moment(&self) -> f64 {
        let n = self.degree;
        match self.secret {
            SecretDistribution::Binary => n * n / 48.0 + n * 3.0 / 8.0,
            _ => 2.0 * n * second_moment(self.secret).powi(2),
        }
    }
}
