//! Automorphisms on coefficients for AVX-512: gathers of eight at once.

use std::arch::x86_64::*;

use super::avx512::LANES;
use super::scalar;
use crate::modulus::inverse_of_odd;

/// `out(X) = source(X^exponent)`, modulo X^N + 1.
///
/// With h = exponent^-1 modulo 2N, coefficient j comes from position h·j modulo 2N, where position N + i stands for the
/// negative of coefficient i.
#[target_feature(enable = "avx512f")]
pub(super) fn automorphism(out: &mut [u64], source: &[u64], exponent: usize) {
    let n = source.len();
    assert!(n.is_power_of_two() && out.len() == n && exponent % 2 == 1, "degree {n}");
    if n < LANES {
        return scalar::automorphism(out, source, exponent);
    }
    let inverse = inverse_of_odd(exponent as u64) as usize;
    let splat = |word: usize| _mm512_set1_epi64(word as i64);
    let first: [i64; LANES] = std::array::from_fn(|lane| inverse.wrapping_mul(lane) as i64);
    let [a, b, c, d, e, f, g, h] = first;
    let mut positions = _mm512_setr_epi64(a, b, c, d, e, f, g, h);
    let step = splat(inverse.wrapping_mul(LANES));
    let (inside, sign, zero) = (splat(n - 1), splat(n), _mm512_setzero_si512());
    for out in out.as_chunks_mut::<LANES>().0 {
        let index = _mm512_and_si512(positions, inside);
        // SAFETY: indices are below n, the length of `source`.
        let words = unsafe { _mm512_i64gather_epi64::<8>(index, source.as_ptr().cast()) };
        let negative = _mm512_test_epi64_mask(positions, sign);
        let words = _mm512_mask_sub_epi64(words, negative, zero, words);
        // SAFETY: the reference is valid for 64 bytes, and the store needs no alignment.
        unsafe { _mm512_storeu_epi64(out.as_mut_ptr().cast(), words) };
        positions = _mm512_add_epi64(positions, step);
    }
}
