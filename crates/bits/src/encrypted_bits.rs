//! Encrypted bits in the slots of CKKS ciphertexts.

use cryptable_ckks::Ciphertext;
use cryptable_lattice::error::{Result, check_client, check_parameters};
use cryptable_wire::KeyId;

use crate::noise::BitNoise;
use crate::parameters::Parameters;

/// Bits under encryption, in the slots of one real CKKS ciphertext or two, with levels left for gates.
#[derive(Clone, Debug)]
pub struct EncryptedBits {
    pub(crate) parts: Vec<Ciphertext>,
    pub(crate) count: usize,
    /// Bounds on their errors.
    pub(crate) noise: BitNoise,
    /// Limbs that a bootstrap begins with.
    pub(crate) bottom_limbs: usize,
    pub(crate) parameter_digest: [u8; 32],
    pub(crate) key_id: KeyId,
}

impl EncryptedBits {
    /// How many bits there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Levels for gates that are left before the next bootstrap.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.limbs() - self.bottom_limbs
    }

    /// Bounds on their errors, carried along by every operation.
    #[must_use]
    pub fn noise(&self) -> BitNoise {
        self.noise
    }

    /// Limbs of every part.
    pub(crate) fn limbs(&self) -> usize {
        self.parts[0].limbs()
    }

    /// Other parts with other noise, of the same client and parameters.
    pub(crate) fn with_parts(&self, parts: Vec<Ciphertext>, noise: BitNoise) -> Self {
        let Self { count, bottom_limbs, parameter_digest, key_id, .. } = *self;
        Self { parts, count, noise, bottom_limbs, parameter_digest, key_id }
    }

    /// Demands that they are of these parameters and this client.
    ///
    /// # Errors
    /// If not, with both digests or identifiers.
    pub(crate) fn check(&self, parameters: &Parameters, key_id: KeyId) -> Result<()> {
        check_parameters("encrypted bits", parameters.digest(), self.parameter_digest)?;
        check_client("encrypted bits", key_id, self.key_id)
    }

    /// The secret key that they were encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }
}
