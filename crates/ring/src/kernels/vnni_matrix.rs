//! Products of integer matrices of one-byte entries with residues by VNNI of AVX-512; moduli below
//! 2^50.
//!
//! A residue is seven bytes, `Σ_a 2^(8a)·x_a`. One instruction adds the products of four columns to sixteen words of 32
//! bits, for one plane a: seven instructions for 64 products, where IFMA and doubles take sixteen. Entries of two bytes
//! would take fourteen: see `residue_matrix.rs`.

use std::arch::x86_64::*;

use super::matrix_layout::{BYTE_TILE, BYTE_TILE_COLUMNS, BYTE_TILE_ROWS, ByteEntries};
use super::ntt::doubles::avx512::Avx512;
use super::ntt::doubles::{DoubleLanes, encode};
use crate::{Isa, Modulus};

/// Bytes of a residue below 2^50.
const PLANES: usize = 7;

/// Words of a packed strip: sums of 32 bits of a vector.
pub(super) const STRIP: usize = 16;

/// Columns whose products one instruction adds up.
const QUAD: usize = 4;

/// Rows whose sums, of seven planes each, are kept in registers.
const ROWS: usize = 4;

/// The offset of stored entries, because VNNI multiplies unsigned bytes with signed ones.
pub(super) const OFFSET: u64 = 128;

/// Planes that are combined before a modular product: below `2^16·2^28`, exact as doubles.
const GROUP: usize = 3;

/// Returns whether the processor has the instructions that the functions of this file use.
pub(super) fn is_available() -> bool {
    Isa::detect() >= Isa::Avx512f && is_x86_feature_detected!("avx512vnni")
}

/// Returns the number of packed words per word: one byte of each plane for every column, in groups of four.
pub(super) fn packed_words(columns: usize) -> usize {
    (PLANES * columns.next_multiple_of(QUAD)).div_ceil(8)
}

/// Returns the number of words of a strip.
fn strip_words(columns: usize) -> usize {
    packed_words(columns) * STRIP
}

/// Packs words of all columns into the words of the strips from word `start`, a multiple of 16, on:
/// `[strip][plane][4 columns][word][column]` bytes, with zeros for columns that pad the last four.
pub(super) fn pack(strips: &mut [u64], start: usize, columns: &[&[u64]]) {
    let quads = columns.len().div_ceil(QUAD);
    let zeros = vec![0; columns[0].len()];
    for (quad, columns) in columns.chunks(QUAD).enumerate() {
        let columns: [&[u64]; QUAD] =
            std::array::from_fn(|i| columns.get(i).copied().unwrap_or(&zeros));
        for first in (0..zeros.len()).step_by(QUAD) {
            let words = columns.map(|words| words[first..].first_chunk().expect("words of fours"));
            let word = start + first;
            let strip = word / STRIP * strip_words(columns_of(quads));
            for (plane, bytes) in transpose_bytes(words).into_iter().enumerate() {
                let at = strip + (plane * quads + quad) * (STRIP * QUAD / 8) + word % STRIP / 2;
                strips[at..at + 2].copy_from_slice(&bytes);
            }
        }
    }
}

/// Returns the number of columns in `quads` groups of four.
fn columns_of(quads: usize) -> usize {
    quads * QUAD
}

/// Returns the planes of four words of four columns: `[plane][word][column]`.
#[inline(always)]
fn transpose_bytes(words: [&[u64; QUAD]; QUAD]) -> [[u64; 2]; PLANES] {
    // SAFETY: x86-64 has SSE2; references are valid for the loaded and stored bytes, and no access needs alignment.
    unsafe {
        // From words 0 and 1, and from words 2 and 3.
        let pair = |column: usize, half: usize| {
            _mm_loadu_si128(words[column].as_ptr().add(2 * half).cast())
        };
        let mut low = [_mm_setzero_si128(); QUAD];
        let mut high = low;
        for half in 0..2 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|column| pair(column, half));
            let first = (_mm_unpacklo_epi8(a, b), _mm_unpacklo_epi8(c, d));
            let second = (_mm_unpackhi_epi8(a, b), _mm_unpackhi_epi8(c, d));
            for (index, (ab, cd)) in [first, second].into_iter().enumerate() {
                low[2 * half + index] = _mm_unpacklo_epi16(ab, cd);
                high[2 * half + index] = _mm_unpackhi_epi16(ab, cd);
            }
        }
        let mut out = [[0; 2]; PLANES];
        for (start, [a, b, c, d]) in [(0, low), (4, high)] {
            let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
            let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
            let planes = [
                _mm_unpacklo_epi64(ab, cd),
                _mm_unpackhi_epi64(ab, cd),
                _mm_unpacklo_epi64(ab_high, cd_high),
                _mm_unpackhi_epi64(ab_high, cd_high),
            ];
            for (out, plane) in out[start..].iter_mut().zip(planes) {
                _mm_storeu_si128(out.as_mut_ptr().cast(), plane);
            }
        }
        out
    }
}

/// See [`super::matrix::tile_product`].
///
/// Sums of 4,096 products of bytes are below 2^27, three planes of them below 2^44.
///
/// # Safety
/// [`is_available`] must hold; entries must have one byte, and the packed strips must have `columns` columns for all
/// words of a row.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) unsafe fn tile_product(
    m: &Modulus,
    out: &mut [u64],
    entries: &ByteEntries,
    columns: usize,
    tile: usize,
    corrections: &[u64],
    strips: &[u64],
) {
    // SAFETY: AVX-512 is enabled.
    let lanes = unsafe { DoubleLanes::<Avx512>::new(m) };
    let width = out.len() / BYTE_TILE_ROWS;
    let quads = columns.div_ceil(QUAD);
    let factor = m.reduce(entries.factor);
    let weights: [[__m512d; 2]; PLANES.div_ceil(GROUP)] = std::array::from_fn(|group| {
        let weight = m.mul(factor, m.pow(m.reduce(2), (8 * GROUP * group) as u64));
        encode(m, weight).map(|word| _mm512_set1_pd(f64::from_bits(word)))
    });
    let tile: &[u8] = bytemuck::cast_slice(entries.tile(tile));
    let strips = strips.chunks_exact(strip_words(columns)).zip(corrections.chunks_exact(STRIP));
    for (index, (strip, corrections)) in strips.enumerate() {
        let strip: &[u8] = bytemuck::cast_slice(strip);
        for first_row in (0..BYTE_TILE_ROWS).step_by(ROWS) {
            let sums = sums(&tile[first_row * BYTE_TILE_COLUMNS..], strip, quads);
            for (row, sums) in sums.iter().enumerate() {
                let at = (first_row + row) * width + index * STRIP;
                for half in 0..2 {
                    let place = half * (STRIP / 2);
                    let out = &mut out[at + place..][..STRIP / 2];
                    let correction = &corrections[place..][..STRIP / 2];
                    // SAFETY: AVX-512 is enabled; both slices have the words of a vector.
                    unsafe { recombine(lanes, &weights, sums, half, correction, out) };
                }
            }
        }
    }
}

/// Computes the sums of products of four rows with a strip, for every plane.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn sums(rows: &[u8], strip: &[u8], quads: usize) -> [[__m512i; PLANES]; ROWS] {
    let mut sums = [[_mm512_setzero_si512(); PLANES]; ROWS];
    let sign = _mm512_set1_epi8(OFFSET as i8);
    let plane_bytes = quads * STRIP * QUAD;
    for quad in 0..quads {
        let (chunk, column) = (quad * QUAD / BYTE_TILE_COLUMNS, quad * QUAD % BYTE_TILE_COLUMNS);
        let entries: [__m512i; ROWS] = std::array::from_fn(|row| {
            let at = chunk * BYTE_TILE + row * BYTE_TILE_COLUMNS + column;
            let entry = rows[at..].first_chunk().expect("a row of a tile");
            _mm512_xor_si512(_mm512_set1_epi32(i32::from_le_bytes(*entry)), sign)
        });
        for plane in 0..PLANES {
            let words = &strip[plane * plane_bytes + quad * STRIP * QUAD..][..STRIP * QUAD];
            // SAFETY: the slice has the bytes of a vector, and the load needs no alignment.
            let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
            for (sums, &entry) in sums.iter_mut().zip(&entries) {
                sums[plane] = _mm512_dpbusd_epi32(sums[plane], words, entry);
            }
        }
    }
    sums
}

/// Computes the residues of eight words from sums of all planes, added to corrections.
///
/// # Safety
/// The processor must have AVX-512, and the slices eight words.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
#[inline]
unsafe fn recombine(
    lanes: DoubleLanes<Avx512>,
    weights: &[[__m512d; 2]],
    sums: &[__m512i; PLANES],
    half: usize,
    corrections: &[u64],
    out: &mut [u64],
) {
    let plane = |index: usize| {
        let sums = match half {
            0 => _mm512_castsi512_si256(sums[index]),
            _ => _mm512_extracti64x4_epi64::<1>(sums[index]),
        };
        _mm512_cvtepi32_pd(sums)
    };
    // SAFETY: eight words, and the load needs no alignment.
    let mut total = unsafe { _mm512_cvtepi64_pd(_mm512_loadu_epi64(corrections.as_ptr().cast())) };
    for (group, &weight) in weights.iter().enumerate() {
        let first = GROUP * group;
        let mut value = plane(first);
        for index in 1..GROUP.min(PLANES - first) {
            let power = _mm512_set1_pd((1u64 << (8 * index)) as f64);
            value = _mm512_fmadd_pd(plane(first + index), power, value);
        }
        // SAFETY: AVX-512 is enabled; numbers are below 2^44.
        let product = unsafe { lanes.product(lanes.reduce(value), weight) };
        total = _mm512_add_pd(total, product);
    }
    // SAFETY: AVX-512 is enabled; three products within 0.6q and a residue are below 3q.
    let residues = unsafe { lanes.residue(total) };
    // SAFETY: eight words, and the store needs no alignment.
    unsafe { _mm512_storeu_pd(out.as_mut_ptr().cast(), residues) }
}
