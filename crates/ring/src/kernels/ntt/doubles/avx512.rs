//! Eight doubles: AVX-512.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use std::arch::x86_64::*;

use super::Doubles;
use crate::kernels::avx2::TWO_52;
use crate::kernels::avx512_butterfly::transpose;

#[derive(Clone, Copy)]
pub(in super::super::super) struct Avx512;

impl Doubles for Avx512 {
    type Vector = __m512d;

    const LANES: usize = 8;
    const PAIRED: [u32; 2] = [2, 1];

    #[inline(always)]
    unsafe fn load(source: *const u64) -> __m512d {
        _mm512_loadu_pd(source.cast())
    }

    #[inline(always)]
    unsafe fn store(target: *mut u64, x: __m512d) {
        _mm512_storeu_pd(target.cast(), x);
    }

    #[inline(always)]
    unsafe fn splat(x: f64) -> __m512d {
        _mm512_set1_pd(x)
    }

    intrinsics! { __m512d:
        add(x, y) = _mm512_add_pd(x, y);
        sub(x, y) = _mm512_sub_pd(x, y);
        mul(x, y) = _mm512_mul_pd(x, y);
        mul_add(x, y, z) = _mm512_fmadd_pd(x, y, z);
        mul_sub(x, y, z) = _mm512_fmsub_pd(x, y, z);
        sub_mul(z, x, y) = _mm512_fnmadd_pd(x, y, z);
        from_words(words) = _mm512_cvtepi64_pd(_mm512_castpd_si512(words));
        floor(x) = _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x);
    }

    #[inline(always)]
    unsafe fn to_words(x: __m512d, q: __m512d) -> __m512d {
        let (x, q) = (_mm512_cvtpd_epi64(x), _mm512_cvtpd_epi64(q));
        // As an unsigned number, a negative number is huge.
        _mm512_castsi512_pd(_mm512_min_epu64(x, _mm512_add_epi64(x, q)))
    }

    #[inline(always)]
    unsafe fn transpose<const R: usize>(x: &mut [__m512d; R]) {
        let mut words: [__m512i; 8] = std::array::from_fn(|i| _mm512_castpd_si512(x[i]));
        transpose(&mut words);
        for (x, words) in x.iter_mut().zip(words) {
            *x = _mm512_castsi512_pd(words);
        }
    }

    #[inline(always)]
    unsafe fn add_words(x: __m512d, y: __m512d) -> __m512d {
        let sum = _mm512_add_epi64(_mm512_castpd_si512(x), _mm512_castpd_si512(y));
        _mm512_castsi512_pd(sum)
    }

    #[inline(always)]
    unsafe fn bits_as_double(words: __m512d, shift: u32, mask: u64) -> __m512d {
        let shift = _mm_cvtsi32_si128(shift.cast_signed());
        let bits = _mm512_srl_epi64(_mm512_castpd_si512(words), shift);
        let offset = _mm512_castpd_si512(_mm512_set1_pd(TWO_52));
        // (bits and mask) or offset.
        let mask = _mm512_set1_epi64(mask.cast_signed());
        _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0xea>(bits, mask, offset))
    }
}
