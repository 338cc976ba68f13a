//! Four doubles: AVX2 with FMA.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use std::arch::x86_64::*;

use super::Doubles;
use crate::kernels::avx2::TWO_52;

#[derive(Clone, Copy)]
pub(in super::super::super) struct Avx2;

impl Doubles for Avx2 {
    type Vector = __m256d;

    const LANES: usize = 4;
    const PAIRED: [u32; 2] = [2, 1];

    #[inline(always)]
    unsafe fn load(source: *const u64) -> __m256d {
        _mm256_loadu_pd(source.cast())
    }

    #[inline(always)]
    unsafe fn store(target: *mut u64, x: __m256d) {
        _mm256_storeu_pd(target.cast(), x);
    }

    #[inline(always)]
    unsafe fn splat(x: f64) -> __m256d {
        _mm256_set1_pd(x)
    }

    intrinsics! { __m256d:
        add(x, y) = _mm256_add_pd(x, y);
        sub(x, y) = _mm256_sub_pd(x, y);
        mul(x, y) = _mm256_mul_pd(x, y);
        mul_add(x, y, z) = _mm256_fmadd_pd(x, y, z);
        mul_sub(x, y, z) = _mm256_fmsub_pd(x, y, z);
        sub_mul(z, x, y) = _mm256_fnmadd_pd(x, y, z);
        floor(x) = _mm256_floor_pd(x);
    }

    #[inline(always)]
    unsafe fn from_words(words: __m256d) -> __m256d {
        // The bit pattern of 2^52, plus a smaller integer, is that of the sum.
        let offset = _mm256_set1_pd(TWO_52);
        _mm256_sub_pd(_mm256_or_pd(words, offset), offset)
    }

    #[inline(always)]
    unsafe fn to_words(x: __m256d, q: __m256d) -> __m256d {
        let offset = _mm256_set1_pd(TWO_52);
        // The sign of x selects, since x is not -0.
        let residue = _mm256_blendv_pd(x, _mm256_add_pd(x, q), x);
        _mm256_xor_pd(_mm256_add_pd(residue, offset), offset)
    }

    #[inline(always)]
    unsafe fn transpose<const R: usize>(x: &mut [__m256d; R]) {
        assert!(R == 4);
        let (a, b) = (_mm256_unpacklo_pd(x[0], x[1]), _mm256_unpackhi_pd(x[0], x[1]));
        let (c, d) = (_mm256_unpacklo_pd(x[2], x[3]), _mm256_unpackhi_pd(x[2], x[3]));
        x[0] = _mm256_permute2f128_pd::<0x20>(a, c);
        x[1] = _mm256_permute2f128_pd::<0x20>(b, d);
        x[2] = _mm256_permute2f128_pd::<0x31>(a, c);
        x[3] = _mm256_permute2f128_pd::<0x31>(b, d);
    }

    #[inline(always)]
    unsafe fn add_words(x: __m256d, y: __m256d) -> __m256d {
        let sum = _mm256_add_epi64(_mm256_castpd_si256(x), _mm256_castpd_si256(y));
        _mm256_castsi256_pd(sum)
    }

    #[inline(always)]
    unsafe fn bits_as_double(words: __m256d, shift: u32, mask: u64) -> __m256d {
        let shift = _mm_cvtsi32_si128(shift.cast_signed());
        let bits = _mm256_srl_epi64(_mm256_castpd_si256(words), shift);
        let bits = _mm256_and_si256(bits, _mm256_set1_epi64x(mask.cast_signed()));
        _mm256_or_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(TWO_52))
    }
}
