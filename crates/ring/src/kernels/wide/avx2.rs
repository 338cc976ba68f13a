//! Four words: AVX2.

use std::arch::x86_64::*;

use super::entry::entries;
use super::lanes::WideLanes;

#[derive(Clone, Copy)]
pub(super) struct Avx2;

impl WideLanes for Avx2 {
    type Vector = __m256i;

    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> __m256i {
        _mm256_loadu_si256(source.cast())
    }

    #[inline(always)]
    unsafe fn store(target: *mut u64, x: __m256i) {
        _mm256_storeu_si256(target.cast(), x);
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> __m256i {
        _mm256_set1_epi64x(word.cast_signed())
    }

    intrinsics! { __m256i:
        add(x, y) = _mm256_add_epi64(x, y);
        sub(x, y) = _mm256_sub_epi64(x, y);
        and(x, y) = _mm256_and_si256(x, y);
        shift_left(x, counts) = _mm256_sllv_epi64(x, counts);
        shift_right(x, counts) = _mm256_srlv_epi64(x, counts);
        upper(x) = _mm256_srli_epi64::<32>(x);
        mul_lower(x, y) = _mm256_mul_epu32(x, y);
    }

    #[inline(always)]
    unsafe fn mul(x: __m256i, [y, y_upper]: [__m256i; 2]) -> __m256i {
        // Only the lower halves of the products with upper halves count.
        let of_x = _mm256_mul_epu32(_mm256_srli_epi64::<32>(x), y);
        let upper = _mm256_add_epi64(of_x, _mm256_mul_epu32(x, y_upper));
        _mm256_add_epi64(_mm256_mul_epu32(x, y), _mm256_slli_epi64::<32>(upper))
    }

    #[inline(always)]
    unsafe fn subtract_once(x: __m256i, y: __m256i) -> __m256i {
        // The difference is in [-y, y): its sign says which of the two is below y.
        let difference = _mm256_castsi256_pd(_mm256_sub_epi64(x, y));
        _mm256_castpd_si256(_mm256_blendv_pd(difference, _mm256_castsi256_pd(x), difference))
    }

    #[inline(always)]
    unsafe fn where_above(x: __m256i, bound: __m256i, y: __m256i) -> __m256i {
        _mm256_and_si256(_mm256_cmpgt_epi64(x, bound), y)
    }
}

// Six sums of products stay in registers together with their operands.
entries!(Avx2, "avx2", 2);
