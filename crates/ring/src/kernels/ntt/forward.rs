//! Forward transforms for any instruction set: passes of up to three levels over the words, followed by the last
//! levels, block by block in registers.
//!
//! Butterflies multiply first, `(u + w·v, u - w·v)`: a level maps polynomials modulo `X^2h - w^2` to their residues
//! modulo `X^h - w` and `X^h + w`. A block is a square of vectors. Its last levels are within vectors, so it is
//! transposed for them, and back.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::lanes::Lanes;
use super::tables::{Blocks, Columns, Part, Tables};

/// Loads the twiddles of a group's nodes; node h is counted from 1 in a tree of the group's own.
#[inline(always)]
pub(super) unsafe fn load_twiddles<L: Lanes, const R: usize>(
    scalars: *const u64,
    node: impl Fn(usize) -> usize,
) -> [[L::Vector; 2]; R] {
    let mut out = [[L::splat(0); 2]; R];
    for (h, out) in out.iter_mut().enumerate().skip(1) {
        *out = load_twiddle::<L>(scalars, node(h));
    }
    out
}

/// Loads the twiddle of a node.
#[inline(always)]
pub(super) unsafe fn load_twiddle<L: Lanes>(scalars: *const u64, node: usize) -> [L::Vector; 2] {
    let twiddle = scalars.add(2 * node);
    [L::splat(*twiddle), L::splat(*twiddle.add(1))]
}

/// Returns the node of a group's node h, which is a descendant of `node`.
#[inline(always)]
fn descendant(node: usize, h: usize) -> usize {
    ((node - 1) << h.ilog2()) + h
}

/// Returns the pair k of R/2 of a level whose pairs are `half` apart, and its block.
#[inline(always)]
pub(super) fn pair(k: usize, half: usize) -> (usize, usize) {
    (k / half * 2 * half + k % half, k / half)
}

/// Performs one level of C groups of R vectors each, side by side. `w` returns the twiddle of a group's node.
#[inline(always)]
unsafe fn level<L: Lanes, const R: usize, const C: usize>(
    l: L,
    x: &mut [[L::Vector; R]; C],
    level: usize,
    w: impl Fn(usize, usize) -> [L::Vector; 2],
) {
    for x in x.iter_mut() {
        l.before_level(x, level);
    }
    for k in 0..R / 2 {
        for (c, x) in x.iter_mut().enumerate() {
            butterfly(l, x, level, k, |h| w(c, h));
        }
    }
}

/// Performs butterfly k of R/2 in a level of a group, and returns the indices of the changed vectors.
#[inline(always)]
unsafe fn butterfly<L: Lanes, const R: usize>(
    l: L,
    x: &mut [L::Vector; R],
    level: usize,
    k: usize,
    w: impl Fn(usize) -> [L::Vector; 2],
) -> [usize; 2] {
    let half = R >> (level + 1);
    let (i, block) = pair(k, half);
    (x[i], x[i + half]) = l.butterfly((x[i], x[i + half]), w((1 << level) + block));
    [i, i + half]
}

/// Performs butterfly k of the first level of a block, and multiplies by the block's powers of σ in the same step.
#[inline(always)]
unsafe fn scaled_butterfly<L: Lanes, const R: usize>(
    l: L,
    x: &mut [L::Vector; R],
    k: usize,
    w: *const u64,
) {
    let u = l.scale_before::<R>(x[k], w, k);
    let product = w.add(L::LANE_WORDS * L::LANES);
    (x[k], x[k + R / 2]) = l.butterfly_by_lane((u, x[k + R / 2]), product);
}

/// Loads the constant twiddles in the lanes of node h.
#[inline(always)]
pub(super) unsafe fn load_constant<L: Lanes>(constants: *const u64, h: usize) -> [L::Vector; 2] {
    let w = constants.add((h - 1) * 2 * L::LANES);
    [L::load(w), L::load(w.add(L::LANES))]
}

/// Loads one vector of each of R parts, for C groups.
#[inline(always)]
pub(super) unsafe fn load_groups<L: Lanes, const R: usize, const C: usize, const ENTER: bool>(
    l: L,
    words: *const u64,
    stride: usize,
) -> [[L::Vector; R]; C] {
    let mut x = [[L::splat(0); R]; C];
    for (c, x) in x.iter_mut().enumerate() {
        for (i, x) in x.iter_mut().enumerate() {
            *x = L::load(words.add(c * L::LANES + i * stride));
            if ENTER {
                *x = l.enter(*x);
            }
        }
    }
    x
}

/// Performs log2 R levels on some columns of R rows, `stride` words apart, which are those of one node, with C vectors
/// of every row at a time. The last level of one step is interleaved with the first level of the next, so that there is
/// always work while products are pending.
#[inline(always)]
unsafe fn pass<L: Lanes, const R: usize, const C: usize, const ENTER: bool>(
    l: L,
    words: *mut u64,
    columns: Columns,
    scalars: *const u64,
    node: usize,
) {
    let Columns { stride, count } = columns;
    let w = load_twiddles::<L, R>(scalars, |h| descendant(node, h));
    let last = R.ilog2() as usize - 1;
    let mut x = load_groups::<L, R, C, ENTER>(l, words, stride);
    for at in 0..last {
        level(l, &mut x, at, |_, h| w[h]);
    }
    for column in (0..count - C * L::LANES).step_by(C * L::LANES) {
        let (words, following) = (words.add(column), words.add(column + C * L::LANES));
        let mut next = load_groups::<L, R, C, ENTER>(l, following, stride);
        for (x, next) in x.iter_mut().zip(&mut next) {
            l.before_level(x, last);
            if last > 0 {
                l.before_level(next, 0);
            }
        }
        for k in 0..R / 2 {
            for (c, (x, next)) in x.iter_mut().zip(&mut next).enumerate() {
                for i in butterfly(l, x, last, k, |h| w[h]) {
                    L::store(words.add(c * L::LANES + i * stride), x[i]);
                }
                if last > 0 {
                    butterfly(l, next, 0, k, |h| w[h]);
                }
            }
        }
        for at in 1..last {
            level(l, &mut next, at, |_, h| w[h]);
        }
        x = next;
    }
    level(l, &mut x, last, |_, h| w[h]);
    for (c, x) in x.into_iter().enumerate() {
        let words = words.add(count - (C - c) * L::LANES);
        for (i, x) in x.into_iter().enumerate() {
            L::store(words.add(i * stride), x);
        }
    }
}

/// Transforms some columns of one node by several levels in one pass.
#[inline(always)]
unsafe fn pass_columns<L: Lanes, const ENTER: bool>(
    l: L,
    words: *mut u64,
    columns: Columns,
    levels: u32,
    scalars: *const u64,
    node: usize,
) {
    match levels {
        3 if L::PAIRED[0] >= 3 => pass::<L, 8, 2, ENTER>(l, words, columns, scalars, node),
        3 => pass::<L, 8, 1, ENTER>(l, words, columns, scalars, node),
        2 => pass::<L, 4, 2, ENTER>(l, words, columns, scalars, node),
        _ => pass::<L, 2, 2, ENTER>(l, words, columns, scalars, node),
    }
}

/// Performs a pass over contiguous blocks, which are the nodes from `node` on.
#[inline(always)]
unsafe fn pass_blocks<L: Lanes, const ENTER: bool>(
    l: L,
    words: *mut u64,
    blocks: Blocks,
    levels: u32,
    scalars: *const u64,
    node: usize,
) {
    let stride = blocks.length >> levels;
    let columns = Columns { stride, count: stride };
    for block in 0..blocks.count {
        let (words, node) = (words.add(block * blocks.length), node + block);
        pass_columns::<L, ENTER>(l, words, columns, levels, scalars, node);
    }
}

/// Performs the last levels of the blocks of R² words, R = LANES, from `node` on. The second half of one block's levels
/// is interleaved with the first half of the next one's.
#[inline(always)]
unsafe fn last_blocks<L: Lanes, const R: usize, const ENTER: bool>(
    l: L,
    words: *mut u64,
    blocks: usize,
    tables: &Tables,
    node: usize,
) {
    let first = node - tables.degree / (R * R);
    let constants = tables.forward.as_ptr();
    let levels = R.ilog2() as usize;
    let source = |block: usize| BlockSource {
        words: words.add(block * R * R),
        factors: tables.lane_twiddles.as_ptr().add((first + block) * 2 * L::LANE_WORDS * R),
        scalars: tables.scalars.as_ptr(),
        node: node + block,
    };
    let [mut x] = load_groups::<L, R, 1, ENTER>(l, words, R);
    for at in 0..levels {
        source(0).before_level(l, &mut x, at);
        for k in 0..R / 2 {
            source(0).butterfly(l, &mut x, at, k);
        }
    }
    for block in 1..blocks {
        let source = source(block);
        let [mut next] = load_groups::<L, R, 1, ENTER>(l, source.words, R);
        for k in 0..R / 2 {
            source.butterfly(l, &mut next, 0, k);
        }
        L::transpose(&mut x);
        source.beside(l, &mut x, &mut next, 0, constants);
        if R == 8 {
            source.beside(l, &mut x, &mut next, 1, constants);
        }
        let last = levels - 1;
        before_last_level(l, &mut x, last);
        for k in 0..R / 2 {
            butterfly(l, &mut x, last, k, |h| load_constant::<L>(constants, h));
        }
        store_block(l, source.words.sub(R * R), x);
        x = next;
    }
    L::transpose(&mut x);
    for at in 0..levels {
        before_last_level(l, &mut x, at);
        for k in 0..R / 2 {
            butterfly(l, &mut x, at, k, |h| load_constant::<L>(constants, h));
        }
    }
    store_block(l, words.add((blocks - 1) * R * R), x);
}

/// The source of the first half of a block's levels.
#[derive(Clone, Copy)]
struct BlockSource {
    words: *mut u64,
    factors: *const u64,
    scalars: *const u64,
    node: usize,
}

impl BlockSource {
    #[inline(always)]
    unsafe fn before_level<L: Lanes, const R: usize>(
        self,
        l: L,
        x: &mut [L::Vector; R],
        level: usize,
    ) {
        if level > 0 {
            l.before_level(x, level);
        }
    }

    #[inline(always)]
    unsafe fn butterfly<L: Lanes, const R: usize>(
        self,
        l: L,
        x: &mut [L::Vector; R],
        level: usize,
        k: usize,
    ) {
        if level == 0 {
            scaled_butterfly(l, x, k, self.factors);
        } else {
            butterfly(l, x, level, k, |h| {
                load_twiddle::<L>(self.scalars, descendant(self.node, h))
            });
        }
    }

    /// Performs a level of the second half of the previous block, and the same level of the first half of this one.
    #[inline(always)]
    unsafe fn beside<L: Lanes, const R: usize>(
        self,
        l: L,
        x: &mut [L::Vector; R],
        next: &mut [L::Vector; R],
        level: usize,
        constants: *const u64,
    ) {
        before_last_level(l, x, level);
        self.before_level(l, next, level + 1);
        for k in 0..R / 2 {
            butterfly(l, x, level, k, |h| load_constant::<L>(constants, h));
            self.butterfly(l, next, level + 1, k);
        }
    }
}

/// Prepares a block for a level of the second half.
#[inline(always)]
unsafe fn before_last_level<L: Lanes, const R: usize>(l: L, x: &mut [L::Vector; R], level: usize) {
    l.before_level(x, level);
    if level == 0 {
        x[0] = l.before_leave(x[0]);
    }
}

/// Stores a block after its second half.
#[inline(always)]
unsafe fn store_block<L: Lanes, const R: usize>(l: L, words: *mut u64, mut x: [L::Vector; R]) {
    for x in &mut x {
        *x = l.leave(*x);
    }
    L::transpose(&mut x);
    for (i, x) in x.into_iter().enumerate() {
        L::store(words.add(i * R), x);
    }
}

/// Performs a part of the transform from coefficients to evaluations, in place, with words in `[0, q)` before and
/// after. All columns must come before all blocks.
///
/// # Safety
/// The processor must have the instruction set of L, and R must be its number of lanes. The number of `words` must be
/// the degree of the tables, which must be for L. Nobody else may access the words of this part.
#[inline(always)]
pub(super) unsafe fn forward<L: Lanes, const R: usize>(
    l: L,
    tables: &Tables,
    words: *mut u64,
    part: Part,
) {
    match part {
        Part::Columns(columns) => {
            let words = words.add(columns.start);
            let columns = Columns { stride: tables.columns(), count: columns.len() };
            let scalars = tables.scalars.as_ptr();
            pass_columns::<L, true>(l, words, columns, tables.passes[0], scalars, 1);
        }
        Part::Blocks(blocks) if tables.outer == 0 => {
            debug_assert_eq!(blocks, 0..1);
            inner_levels::<L, R, true>(l, tables, words, 1, tables.degree);
        }
        Part::Blocks(range) => {
            // The nodes of the range, as levels go down.
            let (mut blocks, mut range) = (tables.blocks(), range);
            for &levels in &tables.passes[1..tables.outer] {
                let length = tables.degree / blocks;
                let side_by_side = Blocks { count: range.len(), length };
                let (scalars, node) = (tables.scalars.as_ptr(), blocks + range.start);
                let words = words.add(range.start * length);
                pass_blocks::<L, false>(l, words, side_by_side, levels, scalars, node);
                (blocks, range) = (blocks << levels, range.start << levels..range.end << levels);
            }
            let length = tables.degree / blocks;
            for block in range {
                let words = words.add(block * length);
                inner_levels::<L, R, false>(l, tables, words, blocks + block, length);
            }
        }
    }
}

/// Performs the passes and the last levels of the words of one node, which stay in the first-level cache.
#[inline(always)]
unsafe fn inner_levels<L: Lanes, const R: usize, const ENTER: bool>(
    l: L,
    tables: &Tables,
    words: *mut u64,
    mut node: usize,
    mut length: usize,
) {
    let (scalars, passes) = (tables.scalars.as_ptr(), &tables.passes[tables.outer..]);
    let mut parts = 1;
    for (index, &levels) in passes.iter().enumerate() {
        let blocks = Blocks { count: parts, length };
        if ENTER && index == 0 {
            pass_blocks::<L, true>(l, words, blocks, levels, scalars, node);
        } else {
            pass_blocks::<L, false>(l, words, blocks, levels, scalars, node);
        }
        (length, parts, node) = (length >> levels, parts << levels, node << levels);
    }
    if ENTER && passes.is_empty() {
        last_blocks::<L, R, true>(l, words, parts, tables, node);
    } else {
        last_blocks::<L, R, false>(l, words, parts, tables, node);
    }
}
