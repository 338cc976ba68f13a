//! The wire format: what every file and message looks like.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | magic `CRYPTABL` |
//! | 8 | 2 | format version |
//! | 10 | 2 | [`ObjectType`] |
//! | 12 | 4 | zero |
//! | 16 | 32 | BLAKE3 digest of the parameters' canonical bytes |
//! | 48 | 8 | body length L |
//! | 56 | 8 | zero |
//! | 64 | L | body, see [`BodyWriter`] |
//! | 64 + L | 32 | BLAKE3 digest of everything before |
//!
//! All numbers are little-endian. The body starts on a cache line, so that blocks of words in a
//! memory-mapped file are aligned and can be used where they lie. The checksum detects damage, not
//! forgery: it has no key. Readers check every field all the same.

#![deny(unsafe_code)]

pub mod bit_packing;
mod body;
mod error;
mod key_id;
mod keys;
mod mapped_file;
mod object_type;
mod packed_words;
mod printable;

use std::io::{self, Write};

use zeroize::Zeroizing;

pub use body::{BodyReader, BodyWriter};
pub use error::WireError;
pub use key_id::KeyId;
pub use keys::{
    KEY_START_BYTES, KeyStart, open_with_parameters, pack_ternary, peek_key, secret_key_bytes,
    unpack_ternary, write_server_keys,
};
pub use mapped_file::MappedFile;
pub use object_type::ObjectType;
pub use packed_words::{PackedWords, packed_field_bytes};
pub use printable::{printable, printable_json};

/// Returns the first bytes of a digest as hexadecimal digits: enough to tell objects apart in a message.
#[must_use]
pub fn short_hex(digest: &[u8; 32]) -> String {
    hex(&digest[..8])
}

/// Returns bytes as hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Format version that is written, and the only one that is read.
pub const FORMAT_VERSION: u16 = 5;

/// Length of the header in bytes.
pub const HEADER_BYTES: usize = 64;

/// Length of the checksum in bytes.
pub const CHECKSUM_BYTES: usize = blake3::OUT_LEN;

/// First bytes of every object.
const MAGIC: [u8; 8] = *b"CRYPTABL";

/// Length in bytes from which hashing on all threads is faster (advice of crate `blake3`: 128 KiB).
const MIN_PARALLEL_HASH: usize = 128 << 10;

/// The header of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Type of the object.
    pub object_type: ObjectType,
    /// Digest of the parameters it belongs to.
    pub parameter_digest: [u8; 32],
    /// Length of its body in bytes.
    pub body_length: u64,
}

impl Header {
    /// Returns the number of bytes of the whole object: header, body and checksum. Saturates.
    #[must_use]
    pub fn object_length(&self) -> u64 {
        self.body_length.saturating_add((HEADER_BYTES + CHECKSUM_BYTES) as u64)
    }

    fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[10..12].copy_from_slice(&(self.object_type as u16).to_le_bytes());
        bytes[16..48].copy_from_slice(&self.parameter_digest);
        bytes[48..56].copy_from_slice(&self.body_length.to_le_bytes());
        bytes
    }
}

/// Reads the header at the start of `bytes`, and nothing more.
///
/// # Errors
/// If there are too few bytes, or they are not of this format or version, or of an unknown type.
pub fn peek_header(bytes: &[u8]) -> Result<Header, WireError> {
    let mut reader = BodyReader::new(bytes);
    let magic = reader.array("header")?;
    if magic != MAGIC {
        return Err(WireError::BadMagic { found: magic });
    }
    let version = reader.u16("header")?;
    if version != FORMAT_VERSION {
        return Err(WireError::UnsupportedVersion { found: version });
    }
    let number = reader.u16("header")?;
    let object_type =
        ObjectType::from_number(number).ok_or(WireError::UnknownType { found: number })?;
    let reserved = reader.u32("header")?;
    let parameter_digest = reader.array("header")?;
    let body_length = reader.u64("header")?;
    if u64::from(reserved) | reader.u64("header")? != 0 {
        return Err(WireError::invalid("reserved field", "not zero", "zero"));
    }
    Ok(Header { object_type, parameter_digest, body_length })
}

/// Adds bytes to a hash, on all threads if there are enough of them to be worth it.
fn hash(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    if bytes.len() < MIN_PARALLEL_HASH {
        hasher.update(bytes);
    } else {
        hasher.update_rayon(bytes);
    }
}

/// Writer of an object whose body comes in pieces, which are hashed on the way.
///
/// The length of the body is written first, so it must be known in advance: it follows from the parameters.
///
/// ```
/// use std::io::Write;
/// use cryptable_wire::{ObjectType, ObjectWriter, read_object};
/// let mut file = Vec::new();
/// let mut object = ObjectWriter::new(&mut file, ObjectType::PackedEvaluationKey, &[7; 32], 6)?;
/// object.write_all(b"abc")?;
/// object.write_all(b"def")?;
/// object.finish()?;
/// let body = read_object(&file, ObjectType::PackedEvaluationKey, Some(&[7; 32]), 1000)?;
/// assert_eq!(body, b"abcdef");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ObjectWriter<W> {
    writer: W,
    /// Cleared on drop, since it holds the last block of the bytes written, which may be a secret.
    hasher: Zeroizing<blake3::Hasher>,
    left: u64,
}

impl<W: Write> ObjectWriter<W> {
    /// Writes the header and starts the body.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn new(
        mut writer: W,
        object_type: ObjectType,
        parameter_digest: &[u8; 32],
        body_length: u64,
    ) -> io::Result<Self> {
        let header = Header { object_type, parameter_digest: *parameter_digest, body_length };
        let bytes = header.to_bytes();
        let mut hasher = Zeroizing::new(blake3::Hasher::new());
        hasher.update(&bytes);
        writer.write_all(&bytes)?;
        Ok(Self { writer, hasher, left: body_length })
    }

    /// Writes the checksum and flushes.
    ///
    /// # Errors
    /// `InvalidInput` if the body is shorter than announced, and errors of the underlying writer.
    pub fn finish(self) -> io::Result<W> {
        self.finish_with_checksum().map(|(writer, _)| writer)
    }

    /// Finishes like [`ObjectWriter::finish`], and returns the checksum, which names the object.
    ///
    /// # Errors
    /// The same as those of [`ObjectWriter::finish`].
    pub fn finish_with_checksum(mut self) -> io::Result<(W, [u8; CHECKSUM_BYTES])> {
        if self.left > 0 {
            let message = format!("{} bytes of the body were not written", self.left);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let checksum = *self.hasher.finalize().as_bytes();
        self.writer.write_all(&checksum)?;
        self.writer.flush()?;
        Ok((self.writer, checksum))
    }
}

impl<W: Write> Write for ObjectWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            let message = format!("body is {} bytes too long", bytes.len() as u64 - self.left);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let written = self.writer.write(bytes)?;
        // Hashed by this thread alone: other threads may be preparing the next bytes, and hashing needs only a tenth of
        // the time of writing.
        self.hasher.update(&bytes[..written]);
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Writes an object whose whole body is in memory.
///
/// # Errors
/// Errors of the writer.
pub fn write_object(
    writer: &mut impl Write,
    object_type: ObjectType,
    parameter_digest: &[u8; 32],
    body: &[u8],
) -> io::Result<()> {
    let mut object = ObjectWriter::new(writer, object_type, parameter_digest, body.len() as u64)?;
    object.write_all(body)?;
    object.finish()?;
    Ok(())
}

/// Returns the bytes that `write` writes, as the body of an object.
///
/// # Panics
/// If `write` fails, which writing to memory never does.
#[must_use]
pub fn body_bytes(write: impl FnOnce(&mut BodyWriter<Vec<u8>>) -> io::Result<()>) -> Vec<u8> {
    let mut writer = BodyWriter::new(Vec::new());
    write(&mut writer).expect("memory takes all bytes");
    writer.into_inner()
}

/// Returns the bytes of an object whose body `write` writes.
///
/// # Panics
/// If `write` fails, which writing to memory never does.
#[must_use]
pub fn object_bytes(
    object_type: ObjectType,
    parameter_digest: &[u8; 32],
    write: impl FnOnce(&mut BodyWriter<Vec<u8>>) -> io::Result<()>,
) -> Vec<u8> {
    let (body, mut bytes) = (body_bytes(write), Vec::new());
    write_object(&mut bytes, object_type, parameter_digest, &body).expect("memory takes all bytes");
    bytes
}

/// Checks an object and returns its body, which starts at byte [`HEADER_BYTES`] of `bytes`.
///
/// `parameter_digest` is the digest of the parameters in use, or `None` to accept any. Bodies longer than `max_body`
/// bytes are refused. Nothing is copied: `bytes` may be a memory map of any size.
///
/// # Errors
/// If a single bit differs from what was written, the object is of another type or parameters, or
/// its length is not that of `bytes`.
pub fn read_object<'a>(
    bytes: &'a [u8],
    expected: ObjectType,
    parameter_digest: Option<&[u8; 32]>,
    max_body: u64,
) -> Result<&'a [u8], WireError> {
    let (body, mut check) = open_object(bytes, expected, parameter_digest, max_body)?;
    check.update(body);
    check.finish()?;
    Ok(body)
}

/// Opens an object like [`read_object`], but without verifying its checksum. The caller hashes the body while reading
/// it once, and must not trust any of it before [`ObjectCheck::finish`] succeeds.
///
/// # Errors
/// The same as those of [`read_object`], except for damage to the body.
pub fn open_object<'a>(
    bytes: &'a [u8],
    expected: ObjectType,
    parameter_digest: Option<&[u8; 32]>,
    max_body: u64,
) -> Result<(&'a [u8], ObjectCheck), WireError> {
    let header = peek_header(bytes)?;
    if header.object_type != expected {
        return Err(WireError::WrongType { expected, found: header.object_type });
    }
    if header.body_length > max_body {
        let (name, length) = ("body", header.body_length);
        return Err(WireError::TooLong { name, length, limit: max_body });
    }
    let (needed, found) = (header.object_length(), bytes.len() as u64);
    if found < needed {
        return Err(WireError::Truncated { name: "file", needed, found });
    }
    if found > needed {
        return Err(WireError::TrailingBytes { count: found - needed });
    }
    if let Some(&expected) = parameter_digest.filter(|&&digest| digest != header.parameter_digest) {
        let found = header.parameter_digest;
        return Err(WireError::ParameterMismatch { expected, found });
    }
    let (content, end) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
    let (start, body) = content.split_at(HEADER_BYTES);
    let mut hasher = Zeroizing::new(blake3::Hasher::new());
    hasher.update(start);
    let mut checksum = [0; CHECKSUM_BYTES];
    checksum.copy_from_slice(end);
    Ok((body, ObjectCheck { hasher, checksum }))
}

/// Hash of the part of an object's body that was read so far, and the checksum that the object states.
#[derive(Debug)]
pub struct ObjectCheck {
    hasher: Zeroizing<blake3::Hasher>,
    checksum: [u8; CHECKSUM_BYTES],
}

impl ObjectCheck {
    /// Returns the checksum that the object states.
    #[must_use]
    pub fn checksum(&self) -> &[u8; CHECKSUM_BYTES] {
        &self.checksum
    }

    /// Hashes the next bytes of the body.
    pub fn update(&mut self, bytes: &[u8]) {
        hash(&mut self.hasher, bytes);
    }

    /// Compares the hash of all bytes with the checksum.
    ///
    /// # Errors
    /// [`WireError::ChecksumMismatch`].
    pub fn finish(&self) -> Result<(), WireError> {
        if self.hasher.finalize() == self.checksum {
            Ok(())
        } else {
            Err(WireError::ChecksumMismatch)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIGEST: [u8; 32] = [0xAB; 32];

    fn object(body: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        write_object(&mut file, ObjectType::PackedCiphertext, &DIGEST, body).unwrap();
        file
    }

    fn read(file: &[u8]) -> Result<&[u8], WireError> {
        read_object(file, ObjectType::PackedCiphertext, Some(&DIGEST), 1 << 20)
    }

    #[test]
    fn layout_is_as_documented() {
        let file = object(b"body");
        assert_eq!(&file[..12], b"CRYPTABL\x05\x00\x04\x00");
        assert_eq!(file[16..48], DIGEST);
        assert_eq!(file[48..64], [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(&file[64..68], b"body");
        assert_eq!(&file[68..], blake3::hash(&file[..68]).as_bytes());
        let header = peek_header(&file).unwrap();
        assert_eq!((header.body_length, header.object_length()), (4, 100));
    }

    #[test]
    fn long_bodies_come_back() {
        // Long enough for the parallel hash, which must agree with hashing in pieces.
        let body: Vec<u8> = (0..300_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let file = object(&body);
        assert_eq!(read(&file), Ok(&body[..]));
        let mut pieces = Vec::new();
        let length = body.len() as u64;
        let mut writer =
            ObjectWriter::new(&mut pieces, ObjectType::PackedCiphertext, &DIGEST, length).unwrap();
        body.chunks(777).for_each(|piece| writer.write_all(piece).unwrap());
        writer.finish().unwrap();
        assert!(pieces == file);
    }

    #[test]
    fn announced_length_is_kept() {
        let start = || ObjectWriter::new(Vec::new(), ObjectType::Parameters, &DIGEST, 3).unwrap();
        assert!(start().finish().is_err());
        assert!(start().write_all(b"abcd").is_err());
        let mut writer = start();
        writer.write_all(b"abc").unwrap();
        assert_eq!(writer.finish().unwrap().len(), HEADER_BYTES + 3 + CHECKSUM_BYTES);
    }

    #[test]
    fn every_bit_flip_and_truncation_is_refused() {
        let file = object(b"some body");
        assert_eq!(read(&file), Ok(&b"some body"[..]));
        for bit in 0..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged).is_err(), "bit {bit}");
        }
        for length in 0..file.len() {
            let truncated = matches!(read(&file[..length]), Err(WireError::Truncated { .. }));
            assert!(truncated, "length {length}");
        }
        let longer = [file.as_slice(), &[0]].concat();
        assert_eq!(read(&longer), Err(WireError::TrailingBytes { count: 1 }));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let file = object(b"some body");
        let with = |position: usize, byte: u8| {
            let mut changed = file.clone();
            changed[position] = byte;
            read(&changed).unwrap_err()
        };
        assert_eq!(with(0, b'X'), WireError::BadMagic { found: *b"XRYPTABL" });
        assert_eq!(with(8, 9), WireError::UnsupportedVersion { found: 9 });
        assert_eq!(with(10, 77), WireError::UnknownType { found: 77 });
        assert_eq!(
            with(10, 2).to_string(),
            "it is a secret key for packed values, not a ciphertext of packed values"
        );
        assert!(matches!(with(13, 1), WireError::InvalidField { .. }));
        assert!(matches!(with(16, 0), WireError::ParameterMismatch { expected: DIGEST, .. }));
        let limit = WireError::TooLong { name: "body", length: 9 + (1 << 56), limit: 1 << 20 };
        assert_eq!(with(55, 1), limit);
        assert_eq!(with(64, 0), WireError::ChecksumMismatch);
        // Without expected parameters, any are accepted, and the header tells which they are.
        let other = read_object(&file, ObjectType::PackedCiphertext, None, 9);
        assert_eq!(other, Ok(&b"some body"[..]));
        assert_eq!(peek_header(&file).unwrap().parameter_digest, DIGEST);
    }

    proptest! {
        #[test]
        fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(read(&bytes).is_err());
            let file = object(b"");
            let mixed = [&file[..HEADER_BYTES], &bytes].concat();
            prop_assert!(read_object(&mixed, ObjectType::PackedCiphertext, None, u64::MAX).is_err());
        }
    }
}
