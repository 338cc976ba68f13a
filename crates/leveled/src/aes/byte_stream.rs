//! Encrypted bytes in the wire format, whole or in chunks: one object, whose checksum covers all chunks.
//!
//! The body of an encrypted AES key begins with the key's identifier. Every body then has the client, the LWE dimension and
//! modulus, the number of bytes, and the kind of masks. Fresh bytes follow as the seed of all masks and all bodies; other
//! bytes follow in chunks of [`CHUNK_BYTES`] bytes, masks and then bodies. Messages of any length can therefore be written
//! as they are computed, and decrypted as they are read.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::lwe_masks::MaskKind;
use cryptable_lattice::{Binding, Error, Result};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, ObjectWriter, object_bytes, peek_header, read_object,
};

use super::encrypted_bytes::{BITS, EncryptedBytes};
use super::parameters::Parameters;

/// Number of bytes in a chunk: four blocks of AES, 6 MB for ring degree 2,048.
pub const CHUNK_BYTES: usize = 64;

/// Longest body that is held in memory, 4 GiB.
const MAX_BODY_BYTES: u64 = 1 << 32;

/// Length of the part before masks and bodies: client, shape, number of bytes, kind of masks.
const FIXED_BYTES: u64 = KeyId::BYTES as u64 + LweShape::BYTES + 8 + 4;

/// The header of encrypted bytes, which precedes masks and bodies.
#[derive(Clone, Copy, Debug)]
struct Start {
    binding: Binding,
    shape: LweShape,
    /// Number of bytes.
    count: u64,
    masks: MaskKind,
}

impl Start {
    fn is_fresh(&self) -> bool {
        self.masks != MaskKind::Words
    }

    fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        writer.raw(&self.binding.key_id.0)?;
        self.shape.write(writer)?;
        writer.u64(self.count)?;
        writer.u32(self.masks as u32)
    }

    /// Reads the output of [`Start::write`]; `counts` is the allowed range of the number of bytes.
    fn read(
        reader: &mut BodyReader<'_>,
        parameter_digest: [u8; 32],
        counts: RangeInclusive<u64>,
    ) -> Result<Self> {
        let key_id = KeyId(reader.array("client key identifier")?);
        Ok(Self {
            binding: Binding { parameter_digest, key_id },
            shape: LweShape::read(reader)?,
            count: reader.u64_within("number of values", counts)?,
            masks: MaskKind::read(reader)?,
        })
    }

    /// Returns the length of a body of computed bytes. Saturates.
    fn computed_body_bytes(&self) -> u64 {
        let chunk = |bytes: u64| match bytes {
            0 => 0,
            bytes => self.shape.computed_bytes(bytes as usize * BITS),
        };
        let (whole, rest) = (self.count / CHUNK_BYTES as u64, self.count % CHUNK_BYTES as u64);
        let chunks = whole.saturating_mul(chunk(CHUNK_BYTES as u64));
        chunks.saturating_add(FIXED_BYTES + chunk(rest))
    }

    /// Returns the number of bytes in the next chunk, if `left` bytes remain. Fresh bytes are small, so they are one chunk.
    fn next_chunk(&self, left: u64) -> u64 {
        if self.is_fresh() { left } else { left.min(CHUNK_BYTES as u64) }
    }

    /// Reads the masks, or their seed, and the bodies of the next bytes.
    fn read_chunk(&self, reader: &mut BodyReader<'_>, bytes: u64) -> Result<LweList> {
        let count = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_mul(BITS);
        LweList::read_words(reader, self.shape, count, self.masks)
    }
}

/// Writes a message of known length, computed under a client's keys, chunk by chunk.
///
/// ```
/// use cryptable_leveled::aes::{EncryptedBytes, EncryptedBytesWriter, Parameters};
/// use cryptable_wire::KeyId;
/// let (parameters, key_id) = (Parameters::insecure_toy(), KeyId([7; 16]));
/// let mut bytes = Vec::new();
/// EncryptedBytesWriter::new(&mut bytes, &parameters, key_id, 0)?.finish()?;
/// assert_eq!(EncryptedBytes::from_bytes(&bytes)?.count(), 0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct EncryptedBytesWriter<W> {
    writer: BodyWriter<ObjectWriter<W>>,
    start: Start,
    /// Number of bytes still to be written.
    left: u64,
}

impl<W: Write> EncryptedBytesWriter<W> {
    /// Starts a message of `count` bytes.
    ///
    /// # Errors
    /// The errors of the underlying writer.
    pub fn new(out: W, parameters: &Parameters, key_id: KeyId, count: u64) -> Result<Self> {
        let shape = parameters.circuit_bootstrapping().lwe_shape();
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        let start = Start { binding, shape, count, masks: MaskKind::Words };
        let (object_type, length) = (ObjectType::EncryptedBytes, start.computed_body_bytes());
        let object = ObjectWriter::new(out, object_type, &binding.parameter_digest, length)?;
        let mut writer = BodyWriter::new(object);
        start.write(&mut writer)?;
        Ok(Self { writer, start, left: count })
    }

    /// Appends a chunk: [`CHUNK_BYTES`] computed bytes, or the remaining bytes if there are fewer.
    ///
    /// # Errors
    /// If the chunk is fresh or has another length, or belongs to other parameters or another client than the message; if the
    /// underlying writer fails.
    pub fn push(&mut self, chunk: &EncryptedBytes) -> Result<()> {
        chunk.binding().check("chunk", &self.start.binding)?;
        chunk.list().check(self.start.shape)?;
        let mismatch =
            |name, found: String, expected: String| Err(Error::Mismatch { name, found, expected });
        if chunk.is_fresh() {
            return mismatch("kind of the chunk", "fresh".to_owned(), "computed".to_owned());
        }
        let (found, expected) = (chunk.count() as u64, self.start.next_chunk(self.left));
        if found != expected {
            return mismatch("length of the chunk", found.to_string(), expected.to_string());
        }
        self.left -= expected;
        Ok(chunk.list().write_words(&mut self.writer)?)
    }

    /// Ends the message.
    ///
    /// # Errors
    /// If chunks are missing, or the underlying writer fails.
    pub fn finish(self) -> Result<W> {
        Ok(self.writer.into_inner().finish()?)
    }
}

/// Reads encrypted bytes chunk by chunk: an iterator that ends after the last chunk or after an error.
///
/// Any number of fresh bytes are one chunk, since they are small.
#[derive(Clone, Debug)]
pub struct EncryptedBytesReader<'a> {
    reader: BodyReader<'a>,
    start: Start,
    /// Whether the seed of fresh bytes is still to be read, even if there are no bytes.
    seed_left: bool,
    /// Number of bytes still to be read; `None` after all were read, or after reading failed.
    left: Option<u64>,
}

impl<'a> EncryptedBytesReader<'a> {
    /// Starts to read encrypted bytes, which may be a memory map of any size. The whole object is checked for damage.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged object of encrypted bytes.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let limit = bytes.len() as u64;
        Ok(Self::read_as::<0>(ObjectType::EncryptedBytes, bytes, limit, message_counts)?.1)
    }

    /// Starts to read an object of this type, whose body begins with a prefix.
    fn read_as<const PREFIX: usize>(
        object_type: ObjectType,
        bytes: &'a [u8],
        max_body: u64,
        counts: impl Fn(u64) -> RangeInclusive<u64>,
    ) -> Result<([u8; PREFIX], Self)> {
        let body = read_object(bytes, object_type, None, max_body)?;
        let mut reader = BodyReader::new(body);
        let prefix = reader.array("start of the body")?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        let start = Start::read(&mut reader, parameter_digest, counts(body.len() as u64))?;
        let (seed_left, left) = (start.is_fresh(), Some(start.count));
        Ok((prefix, Self { reader, start, seed_left, left }))
    }

    /// Returns the number of bytes that the object states.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.start.count
    }

    /// Reads the next chunk, if `left` bytes remain.
    fn chunk(&mut self, left: u64) -> Result<Option<EncryptedBytes>> {
        if left == 0 && !self.seed_left {
            self.reader.clone().finish()?;
            return Ok(None);
        }
        let bytes = self.start.next_chunk(left);
        let list = self.start.read_chunk(&mut self.reader, bytes)?;
        (self.seed_left, self.left) = (false, Some(left - bytes));
        Ok(Some(EncryptedBytes::new(self.start.binding, list)))
    }
}

impl Iterator for EncryptedBytesReader<'_> {
    type Item = Result<EncryptedBytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let left = self.left.take()?;
        self.chunk(left).transpose()
    }
}

/// Returns the possible numbers of bytes in a body of this length: every bit has a body of at least one bit.
fn message_counts(body_bytes: u64) -> RangeInclusive<u64> {
    0..=body_bytes
}

impl EncryptedBytes {
    /// Returns the bytes in their wire format: client, sizes, masks or their seed, bodies.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write_as(ObjectType::EncryptedBytes, &[])
    }

    /// Reads encrypted bytes.
    ///
    /// # Errors
    /// If the input is not exactly one undamaged object of encrypted bytes, or too long for memory; use
    /// [`EncryptedBytesReader`] for such objects.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self::read_as::<0>(ObjectType::EncryptedBytes, bytes, message_counts)?.1)
    }

    /// Returns an object of this type, whose body begins with this prefix.
    pub(super) fn write_as(&self, object_type: ObjectType, prefix: &[u8]) -> Vec<u8> {
        let start = Start {
            binding: *self.binding(),
            shape: self.list().shape(),
            count: self.count() as u64,
            masks: self.list().mask_kind(),
        };
        object_bytes(object_type, &self.parameter_digest(), |writer| {
            writer.raw(prefix)?;
            start.write(writer)?;
            self.list().write_chunks(writer, CHUNK_BYTES * BITS)
        })
    }

    /// Reads an object of this type and the prefix of its body; `counts` returns the allowed numbers of bytes for the length
    /// of a body.
    pub(super) fn read_as<const PREFIX: usize>(
        object_type: ObjectType,
        bytes: &[u8],
        counts: impl Fn(u64) -> RangeInclusive<u64>,
    ) -> Result<([u8; PREFIX], Self)> {
        let (prefix, mut reader) =
            EncryptedBytesReader::read_as(object_type, bytes, MAX_BODY_BYTES, counts)?;
        let start = reader.start;
        let mut all = match reader.next().transpose()? {
            Some(first) => first.list().clone(),
            None => LweList::computed(start.shape, [])?,
        };
        for chunk in reader.by_ref() {
            all.append(chunk?.list().clone());
        }
        Ok((prefix, Self::new(start.binding, all)))
    }
}
