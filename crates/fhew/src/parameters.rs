//! Parameters of FHEW/TFHE bootstrapping: a literal, validated into an immutable value.

use std::sync::Arc;

use cryptable_ring::Modulus;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::primes::ntt_primes;
use cryptable_rlwe::security::{
    SecretDistribution, check, check_lwe, lwe_security_bits, security_bits,
};

use serde::{Deserialize, Serialize};

use crate::automorphism_counts::expected_sparse_automorphisms;
use crate::error::{Error, Result};
use crate::exponent_group::{AutomorphismWindow, ExponentGroup};
pub use crate::intermediate_ring::IntermediateRing;
use crate::intermediate_ring::check_intermediate;
use crate::ring_dimension_switching::SmallRing;

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

/// How blind rotation multiplies by X^(a_i·s_i).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RotationMethod {
    /// A CMUX for every coefficient of the secret (Chillotti et al., J. Cryptology 2020).
    Cmux,
    /// Automorphisms between external products (Lee et al., EUROCRYPT 2023, "LMKCDEY"): one RGSW ciphertext a
    /// coefficient of any secret, but phases with 4 times the rounding noise. Sparse phases, multiples of 2^θ, take
    /// fewer automorphisms, and no more rounding noise. See [`crate::automorphism_rotation`].
    Automorphism {
        /// Powers g, …, g^window of the generator with a key, next to that of -g: from 1 to N/2. More are fewer
        /// automorphisms, at least one for each distinct exponent; 10 are near that if n is N/4 or more.
        window: usize,
        /// Decomposition of the automorphisms' keys (modulo Q).
        digits: GadgetLiteral,
    },
    /// The same with phases of -1 modulo 2^θ (Wang et al., EUROCRYPT 2024, Algorithms 4 and 5): fewer automorphisms
    /// and no key of -g, but 4^θ times the rounding noise. See [`crate::exponent_group`].
    SparseAutomorphism {
        /// θ: from 2 to log2 N.
        sparsity_log2: u32,
        /// Powers g, …, g^window of the generator with a key: from 1 to 2N/2^θ.
        window: usize,
        /// Decomposition of the automorphisms' keys (modulo Q).
        digits: GadgetLiteral,
    },
}

impl RotationMethod {
    /// Decomposition of the automorphisms' keys, if there are any.
    #[must_use]
    pub fn digits(&self) -> Option<GadgetLiteral> {
        match *self {
            Self::Cmux => None,
            Self::Automorphism { digits, .. } | Self::SparseAutomorphism { digits, .. } => {
                Some(digits)
            }
        }
    }

    /// The exponents of the automorphisms, and how many powers of their generator have keys.
    fn exponents(&self, degree: usize) -> Option<(ExponentGroup, usize)> {
        match *self {
            Self::Cmux => None,
            Self::Automorphism { window, .. } => Some((ExponentGroup::odd(degree), window)),
            Self::SparseAutomorphism { sparsity_log2, window, .. } => {
                Some((ExponentGroup::sparse(degree, sparsity_log2), window))
            }
        }
    }

    /// Mean number of automorphisms of a rotation by a mask of `dimension` multiples of 2^θ, θ = `sparsity_log2`; for
    /// θ = 0 by one that is rounded as the method wants it.
    ///
    /// # Panics
    /// If θ is positive but below that of the method.
    #[must_use]
    pub fn automorphisms(&self, degree: usize, dimension: usize, sparsity_log2: u32) -> f64 {
        let Some((group, window)) = self.exponents(degree) else { return 0.0 };
        let sparsity = if sparsity_log2 == 0 { group.sparsity_log2() } else { sparsity_log2 };
        assert!(sparsity >= group.sparsity_log2(), "2^{sparsity} in {group:?}");
        // The window in powers of 5.
        let powers = window << group.sparsity_log2().saturating_sub(2);
        expected_sparse_automorphisms(degree, dimension, powers, sparsity)
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
    pub rotation: GadgetLiteral,
    /// Decompositions of further rotation keys, for bootstraps that must be more precise than by `rotation`
    /// (digit decomposition).
    pub finer_rotations: [Option<GadgetLiteral>; 3],
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
        let demand = |ok: bool, name: &'static str, value: f64, limit: &str| {
            if ok { Ok(()) } else { Err(Error::Parameter { name, value, limit: limit.to_owned() }) }
        };
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
                demand(
                    false,
                    "secret weight",
                    weight.into(),
                    "secrets are binary or uniform ternary",
                )?;
            }
        }
        let prime = ntt_primes(n, log2_prime, 1, &[])[0];
        let finer = literal.finer_rotations.into_iter().flatten();
        let finer = finer.map(|gadget| ("finer rotation digits", gadget, prime));
        let digits = literal.rotation_method.digits();
        let finer = finer.chain(digits.map(|g| ("rotation automorphism digits", g, prime)));
        let others = [
            ("rotation digits", literal.rotation, prime),
            ("key switching digits", literal.key_switching, 1 << log2_lwe),
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
        check_factors(&literal)?;
        check_rotation(&literal)?;
        if let Some(small) = &literal.intermediate {
            check_intermediate(small, &literal)?;
        }
        let small = literal.intermediate.map(SmallRing::new);
        Ok(Self { literal, ring: Arc::new(PrimeRing::new(n, prime)), small })
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
    pub fn rotation_gadget(&self) -> Gadget {
        self.gadget(self.literal.rotation)
    }

    /// Decompositions of all rotation keys: that of [`Parameters::rotation_gadget`], then the finer ones.
    #[must_use]
    pub fn rotation_gadgets(&self) -> Vec<Gadget> {
        let finer = self.literal.finer_rotations.into_iter().flatten();
        std::iter::once(self.literal.rotation).chain(finer).map(|g| self.gadget(g)).collect()
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
            rotation: GadgetLiteral { base_log2: 22, length: 1 },
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
            rotation: GadgetLiteral { base_log2: 12, length: 3 },
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

/// Demands that automorphisms of a rotation exist.
fn check_rotation(literal: &ParametersLiteral) -> Result<()> {
    let degree = literal.ring_degree;
    let (window, most, limit) = match literal.rotation_method {
        RotationMethod::Cmux => return Ok(()),
        RotationMethod::Automorphism { window, .. } => (window, degree / 2, "N/2"),
        RotationMethod::SparseAutomorphism { sparsity_log2, window, .. } => {
            if !(2..=degree.ilog2()).contains(&sparsity_log2) {
                let (name, limit) = ("rotation sparsity", "it must be from 2 to log2(N)");
                let value = sparsity_log2.into();
                return Err(Error::Parameter { name, value, limit: limit.to_owned() });
            }
            (window, ExponentGroup::sparse(degree, sparsity_log2).order(), "2N/2^sparsity")
        }
    };
    if (1..=most).contains(&window) {
        return Ok(());
    }
    let (name, value) = ("rotation window", window as f64);
    Err(Error::Parameter { name, value, limit: format!("it must be from 1 to {limit}") })
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
