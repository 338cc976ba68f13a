//! Owners of the ciphertexts that a key converts, identified by two secret keys: one for LWE and one for the ring.

use std::io::{self, Write};

use cryptable_wire::{BodyReader, BodyWriter, KeyId, WireError};

/// Identifiers of the two secret keys that a conversion key belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clients {
    /// Key of LWE ciphertexts.
    pub lwe: KeyId,
    /// Key of RLWE ciphertexts.
    pub ring: KeyId,
}

impl Clients {
    /// Number of bytes that [`Clients::write`] writes.
    pub(crate) const BYTES: usize = 2 * KeyId::BYTES;

    pub(crate) fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        writer.raw(&self.lwe.0)?;
        writer.raw(&self.ring.0)
    }

    /// Reads identifiers and checks that they equal these.
    ///
    /// # Errors
    /// If bytes are missing, or an identifier is another.
    pub(crate) fn check_read(&self, reader: &mut BodyReader<'_>) -> Result<(), WireError> {
        for (name, expected) in
            [("identifier of the LWE key", self.lwe), ("identifier of the ring key", self.ring)]
        {
            let found = KeyId(reader.array(name)?);
            if found != expected {
                return Err(WireError::invalid(name, found, expected));
            }
        }
        Ok(())
    }
}
