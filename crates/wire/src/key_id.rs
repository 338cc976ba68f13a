//! Identifiers of the clients' keys, which tell whose a key or ciphertext is.

use std::fmt;

use zeroize::Zeroizing;

use crate::hex;

/// Identifier of a client's secret key: a domain-separated hash, which reveals nothing about the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId(pub [u8; KeyId::BYTES]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl KeyId {
    /// Length of an identifier.
    pub const BYTES: usize = 16;

    /// Returns the identifier of a secret in the domain that `context` names.
    ///
    /// Hashing leaves blocks of the secret on the stack below the caller, who must clear it.
    #[must_use]
    #[inline(never)]
    pub fn of_secret(context: &str, secret: &[u8]) -> Self {
        let mut hasher = Zeroizing::new(blake3::Hasher::new_derive_key(context));
        hasher.update(secret);
        let mut id = [0; Self::BYTES];
        // Like the hasher, the reader holds the last block of the secret, so it is cleared, too.
        Zeroizing::new(hasher.finalize_xof()).fill(&mut id);
        Self(id)
    }
}
