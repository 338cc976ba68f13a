//! Conversion of packed values to integers and their digits, and back.

use std::ops::Range;

use cryptable_fhew::integers::{self, EncryptedIntegers, RadixInteger, SmallValues};
use cryptable_lattice::error::check_equal;
use cryptable_lattice::{Progress, Result};
use cryptable_packed as packed;

use super::Bridge;

/// The server's keys at both ends of a bridge.
type Ends<'a> = (&'a packed::EvaluationKey, &'a integers::EvaluationKey);

/// Conversions between packed values and integers. All methods fail if a key or ciphertext has another client or other
/// parameters, and with [`cryptable_lattice::Error::NoiseTooLarge`] if the values have too much noise for their next
/// operation.
impl Bridge<integers::Parameters> {
    /// Converts packed values modulo 2^bits to integers in two's complement. Results of a packed lookup can thus be
    /// used for sign, comparison, maximum, and digits. Packed value t of the range becomes integer t.
    ///
    /// Each integer occupies one word per coefficient of the ring secret: 16 kB.
    ///
    /// # Errors
    /// Errors of all methods; if the values have another modulus, or the range exceeds them.
    pub fn to_integers(
        &self,
        ends: Ends<'_>,
        values: &packed::Ciphertext,
        range: Range<usize>,
    ) -> Result<EncryptedIntegers> {
        self.check_ends(ends.0, ends.1)?;
        let bits = self.parameters().single().bits();
        check_equal("modulus of the values", values.modulus(), 1 << bits)?;
        let (list, noise) = self.take_out(ends.0, values, range)?;
        ends.1.import(list, noise)
    }

    /// Converts packed values with an even modulus up to 16 to small values modulo 16, such as selectors, by one key
    /// switch and one table lookup per value. `progress` counts values.
    ///
    /// # Errors
    /// Errors of all methods; if the values have another modulus, the range exceeds them, or `progress` asks to stop.
    pub fn to_small(
        &self,
        ends: Ends<'_>,
        values: &packed::Ciphertext,
        range: Range<usize>,
        progress: Progress<'_>,
    ) -> Result<SmallValues> {
        self.check_ends(ends.0, ends.1)?;
        let (list, noise) = self.take_out(ends.0, values, range)?;
        ends.1.import_small(&list, values.modulus(), noise, progress)
    }

    /// Converts packed digits to radix integers: values of many bits, from a packed lookup with one table per digit.
    /// There is one ciphertext per digit, the lowest first, with an even modulus up to 8. `progress` counts digits.
    ///
    /// # Errors
    /// Errors of all methods; if the moduli of ciphertexts differ, there are no or too many ciphertexts, the range
    /// exceeds the values, or `progress` asks to stop.
    pub fn to_radix(
        &self,
        ends: Ends<'_>,
        digits: &[packed::Ciphertext],
        range: Range<usize>,
        progress: Progress<'_>,
    ) -> Result<Vec<RadixInteger>> {
        self.check_ends(ends.0, ends.1)?;
        let modulus = digits.first().map_or(0, packed::Ciphertext::modulus);
        let (lists, noise) = self.take_out_digits(ends.0, digits, modulus, range)?;
        ends.1.import_radix(&lists.iter().collect::<Vec<_>>(), modulus, noise, progress)
    }

    /// Packs signs, comparisons and results of [`Bridge::to_small`] as values modulo a modulus from 2 to 16, to which
    /// they are reduced, by one table lookup per value. `progress` counts values.
    ///
    /// # Errors
    /// Errors of all methods; if the modulus is out of range, the values are results of tables of digits or more than
    /// slots, or `progress` asks to stop.
    pub fn pack_small(
        &self,
        ends: Ends<'_>,
        values: &SmallValues,
        modulus: u64,
        progress: Progress<'_>,
    ) -> Result<packed::Ciphertext> {
        self.check_ends(ends.0, ends.1)?;
        let (list, noise) = ends.1.export_small(values, modulus, progress)?;
        self.pack(ends.0, &list, modulus, noise)
    }

    /// Packs radix integers into one ciphertext of values modulo 8 per digit, the lowest first: inputs of
    /// [`packed::EvaluationKey::lookup_digits`] with parameters for digits of 3 bits. Each digit needs one table
    /// lookup; `progress` counts digits.
    ///
    /// # Errors
    /// Errors of all methods; if there are no integers, their numbers of digits differ, they are more than slots, or
    /// `progress` asks to stop.
    pub fn pack_radix(
        &self,
        ends: Ends<'_>,
        integers: &[RadixInteger],
        progress: Progress<'_>,
    ) -> Result<Vec<packed::Ciphertext>> {
        self.check_ends(ends.0, ends.1)?;
        let (lists, noise) = ends.1.export_radix(integers, progress)?;
        let pack = |list| self.pack(ends.0, list, integers::RADIX_BASE, noise);
        lists.iter().map(pack).collect()
    }
}
