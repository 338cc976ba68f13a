//! Noise of all operators under one parameter set, as variances (Sec. 2.4 and Lemma 1 of Ma et al., TCHES 2024).
//!
//! The paper's formulas are bounds. The formulas here follow the computations of this crate: binary or ternary secrets,
//! balanced digits of second moment B²/12, rounded-away low bits, and mean-compensated modulus switching. All variances are
//! fractions of the modulus squared, so they can be added across changes of modulus.

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
    /// Returns the noise model of a parameter set.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        Self { parameters: parameters.clone() }
    }

    /// Returns the parameters that noise is predicted for.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the variance of a fresh LWE ciphertext.
    #[must_use]
    pub fn fresh(&self) -> Variance {
        Variance::of_units(ERROR_VARIANCE, self.parameters.lwe_modulus() as f64)
    }

    /// Returns σ_ms²(n), the variance of switching LWE of dimension n to a modulus
    /// ([`crate::keys::EvaluationKey::to_rotation_modulus`]).
    ///
    /// In a switch to 2N for a rotation by automorphisms, masks are rounded to numbers 2^θ apart
    /// ([`Parameters::mask_spacing_log2`]), which has nearly 4^θ times the variance.
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

    /// Returns σ_ms²(N), the variance of switching LWE of dimension N from Q to a modulus.
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

    /// Returns the variance of a gadget product that switches to the ring secret from a secret whose coefficients have this
    /// second moment.
    #[must_use]
    pub fn gadget_product(&self, gadget: Gadget, secret_second_moment: f64) -> Variance {
        let ring = self.ring();
        ring.gadget_product(gadget, ring.degree * secret_second_moment)
    }

    /// Returns the variance of switching to the ring of lower degree, including the switch from Q to its prime: N/N' gadget
    /// products.
    #[must_use]
    pub fn ring_dimension_switching(&self) -> Variance {
        let Some(small) = self.parameters.small_ring() else { return Variance::ZERO };
        let secret = self.parameters.literal().ring_secret;
        ring_dimension_switching::noise(small, self.parameters.ring_degree(), secret)
            + self.ring_modulus_switch(small.prime())
    }

    /// Returns σ_ks², the variance of key switching to the LWE secret, including all switches of modulus and ring on the way.
    #[must_use]
    pub fn key_switching(&self) -> Variance {
        let (dimension, secret) = self.parameters.key_switching_source();
        lwe_key_switching::noise(self.parameters.key_switching_gadget(), dimension, secret)
            + self.ring_dimension_switching()
    }

    /// Returns σ_acc², the variance of a blind rotation by CMUXes or automorphisms.
    ///
    /// A rotation by automorphisms consists of n external products and the expected number of automorphisms
    /// ([`RotationMethod::automorphisms`](crate::parameters::RotationMethod::automorphisms)), each a gadget product. This
    /// holds for masks that are rounded for the method. Other masks need further products, up to 2^θ - 1 times n; for
    /// multiples of 2^θ, see [`NoiseModel::sparse_blind_rotation`].
    #[must_use]
    pub fn blind_rotation(&self) -> Variance {
        self.blind_rotation_by(0)
    }

    /// Returns σ_acc² of a blind rotation by a mask of multiples of 2^θ (θ = `sparsity_log2`; 0 for a mask that is rounded for
    /// the method).
    ///
    /// CMUXes have the same variance; rotation by automorphisms needs fewer automorphisms
    /// ([`crate::rotation::expected_sparse_automorphisms`]) and one more external product.
    #[must_use]
    pub fn sparse_blind_rotation(&self, sparsity_log2: u32) -> Variance {
        self.rotation(self.parameters.rotation_gadget(), sparsity_log2)
    }

    /// Returns σ_acc² of a blind rotation by the rotation key of this number in [`Parameters::rotation_gadgets`].
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

    /// Returns σ_com², the variance of all steps from the end of a blind rotation to the phase of the next one.
    #[must_use]
    pub fn common(&self, modulus: u64) -> Variance {
        self.key_switching() + self.lwe_modulus_switch(modulus)
    }

    /// Returns σ_boot², the variance of a bootstrap, measured at the phase of the next blind rotation.
    #[must_use]
    pub fn bootstrap(&self) -> Variance {
        self.blind_rotation() + self.common(self.parameters.rotation_modulus())
    }

    /// Returns the variance of an automorphism of the trace: one gadget product.
    #[must_use]
    pub fn automorphism(&self) -> Variance {
        let ring = self.ring();
        ring.gadget_product(self.parameters.automorphism_gadget(), ring.secret_norm())
    }

    /// Returns σ_pk², the variance of packing by the trace, for one of the coefficients that have the value.
    #[must_use]
    pub fn packing(&self, length: PackedLength) -> Variance {
        trace::noise(self.automorphism(), self.parameters.ring_degree(), length)
    }

    /// Returns the noise of a value of variance `raw` packed into the constant coefficient
    /// ([`crate::keys::EvaluationKey::pack`]).
    #[must_use]
    pub fn packed(&self, raw: Variance) -> PackedNoise {
        let packing = self.packing(PackedLength::Constant);
        let all = self.packing_mean() * self.parameters.ring_degree() as f64;
        PackedNoise { constant: raw + packing, packing, others: Variance(all.0 - packing.0) }
    }

    /// Returns the mean variance over all coefficients of a value packed into the constant one.
    #[must_use]
    pub fn packing_mean(&self) -> Variance {
        self.automorphism() * (self.parameters.ring_degree() as f64 - 1.0)
    }

    /// Returns the variance of the number of times that a phase over the integers passes Q (the paper's σ_u²).
    #[must_use]
    pub fn overflow(&self) -> f64 {
        let literal = self.parameters.literal();
        bfv::overflow(literal.ring_degree, literal.ring_secret)
    }

    /// Returns the noise of the constant coefficient of [`crate::keys::EvaluationKey::bfv_multiply`] (Theorem 10 without an
    /// auxiliary modulus): mostly products of two Gaussians.
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

    /// Returns σ_ss², the variance of scheme switching ([`crate::keys::EvaluationKey::times_secret`]).
    #[must_use]
    pub fn scheme_switching(&self) -> Variance {
        scheme_switching::noise(&self.ring(), self.parameters.relinearization_gadget())
    }

    /// Returns the variance of a fresh ciphertext of large precision ([`crate::decomposition`]).
    #[must_use]
    pub fn fresh_large(&self) -> Variance {
        Variance::of_units(ERROR_VARIANCE, self.parameters.large_modulus() as f64)
    }

    /// Returns the variance of a blind rotation by the rotation key of this number, and of the switch from Q to q_0, the
    /// modulus of large precision.
    ///
    /// # Panics
    /// If there is no such key.
    #[must_use]
    pub fn large_rotation(&self, rotation_key: usize) -> Variance {
        let switch = self.ring_modulus_switch(self.parameters.large_modulus());
        self.blind_rotation_by(rotation_key) + switch
    }
}
