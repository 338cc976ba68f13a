//! Transforms and row sums of digit products for AVX-512 with IFMA, primes below 2^47.
//!
//! Butterflies multiply first, `(u + t, u - t)` with t ≡ w·v in `(-q, q)`: five instructions, no comparison, and every
//! product is added in place, so that no register is copied or cleared. Words
//! are unsigned numbers of 52 bits (products take no more of an operand, so that what is above need not be
//! cleared); every level widens their range by q on both sides. From an offset of a multiple of q that keeps
//! them positive they stay below `(2·levels + 2)·q < 2^52`.

use std::arch::x86_64::*;

use super::super::avx512::{LANES, load, splat, store};
use super::twiddles::{BlockFactors, Factors, Pass, Scalar, Twiddles, Twist, Vector};
use crate::Modulus;
use crate::prime_ring::PreparedKey;
use crate::torus::FractionDigits;

/// Largest number of rows whose sum needs no reduction before the inverse transform.
const ROWS_WITHOUT_REDUCTION: usize = 4;

/// The numbers that all passes share, one copy a lane.
#[derive(Clone, Copy)]
struct Constants {
    q: __m512i,
    /// `2^52 - q`, whose products are those with -q modulo 2^52.
    minus_q_52: __m512i,
    /// `q^-1 mod 2^52`.
    q_inverse: __m512i,
    /// `⌊2^52/q⌋`.
    reciprocal: __m512i,
}

impl Constants {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn new(m: &Modulus) -> Self {
        let q = m.value();
        Self {
            q: splat(q),
            minus_q_52: splat((1 << 52) - q),
            q_inverse: splat(super::inverse_of_odd(q) & ((1 << 52) - 1)),
            reciprocal: splat((1 << 52) / q),
        }
    }

    /// `(u + w·v, u - w·v)` modulo q, each within q of u, for `w + q` and `⌈w·2^52/q⌉`.
    ///
    /// The quotient's estimate e, rounded up, is within 1 of `w·v/q`. It is added to v; of (v + e)·q the product with
    /// w + q takes v·q away again.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn butterfly(&self, u: &mut __m512i, v: &mut __m512i, w: __m512i, quotient: __m512i) {
        let twice = _mm512_add_epi64(*u, *u);
        let sum = _mm512_madd52lo_epu64(*u, *v, w);
        let estimate = _mm512_madd52hi_epu64(*v, *v, quotient);
        *u = _mm512_madd52lo_epu64(sum, estimate, self.minus_q_52);
        *v = _mm512_sub_epi64(twice, *u);
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn butterfly_scalar(&self, x: &mut [__m512i; 8], (i, j): (usize, usize), w: &Scalar) {
        let (mut u, mut v) = (x[i], x[j]);
        self.butterfly(&mut u, &mut v, splat(w.value), splat(w.quotient));
        (x[i], x[j]) = (u, v);
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn butterfly_factors(&self, x: &mut [__m512i; 8], (i, j): (usize, usize), w: &Factors) {
        let (mut u, mut v) = (x[i], x[j]);
        self.butterfly(&mut u, &mut v, load(&w.value), load(&w.quotient));
        (x[i], x[j]) = (u, v);
    }

    /// A number in `[0, 2q)` that is x modulo q, for any x.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn reduce(&self, x: __m512i) -> __m512i {
        let estimate = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, self.reciprocal);
        let remainder = _mm512_madd52lo_epu64(x, estimate, self.minus_q_52);
        _mm512_and_si512(remainder, splat((1 << 52) - 1))
    }
}

/// Transposes eight vectors.
#[target_feature(enable = "avx512f")]
#[inline]
fn transpose(x: &mut [__m512i; 8]) {
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
        // Quarters 0 and 2, then 1 and 3, of two registers each.
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

/// Eight slices of one length, side by side in `words`.
#[inline]
fn eighths(words: &mut [Vector]) -> [&mut [Vector]; 8] {
    let length = words.len() / 8;
    let mut chunks = words.chunks_exact_mut(length);
    std::array::from_fn(|_| &mut chunks.next().expect("eight parts")[..length])
}

/// Four slices of one length, side by side in `words`.
#[inline]
fn quarters(words: &mut [Vector]) -> [&mut [Vector]; 4] {
    let length = words.len() / 4;
    let mut chunks = words.chunks_exact_mut(length);
    std::array::from_fn(|_| &mut chunks.next().expect("four parts")[..length])
}

/// Pairs of three levels of eight, the farthest first.
const FAR_FIRST: [[(usize, usize); 4]; 3] = [
    [(0, 4), (1, 5), (2, 6), (3, 7)],
    [(0, 2), (1, 3), (4, 6), (5, 7)],
    [(0, 1), (2, 3), (4, 5), (6, 7)],
];

/// For each pair of [`FAR_FIRST`], its factor in the order 1 + 2 + 4 of a forward transform.
const FORWARD_FACTOR: [[usize; 4]; 3] = [[0, 0, 0, 0], [1, 1, 2, 2], [3, 4, 5, 6]];

/// For each pair of [`FAR_FIRST`], its factor in the order 1 + 2 + 4 of an inverse transform, whose last level is
/// the farthest.
const INVERSE_FACTOR: [[usize; 4]; 3] = [[3, 4, 5, 6], [1, 2, 1, 2], [0, 0, 0, 0]];

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn forward_radix8(c: &Constants, words: &mut [Vector], factors: &[Scalar; 7]) {
    let parts = eighths(words);
    let length = parts[0].len();
    #[allow(clippy::needless_range_loop, reason = "`i` indexes all parts")]
    for i in 0..length {
        let mut x: [__m512i; 8] = [
            load(&parts[0][i]),
            load(&parts[1][i]),
            load(&parts[2][i]),
            load(&parts[3][i]),
            load(&parts[4][i]),
            load(&parts[5][i]),
            load(&parts[6][i]),
            load(&parts[7][i]),
        ];
        for level in 0..3 {
            for pair in 0..4 {
                let factor = &factors[FORWARD_FACTOR[level][pair]];
                c.butterfly_scalar(&mut x, FAR_FIRST[level][pair], factor);
            }
        }
        for k in 0..8 {
            store(&mut parts[k][i], x[k]);
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn forward_radix4(c: &Constants, words: &mut [Vector], factors: &[Scalar; 3]) {
    let parts = quarters(words);
    let [f0, f1, f2] = factors.map(|f| (splat(f.value), splat(f.quotient)));
    let length = parts[0].len();
    #[allow(clippy::needless_range_loop, reason = "`i` indexes all parts")]
    for i in 0..length {
        let mut x0 = load(&parts[0][i]);
        let mut x1 = load(&parts[1][i]);
        let mut x2 = load(&parts[2][i]);
        let mut x3 = load(&parts[3][i]);
        c.butterfly(&mut x0, &mut x2, f0.0, f0.1);
        c.butterfly(&mut x1, &mut x3, f0.0, f0.1);
        c.butterfly(&mut x0, &mut x1, f1.0, f1.1);
        c.butterfly(&mut x2, &mut x3, f2.0, f2.1);
        store(&mut parts[0][i], x0);
        store(&mut parts[1][i], x1);
        store(&mut parts[2][i], x2);
        store(&mut parts[3][i], x3);
    }
}

/// All levels of a forward transform but the last six.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn forward_leading(c: &Constants, twiddles: &Twiddles, words: &mut [Vector]) {
    for pass in &twiddles.forward {
        match pass {
            Pass::Radix4(blocks) => {
                let length = words.len() / blocks.len();
                for (words, factors) in words.chunks_exact_mut(length).zip(blocks) {
                    forward_radix4(c, words, factors);
                }
            }
            Pass::Radix8(blocks) => {
                let length = words.len() / blocks.len();
                for (words, factors) in words.chunks_exact_mut(length).zip(blocks) {
                    forward_radix8(c, words, factors);
                }
            }
        }
    }
}

/// The last six levels in one block; leaves it transposed, which is the order of evaluations.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn forward_block(c: &Constants, words: &mut [Vector; 8], factors: &BlockFactors) {
    let mut x: [__m512i; 8] = load_block(words);
    for level in 0..3 {
        for pair in 0..4 {
            let factor = &factors.scalars[FORWARD_FACTOR[level][pair]];
            c.butterfly_scalar(&mut x, FAR_FIRST[level][pair], factor);
        }
    }
    transpose(&mut x);
    for level in 0..3 {
        for pair in 0..4 {
            let factor = &factors.vectors[FORWARD_FACTOR[level][pair]];
            c.butterfly_factors(&mut x, FAR_FIRST[level][pair], factor);
        }
    }
    for (words, x) in words.iter_mut().zip(x) {
        store(words, x);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_block(words: &[Vector; 8]) -> [__m512i; 8] {
    [
        load(&words[0]),
        load(&words[1]),
        load(&words[2]),
        load(&words[3]),
        load(&words[4]),
        load(&words[5]),
        load(&words[6]),
        load(&words[7]),
    ]
}

/// Σ digit·row over the rows of a key in one block and component, in `[0, (rows + 1)·q)` or, reduced, `[0, 2q)`.
///
/// Montgomery's reduction of `high·2^52 + low`: with m = low·q^-1 mod 2^52 the low halves of low and m·q agree, so
/// that their difference over 2^52 is that of the high halves.
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

/// Fetches words to the second-level cache.
#[target_feature(enable = "avx512f")]
#[inline]
fn prefetch(words: &[u64]) {
    for line in words.chunks(LANES) {
        _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast());
    }
}

/// The first six levels of an inverse transform, of evaluations below `offset`, a multiple of q.
///
/// The first level has no factors, and adds what keeps the other levels positive.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn inverse_block(
    c: &Constants,
    twiddles: &Twiddles,
    x: &mut [__m512i; 8],
    offsets: (__m512i, __m512i),
) {
    for (i, j) in FAR_FIRST[2] {
        let u = _mm512_add_epi64(x[i], offsets.0);
        (x[i], x[j]) =
            (_mm512_add_epi64(u, x[j]), _mm512_add_epi64(_mm512_sub_epi64(u, x[j]), offsets.1));
    }
    let scalars = &twiddles.inverse_scalars;
    for (pair, factor) in FAR_FIRST[1].into_iter().zip([0, 1, 0, 1]) {
        c.butterfly_scalar(x, pair, &scalars[factor]);
    }
    for (pair, factor) in FAR_FIRST[0].into_iter().zip([2, 3, 4, 5]) {
        c.butterfly_scalar(x, pair, &scalars[factor]);
    }
    transpose(x);
    for level in (0..3).rev() {
        for pair in 0..4 {
            let factor = &twiddles.inverse_vectors[INVERSE_FACTOR[level][pair]];
            c.butterfly_factors(x, FAR_FIRST[level][pair], factor);
        }
    }
}

/// Writes the result of a pass: as it is, or twisted and added to an accumulator of fractions.
trait Output {
    /// At a position of a transform.
    fn write(&mut self, words: &mut Vector, transform: usize, position: usize, x: __m512i);
}

struct Keep;

impl Output for Keep {
    #[inline(always)]
    fn write(&mut self, words: &mut Vector, _transform: usize, _position: usize, x: __m512i) {
        // SAFETY: passes run where AVX-512 is.
        unsafe { store(words, x) }
    }
}

struct Accumulate<'a> {
    accumulator: &'a mut [Vector],
    twist: &'a [Twist],
}

impl Output for Accumulate<'_> {
    /// `x·c/q` modulo 1, c/q a fraction of 104 bits: the low half of x times its high half, the high half of x
    /// times its low half. Too small by less than 2 units.
    #[inline(always)]
    fn write(&mut self, _words: &mut Vector, transform: usize, position: usize, x: __m512i) {
        let twist = &self.twist[position];
        let out = &mut self.accumulator[transform * self.twist.len() + position];
        // SAFETY: passes run where AVX-512 with IFMA is.
        unsafe {
            let sum = _mm512_madd52lo_epu64(load(out), x, load(&twist.high));
            store(out, _mm512_madd52hi_epu64(sum, x, load(&twist.low)));
        }
    }
}

/// Three levels of the inverse transforms that lie side by side in `words`, column after column: factors are loaded once
/// for all transforms.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn inverse_radix8(
    c: &Constants,
    words: &mut [Vector],
    columns: &[[Factors; 7]],
    out: &mut impl Output,
) {
    let length = columns.len();
    for (i, factors) in columns.iter().enumerate() {
        for (transform, words) in words.chunks_exact_mut(8 * length).enumerate() {
            let mut x: [__m512i; 8] = [
                load(&words[i]),
                load(&words[length + i]),
                load(&words[2 * length + i]),
                load(&words[3 * length + i]),
                load(&words[4 * length + i]),
                load(&words[5 * length + i]),
                load(&words[6 * length + i]),
                load(&words[7 * length + i]),
            ];
            for level in (0..3).rev() {
                for pair in 0..4 {
                    let factor = &factors[INVERSE_FACTOR[level][pair]];
                    c.butterfly_factors(&mut x, FAR_FIRST[level][pair], factor);
                }
            }
            for (k, x) in x.into_iter().enumerate() {
                let position = k * length + i;
                out.write(&mut words[position], transform, position, x);
            }
        }
    }
}

/// Two levels, likewise.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn inverse_radix4(
    c: &Constants,
    words: &mut [Vector],
    columns: &[[Factors; 3]],
    out: &mut impl Output,
) {
    let length = columns.len();
    for (i, factors) in columns.iter().enumerate() {
        let [f0, f1, f2] = [0, 1, 2].map(|k| (load(&factors[k].value), load(&factors[k].quotient)));
        for (transform, words) in words.chunks_exact_mut(4 * length).enumerate() {
            let mut x0 = load(&words[i]);
            let mut x1 = load(&words[length + i]);
            let mut x2 = load(&words[2 * length + i]);
            let mut x3 = load(&words[3 * length + i]);
            c.butterfly(&mut x0, &mut x1, f0.0, f0.1);
            c.butterfly(&mut x2, &mut x3, f0.0, f0.1);
            c.butterfly(&mut x0, &mut x2, f1.0, f1.1);
            c.butterfly(&mut x1, &mut x3, f2.0, f2.1);
            for (k, x) in [x0, x1, x2, x3].into_iter().enumerate() {
                let position = k * length + i;
                out.write(&mut words[position], transform, position, x);
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn inverse_pass(c: &Constants, pass: &Pass<Factors>, words: &mut [Vector], out: &mut impl Output) {
    match pass {
        Pass::Radix4(columns) => inverse_radix4(c, words, columns, out),
        Pass::Radix8(columns) => inverse_radix8(c, words, columns, out),
    }
}

/// All levels of the inverse transforms of both components but the first six, and the twist.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn inverse_trailing(
    c: &Constants,
    twiddles: &Twiddles,
    words: &mut [Vector],
    accumulator: &mut [Vector],
) {
    let stride = accumulator.len() / 2;
    let mut out = Accumulate { accumulator, twist: &twiddles.twist };
    let Some((last, passes)) = twiddles.inverse.split_last() else {
        for (component, words) in words.chunks_exact_mut(stride).enumerate() {
            for (position, vector) in words.iter_mut().enumerate() {
                let x = load(vector);
                out.write(vector, component, position, x);
            }
        }
        return;
    };
    for pass in passes {
        inverse_pass(c, pass, words, &mut Keep);
    }
    inverse_pass(c, last, words, &mut out);
}

/// Offset of the words that forward transforms take: a multiple of q.
fn forward_offset(m: &Modulus, degree: usize) -> u64 {
    u64::from(degree.ilog2() + 1) * m.value()
}

/// `accumulator += Σ digit·row`, two components, fractions of coefficients. `digits`: N words a row, as
/// [`digit_word`] makes them, spoilt; `sums`: room for 2N words.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply_add(
    (m, twiddles): (&Modulus, &Twiddles),
    accumulator: &mut [u64],
    key: PreparedKey<'_>,
    digits: &mut [u64],
    sums: &mut [u64],
) {
    let c = Constants::new(m);
    let ((digits, _), (sums, _)) = (digits.as_chunks_mut::<LANES>(), sums.as_chunks_mut::<LANES>());
    let ((accumulator, _), (words, _)) =
        (accumulator.as_chunks_mut::<LANES>(), key.words.as_chunks::<LANES>());
    let stride = accumulator.len() / 2;
    let levels = u64::from((stride * LANES).ilog2());
    let rows = digits.len() / stride;
    for row in digits.chunks_exact_mut(stride) {
        forward_leading(&c, twiddles, row);
    }
    // What a sum is below, in units of q; reduced ones are below 2q.
    let bound = if rows > ROWS_WITHOUT_REDUCTION { 2 } else { rows as u64 + 1 };
    let offsets = (splat((levels - 1) * m.value()), splat(bound * m.value()));
    // What a block reads, in equal pieces between its transforms: fetches in one burst would wait for each other.
    let mut next = key.next.chunks((128 * rows).div_ceil(rows + 2));
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

/// Prepares rows of coefficients (body, mask; N words each) in the order and form of [`multiply_add`]:
/// blocks, components, rows, positions; times 2^52 modulo q.
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
