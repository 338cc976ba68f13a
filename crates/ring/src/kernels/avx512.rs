//! Kernels for AVX-512 with IFMA, and the vector arithmetic under them; moduli below 2^50.
//!
//! Lanes are 64-bit; `madd52lo(z, x, y)` and `madd52hi(z, x, y)` add to z the low and the high 52
//! bits of the 104-bit product of the low 52 bits of x and y.

use std::arch::x86_64::*;

use super::permutation::PermutationPart;
use super::scalar;
use super::word_loops::word_loops;
use crate::Modulus;

/// Words of one vector.
pub(super) const LANES: usize = 8;

word_loops!("avx512f", __m512i);

/// The low 52 bits.
const MASK: u64 = (1 << 52) - 1;

/// A modulus `q < 2^50` and its constants, one copy per lane.
#[derive(Clone, Copy)]
pub(super) struct VectorModulus {
    pub(super) q: __m512i,
    q_times_2: __m512i,
    /// `2^52 - q`: adding a multiple of this number subtracts that multiple of q modulo `2^52`.
    minus_q: __m512i,
    mask: __m512i,
    /// `52 - k` for the bit length k.
    shift: __m128i,
    barrett: __m512i,
    reciprocal: __m512i,
    radix: Factor,
    /// `q^-1 mod 2^52`.
    inverse: __m512i,
}

/// A constant factor `c < q` with `floor(c·2^52/q)` (Shoup's method), one copy per lane.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    value: __m512i,
    quotient: __m512i,
}

impl Factor {
    #[target_feature(enable = "avx512f")]
    fn new(m: &Modulus, c: u64) -> Self {
        let quotient = (u128::from(c) << 52) / u128::from(m.value());
        Self { value: splat(c), quotient: splat(quotient as u64) }
    }
}

impl VectorModulus {
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn new(m: &Modulus) -> Self {
        let constants = m.radix52();
        Self {
            q: splat(m.value()),
            q_times_2: splat(2 * m.value()),
            minus_q: splat((1 << 52) - m.value()),
            mask: splat(MASK),
            shift: _mm_cvtsi64_si128(i64::from(52 - m.bits())),
            barrett: splat(constants.barrett),
            reciprocal: splat(constants.reciprocal),
            radix: Factor {
                value: splat(constants.radix),
                quotient: splat(constants.radix_quotient),
            },
            inverse: splat(constants.inverse),
        }
    }

    /// Returns x for `x < q` and `x - q` for `q <= x < 2q`.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn subtract_once(&self, x: __m512i) -> __m512i {
        // The difference wraps to a huge number exactly if x < q.
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.q))
    }

    /// Returns `x mod q` for `x < 4q`.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn subtract_below_4q(&self, x: __m512i) -> __m512i {
        self.subtract_once(_mm512_min_epu64(x, _mm512_sub_epi64(x, self.q_times_2)))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn add(&self, a: __m512i, b: __m512i) -> __m512i {
        self.subtract_once(_mm512_add_epi64(a, b))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn sub(&self, a: __m512i, b: __m512i) -> __m512i {
        // The difference wraps to a huge number exactly if a < b; adding q then makes it small.
        let difference = _mm512_sub_epi64(a, b);
        _mm512_min_epu64(difference, _mm512_add_epi64(difference, self.q))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn neg(&self, a: __m512i) -> __m512i {
        self.subtract_once(_mm512_sub_epi64(self.q, a))
    }

    /// Returns `a·b mod q` for `a, b < q`.
    ///
    /// Barrett's estimate of `ab/q`, with `h = floor(ab/2^k)` and `μ = floor(2^(51+k)/q)`, is `floor(2h·μ/2^52)`. It is
    /// never too large, and too small by less than `2^k/q + h/2^51 + 1 < 2 + 1/2 + 1`: the first term is for the
    /// fraction dropped from `ab/2^k`, since `q > 2^(k-1)`; the second is for the fraction dropped from μ, since
    /// `h < 2^k <= 2^50`. So the remainder is below `3.5q < 2^52` and known from its low 52 bits.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn mul(&self, a: __m512i, b: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let high = _mm512_madd52hi_epu64(zero, _mm512_sll_epi64(a, self.shift), b);
        let twice = _mm512_add_epi64(high, high);
        let quotient = _mm512_madd52hi_epu64(zero, twice, self.barrett);
        let low = _mm512_madd52lo_epu64(zero, a, b);
        let remainder = _mm512_madd52lo_epu64(low, quotient, self.minus_q);
        self.subtract_below_4q(_mm512_and_si512(remainder, self.mask))
    }

    /// Returns a number in `[0, 2q)` that is `a·c` modulo q, for `a < 2^52`.
    ///
    /// `ac/q - a·quotient/2^52 < 1`, and the floor subtracts less than 1.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn mul_factor_lazy(&self, a: __m512i, c: Factor) -> __m512i {
        let zero = _mm512_setzero_si512();
        let quotient = _mm512_madd52hi_epu64(zero, a, c.quotient);
        let low = _mm512_madd52lo_epu64(zero, a, c.value);
        let remainder = _mm512_madd52lo_epu64(low, quotient, self.minus_q);
        _mm512_and_si512(remainder, self.mask)
    }

    /// Returns a number in `[0, 4q)` that is `low + 2^52·high` modulo q, for `low, high < 2^52`.
    ///
    /// The result is the sum of `high·(2^52 mod q)` and `low·1`, each reduced to `[0, 2q)` by Shoup's method with a
    /// common correction. (Small moduli have quotients above `2^52`, which lose multiples of `2^52`, as does their
    /// product with q. The low 52 bits, which hold all of `[0, 4q)`, stay correct.)
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub(super) fn fold_lazy(&self, low: __m512i, high: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let quotient = _mm512_madd52hi_epu64(zero, high, self.radix.quotient);
        let quotient = _mm512_madd52hi_epu64(quotient, low, self.reciprocal);
        let sum = _mm512_madd52lo_epu64(low, high, self.radix.value);
        let remainder = _mm512_madd52lo_epu64(sum, quotient, self.minus_q);
        _mm512_and_si512(remainder, self.mask)
    }

    /// Returns `x/2^52 mod q` for `x = low + 2^52·high < 3q·2^52`, by Montgomery's method.
    ///
    /// For `m = x·q^-1 mod 2^52`, the low halves of x and of `mq` are equal, so that `(x - mq)/2^52` is the difference
    /// of their high halves, carries included. The difference is above -q, since `m < 2^52`, and below 3q, since x is
    /// below `3q·2^52`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub(super) fn divide_by_radix(&self, low: __m512i, high: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let multiple = _mm512_madd52lo_epu64(zero, low, self.inverse);
        let of_multiple = _mm512_madd52hi_epu64(zero, multiple, self.q);
        let carried = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
        let quotient = _mm512_add_epi64(_mm512_sub_epi64(carried, of_multiple), self.q);
        self.subtract_below_4q(quotient)
    }

    /// Returns `low + 2^52·high` as two numbers, the first below `2^52`.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn carry(&self, low: __m512i, high: __m512i) -> (__m512i, __m512i) {
        let carry = _mm512_srli_epi64::<52>(low);
        (_mm512_and_si512(low, self.mask), _mm512_add_epi64(high, carry))
    }

    /// Returns `x mod q` for any word.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn reduce(&self, x: __m512i) -> __m512i {
        let (low, high) = self.carry(x, _mm512_setzero_si512());
        self.subtract_below_4q(self.fold_lazy(low, high))
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    let v = VectorModulus::new(m);
    zip_assign(a, b, |a, b| v.mul(a, b));
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul(m: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    let v = VectorModulus::new(m);
    zip3_assign(out, a, b, |_, a, b| v.mul(a, b));
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    let v = VectorModulus::new(m);
    zip3_assign(acc, a, b, |acc, a, b| v.add(acc, v.mul(a, b)));
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), Factor::new(m, c));
    map_assign(a, |a| v.subtract_once(v.mul_factor_lazy(a, c)));
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul_scalar(m: &Modulus, out: &mut [u64], a: &[u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), Factor::new(m, c));
    zip_assign(out, a, |_, a| v.subtract_once(v.mul_factor_lazy(a, c)));
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn mul_scalar_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), Factor::new(m, c));
    zip_assign(acc, a, |acc, a| {
        v.subtract_below_4q(_mm512_add_epi64(acc, v.mul_factor_lazy(a, c)))
    });
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn sub_mul_scalar_assign(m: &Modulus, a: &mut [u64], b: &[u64], c: u64) {
    let (v, c) = (VectorModulus::new(m), Factor::new(m, c));
    zip_assign(a, b, |a, b| {
        // The difference is in (0, 2q), which Shoup's method accepts.
        let difference = _mm512_sub_epi64(_mm512_add_epi64(a, v.q), b);
        v.subtract_once(v.mul_factor_lazy(difference, c))
    });
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn add_mirrored_assign(m: &Modulus, a: &mut [u64], b: &mut [u64], c: u64) {
    let (v, factor) = (VectorModulus::new(m), Factor::new(m, c));
    let mirror = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    let (chunks, tail) = a.as_chunks_mut::<LANES>();
    let (head, mirrored) = b.as_rchunks_mut::<LANES>();
    for (a, b) in chunks.iter_mut().zip(mirrored.iter_mut().rev()) {
        let words = [load(a), _mm512_permutexvar_epi64(mirror, load(b))];
        let sum = |x, y| {
            v.subtract_below_4q(_mm512_add_epi64(words[x], v.mul_factor_lazy(words[y], factor)))
        };
        store(a, sum(0, 1));
        store(b, _mm512_permutexvar_epi64(mirror, sum(1, 0)));
    }
    scalar::add_mirrored_assign(m, tail, head, c);
}

#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn reduce(m: &Modulus, out: &mut [u64], input: &[u64]) {
    let v = VectorModulus::new(m);
    zip_assign(out, input, |_, x| v.reduce(x));
}

/// Lifts centred residues; `m_in` may be any modulus.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn lift_centered(m_out: &Modulus, out: &mut [u64], input: &[u64], m_in: &Modulus) {
    // x - q_in if x is above q_in/2, otherwise x; both are reduced first.
    let v = VectorModulus::new(m_out);
    let (half, wrap) = (splat(m_in.value() / 2), splat(m_out.reduce(m_in.value())));
    zip_assign(out, input, |_, x| {
        let negative = _mm512_cmpgt_epu64_mask(x, half);
        v.sub(v.reduce(x), _mm512_maskz_mov_epi64(negative, wrap))
    });
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn from_signed(m: &Modulus, out: &mut [u64], input: &[i64]) {
    let v = VectorModulus::new(m);
    let from_signed = |x| {
        // The absolute value as an unsigned number, which is correct for -2^63, too.
        let residue = v.reduce(_mm512_abs_epi64(x));
        _mm512_mask_mov_epi64(residue, _mm512_movepi64_mask(x), v.neg(residue))
    };
    let (chunks, tail) = out.as_chunks_mut::<LANES>();
    let (chunks_in, tail_in) = input.as_chunks::<LANES>();
    for (out, x) in chunks.iter_mut().zip(chunks_in) {
        store(out, from_signed(load(&x.map(i64::cast_unsigned))));
    }
    for (out, &x) in tail.iter_mut().zip(tail_in) {
        *out = m.reduce_i64(x);
    }
}

#[target_feature(enable = "avx512f")]
pub(super) fn permute(out: &mut [u64], input: &[u64], permutation: PermutationPart<'_>) {
    match permutation.moves() {
        Some(moves) => move_blocks(out, input, moves, |_, moved| moved),
        None => scalar::permute(out, input, permutation),
    }
}

#[target_feature(enable = "avx512f")]
pub(super) fn permute_add_assign(
    m: &Modulus,
    acc: &mut [u64],
    input: &[u64],
    permutation: PermutationPart<'_>,
) {
    let v = VectorModulus::new(m);
    match permutation.moves() {
        Some(moves) => move_blocks(acc, input, moves, |acc, moved| v.add(acc, moved)),
        None => scalar::permute_add_assign(m, acc, input, permutation),
    }
}

/// `acc = f(acc, moved)` for the vectors that `moves` reads from `input`.
#[target_feature(enable = "avx512f")]
#[inline]
fn move_blocks(
    acc: &mut [u64],
    input: &[u64],
    moves: impl Iterator<Item = (usize, [u8; LANES])>,
    f: impl Fn(__m512i, __m512i) -> __m512i,
) {
    let (acc, input) = (acc.as_chunks_mut::<LANES>().0, input.as_chunks::<LANES>().0);
    for (acc, (source, lanes)) in acc.iter_mut().zip(moves) {
        let lanes = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(i64::from_le_bytes(lanes)));
        let moved = _mm512_permutexvar_epi64(lanes, load(&input[source]));
        store(acc, f(load(acc), moved));
    }
}

/// Copies one word to all lanes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn splat(word: u64) -> __m512i {
    _mm512_set1_epi64(word.cast_signed())
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn load(words: &[u64; LANES]) -> __m512i {
    // SAFETY: the reference is valid for 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_epi64(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn store(words: &mut [u64; LANES], value: __m512i) {
    // SAFETY: the reference is valid for 64 bytes, and the store needs no alignment.
    unsafe { _mm512_storeu_epi64(words.as_mut_ptr().cast(), value) }
}

/// Returns the mask of `len < 8` lanes.
#[inline]
fn tail_mask(len: usize) -> __mmask8 {
    assert!(len < LANES);
    (1 << len) - 1
}

/// Loads the last words of a slice, fewer than a vector, followed by zeros.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_tail(words: &[u64]) -> __m512i {
    // SAFETY: the mask selects `words.len()` lanes; the others are not accessed.
    unsafe { _mm512_maskz_loadu_epi64(tail_mask(words.len()), words.as_ptr().cast()) }
}

/// Stores the first `words.len()` lanes, fewer than a vector.
#[target_feature(enable = "avx512f")]
#[inline]
fn store_tail(words: &mut [u64], value: __m512i) {
    // SAFETY: the mask selects `words.len()` lanes; the others are not accessed.
    unsafe {
        _mm512_mask_storeu_epi64(words.as_mut_ptr().cast(), tail_mask(words.len()), value);
    }
}
