//! Rows of residues, packed at the width of their modulus: the form in which switching keys are stored and read.
//!
//! Word j takes bits `bits·j` to `bits·(j + 1) - 1` of the row, the least significant first, without gaps. Eight words
//! are `bits` bytes, so that vectors of eight begin on whole bytes. Residues of 50 bits take 22 % less memory than
//! words, and cause that much less traffic where keys come from memory.

use std::ops::Range;

/// The number of words that together begin and end on whole bytes.
pub(super) const BLOCK: usize = 8;

/// The most bits of words that eight bytes hold, whichever bit of the first byte they begin at.
pub(super) const MAX_VECTOR_BITS: u32 = 57;

/// Words of a fixed number of bits, packed without gaps. Their number is a multiple of eight.
///
/// ```
/// use cryptable_ring::Isa;
/// use cryptable_ring::kernels::PackedRow;
/// let words = [1, 2, 3, 4, 5, 6, 7, 4095];
/// let mut bytes = [0; 12];
/// PackedRow::pack(Isa::detect(), &mut bytes, &words, 12);
/// assert_eq!(bytes[..3], [0x01, 0x20, 0x00]);
/// let row = PackedRow::new(&bytes, 12);
/// let mut unpacked = [0; 8];
/// row.unpack(Isa::detect(), &mut unpacked);
/// assert!(unpacked == words && row.is_below(Isa::detect(), 4096));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRow<'a> {
    bytes: &'a [u8],
    bits: u32,
}

impl<'a> PackedRow<'a> {
    /// Returns the number of bytes of `words` packed words, a multiple of eight. Saturates.
    #[must_use]
    pub const fn packed_bytes(words: usize, bits: u32) -> usize {
        (words / BLOCK).saturating_mul(bits as usize)
    }

    /// Returns a row whose words have this number of bits.
    ///
    /// # Panics
    /// If `bits` is not within 1 to 64, or if the bytes are not those of a multiple of eight words.
    #[must_use]
    pub fn new(bytes: &'a [u8], bits: u32) -> Self {
        assert!((1..=u64::BITS).contains(&bits), "{bits} bits");
        assert!(bytes.len().is_multiple_of(bits as usize), "{} bytes of {bits}", bytes.len());
        Self { bytes, bits }
    }

    /// Returns the number of words.
    #[must_use]
    pub const fn len(self) -> usize {
        self.bytes.len() / self.bits as usize * BLOCK
    }

    /// Returns whether there is no word.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the number of bits of a word.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the packed words.
    #[must_use]
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Returns a part of the row.
    ///
    /// # Panics
    /// If the part does not begin and end at multiples of eight words within the row.
    #[must_use]
    pub fn range(self, words: Range<usize>) -> Self {
        let at = |word: usize| {
            assert!(word.is_multiple_of(BLOCK), "word {word} of a packed row");
            Self::packed_bytes(word, self.bits)
        };
        Self { bytes: &self.bytes[at(words.start)..at(words.end)], ..self }
    }
}

/// Residues, and a constant below q that multiplies them.
pub type Multiple<'a> = (&'a [u64], u64);

/// Words, and the rows that multiply them in two sums.
pub type KeyTerm<'a> = (&'a [u64], [PackedRow<'a>; 2]);
