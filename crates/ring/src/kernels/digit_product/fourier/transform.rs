//! Complex transforms modulo `X^M - i`, in place, to evaluations in an order of their own: blocks of R² points stay
//! transposed.
//!
//! Words are doubles, with vectors of real and of imaginary parts in turn: in other orders both would be in cache lines
//! that evict each other. A polynomial has only this room: all pointers are to 2M words. Coefficients are read by the
//! first pass of a transform and written by the last, so that decomposition and accumulation need no passes of their
//! own.
//!
//! Loops over vectors are written as loops: closures would be compiled without the instruction set.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::super::super::ntt::doubles::Doubles;
use super::Tables;
use super::fractions::{Coefficients, accumulate};

/// Real and imaginary parts.
pub(super) type Complex<D> = [<D as Doubles>::Vector; 2];

/// Twiddles of the even nodes of a group of up to three levels, its root's first.
type Twiddles<D> = [Complex<D>; 4];

/// Computes `(u + w·v, u - w·v)`, or the same with i·w instead of w.
#[inline(always)]
unsafe fn butterfly<D: Doubles>(
    (u, v): (Complex<D>, Complex<D>),
    [re, im]: Complex<D>,
    turned: bool,
) -> (Complex<D>, Complex<D>) {
    let product = [D::sub_mul(D::mul(re, v[0]), im, v[1]), D::mul_add(im, v[0], D::mul(re, v[1]))];
    if turned {
        (
            [D::sub(u[0], product[1]), D::add(u[1], product[0])],
            [D::add(u[0], product[1]), D::sub(u[1], product[0])],
        )
    } else {
        (
            [D::add(u[0], product[0]), D::add(u[1], product[1])],
            [D::sub(u[0], product[0]), D::sub(u[1], product[1])],
        )
    }
}

/// Computes `(u + v, (u - v)/w)`, or the same with i·w instead of w.
#[inline(always)]
unsafe fn inverse_butterfly<D: Doubles>(
    (u, v): (Complex<D>, Complex<D>),
    [re, im]: Complex<D>,
    turned: bool,
) -> (Complex<D>, Complex<D>) {
    let d = [D::sub(u[0], v[0]), D::sub(u[1], v[1])];
    let quotient = if turned {
        let minus = D::sub(v[0], u[0]);
        [D::mul_add(im, minus, D::mul(re, d[1])), D::sub_mul(D::mul(re, minus), im, d[1])]
    } else {
        [D::mul_add(im, d[1], D::mul(re, d[0])), D::sub_mul(D::mul(re, d[1]), im, d[0])]
    };
    ([D::add(u[0], v[0]), D::add(u[1], v[1])], quotient)
}

/// Performs log2 R levels on R vectors.
#[inline(always)]
unsafe fn group<D: Doubles, const R: usize>(x: &mut [Complex<D>; R], w: &Twiddles<D>) {
    for level in 0..R.ilog2() {
        let half = R >> (level + 1);
        for k in 0..R / 2 {
            let (block, i) = (k / half, k / half * 2 * half + k % half);
            let node = (1 << level) + block;
            let turned = node > 1 && node % 2 == 1;
            (x[i], x[i + half]) = butterfly::<D>((x[i], x[i + half]), w[node / 2], turned);
        }
    }
}

/// Performs the levels of [`group`] backwards: R times its inverse.
#[inline(always)]
unsafe fn inverse_group<D: Doubles, const R: usize>(x: &mut [Complex<D>; R], w: &Twiddles<D>) {
    for level in (0..R.ilog2()).rev() {
        let half = R >> (level + 1);
        for k in 0..R / 2 {
            let (block, i) = (k / half, k / half * 2 * half + k % half);
            let node = (1 << level) + block;
            let turned = node > 1 && node % 2 == 1;
            (x[i], x[i + half]) = inverse_butterfly::<D>((x[i], x[i + half]), w[node / 2], turned);
        }
    }
}

/// Returns the twiddles of a group of R vectors whose root is `node`.
#[inline(always)]
unsafe fn node_twiddles<D: Doubles, const R: usize>(tables: &Tables, node: usize) -> Twiddles<D> {
    let mut out = [[D::splat(0.0); 2]; 4];
    for (index, out) in out.iter_mut().enumerate().take(R / 2) {
        let below = (2 * index).max(1);
        let [re, im] = *tables.nodes.as_ptr().add(((node - 1) << below.ilog2()) + below);
        *out = [D::splat(re), D::splat(im)];
    }
    out
}

/// Returns the twiddles of the last levels of a block, with one sub-block per lane.
#[inline(always)]
unsafe fn lane_twiddles<D: Doubles, const R: usize>(tables: &Tables, block: usize) -> Twiddles<D> {
    let words = tables.lanes.as_ptr().cast::<u64>().add(block * R * R);
    let mut out = [[D::splat(0.0); 2]; 4];
    for (index, out) in out.iter_mut().enumerate().take(R / 2) {
        let words = words.add(2 * R * index);
        *out = [D::load(words), D::load(words.add(R))];
    }
    out
}

/// Loads R complex vectors, `stride` points apart, the first of them at `words`.
#[inline(always)]
unsafe fn load<D: Doubles, const R: usize>(words: *const u64, stride: usize) -> [Complex<D>; R] {
    let mut x = [[D::splat(0.0); 2]; R];
    for (i, x) in x.iter_mut().enumerate() {
        let word = words.add(2 * i * stride);
        *x = [D::load(word), D::load(word.add(D::LANES))];
    }
    x
}

#[inline(always)]
unsafe fn store<D: Doubles, const R: usize>(words: *mut u64, stride: usize, x: &[Complex<D>; R]) {
    for (i, x) in x.iter().enumerate() {
        let word = words.add(2 * i * stride);
        D::store(word, x[0]);
        D::store(word.add(D::LANES), x[1]);
    }
}

/// Transposes the real and the imaginary parts of R vectors.
#[inline(always)]
unsafe fn transpose<D: Doubles, const R: usize>(x: &mut [Complex<D>; R]) {
    for part in 0..2 {
        let mut vectors = [D::splat(0.0); R];
        for (vector, x) in vectors.iter_mut().zip(x.iter()) {
            *vector = x[part];
        }
        D::transpose(&mut vectors);
        for (x, vector) in x.iter_mut().zip(&vectors) {
            x[part] = *vector;
        }
    }
}

/// Performs log2 R levels, forward or backward, on the `length` points of one node.
#[inline(always)]
unsafe fn pass<D: Doubles, const R: usize, const INVERSE: bool>(
    tables: &Tables,
    words: *mut u64,
    length: usize,
    node: usize,
) {
    let stride = length / R;
    let w = node_twiddles::<D, R>(tables, node);
    for column in (0..stride).step_by(D::LANES) {
        let words = words.add(2 * column);
        let mut x = load::<D, R>(words, stride);
        if INVERSE {
            inverse_group::<D, R>(&mut x, &w);
        } else {
            group::<D, R>(&mut x, &w);
        }
        store::<D, R>(words, stride, &x);
    }
}

/// Performs a pass over all points, by blocks of the size that it works on.
#[inline(always)]
unsafe fn passes<D: Doubles, const INVERSE: bool>(
    tables: &Tables,
    words: *mut u64,
    blocks: usize,
    levels: u32,
) {
    let length = tables.points / blocks;
    for block in 0..blocks {
        let (words, node) = (words.add(2 * block * length), blocks + block);
        match levels {
            3 => pass::<D, 8, INVERSE>(tables, words, length, node),
            2 => pass::<D, 4, INVERSE>(tables, words, length, node),
            _ => pass::<D, 2, INVERSE>(tables, words, length, node),
        }
    }
}

/// Performs the first pass, of radix R (1 if there is none), of transforms of all polynomials, 2M words each.
#[inline(always)]
unsafe fn first_pass<D: Doubles, const R: usize>(
    tables: &Tables,
    out: *mut u64,
    input: &impl Coefficients<D>,
) {
    let (points, stride) = (tables.points, tables.points / R);
    let w = if R > 1 { node_twiddles::<D, R>(tables, 1) } else { [[D::splat(0.0); 2]; 4] };
    for column in (0..stride).step_by(D::LANES) {
        for index in 0..input.count() {
            let mut x = [[D::splat(0.0); 2]; R];
            for (i, x) in x.iter_mut().enumerate() {
                let place = i * stride + column;
                *x = [input.load(index, place), input.load(index, place + points)];
            }
            group::<D, R>(&mut x, &w);
            store::<D, R>(out.add(2 * (index * points + column)), stride, &x);
        }
    }
}

/// Begins forward transforms: performs their first pass, from coefficients.
#[inline(always)]
pub(super) unsafe fn forward_first<D: Doubles>(
    tables: &Tables,
    out: *mut u64,
    input: &impl Coefficients<D>,
) {
    match tables.passes.first() {
        Some(3) => first_pass::<D, 8>(tables, out, input),
        Some(2) => first_pass::<D, 4>(tables, out, input),
        Some(_) => first_pass::<D, 2>(tables, out, input),
        None => first_pass::<D, 1>(tables, out, input),
    }
}

/// Performs the levels of a forward transform between the first pass and the blocks.
#[inline(always)]
pub(super) unsafe fn forward_middle<D: Doubles>(tables: &Tables, words: *mut u64) {
    let Some((first, passes_left)) = tables.passes.split_first() else { return };
    let mut blocks = 1 << first;
    for &levels in passes_left {
        passes::<D, false>(tables, words, blocks, levels);
        blocks <<= levels;
    }
}

/// Performs the last 2·log2 R levels in one block.
#[inline(always)]
pub(super) unsafe fn forward_block<D: Doubles, const R: usize>(
    tables: &Tables,
    words: *mut u64,
    block: usize,
) {
    let blocks = tables.points / (R * R);
    let words = words.add(2 * block * R * R);
    let mut x = load::<D, R>(words, R);
    group::<D, R>(&mut x, &node_twiddles::<D, R>(tables, blocks + block));
    transpose::<D, R>(&mut x);
    group::<D, R>(&mut x, &lane_twiddles::<D, R>(tables, block));
    store::<D, R>(words, R, &x);
}

/// Computes `Σ digit·row` over the rows of a key in one block, for W of its R vectors. The key has R² points per row,
/// as digits have; both pointers are to the first of the vectors.
#[inline(always)]
pub(super) unsafe fn sum_rows<D: Doubles, const R: usize, const W: usize>(
    tables: &Tables,
    digits: *const u64,
    rows: usize,
    key: *const u64,
) -> [Complex<D>; W] {
    let mut sums = [[D::splat(0.0); 2]; W];
    for row in 0..rows {
        let digits = load::<D, W>(digits.add(2 * row * tables.points), R);
        let keys = load::<D, W>(key.add(2 * row * R * R), R);
        for (r, [re, im]) in sums.iter_mut().enumerate() {
            let (x, k) = (digits[r], keys[r]);
            *re = D::sub_mul(D::mul_add(x[0], k[0], *re), x[1], k[1]);
            *im = D::mul_add(x[1], k[0], D::mul_add(x[0], k[1], *im));
        }
    }
    sums
}

/// Computes `Σ_k factors_k·(Σ digit·row of key k)` in one block, for keys `key_words` words apart. Processes W vectors
/// at a time, which is the number that stays in registers.
#[inline(always)]
pub(super) unsafe fn sum_keys<D: Doubles, const R: usize, const W: usize>(
    tables: &Tables,
    digits: *const u64,
    rows: usize,
    (keys, key_words): (*const u64, usize),
    factors: &[[Complex<D>; R]],
) -> [Complex<D>; R] {
    let mut sums = [[D::splat(0.0); 2]; R];
    for first in (0..R).step_by(W) {
        let mut parts = [[D::splat(0.0); 2]; W];
        for (index, factors) in factors.iter().enumerate() {
            let (digits, key) =
                (digits.add(2 * first * R), keys.add(index * key_words + 2 * first * R));
            let products = sum_rows::<D, R, W>(tables, digits, rows, key);
            for (w, ([re, im], x)) in parts.iter_mut().zip(products).enumerate() {
                let factor = factors[first + w];
                *re = D::sub_mul(D::mul_add(x[0], factor[0], *re), x[1], factor[1]);
                *im = D::mul_add(x[1], factor[0], D::mul_add(x[0], factor[1], *im));
            }
        }
        sums[first..first + W].copy_from_slice(&parts);
    }
    sums
}

/// Performs the first 2·log2 R levels of an inverse transform in one block.
#[inline(always)]
pub(super) unsafe fn inverse_block<D: Doubles, const R: usize>(
    tables: &Tables,
    mut x: [Complex<D>; R],
    words: *mut u64,
    block: usize,
) {
    let blocks = tables.points / (R * R);
    inverse_group::<D, R>(&mut x, &lane_twiddles::<D, R>(tables, block));
    transpose::<D, R>(&mut x);
    inverse_group::<D, R>(&mut x, &node_twiddles::<D, R>(tables, blocks + block));
    store::<D, R>(words.add(2 * block * R * R), R, &x);
}

/// Performs the last pass, of radix R (1 if there is none), of an inverse transform: adds M times the coefficients to
/// fractions.
#[inline(always)]
unsafe fn last_pass<D: Doubles, const R: usize>(
    tables: &Tables,
    accumulator: *mut u64,
    words: *const u64,
) {
    let stride = tables.points / R;
    let w = if R > 1 { node_twiddles::<D, R>(tables, 1) } else { [[D::splat(0.0); 2]; 4] };
    for column in (0..stride).step_by(D::LANES) {
        let mut x = load::<D, R>(words.add(2 * column), stride);
        inverse_group::<D, R>(&mut x, &w);
        for (i, &[re, im]) in x.iter().enumerate() {
            let place = accumulator.add(i * stride + column);
            accumulate::<D>(place, re);
            accumulate::<D>(place.add(tables.points), im);
        }
    }
}

/// Performs all levels of an inverse transform after the blocks: adds M times the coefficients to fractions.
#[inline(always)]
pub(super) unsafe fn inverse_trailing<D: Doubles, const R: usize>(
    tables: &Tables,
    accumulator: *mut u64,
    words: *mut u64,
) {
    let mut blocks = tables.points / (R * R);
    for &levels in tables.passes.iter().skip(1).rev() {
        blocks >>= levels;
        passes::<D, true>(tables, words, blocks, levels);
    }
    match tables.passes.first() {
        Some(3) => last_pass::<D, 8>(tables, accumulator, words),
        Some(2) => last_pass::<D, 4>(tables, accumulator, words),
        Some(_) => last_pass::<D, 2>(tables, accumulator, words),
        None => last_pass::<D, 1>(tables, accumulator, words),
    }
}
