//! Products of integer matrices with residues for AVX-512 with IFMA; moduli below 2^50.
//!
//! Low and high halves of the products, below `2^50·2^40`, are added up in registers over all
//! columns.

use std::arch::x86_64::*;

use super::avx512::{LANES, VectorModulus, load, splat, store};
use super::matrix_layout::{STRIP, TILE_ROWS};
use crate::Modulus;

/// Vectors of a strip.
const VECTORS: usize = STRIP / LANES;

/// Columns between carries: low halves, plus an initial word, stay below 2^64.
const MAX_TERMS: usize = 4095;

/// See [`super::matrix::tile_product`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn tile_product(
    m: &Modulus,
    out: &mut [u64],
    tile: &[[u64; TILE_ROWS]],
    corrections: &[u64],
    strips: &[u64],
) {
    let v = VectorModulus::new(m);
    let width = out.len() / TILE_ROWS;
    let strips = strips.chunks_exact(tile.len() * STRIP);
    let corrections = corrections.as_chunks::<STRIP>().0;
    for (index, (strip, correction)) in strips.zip(corrections).enumerate() {
        let columns = strip.as_chunks::<STRIP>().0;
        let mut low = [vectors(correction); TILE_ROWS];
        let mut high = [[_mm512_setzero_si512(); VECTORS]; TILE_ROWS];
        for (columns, tile) in columns.chunks(MAX_TERMS).zip(tile.chunks(MAX_TERMS)) {
            for (words, entries) in columns.iter().zip(tile) {
                let words = vectors(words);
                for row in 0..TILE_ROWS {
                    let entry = splat(entries[row]);
                    for i in 0..VECTORS {
                        low[row][i] = _mm512_madd52lo_epu64(low[row][i], words[i], entry);
                        high[row][i] = _mm512_madd52hi_epu64(high[row][i], words[i], entry);
                    }
                }
            }
            for (low, high) in low.as_flattened_mut().iter_mut().zip(high.as_flattened_mut()) {
                (*low, *high) = v.carry(*low, *high);
            }
        }
        for row in 0..TILE_ROWS {
            let out = &mut out[row * width + index * STRIP..][..STRIP];
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                store(out, v.subtract_below_4q(v.fold_lazy(low[row][i], high[row][i])));
            }
        }
    }
}

/// Returns the vectors of a strip's words of one column.
#[target_feature(enable = "avx512f")]
#[inline]
fn vectors(words: &[u64; STRIP]) -> [__m512i; VECTORS] {
    let words = words.as_chunks::<LANES>().0;
    std::array::from_fn(|i| load(&words[i]))
}
