//! Which client a key or ciphertext belongs to.

use std::fmt;

use zeroize::Zeroizing;

use crate::hex;

/// Names a client's secret key without revealing anything about it: a hash of the key in a domain of
/// its own.
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

    /// The identifier of a secret in a domain, which `context` names.
    ///
    /// Hashing leaves blocks of the secret on the stack below the caller, who clears it.
    #[must_use]
    #[inline(never)]
    pub fn of_secret(context: &str, secret: &[u8]) -> Self {
        let mut hasher = Zeroizing::new(blake3::Hasher::new_derive_key(context));
        hasher.update(secret);
        let mut id = [0; Self::BYTES];
        // The reader holds the last block of the secret, as the hasher does.
        Zeroizing::new(hasher.finalize_xof()).fill(&mut id);
        Self(id)
    }
}
