//! Sums modulo the primes of a group of limbs, from their residues modulo small numbers, by VNNI of AVX-512 (see
//! `residue_group.rs`).

use std::arch::x86_64::*;

use super::residue_entries::{MODULI, QUAD};
use super::residue_group::{FRACTION_BITS, ResidueGroup, WEIGHT_DIGITS};
use super::residue_lift::{STRIP, broadcast};
use super::residue_matrix::ResidueStrip;
use crate::Modulus;

/// Vectors of double words of a strip.
const VECTORS: usize = 2;

/// Words of a vector of doubles.
const LANES: usize = 8;

/// The most groups of four residues.
const MAX_QUADS: usize = MODULI.len() / QUAD + 1;

/// Four residues each of sixteen words, those of a word side by side.
type Quads = [__m512i; MAX_QUADS];

/// Computes the words of a strip of each limb, modulo its prime, from their residues, which are in groups of four
/// strips `stride` apart and unspecified after the last ones.
///
/// # Safety
/// The processor must have VNNI and the instruction sets that are used with it.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) unsafe fn recombine(
    group: &ResidueGroup,
    residues: &[ResidueStrip],
    stride: usize,
    out: &mut [&mut [[u64; STRIP]]],
    strip: usize,
) {
    let mut vectors = transposed(residues, stride, group.slots() / QUAD);
    let (last, shift) = (group.planes.len() / QUAD, 8 * (group.planes.len() % QUAD));
    let mask = _mm512_set1_epi32((1 << shift) - 1);
    let shift = _mm_cvtsi32_si128(shift as i32);
    for quads in &mut vectors {
        let multiple = _mm512_sll_epi32(overflow(group, quads), shift);
        quads[last] = _mm512_or_si512(_mm512_and_si512(quads[last], mask), multiple);
    }
    for ((m, weights), out) in group.moduli.iter().zip(&group.weights).zip(out) {
        for (quads, out) in vectors.iter().zip(out[strip].as_chunks_mut::<{ 2 * LANES }>().0) {
            let mut sums = [_mm512_setzero_si512(); WEIGHT_DIGITS];
            for (&quad, weights) in quads.iter().zip(weights).take(last + 1) {
                for (sum, &digits) in sums.iter_mut().zip(weights) {
                    *sum = _mm512_dpbusd_epi32(*sum, quad, broadcast(digits));
                }
            }
            put_words(out, m, sums);
        }
    }
}

/// Returns the residues of words 0 to 15 and 16 to 31, four side by side.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn transposed(residues: &[ResidueStrip], stride: usize, count: usize) -> [Quads; VECTORS] {
    // Pairs of words of four planes, one after the other, and then words.
    let mut pairs = [0i16; 32];
    for (index, pair) in pairs.iter_mut().enumerate() {
        *pair = (index / QUAD + 16 * (index % QUAD)) as i16;
    }
    // SAFETY: the array is a vector, and the load needs no alignment.
    let first = unsafe { _mm512_loadu_si512(pairs.as_ptr().cast()) };
    let second = _mm512_add_epi16(first, _mm512_set1_epi16(8));
    let split =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
    let mut vectors = [[_mm512_setzero_si512(); MAX_QUADS]; VECTORS];
    for index in 0..count {
        let planes = &residues[index * stride..][..QUAD];
        // SAFETY: two strips of residues are a vector, and loads need no alignment.
        let (low, high) = unsafe {
            (
                _mm512_loadu_si512(planes[..2].as_ptr().cast()),
                _mm512_loadu_si512(planes[2..4].as_ptr().cast()),
            )
        };
        for (vector, order) in vectors.iter_mut().zip([first, second]) {
            let pairs = _mm512_permutex2var_epi16(low, order, high);
            vector[index] = _mm512_shuffle_epi8(pairs, split);
        }
    }
    vectors
}

/// Returns `round(Σ_p r_p/p)`.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline]
fn overflow(group: &ResidueGroup, quads: &Quads) -> __m512i {
    let mut sums = [_mm512_setzero_si512(); 3];
    sums[0] = _mm512_set1_epi32(1 << (FRACTION_BITS - 1));
    for (&quad, fractions) in quads.iter().zip(&group.fractions).take(group.slots() / QUAD) {
        for (sum, &digits) in sums.iter_mut().zip(fractions) {
            *sum = _mm512_dpbusd_epi32(*sum, quad, broadcast(digits));
        }
    }
    let high = _mm512_add_epi32(sums[1], _mm512_slli_epi32::<8>(sums[2]));
    let sum = _mm512_add_epi32(sums[0], _mm512_slli_epi32::<8>(high));
    _mm512_srli_epi32::<FRACTION_BITS>(sum)
}

/// Writes `Σ_d 2^(8d)·sums[d]` modulo q.
///
/// Sums are below 24·255·2^7 < 2^20, two digits below 2^29, four below 2^45, exact as doubles. The whole sum is below
/// 2^12·q, since each weight is below q/2. The error of the quotient is below 2^-20 before it is rounded, and the
/// remainder after subtracting the multiple of q, before the low half is added, is below 2^45 + q.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn put_words(out: &mut [u64; 2 * LANES], m: &Modulus, sums: [__m512i; WEIGHT_DIGITS]) {
    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    let two = |low: __m512i, high: __m512i| _mm512_add_epi32(low, _mm512_slli_epi32::<8>(high));
    let pairs = [two(sums[0], sums[1]), two(sums[2], sums[3]), two(sums[4], sums[5]), sums[6]];
    let q = _mm512_set1_pd(m.value() as f64);
    let reciprocal = _mm512_set1_pd(1.0 / m.value() as f64);
    let power = _mm512_set1_pd(65_536.0);
    let top = _mm512_set1_pd(4_294_967_296.0);
    for (half, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let pairs = pairs.map(|pair| {
            _mm512_cvtepi32_pd(match half {
                0 => _mm512_castsi512_si256(pair),
                _ => _mm512_extracti64x4_epi64::<1>(pair),
            })
        });
        let low = _mm512_fmadd_pd(pairs[1], power, pairs[0]);
        let high = _mm512_mul_pd(_mm512_fmadd_pd(pairs[3], power, pairs[2]), top);
        let quotient = _mm512_mul_pd(_mm512_add_pd(high, low), reciprocal);
        let quotient = _mm512_roundscale_pd::<NEAREST>(quotient);
        let rest = _mm512_add_pd(_mm512_fnmadd_pd(quotient, q, high), low);
        let words = _mm512_cvtpd_epi64(rest);
        // As an unsigned number, a negative number is huge.
        let other = _mm512_add_epi64(words, _mm512_set1_epi64(m.value().cast_signed()));
        let words = _mm512_min_epu64(words, other);
        // SAFETY: the reference is valid for a vector, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), words) }
    }
}
