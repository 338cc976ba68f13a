//! Which client a key or ciphertext belongs to.

/// Names a client's secret key without revealing anything about it: a hash of the key in a domain of
/// its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId(pub [u8; KeyId::BYTES]);

impl KeyId {
    /// Length of an identifier.
    pub const BYTES: usize = 16;

    /// The identifier of a secret in a domain, which `context` names.
    #[must_use]
    pub fn of_secret(context: &str, secret: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(context);
        hasher.update(secret);
        let mut id = [0; Self::BYTES];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }
}
