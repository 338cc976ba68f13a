//! Butterflies of pairs among eight vectors, with the twiddles of digit products.

use std::arch::x86_64::*;

use super::super::super::avx512::{load, splat};
use super::super::super::avx512_butterfly::Constants;
use super::super::twiddles::{Factors, Scalar};

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn butterfly_scalar(
    c: &Constants,
    x: &mut [__m512i; 8],
    (i, j): (usize, usize),
    w: &Scalar,
) {
    let (mut u, mut v) = (x[i], x[j]);
    c.butterfly(&mut u, &mut v, splat(w.value), splat(w.quotient));
    (x[i], x[j]) = (u, v);
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn butterfly_factors(
    c: &Constants,
    x: &mut [__m512i; 8],
    (i, j): (usize, usize),
    w: &Factors,
) {
    let (mut u, mut v) = (x[i], x[j]);
    c.butterfly(&mut u, &mut v, load(&w.value), load(&w.quotient));
    (x[i], x[j]) = (u, v);
}

/// Pairs of three levels of eight, the farthest first.
pub(super) const FAR_FIRST: [[(usize, usize); 4]; 3] = [
    [(0, 4), (1, 5), (2, 6), (3, 7)],
    [(0, 2), (1, 3), (4, 6), (5, 7)],
    [(0, 1), (2, 3), (4, 5), (6, 7)],
];
