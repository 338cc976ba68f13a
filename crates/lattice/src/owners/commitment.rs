//! An owner's commitment to its shares.

use cryptable_wire::{BodyReader, CHECKSUM_BYTES, ObjectType, object_bytes, read_object};

use crate::error::Result;

/// Bytes of the body of a commitment.
const BODY_BYTES: u64 = 32 + 4 + 2 * CHECKSUM_BYTES as u64;

/// Hashes of an owner's first share and key share. Nobody may see a share before all commitments are known, so that no
/// owner can choose its share depending on those of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commitment {
    /// Digest of the parameters.
    pub(super) parameter_digest: [u8; 32],
    /// Digest of the session.
    pub(super) session: [u8; 32],
    /// Number of the owner, counted from 1.
    pub(super) owner: u32,
    /// Checksum of the owner's first share.
    pub(super) first: [u8; CHECKSUM_BYTES],
    /// Checksum of the owner's key share.
    pub(super) keys: [u8; CHECKSUM_BYTES],
}

impl Commitment {
    /// Returns the number of the owner, counted from 1.
    #[must_use]
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// Returns the commitment in its wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        object_bytes(ObjectType::OwnerCommitment, &self.parameter_digest, |writer| {
            writer.raw(&self.session)?;
            writer.u32(self.owner)?;
            writer.raw(&self.first)?;
            writer.raw(&self.keys)
        })
    }

    /// Reads a commitment.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged commitment.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::OwnerCommitment, None, BODY_BYTES)?;
        let parameter_digest = cryptable_wire::peek_header(bytes)?.parameter_digest;
        let mut reader = BodyReader::new(body);
        let session = reader.array("session of a commitment")?;
        let owner = reader.u32("owner of a commitment")?;
        let first = reader.array("checksum of a first share")?;
        let keys = reader.array("checksum of a key share")?;
        reader.finish()?;
        Ok(Self { parameter_digest, session, owner, first, keys })
    }
}
