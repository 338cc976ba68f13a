//! Which client a key or ciphertext belongs to.

pub use cryptable_rlwe::wire::KeyId;

#[cfg(feature = "client")]
impl crate::SecretKey {
    /// The identifier that this key, its evaluation keys and its ciphertext files share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        KeyId::of_secret("cryptable: identifier of a secret key", &self.to_bytes())
    }
}
