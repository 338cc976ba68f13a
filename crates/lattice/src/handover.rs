//! The two clients of a key that transfers ciphertexts to a new owner.

use std::io::{self, Write};

use cryptable_wire::{BodyReader, BodyWriter, KeyId, WireError};

use crate::binding::Binding;
use crate::error::Result;
#[cfg(feature = "client")]
use crate::error::{Error, check_parameters};

/// The old and the new owner of ciphertexts: two clients with the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// Binding of the ciphertexts before the handover.
    pub owner: Binding,
    /// Binding of the ciphertexts after the handover.
    pub new_owner: Binding,
}

impl Handover {
    /// Checks that a client may hand ciphertexts over to another.
    ///
    /// # Errors
    /// [`Error::OtherParameters`] if their parameters differ; [`Error::Mismatch`] if they are the same client.
    #[cfg(feature = "client")]
    pub fn between(owner: &Binding, new_owner: &Binding) -> Result<Self> {
        let name = "new owner's key";
        check_parameters(name, owner.parameter_digest, new_owner.parameter_digest)?;
        if owner.key_id == new_owner.key_id {
            let expected =
                format!("another client's public key than the owner's, {}", owner.key_id);
            return Err(Error::mismatch(name, new_owner.key_id, expected));
        }
        Ok(Self { owner: *owner, new_owner: *new_owner })
    }

    /// Writes the identifiers of both clients.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        writer.raw(&self.owner.key_id.0)?;
        writer.raw(&self.new_owner.key_id.0)
    }

    /// Reads the identifiers of two clients of these parameters.
    ///
    /// # Errors
    /// If bytes are missing, or if both are the same client.
    pub fn read(reader: &mut BodyReader<'_>, parameter_digest: [u8; 32]) -> Result<Self> {
        let owner = KeyId(reader.array("owner's key identifier")?);
        let new_owner = KeyId(reader.array("new owner's key identifier")?);
        if owner == new_owner {
            let (name, expected) =
                ("new owner's key identifier", "a client key other than the owner's");
            return Err(WireError::invalid(name, new_owner, expected).into());
        }
        let [owner, new_owner] =
            [owner, new_owner].map(|key_id| Binding { parameter_digest, key_id });
        Ok(Self { owner, new_owner })
    }
}
