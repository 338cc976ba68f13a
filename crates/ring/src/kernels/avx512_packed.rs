//! Packed rows for AVX-512 with VBMI: a byte permutation moves every word of a vector to a lane of its own, and a shift
//! and a mask complete the word.

use std::arch::x86_64::*;

use super::avx512::{LANES, load, splat, store};
use super::avx512_sums::{
    GROUP, MAX_UNROLLED, Reducer, Sums, add_terms, for_each_group, group, unrolled,
};
use super::packed_row::{BLOCK, KeyTerm, Multiple, PackedRow};
use super::prefetch::{fetch_ahead, packed_lines};
use crate::Modulus;

/// Bytes of a vector.
const BYTES: usize = 64;

/// Constants for unpacking vectors of eight words of at most 57 bits.
#[derive(Clone, Copy)]
struct Unpacker {
    bits: usize,
    /// Mask of the bytes of eight words.
    bytes: __mmask64,
    indices: __m512i,
    shifts: __m512i,
    mask: __m512i,
}

impl Unpacker {
    #[target_feature(enable = "avx512f")]
    fn new(bits: u32) -> Self {
        let bits = bits as usize;
        let first_byte = |byte: usize| (byte / 8 * bits / 8 + byte % 8) as u8;
        let indices: [u8; BYTES] = std::array::from_fn(first_byte);
        let shifts: [u64; LANES] = std::array::from_fn(|lane| (lane * bits % 8) as u64);
        Self {
            bits,
            bytes: u64::MAX >> (BYTES - bits),
            indices: load(&bytemuck::cast(indices)),
            shifts: load(&shifts),
            mask: splat(u64::MAX >> (BYTES - bits)),
        }
    }

    /// Unpacks eight words, the first of which begins at byte `start`.
    ///
    /// # Safety
    /// All their bytes must be within `bytes`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    unsafe fn vector(&self, bytes: &[u8], start: usize) -> __m512i {
        debug_assert!(start + self.bits <= bytes.len());
        // SAFETY: the mask selects `bits` bytes, and others are not read.
        let packed =
            unsafe { _mm512_maskz_loadu_epi8(self.bytes, bytes.as_ptr().add(start).cast()) };
        let near = _mm512_permutexvar_epi8(self.indices, packed);
        _mm512_and_si512(_mm512_srlv_epi64(near, self.shifts), self.mask)
    }
}

/// Unpacks words of at most 57 bits; see [`PackedRow::unpack`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn unpack(out: &mut [u64], row: PackedRow<'_>) {
    let unpacker = Unpacker::new(row.bits());
    for (index, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let start = index * unpacker.bits;
        assert!(start + unpacker.bits <= row.bytes().len());
        // SAFETY: asserted above.
        store(out, unsafe { unpacker.vector(row.bytes(), start) });
    }
}

/// Packs words of at most 57 bits, eight at a time, as long as there is room for a whole vector, and returns the number
/// of packed words. See [`PackedRow::pack`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn pack(out: &mut [u8], words: &[u64], bits: u32) -> usize {
    let bits = bits as usize;
    let shifts: [u64; LANES] = std::array::from_fn(|lane| (lane * bits % 8) as u64);
    let shifts = load(&shifts);
    // The shifted words of even lanes have no byte in common, and neither do those of odd lanes.
    let parts = [0, 1].map(|parity| {
        let (mut indices, mut mask) = ([0u8; BYTES], 0u64);
        for lane in (parity..LANES).step_by(2) {
            let (first, last) = (lane * bits / 8, (lane * bits + bits - 1) / 8);
            for (nth, index) in indices[first..=last].iter_mut().enumerate() {
                *index = (8 * lane + nth) as u8;
                mask |= 1 << (first + nth);
            }
        }
        let indices: [u64; LANES] = bytemuck::cast(indices);
        (load(&indices), mask)
    });
    let mut packed = 0;
    for words in words.as_chunks::<LANES>().0 {
        let start = packed / BLOCK * bits;
        let Some(out) = out[start..].first_chunk_mut::<BYTES>() else { break };
        let shifted = _mm512_sllv_epi64(load(words), shifts);
        let [even, odd] =
            parts.map(|(indices, mask)| _mm512_maskz_permutexvar_epi8(mask, indices, shifted));
        // The next words overwrite the bytes beyond those of the eight words.
        // SAFETY: `out` is 64 bytes.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_or_si512(even, odd)) };
        packed += BLOCK;
    }
    packed
}

/// Computes `c·x + Σ_k a_k·b_k`, added to `out` if `ADD`, for the words in full groups, and returns their number. See
/// [`super::packed_sums::packed_inner_product_with_multiple`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn packed_inner_product<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], PackedRow<'_>)],
    multiple: Option<Multiple<'_>>,
) -> usize {
    unrolled!(
        terms.len(),
        |N| inner_product_of::<ADD, N>(m, out, terms, multiple),
        more: {
            let (first, rest) = terms.split_at(MAX_UNROLLED);
            packed_inner_product::<ADD>(m, out, first, multiple);
            packed_inner_product::<true>(m, out, rest, None)
        }
    )
}

/// Computes [`packed_inner_product`] of exactly `TERMS` terms, at most [`MAX_UNROLLED`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn inner_product_of<const ADD: bool, const TERMS: usize>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], PackedRow<'_>)],
    multiple: Option<Multiple<'_>>,
) -> usize {
    let unpacker = Unpacker::new(m.bits());
    let terms = &terms[..TERMS];
    let reducer = Reducer::new(m, terms.len() + usize::from(multiple.is_some()), m.value());
    let multiple = multiple.map(|(x, c)| (x, splat(c)));
    for_each_group::<ADD>(out, &reducer, |sums, start| {
        if let Some((x, c)) = multiple {
            sums.add_products(group(x, start), |_| c);
        }
        add_terms!(TERMS, |K| {
            let (a, b) = terms[K];
            let bytes =
                &b.bytes()[start / BLOCK * unpacker.bits..][..GROUP / BLOCK * unpacker.bits];
            fetch_ahead::<{ packed_lines(GROUP) }>(bytes.as_ptr());
            // SAFETY: `bytes` has all bytes of a group.
            sums.add_products(group(a, start), |i| unsafe {
                unpacker.vector(bytes, i * unpacker.bits)
            });
        });
    })
}

/// Vectors per group of both sums of a product with a key: the number of accumulators is that of a single sum.
const PAIR_VECTORS: usize = 4;

/// Words of such a group.
const PAIR_GROUP: usize = PAIR_VECTORS * LANES;

/// Computes `c_s·x_s + Σ_k a_k·b_ks` for both sums s, for whole groups of words and at most [`MAX_UNROLLED`] terms. See
/// [`super::packed_sums::packed_inner_products`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn packed_inner_products(
    m: &Modulus,
    out: [&mut [u64]; 2],
    terms: &[KeyTerm<'_>],
    multiples: [Option<Multiple<'_>>; 2],
) {
    unrolled!(
        terms.len(),
        |N| inner_products_of::<N>(m, out, terms, multiples),
        more: unreachable!("{} terms", terms.len())
    );
}

/// Computes [`packed_inner_products`] of exactly `TERMS` terms.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn inner_products_of<const TERMS: usize>(
    m: &Modulus,
    [out0, out1]: [&mut [u64]; 2],
    terms: &[KeyTerm<'_>],
    multiples: [Option<Multiple<'_>>; 2],
) {
    let unpacker = Unpacker::new(m.bits());
    let terms: &[_; TERMS] = terms.try_into().expect("as many terms");
    let reducer = Reducer::new(m, TERMS + 1, m.value());
    let multiples = multiples.map(|multiple| multiple.map(|(x, c)| (x, splat(c))));
    let [out0, out1] = [out0, out1].map(|out| out.as_chunks_mut().0.as_chunks_mut().0);
    for (index, out) in out0.iter_mut().zip(out1).enumerate() {
        let start = index * PAIR_GROUP;
        let mut sums: [Sums<PAIR_VECTORS>; 2] = [Sums::zero(); 2];
        for (sums, multiple) in sums.iter_mut().zip(multiples) {
            if let Some((x, c)) = multiple {
                sums.add_products(group(x, start), |_| c);
            }
        }
        let first_byte = start / BLOCK * unpacker.bits;
        add_terms!(TERMS, |K| {
            let (a, rows) = terms[K];
            for (sums, row) in sums.iter_mut().zip(rows) {
                let bytes = &row.bytes()[first_byte..][..PAIR_GROUP / BLOCK * unpacker.bits];
                fetch_ahead::<{ packed_lines(PAIR_GROUP) }>(bytes.as_ptr());
                // SAFETY: `bytes` has all bytes of a group.
                sums.add_products(group(a, start), |i| unsafe {
                    unpacker.vector(bytes, i * unpacker.bits)
                });
            }
        });
        for (mut sums, out) in sums.into_iter().zip([out.0, out.1]) {
            reducer.narrow(&mut sums);
            sums.store(out, |low, high| reducer.residues(low, high));
        }
    }
}
