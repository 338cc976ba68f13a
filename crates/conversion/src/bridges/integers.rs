//! Packed values as integers and their digits, and back.

use std::ops::Range;

use cryptable_fhew::integers::{self, EncryptedIntegers, RadixInteger, SmallValues};
use cryptable_lattice::error::check_equal;
use cryptable_lattice::{Progress, Result};
use cryptable_packed as packed;

use super::Bridge;

/// The server's keys at both ends of a bridge.
type Ends<'a> = (&'a packed::EvaluationKey, &'a integers::EvaluationKey);

/// Between packed values and integers. All calls fail if a key or ciphertext is of another client or other parameters, and
/// with [`cryptable_lattice::Error::NoiseTooLarge`] where values have too much noise to go on.
impl Bridge<integers::Parameters> {
    /// Packed values modulo 2^bits as integers in two's complement: results of a packed lookup, for sign, comparison,
    /// maximum, and digits. Packed value t of the range becomes integer t.
    ///
    /// Each takes as many words as the ring secret has coefficients: 16 kB.
    ///
    /// # Errors
    /// The errors of all calls; if the values have another modulus, or there are no such.
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

    /// Packed values of an even modulus up to 16 as small values modulo 16, such as selectors: a key switch and a table a
    /// value. `progress` counts values.
    ///
    /// # Errors
    /// The errors of all calls; if the values have another modulus, there are no such, or `progress` asks to stop.
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

    /// Packed digits of an even modulus up to 8, a ciphertext for every digit, the lowest first, as radix integers: values of
    /// many bits, of a packed lookup with a table for each digit. `progress` counts digits.
    ///
    /// # Errors
    /// The errors of all calls; if ciphertexts have other moduli than the first, there are none or too many, there are no such values, or
    /// `progress` asks to stop.
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

    /// Signs, comparisons and values that [`Bridge::to_small`] made, packed as values of a modulus from 2 to 16: what they are
    /// modulo it; a table a value. `progress` counts values.
    ///
    /// # Errors
    /// The errors of all calls; if the modulus is out of range, they are results of tables of digits, or more than slots, or
    /// `progress` asks to stop.
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

    /// Radix integers packed as a ciphertext of values of modulus 8 for every digit, the lowest first: inputs of
    /// [`packed::EvaluationKey::lookup_digits`] by parameters with digits of 3 bits. A table a digit; `progress` counts
    /// digits.
    ///
    /// # Errors
    /// The errors of all calls; if there are none, their numbers of digits differ, they are more than slots, or `progress` asks to stop.
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
