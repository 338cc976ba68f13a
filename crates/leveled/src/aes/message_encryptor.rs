//! Encryption of messages by AES-128 in counter mode, with counters that are drawn at random and never used twice.
//!
//! A nonce of 96 bits is drawn for every message. The probability that two of m messages under one key have the same nonce
//! is at most m²/2^97: 2^-33 for 2^32 messages.

use std::io::{Read, Write};

use cryptable_lattice::Result;
use cryptable_ring::random::Seed;
use zeroize::Zeroizing;

use super::aes_key::AesKey;
use super::block::BLOCK_BYTES;
use super::counters::{CounterRange, UsedCounters, counter_block};
use super::message::{Message, MessageStart};
use super::message_error::MessageResult;
use super::plain::counter_mode_assign;

/// Length of a nonce in bytes.
const NONCE_BYTES: usize = 12;

/// Number of bytes that are encrypted at once, a multiple of a block.
const PIECE_BYTES: usize = 1 << 20;

/// Encrypts messages under one AES key, which it owns, and uses no counter block twice.
///
/// The encryptor knows only the counters that it used itself and those that it was told about. A key that several programs
/// use is safe only with random counters.
///
/// ```
/// use cryptable_leveled::aes::{AesKey, MessageEncryptor};
/// let mut encryptor = MessageEncryptor::new(AesKey::generate());
/// let first = encryptor.encrypt(b"a message")?;
/// let second = encryptor.encrypt(b"a message")?;
/// assert_ne!(first.bytes(), second.bytes());
/// // A requested counter is refused the second time.
/// encryptor.encrypt_from([1; 16], b"a message")?;
/// assert!(encryptor.encrypt_from([1; 16], b"another").is_err());
/// # Ok::<(), cryptable_leveled::aes::MessageError>(())
/// ```
#[derive(Debug)]
pub struct MessageEncryptor {
    key: AesKey,
    used: UsedCounters,
}

impl MessageEncryptor {
    /// Returns an encryptor for a key that has encrypted nothing yet, or only with random counters.
    #[must_use]
    pub fn new(key: AesKey) -> Self {
        Self::with_used(key, UsedCounters::default())
    }

    /// Returns an encryptor for a key some of whose counters are used.
    #[must_use]
    pub fn with_used(key: AesKey, used: UsedCounters) -> Self {
        Self { key, used }
    }

    /// Returns the AES key under which messages are encrypted.
    #[must_use]
    pub fn key(&self) -> &AesKey {
        &self.key
    }

    /// Encrypts a message from a random counter on.
    ///
    /// # Errors
    /// If the message has more than 2^36 bytes.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    pub fn encrypt(&mut self, message: &[u8]) -> MessageResult<Message<'static>> {
        Ok(self.take(None, message.len() as u64)?.encrypt(message)?)
    }

    /// Encrypts a message from a given counter on.
    ///
    /// # Errors
    /// [`super::MessageError::CountersUsed`] if a block was used before; or if the message has more blocks than remain, from
    /// this counter on, of the 2^32 blocks of its nonce (its first 12 bytes).
    pub fn encrypt_from(
        &mut self,
        first_counter: [u8; BLOCK_BYTES],
        message: &[u8],
    ) -> MessageResult<Message<'static>> {
        Ok(self.take(Some(first_counter), message.len() as u64)?.encrypt(message)?)
    }

    /// Reserves the counters of one message of `length` bytes, random ones or from a given one on.
    ///
    /// # Errors
    /// The errors of [`MessageEncryptor::encrypt`] and [`MessageEncryptor::encrypt_from`].
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    pub fn take(
        &mut self,
        first_counter: Option<[u8; BLOCK_BYTES]>,
        length: u64,
    ) -> MessageResult<MessageEncryption<'_>> {
        let first_counter = first_counter.unwrap_or_else(random_counter);
        let start = MessageStart::new(self.key.id(), first_counter, length)?;
        self.used.take(start.counters)?;
        Ok(MessageEncryption { key: &self.key, start })
    }
}

/// Draws a random nonce and returns its block 0.
fn random_counter() -> [u8; BLOCK_BYTES] {
    let mut counter = [0; BLOCK_BYTES];
    counter[..NONCE_BYTES].copy_from_slice(&Seed::random().as_bytes()[..NONCE_BYTES]);
    counter
}

/// The encryption of one message, whose counters are reserved. It can be used once.
#[derive(Debug)]
pub struct MessageEncryption<'a> {
    key: &'a AesKey,
    start: MessageStart,
}

impl MessageEncryption<'_> {
    /// Returns the reserved counter blocks, so that the caller can record them.
    #[must_use]
    pub fn counters(&self) -> CounterRange {
        self.start.counters
    }

    /// Encrypts the message.
    ///
    /// # Errors
    /// If the message does not have the reserved length.
    pub fn encrypt(self, message: &[u8]) -> Result<Message<'static>> {
        check_length(message.len() as u64, self.start.length)?;
        let mut bytes = message.to_vec();
        counter_mode_assign(self.key.as_bytes(), self.start.counters.first(), &mut bytes);
        let mut tag = self.key.authentication_key().tag_of(self.start);
        tag.update(&bytes);
        Ok(Message::new(self.start, bytes, tag.finish()))
    }

    /// Encrypts all bytes of a reader, piece by piece, and writes them in the format of [`Message::to_bytes`].
    ///
    /// # Errors
    /// If the message does not have the reserved length, or reading or writing fails.
    pub fn encrypt_stream(self, input: &mut dyn Read, out: &mut dyn Write) -> Result<()> {
        let mut object = self.start.write(out, true)?;
        let mut tag = self.key.authentication_key().tag_of(self.start);
        let mut buffer = Zeroizing::new(vec![0; PIECE_BYTES]);
        let mut done = 0;
        loop {
            let found = fill(input, &mut buffer)?;
            let piece = &mut buffer[..found];
            if done + found as u64 > self.start.length {
                check_length(done + found as u64, self.start.length)?;
            }
            let counter = counter_block(self.start.counters.first(), done / BLOCK_BYTES as u64);
            counter_mode_assign(self.key.as_bytes(), counter, piece);
            tag.update(piece);
            object.write_all(piece)?;
            done += found as u64;
            if found < PIECE_BYTES {
                break;
            }
        }
        check_length(done, self.start.length)?;
        object.write_all(&tag.finish())?;
        object.finish()?;
        Ok(())
    }
}

fn check_length(found: u64, expected: u64) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(cryptable_lattice::Error::mismatch("length of the message", found, expected))
}

/// Reads until the buffer is full or the input ends.
fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut found = 0;
    while found < buffer.len() {
        match input.read(&mut buffer[found..]) {
            Ok(0) => break,
            Ok(count) => found += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
