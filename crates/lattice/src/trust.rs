//! Which parameters are trusted: what they claim of their security, and what a reader accepts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What parameters claim of their security. Part of every literal, and written in every file of keys.
///
/// It is never inferred from a name: construction checks [`SecurityLevel::Bits128`] against the security
/// tables, and nothing checks [`SecurityLevel::Insecure`], which is for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecurityLevel {
    /// At least 128 bits, classical, by the tables in [`crate::security`].
    #[default]
    Bits128,
    /// None: toy parameters for tests.
    Insecure,
}

impl SecurityLevel {
    /// Whether there is no security at all.
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

/// What a reader of keys and parameters accepts. By default nothing below 128 bits.
///
/// ```
/// use cryptable_lattice::{ReadOptions, SecurityLevel};
/// let strict = ReadOptions::default();
/// assert!(strict.check(SecurityLevel::Bits128).is_ok());
/// assert!(strict.check(SecurityLevel::Insecure).is_err());
/// assert!(strict.allow_insecure().check(SecurityLevel::Insecure).is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    insecure_is_allowed: bool,
}

impl ReadOptions {
    /// Accepts insecure toy parameters, too: for tests.
    #[must_use]
    pub const fn allow_insecure(mut self) -> Self {
        self.insecure_is_allowed = true;
        self
    }

    /// Whether parameters with this claim may be used.
    ///
    /// # Errors
    /// [`Error::Insecure`] if they are insecure and that is not allowed.
    pub fn check(self, level: SecurityLevel) -> Result<()> {
        if level.is_insecure() && !self.insecure_is_allowed { Err(Error::Insecure) } else { Ok(()) }
    }
}
