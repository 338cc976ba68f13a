//! Errors of AES messages.

use cryptable_wire::KeyId;

/// The result of an operation on messages.
pub(super) type MessageResult<T> = Result<T, MessageError>;

/// Why a message was not encrypted, checked or transciphered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The message is under another key than the encrypted one.
    #[error("the message is under the AES key {found}, not under {expected}")]
    OtherAesKey {
        /// The key in use.
        expected: KeyId,
        /// The message's.
        found: KeyId,
    },
    /// Counter blocks would come twice under one key, which reveals the XOR of two messages.
    #[error(
        "these counters overlap {blocks} blocks from {first} on, which a message under the same key has taken"
    )]
    CountersUsed {
        /// First block of the message that took them, in hexadecimal.
        first: String,
        /// The number of its blocks.
        blocks: u64,
    },
    /// The message was changed, was not made by a holder of the key, or has no authentication tag.
    #[error("the message is not authentic: its tag is missing or is not what the key makes of it")]
    NotAuthentic,
    /// The library refused what is not about messages alone.
    #[error(transparent)]
    Library(#[from] cryptable_lattice::Error),
}

impl From<std::io::Error> for MessageError {
    fn from(error: std::io::Error) -> Self {
        Self::Library(error.into())
    }
}
