//! Words modulo any modulus as a field of a body, packed at the modulus's bit width.

use std::io::{self, Write};

use crate::bit_packing::{pack, packed_bytes, unpack};
use crate::{BodyReader, BodyWriter, WireError};

/// Words packed at once: a multiple of 8, so that each batch ends on a whole byte.
const BATCH: usize = 1 << 16;

/// Bits of a word below a modulus.
fn word_bits(modulus: u64) -> u32 {
    u64::BITS - (modulus - 1).leading_zeros()
}

/// Bytes of the field: its length in 8 bytes, then `count` words below `modulus`. Saturates.
///
/// # Panics
/// If the modulus is below 2.
#[must_use]
pub fn packed_field_bytes(count: usize, modulus: u64) -> u64 {
    (packed_bytes(count, word_bits(modulus)) as u64).saturating_add(8)
}

impl<W: Write> BodyWriter<W> {
    /// Writes words below a modulus: the length of their packing in bytes, then the packing.
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
    /// Those of the underlying writer.
    ///
    /// # Panics
    /// If the modulus is below 2.
    pub fn packed_words(&mut self, words: &[u64], modulus: u64) -> io::Result<()> {
        let bits = word_bits(modulus);
        self.u64(packed_bytes(words.len(), bits) as u64)?;
        words.chunks(BATCH).try_for_each(|batch| self.raw(&pack(batch, bits)))
    }
}

impl BodyReader<'_> {
    /// Reads `count` words below a modulus that [`BodyWriter::packed_words`] wrote. Nothing is allocated before the
    /// number of bytes is checked.
    ///
    /// # Errors
    /// [`WireError::Truncated`], or [`WireError::InvalidField`] if there are not as many bytes as words need, or a
    /// word is not below the modulus.
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
        let words = unpack(packed, word_bits(modulus), count)
            .map_err(|error| WireError::invalid(name, error, "as many words as bits need"))?;
        match words.iter().find(|&&word| word >= modulus) {
            Some(word) => Err(WireError::invalid(name, word, format!("below {modulus}"))),
            None => Ok(words),
        }
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
    }
}
