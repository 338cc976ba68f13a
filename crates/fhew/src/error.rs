//! What can be wrong with what a caller passes.

use cryptable_lattice::security::SecurityError;

/// Errors of parameters, keys and inputs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Parameters below 128 bits.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// A number of a parameter literal is out of range.
    #[error("{name} is {value}; {limit}")]
    Parameter {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must satisfy.
        limit: String,
    },
    /// A plaintext modulus that a method does not support.
    #[error("plaintext modulus {modulus}: {reason}")]
    PlaintextModulus {
        /// The modulus.
        modulus: u64,
        /// Why not.
        reason: String,
    },
    /// A value that is not below its modulus.
    #[error("value {value} at position {position} is not below the modulus {modulus}")]
    Value {
        /// The value.
        value: u64,
        /// Its position.
        position: usize,
        /// The modulus.
        modulus: u64,
    },
    /// A table of the wrong length.
    #[error("the table has {found} entries, its input modulus is {expected}")]
    TableLength {
        /// Entries.
        found: usize,
        /// Input modulus.
        expected: u64,
    },
    /// A ciphertext of other parameters.
    #[error("{what} of the ciphertext is {found}, the parameters' is {expected}")]
    Ciphertext {
        /// What differs.
        what: &'static str,
        /// The ciphertext's.
        found: u64,
        /// The parameters'.
        expected: u64,
    },
    /// A key that was not generated.
    #[error("{method} needs {key}, which these keys do not hold: generate them with it")]
    MissingKey {
        /// The method.
        method: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A part of an evaluation key, or all of it, of the wrong length.
    #[error("{part} has {found} {unit}, the parameters' has {expected}")]
    KeyLength {
        /// The part.
        part: &'static str,
        /// What is counted.
        unit: &'static str,
        /// Its length.
        found: usize,
        /// That of the parameters'.
        expected: usize,
    },
    /// A word of an evaluation key that is not below its modulus.
    #[error("word {position} of {part} is {value}, not below its modulus {modulus}")]
    KeyWord {
        /// The part of the key.
        part: &'static str,
        /// Where in it.
        position: usize,
        /// The word.
        value: u64,
        /// Its modulus.
        modulus: u64,
    },
    /// Bits of an evaluation key that belong to no word.
    #[error("bits beyond the last word of {part} are set")]
    KeyPadding {
        /// The part of the key.
        part: &'static str,
    },
    /// A failure probability above the stated one.
    #[error(
        "{method} with plaintext modulus {modulus} fails with probability 2^{log2_fail:.1}, above the limit 2^{limit:.1}"
    )]
    FailureProbability {
        /// The method.
        method: &'static str,
        /// The plaintext modulus.
        modulus: u64,
        /// log2 of the probability.
        log2_fail: f64,
        /// log2 of the largest that is allowed.
        limit: f64,
    },
}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Error> for cryptable_lattice::Error {
    fn from(error: Error) -> Self {
        Self::Unsupported(error.to_string())
    }
}

/// Refuses a number of a literal by its name and limit.
pub(crate) fn demand(ok: bool, name: &'static str, value: f64, limit: &str) -> Result<()> {
    if ok { Ok(()) } else { Err(Error::Parameter { name, value, limit: limit.to_owned() }) }
}
