//! The fields of an object's body.

use std::io::{self, Write};
use std::ops::{Range, RangeInclusive};

use crate::WireError;

/// Alignment in bytes of word blocks within a body, and of bodies within a file.
const ALIGNMENT: usize = 8;

/// Words that are converted at once on big-endian machines.
const CONVERSION_BATCH: usize = 1024;

/// Writes the fields of a body, little-endian, one after another.
///
/// Only blocks of words are aligned (by zero bytes before them), so that a reader can use them in place in a memory
/// map.
///
/// ```
/// use cryptable_wire::{BodyReader, BodyWriter};
/// let mut writer = BodyWriter::new(Vec::new());
/// writer.u16(7)?;
/// writer.bytes(b"name")?;
/// writer.words(&[1, 2])?;
/// let body = writer.into_inner();
/// let mut reader = BodyReader::new(&body);
/// assert_eq!(reader.u16("number")?, 7);
/// assert_eq!(reader.bytes("name", 100)?, b"name");
/// assert_eq!(reader.words("words", 2)?, [1, 2]);
/// reader.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BodyWriter<W> {
    writer: W,
    position: u64,
}

impl<W: Write> BodyWriter<W> {
    /// Starts a body at the current position of `writer`.
    pub fn new(writer: W) -> Self {
        Self { writer, position: 0 }
    }

    /// Returns the number of bytes written so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Ends the body and returns the underlying writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }

    /// Writes bytes without their length, which the reader must know.
    ///
    /// # Errors
    /// Errors of the underlying writer, as for every method below.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Writes one byte.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn u8(&mut self, value: u8) -> io::Result<()> {
        self.raw(&[value])
    }

    /// Writes two bytes.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn u16(&mut self, value: u16) -> io::Result<()> {
        self.raw(&value.to_le_bytes())
    }

    /// Writes four bytes.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn u32(&mut self, value: u32) -> io::Result<()> {
        self.raw(&value.to_le_bytes())
    }

    /// Writes eight bytes.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn u64(&mut self, value: u64) -> io::Result<()> {
        self.raw(&value.to_le_bytes())
    }

    /// Writes the eight bytes of an IEEE 754 double.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn f64(&mut self, value: f64) -> io::Result<()> {
        self.raw(&value.to_le_bytes())
    }

    /// Writes a 64-bit length, then the bytes.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.u64(bytes.len() as u64)?;
        self.raw(bytes)
    }

    fn align(&mut self) -> io::Result<()> {
        let padding = (self.position.next_multiple_of(ALIGNMENT as u64) - self.position) as usize;
        self.raw(&[0; ALIGNMENT][..padding])
    }

    /// Counts bytes without writing them, to compute the length of a body before it is written.
    pub fn skip(&mut self, count: usize) {
        self.position += count as u64;
    }

    /// Counts words without writing them, to compute the length of a body before it is written.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn skip_words(&mut self, count: usize) -> io::Result<()> {
        self.align()?;
        self.position += 8 * count as u64;
        Ok(())
    }

    /// Writes words without their number, which the reader must know, starting at the next multiple of 8 bytes.
    ///
    /// # Errors
    /// Errors of the underlying writer.
    pub fn words(&mut self, words: &[u64]) -> io::Result<()> {
        self.align()?;
        if cfg!(target_endian = "little") {
            return self.raw(bytemuck::cast_slice(words));
        }
        for batch in words.chunks(CONVERSION_BATCH) {
            let swapped: Vec<u64> = batch.iter().map(|word| word.to_le()).collect();
            self.raw(bytemuck::cast_slice(&swapped))?;
        }
        Ok(())
    }
}

/// Reads the fields that [`BodyWriter`] wrote.
///
/// Every method is told the name of the field that it reads, for error messages. No method panics or allocates more
/// than the body's own length, whatever the bytes are.
#[derive(Clone, Debug)]
pub struct BodyReader<'a> {
    body: &'a [u8],
    position: usize,
}

impl<'a> BodyReader<'a> {
    /// Starts reading at the first byte of a body.
    #[must_use]
    pub fn new(body: &'a [u8]) -> Self {
        Self { body, position: 0 }
    }

    /// Returns the number of bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns whether nothing is left to read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.position == self.body.len()
    }

    /// Reads `count` bytes.
    ///
    /// # Errors
    /// [`WireError::Truncated`] if fewer are left, as for every method below.
    pub fn raw(&mut self, name: &'static str, count: usize) -> Result<&'a [u8], WireError> {
        let rest = &self.body[self.position..];
        let bytes = rest.get(..count).ok_or(WireError::Truncated {
            name,
            needed: count as u64,
            found: rest.len() as u64,
        })?;
        self.position += count;
        Ok(bytes)
    }

    /// Reads a fixed number of bytes into an array.
    ///
    /// # Errors
    /// [`WireError::Truncated`].
    pub fn array<const N: usize>(&mut self, name: &'static str) -> Result<[u8; N], WireError> {
        let mut array = [0; N];
        array.copy_from_slice(self.raw(name, N)?);
        Ok(array)
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// [`WireError::Truncated`].
    pub fn u8(&mut self, name: &'static str) -> Result<u8, WireError> {
        self.array(name).map(u8::from_le_bytes)
    }

    /// Reads two bytes.
    ///
    /// # Errors
    /// [`WireError::Truncated`].
    pub fn u16(&mut self, name: &'static str) -> Result<u16, WireError> {
        self.array(name).map(u16::from_le_bytes)
    }

    /// Reads four bytes.
    ///
    /// # Errors
    /// [`WireError::Truncated`].
    pub fn u32(&mut self, name: &'static str) -> Result<u32, WireError> {
        self.array(name).map(u32::from_le_bytes)
    }

    /// Reads eight bytes.
    ///
    /// # Errors
    /// [`WireError::Truncated`].
    pub fn u64(&mut self, name: &'static str) -> Result<u64, WireError> {
        self.array(name).map(u64::from_le_bytes)
    }

    /// Reads a 64-bit number that must lie in a range.
    ///
    /// # Errors
    /// [`WireError::Truncated`], or [`WireError::InvalidField`] outside of the range.
    pub fn u64_within(
        &mut self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<u64, WireError> {
        let value = self.u64(name)?;
        if range.contains(&value) {
            return Ok(value);
        }
        let expected = format!("within {} to {}", range.start(), range.end());
        Err(WireError::invalid(name, value, expected))
    }

    /// Reads a finite double.
    ///
    /// # Errors
    /// [`WireError::Truncated`], or [`WireError::InvalidField`] if it is infinite or not a number.
    pub fn f64(&mut self, name: &'static str) -> Result<f64, WireError> {
        let value = self.array(name).map(f64::from_le_bytes)?;
        if value.is_finite() { Ok(value) } else { Err(WireError::invalid(name, value, "finite")) }
    }

    /// Reads a 64-bit length, then that number of bytes.
    ///
    /// # Errors
    /// [`WireError::TooLong`] if the length is above `limit`, [`WireError::Truncated`].
    pub fn bytes(&mut self, name: &'static str, limit: u64) -> Result<&'a [u8], WireError> {
        let length = self.u64(name)?;
        if length > limit {
            return Err(WireError::TooLong { name, length, limit });
        }
        // A length that does not fit into a usize exceeds the body, too: the largest usize is refused for the same
        // reason.
        self.raw(name, usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// Reads `count` aligned words.
    ///
    /// # Errors
    /// [`WireError::Truncated`], or [`WireError::InvalidField`] if the padding is not zero.
    pub fn words(&mut self, name: &'static str, count: usize) -> Result<Vec<u64>, WireError> {
        let range = self.words_in_place(name, count)?;
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        Ok(self.body[range].chunks_exact(8).map(word).collect())
    }

    /// Skips `count` aligned words and returns their range of bytes within the body, which starts at a multiple of 8.
    ///
    /// # Errors
    /// [`WireError::Truncated`], or [`WireError::InvalidField`] if the padding is not zero.
    pub fn words_in_place(
        &mut self,
        name: &'static str,
        count: usize,
    ) -> Result<Range<usize>, WireError> {
        let padding = self.position.next_multiple_of(ALIGNMENT) - self.position;
        if self.raw(name, padding)?.iter().any(|&byte| byte != 0) {
            return Err(WireError::invalid("padding", "not zero", "zero"));
        }
        let start = self.position;
        self.raw(name, count.saturating_mul(8))?;
        Ok(start..self.position)
    }

    /// Ends the body and checks that nothing is left.
    ///
    /// # Errors
    /// [`WireError::TrailingBytes`] if bytes are left.
    pub fn finish(self) -> Result<(), WireError> {
        match self.body.len() - self.position {
            0 => Ok(()),
            count => Err(WireError::TrailingBytes { count: count as u64 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_come_back_and_words_are_aligned() {
        let mut writer = BodyWriter::new(Vec::new());
        writer.u8(1).unwrap();
        writer.u16(2).unwrap();
        writer.u32(3).unwrap();
        writer.u64(4).unwrap();
        writer.f64(-0.5).unwrap();
        writer.bytes(b"abc").unwrap();
        writer.words(&[5, u64::MAX]).unwrap();
        writer.raw(&[9; 3]).unwrap();
        assert_eq!(writer.position(), 56 + 3);
        let body = writer.into_inner();
        let mut reader = BodyReader::new(&body);
        assert_eq!(reader.u8("a"), Ok(1));
        assert_eq!(reader.u16("b"), Ok(2));
        assert_eq!(reader.u32("c"), Ok(3));
        assert_eq!(reader.u64("d"), Ok(4));
        assert_eq!(reader.f64("e"), Ok(-0.5));
        assert_eq!(reader.bytes("f", 3), Ok(&b"abc"[..]));
        let mut copy = reader.clone();
        assert_eq!(reader.words_in_place("g", 2), Ok(40..56));
        assert_eq!(copy.words("g", 2), Ok(vec![5, u64::MAX]));
        assert_eq!(copy.clone().finish(), Err(WireError::TrailingBytes { count: 3 }));
        assert_eq!(copy.array("h"), Ok([9; 3]));
        assert_eq!(copy.finish(), Ok(()));
    }

    #[test]
    fn hostile_lengths_and_values_are_refused() {
        let mut huge = u64::MAX.to_le_bytes().to_vec();
        huge.extend([1; 8]);
        let truncated = |needed, found| WireError::Truncated { name: "x", needed, found };
        let reader = || BodyReader::new(&huge);
        assert_eq!(reader().bytes("x", u64::MAX), Err(truncated(u64::MAX, 8)));
        assert_eq!(
            reader().bytes("x", 100),
            Err(WireError::TooLong { name: "x", length: u64::MAX, limit: 100 })
        );
        assert_eq!(reader().words("x", usize::MAX), Err(truncated(u64::MAX, 16)));
        assert_eq!(reader().raw("x", 17), Err(truncated(17, 16)));
        assert!(matches!(reader().f64("x"), Err(WireError::InvalidField { .. })));
        let error = reader().u64_within("x", 2..=5).unwrap_err().to_string();
        assert_eq!(error, "x is 18446744073709551615, but must be within 2 to 5");
        let mut padded = reader();
        padded.raw("x", 1).unwrap();
        assert_eq!(padded.words("x", 1), Err(WireError::invalid("padding", "not zero", "zero")));
    }

    proptest! {
        #[test]
        fn no_sequence_of_reads_leaves_the_body(
            body in prop::collection::vec(any::<u8>(), 0..100),
            reads in prop::collection::vec((0u8..9, any::<usize>()), 0..20),
        ) {
            let mut reader = BodyReader::new(&body);
            for (kind, size) in reads {
                let before = reader.position();
                let ok = match kind {
                    0 => reader.u8("x").is_ok(),
                    1 => reader.u16("x").is_ok(),
                    2 => reader.u32("x").is_ok(),
                    3 => reader.u64("x").is_ok(),
                    4 => reader.f64("x").is_ok(),
                    5 => reader.bytes("x", size as u64).is_ok(),
                    6 => reader.words("x", size % 8).is_ok(),
                    7 => reader.words("x", size).is_ok(),
                    _ => reader.raw("x", size % 64).is_ok(),
                };
                prop_assert!(reader.position() >= before && reader.position() <= body.len());
                prop_assert!(ok || reader.position() < before + 16);
            }
        }
    }
}
