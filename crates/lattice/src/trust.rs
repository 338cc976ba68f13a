//! Trust in parameters: the security that they claim, and the limits that a reader enforces.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::{FailureProbability, memory};

/// The security that parameters claim. It is part of every literal, and written into every key file.
///
/// The level is never inferred from a name: construction checks [`SecurityLevel::Bits128`] against the security tables,
/// and nothing checks [`SecurityLevel::Insecure`], which is for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecurityLevel {
    /// At least 128 bits, classical, by the tables in [`crate::security`].
    #[default]
    Bits128,
    /// No security: toy parameters for tests.
    Insecure,
}

impl SecurityLevel {
    /// Returns whether there is no security at all.
    #[must_use]
    pub fn is_insecure(self) -> bool {
        self == Self::Insecure
    }
}

impl fmt::Display for SecurityLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bits128 => "at least 128 bits",
            Self::Insecure => "INSECURE",
        })
    }
}

/// Limits that a reader of keys and parameters enforces. By default it refuses less than 128 bits, and values that fail
/// with a probability above 2^-40. Both are computed from the numbers that were read, whatever the file claims.
///
/// ```
/// use cryptable_lattice::{FailureProbability, ReadOptions, SecurityLevel};
/// let strict = ReadOptions::default();
/// assert!(strict.check(SecurityLevel::Bits128).is_ok());
/// assert!(strict.check(SecurityLevel::Insecure).is_err());
/// assert!(strict.allow_insecure().check(SecurityLevel::Insecure).is_ok());
///
/// let often = FailureProbability::from_log2(-30.0);
/// assert!(strict.check_failures(often).is_err());
/// assert!(strict.allow_failures(often).check_failures(often).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOptions {
    insecure_is_allowed: bool,
    largest_failure: FailureProbability,
    /// The limit that the program sets, if any.
    max_memory: Option<u64>,
}

/// The most memory that keys may use by default when they are read, 16 GiB, or less if the limits of a container or of
/// the process leave less.
pub const DEFAULT_MAX_MEMORY: u64 = 16 << 30;

/// Returns the limit for readers without a limit of their own, from the limits in force now.
fn default_max_memory() -> u64 {
    let hard = memory::hard_limit().map_or(u64::MAX, |bytes| bytes as u64);
    hard.min(DEFAULT_MAX_MEMORY)
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            insecure_is_allowed: false,
            largest_failure: FailureProbability::READ_LIMIT,
            max_memory: None,
        }
    }
}

impl ReadOptions {
    /// Also accepts insecure toy parameters, for tests. Their failure probability is bounded all the same.
    #[must_use]
    pub const fn allow_insecure(mut self) -> Self {
        self.insecure_is_allowed = true;
        self
    }

    /// Accepts parameters whose values fail with a probability of up to `limit`, instead of 2^-40. Each failure that
    /// others learn about reveals something about the secret key.
    #[must_use]
    pub const fn allow_failures(mut self, limit: FailureProbability) -> Self {
        self.largest_failure = limit;
        self
    }

    /// Refuses keys that need more bytes of memory than this when they are read. The default is [`DEFAULT_MAX_MEMORY`],
    /// or what the limits of the container and of the process leave ([`memory::hard_limit`]) if that is less.
    ///
    /// Masks are drawn from a seed, so keys need a multiple of the size of their file: twice the size for packed
    /// values, and up to n + 1 times for switching to LWE dimension n.
    ///
    /// ```
    /// use cryptable_lattice::ReadOptions;
    /// let options = ReadOptions::default().max_memory(1 << 30);
    /// assert!(options.check_memory("evaluation key", 1 << 30).is_ok());
    /// assert!(options.check_memory("evaluation key", (1 << 30) + 1).is_err());
    /// ```
    #[must_use]
    pub const fn max_memory(mut self, bytes: u64) -> Self {
        self.max_memory = Some(bytes);
        self
    }

    /// Checks that reading an object may take `needed` bytes, before any memory is allocated.
    ///
    /// # Errors
    /// [`Error::ReadingMemory`] if it may not.
    pub fn check_memory(self, object: &'static str, needed: u64) -> Result<()> {
        let limit = self.max_memory.unwrap_or_else(default_max_memory);
        if needed > limit { Err(Error::ReadingMemory { object, needed, limit }) } else { Ok(()) }
    }

    /// Checks that parameters with this claim may be used.
    ///
    /// # Errors
    /// [`Error::Insecure`] if they are insecure and that is not allowed.
    pub fn check(self, level: SecurityLevel) -> Result<()> {
        if level.is_insecure() && !self.insecure_is_allowed { Err(Error::Insecure) } else { Ok(()) }
    }

    /// Checks that parameters may be used if a value under them fails with this computed probability.
    ///
    /// # Errors
    /// [`Error::WeakFailureProbability`] if it is above the limit, or not a number.
    pub fn check_failures(self, found: FailureProbability) -> Result<()> {
        let limit = self.largest_failure;
        // A probability that is not a number is within no limit.
        if found <= limit { Ok(()) } else { Err(Error::WeakFailureProbability { found, limit }) }
    }
}
