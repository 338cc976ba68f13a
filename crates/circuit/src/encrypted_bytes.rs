//! Encrypted bytes as they are sent and stored: LWE of dimension N modulo Q, eight ciphertexts a byte.
//!
//! Words are packed at the width of the modulus. The masks of fresh ciphertexts are a seed, so that a fresh bit costs
//! one word: the round keys of AES-128 take 8.3 kB instead of 17 MB.

use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_rlwe::bit_packing::{UnpackError, pack, unpack};
use cryptable_rlwe::lwe::LweCiphertext;
use cryptable_rlwe::wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, WireError, peek_header, read_object, write_object,
};

use crate::aes::{BLOCK_BYTES, EncryptedByte, EncryptedRoundKeys, ROUNDS};
use crate::error::{Error, Result};
use crate::parameters::CircuitParameters;

/// Longest body, 4 GiB.
const MAX_BODY_BYTES: u64 = 1 << 32;

/// Largest LWE dimension that is read.
const MAX_DIMENSION: u32 = 1 << 13;

/// Largest modulus that is read.
const MAX_MODULUS: u64 = (1 << 62) - 1;

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

/// Bits of a word below a modulus.
fn word_bits(modulus: u64) -> u32 {
    u64::BITS - (modulus - 1).leading_zeros()
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

    /// The bytes in their wire format: client, sizes, masks or their seed, bodies.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let bits = word_bits(self.modulus);
        let mut body = Vec::new();
        let mut writer = BodyWriter::new(&mut body);
        let write = |writer: &mut BodyWriter<&mut Vec<u8>>| {
            writer.raw(&self.client.0)?;
            writer.u32(self.dimension as u32)?;
            writer.u64(self.modulus)?;
            writer.u64(self.count() as u64)?;
            match &self.masks {
                Masks::Seed(seed) => {
                    writer.u32(1)?;
                    writer.raw(seed.as_bytes())?;
                }
                Masks::Words(words) => {
                    writer.u32(0)?;
                    writer.bytes(&pack(words, bits))?;
                }
            }
            writer.bytes(&pack(&self.bodies, bits))
        };
        let mut bytes = Vec::new();
        let object_type = self.content.object_type();
        write(&mut writer)
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
        let mut reader = BodyReader::new(body);
        let client = KeyId(reader.array("client key identifier")?);
        let dimension = reader.u32("LWE dimension")?;
        if !(1..=MAX_DIMENSION).contains(&dimension) {
            let expected = format!("from 1 to {MAX_DIMENSION}");
            return Err(WireError::invalid("LWE dimension", dimension, expected).into());
        }
        let dimension = dimension as usize;
        let modulus = reader.u64_within("modulus", 2..=MAX_MODULUS)?;
        let range = match content {
            // Every bit has a body of at least one bit: more cannot be here.
            Content::Message => 0..=body.len() as u64,
            Content::RoundKeys => {
                let bytes = ((ROUNDS + 1) * BLOCK_BYTES) as u64;
                bytes..=bytes
            }
        };
        let count = reader.u64_within("number of bytes", range)? as usize * BITS;
        let masks = match reader.u32("kind of masks")? {
            1 => Masks::Seed(Seed::from_bytes(reader.array("seed of the masks")?)),
            0 => {
                let words = count.saturating_mul(dimension);
                Masks::Words(read_words(&mut reader, "masks", modulus, words)?)
            }
            other => return Err(WireError::invalid("kind of masks", other, "0 or 1").into()),
        };
        let bodies = read_words(&mut reader, "bodies", modulus, count)?;
        reader.finish()?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        Ok(Self { content, parameter_digest, client, dimension, modulus, masks, bodies })
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

/// Packed words, all of them below a modulus.
fn read_words(
    reader: &mut BodyReader<'_>,
    name: &'static str,
    modulus: u64,
    count: usize,
) -> Result<Vec<u64>> {
    let packed = reader.bytes(name, MAX_BODY_BYTES)?;
    let damaged =
        |error: UnpackError| WireError::invalid(name, error, "as many words as bits need");
    let words = unpack(packed, word_bits(modulus), count).map_err(damaged)?;
    match words.iter().find(|&&word| word >= modulus) {
        Some(word) => Err(WireError::invalid(name, word, format!("below {modulus}")).into()),
        None => Ok(words),
    }
}
