//! Transforms and row sums of digit products for AVX-512 with IFMA, primes below 2^47.
//!
//! Words are unsigned numbers of 52 bits (products take no more of an operand, so that what is
//! above need not be cleared); every level of butterflies widens their range by q on both sides.
//! From an offset of a multiple of q that keeps them positive they stay below
//! `(2·levels + 2)·q < 2^52`.

mod forward;
mod inverse;
mod pairs;

use std::arch::x86_64::*;

use super::super::avx512::{LANES, load, splat, store};
use super::super::avx512_butterfly::Constants;
use super::prefetch;
use super::twiddles::{Twiddles, Vector};
use crate::Modulus;
use crate::fraction_digits::FractionDigits;
use forward::{forward_block, forward_leading};
use inverse::{inverse_block, inverse_trailing};

/// Largest number of rows whose sum needs no reduction before the inverse transform.
const ROWS_WITHOUT_REDUCTION: usize = 4;

/// Σ digit·row over the rows of a key in one block and component, in `[0, (rows + 1)·q)` or,
/// reduced, `[0, 2q)`.
///
/// Montgomery's reduction of `high·2^52 + low`: with m = low·q^-1 mod 2^52 the low halves of low
/// and m·q agree, so that their difference over 2^52 is that of the high halves.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn sum_rows(c: &Constants, digits: &[Vector], stride: usize, key: &[Vector]) -> [__m512i; 8] {
    let zero = _mm512_setzero_si512();
    let mut low = [zero; 8];
    let mut high = [c.q; 8];
    let (rows, _) = key.as_chunks::<8>();
    for (row, key) in rows.iter().enumerate() {
        let digits: &[Vector; 8] = digits[row * stride..][..8].try_into().expect("a block");
        for r in 0..8 {
            let (digit, key) = (load(&digits[r]), load(&key[r]));
            low[r] = _mm512_madd52lo_epu64(low[r], digit, key);
            high[r] = _mm512_madd52hi_epu64(high[r], digit, key);
        }
    }
    let mut out = [zero; 8];
    for r in 0..8 {
        let factor = _mm512_madd52lo_epu64(zero, low[r], c.q_inverse);
        let excess = _mm512_madd52hi_epu64(zero, factor, c.q);
        let carried = _mm512_add_epi64(high[r], _mm512_srli_epi64::<52>(low[r]));
        out[r] = _mm512_sub_epi64(carried, excess);
    }
    if rows.len() > ROWS_WITHOUT_REDUCTION {
        for x in &mut out {
            *x = c.reduce(*x);
        }
    }
    out
}

/// Offset of the words that forward transforms take: a multiple of q.
fn forward_offset(m: &Modulus, degree: usize) -> u64 {
    u64::from(degree.ilog2() + 1) * m.value()
}

/// `accumulator += Σ digit·row`, two components, fractions of coefficients. `digits`: N words a
/// row, as [`decompose`] writes them, overwritten; `sums`: 2N words of scratch memory.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply_add(
    (m, twiddles): (&Modulus, &Twiddles),
    accumulator: &mut [u64],
    rows: &[u64],
    next: &[u64],
    digits: &mut [u64],
    sums: &mut [u64],
) {
    let c = Constants::new(m);
    let ((digits, _), (sums, _)) = (digits.as_chunks_mut::<LANES>(), sums.as_chunks_mut::<LANES>());
    let ((accumulator, _), (words, _)) =
        (accumulator.as_chunks_mut::<LANES>(), rows.as_chunks::<LANES>());
    let stride = accumulator.len() / 2;
    let levels = u64::from((stride * LANES).ilog2());
    let rows = digits.len() / stride;
    for row in digits.chunks_exact_mut(stride) {
        forward_leading(&c, twiddles, row);
    }
    // What a sum is below, in units of q; reduced ones are below 2q.
    let bound = if rows > ROWS_WITHOUT_REDUCTION { 2 } else { rows as u64 + 1 };
    let offsets = (splat((levels - 1) * m.value()), splat(bound * m.value()));
    // What a block reads, in equal pieces between its transforms: fetches in one burst would wait
    // for each other.
    let mut next = next.chunks((128 * rows).div_ceil(rows + 2));
    let keys = words.chunks_exact(2 * 8 * rows);
    for (block, (factors, keys)) in twiddles.forward_blocks.iter().zip(keys).enumerate() {
        for row in digits.chunks_exact_mut(stride) {
            prefetch(next.next().unwrap_or_default());
            let words = (&mut row[8 * block..8 * block + 8]).try_into().expect("a block");
            forward_block(&c, words, factors);
        }
        for (component, key) in keys.chunks_exact(8 * rows).enumerate() {
            prefetch(next.next().unwrap_or_default());
            let mut x: [__m512i; 8] = sum_rows(&c, &digits[8 * block..], stride, key);
            inverse_block(&c, twiddles, &mut x, offsets);
            let out = &mut sums[component * stride + 8 * block..][..8];
            for (out, x) in out.iter_mut().zip(x) {
                store(out, x);
            }
        }
    }
    inverse_trailing(&c, twiddles, sums, accumulator);
}

/// Prepares rows of coefficients (body, mask; N words each) in the order and form of
/// [`multiply_add`]: blocks, components, rows, positions; times 2^52 modulo q.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn prepare((m, twiddles): (&Modulus, &Twiddles), out: &mut [u64], rows: &mut [u64]) {
    let c = Constants::new(m);
    let ((out, _), (words, _)) = (out.as_chunks_mut::<LANES>(), rows.as_chunks_mut::<LANES>());
    let blocks = twiddles.forward_blocks.len();
    let stride = 8 * blocks;
    let rows = words.len() / (2 * stride);
    let offset = splat(forward_offset(m, stride * LANES));
    let radix = (1u64 << 52) % m.value();
    let quotient = splat(((u128::from(radix) << 52) / u128::from(m.value())) as u64);
    let radix = splat(radix);
    for (index, polynomial) in words.chunks_exact_mut(stride).enumerate() {
        let (row, component) = (index / 2, index % 2);
        for x in polynomial.iter_mut() {
            let moved = _mm512_add_epi64(load(x), offset);
            store(x, moved);
        }
        forward_leading(&c, twiddles, polynomial);
        let (parts, _) = polynomial.as_chunks_mut::<8>();
        for (block, (words, factors)) in parts.iter_mut().zip(&twiddles.forward_blocks).enumerate()
        {
            forward_block(&c, words, factors);
            let start = ((2 * block + component) * rows + row) * 8;
            for (out, x) in out[start..start + 8].iter_mut().zip(words) {
                let x = load(x);
                let estimate = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, quotient);
                let low = _mm512_madd52lo_epu64(_mm512_setzero_si512(), x, radix);
                let remainder = _mm512_madd52lo_epu64(low, estimate, c.minus_q_52);
                let remainder = _mm512_and_si512(remainder, splat((1 << 52) - 1));
                store(out, _mm512_min_epu64(remainder, _mm512_sub_epi64(remainder, c.q)));
            }
        }
    }
}

/// Digits as forward transforms take them.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn decompose(m: &Modulus, digits: &FractionDigits, out: &mut [u64], source: &[u64]) {
    let offset = forward_offset(m, source.len());
    digits.decompose(out, source, |digit| offset.wrapping_add(digit as u64));
}

/// Digits of `source·X^exponent - source` as forward transforms take them.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn decompose_rotation(
    m: &Modulus,
    digits: &FractionDigits,
    out: &mut [u64],
    source: &[u64],
    exponent: usize,
) {
    let offset = forward_offset(m, source.len());
    digits.decompose_rotation(out, source, exponent, |digit| offset.wrapping_add(digit as u64));
}
