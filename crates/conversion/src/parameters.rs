//! Parameters of a conversion: a validated literal, with the rings that follow from it.

use std::sync::Arc;

use cryptable_fhew::noise::{SecretNorms, Variance, second_moment};
use cryptable_fhew::parameters::{GadgetLiteral, Parameters as FhewParameters};
use cryptable_lattice::error::demand;
use cryptable_lattice::lwe_list::{LweShape, check_shape};
use cryptable_lattice::security::{LweInstance, SecretDistribution};
use cryptable_lattice::{ReadOptions, Result, SecurityLevel};
use cryptable_ring::Ring;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::primes::ntt_primes;
use cryptable_wire::WireError;

use crate::extraction::block_key_switching::{self, SwitchingDigits};
use crate::literal::{BlockLiteral, ParametersLiteral};
use crate::packing::column_method;
use crate::{ring_switching, validation};

/// log2 of the prime modulo which products of integers are computed.
const LOG2_PRODUCT_PRIME: f64 = 49.9;

/// Rings in which a block's prime is used.
#[derive(Debug)]
pub(crate) struct BlockRings {
    /// Degree N'.
    pub(crate) block: PrimeRing,
    /// Degree N.
    pub(crate) whole: PrimeRing,
    /// Decomposition of the switch between their secrets.
    pub(crate) gadget: Gadget,
}

impl BlockRings {
    fn new(literal: &BlockLiteral, ring_degree: usize) -> Self {
        let prime = ntt_primes(ring_degree, literal.log2_prime, 1, &[])[0];
        let GadgetLiteral { base_log2, length } = literal.switching;
        Self {
            block: PrimeRing::new(literal.degree, prime),
            whole: PrimeRing::new(ring_degree, prime),
            gadget: Gadget::new(prime, base_log2, length),
        }
    }

    pub(crate) fn prime(&self) -> u64 {
        self.block.modulus().value()
    }

    fn log2_prime(&self) -> f64 {
        (self.prime() as f64).log2()
    }
}

/// Numbers derived from a literal.
#[derive(Debug)]
struct Numbers {
    literal: ParametersLiteral,
    packing: BlockRings,
    extraction: BlockRings,
    /// Ring in which key switching of a block computes its products of integers.
    products: PrimeRing,
    bottom: Ring,
}

/// Validated parameters of a conversion. Immutable, cheap to clone.
///
/// ```
/// use cryptable_conversion::{Parameters, ParametersLiteral};
/// use cryptable_fhew::parameters::Parameters as FhewParameters;
/// use cryptable_ring::primes::ntt_primes;
/// let bottom = ntt_primes(1 << 14, 28.0, 1, &[])[0];
/// let literal = ParametersLiteral::between_128(&FhewParameters::gates_128(), 1 << 14, bottom);
/// let parameters = Parameters::new(literal)?;
/// assert!(parameters.security_bits() >= 128.0);
/// // Against the margin of 1/16 of a gate's input, packing adds nothing.
/// assert!(parameters.packing_noise().standard_deviation() < 1e-6);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parameters {
    numbers: Arc<Numbers>,
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.literal() == other.literal()
    }
}

impl Parameters {
    /// Validates a literal: checks every number against its bounds before anything is built, and the security that it
    /// claims.
    ///
    /// # Errors
    /// If a number is out of bounds, or a secret has less than 128 bits of security although the literal claims them.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        validation::check(&literal)?;
        let degree = literal.ring_degree;
        let product = ntt_primes(literal.extraction.degree, LOG2_PRODUCT_PRIME, 1, &[])[0];
        let numbers = Numbers {
            packing: BlockRings::new(&literal.packing, degree),
            extraction: BlockRings::new(&literal.extraction, degree),
            products: PrimeRing::new(literal.extraction.degree, product),
            bottom: Ring::new(degree, &[literal.bottom_prime], &[]),
            literal,
        };
        let found = Self { numbers: Arc::new(numbers) };
        if literal.security == SecurityLevel::Bits128 {
            found.lwe_instances().iter().try_for_each(LweInstance::check)?;
        }
        Ok(found)
    }

    /// Returns the validated numbers.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.numbers.literal
    }

    /// Returns the LWE problems that secrets rest on, each at the largest modulus of a conversion key under the secret.
    /// The ring's secret has larger moduli in its own parameters.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        let literal = self.literal();
        let ternary = SecretDistribution::UniformTernary;
        let Numbers { packing, extraction, .. } = &*self.numbers;
        let (n, q) = (literal.lwe_dimension, f64::from(literal.log2_lwe_modulus));
        // Packed values may be under the same ring secret as extracted ones.
        let is_ring = literal.key_switching.is_none() && n == literal.extraction.degree;
        let lwe = if is_ring { LweInstance::ring } else { LweInstance::lwe };
        let lwe = lwe("LWE secret", n, literal.lwe_secret, q);
        let ring =
            |name, ring: &PrimeRing, log2| LweInstance::ring(name, ring.degree(), ternary, log2);
        vec![
            lwe,
            ring("ring secret", &packing.whole, packing.log2_prime()),
            ring("secret of packing blocks", &packing.block, packing.log2_prime()),
            LweInstance::ring(
                "secret of extraction blocks",
                extraction.block.degree(),
                literal.extraction_secret,
                extraction.log2_prime(),
            ),
        ]
    }

    /// Returns the estimated classical security in bits; 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        match self.literal().security {
            SecurityLevel::Insecure => 0.0,
            SecurityLevel::Bits128 => LweInstance::least_security_bits(&self.lwe_instances()),
        }
    }

    /// Returns dimension and modulus of LWE ciphertexts.
    #[must_use]
    pub fn lwe_shape(&self) -> LweShape {
        let literal = self.literal();
        LweShape { dimension: literal.lwe_dimension, modulus: 1 << literal.log2_lwe_modulus }
    }

    /// Checks that single values have the LWE dimension and modulus of these parameters.
    ///
    /// # Errors
    /// If one differs; the error names it.
    pub fn check_single(&self, single: &FhewParameters) -> Result<()> {
        check_shape(single.lwe_shape(), self.lwe_shape())
    }

    /// Checks that the parameters are for extraction to the LWE secret.
    ///
    /// # Errors
    /// If values stay under a ring secret.
    pub(crate) fn check_takes_out_to_lwe(&self) -> Result<()> {
        let is_lwe = self.literal().key_switching.is_some();
        demand(is_lwe, "key switching digits", 0.0, "extraction to the LWE secret needs some")
    }

    /// Checks that the parameters are for extraction to a ring secret.
    ///
    /// # Errors
    /// If they are extracted under an LWE secret.
    pub(crate) fn check_takes_out_to_ring(&self) -> Result<()> {
        let digits = self.literal().key_switching.map_or(0, |digits| digits.length);
        let limit = "extraction to a ring secret needs none";
        demand(digits == 0, "key switching digits", digits as f64, limit)
    }

    /// Returns the ring of RLWE ciphertexts modulo q_0.
    #[must_use]
    pub fn bottom_ring(&self) -> &Ring {
        &self.numbers.bottom
    }

    /// Returns the variance that packing adds to a phase, as a fraction of the modulus: columns, the switch to the
    /// ring's secret, and rounding to q_0.
    #[must_use]
    pub fn packing_noise(&self) -> Variance {
        let (literal, rings) = (self.literal(), self.packing());
        let block = squared_norm(literal.packing.degree, SecretDistribution::UniformTernary);
        let secrets = SecretNorms { source: block, target: self.ring_secret_norm() };
        let switch = ring_switching::noise(rings.gadget, literal.ring_degree, secrets);
        let rounding = (self.ring_secret_norm() + 1.0) / 12.0;
        let columns = column_method::noise(literal, rings.prime());
        columns + switch + Variance::of_units(rounding, literal.bottom_prime as f64)
    }

    /// Returns the variance that extraction adds to a phase, as a fraction of the modulus: the switch to a block's
    /// secret, rounding to q, and LWE key switching. If values stay under the secret of blocks, there is only the
    /// switch, and the caller accounts for rounding to a modulus of its choice.
    #[must_use]
    pub fn extraction_noise(&self) -> Variance {
        let literal = self.literal();
        let block = literal.extraction.degree;
        let target = squared_norm(block, literal.extraction_secret);
        let secrets = SecretNorms { source: self.ring_secret_norm(), target };
        let switch = ring_switching::noise(self.extraction().gadget, literal.ring_degree, secrets);
        self.key_switching_gadget()
            .map(|gadget| SwitchingDigits { gadget, multiples: literal.multiples() })
            .map_or(switch, |digits| switch + block_key_switching::noise(digits, block))
    }

    /// Returns the mean squared norm of the secret of packed values.
    fn ring_secret_norm(&self) -> f64 {
        squared_norm(self.literal().ring_degree, SecretDistribution::UniformTernary)
    }

    /// Returns the number of bytes of memory that keys of packing and of extraction use.
    pub(crate) fn key_memory_bytes(&self) -> usize {
        let literal = self.literal();
        let switches = literal.packing.switching.length + literal.extraction.switching.length;
        let columns = 2 * literal.lwe_dimension * literal.packing.degree;
        let terms = literal.key_switching.map_or(0, |digits| digits.length * literal.multiples());
        let rows = terms * (literal.lwe_dimension + 1) * literal.extraction.degree;
        8 * (columns + rows + 2 * literal.ring_degree * switches)
    }

    /// Returns the BLAKE3 digest of the literal, which keys and ciphertexts store.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.literal().digest()
    }

    /// Encodes the literal as JSON, the canonical bytes that the digest is computed from.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.literal().to_bytes()
    }

    /// Reads the output of [`Parameters::to_bytes`] and validates it.
    ///
    /// # Errors
    /// If the bytes are not parameters, the parameters are not valid, or `options` refuse them because they are
    /// insecure.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let invalid = |error| WireError::invalid("parameters", error, "those of a conversion");
        let literal: ParametersLiteral = serde_json::from_slice(bytes).map_err(invalid)?;
        options.check(literal.security)?;
        Self::new(literal)
    }

    pub(crate) fn packing(&self) -> &BlockRings {
        &self.numbers.packing
    }

    pub(crate) fn extraction(&self) -> &BlockRings {
        &self.numbers.extraction
    }

    pub(crate) fn products(&self) -> &PrimeRing {
        &self.numbers.products
    }

    pub(crate) fn key_switching_gadget(&self) -> Option<Gadget> {
        let GadgetLiteral { base_log2, length } = self.literal().key_switching?;
        Some(Gadget::new(self.lwe_shape().modulus, base_log2, length))
    }
}

/// Returns the mean squared norm of a secret.
fn squared_norm(degree: usize, secret: SecretDistribution) -> f64 {
    degree as f64 * second_moment(secret)
}
