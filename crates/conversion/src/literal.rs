//! Literal of a conversion: all its numbers, before validation.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters as FhewParameters};
use cryptable_lattice::SecurityLevel;
use cryptable_lattice::security::SecretDistribution;
use serde::{Deserialize, Serialize};

/// The ring of lower degree that values pass through, and the switch between it and the ring of packed values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockLiteral {
    /// Ring degree N' of a block, a divisor of N.
    pub degree: usize,
    /// log2 of its prime: the nearest prime with a root of unity of order 2N is used.
    pub log2_prime: f64,
    /// Decomposition of the switch of secrets, modulo that prime.
    pub switching: GadgetLiteral,
}

/// Numbers of a conversion. Ring secrets are uniform ternary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersLiteral {
    /// Claimed security, checked by construction.
    pub security: SecurityLevel,
    /// LWE dimension n.
    pub lwe_dimension: usize,
    /// Distribution of the LWE secret.
    pub lwe_secret: SecretDistribution,
    /// log2 of the modulus q of LWE ciphertexts.
    pub log2_lwe_modulus: u32,
    /// Ring degree N of packed values.
    pub ring_degree: usize,
    /// Modulus q_0 at the bottom of their chain, a prime.
    pub bottom_prime: u64,
    /// Blocks of packing.
    pub packing: BlockLiteral,
    /// Blocks of extraction.
    pub extraction: BlockLiteral,
    /// Decomposition of key switching from a block's secret to the LWE secret, modulo q; `None` if extracted values
    /// stay under the secret of blocks, which is then a client's ring secret.
    pub key_switching: Option<GadgetLiteral>,
    /// Whether key switching has one row per size of a digit, to be added without multiplication (Ducas, Micciancio,
    /// EUROCRYPT 2015): less noise if the LWE modulus is small, for a larger key. Absent from the canonical bytes if
    /// false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rows_per_digit_size: bool,
    /// Distribution of the secret of extraction's blocks. Absent from the canonical bytes if it is uniform ternary.
    #[serde(default = "uniform_ternary", skip_serializing_if = "is_uniform_ternary")]
    pub extraction_secret: SecretDistribution,
}

fn uniform_ternary() -> SecretDistribution {
    SecretDistribution::UniformTernary
}

fn is_uniform_ternary(secret: &SecretDistribution) -> bool {
    *secret == SecretDistribution::UniformTernary
}

impl BlockLiteral {
    /// Packing with 128 bits of security: degree 2,048 allows 53 bits, and vector kernels support primes up to 2^50.
    /// Two digits of the switch add a quarter of the noise that columns add.
    pub const PACKING_128: Self = Self {
        degree: 2048,
        log2_prime: 49.9,
        switching: GadgetLiteral { base_log2: 16, length: 2 },
    };

    /// Extraction with 128 bits of security: degree 1,024 allows 26 bits. A lower degree reduces the noise of LWE key
    /// switching, which is the largest part.
    pub const EXTRACTION_128: Self = Self {
        degree: 1024,
        log2_prime: 25.8,
        switching: GadgetLiteral { base_log2: 6, length: 4 },
    };
}

/// Domain separation of digests.
const DIGEST_CONTEXT: &str = "cryptable: parameters of a conversion";

impl ParametersLiteral {
    /// Encodes the literal as canonical bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers serialise")
    }

    /// Returns the BLAKE3 digest of the literal, which keys and ciphertexts store.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        blake3::derive_key(DIGEST_CONTEXT, &self.to_bytes())
    }

    /// Returns the conversion between LWE ciphertexts of single values and a ring of this degree and bottom prime, with
    /// 128 bits of security.
    #[must_use]
    pub fn between_128(single: &FhewParameters, ring_degree: usize, bottom_prime: u64) -> Self {
        let numbers = single.literal();
        Self {
            security: SecurityLevel::Bits128,
            lwe_dimension: numbers.lwe_dimension,
            lwe_secret: numbers.lwe_secret,
            log2_lwe_modulus: numbers.log2_lwe_modulus,
            ring_degree,
            bottom_prime,
            packing: BlockLiteral::PACKING_128,
            extraction: BlockLiteral::EXTRACTION_128,
            // Digits of two bits make half the noise of the three-bit digits that gates use, and the key is read only
            // once for all values. The last two bits are dropped: rounding them away adds less noise than their digit
            // would.
            key_switching: Some(GadgetLiteral {
                base_log2: 2,
                length: (numbers.log2_lwe_modulus as usize / 2).saturating_sub(1).max(1),
            }),
            rows_per_digit_size: false,
            extraction_secret: SecretDistribution::UniformTernary,
        }
    }

    /// Returns the number of key switching rows per digit: one, or one per nonzero size.
    pub(crate) fn multiples(&self) -> usize {
        let sizes = |digits: GadgetLiteral| 1 << (digits.base_log2 - 1);
        if self.rows_per_digit_size { self.key_switching.map_or(1, sizes) } else { 1 }
    }

    /// Returns the conversion for LWE ciphertexts under the ring secret of these single values instead.
    #[must_use]
    pub fn under_ring_secret(self, single: &FhewParameters) -> Self {
        let numbers = single.literal();
        Self {
            lwe_dimension: numbers.ring_degree,
            lwe_secret: numbers.ring_secret,
            // For dimension 2,048, rounding to this modulus adds 2^-18 of it, and columns of words of this size add
            // 2^-18, too.
            log2_lwe_modulus: 21,
            extraction: BlockLiteral {
                degree: numbers.ring_degree,
                // Not larger than the modulus under which the secret is already used.
                log2_prime: numbers.log2_prime.min(49.9) - 0.05,
                // The noise at degree 2^16 is 2^-26 of the modulus.
                switching: GadgetLiteral { base_log2: 12, length: 3 },
            },
            key_switching: None,
            extraction_secret: numbers.ring_secret,
            ..self
        }
    }

    /// Returns a conversion for toys, with blocks of a quarter of the ring and of an eighth: **insecure**, for tests
    /// only.
    #[must_use]
    pub fn insecure_between(
        single: &FhewParameters,
        ring_degree: usize,
        bottom_prime: u64,
    ) -> Self {
        let mut literal = Self::between_128(single, ring_degree, bottom_prime);
        literal.security = SecurityLevel::Insecure;
        literal.packing.degree = ring_degree / 4;
        literal.extraction.degree = ring_degree / 8;
        literal
    }
}
