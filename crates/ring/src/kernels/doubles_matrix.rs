//! Products of integer matrices with residues in doubles with FMA: AVX2, AVX-512 without IFMA, NEON; moduli below 2^50.
//!
//! Words are split into two halves and entries into pieces ([`DoubleEntries`]), whose products add up exactly over all
//! columns. This takes two instructions per piece and vector of words, the same number as with IFMA. With VNNI,
//! `residue_matrix.rs` takes fewer. 16-bit products in pairs (`vpmaddwd`) would take twice as many instructions as
//! these.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::matrix_layout::{DOUBLE_TILE_ROWS, DoubleEntries, HALF_BITS};
#[cfg(target_arch = "x86_64")]
use super::ntt::doubles::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::ntt::doubles::avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::ntt::doubles::neon::Neon;
use super::ntt::doubles::{DoubleLanes, Doubles, encode};
use crate::Modulus;

/// Words of a packed strip.
pub(super) const STRIP: usize = 8;

/// Returns the number of packed words per word: two halves of every column.
pub(super) fn packed_words(columns: usize) -> usize {
    2 * columns
}

/// Packs words of all columns, below 2^50, into the strips' words from word `start`, a multiple of 8, on:
/// `[strip][column][half][word]`, the upper half first.
pub(super) fn pack(strips: &mut [u64], start: usize, columns: &[&[u64]]) {
    let stride = packed_words(columns.len()) * STRIP;
    for (index, strip) in strips[start / STRIP * stride..].chunks_exact_mut(stride).enumerate() {
        for (halves, words) in strip.as_chunks_mut::<{ 2 * STRIP }>().0.iter_mut().zip(columns) {
            let Some(words) = words.get(index * STRIP..).and_then(|words| words.first_chunk())
            else {
                return;
            };
            let words: &[u64; STRIP] = words;
            let (upper, lower) = halves.split_at_mut(STRIP);
            for ((upper, lower), &word) in upper.iter_mut().zip(lower).zip(words) {
                let high = (word + (1 << (HALF_BITS - 1))) >> HALF_BITS;
                let low = word.cast_signed() - (high << HALF_BITS).cast_signed();
                (*upper, *lower) = ((high as f64).to_bits(), (low as f64).to_bits());
            }
        }
    }
}

/// Computes sums of products of R rows with one vector of words: upper and lower halves.
///
/// # Safety
/// The strip must have words for every entry, from the vector's place on.
#[inline(always)]
unsafe fn sums<D: Doubles, const R: usize>(
    entries: &[[f64; DOUBLE_TILE_ROWS]],
    first_row: usize,
    mut words: *const u64,
) -> [[D::Vector; 2]; R] {
    let mut sums = [[D::splat(0.0); 2]; R];
    for entries in entries {
        let (high, low) = (D::load(words), D::load(words.add(STRIP)));
        for (r, sum) in sums.iter_mut().enumerate() {
            let entry = D::splat(entries[first_row + r]);
            sum[0] = D::mul_add(entry, high, sum[0]);
            sum[1] = D::mul_add(entry, low, sum[1]);
        }
        words = words.add(2 * STRIP);
    }
    sums
}

/// Multiplies R rows at a time; see [`super::matrix::tile_product`].
///
/// Sums are integers of magnitude at most 2^53, and moduli are above 2^6. Quotients are therefore below 2^47, with an
/// error below 2^53/q units of 2^-53 before they are rounded, so that reduced sums are within q/2 + 1, products with
/// constants within 0.54q, and the sums of three pieces within 3.3q.
///
/// # Safety
/// The processor must have the instruction set of D, and `strips` must hold all words of `out`, packed by [`pack`].
#[inline(always)]
unsafe fn tile_product<D: Doubles, const R: usize>(
    m: &Modulus,
    out: &mut [u64],
    entries: &DoubleEntries,
    tile: usize,
    strips: &[u64],
) {
    let l = DoubleLanes::<D>::new(m);
    let tile = entries.tile(tile);
    let columns = tile.len() / entries.pieces;
    let width = out.len() / DOUBLE_TILE_ROWS;
    let weight = |bits: u32| {
        let weight = m.mul(m.reduce(entries.factor), m.pow(m.reduce(2), bits.into()));
        encode(m, weight).map(|word| D::splat(f64::from_bits(word)))
    };
    let mut weights = [[[D::splat(0.0); 2]; 2]; 3];
    for (piece, weights) in weights.iter_mut().enumerate().take(entries.pieces) {
        let bits = entries.bits * piece as u32;
        *weights = [weight(bits + HALF_BITS), weight(bits)];
    }
    let stride = packed_words(columns) * STRIP;
    for word in (0..width).step_by(D::LANES) {
        let words = strips.as_ptr().add(word / STRIP * stride + word % STRIP);
        for first_row in (0..DOUBLE_TILE_ROWS).step_by(R) {
            let mut totals = [D::splat(0.0); R];
            for (entries, weights) in tile.chunks_exact(columns).zip(&weights) {
                let sums = sums::<D, R>(entries, first_row, words);
                for (total, sum) in totals.iter_mut().zip(sums) {
                    for (sum, &weight) in sum.into_iter().zip(weights) {
                        *total = D::add(*total, l.product(l.reduce(sum), weight));
                    }
                }
            }
            for (r, total) in totals.into_iter().enumerate() {
                let out = out.as_mut_ptr().add((first_row + r) * width + word);
                D::store(out, l.residue(total));
            }
        }
    }
}

/// See [`super::matrix::tile_product`].
///
/// # Safety
/// The number of packed strips must fit the number of words per row of `out`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn tile_product_avx2(
    m: &Modulus,
    out: &mut [u64],
    entries: &DoubleEntries,
    tile: usize,
    strips: &[u64],
) {
    // SAFETY: the instruction set is enabled; the caller promises the rest.
    unsafe { tile_product::<Avx2, 4>(m, out, entries, tile, strips) }
}

/// See [`super::matrix::tile_product`].
///
/// # Safety
/// The same as for [`tile_product_avx2`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
pub(super) unsafe fn tile_product_avx512(
    m: &Modulus,
    out: &mut [u64],
    entries: &DoubleEntries,
    tile: usize,
    strips: &[u64],
) {
    // SAFETY: as above.
    unsafe { tile_product::<Avx512, 8>(m, out, entries, tile, strips) }
}

/// See [`super::matrix::tile_product`].
///
/// # Safety
/// The number of packed strips must fit the number of words per row of `out`.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
pub(super) unsafe fn tile_product_neon(
    m: &Modulus,
    out: &mut [u64],
    entries: &DoubleEntries,
    tile: usize,
    strips: &[u64],
) {
    // SAFETY: the instruction set is enabled; the caller promises the rest.
    unsafe { tile_product::<Neon, 4>(m, out, entries, tile, strips) }
}
