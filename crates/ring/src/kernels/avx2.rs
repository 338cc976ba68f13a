//! Kernels for AVX2 with FMA, and the vector arithmetic under them; moduli below 2^50.
//!
//! Products are computed in double precision: four lanes, exact by fused multiply-add. Numbers in
//! `f64` lanes are integers of magnitude below 2^53 throughout, so no addition rounds.

use std::arch::x86_64::*;

use super::word_loops::word_loops;
use crate::Modulus;

/// Words of one vector.
pub(super) const LANES: usize = 4;

word_loops!("avx2,fma", __m256i);

/// The double 2^52, whose bit pattern plus an integer `x < 2^52` is that of the double `2^52 + x`.
pub(super) const TWO_52: f64 = (1u64 << 52) as f64;

/// A modulus `q < 2^50` and its constants, one copy per lane.
#[derive(Clone, Copy)]
pub(super) struct VectorModulus {
    q: __m256i,
    value: __m256d,
    reciprocal: __m256d,
}

impl VectorModulus {
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(super) fn new(m: &Modulus) -> Self {
        let value = m.value() as f64;
        Self {
            q: splat(m.value()),
            value: _mm256_set1_pd(value),
            reciprocal: _mm256_set1_pd(1.0 / value),
        }
    }

    /// Returns x for `x < q` and `x - q` for `q <= x < 2q`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn subtract_once(&self, x: __m256i) -> __m256i {
        self.add_if_negative(_mm256_sub_epi64(x, self.q))
    }

    /// Returns x for `0 <= x` and `x + q` for signed `x < 0`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn add_if_negative(&self, x: __m256i) -> __m256i {
        let negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
        _mm256_add_epi64(x, _mm256_and_si256(negative, self.q))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn add(&self, a: __m256i, b: __m256i) -> __m256i {
        self.subtract_once(_mm256_add_epi64(a, b))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn sub(&self, a: __m256i, b: __m256i) -> __m256i {
        self.add_if_negative(_mm256_sub_epi64(a, b))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn neg(&self, a: __m256i) -> __m256i {
        self.subtract_once(_mm256_sub_epi64(self.q, a))
    }

    /// Returns an integer of magnitude below `2.1q` that is `a·b` modulo q, for integers `0 <= a < 2^52` and
    /// `0 <= b < q`. Its magnitude is below q if `a < 2^50`.
    ///
    /// The product is exactly `h + l`, where h is its rounding. Rounding h, `1/q` and their product results in an
    /// estimate of `ab/q` with a relative error below `3.01·2^-53`, hence an absolute one below 1.51, or below 0.38 if
    /// `a < 2^50`; rounding to an integer c adds at most 1/2. So `h - c·q`, an integer that differs from `ab - c·q` by
    /// `|l| <= 2^48`, is below 2^53, and the fused operation is exact.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(super) fn mul_lazy(&self, a: __m256d, b: __m256d) -> __m256d {
        let high = _mm256_mul_pd(a, b);
        let low = _mm256_fmsub_pd(a, b, high);
        let quotient = round(_mm256_mul_pd(high, self.reciprocal));
        _mm256_add_pd(_mm256_fnmadd_pd(quotient, self.value, high), low)
    }

    /// Returns an integer of magnitude below `0.84q` that is x modulo q, for integers `|x| < 2^52`.
    ///
    /// The estimate of `x/q` has a relative error below `2.01·2^-53`, hence, since `q >= 3`, an absolute one below
    /// 0.34.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(super) fn reduce_lazy(&self, x: __m256d) -> __m256d {
        let quotient = round(_mm256_mul_pd(x, self.reciprocal));
        _mm256_fnmadd_pd(quotient, self.value, x)
    }

    /// Returns the residue of an integer of magnitude below q.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn residue(&self, x: __m256d) -> __m256i {
        // x is below 2^51, so 1.5·2^52 + x is in [2^52, 2^53), where bit patterns increase by one per integer.
        let magic = _mm256_set1_pd(1.5 * TWO_52);
        let bits = _mm256_castpd_si256(_mm256_add_pd(x, magic));
        self.add_if_negative(_mm256_sub_epi64(bits, _mm256_castpd_si256(magic)))
    }

    /// Returns `a·b mod q` for words `a < 2^50` and factors `b < q`.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn mul(&self, a: __m256i, b: __m256d) -> __m256i {
        self.residue(self.mul_lazy(to_double(a), b))
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn mul_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    let v = VectorModulus::new(m);
    zip_assign(a, b, |a, b| v.mul(a, to_double(b)));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn mul(m: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    let v = VectorModulus::new(m);
    zip3_assign(out, a, b, |_, a, b| v.mul(a, to_double(b)));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn mul_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    let v = VectorModulus::new(m);
    zip3_assign(acc, a, b, |acc, a, b| v.add(acc, v.mul(a, to_double(b))));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn mul_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), _mm256_set1_pd(c as f64));
    map_assign(a, |a| v.mul(a, c));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn mul_scalar(m: &Modulus, out: &mut [u64], a: &[u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), _mm256_set1_pd(c as f64));
    zip_assign(out, a, |_, a| v.mul(a, c));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn mul_scalar_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), _mm256_set1_pd(c as f64));
    zip_assign(acc, a, |acc, a| v.add(acc, v.mul(a, c)));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn sub_mul_scalar_assign(m: &Modulus, a: &mut [u64], b: &[u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), _mm256_set1_pd(c as f64));
    zip_assign(a, b, |a, b| v.mul(v.sub(a, b), c));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn add_mirrored_assign(m: &Modulus, a: &mut [u64], b: &mut [u64], c: u64) {
    let (v, factor) = (VectorModulus::new(m), _mm256_set1_pd(c as f64));
    let (chunks, tail) = a.as_chunks_mut::<LANES>();
    let (head, mirrored) = b.as_rchunks_mut::<LANES>();
    for (a, b) in chunks.iter_mut().zip(mirrored.iter_mut().rev()) {
        let words = [load(a), _mm256_permute4x64_epi64::<MIRROR>(load(b))];
        let sum = |x: usize, y: usize| v.add(words[x], v.mul(words[y], factor));
        store(a, sum(0, 1));
        store(b, _mm256_permute4x64_epi64::<MIRROR>(sum(1, 0)));
    }
    super::scalar::add_mirrored_assign(m, tail, head, c);
}

/// The order that puts the last lane first.
const MIRROR: i32 = 0b00_01_10_11;

/// Rounds to the nearest integer.
#[target_feature(enable = "avx2")]
#[inline]
fn round(x: __m256d) -> __m256d {
    _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x)
}

/// Converts words below 2^52 to doubles.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn to_double(x: __m256i) -> __m256d {
    let magic = _mm256_set1_pd(TWO_52);
    let bits = _mm256_or_si256(x, _mm256_castpd_si256(magic));
    _mm256_sub_pd(_mm256_castsi256_pd(bits), magic)
}

/// Copies one word to all lanes.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn splat(word: u64) -> __m256i {
    _mm256_set1_epi64x(word.cast_signed())
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn load(words: &[u64; LANES]) -> __m256i {
    // SAFETY: the reference is valid for 32 bytes, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn store(words: &mut [u64; LANES], value: __m256i) {
    // SAFETY: the reference is valid for 32 bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), value) }
}

/// Loads the last words of a slice, fewer than a vector, followed by zeros.
#[target_feature(enable = "avx2")]
#[inline]
fn load_tail(words: &[u64]) -> __m256i {
    let mut padded = [0; LANES];
    padded[..words.len()].copy_from_slice(words);
    load(&padded)
}

/// Stores the first `words.len()` lanes, fewer than a vector.
#[target_feature(enable = "avx2")]
#[inline]
fn store_tail(words: &mut [u64], value: __m256i) {
    let mut padded = [0; LANES];
    store(&mut padded, value);
    words.copy_from_slice(&padded[..words.len()]);
}
