//! Noise of all operators under one parameter set, as variances (Sec. 2.4 and Lemma 1 of Ma et al., TCHES 2024).
//!
//! Their formulas bound; those here follow what this crate computes: binary or ternary secrets, balanced digits of
//! second moment B²/12, rounded-away low bits, and mean-compensated modulus switching. All are fractions of the
//! modulus squared, so that they add across changes of modulus.

use cryptable_lattice::ERROR_VARIANCE;
use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::lwe::{modulus_switch_variance, odd_modulus_switch_variance};
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_ring::gadget::Gadget;

use crate::multiplication::bfv::{self, PackedNoise};
use crate::multiplication::scheme_switching;
use crate::packing::trace::{self, PackedLength};
use crate::parameters::Parameters;
use crate::rotation::{automorphism, cmux};
use crate::switching::{lwe_key_switching, ring_dimension_switching};
use crate::variance::RingNumbers;

pub use crate::switching::lwe_key_switching::noise as lwe_key_switching_noise;
pub use crate::variance::{SecretNorms, Variance, gadget_product_noise, log2_sum, second_moment};

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

    /// Returns the parameters that noise is predicted for.
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

    /// Returns the numbers that determine noise in the ring of blind rotation.
    fn ring(&self) -> RingNumbers {
        let literal = self.parameters.literal();
        RingNumbers {
            degree: literal.ring_degree as f64,
            prime: self.parameters.prime() as f64,
            secret: literal.ring_secret,
        }
    }

    /// A gadget product that switches from a secret with this second moment of a coefficient to the ring secret.
    #[must_use]
    pub fn gadget_product(&self, gadget: Gadget, secret_second_moment: f64) -> Variance {
        let ring = self.ring();
        ring.gadget_product(gadget, ring.degree * secret_second_moment)
    }

    /// Switching to the ring of lower degree, the switch from Q to its prime included: N/N' gadget products.
    #[must_use]
    pub fn ring_dimension_switching(&self) -> Variance {
        let Some(small) = self.parameters.small_ring() else { return Variance::ZERO };
        let secret = self.parameters.literal().ring_secret;
        ring_dimension_switching::noise(small, self.parameters.ring_degree(), secret)
            + self.ring_modulus_switch(small.prime())
    }

    /// σ_ks²: key switching to the LWE secret, all switches of modulus and ring on the way included.
    #[must_use]
    pub fn key_switching(&self) -> Variance {
        let (dimension, secret) = self.parameters.key_switching_source();
        lwe_key_switching::noise(self.parameters.key_switching_gadget(), dimension, secret)
            + self.ring_dimension_switching()
    }

    /// σ_acc²: a blind rotation, by CMUXes or automorphisms.
    ///
    /// By automorphisms: n external products, and the expected number of automorphisms
    /// ([`RotationMethod::automorphisms`](crate::parameters::RotationMethod::automorphisms)), a gadget product each.
    /// That is for masks rounded as the method wants it; others take further products, up to 2^θ - 1 times n; for
    /// multiples of 2^θ, [`NoiseModel::sparse_blind_rotation`].
    #[must_use]
    pub fn blind_rotation(&self) -> Variance {
        self.blind_rotation_by(0)
    }

    /// σ_acc² of a blind rotation by a mask of multiples of 2^θ (θ = `sparsity_log2`; 0 for none, rounded as the
    /// method wants it).
    ///
    /// CMUXes do not care; automorphisms are fewer
    /// ([`crate::rotation::expected_sparse_automorphisms`]), and external products one more.
    #[must_use]
    pub fn sparse_blind_rotation(&self, sparsity_log2: u32) -> Variance {
        self.rotation(self.parameters.rotation_gadget(), sparsity_log2)
    }

    /// σ_acc² of a blind rotation by the rotation key of this number in [`Parameters::rotation_gadgets`].
    ///
    /// # Panics
    /// If there is no such key.
    #[must_use]
    pub fn blind_rotation_by(&self, rotation_key: usize) -> Variance {
        self.rotation(self.parameters.rotation_gadgets()[rotation_key], 0)
    }

    fn rotation(&self, gadget: RgswGadget, sparsity_log2: u32) -> Variance {
        let literal = self.parameters.literal();
        let (n, ring) = (literal.lwe_dimension, self.ring());
        let Some(window) = self.parameters.rotation_automorphisms() else {
            return cmux::noise(&ring, gadget, n, literal.lwe_secret);
        };
        let method = literal.rotation_method;
        let automorphisms = method.automorphisms(literal.ring_degree, n, sparsity_log2);
        let products = n + usize::from(sparsity_log2 > 0);
        automorphism::noise(&ring, gadget, products, window.gadget, automorphisms)
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

    /// An automorphism of the trace: one gadget product.
    #[must_use]
    pub fn automorphism(&self) -> Variance {
        let ring = self.ring();
        ring.gadget_product(self.parameters.automorphism_gadget(), ring.secret_norm())
    }

    /// σ_pk²: packing by the trace, for one of the coefficients that have the value.
    #[must_use]
    pub fn packing(&self, length: PackedLength) -> Variance {
        trace::noise(self.automorphism(), self.parameters.ring_degree(), length)
    }

    /// A value of variance `raw` packed into the constant coefficient ([`crate::keys::EvaluationKey::pack`]).
    #[must_use]
    pub fn packed(&self, raw: Variance) -> PackedNoise {
        let packing = self.packing(PackedLength::Constant);
        let all = self.packing_mean() * self.parameters.ring_degree() as f64;
        PackedNoise { constant: raw + packing, packing, others: Variance(all.0 - packing.0) }
    }

    /// Mean variance over all coefficients of a value packed into the constant one.
    #[must_use]
    pub fn packing_mean(&self) -> Variance {
        self.automorphism() * (self.parameters.ring_degree() as f64 - 1.0)
    }

    /// Variance of how often a phase over the integers passes Q (the paper's σ_u²).
    #[must_use]
    pub fn overflow(&self) -> f64 {
        let literal = self.parameters.literal();
        bfv::overflow(literal.ring_degree, literal.ring_secret)
    }

    /// Returns the constant coefficient of [`crate::keys::EvaluationKey::bfv_multiply`] (Theorem 10 without an auxiliary
    /// modulus): mostly products of two noises.
    #[must_use]
    pub fn bfv_multiplication(
        &self,
        sign: PackedNoise,
        value: PackedNoise,
        plaintext_modulus: u64,
    ) -> NoiseLaw {
        let gadget = self.parameters.relinearization_gadget();
        bfv::noise(&self.ring(), gadget, [sign, value], plaintext_modulus, 1.0)
    }

    /// Noise like [`NoiseModel::bfv_multiplication`], by the analysis of Chillotti et al. (ASIACRYPT 2021): N times the
    /// dominating term.
    #[must_use]
    pub fn bfv_multiplication_unrefined(
        &self,
        sign: PackedNoise,
        value: PackedNoise,
        plaintext_modulus: u64,
    ) -> NoiseLaw {
        let (ring, gadget) = (self.ring(), self.parameters.relinearization_gadget());
        bfv::noise(&ring, gadget, [sign, value], plaintext_modulus, ring.degree)
    }

    /// σ_ss²: scheme switching ([`crate::keys::EvaluationKey::times_secret`]).
    #[must_use]
    pub fn scheme_switching(&self) -> Variance {
        scheme_switching::noise(&self.ring(), self.parameters.relinearization_gadget())
    }

    /// A fresh ciphertext of large precision ([`crate::decomposition`]).
    #[must_use]
    pub fn fresh_large(&self) -> Variance {
        Variance::of_units(ERROR_VARIANCE, self.parameters.large_modulus() as f64)
    }

    /// A blind rotation by the rotation key of this number, and the switch from Q to q_0, the modulus of large precision.
    ///
    /// # Panics
    /// If there is no such key.
    #[must_use]
    pub fn large_rotation(&self, rotation_key: usize) -> Variance {
        let switch = self.ring_modulus_switch(self.parameters.large_modulus());
        self.blind_rotation_by(rotation_key) + switch
    }
}
