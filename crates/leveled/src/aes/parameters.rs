//! Parameters of AES-128: parameters of circuit bootstrapping with one bit per ciphertext and little enough noise for a
//! block.

use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, NoiseBound, ReadOptions, Result};

use super::column_table::TERMS;
use super::linear_layer::{INVERSE_MIX_COLUMNS, LinearLayer};
use crate::circuit_parameters::circuit_parameters;
use crate::noise::CircuitBootstrappingNoise;
use crate::parameters::{CircuitBootstrappingParameters, LOG2_FAIL, ParameterSet};

/// Number of circuit bootstraps per block: ten rounds of 16 bytes of 8 bits.
pub(super) const BOOTSTRAPS_A_BLOCK: usize = 10 * 16 * 8;

/// Number of CMUXes from an entry of a table to its result: the bits of a byte.
const DEPTH: usize = 8;

/// Parameters with which a block of AES-128 fails with a probability of at most 2^-64. Immutable, cheap to clone.
///
/// ```
/// use cryptable_leveled::aes::Parameters;
/// let parameters = Parameters::default_128();
/// assert!(parameters.security_bits() >= 128.0 && parameters.log2_fail() <= -64.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    circuit: CircuitBootstrappingParameters,
    log2_fail: f64,
}

impl Parameters {
    /// Returns the default parameters for AES-128, with 128 bits of security.
    #[must_use]
    pub fn default_128() -> Self {
        Self::new(ParameterSet::Aes128.parameters()).expect("a valid set")
    }

    /// Returns the fastest set for AES-128, with 128 bits of security, for which a block fails with a probability of at most
    /// 2^`log2_fail`.
    ///
    /// ```
    /// use cryptable_leveled::aes::Parameters;
    /// assert!(Parameters::with_log2_fail(-128.0)?.log2_fail() <= -128.0);
    /// assert_eq!(Parameters::with_log2_fail(-64.0)?, Parameters::default_128());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::FailureUnreachable`] if no set reaches this probability; the error names the least one.
    pub fn with_log2_fail(log2_fail: f64) -> Result<Self> {
        let mut least = 0.0f64;
        for set in [ParameterSet::Aes128, ParameterSet::Aes128Sure] {
            let parameters = Self::new(set.parameters())?;
            if parameters.log2_fail <= log2_fail {
                return Ok(parameters);
            }
            least = least.min(parameters.log2_fail);
        }
        let what = "a block of AES-128".to_owned();
        Err(Error::FailureUnreachable { what, found: least, limit: log2_fail })
    }

    /// Returns toy parameters for tests: not secure, and marked so.
    #[must_use]
    pub fn insecure_toy() -> Self {
        Self::new(ParameterSet::Aes128.insecure_toy()).expect("a valid set")
    }

    /// Makes parameters for AES-128 from other parameters of circuit bootstrapping.
    ///
    /// # Errors
    /// If the parameters are for two bits per ciphertext, or the failure probability of a block is above 2^-64.
    pub fn new(circuit: CircuitBootstrappingParameters) -> Result<Self> {
        circuit.check_single_bits()?;
        let noise = CircuitBootstrappingNoise::new(&circuit);
        let round_key = NoiseLaw::gaussian(noise.fresh().0 * largest_sum() as f64);
        let log2_fail = log2_fail(&noise, NoiseBound::of_law(round_key, 0.0));
        // NaN is within no limit.
        if log2_fail.is_nan() || log2_fail > LOG2_FAIL {
            return Err(Error::FailureProbability { found: log2_fail, limit: LOG2_FAIL });
        }
        Ok(Self { circuit, log2_fail })
    }

    /// Returns log2 of the probability that one of a block's circuit bootstraps reads its bit wrong. The bound also holds for
    /// decryption, which adds more bits of round keys.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns log2 of the failure probability, like [`Parameters::log2_fail`], for a block whose round keys a public key
    /// encrypted. The errors of bits under one key depend on each other, so the deviations in a sum add up.
    #[must_use]
    pub fn public_log2_fail(&self) -> f64 {
        let noise = CircuitBootstrappingNoise::new(&self.circuit);
        log2_fail(&noise, noise.by_public_key().times(largest_sum() as u64))
    }

    /// Returns the canonical bytes, those of circuit bootstrapping; their digest names these parameters.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.circuit.to_bytes()
    }

    /// Reads the bytes of [`Parameters::to_bytes`] and validates the parameters.
    ///
    /// # Errors
    /// If the bytes are not parameters, or the parameters are not valid, claim a security that they do not have, or are
    /// insecure and the options do not allow that; also same as [`Parameters::new`].
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Self::new(CircuitBootstrappingParameters::from_bytes(bytes, options)?)
    }

    /// Returns the BLAKE3 digest of [`Parameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.circuit.digest()
    }
}

circuit_parameters!(TranscipheringSecretKey, TranscipheringEvaluationKey, TranscipheringPublicKey);

/// Returns log2 of the failure probability of the bootstraps in a block. The input of each is a sum of four table results and
/// of a round key with this noise, after the inverse of MixColumns.
fn log2_fail(noise: &CircuitBootstrappingNoise, round_key: NoiseBound) -> f64 {
    // The results of four bytes, each computed with its own selectors.
    let result = noise.tree(DEPTH, 1.0);
    let mixed = (1..TERMS).fold(result, |sum, _| sum.with_independent(result));
    let sum = NoiseBound::of_law(mixed, 0.0).with_independent(round_key);
    noise.log2_fail(sum) + (BOOTSTRAPS_A_BLOCK as f64).log2()
}

/// Returns the largest number of bits of round keys in a sum.
fn largest_sum() -> usize {
    LinearLayer::circulant(INVERSE_MIX_COLUMNS).largest_sum()
}
