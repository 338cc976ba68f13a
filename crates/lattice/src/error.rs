//! Errors of the public interface.

use std::ops::{Bound, RangeBounds, RangeInclusive};

use cryptable_wire::{KeyId, WireError, short_hex};

use crate::FailureProbability;
use crate::owners::error::OwnersError;
use crate::security::{SecretDistribution, SecurityError};

/// The result of a fallible operation.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call failed: what is wrong, the value found, and the values allowed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is below its least value.
    #[error("{name} is {value}, but must be at least {limit}")]
    TooSmall {
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The least value allowed.
        limit: u64,
    },
    /// A number is above its largest value.
    #[error("{name} is {value}, but must be at most {limit}")]
    TooLarge {
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: u64,
        /// The largest value allowed.
        limit: u64,
    },
    /// Values are signed where others are not, or vice versa.
    #[error("{name} are {}, but must be {} as {like} are", signs(*found), signs(*expected))]
    Signs {
        /// Name of the values.
        name: &'static str,
        /// Whether they are signed.
        found: bool,
        /// Whether they must be.
        expected: bool,
        /// Name of the values that they must agree with.
        like: &'static str,
    },
    /// A table has the wrong number of outputs.
    #[error("the table has {found} outputs, but its input modulus is {expected}")]
    TableLength {
        /// Number of outputs given.
        found: usize,
        /// The input modulus.
        expected: u64,
    },
    /// A table's entry is outside the output modulus.
    #[error("the table's output {value} at input {index} is not below the output modulus {limit}")]
    TableEntry {
        /// The input.
        index: usize,
        /// The output.
        value: u64,
        /// The output modulus.
        limit: u64,
    },
    /// A real table's value is outside [-1/2, 1/2).
    #[error("the table's value {value} at input {index} is not within [-1/2, 1/2)")]
    RealTableEntry {
        /// The input.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Tables of several values differ in one of their moduli.
    #[error("table {index} has the {name} {found}, but the first table has {expected}")]
    TableModulus {
        /// The table, counted from 0.
        index: usize,
        /// Name of the modulus.
        name: &'static str,
        /// Its modulus.
        found: u64,
        /// The modulus of the first table.
        expected: u64,
    },
    /// No way to evaluate the table fits into the memory limit.
    #[error(
        "no parameter set fits in {} of memory: the smallest needs {}; more memory, fewer values per ciphertext or smaller \
         outputs would help",
        size(*limit, f64::floor), size(*needed, f64::ceil)
    )]
    Memory {
        /// Bytes that the smallest candidate needs.
        needed: usize,
        /// The limit.
        limit: usize,
    },
    /// Reading an object would take more memory than the reader allows.
    #[error("the {object} takes {needed} bytes of memory, above the reader's limit of {limit}")]
    ReadingMemory {
        /// Kind of the object.
        object: &'static str,
        /// Bytes that it needs.
        needed: u64,
        /// The limit, [`crate::ReadOptions::max_memory`].
        limit: u64,
    },
    /// Work would take more memory than the machine, the container or the process has left.
    #[error(
        "{work} may take {} of memory, but {} are left on this machine, or within the limits of its container or ulimit",
        size(*needed, f64::ceil), size(*left, f64::floor)
    )]
    MemoryLeft {
        /// Name of the work.
        work: &'static str,
        /// Bytes that it may need.
        needed: usize,
        /// Bytes that are left, [`crate::memory::left`].
        left: usize,
    },
    /// The system refuses memory for an object.
    #[error("cannot allocate {bytes} bytes of memory for the {object}")]
    Allocation {
        /// Kind of the object.
        object: &'static str,
        /// Bytes that it needs.
        bytes: usize,
    },
    /// A value to be encrypted is outside the input modulus.
    #[error("value {value} at position {index} is not below the modulus {limit}")]
    ValueOutOfRange {
        /// Its position.
        index: usize,
        /// The value.
        value: u64,
        /// The modulus.
        limit: u64,
    },
    /// A signed value to be encrypted is outside the input modulus.
    #[error("value {value} at position {index} is not from {least} to {most}")]
    SignedValueOutOfRange {
        /// Its position.
        index: usize,
        /// The value.
        value: i64,
        /// The least value that the modulus allows.
        least: i64,
        /// The largest value that the modulus allows.
        most: i64,
    },
    /// Objects do not belong together.
    #[error("the {name} is {found}, but the parameters need {expected}")]
    Mismatch {
        /// Name of the differing property.
        name: &'static str,
        /// The object's value of the property.
        found: String,
        /// The required value of the property.
        expected: String,
    },
    /// Parameters fall below 128 bits of security.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// Parameters cannot reach the failure probability that they state.
    #[error(
        "these parameters fail with probability 2^{found:.1} per value, above the stated 2^{limit:.1}"
    )]
    FailureProbability {
        /// log2 of the predicted probability.
        found: f64,
        /// log2 of the stated one.
        limit: f64,
    },
    /// The operation fails more often than requested, under all parameters that were tried.
    #[error("{what} fails with probability 2^{found:.1} at best, above the limit 2^{limit:.1}")]
    FailureUnreachable {
        /// The method, and its purpose.
        what: String,
        /// log2 of the least probability that was found.
        found: f64,
        /// log2 of the largest that is allowed.
        limit: f64,
    },
    /// A ciphertext has too much noise for an operation, or its result would have.
    #[error(
        "{operation} would fail with probability 2^{found:.1} per value, above the limit 2^{limit:.1}: its noise is too \
         large; sum fewer values, multiply by smaller numbers, or look values up first"
    )]
    NoiseTooLarge {
        /// Operation that would fail.
        operation: &'static str,
        /// log2 of the probability that it would have.
        found: f64,
        /// log2 of the largest that is allowed.
        limit: f64,
    },
    /// An engine's ciphertexts do not support an operation.
    #[error("the engine {engine} cannot {operation}: {reason}")]
    UnsupportedOperation {
        /// Name of the engine.
        engine: &'static str,
        /// Operation that was requested.
        operation: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// No parameter set fits the request.
    #[error("no parameter set for {0}")]
    Unsupported(String),
    /// A number of a parameter literal, or of a call, is out of range.
    #[error("{name} is {value}; {limit}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Requirement that the value does not meet.
        limit: String,
    },
    /// A method does not support a plaintext modulus.
    #[error("plaintext modulus {modulus}: {reason}")]
    PlaintextModulus {
        /// The modulus.
        modulus: u64,
        /// The reason.
        reason: String,
    },
    /// Results of canaries are not those of the table.
    #[error(
        "{wrong} of {canaries} canaries have wrong results: the server did not look up all values in this table; use \
         none of its results"
    )]
    WrongCanaries {
        /// Canaries with wrong results.
        wrong: usize,
        /// Number of canaries.
        canaries: usize,
    },
    /// A key is needed that was not generated.
    #[error("{method} needs {key}, which these keys do not hold: generate them with it")]
    MissingKey {
        /// The method that needs it.
        method: &'static str,
        /// The key.
        key: &'static str,
    },
    /// An object belongs to another client.
    #[error("the {object} belongs to the client key {found}, not to {expected}")]
    OtherClient {
        /// Kind of the object.
        object: &'static str,
        /// The key in use.
        expected: KeyId,
        /// The key of the object.
        found: KeyId,
    },
    /// An object belongs to other parameters.
    #[error(
        "the {object} was made under other parameters: digest {}, expected {}",
        short_hex(.found), short_hex(.expected)
    )]
    OtherParameters {
        /// Kind of the object.
        object: &'static str,
        /// Digest of the parameters in use.
        expected: [u8; 32],
        /// Digest of the object's parameters.
        found: [u8; 32],
    },
    /// An object belongs to another engine or kind of keys.
    #[error("the {object} is of kind {found}, where {expected} is needed")]
    OtherKind {
        /// Kind of the object.
        object: &'static str,
        /// Name of the kind in use.
        expected: &'static str,
        /// Name of the object's kind.
        found: &'static str,
    },
    /// Parameters without security are used where they are not allowed.
    #[error(
        "these parameters are INSECURE toys for tests: readers refuse them unless told to allow them"
    )]
    Insecure,
    /// Values under these parameters fail more often than the reader accepts.
    #[error(
        "a value of these parameters fails with probability {found}, above {limit}: readers refuse them unless told \
         to allow that"
    )]
    WeakFailureProbability {
        /// The computed probability of a value.
        found: FailureProbability,
        /// The largest that the reader accepts.
        limit: FailureProbability,
    },
    /// Messages of the owners of a joint key do not belong together.
    #[error(transparent)]
    Owners(#[from] OwnersError),
    /// The caller asked to stop.
    #[error("cancelled after {done} of {total} steps")]
    Cancelled {
        /// Completed steps.
        done: usize,
        /// Steps in total.
        total: usize,
    },
    /// Bytes do not decode.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Reading or writing failed, or threads could not be started.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Returns an [`Error::Mismatch`] of anything that prints.
    #[must_use]
    pub fn mismatch(name: &'static str, found: impl ToString, expected: impl ToString) -> Self {
        Self::Mismatch { name, found: found.to_string(), expected: expected.to_string() }
    }
}

/// Formats a size in about three digits, `1.65 GB`. Limits are rounded down and needs rounded up, so that the requested
/// memory is enough.
fn size(bytes: usize, round: fn(f64) -> f64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let found = units.into_iter().find(|&(_, unit)| bytes as f64 >= unit);
    let (name, unit) = found.unwrap_or(("bytes", 1.0));
    format!("{} {name}", round(100.0 * bytes as f64 / unit) / 100.0)
}

/// Checks a number of a literal or a call: returns [`Error::Parameter`] with `limit` as the requirement unless `ok`.
///
/// # Errors
/// [`Error::Parameter`] unless `ok`.
pub fn demand(ok: bool, name: &'static str, value: f64, limit: &str) -> Result<()> {
    if ok { Ok(()) } else { Err(Error::Parameter { name, value, limit: limit.to_owned() }) }
}

/// Checks that a secret has independent coefficients, binary or uniform ternary, as noise models of single values
/// assume.
///
/// # Errors
/// [`Error::Parameter`] if its weight is fixed.
pub fn check_independent_secret(secret: SecretDistribution) -> Result<()> {
    let (SecretDistribution::FixedWeightTernary(weight) | SecretDistribution::Blocks(weight)) =
        secret
    else {
        return Ok(());
    };
    demand(false, "secret weight", weight.into(), "secrets are binary or uniform ternary")
}

/// Checks that an object has these parameters, by comparing whole digests.
///
/// # Errors
/// [`Error::OtherParameters`].
pub fn check_parameters(object: &'static str, expected: [u8; 32], found: [u8; 32]) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::OtherParameters { object, expected, found })
}

/// Checks that an object belongs to this client.
///
/// # Errors
/// [`Error::OtherClient`].
pub fn check_client(object: &'static str, expected: KeyId, found: KeyId) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::OtherClient { object, expected, found }) }
}

/// Checks that every value is below `limit`.
///
/// # Errors
/// If one is not.
pub fn check_values(values: &[u64], limit: u64) -> Result<()> {
    match values.iter().position(|&value| value >= limit) {
        Some(index) => Err(Error::ValueOutOfRange { index, value: values[index], limit }),
        None => Ok(()),
    }
}

/// Checks that two properties are equal.
///
/// # Errors
/// [`Error::Mismatch`] if they are not.
pub fn check_equal<T: PartialEq + ToString>(
    name: &'static str,
    found: T,
    expected: T,
) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::mismatch(name, found, expected)) }
}

/// Checks that a number is within bounds, which include their ends.
///
/// ```
/// use cryptable_lattice::error::check_within;
/// let check = |value| check_within("number of levels", value, 2..=9).map_err(|error| error.to_string());
/// assert!(check(2).is_ok() && check(9).is_ok());
/// assert!(check(1).unwrap_err().contains("number of levels is 1"));
/// assert!(check_within("number of levels", 10, ..=9).is_err() && check(10).is_err());
/// ```
///
/// # Errors
/// [`Error::TooSmall`] or [`Error::TooLarge`] if it is not.
pub fn check_within(name: &'static str, value: u64, bounds: impl RangeBounds<u64>) -> Result<()> {
    if let Bound::Included(&limit) = bounds.start_bound()
        && value < limit
    {
        return Err(Error::TooSmall { name, value, limit });
    }
    match bounds.end_bound() {
        Bound::Included(&limit) if value > limit => Err(Error::TooLarge { name, value, limit }),
        _ => Ok(()),
    }
}

/// Checks that a real number is within bounds; a value that is not a number never is.
///
/// ```
/// use cryptable_lattice::error::check_real_within;
/// assert!(check_real_within("log2 of a prime", 30.5, 25.0..=60.0).is_ok());
/// let error = check_real_within("log2 of a prime", f64::NAN, 25.0..=60.0).unwrap_err();
/// assert_eq!(error.to_string(), "log2 of a prime is NaN; it must be from 25 to 60");
/// ```
///
/// # Errors
/// [`Error::Parameter`] if it is not.
pub fn check_real_within(
    name: &'static str,
    value: f64,
    bounds: RangeInclusive<f64>,
) -> Result<()> {
    let limit = format!("it must be from {} to {}", bounds.start(), bounds.end());
    demand(bounds.contains(&value), name, value, &limit)
}

/// Checks that a number is a power of two within bounds.
///
/// ```
/// use cryptable_lattice::error::check_power_of_two;
/// assert!(check_power_of_two("ring degree", 1024, 64..=2048).is_ok());
/// let error = check_power_of_two("ring degree", 1000, 64..=2048).unwrap_err();
/// assert_eq!(error.to_string(), "ring degree is 1000; it must be a power of two from 64 to 2048");
/// ```
///
/// # Errors
/// [`Error::Parameter`] if it is not.
pub fn check_power_of_two(
    name: &'static str,
    value: usize,
    bounds: RangeInclusive<usize>,
) -> Result<()> {
    let limit = format!("it must be a power of two from {} to {}", bounds.start(), bounds.end());
    demand(value.is_power_of_two() && bounds.contains(&value), name, value as f64, &limit)
}

/// Returns the error for a number out of range, with the requirement that it must satisfy.
#[must_use]
pub fn out_of_range(name: &'static str, value: u64, limit: impl Into<String>) -> Error {
    Error::Parameter { name, value: value as f64, limit: limit.into() }
}

/// Returns the name in messages of values that are signed or not.
fn signs(signed: bool) -> &'static str {
    if signed { "signed" } else { "unsigned" }
}

/// Checks that values have the same signedness as others.
///
/// # Errors
/// [`Error::Signs`] if they do not.
pub fn check_signs(
    name: &'static str,
    found: bool,
    expected: bool,
    like: &'static str,
) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Signs { name, found, expected, like }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_rounded_up_and_limits_down() {
        let message = |limit, needed| Error::Memory { limit, needed }.to_string();
        let found = message(1_647_999_999, 1_648_000_001);
        assert!(found.contains("in 1.64 GB of memory: the smallest needs 1.65 GB;"), "{found}");
        let found = message(999, 1000);
        assert!(found.contains("in 999 bytes of memory: the smallest needs 1 kB;"), "{found}");
    }
}
