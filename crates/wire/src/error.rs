//! Errors of readers of files.

use crate::{FORMAT_VERSION, ObjectType, printable, short_hex};

/// Reason why bytes are not the expected object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The file does not begin with the magic bytes of this format.
    #[error("{}", magic_message(found))]
    BadMagic {
        /// The first bytes, followed by zeros if the file is shorter.
        found: [u8; 8],
    },
    /// The file was written by another version of the format.
    #[error("{}", version_message(.found))]
    UnsupportedVersion {
        /// The version in the file.
        found: u16,
    },
    /// The header names a kind of object that this version does not know.
    #[error("unknown object type {found}")]
    UnknownType {
        /// The number in the header.
        found: u16,
    },
    /// The file holds another kind of object.
    #[error("it is {found}, not {expected}")]
    WrongType {
        /// Type that was requested.
        expected: ObjectType,
        /// Type in the header.
        found: ObjectType,
    },
    /// The file holds a kind of object that is none of the requested ones.
    #[error("it is {found}, not {expected}")]
    WrongKind {
        /// Kind that was requested, whatever the engine.
        expected: &'static str,
        /// Type in the header.
        found: ObjectType,
    },
    /// The object was made under other parameters.
    #[error(
        "made under other parameters: digest {}, expected {}", short_hex(.found), short_hex(.expected)
    )]
    ParameterMismatch {
        /// Digest of the parameters in use.
        expected: [u8; 32],
        /// Digest in the header.
        found: [u8; 32],
    },
    /// Bytes are missing.
    #[error("{name} is cut short: {needed} bytes needed, {found} found")]
    Truncated {
        /// Part that ends too early.
        name: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes left.
        found: u64,
    },
    /// A length exceeds what the reader accepts.
    #[error("{name} is {length} bytes long, above the limit of {limit}")]
    TooLong {
        /// Part that is too long.
        name: &'static str,
        /// Its stated length.
        length: u64,
        /// The reader's limit.
        limit: u64,
    },
    /// The checksum does not fit the bytes: the file is damaged.
    #[error("the checksum does not match: the file is damaged")]
    ChecksumMismatch,
    /// Bytes are left over.
    #[error("{count} bytes too many")]
    TrailingBytes {
        /// Number of extra bytes.
        count: u64,
    },
    /// A field has a value that it must not have.
    #[error("{name} is {value}, but must be {expected}")]
    InvalidField {
        /// The field.
        name: &'static str,
        /// Its value.
        value: String,
        /// Values that are allowed.
        expected: String,
    },
}

impl WireError {
    /// Returns a [`WireError::InvalidField`] for a value that can be printed. The value may come from a file, so its
    /// text is made [`printable`].
    #[must_use]
    pub fn invalid(
        name: &'static str,
        value: impl ToString,
        expected: impl std::fmt::Display,
    ) -> Self {
        let value = printable(&value.to_string()).into_owned();
        Self::InvalidField { name, value, expected: expected.to_string() }
    }
}

/// Returns bytes without the zeros at their end.
fn without_padding(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &bytes[..length]
}

/// Describes the first bytes of a file that is not an object: another kind of cryptable file, such as a list, or none.
fn magic_message(found: &[u8; 8]) -> String {
    let is_of_cryptable = found.starts_with(b"CRYPT");
    let what =
        if is_of_cryptable { "another kind of cryptable file" } else { "not a cryptable file" };
    format!("{what}: it begins with \"{}\"", without_padding(found).escape_ascii())
}

/// Describes a version that cannot be read. For older versions, the message says what to do.
fn version_message(found: &u16) -> String {
    if *found < FORMAT_VERSION {
        format!(
            "format version {found} was written by an older cryptable, but this one reads version {FORMAT_VERSION} \
             only: generate keys and encrypt again, or use the program that wrote it"
        )
    } else {
        format!(
            "format version {found} is newer than version {FORMAT_VERSION}, which this program reads"
        )
    }
}
