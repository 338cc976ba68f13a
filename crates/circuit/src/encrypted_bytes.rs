//! Encrypted bytes as they are sent and stored: eight bits each, with the digest of their parameters.

use cryptable_rlwe::wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, WireError, peek_header, read_object, write_object,
};

use crate::aes::{BLOCK_BYTES, EncryptedByte, EncryptedRoundKeys, ROUNDS};
use crate::encrypted_values::{EncryptedValues, MAX_BODY_BYTES};
use crate::error::Result;
use crate::parameters::CircuitParameters;

/// Bits of a byte.
pub(crate) const BITS: usize = 8;

/// What encrypted bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A message.
    Message,
    /// The round keys of AES-128.
    RoundKeys,
}

impl Content {
    fn object_type(self) -> ObjectType {
        match self {
            Self::Message => ObjectType::EncryptedBytes,
            Self::RoundKeys => ObjectType::EncryptedRoundKeys,
        }
    }
}

/// Bytes, encrypted bit by bit under one client's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedBytes {
    content: Content,
    parameter_digest: [u8; 32],
    values: EncryptedValues,
}

impl EncryptedBytes {
    /// Bytes of these parameters.
    pub(crate) fn new(
        content: Content,
        parameters: &CircuitParameters,
        values: EncryptedValues,
    ) -> Self {
        assert_eq!(values.width(), BITS, "bits of a byte");
        Self { content, parameter_digest: parameters.digest(), values }
    }

    /// A message that was computed under keys of this client.
    ///
    /// # Errors
    /// If a byte has not eight bits, or a bit is of other parameters.
    pub fn computed(
        parameters: &CircuitParameters,
        client: KeyId,
        message: &[EncryptedByte],
    ) -> Result<Self> {
        let values = EncryptedValues::computed(parameters, client, BITS, message)?;
        Ok(Self::new(Content::Message, parameters, values))
    }

    /// What the bytes are.
    #[must_use]
    pub fn content(&self) -> Content {
        self.content
    }

    /// The number of bytes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.count()
    }

    /// Whose key they are encrypted under.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.values.client()
    }

    /// The digest of their parameters.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    /// Whether masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.values.is_fresh()
    }

    /// The bytes as values of eight bits.
    #[must_use]
    pub fn values(&self) -> &EncryptedValues {
        &self.values
    }

    /// Checks that they belong to these parameters and this client, in every number that later code relies on.
    ///
    /// # Errors
    /// If the digest, the client or a size differs.
    pub fn check(&self, parameters: &CircuitParameters, client: KeyId) -> Result<()> {
        let (expected, found) = (parameters.digest(), self.parameter_digest);
        if found != expected {
            return Err(WireError::ParameterMismatch { expected, found }.into());
        }
        self.values.check(parameters, client)
    }

    /// A byte, its lowest bit first.
    ///
    /// # Panics
    /// If there is no such byte.
    #[must_use]
    pub fn byte(&self, index: usize) -> EncryptedByte {
        self.values.value(index)
    }

    /// Round keys for [`crate::aes::Aes`].
    ///
    /// # Errors
    /// If these are other bytes.
    pub fn round_keys(&self) -> Result<EncryptedRoundKeys> {
        let (found, expected) = (self.content.object_type(), ObjectType::EncryptedRoundKeys);
        if found != expected {
            return Err(WireError::WrongType { expected, found }.into());
        }
        EncryptedRoundKeys::new((0..self.count()).map(|index| self.byte(index)).collect())
    }

    /// The bytes in their wire format: client, sizes, masks or their seed, bodies.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let object_type = self.content.object_type();
        self.values
            .write(&mut BodyWriter::new(&mut body))
            .and_then(|()| write_object(&mut bytes, object_type, &self.parameter_digest, &body))
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads bytes of this content.
    ///
    /// # Errors
    /// If they are not exactly one undamaged object of that kind.
    pub fn from_bytes(content: Content, bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, content.object_type(), None, MAX_BODY_BYTES)?;
        let counts = match content {
            // Every bit has a body of at least one bit: more cannot be here.
            Content::Message => 0..=body.len() as u64,
            Content::RoundKeys => {
                let bytes = ((ROUNDS + 1) * BLOCK_BYTES) as u64;
                bytes..=bytes
            }
        };
        let mut reader = BodyReader::new(body);
        let values = EncryptedValues::read(&mut reader, BITS, counts)?;
        reader.finish()?;
        Ok(Self { content, parameter_digest: peek_header(bytes)?.parameter_digest, values })
    }
}
