//! What can be wrong with what a caller passes.

use cryptable_wire::{KeyId, WireError};

/// Errors of parameters, tables and ciphertexts.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of the bootstrapping below.
    #[error(transparent)]
    Fhew(#[from] cryptable_lattice::Error),
    /// Bytes that are not what was expected.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A ciphertext of another client.
    #[error("encrypted under the key {}, not {}", hex(.found), hex(.expected))]
    OtherClient {
        /// The key in use.
        expected: KeyId,
        /// The ciphertext's.
        found: KeyId,
    },
    /// Keys of other parameters.
    #[error("the keys are of other parameters")]
    OtherParameters,
    /// A number is out of range.
    #[error("{name} is {value}; {limit}")]
    Number {
        /// Which.
        name: &'static str,
        /// Its value.
        value: u64,
        /// What it must satisfy.
        limit: String,
    },
    /// A table of the wrong length.
    #[error("the table has {found} entries, {bits} bits select one of {expected}")]
    TableLength {
        /// Entries.
        found: usize,
        /// Bits of the input.
        bits: usize,
        /// Entries that the bits select from.
        expected: usize,
    },
    /// An entry that is too large.
    #[error("entry {position} of the table is {value}, not below {limit}")]
    Entry {
        /// Its position.
        position: usize,
        /// Its value.
        value: u64,
        /// 2 to the width of outputs.
        limit: u64,
    },
}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An identifier for people.
fn hex(id: &KeyId) -> String {
    id.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl From<Error> for cryptable_lattice::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Fhew(error) => error,
            Error::Wire(error) => error.into(),
            other => Self::Unsupported(other.to_string()),
        }
    }
}
