//! Which parameters and which client an object belongs to.

use cryptable_lattice::{Error, Result};
use cryptable_wire::KeyId;
use serde::Serialize;

/// Digest of an object's parameters, and identifier of the client's key that it is under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) parameter_digest: [u8; 32],
    pub(crate) key_id: KeyId,
}

impl Binding {
    /// Demands that an object bound so belongs to what `expected` is bound to.
    ///
    /// # Errors
    /// If it is of other parameters or of another client.
    pub(crate) fn check(&self, object: &'static str, expected: &Self) -> Result<()> {
        if self.parameter_digest != expected.parameter_digest {
            let (expected, found) = (expected.parameter_digest, self.parameter_digest);
            return Err(Error::OtherParameters { object, expected, found });
        }
        if self.key_id != expected.key_id {
            let (expected, found) = (expected.key_id, self.key_id);
            return Err(Error::OtherClient { object, expected, found });
        }
        Ok(())
    }
}

/// BLAKE3 of parameters in a domain, which `context` names.
pub(crate) fn digest(context: &str, literal: &impl Serialize) -> [u8; 32] {
    let bytes = serde_json::to_vec(literal).expect("a literal serialises");
    blake3::derive_key(context, &bytes)
}
