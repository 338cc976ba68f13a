//! Encrypted bytes as they are sent and stored: LWE of dimension N modulo Q, eight ciphertexts a byte.
//!
//! Words are packed at the width of the modulus. The masks of fresh ciphertexts are a seed, so that a fresh bit costs
//! one word: the round keys of AES-128 take 8.3 kB instead of 17 MB.

mod wire;

use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_rlwe::lwe::LweCiphertext;
use cryptable_rlwe::wire::{KeyId, ObjectType, WireError};

use crate::aes::{EncryptedByte, EncryptedRoundKeys};
use crate::error::{Error, Result};
use crate::parameters::CircuitParameters;

pub use wire::{CHUNK_BYTES, EncryptedBytesReader, EncryptedBytesWriter};

/// Bits of a byte.
const BITS: usize = 8;

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

/// Masks of LWE ciphertexts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Masks {
    /// Those of fresh ciphertexts: the mask of bit i is stream i of a seed.
    Seed(Seed),
    /// N words a bit.
    Words(Vec<u64>),
}

/// Bytes, encrypted bit by bit under one client's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedBytes {
    content: Content,
    parameter_digest: [u8; 32],
    client: KeyId,
    dimension: usize,
    modulus: u64,
    masks: Masks,
    bodies: Vec<u64>,
}

/// The mask of a fresh bit.
pub(crate) fn fresh_mask(seed: &Seed, index: usize, dimension: usize, modulus: u64) -> Vec<u64> {
    let mut mask = vec![0; dimension];
    RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, index as u64)
        .uniform_assign(&mut mask, modulus);
    mask
}

impl EncryptedBytes {
    /// Fresh ciphertexts: bodies of all bits, and the seed of their masks.
    #[cfg(feature = "client")]
    pub(crate) fn fresh(
        content: Content,
        parameters: &CircuitParameters,
        client: KeyId,
        seed: Seed,
        bodies: Vec<u64>,
    ) -> Self {
        Self {
            content,
            parameter_digest: parameters.digest(),
            client,
            dimension: parameters.parameters().ring_degree(),
            modulus: parameters.parameters().prime(),
            masks: Masks::Seed(seed),
            bodies,
        }
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
        check_eight(message)?;
        let dimension = parameters.parameters().ring_degree();
        let bits = message.len() * BITS;
        let (mut masks, mut bodies) =
            (Vec::with_capacity(bits * dimension), Vec::with_capacity(bits));
        for bit in message.iter().flatten() {
            crate::bits::check(parameters.parameters(), bit)?;
            masks.extend_from_slice(bit.mask());
            bodies.push(bit.body());
        }
        Ok(Self {
            content: Content::Message,
            parameter_digest: parameters.digest(),
            client,
            dimension,
            modulus: parameters.parameters().prime(),
            masks: Masks::Words(masks),
            bodies,
        })
    }

    /// What the bytes are.
    #[must_use]
    pub fn content(&self) -> Content {
        self.content
    }

    /// The number of bytes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bodies.len() / BITS
    }

    /// Whose key they are encrypted under.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.client
    }

    /// The digest of their parameters.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    /// Whether masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        matches!(self.masks, Masks::Seed(_))
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
        if self.client != client {
            return Err(Error::OtherClient { expected: client, found: self.client });
        }
        let fhew = parameters.parameters();
        for (what, found, expected) in [
            ("dimension", self.dimension as u64, fhew.ring_degree() as u64),
            ("modulus", self.modulus, fhew.prime()),
        ] {
            if found != expected {
                return Err(
                    cryptable_fhew::error::Error::Ciphertext { what, found, expected }.into()
                );
            }
        }
        Ok(())
    }

    /// A byte, its lowest bit first.
    ///
    /// # Panics
    /// If there is no such byte.
    #[must_use]
    pub fn byte(&self, index: usize) -> EncryptedByte {
        (index * BITS..(index + 1) * BITS).map(|bit| self.bit(bit)).collect()
    }

    fn bit(&self, index: usize) -> LweCiphertext {
        let mut words = match &self.masks {
            Masks::Seed(seed) => fresh_mask(seed, index, self.dimension, self.modulus),
            Masks::Words(words) => words[index * self.dimension..][..self.dimension].to_vec(),
        };
        words.push(self.bodies[index]);
        LweCiphertext::from_words(words, self.modulus)
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

/// Demands eight bits a byte.
pub(crate) fn check_eight(bytes: &[EncryptedByte]) -> Result<()> {
    match bytes.iter().find(|byte| byte.len() != BITS) {
        Some(byte) => {
            let (value, limit) = (byte.len() as u64, "a byte has 8".to_owned());
            Err(Error::Number { name: "number of a byte's bits", value, limit })
        }
        None => Ok(()),
    }
}
