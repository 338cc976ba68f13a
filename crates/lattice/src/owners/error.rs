//! Errors of messages between the owners of a joint key.

use std::fmt;

use cryptable_wire::short_hex;

/// The kind of a message of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Hashes of the owner's shares.
    Commitment,
    /// Shares of the public key and of the first round.
    FirstShare,
    /// Shares of switching keys.
    KeyShare,
    /// Shares of the second round.
    SecondShare,
    /// The owner's part of a decryption.
    PartialDecryption,
    /// The owner's share for a holder, for decryption by fewer than all owners.
    DealtShare,
}

impl Message {
    /// Returns the name of the kind.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Commitment => "commitment",
            Self::FirstShare => "first share",
            Self::KeyShare => "key share",
            Self::SecondShare => "second share",
            Self::PartialDecryption => "partial decryption",
            Self::DealtShare => "dealt share",
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The reason why messages do not result in a joint key or a decryption. Owners are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnersError {
    /// A key of one owner needs no session.
    #[error("a session needs parameters for 2 owners or more: plan with a number of owners")]
    OneOwner,
    /// An owner has not sent a message that all of them must send.
    #[error(
        "the {message} of owner {owner} is missing: every one of the {owners} owners must send it"
    )]
    Missing {
        /// Kind of the message.
        message: Message,
        /// Number of the owner.
        owner: u32,
        /// Number of owners.
        owners: u32,
    },
    /// An owner has sent two messages of one kind.
    #[error("there are two messages of owner {owner}, each the {message}: keep one of them")]
    Twice {
        /// Kind of the messages.
        message: Message,
        /// Number of the owner.
        owner: u32,
    },
    /// The number of an owner exceeds the number of owners.
    #[error(
        "the {message} is from owner {owner}, but there are only {owners} owners, counted from 1"
    )]
    NoSuchOwner {
        /// Kind of the message.
        message: &'static str,
        /// Number of the owner.
        owner: u32,
        /// Number of owners.
        owners: u32,
    },
    /// A message belongs to another session.
    #[error(
        "the {message} of owner {owner} belongs to session {}, not to {}", short_hex(.found), short_hex(.expected)
    )]
    OtherSession {
        /// Kind of the message.
        message: Message,
        /// Number of its owner.
        owner: u32,
        /// Digest of its session.
        found: [u8; 32],
        /// Digest of the session in use.
        expected: [u8; 32],
    },
    /// A share is not the one that its owner committed to.
    #[error(
        "the {message} of owner {owner} is not the one that its commitment names: ask owner {owner} for the right one"
    )]
    OtherShare {
        /// Kind of the message.
        message: Message,
        /// Number of its owner.
        owner: u32,
    },
    /// A second share was made with other commitments.
    #[error(
        "the second share of owner {owner} was made with other commitments (joint key {}, not {}): all owners need the \
         same commitments",
        short_hex(.found), short_hex(.expected)
    )]
    OtherAgreement {
        /// Number of its owner.
        owner: u32,
        /// Digest of its commitments.
        found: [u8; 32],
        /// Digest of the commitments in use.
        expected: [u8; 32],
    },
    /// A partial decryption belongs to another ciphertext.
    #[error(
        "the partial decryption of owner {owner} belongs to the ciphertext {}, not to {}",
        short_hex(.found), short_hex(.expected)
    )]
    OtherCiphertext {
        /// Number of its owner.
        owner: u32,
        /// Digest of the ciphertext in the message.
        found: [u8; 32],
        /// Digest of the ciphertext at hand.
        expected: [u8; 32],
    },
    /// Words of a share are not below their primes.
    #[error("the {message} of owner {owner} has words that are not below their primes")]
    Words {
        /// Kind of the message.
        message: Message,
        /// Number of its owner.
        owner: u32,
    },
    /// The commitment of an owner does not belong to its secret.
    #[error("the commitment of owner {owner} is not the one that this owner's secret made")]
    OtherCommitment {
        /// Number of the owner.
        owner: u32,
    },
    /// A secret has already agreed to other commitments.
    #[error(
        "this secret agreed to other commitments before (joint key {}, not {}): second shares of both would reveal it; begin \
         another session",
        short_hex(.found), short_hex(.expected)
    )]
    AgreedBefore {
        /// Digest of the commitments that it agreed to.
        found: [u8; 32],
        /// Digest of those in use.
        expected: [u8; 32],
    },
    /// A secret has not agreed to the commitments yet.
    #[error(
        "this secret has not agreed to these commitments yet: agree, and save the secret, before its second share"
    )]
    NotAgreed,
    /// The number of holders who are to decrypt together is not the required one.
    #[error(
        "{found} {} named to decrypt together, but the key needs {threshold}: name exactly {threshold}",
        if *.found == 1 { "holder was" } else { "holders were" }
    )]
    Quorum {
        /// Number of holders that were named.
        found: u32,
        /// Required number of holders.
        threshold: u32,
    },
    /// A holder is not one of those who decrypt together.
    #[error("holder {owner} is not one of those who decrypt together, {quorum}")]
    NotInQuorum {
        /// Number of the holder.
        owner: u32,
        /// The holders who decrypt together.
        quorum: String,
    },
    /// A partial decryption was made to be combined with those of other holders.
    #[error(
        "the partial decryption of owner {owner} was made for decryption by {found}, not by {expected}"
    )]
    OtherQuorum {
        /// Number of its owner.
        owner: u32,
        /// The holders that it was made for.
        found: String,
        /// The holders of the first message.
        expected: String,
    },
}
