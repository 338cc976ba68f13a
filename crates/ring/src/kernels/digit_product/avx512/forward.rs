//! Forward transforms: all levels but six pass over the words, the last six are done block by
//! block.

use std::arch::x86_64::*;

use super::super::super::avx512::{load, splat, store};
use super::super::super::avx512_butterfly::{Constants, transpose};
use super::super::twiddles::{BlockFactors, Pass, Scalar, Twiddles, Vector};
use super::pairs::{FAR_FIRST, butterfly_factors, butterfly_scalar};

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

/// For each pair of [`FAR_FIRST`], its factor in the order 1 + 2 + 4 of a forward transform.
const FORWARD_FACTOR: [[usize; 4]; 3] = [[0, 0, 0, 0], [1, 1, 2, 2], [3, 4, 5, 6]];

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
                butterfly_scalar(c, &mut x, FAR_FIRST[level][pair], factor);
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
pub(super) fn forward_leading(c: &Constants, twiddles: &Twiddles, words: &mut [Vector]) {
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
pub(super) fn forward_block(c: &Constants, words: &mut [Vector; 8], factors: &BlockFactors) {
    let mut x: [__m512i; 8] = load_block(words);
    for level in 0..3 {
        for pair in 0..4 {
            let factor = &factors.scalars[FORWARD_FACTOR[level][pair]];
            butterfly_scalar(c, &mut x, FAR_FIRST[level][pair], factor);
        }
    }
    transpose(&mut x);
    for level in 0..3 {
        for pair in 0..4 {
            let factor = &factors.vectors[FORWARD_FACTOR[level][pair]];
            butterfly_factors(c, &mut x, FAR_FIRST[level][pair], factor);
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
