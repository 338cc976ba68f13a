//! Parameters of FHEW/TFHE bootstrapping: a literal, validated into an immutable value.

use std::sync::Arc;

use cryptable_lattice::security::{
    SecretDistribution, check, check_lwe, lwe_security_bits, security_bits,
};
use cryptable_ring::Modulus;
use cryptable_ring::external_product::RgswGadget;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::primes::ntt_primes;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::exponent_group::AutomorphismWindow;
pub use crate::intermediate_ring::IntermediateRing;
use crate::intermediate_ring::check_intermediate;
use crate::ring_dimension_switching::SmallRing;
pub use crate::rotation_method::RotationMethod;
use crate::rotation_method::check_rotation;

/// Variance of every error polynomial and LWE error: centred binomial of 42 coins.
pub const ERROR_VARIANCE: f64 = 10.5;

/// Largest modulus of LWE ciphertexts: the security table ends there.
pub const MAX_LOG2_LWE_MODULUS: u32 = 35;

/// Base and length of a gadget decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GadgetLiteral {
    /// Bits of a digit.
    pub base_log2: u32,
    /// Number of digits.
    pub length: usize,
}

/// Bases and lengths of an RGSW ciphertext's decompositions: of bodies and of masks, see [`RgswGadget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RgswGadgetLiteral {
    /// Of bodies.
    pub body: GadgetLiteral,
    /// Of masks.
    pub mask: GadgetLiteral,
}

impl RgswGadgetLiteral {
    /// Rows of an RGSW ciphertext.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.body.length + self.mask.length
    }
}

impl From<GadgetLiteral> for RgswGadgetLiteral {
    /// One decomposition for both.
    fn from(gadget: GadgetLiteral) -> Self {
        Self { body: gadget, mask: gadget }
    }
}

/// Numbers of a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParametersLiteral {
    /// LWE dimension n.
    pub lwe_dimension: usize,
    /// Secret of LWE.
    pub lwe_secret: SecretDistribution,
    /// log2 of the modulus of LWE ciphertexts and of their key switching keys.
    pub log2_lwe_modulus: u32,
    /// Ring degree N.
    pub ring_degree: usize,
    /// log2 of the ring's prime Q: the nearest prime with a 2N-th root of unity is taken.
    pub log2_prime: f64,
    /// Secret of the ring.
    pub ring_secret: SecretDistribution,
    /// How to rotate.
    pub rotation_method: RotationMethod,
    /// Decomposition of blind rotation (modulo Q).
    pub rotation: RgswGadgetLiteral,
    /// Decompositions of further rotation keys, for bootstraps that must be more precise than by `rotation`
    /// (digit decomposition).
    pub finer_rotations: [Option<RgswGadgetLiteral>; 3],
    /// The ring of lower degree through which LWE key switching goes, if it does.
    pub intermediate: Option<IntermediateRing>,
    /// Decomposition of LWE key switching (modulo the LWE modulus).
    pub key_switching: GadgetLiteral,
    /// Decomposition of automorphism keys, for packing by the trace (modulo Q).
    pub automorphism: GadgetLiteral,
    /// Decomposition of relinearization (modulo Q).
    pub relinearization: GadgetLiteral,
    /// Decomposition of packing key switching (modulo Q).
    pub packing: GadgetLiteral,
}

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
        check_lwe(literal.lwe_dimension, literal.lwe_secret, f64::from(literal.log2_lwe_modulus))?;
        let parameters = Self::insecure(literal)?;
        check(literal.ring_degree, literal.ring_secret, parameters.log2_prime())?;
        if let Some(small) = parameters.small_ring() {
            check(small.literal.degree, small.literal.secret, (small.prime() as f64).log2())?;
        }
        Ok(parameters)
    }

    /// Validates all but security: for tests, and for sets of papers that fall short of 128 bits.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure(literal: ParametersLiteral) -> Result<Self> {
        check_numbers(&literal)?;
        let prime = ntt_primes(literal.ring_degree, literal.log2_prime, 1, &[])[0];
        check_digits(&literal, prime)?;
        check_factors(&literal)?;
        check_rotation(&literal)?;
        if let Some(small) = &literal.intermediate {
            check_intermediate(small, &literal)?;
        }
        let small = literal.intermediate.map(SmallRing::new);
        Ok(Self { literal, ring: Arc::new(PrimeRing::new(literal.ring_degree, prime)), small })
    }

    /// The same ring with other numbers, which the caller answers for.
    pub(crate) fn with_literal(&self, literal: ParametersLiteral) -> Self {
        let same = |other: &ParametersLiteral| (other.ring_degree, other.log2_prime.to_bits());
        assert_eq!(same(&literal), same(&self.literal), "another ring");
        assert_eq!(literal.intermediate, self.literal.intermediate, "another intermediate ring");
        Self { literal, ring: Arc::clone(&self.ring), small: self.small.clone() }
    }

    /// The numbers.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// The ring of blind rotation.
    #[must_use]
    pub fn ring(&self) -> &PrimeRing {
        &self.ring
    }

    /// The ring of lower degree through which LWE key switching goes, if it does.
    #[must_use]
    pub fn small_ring(&self) -> Option<&SmallRing> {
        self.small.as_ref()
    }

    /// Dimension and secret that LWE key switching starts from: those of the ring, or of the one of lower degree.
    #[must_use]
    pub fn key_switching_source(&self) -> (usize, SecretDistribution) {
        match &self.literal.intermediate {
            Some(small) => (small.degree, small.secret),
            None => (self.literal.ring_degree, self.literal.ring_secret),
        }
    }

    /// The ring's prime Q.
    #[must_use]
    pub fn prime(&self) -> u64 {
        self.ring.modulus().value()
    }

    /// The ring's modulus with its reduction constants.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        self.ring.modulus()
    }

    /// log2 of Q.
    #[must_use]
    pub fn log2_prime(&self) -> f64 {
        (self.prime() as f64).log2()
    }

    /// Ring degree N.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        self.literal.ring_degree
    }

    /// LWE dimension n.
    #[must_use]
    pub fn lwe_dimension(&self) -> usize {
        self.literal.lwe_dimension
    }

    /// Modulus of LWE ciphertexts between bootstraps, a power of two.
    #[must_use]
    pub fn lwe_modulus(&self) -> u64 {
        1 << self.literal.log2_lwe_modulus
    }

    /// θ, if masks modulo `modulus` are rounded to numbers of -1 modulo 2^θ: modulo 2N, for rotation by automorphisms.
    #[must_use]
    pub fn mask_spacing_log2(&self, modulus: u64) -> Option<u32> {
        let (group, _) = self.literal.rotation_method.exponents(self.ring_degree())?;
        (modulus == self.rotation_modulus()).then_some(group.sparsity_log2())
    }

    /// 2N, the modulus of phases in blind rotation.
    #[must_use]
    pub fn rotation_modulus(&self) -> u64 {
        2 * self.literal.ring_degree as u64
    }

    fn gadget(&self, gadget: GadgetLiteral) -> Gadget {
        Gadget::new(self.prime(), gadget.base_log2, gadget.length)
    }

    /// Decomposition of blind rotation.
    #[must_use]
    pub fn rotation_gadget(&self) -> RgswGadget {
        self.rgsw_gadget(self.literal.rotation)
    }

    fn rgsw_gadget(&self, gadget: RgswGadgetLiteral) -> RgswGadget {
        RgswGadget { body: self.gadget(gadget.body), mask: self.gadget(gadget.mask) }
    }

    /// Decompositions of all rotation keys: that of [`Parameters::rotation_gadget`], then the finer ones.
    #[must_use]
    pub fn rotation_gadgets(&self) -> Vec<RgswGadget> {
        let finer = self.literal.finer_rotations.into_iter().flatten();
        std::iter::once(self.literal.rotation).chain(finer).map(|g| self.rgsw_gadget(g)).collect()
    }

    /// Decomposition of LWE key switching.
    #[must_use]
    pub fn key_switching_gadget(&self) -> Gadget {
        let GadgetLiteral { base_log2, length } = self.literal.key_switching;
        Gadget::new(self.lwe_modulus(), base_log2, length)
    }

    /// Blind rotation's automorphisms, if it goes by them.
    #[must_use]
    pub fn rotation_automorphisms(&self) -> Option<AutomorphismWindow> {
        let method = self.literal.rotation_method;
        let (group, window) = method.exponents(self.ring_degree())?;
        Some(AutomorphismWindow { group, window, gadget: self.gadget(method.digits()?) })
    }

    /// Decomposition of the trace's automorphism keys.
    #[must_use]
    pub fn automorphism_gadget(&self) -> Gadget {
        self.gadget(self.literal.automorphism)
    }

    /// Decomposition of relinearization.
    #[must_use]
    pub fn relinearization_gadget(&self) -> Gadget {
        self.gadget(self.literal.relinearization)
    }

    /// Decomposition of packing key switching.
    #[must_use]
    pub fn packing_gadget(&self) -> Gadget {
        self.gadget(self.literal.packing)
    }

    /// Estimated security in bits: the lesser of LWE's and the ring's.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        let literal = &self.literal;
        let lwe = lwe_security_bits(
            literal.lwe_dimension,
            literal.lwe_secret,
            f64::from(literal.log2_lwe_modulus),
        );
        let ring = security_bits(literal.ring_degree, literal.ring_secret, self.log2_prime());
        let small = self.small_ring().map_or(f64::INFINITY, |small| {
            security_bits(small.literal.degree, small.literal.secret, (small.prime() as f64).log2())
        });
        lwe.min(ring).min(small)
    }

    /// The default: n = 741, N = 2,048, one rotation digit; tables of 16 inputs over the full domain by
    /// FDFB-Compress, with failure probability below 2^-64.
    ///
    /// # Panics
    /// Never: the set is valid.
    #[must_use]
    pub fn default_128() -> Self {
        Self::new(ParametersLiteral {
            lwe_dimension: 741,
            lwe_secret: SecretDistribution::Binary,
            log2_lwe_modulus: 18,
            ring_degree: 2048,
            log2_prime: 46.9,
            ring_secret: SecretDistribution::Binary,
            rotation_method: RotationMethod::Cmux,
            rotation: GadgetLiteral { base_log2: 22, length: 1 }.into(),
            finer_rotations: [None; 3],
            intermediate: Some(IntermediateRing::SECURE_1024),
            key_switching: GadgetLiteral { base_log2: 2, length: 7 },
            automorphism: GadgetLiteral { base_log2: 9, length: 5 },
            relinearization: GadgetLiteral { base_log2: 15, length: 3 },
            packing: GadgetLiteral { base_log2: 6, length: 4 },
        })
        .expect("a valid set")
    }

    /// A toy of LWE dimension 64 and ring degree 512 for tests. It is not secure.
    ///
    /// # Panics
    /// Never: the set is valid.
    #[must_use]
    pub fn insecure_toy() -> Self {
        Self::insecure(ParametersLiteral {
            lwe_dimension: 64,
            lwe_secret: SecretDistribution::Binary,
            log2_lwe_modulus: 22,
            ring_degree: 2048,
            log2_prime: 46.9,
            ring_secret: SecretDistribution::Binary,
            rotation_method: RotationMethod::Cmux,
            rotation: GadgetLiteral { base_log2: 12, length: 3 }.into(),
            finer_rotations: [None; 3],
            intermediate: None,
            key_switching: GadgetLiteral { base_log2: 4, length: 5 },
            automorphism: GadgetLiteral { base_log2: 7, length: 6 },
            relinearization: GadgetLiteral { base_log2: 12, length: 3 },
            packing: GadgetLiteral { base_log2: 6, length: 4 },
        })
        .expect("a valid set")
    }

    /// Demands that a plaintext modulus is even and leaves every value at least four phases.
    ///
    /// # Errors
    /// If it is odd, below 2 or above N/2.
    pub fn check_plaintext_modulus(&self, modulus: u64) -> Result<()> {
        let reason = if modulus < 2 || modulus % 2 == 1 {
            "it must be even and at least 2".to_owned()
        } else if modulus > self.rotation_modulus() / 4 {
            format!(
                "ring degree {} takes at most {}",
                self.ring_degree(),
                self.rotation_modulus() / 4
            )
        } else {
            return Ok(());
        };
        Err(Error::PlaintextModulus { modulus, reason })
    }
}

/// Refuses a number by its name and limit.
fn demand(ok: bool, name: &'static str, value: f64, limit: &str) -> Result<()> {
    if ok { Ok(()) } else { Err(Error::Parameter { name, value, limit: limit.to_owned() }) }
}

/// Demands that dimensions, moduli and secrets are in their ranges.
fn check_numbers(literal: &ParametersLiteral) -> Result<()> {
    let n = literal.ring_degree;
    demand(
        n.is_power_of_two() && (32..=8192).contains(&n),
        "ring_degree",
        n as f64,
        "it must be a power of two from 32 to 8192",
    )?;
    demand(
        (1..=4096).contains(&literal.lwe_dimension),
        "lwe_dimension",
        literal.lwe_dimension as f64,
        "it must be from 1 to 4096",
    )?;
    let log2_lwe = literal.log2_lwe_modulus;
    demand(
        ((2 * n).ilog2()..=MAX_LOG2_LWE_MODULUS).contains(&log2_lwe),
        "log2_lwe_modulus",
        f64::from(log2_lwe),
        "it must be from log2(2N) to 35",
    )?;
    let log2_prime = literal.log2_prime;
    demand(
        (20.0..50.0).contains(&log2_prime) && log2_prime > f64::from(log2_lwe),
        "log2_prime",
        log2_prime,
        "it must be from 20 to below 50, and above log2_lwe_modulus",
    )?;
    for secret in [literal.lwe_secret, literal.ring_secret] {
        if let SecretDistribution::FixedWeightTernary(weight) = secret {
            demand(false, "secret weight", weight.into(), "secrets are binary or uniform ternary")?;
        }
    }
    Ok(())
}

/// Demands that digits fit the moduli that they decompose.
fn check_digits(literal: &ParametersLiteral, prime: u64) -> Result<()> {
    let finer = literal.finer_rotations.into_iter().flatten();
    let finer = finer.flat_map(|gadget| {
        [("finer rotation body digits", gadget.body), ("finer rotation mask digits", gadget.mask)]
    });
    let finer = finer.map(|(name, gadget)| (name, gadget, prime));
    let digits = literal.rotation_method.digits();
    let finer = finer.chain(digits.map(|g| ("rotation automorphism digits", g, prime)));
    let others = [
        ("rotation body digits", literal.rotation.body, prime),
        ("rotation mask digits", literal.rotation.mask, prime),
        ("key switching digits", literal.key_switching, 1 << literal.log2_lwe_modulus),
        ("automorphism digits", literal.automorphism, prime),
        ("relinearization digits", literal.relinearization, prime),
        ("packing digits", literal.packing, prime),
    ];
    for (name, gadget, modulus) in others.into_iter().chain(finer) {
        let bits = (gadget.base_log2 as usize).saturating_mul(gadget.length);
        let limit = (u64::BITS - (modulus - 1).leading_zeros()) as usize;
        demand(
            gadget.base_log2 > 0 && gadget.length > 0 && bits <= limit,
            name,
            bits as f64,
            &format!("together they must have from 1 to {limit} bits"),
        )?;
    }
    Ok(())
}

/// Demands that digits which multiply rows of machine words are factors of 32 bits.
fn check_factors(literal: &ParametersLiteral) -> Result<()> {
    let value = literal.key_switching.base_log2.max(literal.packing.base_log2);
    if value < i32::BITS {
        return Ok(());
    }
    let (name, limit) =
        ("bits of a key switching or packing digit", "it must be at most 31".to_owned());
    Err(Error::Parameter { name, value: value.into(), limit })
}
