//! Sums of products with packed rows for AVX2: two words at a time lie in 16 bytes, from which a shuffle and a shift
//! extract them.

use std::arch::x86_64::*;

use super::avx2::{LANES, load, store, to_double};
use super::avx2_sums::{GROUP, Reducer, for_each_group, group};
use super::packed_row::{BLOCK, Multiple, PackedRow};
use super::prefetch::{fetch_ahead, packed_lines};
use super::scalar;
use crate::Modulus;

/// The bytes that are read for two words.
const PAIR_BYTES: usize = 16;

/// Constants for unpacking vectors of four words of at most 57 bits: the first or the second four of a block.
#[derive(Clone, Copy)]
struct Unpacker {
    bits: usize,
    halves: [Half; 2],
    mask: __m256i,
}

#[derive(Clone, Copy)]
struct Half {
    /// The bytes in which the first and the third word begin.
    starts: [usize; 2],
    indices: __m256i,
    shifts: __m256i,
}

impl Unpacker {
    #[target_feature(enable = "avx2")]
    fn new(bits: u32) -> Self {
        let bits = bits as usize;
        let halves = [0, LANES].map(|first| {
            let bit = |word: usize| (first + word) * bits;
            let starts = [0, 2].map(|word| bit(word) / 8);
            let mut indices = [0u8; 32];
            for (word, indices) in indices.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let byte = bit(word) / 8 - starts[word / 2];
                *indices = std::array::from_fn(|i| (byte + i) as u8);
            }
            let shifts: [u64; LANES] = std::array::from_fn(|word| (bit(word) % 8) as u64);
            let indices: [u64; LANES] = bytemuck::cast(indices);
            Half { starts, indices: load(&indices), shifts: load(&shifts) }
        });
        let mask = u64::MAX >> (u64::BITS as usize - bits);
        Self { bits, halves, mask: load(&[mask; LANES]) }
    }

    /// Unpacks vector i of a group.
    ///
    /// # Safety
    /// `bytes` must begin with those of the group, and continue for 16 more.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn vector(&self, bytes: &[u8], i: usize) -> __m256i {
        let (half, block) = (&self.halves[i % 2], i / 2 * self.bits);
        debug_assert!(block + half.starts[1] + PAIR_BYTES <= bytes.len());
        // SAFETY: a pair begins within its group, and 16 more bytes follow the group.
        let pairs = unsafe {
            let pair = |start: usize| _mm_loadu_si128(bytes.as_ptr().add(block + start).cast());
            _mm256_set_m128i(pair(half.starts[1]), pair(half.starts[0]))
        };
        let near = _mm256_shuffle_epi8(pairs, half.indices);
        _mm256_and_si256(_mm256_srlv_epi64(near, half.shifts), self.mask)
    }
}

/// Computes `c·x + Σ_k a_k·b_k`, added to `out` if `ADD`, for the words of full groups that end 16 bytes before the end
/// of their rows, and returns the number of these words. See
/// [`super::packed_sums::packed_inner_product_with_multiple`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn packed_inner_product<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], PackedRow<'_>)],
    multiple: Option<Multiple<'_>>,
) -> usize {
    let unpacker = Unpacker::new(m.bits());
    let group_bytes = GROUP / BLOCK * unpacker.bits;
    let row_bytes = PackedRow::packed_bytes(out.len(), m.bits());
    let groups = row_bytes.saturating_sub(PAIR_BYTES) / group_bytes;
    let reducer = Reducer::new(m, terms.len() + usize::from(multiple.is_some()), m.value());
    let multiple = multiple.map(|(x, c)| (x, _mm256_set1_pd(c as f64)));
    for_each_group::<ADD>(&mut out[..groups * GROUP], &reducer, |sums, start| {
        if let Some((x, c)) = multiple {
            sums.add_products(group(x, start), |_| c);
        }
        for (a, b) in terms {
            let bytes = &b.bytes()[start / BLOCK * unpacker.bits..][..group_bytes + PAIR_BYTES];
            fetch_ahead::<{ packed_lines(GROUP) }>(bytes.as_ptr());
            // SAFETY: `bytes` has the bytes of a group and 16 more.
            sums.add_products(group(a, start), |i| to_double(unsafe { unpacker.vector(bytes, i) }));
        }
    })
}

/// Unpacks words of at most 57 bits; see [`PackedRow::unpack`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn unpack(out: &mut [u64], row: PackedRow<'_>) {
    let unpacker = Unpacker::new(row.bits());
    // Blocks that end 16 bytes before the end of the row.
    let blocks = row.bytes().len().saturating_sub(PAIR_BYTES) / unpacker.bits;
    let (full, rest) = out.split_at_mut(blocks * BLOCK);
    for (block, out) in full.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        let bytes = &row.bytes()[block * unpacker.bits..];
        for (half, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            // SAFETY: at least 16 bytes follow the block.
            store(out, unsafe { unpacker.vector(bytes, half) });
        }
    }
    scalar::unpack(rest, row.range(blocks * BLOCK..row.len()));
}
