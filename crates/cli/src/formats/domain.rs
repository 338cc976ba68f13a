//! The integers that represent values.

use std::fmt;

use anyhow::{Result, anyhow, bail};

/// The range of integers that represent the values modulo a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The modulus, at most 2^64.
    pub modulus: u128,
    /// Whether the range begins at minus half the modulus instead of 0.
    pub signed: bool,
}

impl Domain {
    /// Returns the range 0 to `modulus` - 1.
    #[cfg(feature = "client")]
    pub fn unsigned(modulus: u64) -> Self {
        Self { modulus: modulus.into(), signed: false }
    }

    /// Returns the integers for messages: `below 128`, or `from -64 to 63`.
    pub fn range(self) -> String {
        match self.signed {
            true => format!("from {} to {}", self.smallest(), self.largest()),
            false => format!("below {}", self.modulus),
        }
    }

    /// Returns the smallest integer.
    pub fn smallest(self) -> i128 {
        if self.signed { -((self.modulus / 2) as i128) } else { 0 }
    }

    /// Returns the largest integer.
    pub fn largest(self) -> i128 {
        self.smallest() + self.modulus as i128 - 1
    }

    /// Returns the value that an integer represents. `place` describes where it was found.
    pub fn value(self, integer: i128, place: impl Fn() -> String) -> Result<u64> {
        let (smallest, largest, modulus) = (self.smallest(), self.largest(), self.modulus);
        if (smallest..=largest).contains(&integer) {
            return Ok(integer.rem_euclid(modulus as i128) as u64);
        }
        if self.signed {
            bail!(
                "{}: {integer} is not from {smallest} to {largest}, the signed values modulo {modulus}",
                place()
            );
        }
        if integer < 0 {
            bail!("{}: {integer} is negative; values are 0 to {largest}", place());
        }
        Err(NotBelow { place: place(), integer, modulus }.into())
    }

    /// Returns the integer that represents a value.
    #[cfg(feature = "client")]
    pub fn integer(self, value: u64) -> i128 {
        let integer = i128::from(value);
        if integer > self.largest() { integer - self.modulus as i128 } else { integer }
    }
}

/// The error for an integer that is too large for the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBelow {
    place: String,
    integer: i128,
    modulus: u128,
}

impl fmt::Display for NotBelow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, integer, modulus } = self;
        write!(f, "{place}: {integer} is not below the modulus {modulus}")
    }
}

impl std::error::Error for NotBelow {}

/// Adds to an error about an integer that is too large which command generates keys for it.
pub fn with_keys(error: anyhow::Error, command: &str) -> anyhow::Error {
    match error.downcast_ref::<NotBelow>() {
        Some(NotBelow { integer, .. }) => {
            let bits = i128::BITS - integer.leading_zeros();
            anyhow!("{error}; keys of `{command} {bits}` have room for it")
        }
        None => error,
    }
}

/// The signs of a table's two columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Whether inputs are signed.
    pub inputs: bool,
    /// Whether outputs are signed.
    pub outputs: bool,
}

impl Signs {
    /// Returns the same sign for both columns.
    pub fn both(signed: bool) -> Self {
        Self { inputs: signed, outputs: signed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_values_wrap_round() {
        for (modulus, bounds) in [
            (4, (-2, 1)),
            (5, (-2, 2)),
            (2, (-1, 0)),
            (1 << 32, (-1 << 31, (1 << 31) - 1)),
            (1 << 64, (-1 << 63, (1 << 63) - 1)),
        ] {
            let domain = Domain { modulus, signed: true };
            assert_eq!((domain.smallest(), domain.largest()), bounds);
            for integer in [bounds.0, -1, 0, bounds.1] {
                let value = domain.value(integer, String::new).unwrap();
                assert_eq!(domain.integer(value), integer);
            }
            assert!(domain.value(bounds.0 - 1, String::new).is_err());
            assert!(domain.value(bounds.1 + 1, String::new).is_err());
        }
        assert_eq!(Domain { modulus: 5, signed: true }.value(-1, String::new).unwrap(), 4);
        assert_eq!(Domain::unsigned(5).integer(4), 4);
    }
}
