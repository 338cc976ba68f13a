//! Messages that a client sends: encrypted by AES-128 in counter mode (NIST SP 800-38A), with their first counter.
//!
//! A file is an object of the wire format. Its body is the AES key's identifier, the first counter block, the number of
//! bytes, whether there is an authentication tag, the encrypted bytes of the message, and the tag of 32 bytes. The tag
//! authenticates everything before it (encrypt-then-MAC; keyed BLAKE3). The server cannot check it, which would need a key.
//! The tag is for holders of the AES key or of its authentication key, such as a client that stores messages elsewhere.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use cryptable_lattice::Result;
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, ObjectWriter, WireError, read_object,
};

use super::block::BLOCK_BYTES;
use super::counters::CounterRange;
use super::message_error::{MessageError, MessageResult};

/// Length of an authentication tag in bytes.
pub(super) const TAG_BYTES: usize = 32;

/// Length of the body before the bytes of the message: key, counter, length, whether there is a tag.
const FIXED_BYTES: u64 = (KeyId::BYTES + BLOCK_BYTES + 8 + 4) as u64;

/// Names an AES key without revealing it: a hash in a domain of its own.
///
/// Anyone who can guess a key can confirm the guess by this name, as by any message whose content is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AesKeyId(pub KeyId);

impl fmt::Display for AesKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Header of a message, before its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageStart {
    pub(super) key_id: AesKeyId,
    pub(super) counters: CounterRange,
    pub(super) length: u64,
}

impl MessageStart {
    /// Returns the start of a message of `length` bytes.
    pub(super) fn new(
        key_id: AesKeyId,
        first_counter: [u8; BLOCK_BYTES],
        length: u64,
    ) -> Result<Self> {
        let counters = CounterRange::of_message(first_counter, length)?;
        Ok(Self { key_id, counters, length })
    }

    /// Returns the bytes with which a body begins, which are authenticated.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let length = self.length.to_le_bytes();
        [&self.key_id.0.0[..], &self.counters.first(), &length].concat()
    }

    /// Starts an object; the caller must then write the bytes, and the tag if there is one.
    pub(super) fn write<W: Write>(self, out: W, has_tag: bool) -> io::Result<ObjectWriter<W>> {
        let tag = if has_tag { TAG_BYTES as u64 } else { 0 };
        let length = FIXED_BYTES + self.length + tag;
        let object = ObjectWriter::new(out, ObjectType::AesMessage, &cipher_digest(), length)?;
        let mut writer = BodyWriter::new(object);
        writer.raw(&self.to_bytes())?;
        writer.u32(has_tag.into())?;
        Ok(writer.into_inner())
    }
}

/// Returns a digest that takes the place of the parameter digest of other objects.
fn cipher_digest() -> [u8; 32] {
    *blake3::hash(b"AES-128-CTR").as_bytes()
}

/// A message encrypted by AES-128 in counter mode. Its bytes may be borrowed from a file that is mapped into memory.
///
/// ```
/// use cryptable_leveled::aes::{AesKey, Message, MessageEncryptor};
/// let mut encryptor = MessageEncryptor::new(AesKey::generate());
/// let file = encryptor.encrypt(b"a message")?.to_bytes();
/// let message = Message::from_bytes(&file)?;
/// assert_eq!((message.bytes().len(), message.key_id()), (9, encryptor.key().id()));
/// assert_eq!(*encryptor.key().open(&message)?, b"a message");
/// # Ok::<(), cryptable_leveled::aes::MessageError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    start: MessageStart,
    bytes: Cow<'a, [u8]>,
    tag: Option<[u8; TAG_BYTES]>,
}

impl<'a> Message<'a> {
    /// Wraps bytes that any program has encrypted by AES-128 in counter mode under this key, without a tag. Counters go up by
    /// one every 16 bytes. That program must make sure that no other message shares a counter.
    ///
    /// # Errors
    /// If the message has more blocks than remain, from this counter on, of the 2^32 blocks of its nonce (its first 12 bytes).
    pub fn from_counter_mode(
        key_id: AesKeyId,
        first_counter: [u8; BLOCK_BYTES],
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Self> {
        let bytes = bytes.into();
        let start = MessageStart::new(key_id, first_counter, bytes.len() as u64)?;
        Ok(Self { start, bytes, tag: None })
    }

    /// Wraps a message with its tag.
    #[cfg(feature = "client")]
    pub(super) fn new(start: MessageStart, bytes: Vec<u8>, tag: [u8; TAG_BYTES]) -> Self {
        Self { start, bytes: Cow::Owned(bytes), tag: Some(tag) }
    }

    /// Returns the identifier of the AES key under which the message is encrypted.
    #[must_use]
    pub fn key_id(&self) -> AesKeyId {
        self.start.key_id
    }

    /// Returns the counter blocks of the message.
    #[must_use]
    pub fn counters(&self) -> CounterRange {
        self.start.counters
    }

    /// Returns the encrypted bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether the message has an authentication tag, which the holder of a key can check.
    #[must_use]
    pub fn has_tag(&self) -> bool {
        self.tag.is_some()
    }

    #[cfg(feature = "client")]
    pub(super) fn start(&self) -> MessageStart {
        self.start
    }

    #[cfg(feature = "client")]
    pub(super) fn tag(&self) -> Option<&[u8; TAG_BYTES]> {
        self.tag.as_ref()
    }

    /// Checks that the message is encrypted under this AES key.
    ///
    /// # Errors
    /// [`MessageError::OtherAesKey`] if it is not.
    pub fn check_key(&self, expected: AesKeyId) -> MessageResult<()> {
        let found = self.key_id();
        if found == expected {
            return Ok(());
        }
        Err(MessageError::OtherAesKey { expected: expected.0, found: found.0 })
    }

    /// Returns the message in its wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut write = || -> io::Result<()> {
            let mut object = self.start.write(&mut out, self.has_tag())?;
            object.write_all(&self.bytes)?;
            object.write_all(self.tag.as_ref().map_or(&[], |tag| &tag[..]))?;
            object.finish()?;
            Ok(())
        };
        write().expect("memory takes all bytes");
        out
    }

    /// Reads a message without copying its bytes.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged message. Success says nothing about who made it; check the tag for that.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        let limit = bytes.len() as u64;
        let body = read_object(bytes, ObjectType::AesMessage, Some(&cipher_digest()), limit)?;
        let mut reader = BodyReader::new(body);
        let key_id = AesKeyId(KeyId(reader.array("AES key identifier")?));
        let first_counter = reader.array("first counter")?;
        let length = reader.u64_within("number of bytes", 0..=limit)?;
        let start = MessageStart::new(key_id, first_counter, length)?;
        let has_tag = match reader.u32("authentication")? {
            0 => false,
            1 => true,
            other => {
                let expected = "0 (none) or 1 (keyed BLAKE3)";
                return Err(WireError::invalid("authentication", other, expected).into());
            }
        };
        let bytes = reader.raw("message", length as usize)?;
        let tag = has_tag.then(|| reader.array("authentication tag")).transpose()?;
        reader.finish()?;
        Ok(Self { start, bytes: Cow::Borrowed(bytes), tag })
    }
}
