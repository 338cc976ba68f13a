//! Products of integer matrices with residues by VNNI of AVX-512, modulo small numbers
//! ([`ResidueEntries`]); moduli below 2^50.
//!
//! Words are centered modulo q and reduced modulo n numbers p of a byte. One instruction adds to sixteen
//! sums of 32 bits, for one p, the products of four columns: n of them for 64 products, n = 9 or 10 for
//! entries of 16 or 20 bits, where IFMA takes sixteen.
//!
//! With `M = Π p`, `w_p` the inverse of M/p modulo p, and sums `S_p` modulo p, which need not be reduced,
//! the result is `Σ_p S_p·w_p·(M/p) - k·M`, where `k = round(Σ_p S_p·w_p/p)` because its absolute value is
//! below M/2 (the quotient in floating point is that of Halevi, Polyakov, Shoup 2019). All of it is done
//! in doubles, modulo q.

use std::arch::x86_64::*;

use super::matrix_layout::HALF_BITS;
use super::ntt::doubles::avx512::Avx512;
use super::ntt::doubles::{DoubleLanes, encode};
use super::residue_entries::{
    MODULI, QUAD, RESIDUE_TILE_ROWS, ResidueEntries, inverse, product_of,
};
use crate::Modulus;

/// Words of a packed strip: two vectors of sums.
pub(super) const STRIP: usize = 32;

/// Words of a vector of doubles.
const LANES: usize = 8;

/// Vectors of sums of a strip.
const VECTORS: usize = 2;

/// Sums of a tile and strip modulo one number.
type Sums = [[__m512i; VECTORS]; RESIDUE_TILE_ROWS];

/// What sums are put together with, for a modulus and a matrix.
#[derive(Debug)]
pub(super) struct Recombination {
    planes: Vec<Plane>,
    /// Planes whose weighted sums are exact as doubles.
    group: usize,
    /// `2^25` and `-M·factor` modulo q, as [`encode`] gives them.
    high: [u64; 2],
    overflow: [u64; 2],
}

/// What a sum modulo p is multiplied by.
#[derive(Clone, Copy, Debug)]
struct Plane {
    /// `w_p/p`.
    fraction: f64,
    /// `w_p·(M/p)·factor`, centered modulo q, as `2^25·high + low`.
    high: f64,
    low: f64,
}

impl Recombination {
    pub(super) fn new(m: &Modulus, entries: &ResidueEntries) -> Self {
        let count = entries.planes_for(m);
        let product = product_of(count);
        let factor = m.reduce(entries.factor);
        let plane = |&p: &u16| {
            let others = product / u128::from(p);
            let inverse = inverse(others.cast_signed(), p);
            let weight = m.mul(m.reduce_u128(others), m.reduce_i64(inverse.into()));
            let weight = m.center(m.mul(weight, factor));
            let half = 1 << (HALF_BITS - 1);
            let high = (weight + half) >> HALF_BITS;
            let low = weight - (high << HALF_BITS);
            let fraction = f64::from(inverse) / f64::from(p);
            Plane { fraction, high: high as f64, low: low as f64 }
        };
        // A sum is below 2^15 a column, half a weight at most 2^24, and doubles are exact up to 2^53.
        let group = (1 << 14) / (QUAD * entries.quads);
        Self {
            planes: MODULI[..count].iter().map(plane).collect(),
            group: group.max(1),
            high: encode(m, m.reduce(1 << HALF_BITS)),
            overflow: encode(m, m.neg(m.mul(m.reduce_u128(product), factor))),
        }
    }
}

/// Packed words that a word takes: a byte of each modulus for every column, in fours.
pub(super) fn packed_words(entries: &ResidueEntries, planes: usize) -> usize {
    (planes * entries.quads * QUAD).div_ceil(8)
}

/// Packs words of all columns into those from word `start`, a multiple of 8:
/// `[strip][modulus][4 columns][word][column]` bytes, zeros for columns that fill up the last four.
///
/// A word x is centered, and `x - p·⌊x/p⌋` computed as doubles: the quotient is below 2^42, off by less than
/// 2^-9 before it is rounded down, so that a remainder is in `[0, p]`: p in place of 0 is right, too, and
/// not met for p = 256, where the quotient is exact.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) fn pack(
    strips: &mut [u64],
    m: &Modulus,
    entries: &ResidueEntries,
    start: usize,
    columns: &[&[u64]],
) {
    let planes = entries.planes_for(m);
    let strip_words = packed_words(entries, planes) * STRIP * 2;
    let strips: &mut [u32] = bytemuck::cast_slice_mut(strips);
    let moduli = MODULI.map(|p| (_mm512_set1_pd(p.into()), _mm512_set1_pd(1.0 / f64::from(p))));
    let zeros = vec![0; columns[0].len()];
    for (quad, columns) in columns.chunks(QUAD).enumerate() {
        let columns: [&[u64]; QUAD] =
            std::array::from_fn(|i| columns.get(i).copied().unwrap_or(&zeros));
        for first in (0..zeros.len()).step_by(LANES) {
            let words = columns
                .map(|words| centered(m, words[first..].first_chunk().expect("words of eights")));
            let word = start + first;
            let strip = &mut strips[word / STRIP * strip_words..][..strip_words];
            for (plane, &(p, reciprocal)) in moduli[..planes].iter().enumerate() {
                let bytes = joined(words.map(|x| remainder(x, p, reciprocal)));
                let at = (plane * entries.quads + quad) * STRIP + word % STRIP;
                let out: &mut [u32; LANES] = strip[at..].first_chunk_mut().expect("a strip");
                // SAFETY: the reference is valid for 32 bytes, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes) }
            }
        }
    }
}

/// Eight words as the numbers nearest to zero modulo q.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn centered(m: &Modulus, words: &[u64; LANES]) -> __m512d {
    let (q, half) = (_mm512_set1_epi64(m.value() as i64), _mm512_set1_epi64(m.value() as i64 / 2));
    // SAFETY: the reference is valid for a vector, and the load needs no alignment.
    let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
    let is_above = _mm512_cmpgt_epi64_mask(words, half);
    _mm512_cvtepi64_pd(_mm512_mask_sub_epi64(words, is_above, words, q))
}

/// `x - p·⌊x/p⌋`.
#[target_feature(enable = "avx512f")]
#[inline]
fn remainder(x: __m512d, p: __m512d, reciprocal: __m512d) -> __m512d {
    const FLOOR: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    let quotient = _mm512_roundscale_pd::<FLOOR>(_mm512_mul_pd(x, reciprocal));
    _mm512_fnmadd_pd(quotient, p, x)
}

/// Bytes of four columns side by side.
#[target_feature(enable = "avx512f")]
#[inline]
fn joined([a, b, c, d]: [__m512d; QUAD]) -> __m256i {
    let byte = _mm512_set1_pd(256.0);
    let (low, high) = (_mm512_fmadd_pd(b, byte, a), _mm512_fmadd_pd(d, byte, c));
    _mm512_cvttpd_epu32(_mm512_fmadd_pd(high, _mm512_set1_pd(65_536.0), low))
}

/// See [`super::matrix::tile_product`].
///
/// # Safety
/// The processor has VNNI; packed strips for all words of a row, by [`pack`] for this matrix and modulus.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) unsafe fn tile_product(
    m: &Modulus,
    out: &mut [u64],
    entries: &ResidueEntries,
    tile: usize,
    recombination: &Recombination,
    strips: &[u64],
) {
    // SAFETY: AVX-512 is enabled.
    let lanes = unsafe { DoubleLanes::<Avx512>::new(m) };
    let width = out.len() / RESIDUE_TILE_ROWS;
    let planes = recombination.planes.len();
    let strip_words = packed_words(entries, planes) * STRIP * 2;
    let strips: &[u32] = bytemuck::cast_slice(strips);
    let zero = [[_mm512_setzero_si512(); VECTORS]; RESIDUE_TILE_ROWS];
    let mut all: [Sums; MODULI.len()] = [zero; MODULI.len()];
    for (index, strip) in strips.chunks_exact(strip_words).take(width / STRIP).enumerate() {
        let words = strip.as_chunks::<STRIP>().0.chunks_exact(entries.quads);
        for ((plane, words), sums) in words.enumerate().zip(&mut all[..planes]) {
            *sums = plane_sums(entries.plane(tile, plane), words);
        }
        for row in 0..RESIDUE_TILE_ROWS {
            let out = &mut out[row * width + index * STRIP..][..STRIP];
            // SAFETY: AVX-512 is enabled.
            unsafe { recombine(lanes, recombination, &all[..planes], row, out) }
        }
    }
}

/// Sums of products of a tile with a strip, modulo one number.
///
/// Of 4,096 products of unsigned with signed bytes: below 2^27.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn plane_sums(rows: &[[[i8; QUAD]; RESIDUE_TILE_ROWS]], words: &[[u32; STRIP]]) -> Sums {
    let mut sums = [[_mm512_setzero_si512(); VECTORS]; RESIDUE_TILE_ROWS];
    for (rows, words) in rows.iter().zip(words) {
        let words: [__m512i; VECTORS] = std::array::from_fn(|i| {
            let words = &words[i * (STRIP / VECTORS)..][..STRIP / VECTORS];
            // SAFETY: the slice has the words of a vector, and the load needs no alignment.
            unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
        });
        for (sums, row) in sums.iter_mut().zip(rows) {
            let entry = _mm512_set1_epi32(i32::from_le_bytes(row.map(i8::cast_unsigned)));
            for (sum, &words) in sums.iter_mut().zip(&words) {
                *sum = _mm512_dpbusd_epi32(*sum, words, entry);
            }
        }
    }
    sums
}

/// Residues of a strip's words of one row.
///
/// Weighted sums of a group are at most 2^53, hence reduced ones within q/2 + 1 (see `doubles_matrix.rs`); of up to
/// four groups, what is added up at the end is below 4q.
///
/// # Safety
/// The processor has AVX-512; `out` has the words of a strip.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
#[inline]
unsafe fn recombine(
    lanes: DoubleLanes<Avx512>,
    recombination: &Recombination,
    all: &[Sums],
    row: usize,
    out: &mut [u64],
) {
    const PARTS: usize = STRIP / LANES;
    let zero = _mm512_setzero_pd();
    let [mut fractions, mut highs, mut lows] = [[zero; PARTS]; 3];
    let groups = recombination.planes.chunks(recombination.group);
    for (planes, all) in groups.zip(all.chunks(recombination.group)) {
        let [mut high, mut low] = [[zero; PARTS]; 2];
        for (plane, sums) in planes.iter().zip(all) {
            let fraction = _mm512_set1_pd(plane.fraction);
            let weights = [_mm512_set1_pd(plane.high), _mm512_set1_pd(plane.low)];
            for part in 0..PARTS {
                let sums = sums[row][part / 2];
                let half = match part % 2 {
                    0 => _mm512_castsi512_si256(sums),
                    _ => _mm512_extracti64x4_epi64::<1>(sums),
                };
                let sum = _mm512_cvtepi32_pd(half);
                fractions[part] = _mm512_fmadd_pd(sum, fraction, fractions[part]);
                high[part] = _mm512_fmadd_pd(sum, weights[0], high[part]);
                low[part] = _mm512_fmadd_pd(sum, weights[1], low[part]);
            }
        }
        for part in 0..PARTS {
            // SAFETY: AVX-512 is enabled.
            unsafe {
                highs[part] = _mm512_add_pd(highs[part], lanes.reduce(high[part]));
                lows[part] = _mm512_add_pd(lows[part], lanes.reduce(low[part]));
            }
        }
    }
    let constant = |words: [u64; 2]| words.map(|word| _mm512_set1_pd(f64::from_bits(word)));
    let (high_weight, overflow_weight) =
        (constant(recombination.high), constant(recombination.overflow));
    for (part, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        let overflow = _mm512_roundscale_pd::<NEAREST>(fractions[part]);
        // SAFETY: AVX-512 is enabled; the reference is valid for a vector, and the store needs no alignment.
        unsafe {
            let products = _mm512_add_pd(
                lanes.product(highs[part], high_weight),
                lanes.product(overflow, overflow_weight),
            );
            let residues = lanes.residue(_mm512_add_pd(products, lows[part]));
            _mm512_storeu_pd(out.as_mut_ptr().cast(), residues);
        }
    }
}
