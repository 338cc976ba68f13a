//! Conversion of words of groups of limbs to residues modulo small numbers, by VNNI of AVX-512 (see
//! `residue_group.rs`).

use std::arch::x86_64::*;

use super::ntt::doubles::avx512::Avx512;
use super::ntt::doubles::{DoubleLanes, Doubles};
use super::residue_entries::{MAX_GROUP, PRODUCTS, QUAD};
use super::residue_group::{Plane, ResidueGroup};

/// Words of a strip: two vectors of sums, the even words and the odd ones.
pub(super) const STRIP: usize = 32;

/// Double words of a vector.
const LANES: usize = 16;

/// Vectors of double words of a strip.
const VECTORS: usize = 2;

/// Vectors of words of a strip.
const WORD_VECTORS: usize = 4;

/// Returns the number of vectors of lifted words for a strip of one column.
pub(super) fn lifted_vectors(group: &ResidueGroup) -> usize {
    group.parts() * VECTORS
}

/// The lifted words of a strip: `[4 columns][even or odd][limb][half][column][word]`, double words.
pub(super) type Lifted = [[u32; LANES]];

/// Lifts a strip of words of a column, given the strips of each limb.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,fma")]
pub(super) fn lift(
    out: &mut Lifted,
    group: &ResidueGroup,
    column: usize,
    limbs: &[&[[u64; STRIP]]],
    strip: usize,
) {
    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    let even = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(2));
    let mut words = [[_mm512_setzero_si512(); WORD_VECTORS]; MAX_GROUP];
    let mut quotients = [_mm512_setzero_pd(); WORD_VECTORS];
    for (limb, (words, source)) in words.iter_mut().zip(limbs).enumerate() {
        let m = &group.moduli[limb];
        let inverse = group.inverses[limb].map(|word| _mm512_set1_pd(f64::from_bits(word)));
        let (q, reciprocal) = (_mm512_set1_pd(m.value() as f64), 1.0 / m.value() as f64);
        let reciprocal = _mm512_set1_pd(reciprocal);
        for (index, (word, quotient)) in words.iter_mut().zip(&mut quotients).enumerate() {
            // SAFETY: a quarter of a strip is a vector, and the load needs no alignment; AVX-512 is enabled.
            *word = unsafe {
                let source = _mm512_loadu_si512(source[strip][8 * index..][..8].as_ptr().cast());
                let lanes = DoubleLanes::<Avx512>::new(m);
                let product = lanes.product(_mm512_cvtepi64_pd(source), inverse);
                _mm512_castpd_si512(Avx512::to_words(product, q))
            };
            *quotient = _mm512_fmadd_pd(_mm512_cvtepi64_pd(*word), reciprocal, *quotient);
        }
    }
    for (word, quotient) in words[0].iter_mut().zip(quotients) {
        let rounded = _mm512_cvtpd_epi64(_mm512_roundscale_pd::<NEAREST>(quotient));
        *word = _mm512_or_si512(*word, _mm512_slli_epi64::<56>(rounded));
    }
    let (parts, first) = (group.parts(), column / QUAD * QUAD * lifted_vectors(group));
    for (limb, &[a, b, c, d]) in words.iter().enumerate().take(limbs.len()) {
        for (vector, indices) in [even, odd].into_iter().enumerate() {
            let (ab, cd) = (
                _mm512_permutex2var_epi32(a, indices, b),
                _mm512_permutex2var_epi32(c, indices, d),
            );
            let low = _mm512_inserti64x4::<1>(ab, _mm512_castsi512_si256(cd));
            let high = _mm512_shuffle_i64x2::<0xee>(ab, cd);
            for (half, values) in [low, high].into_iter().enumerate() {
                let place = (vector * parts + 2 * limb + half) * QUAD + column % QUAD;
                // SAFETY: the reference is valid for a vector, and the store needs no alignment.
                unsafe { _mm512_storeu_si512(out[first + place].as_mut_ptr().cast(), values) }
            }
        }
    }
}

/// Writes the residues of strips of both parts of all columns modulo some numbers, in the sums that are multiplied:
/// `[product][4 columns][word][column]` bytes for each number, in the order of `ResidueEntries`. With `B` in halves of
/// columns and parts, these are `B11`, `B21`, `T2 = B22 - T1`, `T3 = B22 - B12`, `T4 = T2 - B21`, `T1 = B12 - B11`,
/// `B22`.
///
/// Residues are in `[0, p]`, and so are differences. Lifted words come from memory, for all numbers at once.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512vnni")]
pub(super) fn pack(
    out: &mut [&mut [[u32; STRIP]]],
    group: &ResidueGroup,
    planes: &[Plane],
    parts: [&Lifted; 2],
) {
    let quads = out[0].len() / PRODUCTS;
    let quad_vectors = QUAD * lifted_vectors(group);
    for (part, lifted) in parts.into_iter().enumerate() {
        for (quad, columns) in lifted.chunks_exact(quad_vectors).enumerate() {
            // B12 is kept in the place of T3 until T3 is computed.
            let product = [[0, 1], [3, 6]][part][quad / quads];
            for (vector, words) in columns.chunks_exact(quad_vectors / VECTORS).enumerate() {
                for (out, plane) in out.iter_mut().zip(planes) {
                    let residues = residues(words, plane);
                    let out = &mut out[product * quads + quad % quads][vector * LANES..][..LANES];
                    // SAFETY: the slice has the words of a vector, and the store needs no alignment.
                    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), residues) }
                }
            }
        }
    }
    for (out, plane) in out.iter_mut().zip(planes) {
        for quad in 0..quads {
            for vector in 0..VECTORS {
                write_differences(out, [quads, quad, vector], plane);
            }
        }
    }
}

/// Computes T1 to T4 of a vector; see [`pack`].
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn write_differences(out: &mut [[u32; STRIP]], [quads, quad, vector]: [usize; 3], plane: &Plane) {
    let p = _mm512_set1_epi8(plane.p as i8);
    // SAFETY: slices have the words of a vector, and nothing needs alignment.
    unsafe {
        let at = |product: usize| {
            out[product * quads + quad][vector * LANES..][..LANES].as_ptr().cast::<__m512i>()
        };
        let (b11, b21) = (_mm512_loadu_si512(at(0)), _mm512_loadu_si512(at(1)));
        let (b12, b22) = (_mm512_loadu_si512(at(3)), _mm512_loadu_si512(at(6)));
        let t1 = difference(b12, b11, p);
        let t2 = difference(b22, t1, p);
        let sums = [(2, t2), (3, difference(b22, b12, p)), (4, difference(t2, b21, p)), (5, t1)];
        for (product, sum) in sums {
            let out = &mut out[product * quads + quad][vector * LANES..][..LANES];
            _mm512_storeu_si512(out.as_mut_ptr().cast(), sum);
        }
    }
}

/// Returns `a - b`, plus p where that is negative.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn difference(a: __m512i, b: __m512i, p: __m512i) -> __m512i {
    let difference = _mm512_sub_epi8(a, b);
    _mm512_mask_add_epi8(difference, _mm512_cmplt_epu8_mask(a, b), difference, p)
}

/// Returns the residues of sixteen words of four columns, those of a word side by side.
///
/// Sums of up to 24 products of bytes are below 2^20, exact as floats. The error of quotients is below 2^-9 before they
/// are rounded down, so that a remainder is in `[0, p]`; p = 256 is exact.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn residues(words: &Lifted, plane: &Plane) -> __m512i {
    let mut sums = [_mm512_setzero_si512(); QUAD];
    for (columns, &weight) in words.as_chunks::<QUAD>().0.iter().zip(&plane.lift) {
        let weight = broadcast(weight);
        for (sum, words) in sums.iter_mut().zip(columns) {
            // SAFETY: the reference is valid for a vector, and the load needs no alignment.
            let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
            *sum = _mm512_dpbusd_epi32(*sum, words, weight);
        }
    }
    let low = joined(remainder(sums[0], plane), remainder(sums[1], plane));
    let high = joined(remainder(sums[2], plane), remainder(sums[3], plane));
    _mm512_or_si512(low, _mm512_slli_epi32::<16>(high))
}

/// Copies four bytes to every lane.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn broadcast(bytes: [i8; QUAD]) -> __m512i {
    _mm512_set1_epi32(i32::from_le_bytes(bytes.map(i8::cast_unsigned)))
}

/// `x - p·⌊x/p⌋`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn remainder(x: __m512i, plane: &Plane) -> __m512 {
    const FLOOR: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    let x = _mm512_cvtepi32_ps(x);
    let quotient = _mm512_mul_ps(x, _mm512_set1_ps(plane.reciprocal));
    let quotient = _mm512_roundscale_ps::<FLOOR>(quotient);
    _mm512_fnmadd_ps(quotient, _mm512_set1_ps(plane.p.into()), x)
}

/// Joins two bytes side by side.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn joined(low: __m512, high: __m512) -> __m512i {
    _mm512_cvttps_epi32(_mm512_fmadd_ps(high, _mm512_set1_ps(256.0), low))
}
