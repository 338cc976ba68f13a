//! Ciphertexts as callers see them.

use cryptable_rlwe::coefficient_ciphertext::CoefficientCiphertext;

/// Encrypted integers of one modulus, of one parameter set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    parameter_digest: [u8; 32],
    body: CoefficientCiphertext,
}

impl Ciphertext {
    pub(crate) fn new(parameter_digest: [u8; 32], body: CoefficientCiphertext) -> Self {
        Self { parameter_digest, body }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.body.layout.count
    }

    /// The modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.body.plaintext_modulus
    }

    /// The digest of its parameters.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    /// The RLWE ciphertext.
    #[must_use]
    pub fn body(&self) -> &CoefficientCiphertext {
        &self.body
    }
}

/// The first bytes of a digest, for messages.
pub(crate) fn hex(digest: &[u8; 32]) -> String {
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
