//! Inverse transforms of any instruction set: the levels of forward transforms backwards, the first
//! ones block by block in registers.
//!
//! Butterflies `(u + v, (v - u)·w)` undo those of the forward transform up to a factor of 2, w the
//! twiddle of the node's mirror image ([`mirror`]).

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::forward::{load_constant, load_twiddles, pair};
use super::lanes::Lanes;
use super::tables::Tables;
use super::tree::mirror;

/// The mirror image of a group's node h among the descendants of `node`, whose mirror image is
/// given.
#[inline(always)]
fn mirrored_descendant(mirrored: usize, h: usize) -> usize {
    ((mirrored - 1) << h.ilog2()) + mirror(h)
}

/// The first `levels` levels of C groups of R vectors each, side by side; see `forward`.
#[inline(always)]
unsafe fn group<L: Lanes, const R: usize, const C: usize>(
    l: L,
    x: &mut [[L::Vector; R]; C],
    levels: usize,
    w: impl Fn(usize, usize) -> [L::Vector; 2],
) {
    for level in 0..R.ilog2() as usize {
        if level >= levels {
            continue;
        }
        let half = 1 << level;
        for k in 0..R / 2 {
            let (i, block) = pair(k, half);
            for (c, x) in x.iter_mut().enumerate() {
                let w = w(c, (R >> (level + 1)) + block);
                (x[i], x[i + half]) = l.inverse_butterfly((x[i], x[i + half]), w);
            }
        }
        for x in x.iter_mut() {
            l.after_level(x, level);
        }
    }
}

/// The last level of a block, which also divides by the powers of σ'.
#[inline(always)]
unsafe fn last_level<L: Lanes, const R: usize>(l: L, x: &mut [L::Vector; R], w: *const u64) {
    for i in 0..R / 2 {
        let (sum, difference) = l.sum_and_difference((x[i], x[i + R / 2]));
        x[i] = l.scale_after(sum, w);
        x[i + R / 2] = l.scale_after(difference, w.add(L::LANE_WORDS * L::LANES));
    }
}

/// log2 R levels on `length` words, those of one node, C vectors of every part at a time; with a
/// factor, the last of all levels.
#[inline(always)]
unsafe fn pass<L: Lanes, const R: usize, const C: usize>(
    l: L,
    words: *mut u64,
    length: usize,
    scalars: *const u64,
    node: usize,
    factor: Option<[L::Vector; 2]>,
) {
    let stride = length / R;
    let mirrored = mirror(node);
    let w = load_twiddles::<L, R>(scalars, |h| mirrored_descendant(mirrored, h));
    for column in (0..stride).step_by(C * L::LANES) {
        let mut x = [[L::splat(0); R]; C];
        for (c, x) in x.iter_mut().enumerate() {
            let words = words.add(column + c * L::LANES);
            for (i, x) in x.iter_mut().enumerate() {
                *x = L::load(words.add(i * stride));
            }
        }
        group(l, &mut x, 3, |_, h| w[h]);
        for (c, x) in x.into_iter().enumerate() {
            let words = words.add(column + c * L::LANES);
            for (i, x) in x.into_iter().enumerate() {
                L::store(words.add(i * stride), leave(l, x, factor));
            }
        }
    }
}

/// Lanes times the factor as words in `[0, q)`, if there is one.
#[inline(always)]
unsafe fn leave<L: Lanes>(l: L, x: L::Vector, factor: Option<[L::Vector; 2]>) -> L::Vector {
    match factor {
        Some(factor) => l.leave_scaled(x, factor),
        None => x,
    }
}

/// A pass over blocks side by side, which are the nodes from `node` on.
#[inline(always)]
unsafe fn pass_blocks<L: Lanes>(
    l: L,
    (words, blocks): (*mut u64, usize),
    (length, levels): (usize, u32),
    scalars: *const u64,
    node: usize,
    factor: Option<[L::Vector; 2]>,
) {
    for block in 0..blocks {
        let (words, node) = (words.add(block * length), node + block);
        match levels {
            3 if L::PAIRED[1] >= 3 => pass::<L, 8, 2>(l, words, length, scalars, node, factor),
            3 => pass::<L, 8, 1>(l, words, length, scalars, node, factor),
            2 if L::PAIRED[1] >= 2 => pass::<L, 4, 2>(l, words, length, scalars, node, factor),
            2 => pass::<L, 4, 1>(l, words, length, scalars, node, factor),
            _ => pass::<L, 2, 2>(l, words, length, scalars, node, factor),
        }
    }
}

/// The levels of the blocks of R² words, R = LANES, from `node` on, C blocks at a time.
#[inline(always)]
unsafe fn first_blocks<L: Lanes, const R: usize, const C: usize>(
    l: L,
    (words, blocks): (*mut u64, usize),
    tables: &Tables,
    node: usize,
    factor: Option<[L::Vector; 2]>,
) {
    let (scalars, constants) = (tables.scalars.as_ptr(), tables.inverse.as_ptr());
    let levels = R.ilog2() as usize;
    for block in (0..blocks).step_by(C) {
        let words = words.add(block * R * R);
        let mut x = [[L::splat(0); R]; C];
        for (c, x) in x.iter_mut().enumerate() {
            for (i, x) in x.iter_mut().enumerate() {
                *x = l.enter(L::load(words.add((c * R + i) * R)));
            }
            L::transpose(x);
        }
        group(l, &mut x, levels, |_, h| load_constant::<L>(constants, h));
        x.iter_mut().for_each(|x| L::transpose(x));
        let mut w = [[[L::splat(0); 2]; R]; C];
        for (c, w) in w.iter_mut().enumerate() {
            let mirrored = mirror(node + block + c);
            *w = load_twiddles::<L, R>(scalars, |h| mirrored_descendant(mirrored, h));
        }
        group(l, &mut x, levels - 1, |c, h| w[c][h]);
        for (c, mut x) in x.into_iter().enumerate() {
            let index = mirror(node + block + c) - tables.degree / (R * R);
            let factors = tables.blocks.as_ptr().add(index * 2 * L::LANE_WORDS * R);
            last_level(l, &mut x, factors);
            for (i, x) in x.into_iter().enumerate() {
                L::store(words.add((c * R + i) * R), leave(l, x, factor));
            }
        }
    }
}

/// Evaluations to N times the coefficients times a factor, in place, words in `[0, q)` before and
/// after.
///
/// # Safety
/// As for `forward`.
#[inline(always)]
pub(super) unsafe fn inverse<L: Lanes, const R: usize>(
    l: L,
    tables: &Tables,
    words: *mut u64,
    factor: [u64; 2],
) {
    let scalars = tables.scalars.as_ptr();
    let factor = Some(factor.map(|word| L::splat(word)));
    let (outer, inner) = tables.passes.split_at(tables.outer);
    let blocks = 1usize << outer.iter().sum::<u32>();
    let length = tables.degree / blocks;
    for block in 0..blocks {
        let words = words.add(block * length);
        let levels: u32 = inner.iter().sum();
        let (mut parts, mut node) = (1 << levels, (blocks + block) << levels);
        let last = factor.filter(|_| tables.passes.is_empty());
        if R <= 1 << L::PAIRED[1] && parts % 2 == 0 {
            first_blocks::<L, R, 2>(l, (words, parts), tables, node, last);
        } else {
            first_blocks::<L, R, 1>(l, (words, parts), tables, node, last);
        }
        for (index, &levels) in inner.iter().enumerate().rev() {
            (parts, node) = (parts >> levels, node >> levels);
            let last = factor.filter(|_| index == 0 && outer.is_empty());
            pass_blocks(l, (words, parts), (length / parts, levels), scalars, node, last);
        }
    }
    let mut blocks = blocks;
    for (index, &levels) in outer.iter().enumerate().rev() {
        blocks >>= levels;
        let last = factor.filter(|_| index == 0);
        pass_blocks(l, (words, blocks), (tables.degree / blocks, levels), scalars, blocks, last);
    }
}
