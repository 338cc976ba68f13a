//! Which client a key or ciphertext belongs to.

/// Names a client's secret key without revealing anything about it: a hash of the key in a domain of
/// its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId(pub [u8; KeyId::BYTES]);

impl KeyId {
    /// Length of an identifier.
    pub const BYTES: usize = 16;
}

#[cfg(feature = "client")]
impl crate::SecretKey {
    /// The identifier that this key, its evaluation keys and its ciphertext files share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let mut hasher = blake3::Hasher::new_derive_key("cryptable: identifier of a secret key");
        hasher.update(&self.to_bytes());
        let mut id = [0; KeyId::BYTES];
        hasher.finalize_xof().fill(&mut id);
        KeyId(id)
    }
}
