//! Inverse transforms for any instruction set: the levels of forward transforms in reverse order, the first ones block
//! by block in registers.
//!
//! Butterflies `(u + v, (v - u)·w)` undo those of the forward transform up to a factor of 2, where w is the twiddle of
//! the node's mirror image ([`mirror`]).

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::forward::{load_constant, load_groups, load_twiddle, load_twiddles, pair};
use super::lanes::Lanes;
use super::tables::{Blocks, Columns, Part, Tables};
use super::tree::mirror;

/// Returns the mirror image of a group's node h among the descendants of `node`, given the mirror image of `node`.
#[inline(always)]
fn mirrored_descendant(mirrored: usize, h: usize) -> usize {
    ((mirrored - 1) << h.ilog2()) + mirror(h)
}

/// Performs one level of C groups of R vectors each, side by side; see `forward`.
#[inline(always)]
unsafe fn level<L: Lanes, const R: usize, const C: usize>(
    l: L,
    x: &mut [[L::Vector; R]; C],
    level: usize,
    w: impl Fn(usize) -> [L::Vector; 2],
) {
    for k in 0..R / 2 {
        for x in x.iter_mut() {
            butterfly(l, x, level, k, &w);
        }
    }
    for x in x {
        l.after_level(x, level);
    }
}

/// Performs butterfly k of R/2 in a level of a group. `w` returns the twiddle of a group's node.
#[inline(always)]
unsafe fn butterfly<L: Lanes, const R: usize>(
    l: L,
    x: &mut [L::Vector; R],
    level: usize,
    k: usize,
    w: impl Fn(usize) -> [L::Vector; 2],
) {
    let half = 1 << level;
    let (i, block) = pair(k, half);
    let w = w((R >> (level + 1)) + block);
    (x[i], x[i + half]) = l.inverse_butterfly((x[i], x[i + half]), w);
}

/// Performs log2 R levels on some columns of R rows, `stride` words apart, which are those of one node, with C vectors
/// of every row at a time; with a factor, these are the last of all levels. The last level of one step is interleaved
/// with the first level of the next.
#[inline(always)]
unsafe fn pass<L: Lanes, const R: usize, const C: usize>(
    l: L,
    words: *mut u64,
    columns: Columns,
    scalars: *const u64,
    node: usize,
    factor: Option<[L::Vector; 2]>,
) {
    let Columns { stride, count } = columns;
    let mirrored = mirror(node);
    let w = load_twiddles::<L, R>(scalars, |h| mirrored_descendant(mirrored, h));
    let last = R.ilog2() as usize - 1;
    let mut x = load_groups::<L, R, C, false>(l, words, stride);
    for at in 0..last {
        level(l, &mut x, at, |h| w[h]);
    }
    for column in (0..count - C * L::LANES).step_by(C * L::LANES) {
        let (words, following) = (words.add(column), words.add(column + C * L::LANES));
        let mut next = load_groups::<L, R, C, false>(l, following, stride);
        for k in 0..R / 2 {
            for (x, next) in x.iter_mut().zip(&mut next) {
                butterfly(l, x, last, k, |h| w[h]);
                if last > 0 {
                    butterfly(l, next, 0, k, |h| w[h]);
                }
            }
        }
        for (x, next) in x.iter_mut().zip(&mut next) {
            l.after_level(x, last);
            if last > 0 {
                l.after_level(next, 0);
            }
        }
        store_groups(l, words, stride, x, factor);
        for at in 1..last {
            level(l, &mut next, at, |h| w[h]);
        }
        x = next;
    }
    level(l, &mut x, last, |h| w[h]);
    store_groups(l, words.add(count - C * L::LANES), stride, x, factor);
}

/// Stores one vector of each of R parts, for C groups.
#[inline(always)]
unsafe fn store_groups<L: Lanes, const R: usize, const C: usize>(
    l: L,
    words: *mut u64,
    stride: usize,
    x: [[L::Vector; R]; C],
    factor: Option<[L::Vector; 2]>,
) {
    for (c, x) in x.into_iter().enumerate() {
        let words = words.add(c * L::LANES);
        for (i, x) in x.into_iter().enumerate() {
            L::store(words.add(i * stride), leave(l, x, factor));
        }
    }
}

/// Returns lanes times the factor as words in `[0, q)` if there is a factor, and unchanged lanes otherwise.
#[inline(always)]
unsafe fn leave<L: Lanes>(l: L, x: L::Vector, factor: Option<[L::Vector; 2]>) -> L::Vector {
    match factor {
        Some(factor) => l.leave_scaled(x, factor),
        None => x,
    }
}

/// Transforms some columns of one node by several levels in one pass.
#[inline(always)]
unsafe fn pass_columns<L: Lanes>(
    l: L,
    words: *mut u64,
    columns: Columns,
    levels: u32,
    scalars: *const u64,
    node: usize,
    factor: Option<[L::Vector; 2]>,
) {
    match levels {
        3 if L::PAIRED[1] >= 3 => pass::<L, 8, 2>(l, words, columns, scalars, node, factor),
        3 => pass::<L, 8, 1>(l, words, columns, scalars, node, factor),
        2 if L::PAIRED[1] >= 2 => pass::<L, 4, 2>(l, words, columns, scalars, node, factor),
        2 => pass::<L, 4, 1>(l, words, columns, scalars, node, factor),
        _ => pass::<L, 2, 2>(l, words, columns, scalars, node, factor),
    }
}

/// Performs a pass over contiguous blocks, which are the nodes from `node` on.
#[inline(always)]
unsafe fn pass_blocks<L: Lanes>(
    l: L,
    words: *mut u64,
    blocks: Blocks,
    levels: u32,
    scalars: *const u64,
    node: usize,
    factor: Option<[L::Vector; 2]>,
) {
    let stride = blocks.length >> levels;
    let columns = Columns { stride, count: stride };
    for block in 0..blocks.count {
        let (words, node) = (words.add(block * blocks.length), node + block);
        pass_columns(l, words, columns, levels, scalars, node, factor);
    }
}

/// Performs the levels of the blocks of R² words, R = LANES, from `node` on, which are read at `source`. The second
/// half of one block's levels is interleaved with the first half of the next one's.
#[inline(always)]
unsafe fn first_blocks<L: Lanes, const R: usize>(
    l: L,
    source: *const u64,
    words: *mut u64,
    blocks: usize,
    tables: &Tables,
    node: usize,
    factor: Option<[L::Vector; 2]>,
) {
    let constants = tables.inverse.as_ptr();
    let levels = R.ilog2() as usize;
    let target = |block: usize| {
        let mirrored = mirror(node + block);
        let index = mirrored - tables.degree / (R * R);
        BlockTarget {
            words: words.add(block * R * R),
            factors: tables.lane_twiddles.as_ptr().add(index * 2 * L::LANE_WORDS * R),
            scalars: tables.scalars.as_ptr(),
            mirrored,
        }
    };
    let [mut x] = load_groups::<L, R, 1, true>(l, source, R);
    L::transpose(&mut x);
    for at in 0..levels {
        for k in 0..R / 2 {
            butterfly(l, &mut x, at, k, |h| load_constant::<L>(constants, h));
        }
        l.after_level(&mut x, at);
    }
    L::transpose(&mut x);
    for block in 1..blocks {
        let target = target(block - 1);
        let [mut next] = load_groups::<L, R, 1, true>(l, source.add(block * R * R), R);
        L::transpose(&mut next);
        target.beside(l, &mut x, &mut next, 0, constants);
        target.beside(l, &mut x, &mut next, 1, constants);
        if R == 8 {
            target.beside(l, &mut x, &mut next, 2, constants);
        }
        store_groups(l, target.words, R, [x], factor);
        L::transpose(&mut next);
        x = next;
    }
    let target = target(blocks - 1);
    for at in 0..levels {
        for k in 0..R / 2 {
            target.butterfly(l, &mut x, at, k);
        }
        target.after_level(l, &mut x, at);
    }
    store_groups(l, target.words, R, [x], factor);
}

/// The source and the target of the second half of a block's levels.
#[derive(Clone, Copy)]
struct BlockTarget {
    words: *mut u64,
    factors: *const u64,
    scalars: *const u64,
    mirrored: usize,
}

impl BlockTarget {
    /// Performs a butterfly; in the last level, also divides by the powers of σ'.
    #[inline(always)]
    unsafe fn butterfly<L: Lanes, const R: usize>(
        self,
        l: L,
        x: &mut [L::Vector; R],
        level: usize,
        k: usize,
    ) {
        if 2 << level == R {
            let (sum, difference) = l.sum_and_difference((x[k], x[k + R / 2]));
            x[k] = l.scale_after(sum, self.factors);
            x[k + R / 2] = l.scale_after(difference, self.factors.add(L::LANE_WORDS * L::LANES));
        } else {
            butterfly(l, x, level, k, |h| {
                load_twiddle::<L>(self.scalars, mirrored_descendant(self.mirrored, h))
            });
        }
    }

    #[inline(always)]
    unsafe fn after_level<L: Lanes, const R: usize>(
        self,
        l: L,
        x: &mut [L::Vector; R],
        level: usize,
    ) {
        if 2 << level < R {
            l.after_level(x, level);
        }
    }

    /// Performs a level of the second half of this block, and the same level of the first half of the next one.
    #[inline(always)]
    unsafe fn beside<L: Lanes, const R: usize>(
        self,
        l: L,
        x: &mut [L::Vector; R],
        next: &mut [L::Vector; R],
        level: usize,
        constants: *const u64,
    ) {
        for k in 0..R / 2 {
            self.butterfly(l, x, level, k);
            butterfly(l, next, level, k, |h| load_constant::<L>(constants, h));
        }
        self.after_level(l, x, level);
        l.after_level(next, level);
    }
}

/// Performs a part of the transform from evaluations at `source` to N times the coefficients times a factor, with words
/// in `[0, q)` before and after. All blocks must come before all columns. The first levels read the source, and all
/// others are in place: `source` may be `words`.
///
/// # Safety
/// The same as for `forward`; `source` must be `words`, or the same number of words disjoint from them.
#[inline(always)]
pub(super) unsafe fn inverse<L: Lanes, const R: usize>(
    l: L,
    tables: &Tables,
    source: *const u64,
    words: *mut u64,
    factor: [u64; 2],
    part: Part,
) {
    let scalars = tables.scalars.as_ptr();
    let factor = Some(factor.map(|word| L::splat(word)));
    match part {
        Part::Blocks(blocks) if tables.outer == 0 => {
            debug_assert_eq!(blocks, 0..1);
            inner_levels::<L, R>(l, tables, source, words, 1, tables.degree, factor);
        }
        Part::Blocks(range) => {
            let above: u32 = tables.passes[1..tables.outer].iter().sum();
            let mut blocks = tables.blocks() << above;
            let mut range = range.start << above..range.end << above;
            let length = tables.degree / blocks;
            for block in range.clone() {
                let (source, words) = (source.add(block * length), words.add(block * length));
                inner_levels::<L, R>(l, tables, source, words, blocks + block, length, None);
            }
            for &levels in tables.passes[1..tables.outer].iter().rev() {
                (blocks, range) = (blocks >> levels, range.start >> levels..range.end >> levels);
                let length = tables.degree / blocks;
                let (words, node) = (words.add(range.start * length), blocks + range.start);
                let side_by_side = Blocks { count: range.len(), length };
                pass_blocks(l, words, side_by_side, levels, scalars, node, None);
            }
        }
        Part::Columns(columns) => {
            let words = words.add(columns.start);
            let columns = Columns { stride: tables.columns(), count: columns.len() };
            pass_columns(l, words, columns, tables.passes[0], scalars, 1, factor);
        }
    }
}

/// Performs the first levels and the passes of the words of one node, which stay in the first-level cache; with a
/// factor, those of all words.
#[inline(always)]
unsafe fn inner_levels<L: Lanes, const R: usize>(
    l: L,
    tables: &Tables,
    source: *const u64,
    words: *mut u64,
    node: usize,
    length: usize,
    factor: Option<[L::Vector; 2]>,
) {
    let (scalars, passes) = (tables.scalars.as_ptr(), &tables.passes[tables.outer..]);
    let levels: u32 = passes.iter().sum();
    let (mut parts, mut node) = (1 << levels, node << levels);
    let last = factor.filter(|_| passes.is_empty());
    first_blocks::<L, R>(l, source, words, parts, tables, node, last);
    for (index, &levels) in passes.iter().enumerate().rev() {
        (parts, node) = (parts >> levels, node >> levels);
        let last = factor.filter(|_| index == 0);
        let blocks = Blocks { count: parts, length: length / parts };
        pass_blocks(l, words, blocks, levels, scalars, node, last);
    }
}
