//! The integers that values modulo M represent, with a bit of headroom.

use std::ops::RangeInclusive;

use cryptable_lattice::error::{Error, Result};

/// The integers that values modulo M represent: only M/2 of them, so that differences keep their sign.
///
/// ```
/// use cryptable_packed::Signedness;
/// // Four bits, and one of headroom.
/// assert_eq!(Signedness::Unsigned.range(32), 0..=15);
/// assert_eq!(Signedness::Signed.range(32), -8..=7);
/// assert_eq!(Signedness::Signed.encode(&[-8, 7], 32)?, [24, 7]);
/// assert!(Signedness::Unsigned.encode(&[16], 32).is_err());
/// // Results are modulo 16.
/// assert_eq!(Signedness::Signed.decode(&[8, 7], 16), [-8, 7]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// From 0 to M/2 - 1.
    Unsigned,
    /// From -M/4 to M/4 - 1, in two's complement.
    Signed,
}

impl Signedness {
    /// The integers that values modulo M may be.
    #[must_use]
    pub fn range(self, modulus: u64) -> RangeInclusive<i64> {
        let half = (modulus / 2) as i64;
        match self {
            Self::Unsigned => 0..=half - 1,
            Self::Signed => -(half / 2)..=(half + 1) / 2 - 1,
        }
    }

    /// Encodes integers as values modulo M.
    ///
    /// # Errors
    /// If one is out of [`Signedness::range`].
    pub fn encode(self, integers: &[i64], modulus: u64) -> Result<Vec<u64>> {
        let range = self.range(modulus);
        let encode = |&integer: &i64| {
            if range.contains(&integer) {
                return Ok(integer.rem_euclid(modulus as i64) as u64);
            }
            let (least, most) = (range.start(), range.end());
            let limit = format!(
                "it must be from {least} to {most}: modulo {modulus} there is one bit of headroom"
            );
            Err(Error::Parameter {
                name: "an integer to be compared",
                value: integer as f64,
                limit,
            })
        };
        integers.iter().map(encode).collect()
    }

    /// Decodes values modulo M/2, as [`crate::DigitList`]s have them, to integers.
    #[must_use]
    pub fn decode(self, values: &[u64], half_modulus: u64) -> Vec<i64> {
        let most = *self.range(2 * half_modulus).end();
        let decode = |&value: &u64| match value as i64 {
            value if value > most => value - half_modulus as i64,
            value => value,
        };
        values.iter().map(decode).collect()
    }
}
