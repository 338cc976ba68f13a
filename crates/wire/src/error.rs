//! Errors of files.

use crate::{FORMAT_VERSION, ObjectType, printable, short_hex};

/// Why bytes are not the object that was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The first bytes are not those of this format.
    #[error("{}", magic_message(found))]
    BadMagic {
        /// The first bytes; zeros follow the last byte of a shorter file.
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
    /// The file holds another kind of object than any of those asked for.
    #[error("it is {found}, not {expected}")]
    WrongKind {
        /// Kind that was requested, of any engine.
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
        /// How many.
        count: u64,
    },
    /// A field has a value that it must not have.
    #[error("{name} is {value}, but must be {expected}")]
    InvalidField {
        /// The field.
        name: &'static str,
        /// Its value.
        value: String,
        /// Lengths that are allowed.
        expected: String,
    },
}

impl WireError {
    /// An [`WireError::InvalidField`] from anything that prints. What it prints may come from a file: it is made
    /// [`printable`].
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

/// The first bytes of a file that is no object, and whether it is another kind of cryptable's files, such as a list.
fn magic_message(found: &[u8; 8]) -> String {
    let is_of_cryptable = found.starts_with(b"CRYPT");
    let what =
        if is_of_cryptable { "another kind of cryptable file" } else { "not a cryptable file" };
    format!("{what}: it begins with \"{}\"", without_padding(found).escape_ascii())
}

/// Older versions are refused by name: what to do about them is known.
fn version_message(found: &u16) -> String {
    if *found < FORMAT_VERSION {
        format!(
            "format version {found} is of an older cryptable, and this one reads version {FORMAT_VERSION} \
             only: generate keys and encrypt again, or use the program that wrote it"
        )
    } else {
        format!(
            "format version {found} is newer than version {FORMAT_VERSION}, which this program reads"
        )
    }
}
