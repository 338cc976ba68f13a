//! Encrypted bits in the slots of CKKS ciphertexts.

use cryptable_ckks::Ciphertext;
use cryptable_lattice::Binding;
use cryptable_lattice::error::Result;
use cryptable_wire::KeyId;

use crate::noise::BitNoise;

/// Encrypted bits in the slots of one or two real CKKS ciphertexts, with levels left for gates.
#[derive(Clone, Debug)]
pub struct EncryptedBits {
    pub(crate) parts: Vec<Ciphertext>,
    pub(crate) count: usize,
    /// Bounds on the errors of the bits.
    pub(crate) noise: BitNoise,
    /// Limbs that a bootstrap begins with.
    pub(crate) bottom_limbs: usize,
    pub(crate) binding: Binding,
}

impl EncryptedBits {
    /// Returns how many bits there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Levels for gates that are left before the next bootstrap.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.limbs() - self.bottom_limbs
    }

    /// Bounds on the errors of the bits. Every operation carries them along.
    #[must_use]
    pub fn noise(&self) -> BitNoise {
        self.noise
    }

    /// Limbs of every part.
    pub(crate) fn limbs(&self) -> usize {
        self.parts[0].limbs()
    }

    /// Returns other parts and noise, under the same client and parameters.
    pub(crate) fn with_parts(&self, parts: Vec<Ciphertext>, noise: BitNoise) -> Self {
        let Self { count, bottom_limbs, binding, .. } = *self;
        Self { parts, count, noise, bottom_limbs, binding }
    }

    /// Checks that the bits belong to a key.
    ///
    /// # Errors
    /// If they do not, with both digests or identifiers.
    pub(crate) fn check(&self, expected: &Binding) -> Result<()> {
        self.binding.check("encrypted bits", expected)
    }

    /// Returns the identifier of the secret key of the bits.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }
}
