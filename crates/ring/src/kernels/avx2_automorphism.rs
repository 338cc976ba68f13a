//! Automorphisms on coefficients for AVX2: gathers of four at once.

use std::arch::x86_64::*;

use super::scalar;
use crate::modulus::inverse_of_odd;

/// Words of one vector.
const LANES: usize = 4;

/// `out(X) = source(X^exponent)`, modulo X^N + 1.
///
/// With h = exponent^-1 modulo 2N, coefficient j comes from position h·j modulo 2N, where position N + i stands for the
/// negative of coefficient i.
#[target_feature(enable = "avx2")]
pub(super) fn automorphism(out: &mut [u64], source: &[u64], exponent: usize) {
    let n = source.len();
    assert!(n.is_power_of_two() && out.len() == n && exponent % 2 == 1, "degree {n}");
    if n < LANES {
        return scalar::automorphism(out, source, exponent);
    }
    let inverse = inverse_of_odd(exponent as u64) as usize;
    let splat = |word: usize| _mm256_set1_epi64x(word as i64);
    let [a, b, c, d] = std::array::from_fn(|lane| inverse.wrapping_mul(lane) as i64);
    let mut positions = _mm256_setr_epi64x(a, b, c, d);
    let step = splat(inverse.wrapping_mul(LANES));
    let (inside, zero) = (splat(n - 1), _mm256_setzero_si256());
    // Moves bit log2 N, which says whether the sign changes, to the highest bit.
    let to_sign = _mm_cvtsi64_si128(63 - i64::from(n.ilog2()));
    for out in out.as_chunks_mut::<LANES>().0 {
        let index = _mm256_and_si256(positions, inside);
        // SAFETY: indices are below n, the length of `source`.
        let words = unsafe { _mm256_i64gather_epi64::<8>(source.as_ptr().cast(), index) };
        let negative = _mm256_cmpgt_epi64(zero, _mm256_sll_epi64(positions, to_sign));
        let words = _mm256_sub_epi64(_mm256_xor_si256(words, negative), negative);
        // SAFETY: the reference is valid for 32 bytes, and the store needs no alignment.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), words) };
        positions = _mm256_add_epi64(positions, step);
    }
}
