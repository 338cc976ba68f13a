//! Encrypted bytes as they are sent and stored: eight bits each, with the digest of their parameters.

mod wire;

use cryptable_wire::{KeyId, ObjectType, WireError};

use crate::aes::{EncryptedByte, EncryptedRoundKeys};
use crate::encrypted_values::EncryptedValues;
use crate::error::Result;
use crate::parameters::CircuitParameters;

pub use crate::encrypted_values::CHUNK_VALUES as CHUNK_BYTES;
pub use wire::{EncryptedBytesReader, EncryptedBytesWriter};

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
}
