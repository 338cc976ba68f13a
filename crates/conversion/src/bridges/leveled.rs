//! Conversion of packed digits to leveled values, for circuit bootstrapping, and back.

use std::ops::Range;

use cryptable_lattice::{Progress, Result};
use cryptable_leveled::lookup as leveled;
use cryptable_packed as packed;

use super::Bridge;

/// The server's keys at both ends of a bridge.
type Ends<'a> = (&'a packed::EvaluationKey, &'a leveled::EvaluationKey);

/// Conversions between packed digits and leveled values. All methods fail if a key or ciphertext has another client or
/// other parameters, and with [`cryptable_lattice::Error::NoiseTooLarge`] if the values have too much noise for their
/// next operation.
impl Bridge<leveled::Parameters> {
    /// Converts packed digits to leveled values, given one ciphertext per digit of a value below `modulus`, the lowest
    /// first: results of a packed lookup with one table per digit. Packed value t of the range becomes value t.
    ///
    /// The caller must ensure that the digits represent values below the modulus. Each digit occupies 16 kB.
    ///
    /// # Errors
    /// Errors of all methods; if digits have another modulus than leveled ones, their number is not that of values
    /// below `modulus`, or the range exceeds the values.
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

    /// Packs leveled values into one ciphertext per digit, the lowest first: inputs of
    /// [`packed::EvaluationKey::lookup_digits`] with parameters for such digits. Each digit needs one lookup, which
    /// reduces its noise; `progress` counts digits. Trees over many digits refuse the noise of the fastest sets: sets
    /// with a lower [`leveled::Request::log2_fail`], such as -200, have less noise.
    ///
    /// # Errors
    /// Errors of all methods; if there are more values than slots, or `progress` asks to stop.
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
