//! Parameters of FHEW/TFHE bootstrapping: a literal, validated into an immutable value.

pub(crate) mod gadget_literal;
pub(crate) mod literal;
mod named_sets;

use std::sync::Arc;

use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::{LweInstance, SecretDistribution, check_lwe};
use cryptable_lattice::{Error, Result};
use cryptable_ring::Modulus;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::primes::ntt_primes;

use crate::rotation::exponent_group::AutomorphismWindow;
use crate::switching::ring_dimension_switching::SmallRing;

pub use crate::rotation::method::RotationMethod;
pub use crate::switching::intermediate_ring::IntermediateRing;
pub use gadget_literal::{GadgetLiteral, RgswGadgetLiteral};
pub use literal::{MAX_LOG2_LWE_MODULUS, ParametersLiteral};

/// Validated parameters. Cheap to clone.
///
/// ```
/// use cryptable_fhew::parameters::Parameters;
/// let parameters = Parameters::default_128();
/// assert!(parameters.security_bits() >= 128.0);
/// ```
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: ParametersLiteral,
    ring: Arc<PrimeRing>,
    small: Option<SmallRing>,
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.literal == other.literal
    }
}

impl Parameters {
    /// Validates a literal.
    ///
    /// # Errors
    /// If a number is out of range, or LWE or the ring has less than 128 bits of security.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        // The cheapest check comes first; building the rest takes longer.
        check_lwe(literal.lwe_dimension, literal.lwe_secret, f64::from(literal.log2_lwe_modulus))?;
        let parameters = Self::insecure(literal)?;
        parameters.lwe_instances().iter().try_for_each(LweInstance::check)?;
        Ok(parameters)
    }

    /// Validates everything except security: for tests, and for parameter sets of papers with less than 128 bits.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure(literal: ParametersLiteral) -> Result<Self> {
        literal::check(&literal)?;
        let prime = ntt_primes(literal.ring_degree, literal.log2_prime, 1, &[])[0];
        literal::check_digits(&literal, prime)?;
        let small = literal.intermediate.map(SmallRing::new);
        Ok(Self { literal, ring: Arc::new(PrimeRing::new(literal.ring_degree, prime)), small })
    }

    /// Returns the same ring with other numbers, which the caller must have validated.
    pub(crate) fn with_literal(&self, literal: ParametersLiteral) -> Self {
        let same = |other: &ParametersLiteral| (other.ring_degree, other.log2_prime.to_bits());
        assert_eq!(same(&literal), same(&self.literal), "another ring");
        assert_eq!(literal.intermediate, self.literal.intermediate, "another intermediate ring");
        Self { literal, ring: Arc::clone(&self.ring), small: self.small.clone() }
    }

    /// Returns all numbers of the set.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// Returns the ring of blind rotation.
    #[must_use]
    pub fn ring(&self) -> &PrimeRing {
        &self.ring
    }

    /// Returns the ring of lower degree through which LWE key switching goes, if there is one.
    #[must_use]
    pub fn small_ring(&self) -> Option<&SmallRing> {
        self.small.as_ref()
    }

    /// Returns the dimension and secret that LWE key switching starts from: those of the ring, or of the ring of lower degree.
    #[must_use]
    pub fn key_switching_source(&self) -> (usize, SecretDistribution) {
        match &self.literal.intermediate {
            Some(small) => (small.degree, small.secret),
            None => (self.literal.ring_degree, self.literal.ring_secret),
        }
    }

    /// Returns the ring's prime Q.
    #[must_use]
    pub fn prime(&self) -> u64 {
        self.ring.modulus().value()
    }

    /// Returns the ring's modulus with its reduction constants.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        self.ring.modulus()
    }

    /// Returns log2 of Q.
    #[must_use]
    pub fn log2_prime(&self) -> f64 {
        (self.prime() as f64).log2()
    }

    /// Returns the ring degree N.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        self.literal.ring_degree
    }

    /// Returns the LWE dimension n.
    #[must_use]
    pub fn lwe_dimension(&self) -> usize {
        self.literal.lwe_dimension
    }

    /// Returns the modulus of LWE ciphertexts between bootstraps, a power of two.
    #[must_use]
    pub fn lwe_modulus(&self) -> u64 {
        1 << self.literal.log2_lwe_modulus
    }

    /// Returns the dimension and modulus of LWE ciphertexts between bootstraps.
    #[must_use]
    pub fn lwe_shape(&self) -> LweShape {
        LweShape { dimension: self.lwe_dimension(), modulus: self.lwe_modulus() }
    }

    /// Returns the dimension and modulus of ciphertexts of public keys, which are under the ring secret: N and q_0.
    ///
    /// RLWE of degree N modulo q_0 is at least as hard as modulo Q, since q_0 < Q and errors are the same.
    #[must_use]
    pub fn public_shape(&self) -> LweShape {
        LweShape { dimension: self.ring_degree(), modulus: self.large_modulus() }
    }

    /// Returns q_0, the modulus of ciphertexts of large precision ([`crate::decomposition`]): the power of two below Q.
    #[must_use]
    pub fn large_modulus(&self) -> u64 {
        1 << self.prime().ilog2()
    }

    /// Returns the digest that names these parameters: BLAKE3 of all numbers as JSON.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let numbers = serde_json::to_vec(&self.literal).expect("numbers serialise");
        *blake3::hash(&numbers).as_bytes()
    }

    /// Returns θ if masks modulo `modulus` are rounded to numbers that are -1 modulo 2^θ. This is done modulo 2N, for rotation
    /// by automorphisms.
    #[must_use]
    pub fn mask_spacing_log2(&self, modulus: u64) -> Option<u32> {
        let (group, _) = self.literal.rotation_method.exponents(self.ring_degree())?;
        (modulus == self.rotation_modulus()).then_some(group.sparsity_log2())
    }

    /// Returns 2N, the modulus of phases in blind rotation.
    #[must_use]
    pub fn rotation_modulus(&self) -> u64 {
        2 * self.literal.ring_degree as u64
    }

    fn gadget(&self, gadget: GadgetLiteral) -> Gadget {
        Gadget::new(self.prime(), gadget.base_log2, gadget.length)
    }

    /// Returns the decomposition of blind rotation.
    #[must_use]
    pub fn rotation_gadget(&self) -> RgswGadget {
        self.rgsw_gadget(self.literal.rotation)
    }

    fn rgsw_gadget(&self, gadget: RgswGadgetLiteral) -> RgswGadget {
        RgswGadget { body: self.gadget(gadget.body), mask: self.gadget(gadget.mask) }
    }

    /// Returns the decompositions of all rotation keys: [`Parameters::rotation_gadget`], then the finer ones.
    #[must_use]
    pub fn rotation_gadgets(&self) -> Vec<RgswGadget> {
        let finer = self.literal.finer_rotations.into_iter().flatten();
        std::iter::once(self.literal.rotation).chain(finer).map(|g| self.rgsw_gadget(g)).collect()
    }

    /// Returns the decomposition of LWE key switching.
    #[must_use]
    pub fn key_switching_gadget(&self) -> Gadget {
        let GadgetLiteral { base_log2, length } = self.literal.key_switching;
        Gadget::new(self.lwe_modulus(), base_log2, length)
    }

    /// Returns the automorphisms of blind rotation, if the rotation method uses them.
    #[must_use]
    pub fn rotation_automorphisms(&self) -> Option<AutomorphismWindow> {
        let method = self.literal.rotation_method;
        let (group, window) = method.exponents(self.ring_degree())?;
        Some(AutomorphismWindow { group, window, gadget: self.gadget(method.digits()?) })
    }

    /// Returns the decomposition of the trace's automorphism keys.
    #[must_use]
    pub fn automorphism_gadget(&self) -> Gadget {
        self.gadget(self.literal.automorphism)
    }

    /// Returns the decomposition of relinearization.
    #[must_use]
    pub fn relinearization_gadget(&self) -> Gadget {
        self.gadget(self.literal.relinearization)
    }

    /// Returns the estimated security in bits: that of the weakest of [`Parameters::lwe_instances`].
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        LweInstance::least_security_bits(&self.lwe_instances())
    }

    /// Returns the LWE problems on which the security of the secrets rests: of LWE, of the ring, and of the ring of lower
    /// degree if there is one.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        let literal = &self.literal;
        let log2_lwe_modulus = f64::from(literal.log2_lwe_modulus);
        let (dimension, secret) = (literal.lwe_dimension, literal.lwe_secret);
        let (degree, ring_secret) = (literal.ring_degree, literal.ring_secret);
        let mut instances = vec![
            LweInstance::lwe("LWE secret", dimension, secret, log2_lwe_modulus),
            LweInstance::ring("ring secret", degree, ring_secret, self.log2_prime()),
        ];
        instances.extend(self.small_ring().map(|small| {
            let (degree, secret) = (small.literal.degree, small.literal.secret);
            let log2_modulus = (small.prime() as f64).log2();
            LweInstance::ring("intermediate ring secret", degree, secret, log2_modulus)
        }));
        instances
    }

    /// Checks that a plaintext modulus is even and leaves at least four phases per value.
    ///
    /// # Errors
    /// If the modulus is odd, below 2 or above N/2.
    pub fn check_plaintext_modulus(&self, modulus: u64) -> Result<()> {
        let reason = if modulus < 2 || modulus % 2 == 1 {
            "it must be even and at least 2".to_owned()
        } else if modulus > self.rotation_modulus() / 4 {
            format!(
                "ring degree {} supports at most {}",
                self.ring_degree(),
                self.rotation_modulus() / 4
            )
        } else {
            return Ok(());
        };
        Err(Error::PlaintextModulus { modulus, reason })
    }
}
