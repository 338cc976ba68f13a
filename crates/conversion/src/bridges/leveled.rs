//! Packed digits as leveled values, for circuit bootstrapping, and back.

use std::ops::Range;

use cryptable_lattice::{Progress, Result};
use cryptable_leveled::lookup as leveled;
use cryptable_packed as packed;

use super::Bridge;

/// The server's keys at both ends of a bridge.
type Ends<'a> = (&'a packed::EvaluationKey, &'a leveled::EvaluationKey);

/// Between packed digits and leveled values. All calls fail if a key or ciphertext is of another client or other
/// parameters, and with [`cryptable_lattice::Error::NoiseTooLarge`] where values have too much noise to go on.
impl Bridge<leveled::Parameters> {
    /// Packed digits, a ciphertext for every digit of a value below `modulus`, the lowest first, as leveled values: results of
    /// a packed lookup with a table for each digit. Packed value t of the range becomes value t.
    ///
    /// That digits make values below the modulus is the caller's to know. Each digit takes 16 kB.
    ///
    /// # Errors
    /// The errors of all calls; if digits have another modulus than leveled ones, are not as many as values of `modulus` have, or
    /// there are no such values.
    pub fn to_leveled(
        &self,
        ends: Ends<'_>,
        digits: &[packed::Ciphertext],
        modulus: u64,
        range: Range<usize>,
    ) -> Result<leveled::Ciphertext> {
        self.check_ends(ends.0, ends.1)?;
        let (lists, noise) = self.take_out_digits(ends.0, digits, self.digit_modulus(), range)?;
        ends.1.import(&lists, modulus, noise)
    }

    /// Leveled values packed as a ciphertext for every digit, the lowest first: inputs of
    /// [`packed::EvaluationKey::lookup_digits`] by parameters with such digits. A lookup a digit, for less noise; `progress`
    /// counts digits. Trees over many digits refuse the noise of the fastest sets: those of a lower
    /// [`leveled::Request::log2_fail`], such as -200, have less.
    ///
    /// # Errors
    /// The errors of all calls; if they are more than slots, or `progress` asks to stop.
    pub fn pack_leveled(
        &self,
        ends: Ends<'_>,
        values: &leveled::Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Vec<packed::Ciphertext>> {
        self.check_ends(ends.0, ends.1)?;
        let (lists, noise) = ends.1.export(values, progress)?;
        let modulus = self.digit_modulus();
        lists.iter().map(|list| self.pack(ends.0, list, modulus, noise)).collect()
    }

    fn digit_modulus(&self) -> u64 {
        1 << self.parameters().single().circuit_bootstrapping().bits_per_ciphertext()
    }
}
