//! Errors of AES messages.

use cryptable_wire::KeyId;

/// The result of an operation on messages.
pub(super) type MessageResult<T> = Result<T, MessageError>;

/// Reasons why a message was not encrypted, checked or transciphered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The message is under an AES key other than the encrypted one.
    #[error("the message is encrypted under the AES key {found}, not under {expected}")]
    OtherAesKey {
        /// The key in use.
        expected: KeyId,
        /// The key of the message.
        found: KeyId,
    },
    /// Counter blocks would be used twice under one key, which reveals the XOR of two messages.
    #[error(
        "these counters overlap {blocks} blocks from {first} on, which a message under the same key has used"
    )]
    CountersUsed {
        /// First block of the message that used them, in hexadecimal.
        first: String,
        /// The number of blocks of that message.
        blocks: u64,
    },
    /// The message was changed, was not made by a holder of the key, or has no authentication tag.
    #[error("the message is not authentic: its tag is missing or does not match the key")]
    NotAuthentic,
    /// An error of the library that is not specific to messages.
    #[error(transparent)]
    Library(#[from] cryptable_lattice::Error),
}

impl From<std::io::Error> for MessageError {
    fn from(error: std::io::Error) -> Self {
        Self::Library(error.into())
    }
}
