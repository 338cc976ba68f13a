//! Inverse transforms: six levels block by block, the others pass over the words of both
//! components, the last of them twists and adds to the accumulator.

use std::arch::x86_64::*;

use super::super::super::avx512::{load, store};
use super::super::super::avx512_butterfly::{Constants, transpose};
use super::super::twiddles::{Factors, Pass, Twiddles, Twist, Vector};
use super::pairs::{FAR_FIRST, butterfly_factors, butterfly_scalar};

/// For each pair of [`FAR_FIRST`], its factor in the order 1 + 2 + 4 of an inverse transform, whose
/// last level is the farthest.
const INVERSE_FACTOR: [[usize; 4]; 3] = [[3, 4, 5, 6], [1, 2, 1, 2], [0, 0, 0, 0]];

/// The first six levels of an inverse transform, of evaluations below `offset`, a multiple of q.
///
/// The first level has no factors, and adds what keeps the other levels positive.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn inverse_block(
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
        butterfly_scalar(c, x, pair, &scalars[factor]);
    }
    for (pair, factor) in FAR_FIRST[0].into_iter().zip([2, 3, 4, 5]) {
        butterfly_scalar(c, x, pair, &scalars[factor]);
    }
    transpose(x);
    for level in (0..3).rev() {
        for pair in 0..4 {
            let factor = &twiddles.inverse_vectors[INVERSE_FACTOR[level][pair]];
            butterfly_factors(c, x, FAR_FIRST[level][pair], factor);
        }
    }
}

/// Writes the result of a pass: as it is, or twisted and added to an accumulator of fractions.
trait Output {
    /// Writes the vector x at a position of a transform.
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
    /// `x·c/q` modulo 1, c/q a fraction of 104 bits: the low half of x times its high half, the
    /// high half of x times its low half. Too small by less than 2 units.
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

/// Three levels of the inverse transforms that lie side by side in `words`, column after column:
/// factors are loaded once for all transforms.
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
                    butterfly_factors(c, &mut x, FAR_FIRST[level][pair], factor);
                }
            }
            for (k, x) in x.into_iter().enumerate() {
                let position = k * length + i;
                out.write(&mut words[position], transform, position, x);
            }
        }
    }
}

/// Two levels of the inverse transforms, in the way of [`inverse_radix8`].
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
pub(super) fn inverse_trailing(
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
