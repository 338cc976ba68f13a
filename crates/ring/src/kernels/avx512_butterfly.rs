//! Butterflies of eight words at once on AVX-512 with IFMA, for all transforms.
//!
//! The butterflies multiply first, `(u + t, u - t)` with t ≡ w·v in `(-q, q)`. They take five instructions and no
//! comparison, and every product is added in place, so that no register is copied or cleared.

use std::arch::x86_64::*;

use super::avx512::splat;
use crate::Modulus;

/// The constants that all passes share, one copy per lane.
#[derive(Clone, Copy)]
pub(super) struct Constants {
    /// `2^52 - q`: products with it are products with -q modulo 2^52.
    pub(super) minus_q_52: __m512i,
    /// `⌊2^52/q⌋`.
    pub(super) reciprocal: __m512i,
}

impl Constants {
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn new(m: &Modulus) -> Self {
        let q = m.value();
        Self { minus_q_52: splat((1 << 52) - q), reciprocal: splat((1 << 52) / q) }
    }

    /// Computes `(u + w·v, u - w·v)` modulo q, each within q of u, from `w + q` and `⌈w·2^52/q⌉`.
    ///
    /// The estimate e of the quotient, rounded up, is within 1 of `w·v/q`. The instruction adds it to v; the product of
    /// v with w + q cancels the term v·q of (v + e)·q.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub(super) fn butterfly(
        &self,
        u: &mut __m512i,
        v: &mut __m512i,
        w: __m512i,
        quotient: __m512i,
    ) {
        let twice = _mm512_add_epi64(*u, *u);
        let sum = _mm512_madd52lo_epu64(*u, *v, w);
        let estimate = _mm512_madd52hi_epu64(*v, *v, quotient);
        *u = _mm512_madd52lo_epu64(sum, estimate, self.minus_q_52);
        *v = _mm512_sub_epi64(twice, *u);
    }
}

/// Transposes eight vectors.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn transpose(x: &mut [__m512i; 8]) {
    let pairs: [__m512i; 8] = [
        _mm512_unpacklo_epi64(x[0], x[1]),
        _mm512_unpackhi_epi64(x[0], x[1]),
        _mm512_unpacklo_epi64(x[2], x[3]),
        _mm512_unpackhi_epi64(x[2], x[3]),
        _mm512_unpacklo_epi64(x[4], x[5]),
        _mm512_unpackhi_epi64(x[4], x[5]),
        _mm512_unpacklo_epi64(x[6], x[7]),
        _mm512_unpackhi_epi64(x[6], x[7]),
    ];
    for odd in 0..2 {
        let [a, b, c, d] = [pairs[odd], pairs[2 + odd], pairs[4 + odd], pairs[6 + odd]];
        // Quarters 0 and 2, followed by quarters 1 and 3, of two registers each.
        let (even_ab, odd_ab) =
            (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
        let (even_cd, odd_cd) =
            (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xdd>(c, d));
        x[odd] = _mm512_shuffle_i64x2::<0x88>(even_ab, even_cd);
        x[odd + 4] = _mm512_shuffle_i64x2::<0xdd>(even_ab, even_cd);
        x[odd + 2] = _mm512_shuffle_i64x2::<0x88>(odd_ab, odd_cd);
        x[odd + 6] = _mm512_shuffle_i64x2::<0xdd>(odd_ab, odd_cd);
    }
}
