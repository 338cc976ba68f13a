//! Encrypted bytes in the wire format, whole or in chunks.
//!
//! A body is the client, the LWE dimension, the modulus, the number of bytes, and the kind of masks; of fresh bytes,
//! the seed of all masks and all bodies; of others, chunk after chunk of [`CHUNK_BYTES`] bytes, masks and then bodies.
//! So a message of any length is written as it is computed and decrypted as it is read, and one checksum holds over
//! all of it.

use std::io::{self, Write};

use cryptable_ring::random::Seed;
use cryptable_rlwe::wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, ObjectWriter, WireError, packed_field_bytes,
    peek_header, read_object, write_object,
};

use super::{BITS, Content, EncryptedBytes, Masks};
use crate::aes::{BLOCK_BYTES, ROUNDS};
use crate::error::Result;
use crate::parameters::CircuitParameters;

/// Bytes of a chunk: four blocks of AES, 6 MB for ring degree 2,048.
pub const CHUNK_BYTES: usize = 64;

/// Longest body that is held in memory, 4 GiB.
const MAX_BODY_BYTES: u64 = 1 << 32;

/// Largest LWE dimension that is read.
const MAX_DIMENSION: u32 = 1 << 13;

/// Largest modulus that is read.
const MAX_MODULUS: u64 = (1 << 62) - 1;

/// Bytes before masks and bodies.
const FIXED_BYTES: u64 = KeyId::BYTES as u64 + 4 + 8 + 8 + 4;

/// What is known of bytes before their masks and bodies.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    client: KeyId,
    dimension: usize,
    modulus: u64,
    /// Number of bytes.
    count: u64,
    fresh: bool,
}

impl Sizes {
    fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        writer.raw(&self.client.0)?;
        writer.u32(self.dimension as u32)?;
        writer.u64(self.modulus)?;
        writer.u64(self.count)?;
        writer.u32(u32::from(self.fresh))
    }

    fn read(content: Content, reader: &mut BodyReader<'_>, body_bytes: u64) -> Result<Self> {
        let client = KeyId(reader.array("client key identifier")?);
        let dimension = reader.u32("LWE dimension")?;
        if !(1..=MAX_DIMENSION).contains(&dimension) {
            let expected = format!("from 1 to {MAX_DIMENSION}");
            return Err(WireError::invalid("LWE dimension", dimension, expected).into());
        }
        let modulus = reader.u64_within("modulus", 2..=MAX_MODULUS)?;
        let range = match content {
            // Every bit has a body of at least one bit: more cannot be here.
            Content::Message => 0..=body_bytes,
            Content::RoundKeys => {
                let bytes = ((ROUNDS + 1) * BLOCK_BYTES) as u64;
                bytes..=bytes
            }
        };
        let count = reader.u64_within("number of bytes", range)?;
        let fresh = match reader.u32("kind of masks")? {
            1 => true,
            0 => false,
            other => return Err(WireError::invalid("kind of masks", other, "0 or 1").into()),
        };
        Ok(Self { client, dimension: dimension as usize, modulus, count, fresh })
    }

    /// Bytes of a chunk of computed bytes.
    fn chunk_field_bytes(&self, bytes: u64) -> u64 {
        let bits = bytes as usize * BITS;
        packed_field_bytes(bits * self.dimension, self.modulus)
            + packed_field_bytes(bits, self.modulus)
    }

    /// Bytes of a body of computed bytes. Saturates.
    fn body_bytes(&self) -> u64 {
        let (whole, rest) = (self.count / CHUNK_BYTES as u64, self.count % CHUNK_BYTES as u64);
        let chunks = whole.saturating_mul(self.chunk_field_bytes(CHUNK_BYTES as u64));
        let last = if rest > 0 { self.chunk_field_bytes(rest) } else { 0 };
        chunks.saturating_add(FIXED_BYTES + last)
    }
}

/// Writes a message of known length, computed under a client's keys, chunk after chunk.
///
/// ```
/// use cryptable_circuit::encrypted_bytes::{Content, EncryptedBytes, EncryptedBytesWriter};
/// use cryptable_circuit::parameters::CircuitParameters;
/// use cryptable_rlwe::wire::KeyId;
/// let (parameters, client) = (CircuitParameters::insecure_toy(), KeyId([7; 16]));
/// let mut bytes = Vec::new();
/// EncryptedBytesWriter::new(&mut bytes, &parameters, client, 0)?.finish()?;
/// assert_eq!(EncryptedBytes::from_bytes(Content::Message, &bytes)?.count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct EncryptedBytesWriter<W> {
    writer: BodyWriter<ObjectWriter<W>>,
    sizes: Sizes,
    parameter_digest: [u8; 32],
    /// Bytes to come.
    left: u64,
}

impl<W: Write> EncryptedBytesWriter<W> {
    /// Starts a message of `count` bytes.
    ///
    /// # Errors
    /// Those of the underlying writer.
    pub fn new(
        out: W,
        parameters: &CircuitParameters,
        client: KeyId,
        count: u64,
    ) -> io::Result<Self> {
        let (dimension, modulus) =
            (parameters.parameters().ring_degree(), parameters.parameters().prime());
        let sizes = Sizes { client, dimension, modulus, count, fresh: false };
        Self::start(out, ObjectType::EncryptedBytes, parameters.digest(), sizes)
    }

    fn start(
        out: W,
        object_type: ObjectType,
        parameter_digest: [u8; 32],
        sizes: Sizes,
    ) -> io::Result<Self> {
        let object = ObjectWriter::new(out, object_type, &parameter_digest, sizes.body_bytes())?;
        let mut writer = BodyWriter::new(object);
        sizes.write(&mut writer)?;
        Ok(Self { writer, sizes, parameter_digest, left: sizes.count })
    }

    /// Appends a chunk: [`CHUNK_BYTES`] computed bytes, or as many as are left.
    ///
    /// # Errors
    /// `InvalidInput` if it is no such chunk, or not of the message's parameters and client; those of the underlying
    /// writer.
    pub fn push(&mut self, chunk: &EncryptedBytes) -> io::Result<()> {
        let refused = |message: &str| io::Error::new(io::ErrorKind::InvalidInput, message);
        let (Masks::Words(masks), true) = (&chunk.masks, self.belongs(chunk)) else {
            return Err(refused("a chunk that is fresh, of other parameters or of another client"));
        };
        if chunk.count() as u64 != self.left.min(CHUNK_BYTES as u64) {
            return Err(refused("a chunk of the wrong length"));
        }
        self.left -= chunk.count() as u64;
        self.push_words(masks, &chunk.bodies)
    }

    fn belongs(&self, chunk: &EncryptedBytes) -> bool {
        let Sizes { client, dimension, modulus, .. } = self.sizes;
        chunk.parameter_digest == self.parameter_digest
            && (chunk.client, chunk.dimension, chunk.modulus) == (client, dimension, modulus)
    }

    fn push_words(&mut self, masks: &[u64], bodies: &[u64]) -> io::Result<()> {
        self.writer.packed_words(masks, self.sizes.modulus)?;
        self.writer.packed_words(bodies, self.sizes.modulus)
    }

    /// Ends the message.
    ///
    /// # Errors
    /// `InvalidInput` if chunks are missing; those of the underlying writer.
    pub fn finish(self) -> io::Result<W> {
        self.writer.into_inner().finish()
    }
}

/// Reads encrypted bytes, chunk after chunk: an iterator that ends after the last one, or with an error.
///
/// Fresh bytes are one chunk, whatever their number: they are small.
#[derive(Clone, Debug)]
pub struct EncryptedBytesReader<'a> {
    reader: BodyReader<'a>,
    content: Content,
    sizes: Sizes,
    parameter_digest: [u8; 32],
    /// Whether the seed of fresh bytes is to come.
    seed_left: bool,
    /// Bytes to come; `None` once all were read, or reading failed.
    left: Option<u64>,
}

impl<'a> EncryptedBytesReader<'a> {
    /// Starts on an object of this content, which may be a memory map of any size. All of it is checked for damage.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged object of that kind.
    pub fn new(content: Content, bytes: &'a [u8]) -> Result<Self> {
        Self::up_to(content, bytes, bytes.len() as u64)
    }

    fn up_to(content: Content, bytes: &'a [u8], limit: u64) -> Result<Self> {
        let body = read_object(bytes, content.object_type(), None, limit)?;
        let mut reader = BodyReader::new(body);
        let sizes = Sizes::read(content, &mut reader, body.len() as u64)?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        let (seed_left, left) = (sizes.fresh, Some(sizes.count));
        Ok(Self { reader, content, sizes, parameter_digest, seed_left, left })
    }

    /// The number of bytes that the object says it has.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.sizes.count
    }

    /// Words of the masks and bodies of the next bytes.
    fn read(&mut self, bytes: usize) -> Result<EncryptedBytes> {
        let Sizes { client, dimension, modulus, .. } = self.sizes;
        let bits = bytes.saturating_mul(BITS);
        let masks = if self.seed_left {
            Masks::Seed(Seed::from_bytes(self.reader.array("seed of the masks")?))
        } else {
            let words = bits.saturating_mul(dimension);
            Masks::Words(self.reader.packed_words("masks", words, modulus)?)
        };
        let bodies = self.reader.packed_words("bodies", bits, modulus)?;
        let (content, parameter_digest) = (self.content, self.parameter_digest);
        Ok(EncryptedBytes { content, parameter_digest, client, dimension, modulus, masks, bodies })
    }

    /// The next chunk, with `left` bytes to come.
    fn chunk(&mut self, left: u64) -> Result<Option<EncryptedBytes>> {
        if left == 0 && !self.seed_left {
            self.reader.clone().finish()?;
            return Ok(None);
        }
        let bytes = if self.seed_left { left } else { left.min(CHUNK_BYTES as u64) };
        let chunk = self.read(usize::try_from(bytes).unwrap_or(usize::MAX))?;
        (self.seed_left, self.left) = (false, Some(left - bytes));
        Ok(Some(chunk))
    }
}

impl Iterator for EncryptedBytesReader<'_> {
    type Item = Result<EncryptedBytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let left = self.left.take()?;
        self.chunk(left).transpose()
    }
}

impl EncryptedBytes {
    fn sizes(&self) -> Sizes {
        Sizes {
            client: self.client,
            dimension: self.dimension,
            modulus: self.modulus,
            count: self.count() as u64,
            fresh: self.is_fresh(),
        }
    }

    /// The bytes in their wire format: client, sizes, masks or their seed, bodies.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write().expect("memory takes all bytes")
    }

    fn write(&self) -> io::Result<Vec<u8>> {
        let (object_type, digest, sizes) =
            (self.content.object_type(), self.parameter_digest, self.sizes());
        match &self.masks {
            Masks::Seed(seed) => {
                let mut writer = BodyWriter::new(Vec::new());
                sizes.write(&mut writer)?;
                writer.raw(seed.as_bytes())?;
                writer.packed_words(&self.bodies, self.modulus)?;
                let mut bytes = Vec::new();
                write_object(&mut bytes, object_type, &digest, &writer.into_inner())?;
                Ok(bytes)
            }
            Masks::Words(masks) => {
                let mut writer =
                    EncryptedBytesWriter::start(Vec::new(), object_type, digest, sizes)?;
                let chunk = CHUNK_BYTES * BITS;
                for (masks, bodies) in
                    masks.chunks(chunk * self.dimension).zip(self.bodies.chunks(chunk))
                {
                    writer.push_words(masks, bodies)?;
                }
                writer.finish()
            }
        }
    }

    /// Reads bytes of this content.
    ///
    /// # Errors
    /// If they are not exactly one undamaged object of that kind, or longer than memory should take: those are for
    /// [`EncryptedBytesReader`].
    pub fn from_bytes(content: Content, bytes: &[u8]) -> Result<Self> {
        let reader = EncryptedBytesReader::up_to(content, bytes, MAX_BODY_BYTES)?;
        let Sizes { client, dimension, modulus, .. } = reader.sizes;
        let parameter_digest = reader.parameter_digest;
        let (mut all_masks, mut bodies) = (Masks::Words(Vec::new()), Vec::new());
        for chunk in reader {
            let chunk = chunk?;
            bodies.extend(chunk.bodies);
            all_masks = match (all_masks, chunk.masks) {
                (Masks::Words(mut all), Masks::Words(words)) => {
                    all.extend(words);
                    Masks::Words(all)
                }
                (_, seed) => seed,
            };
        }
        let masks = all_masks;
        Ok(Self { content, parameter_digest, client, dimension, modulus, masks, bodies })
    }
}
