//! Noise of the operators, as variances (Sec. 2.4 and Lemma 1 of Ma et al., TCHES 2024).
//!
//! Their formulas bound; those here follow what this crate computes: binary or ternary secrets, balanced digits of
//! second moment B²/12, rounded-away low bits, and mean-compensated modulus switching. All are fractions of the
//! modulus squared, so that they add across changes of modulus.

use std::ops::{Add, Mul};

use cryptable_lattice::gaussian_tail::gaussian_tail_log2;
use cryptable_lattice::lwe::{modulus_switch_variance, odd_modulus_switch_variance};
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::external_product::RgswGadget;
use cryptable_ring::gadget::Gadget;

use crate::parameters::{ERROR_VARIANCE, Parameters, RotationMethod};
use crate::rotation::cmux::selectors_per_coefficient;

/// A variance of a phase, as a fraction of the squared modulus.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Variance(pub f64);

impl Variance {
    /// No noise.
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

    /// log2 of the probability that a Gaussian of this variance exceeds `margin`, a fraction of the modulus.
    #[must_use]
    pub fn log2_tail(self, margin: f64) -> f64 {
        if self.0 == 0.0 {
            f64::NEG_INFINITY
        } else {
            gaussian_tail_log2(margin / self.standard_deviation())
        }
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
#[must_use]
pub fn second_moment(secret: SecretDistribution) -> f64 {
    match secret {
        SecretDistribution::Binary => 0.5,
        SecretDistribution::UniformTernary => 2.0 / 3.0,
        SecretDistribution::FixedWeightTernary(_) => unreachable!("parameters refuse it"),
    }
}

/// Variances of the operators under one parameter set.
#[derive(Clone, Debug)]
pub struct NoiseModel {
    parameters: Parameters,
}

impl NoiseModel {
    /// For a parameter set.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone() }
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// A fresh LWE ciphertext.
    #[must_use]
    pub fn fresh(&self) -> Variance {
        Variance::of_units(ERROR_VARIANCE, self.parameters.lwe_modulus() as f64)
    }

    /// σ_ms²(n): switching LWE of dimension n to a modulus
    /// ([`crate::keys::EvaluationKey::to_rotation_modulus`]).
    ///
    /// To 2N for a rotation by automorphisms, masks are rounded to numbers 2^θ apart
    /// ([`Parameters::mask_spacing_log2`]): nearly 4^θ times the variance.
    #[must_use]
    pub fn lwe_modulus_switch(&self, modulus: u64) -> Variance {
        let literal = self.parameters.literal();
        let (dimension, secret) = (literal.lwe_dimension, literal.lwe_secret);
        let units = match self.parameters.mask_spacing_log2(modulus) {
            Some(spacing) => odd_modulus_switch_variance(dimension, spacing, secret),
            None => modulus_switch_variance(dimension, secret),
        };
        Variance::of_units(units, modulus as f64)
    }

    /// σ_ms²(N): switching LWE of dimension N, from Q to a modulus.
    #[must_use]
    pub fn ring_modulus_switch(&self, modulus: u64) -> Variance {
        let literal = self.parameters.literal();
        let units = modulus_switch_variance(literal.ring_degree, literal.ring_secret);
        Variance::of_units(units, modulus as f64)
    }

    /// Noise of Σ_k digit_k·row_k over a polynomial's digits, each coefficient of `terms` independent products,
    /// in squared units.
    pub(crate) fn digit_noise(gadget: Gadget, terms: f64) -> f64 {
        gadget.length() as f64 * terms * gadget.digit_variance() * ERROR_VARIANCE
    }

    /// [`NoiseModel::digit_noise`] of an external product: the digits of both halves.
    pub(crate) fn rgsw_noise(gadget: RgswGadget, terms: f64) -> f64 {
        Self::digit_noise(gadget.body, terms) + Self::digit_noise(gadget.mask, terms)
    }

    /// What rounding leaves of an RLWE ciphertext's phase, in squared units: the body's, and the mask's times the
    /// secret.
    pub(crate) fn rgsw_rounding(&self, gadget: RgswGadget) -> f64 {
        let literal = self.parameters.literal();
        let secret = literal.ring_degree as f64 * second_moment(literal.ring_secret);
        gadget.body.rounding_variance() + gadget.mask.rounding_variance() * secret
    }

    /// A gadget product that switches from a secret of the ring's distribution (automorphisms, packing).
    #[must_use]
    pub fn gadget_product(&self, gadget: Gadget, secret_second_moment: f64) -> Variance {
        let n = self.parameters.ring_degree() as f64;
        let rounding = gadget.rounding_variance() * n * secret_second_moment;
        let units = Self::digit_noise(gadget, n) + rounding;
        Variance::of_units(units, self.parameters.prime() as f64)
    }

    /// Switching to the ring of lower degree, the switch from Q to its prime included: N/N' gadget products.
    #[must_use]
    pub fn ring_dimension_switching(&self) -> Variance {
        let Some(small) = self.parameters.small_ring() else { return Variance::ZERO };
        let gadget = small.gadget();
        let n = self.parameters.ring_degree() as f64;
        let secret = second_moment(self.parameters.literal().ring_secret);
        let units = Self::digit_noise(gadget, n) + gadget.rounding_variance() * n * secret;
        Variance::of_units(units, small.prime() as f64) + self.ring_modulus_switch(small.prime())
    }

    /// σ_ks²: key switching to the LWE secret, all switches of modulus and ring on the way included.
    #[must_use]
    pub fn key_switching(&self) -> Variance {
        let gadget = self.parameters.key_switching_gadget();
        let (dimension, secret) = self.parameters.key_switching_source();
        let n = dimension as f64;
        let rounding = gadget.rounding_variance() * n * second_moment(secret);
        let units =
            Self::digit_noise(gadget, n) + rounding + modulus_switch_variance(dimension, secret);
        Variance::of_units(units, self.parameters.lwe_modulus() as f64)
            + self.ring_dimension_switching()
    }

    /// σ_acc²: a blind rotation.
    ///
    /// Every CMUX adds the noise of the digit products of body and mask (each digit times an error polynomial), and
    /// what rounding the rotated difference leaves where the selector is 1: `rounding_b + rounding_a·N·E[s²]`.
    ///
    /// By automorphisms: n external products, and the expected number of automorphisms
    /// ([`RotationMethod::automorphisms`]), a gadget product each. That is for masks rounded as the method wants it;
    /// others take further products; for multiples of 2^θ, [`NoiseModel::sparse_blind_rotation`].
    #[must_use]
    pub fn blind_rotation(&self) -> Variance {
        self.blind_rotation_by(self.parameters.rotation_gadget())
    }

    /// σ_acc² of a blind rotation by a mask of multiples of 2^θ (θ = `sparsity_log2`; 0 for none, rounded as the
    /// method wants it).
    ///
    /// CMUXes do not care; automorphisms are fewer
    /// ([`crate::rotation::expected_sparse_automorphisms`]), and external products one more.
    #[must_use]
    pub fn sparse_blind_rotation(&self, sparsity_log2: u32) -> Variance {
        let gadget = self.parameters.rotation_gadget();
        match self.parameters.literal().rotation_method {
            RotationMethod::Cmux => self.blind_rotation_by(gadget),
            RotationMethod::Automorphism { .. } | RotationMethod::SparseAutomorphism { .. } => {
                self.automorphism_rotation(gadget, sparsity_log2)
            }
        }
    }

    /// σ_acc² of a blind rotation with a decomposition of its own.
    #[must_use]
    pub fn blind_rotation_by(&self, gadget: RgswGadget) -> Variance {
        let literal = self.parameters.literal();
        if literal.rotation_method != RotationMethod::Cmux {
            return self.automorphism_rotation(gadget, 0);
        }
        let (n, degree) = (literal.lwe_dimension as f64, literal.ring_degree as f64);
        let products = Self::rgsw_noise(gadget, degree);
        // A ternary step multiplies each of two products by X^e - 1: two terms of each.
        let products = match selectors_per_coefficient(literal.lwe_secret) {
            1 => products,
            _ => 4.0 * products,
        };
        // Ternary steps decompose the accumulator and rotate the rounding error: X^e - 1 doubles it.
        let moved = if literal.lwe_secret == SecretDistribution::Binary { 1.0 } else { 2.0 };
        let rounding = self.rgsw_rounding(gadget) * second_moment(literal.lwe_secret) * moved;
        Variance::of_units(n * (products + rounding), self.parameters.prime() as f64)
    }

    /// σ_com²: what follows a blind rotation, up to the phase of the next one.
    #[must_use]
    pub fn common(&self, modulus: u64) -> Variance {
        self.key_switching() + self.lwe_modulus_switch(modulus)
    }

    /// σ_boot²: a bootstrap, measured at the phase of the next blind rotation.
    #[must_use]
    pub fn bootstrap(&self) -> Variance {
        self.blind_rotation() + self.common(self.parameters.rotation_modulus())
    }
}
