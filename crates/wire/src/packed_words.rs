//! Words modulo any modulus as a field of a body, packed to the bit width of the modulus.

use std::io::{self, Write};
use std::ops::Range;

use crate::bit_packing::{UnpackError, pack, packed_bytes, unpack};
use crate::{BodyReader, BodyWriter, WireError};

/// Words packed at once: a multiple of 8, so that each batch ends on a whole byte.
const BATCH: usize = 1 << 16;

/// Returns the number of bits of a word below a modulus.
fn word_bits(modulus: u64) -> u32 {
    u64::BITS - (modulus - 1).leading_zeros()
}

/// Returns the number of bytes of the field: its length in 8 bytes, then `count` packed words below `modulus`.
/// Saturates.
///
/// # Panics
/// If the modulus is below 2.
#[must_use]
pub fn packed_field_bytes(count: usize, modulus: u64) -> u64 {
    (packed_bytes(count, word_bits(modulus)) as u64).saturating_add(8)
}

/// Words below a modulus that stay packed in memory and are unpacked only where they are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedWords {
    bytes: Vec<u8>,
    bits: u32,
    count: usize,
}

impl PackedWords {
    /// Returns the number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Appends a range of the words to a list.
    ///
    /// # Panics
    /// If the range exceeds the words.
    pub fn unpack_into(&self, range: Range<usize>, words: &mut Vec<u64>) {
        assert!(range.start <= range.end && range.end <= self.count, "words {range:?}");
        let mask = u128::from(u64::MAX >> (u64::BITS - self.bits));
        words.extend(range.map(|index| {
            let first = index * self.bits as usize;
            // A word of up to 64 bits lies within nine bytes.
            let bytes = &self.bytes[first / 8..];
            let mut window = [0; 16];
            let length = bytes.len().min(9);
            window[..length].copy_from_slice(&bytes[..length]);
            (u128::from_le_bytes(window) >> (first % 8) & mask) as u64
        }));
    }
}

impl<W: Write> BodyWriter<W> {
    /// Writes words that [`BodyReader::kept_words`] read, in the format of [`BodyWriter::packed_words`].
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn kept_words(&mut self, words: &PackedWords) -> io::Result<()> {
        self.bytes(&words.bytes)
    }

    /// Writes words below a modulus: the length of their packing in bytes, then the packing itself.
    ///
    /// ```
    /// use cryptable_wire::{BodyReader, BodyWriter, packed_field_bytes};
    /// let mut writer = BodyWriter::new(Vec::new());
    /// writer.packed_words(&[5, 16, 0], 17)?;
    /// assert_eq!(writer.position(), packed_field_bytes(3, 17));
    /// let body = writer.into_inner();
    /// assert_eq!(BodyReader::new(&body).packed_words("words", 3, 17)?, [5, 16, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the underlying writer.
    ///
    /// # Panics
    /// If the modulus is below 2.
    pub fn packed_words(&mut self, words: &[u64], modulus: u64) -> io::Result<()> {
        let bits = word_bits(modulus);
        self.u64(packed_bytes(words.len(), bits) as u64)?;
        words.chunks(BATCH).try_for_each(|batch| self.raw(&pack(batch, bits)))
    }

    /// Writes a polynomial as one limb per modulus, each in the format of [`BodyWriter::packed_words`].
    ///
    /// # Errors
    /// Errors of the underlying writer.
    ///
    /// # Panics
    /// If there is no modulus, a modulus is below 2, or the words cannot be divided evenly among the limbs.
    pub fn packed_limbs(&mut self, words: &[u64], moduli: &[u64]) -> io::Result<()> {
        assert_eq!(
            words.len() % moduli.len(),
            0,
            "{} words in {} limbs",
            words.len(),
            moduli.len()
        );
        let mut limbs = words.chunks(words.len() / moduli.len()).zip(moduli);
        limbs.try_for_each(|(words, &modulus)| self.packed_words(words, modulus))
    }
}

impl BodyReader<'_> {
    /// Reads `count` words below a modulus that [`BodyWriter::packed_words`] wrote. The number of bytes is checked
    /// before anything is allocated.
    ///
    /// # Errors
    /// [`WireError::Truncated`], or [`WireError::InvalidField`] if the number of bytes does not fit the number of
    /// words, or a word is not below the modulus.
    ///
    /// # Panics
    /// If the modulus is below 2.
    pub fn packed_words(
        &mut self,
        name: &'static str,
        count: usize,
        modulus: u64,
    ) -> Result<Vec<u64>, WireError> {
        let packed = self.bytes(name, u64::MAX)?;
        let words = unpack(packed, word_bits(modulus), count).map_err(|e| not_packed(name, e))?;
        check_below(name, &words, modulus)?;
        Ok(words)
    }

    /// Reads a polynomial with `degree` words per limb, which [`BodyWriter::packed_limbs`] wrote.
    ///
    /// ```
    /// use cryptable_wire::{BodyReader, BodyWriter};
    /// let mut writer = BodyWriter::new(Vec::new());
    /// writer.packed_limbs(&[5, 16, 3, 4], &[17, 5])?;
    /// let body = writer.into_inner();
    /// assert_eq!(BodyReader::new(&body).packed_limbs("words", 2, &[17, 5])?, [5, 16, 3, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The same as those of [`BodyReader::packed_words`].
    ///
    /// # Panics
    /// If a modulus is below 2.
    pub fn packed_limbs(
        &mut self,
        name: &'static str,
        degree: usize,
        moduli: &[u64],
    ) -> Result<Vec<u64>, WireError> {
        let mut words = Vec::new();
        for &modulus in moduli {
            words.extend(self.packed_words(name, degree, modulus)?);
        }
        Ok(words)
    }

    /// Reads words as [`BodyReader::packed_words`] does and checks them, but leaves them packed.
    ///
    /// ```
    /// use cryptable_wire::{BodyReader, BodyWriter};
    /// let mut writer = BodyWriter::new(Vec::new());
    /// writer.packed_words(&[5, 16, 0], 17)?;
    /// let body = writer.into_inner();
    /// let kept = BodyReader::new(&body).kept_words("words", 3, 17)?;
    /// let mut words = Vec::new();
    /// kept.unpack_into(1..3, &mut words);
    /// assert_eq!(words, [16, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The same as those of [`BodyReader::packed_words`].
    ///
    /// # Panics
    /// If the modulus is below 2.
    pub fn kept_words(
        &mut self,
        name: &'static str,
        count: usize,
        modulus: u64,
    ) -> Result<PackedWords, WireError> {
        let (packed, bits) = (self.bytes(name, u64::MAX)?, word_bits(modulus));
        let expected = packed_bytes(count, bits);
        if packed.len() != expected {
            let found = packed.len();
            return Err(not_packed(name, UnpackError::Length { expected, found }));
        }
        // Batches end on whole bytes.
        let batches = packed.chunks(BATCH / 8 * bits as usize);
        for (index, batch) in batches.enumerate() {
            let words = unpack(batch, bits, BATCH.min(count - index * BATCH));
            check_below(name, &words.map_err(|error| not_packed(name, error))?, modulus)?;
        }
        Ok(PackedWords { bytes: packed.to_vec(), bits, count })
    }
}

fn not_packed(name: &'static str, error: UnpackError) -> WireError {
    WireError::invalid(name, error, "a packing of the expected number of words")
}

fn check_below(name: &'static str, words: &[u64], modulus: u64) -> Result<(), WireError> {
    match words.iter().find(|&&word| word >= modulus) {
        Some(word) => Err(WireError::invalid(name, word, format!("below {modulus}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_leave_no_trace() {
        let words: Vec<u64> = (0..2 * BATCH as u64 + 3).map(|i| i * i % 1021).collect();
        let mut writer = BodyWriter::new(Vec::new());
        writer.packed_words(&words, 1021).unwrap();
        let body = writer.into_inner();
        assert_eq!(body.len() as u64, packed_field_bytes(words.len(), 1021));
        assert_eq!(body[8..], pack(&words, 10));
        let read = |count, modulus| BodyReader::new(&body).packed_words("x", count, modulus);
        assert_eq!(read(words.len(), 1021).as_ref(), Ok(&words));
        let found = |error: Result<_, WireError>| error.unwrap_err().to_string();
        assert!(found(read(words.len(), 1020)).contains("below 1020"));
        assert!(found(read(words.len() + 4, 1021)).contains("packed words take"));
        assert!(found(read(usize::MAX, 1021)).contains("packed words take"));
        let keep = |count, modulus| BodyReader::new(&body).kept_words("x", count, modulus);
        let refused = |count, modulus| keep(count, modulus).unwrap_err().to_string();
        assert_eq!(refused(words.len(), 1020), found(read(words.len(), 1020)));
        assert!(refused(words.len() + 4, 1021).contains("packed words take"));
        assert!(refused(usize::MAX, 1021).contains("packed words take"));
        let mut writer = BodyWriter::new(Vec::new());
        writer.kept_words(&keep(words.len(), 1021).unwrap()).unwrap();
        assert_eq!(writer.into_inner(), body);
    }

    #[test]
    fn kept_words_are_those_that_were_packed() {
        for modulus in [2, 3, 64, 1021, 1 << 33, (1 << 62) - 57, u64::MAX] {
            let words: Vec<u64> = (0..99u64).map(|i| i.wrapping_mul(!0 / 7) % modulus).collect();
            let mut writer = BodyWriter::new(Vec::new());
            writer.packed_words(&words, modulus).unwrap();
            let body = writer.into_inner();
            let kept = BodyReader::new(&body).kept_words("x", words.len(), modulus).unwrap();
            let mut found = vec![9];
            kept.unpack_into(0..words.len(), &mut found);
            assert_eq!(found[1..], words);
            found.clear();
            kept.unpack_into(17..18, &mut found);
            assert_eq!(found, [words[17]]);
        }
    }
}
