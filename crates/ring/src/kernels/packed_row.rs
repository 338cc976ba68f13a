//! Rows of residues, packed at the width of their modulus: how switching keys are stored and read.
//!
//! Word j takes bits `bits·j` to `bits·(j + 1) - 1` of the row, the least significant first, without gaps. Eight words
//! are `bits` bytes, so that vectors of eight begin on whole bytes. Residues of 50 bits take 22 % less memory than
//! words do, and as much less traffic where keys come from memory.

use std::ops::Range;

use super::scalar;
use crate::Isa;

/// Words that begin and end on whole bytes together.
pub(super) const BLOCK: usize = 8;

/// Narrowest words that vectors pack: every second word begins in a byte of its own.
const MIN_PACKED_BITS: u32 = 8;

/// Widest words that eight bytes hold wherever in a byte they begin.
pub(super) const MAX_VECTOR_BITS: u32 = 57;

/// Words unpacked at once to be compared: they stay in the first-level cache.
const COMPARED: usize = 512;

/// Words of a fixed number of bits, a multiple of eight of them, packed without gaps.
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
    /// The bytes of so many words, a multiple of eight. Saturates.
    #[must_use]
    pub const fn packed_bytes(words: usize, bits: u32) -> usize {
        (words / BLOCK).saturating_mul(bits as usize)
    }

    /// A row whose words have this number of bits.
    ///
    /// # Panics
    /// If the bits are not within 1 to 64, or the bytes are not those of a multiple of eight words.
    #[must_use]
    pub fn new(bytes: &'a [u8], bits: u32) -> Self {
        assert!((1..=u64::BITS).contains(&bits), "{bits} bits");
        assert!(bytes.len().is_multiple_of(bits as usize), "{} bytes of {bits}", bytes.len());
        Self { bytes, bits }
    }

    /// Packs words below `2^bits`.
    ///
    /// # Panics
    /// If the words are no multiple of eight, `out` is not as long as they need, or the processor lacks `isa`.
    pub fn pack(isa: Isa, out: &mut [u8], words: &[u64], bits: u32) {
        assert!((1..=u64::BITS).contains(&bits), "{bits} bits");
        assert!(words.len().is_multiple_of(BLOCK), "{} words", words.len());
        assert_eq!(out.len(), Self::packed_bytes(words.len(), bits));
        assert!(isa.is_available(), "this processor lacks {isa:?}");
        debug_assert!(words.iter().all(|&word| word <= u64::MAX >> (u64::BITS - bits)));
        let isa = if bits < MIN_PACKED_BITS { Isa::Scalar } else { vector_isa(isa, bits) };
        let packed = dispatch!(isa, [avx512: avx512_packed], pack(out, words, bits));
        scalar::pack(&mut out[Self::packed_bytes(packed, bits)..], &words[packed..], bits);
    }

    /// Number of words.
    #[must_use]
    pub const fn len(self) -> usize {
        self.bytes.len() / self.bits as usize * BLOCK
    }

    /// Whether there is no word.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Bits of a word.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// The packed words.
    #[must_use]
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// A part of the row.
    ///
    /// # Panics
    /// If it does not begin and end at multiples of eight words within the row.
    #[must_use]
    pub fn range(self, words: Range<usize>) -> Self {
        let at = |word: usize| {
            assert!(word.is_multiple_of(BLOCK), "word {word} of a packed row");
            Self::packed_bytes(word, self.bits)
        };
        Self { bytes: &self.bytes[at(words.start)..at(words.end)], ..self }
    }

    /// The words.
    ///
    /// # Panics
    /// If `out` has another length, or the processor lacks `isa`.
    pub fn unpack(self, isa: Isa, out: &mut [u64]) {
        assert_eq!(out.len(), self.len());
        assert!(isa.is_available(), "this processor lacks {isa:?}");
        let isa = vector_isa(isa, self.bits);
        dispatch!(isa, [avx2: avx2_packed, avx512: avx512_packed], unpack(out, self));
    }

    /// Whether every word is below `bound`.
    ///
    /// # Panics
    /// If the processor lacks `isa`.
    #[must_use]
    pub fn is_below(self, isa: Isa, bound: u64) -> bool {
        let mut words = [0; COMPARED];
        (0..self.len()).step_by(COMPARED).all(|start| {
            let part = self.range(start..self.len().min(start + COMPARED));
            let words = &mut words[..part.len()];
            part.unpack(isa, words);
            // No early end within a part: comparisons run on vectors.
            words.iter().fold(true, |all, &word| all & (word < bound))
        })
    }
}

/// Residues, and the constant below q that they are multiplied by.
pub type Multiple<'a> = (&'a [u64], u64);

/// Words, and the rows that two sums multiply them by.
pub type KeyTerm<'a> = (&'a [u64], [PackedRow<'a>; 2]);

/// The instruction set for words of so many bits.
fn vector_isa(isa: Isa, bits: u32) -> Isa {
    if bits <= MAX_VECTOR_BITS { isa } else { Isa::Scalar }
}
