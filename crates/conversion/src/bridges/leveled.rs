//! Packed digits as leveled values, for circuit bootstrapping, and back.

use std::ops::Range;

use cryptable_lattice::error::check_equal;
use cryptable_lattice::{NoiseBound, Progress, Result};
use cryptable_leveled::lookup as leveled;
use cryptable_packed as packed;

use super::Bridge;

/// The server's keys at both ends of a bridge.
type Ends<'a> = (&'a packed::EvaluationKey, &'a leveled::EvaluationKey);

/// Between packed digits and leveled values. All calls fail if a key or ciphertext is of another client or other
/// parameters, and with [`cryptable_lattice::Error::NoiseTooLarge`] where values have too much noise to go on.
impl Bridge<leveled::Parameters> {
    fn check(&self, (packed, single): Ends<'_>) -> Result<()> {
        self.check_ends(packed, single)
    }

    /// Packed digits, a ciphertext for every digit of a value below `modulus`, the lowest first, as leveled values: results of
    /// a packed lookup with a table for each digit. Packed value t of the range becomes value t.
    ///
    /// That digits make values below the modulus is the caller's to know. Each digit takes 16 kB.
    ///
    /// # Errors
    /// As all calls; if digits have another modulus than leveled ones, are not as many as values of `modulus` have, or
    /// there are no such values.
    pub fn to_leveled(
        &self,
        ends: Ends<'_>,
        digits: &[packed::Ciphertext],
        modulus: u64,
        range: Range<usize>,
    ) -> Result<leveled::Ciphertext> {
        self.check(ends)?;
        let mut lists = Vec::with_capacity(digits.len());
        let mut noise = NoiseBound::new(0.0, 0.0);
        for digit in digits {
            check_equal("modulus of the digits", digit.modulus(), self.digit_modulus())?;
            let (list, of_digit) = self.take_out(ends.0, digit, range.clone())?;
            lists.push(list);
            noise = noise.max(of_digit);
        }
        ends.1.import(&lists, modulus, noise)
    }

    /// Leveled values packed as a ciphertext for every digit, the lowest first: inputs of
    /// [`packed::EvaluationKey::lookup_digits`] by parameters with such digits. A lookup a digit, for less noise; `progress`
    /// counts digits. Trees over many digits refuse the noise of the fastest sets: those of a lower
    /// [`leveled::Request::log2_fail`], such as -200, have less.
    ///
    /// # Errors
    /// As all calls; if they are more than slots, or `progress` asks to stop.
    pub fn pack_leveled(
        &self,
        ends: Ends<'_>,
        values: &leveled::Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Vec<packed::Ciphertext>> {
        self.check(ends)?;
        let (lists, noise) = ends.1.export(values, progress)?;
        let modulus = self.digit_modulus();
        lists.iter().map(|list| self.pack(ends.0, list, modulus, noise)).collect()
    }

    fn digit_modulus(&self) -> u64 {
        1 << self.parameters().single().circuit_bootstrapping().bits_per_ciphertext()
    }
}
