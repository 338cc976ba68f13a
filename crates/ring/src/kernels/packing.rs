//! Packing and unpacking of rows of residues, by the vectors of the processor.

use super::packed_row::{BLOCK, MAX_VECTOR_BITS, PackedRow};
use super::scalar;
use crate::Isa;

/// The fewest bits of words that vectors pack: every second word begins in a byte of its own.
const MIN_PACKED_BITS: u32 = 8;

/// Words that are unpacked at once for comparison: they stay in the first-level cache.
const COMPARED: usize = 512;

impl PackedRow<'_> {
    /// Packs words below `2^bits`.
    ///
    /// # Panics
    /// If the number of words is not a multiple of eight, if `out` does not have the length that they need, or if the
    /// processor lacks `isa`.
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

    /// Unpacks the words.
    ///
    /// # Panics
    /// If `out` has another length, or the processor lacks `isa`.
    pub fn unpack(self, isa: Isa, out: &mut [u64]) {
        assert_eq!(out.len(), self.len());
        assert!(isa.is_available(), "this processor lacks {isa:?}");
        let isa = vector_isa(isa, self.bits());
        dispatch!(isa, [avx2: avx2_packed, avx512: avx512_packed], unpack(out, self));
    }

    /// Returns whether every word is below `bound`.
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
            // There is no early exit within a part: comparisons run on vectors.
            words.iter().fold(true, |all, &word| all & (word < bound))
        })
    }
}

/// Returns the instruction set for words of `bits` bits.
fn vector_isa(isa: Isa, bits: u32) -> Isa {
    if bits <= MAX_VECTOR_BITS { isa } else { Isa::Scalar }
}
