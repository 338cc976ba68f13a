//! Encrypted bytes in the wire format, whole or in chunks: one object, whose checksum holds over all chunks.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, ObjectWriter, peek_header, read_object, write_object,
};

use super::{BITS, Content, EncryptedBytes};
use crate::aes::{BLOCK_BYTES, ROUNDS};
use crate::encrypted_values::{EncryptedValues, MAX_BODY_BYTES, Sizes};
use crate::error::Result;
use crate::parameters::CircuitParameters;

/// Writes a message of known length, computed under a client's keys, chunk after chunk.
///
/// ```
/// use cryptable_leveled::encrypted_bytes::{Content, EncryptedBytes, EncryptedBytesWriter};
/// use cryptable_leveled::parameters::CircuitParameters;
/// use cryptable_wire::KeyId;
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
        let sizes = Sizes { client, dimension, modulus, width: BITS, count, fresh: false };
        let (object_type, parameter_digest) = (ObjectType::EncryptedBytes, parameters.digest());
        let object = ObjectWriter::new(out, object_type, &parameter_digest, sizes.body_bytes())?;
        let mut writer = BodyWriter::new(object);
        sizes.write(&mut writer)?;
        Ok(Self { writer, sizes, parameter_digest, left: count })
    }

    /// Appends a chunk: [`super::CHUNK_BYTES`] computed bytes, or as many as are left.
    ///
    /// # Errors
    /// `InvalidInput` if it is no such chunk, or not of the message's parameters and client; those of the underlying
    /// writer.
    pub fn push(&mut self, chunk: &EncryptedBytes) -> io::Result<()> {
        let refused = |message: &str| io::Error::new(io::ErrorKind::InvalidInput, message);
        let values = chunk.values();
        if values.is_fresh() || !self.belongs(chunk) {
            return Err(refused("a chunk that is fresh, of other parameters or of another client"));
        }
        if chunk.count() as u64 != self.sizes.next_chunk(self.left) {
            return Err(refused("a chunk of the wrong length"));
        }
        self.left -= chunk.count() as u64;
        values.write_chunks(&mut self.writer)
    }

    fn belongs(&self, chunk: &EncryptedBytes) -> bool {
        let numbers = |sizes: Sizes| (sizes.client, sizes.dimension, sizes.modulus);
        chunk.parameter_digest == self.parameter_digest
            && numbers(chunk.values.sizes()) == numbers(self.sizes)
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
    /// Whether the seed of fresh bytes is to come, even if there are none.
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
        let body = read_object(bytes, content.object_type(), None, bytes.len() as u64)?;
        let mut reader = BodyReader::new(body);
        let sizes = Sizes::read(&mut reader, BITS, content.counts(body.len() as u64))?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        let (seed_left, left) = (sizes.fresh, Some(sizes.count));
        Ok(Self { reader, content, sizes, parameter_digest, seed_left, left })
    }

    /// The number of bytes that the object says it has.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.sizes.count
    }

    /// The next chunk, with `left` bytes to come.
    fn chunk(&mut self, left: u64) -> Result<Option<EncryptedBytes>> {
        if left == 0 && !self.seed_left {
            self.reader.clone().finish()?;
            return Ok(None);
        }
        let bytes = self.sizes.next_chunk(left);
        let values = self.sizes.read_chunk(&mut self.reader, bytes)?;
        (self.seed_left, self.left) = (false, Some(left - bytes));
        let (content, parameter_digest) = (self.content, self.parameter_digest);
        Ok(Some(EncryptedBytes { content, parameter_digest, values }))
    }
}

impl Iterator for EncryptedBytesReader<'_> {
    type Item = Result<EncryptedBytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let left = self.left.take()?;
        self.chunk(left).transpose()
    }
}

impl Content {
    /// How many bytes there may be in a body of this length.
    fn counts(self, body_bytes: u64) -> RangeInclusive<u64> {
        match self {
            // Every bit has a body of at least one bit: more cannot be here.
            Self::Message => 0..=body_bytes,
            Self::RoundKeys => {
                let bytes = ((ROUNDS + 1) * BLOCK_BYTES) as u64;
                bytes..=bytes
            }
        }
    }
}

impl EncryptedBytes {
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
    /// If they are not exactly one undamaged object of that kind, or longer than memory should take: those are for
    /// [`EncryptedBytesReader`].
    pub fn from_bytes(content: Content, bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, content.object_type(), None, MAX_BODY_BYTES)?;
        let mut reader = BodyReader::new(body);
        let values = EncryptedValues::read(&mut reader, BITS, content.counts(body.len() as u64))?;
        reader.finish()?;
        Ok(Self { content, parameter_digest: peek_header(bytes)?.parameter_digest, values })
    }
}
