//! Eight words: AVX-512.

use std::arch::x86_64::*;

use super::entry::entries;
use super::lanes::WideLanes;

#[derive(Clone, Copy)]
pub(super) struct Avx512;

impl WideLanes for Avx512 {
    type Vector = __m512i;

    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> __m512i {
        _mm512_loadu_epi64(source.cast())
    }

    #[inline(always)]
    unsafe fn store(target: *mut u64, x: __m512i) {
        _mm512_storeu_epi64(target.cast(), x);
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> __m512i {
        _mm512_set1_epi64(word.cast_signed())
    }

    intrinsics! { __m512i:
        add(x, y) = _mm512_add_epi64(x, y);
        sub(x, y) = _mm512_sub_epi64(x, y);
        and(x, y) = _mm512_and_si512(x, y);
        shift_left(x, counts) = _mm512_sllv_epi64(x, counts);
        shift_right(x, counts) = _mm512_srlv_epi64(x, counts);
        upper(x) = _mm512_srli_epi64::<32>(x);
        mul_lower(x, y) = _mm512_mul_epu32(x, y);
        subtract_once(x, y) = {
            // The difference wraps to a number above x exactly if x < y.
            _mm512_min_epu64(x, _mm512_sub_epi64(x, y))
        };
    }

    #[inline(always)]
    unsafe fn mul(x: __m512i, [y, _]: [__m512i; 2]) -> __m512i {
        _mm512_mullo_epi64(x, y)
    }

    #[inline(always)]
    unsafe fn where_above(x: __m512i, bound: __m512i, y: __m512i) -> __m512i {
        _mm512_maskz_mov_epi64(_mm512_cmpgt_epu64_mask(x, bound), y)
    }
}

entries!(Avx512, "avx512f,avx512dq", 4);
