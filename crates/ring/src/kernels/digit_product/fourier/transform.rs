//! Complex transforms modulo `X^M - i`, in place, to evaluations in an order of their own: blocks of
//! R² points are left transposed.
//!
//! Words are doubles, M real parts, then M imaginary ones. A polynomial has no more room than that:
//! all pointers are to 2M words.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use std::array;

use super::super::super::ntt::doubles::Doubles;
use super::Tables;

/// Real and imaginary parts.
type Complex<D> = [<D as Doubles>::Vector; 2];

/// Twiddles of the even nodes of a group of up to three levels, its root's first.
type Twiddles<D> = [Complex<D>; 4];

/// `(u + w·v, u - w·v)`, or with i·w in place of w.
#[inline(always)]
unsafe fn butterfly<D: Doubles>(
    (u, v): (Complex<D>, Complex<D>),
    [re, im]: Complex<D>,
    turned: bool,
) -> (Complex<D>, Complex<D>) {
    let sum = if turned {
        [
            D::sub_mul(D::sub_mul(u[0], im, v[0]), re, v[1]),
            D::sub_mul(D::mul_add(re, v[0], u[1]), im, v[1]),
        ]
    } else {
        [
            D::sub_mul(D::mul_add(re, v[0], u[0]), im, v[1]),
            D::mul_add(im, v[0], D::mul_add(re, v[1], u[1])),
        ]
    };
    let two = D::splat(2.0);
    (sum, [D::mul_sub(two, u[0], sum[0]), D::mul_sub(two, u[1], sum[1])])
}

/// `(u + v, (u - v)/w)`, or with i·w in place of w.
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

/// log2 R levels on R vectors.
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

/// The levels of [`group`] backwards: R times its inverse.
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

/// The twiddles of a group of R vectors, whose root is `node`.
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

/// The twiddles of the last levels of a block, a sub-block in each lane.
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

/// R vectors, `stride` words apart.
#[inline(always)]
unsafe fn load<D: Doubles, const R: usize>(
    (words, points): (*const u64, usize),
    stride: usize,
) -> [Complex<D>; R] {
    array::from_fn(|i| {
        let word = words.add(i * stride);
        [D::load(word), D::load(word.add(points))]
    })
}

#[inline(always)]
unsafe fn store<D: Doubles, const R: usize>(
    (words, points): (*mut u64, usize),
    stride: usize,
    x: &[Complex<D>; R],
) {
    for (i, x) in x.iter().enumerate() {
        let word = words.add(i * stride);
        D::store(word, x[0]);
        D::store(word.add(points), x[1]);
    }
}

/// Transposes the real and the imaginary parts of R vectors.
#[inline(always)]
unsafe fn transpose<D: Doubles, const R: usize>(x: &mut [Complex<D>; R]) {
    for part in 0..2 {
        let mut vectors: [D::Vector; R] = array::from_fn(|i| x[i][part]);
        D::transpose(&mut vectors);
        for (x, vector) in x.iter_mut().zip(vectors) {
            x[part] = vector;
        }
    }
}

/// log2 R levels, forward or backward, on `length` points, those of one node.
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
        let words = words.add(column);
        let mut x = load::<D, R>((words, tables.points), stride);
        if INVERSE {
            inverse_group::<D, R>(&mut x, &w);
        } else {
            group::<D, R>(&mut x, &w);
        }
        store::<D, R>((words, tables.points), stride, &x);
    }
}

/// A pass over all points.
#[inline(always)]
unsafe fn passes<D: Doubles, const INVERSE: bool>(
    tables: &Tables,
    words: *mut u64,
    blocks: usize,
    levels: u32,
) {
    let length = tables.points / blocks;
    for block in 0..blocks {
        let (words, node) = (words.add(block * length), blocks + block);
        match levels {
            3 => pass::<D, 8, INVERSE>(tables, words, length, node),
            2 => pass::<D, 4, INVERSE>(tables, words, length, node),
            _ => pass::<D, 2, INVERSE>(tables, words, length, node),
        }
    }
}

/// All levels of a forward transform before the blocks.
#[inline(always)]
pub(super) unsafe fn forward_leading<D: Doubles, const R: usize>(tables: &Tables, words: *mut u64) {
    let mut blocks = 1;
    for &levels in &tables.passes {
        passes::<D, false>(tables, words, blocks, levels);
        blocks <<= levels;
    }
}

/// The last 2·log2 R levels in one block.
#[inline(always)]
pub(super) unsafe fn forward_block<D: Doubles, const R: usize>(
    tables: &Tables,
    words: *mut u64,
    block: usize,
) {
    let blocks = tables.points / (R * R);
    let place = (words.add(block * R * R), tables.points);
    let mut x = load::<D, R>((place.0, place.1), R);
    group::<D, R>(&mut x, &node_twiddles::<D, R>(tables, blocks + block));
    transpose::<D, R>(&mut x);
    group::<D, R>(&mut x, &lane_twiddles::<D, R>(tables, block));
    store::<D, R>(place, R, &x);
}

/// `Σ digit·row` over the rows of a key in one block. The key has R² real and as many imaginary
/// parts a row, vectors of them in turn.
#[inline(always)]
pub(super) unsafe fn sum_rows<D: Doubles, const R: usize>(
    tables: &Tables,
    digits: *const u64,
    rows: usize,
    block: usize,
    key: *const u64,
) -> [Complex<D>; R] {
    let mut sums = [[D::splat(0.0); 2]; R];
    for row in 0..rows {
        let digits = digits.add(row * 2 * tables.points + block * R * R);
        let key = key.add(row * 2 * R * R);
        for (r, [re, im]) in sums.iter_mut().enumerate() {
            let x = [D::load(digits.add(r * R)), D::load(digits.add(r * R + tables.points))];
            let k = [D::load(key.add(2 * r * R)), D::load(key.add((2 * r + 1) * R))];
            *re = D::sub_mul(D::mul_add(x[0], k[0], *re), x[1], k[1]);
            *im = D::mul_add(x[1], k[0], D::mul_add(x[0], k[1], *im));
        }
    }
    sums
}

/// The first 2·log2 R levels of an inverse transform in one block.
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
    store::<D, R>((words.add(block * R * R), tables.points), R, &x);
}

/// All levels of an inverse transform after the blocks: M times the coefficients.
#[inline(always)]
pub(super) unsafe fn inverse_trailing<D: Doubles, const R: usize>(
    tables: &Tables,
    words: *mut u64,
) {
    let mut blocks = tables.points / (R * R);
    for &levels in tables.passes.iter().rev() {
        blocks >>= levels;
        passes::<D, true>(tables, words, blocks, levels);
    }
}
