//! Forward transforms of any instruction set: passes of up to three levels over the words, then the
//! last levels block by block in registers.
//!
//! Butterflies multiply first, `(u + w·v, u - w·v)`: a level takes polynomials modulo `X^2h - w^2`
//! to their residues modulo `X^h - w` and `X^h + w`. A block is a square of vectors: its last levels
//! are within vectors, so it is transposed for them, and back.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::lanes::Lanes;
use super::tables::Tables;

/// Twiddles of a group's nodes: of the node h in a tree of its own, counted from 1.
#[inline(always)]
pub(super) unsafe fn load_twiddles<L: Lanes, const R: usize>(
    scalars: *const u64,
    node: impl Fn(usize) -> usize,
) -> [[L::Vector; 2]; R] {
    let mut out = [[L::splat(0); 2]; R];
    for (h, out) in out.iter_mut().enumerate().skip(1) {
        let twiddle = scalars.add(2 * node(h));
        *out = [L::splat(*twiddle), L::splat(*twiddle.add(1))];
    }
    out
}

/// The node of a group's node h: of the descendants of `node`.
#[inline(always)]
fn descendant(node: usize, h: usize) -> usize {
    ((node - 1) << h.ilog2()) + h
}

/// The pair k of R/2 of a level whose pairs are `half` apart, and its block.
#[inline(always)]
pub(super) fn pair(k: usize, half: usize) -> (usize, usize) {
    (k / half * 2 * half + k % half, k / half)
}

/// The levels of C groups from level `first` on, of R vectors each, side by side. `w` gives the
/// twiddle of a group's node.
#[inline(always)]
unsafe fn group<L: Lanes, const R: usize, const C: usize>(
    l: L,
    x: &mut [[L::Vector; R]; C],
    first: usize,
    w: impl Fn(usize, usize) -> [L::Vector; 2],
) {
    for level in 0..R.ilog2() as usize {
        if level < first {
            continue;
        }
        for x in x.iter_mut() {
            l.before_level(x, level);
        }
        let half = R >> (level + 1);
        for k in 0..R / 2 {
            let (i, block) = pair(k, half);
            for (c, x) in x.iter_mut().enumerate() {
                let w = w(c, (1 << level) + block);
                (x[i], x[i + half]) = l.butterfly((x[i], x[i + half]), w);
            }
        }
    }
}

/// The first level of a block, which also multiplies by the block's powers of σ.
#[inline(always)]
unsafe fn first_level<L: Lanes, const R: usize>(l: L, x: &mut [L::Vector; R], w: *const u64) {
    for i in 0..R / 2 {
        let u = l.scale_before::<R>(x[i], w, i);
        let product = w.add(L::LANE_WORDS * L::LANES);
        (x[i], x[i + R / 2]) = l.butterfly_by_lane((u, x[i + R / 2]), product);
    }
}

/// The constant twiddles of lanes of node h.
#[inline(always)]
pub(super) unsafe fn load_constant<L: Lanes>(constants: *const u64, h: usize) -> [L::Vector; 2] {
    let w = constants.add((h - 1) * 2 * L::LANES);
    [L::load(w), L::load(w.add(L::LANES))]
}

/// log2 R levels on `length` words, those of one node, C vectors of every part at a time.
#[inline(always)]
unsafe fn pass<L: Lanes, const R: usize, const C: usize, const ENTER: bool>(
    l: L,
    words: *mut u64,
    length: usize,
    scalars: *const u64,
    node: usize,
) {
    let stride = length / R;
    let w = load_twiddles::<L, R>(scalars, |h| descendant(node, h));
    for column in (0..stride).step_by(C * L::LANES) {
        let mut x = [[L::splat(0); R]; C];
        for (c, x) in x.iter_mut().enumerate() {
            let words = words.add(column + c * L::LANES);
            for (i, x) in x.iter_mut().enumerate() {
                *x = L::load(words.add(i * stride));
                if ENTER {
                    *x = l.enter(*x);
                }
            }
        }
        group(l, &mut x, 0, |_, h| w[h]);
        for (c, x) in x.into_iter().enumerate() {
            let words = words.add(column + c * L::LANES);
            for (i, x) in x.into_iter().enumerate() {
                L::store(words.add(i * stride), x);
            }
        }
    }
}

/// A pass over blocks side by side, which are the nodes from `node` on.
#[inline(always)]
unsafe fn pass_blocks<L: Lanes, const ENTER: bool>(
    l: L,
    (words, blocks): (*mut u64, usize),
    length: usize,
    levels: u32,
    scalars: *const u64,
    node: usize,
) {
    for block in 0..blocks {
        let (words, node) = (words.add(block * length), node + block);
        match levels {
            3 if L::PAIRED[0] >= 3 => pass::<L, 8, 2, ENTER>(l, words, length, scalars, node),
            3 => pass::<L, 8, 1, ENTER>(l, words, length, scalars, node),
            2 => pass::<L, 4, 2, ENTER>(l, words, length, scalars, node),
            _ => pass::<L, 2, 2, ENTER>(l, words, length, scalars, node),
        }
    }
}

/// The last levels of the blocks of R² words, R = LANES, from `node` on, C blocks at a time.
#[inline(always)]
unsafe fn last_blocks<L: Lanes, const R: usize, const C: usize, const ENTER: bool>(
    l: L,
    (words, blocks): (*mut u64, usize),
    tables: &Tables,
    node: usize,
) {
    let first = node - tables.degree / (R * R);
    let (scalars, constants) = (tables.scalars.as_ptr(), tables.forward.as_ptr());
    for block in (0..blocks).step_by(C) {
        let words = words.add(block * R * R);
        let factors = tables.blocks.as_ptr().add((first + block) * 2 * L::LANE_WORDS * R);
        let mut x = [[L::splat(0); R]; C];
        let mut w = [[[L::splat(0); 2]; R]; C];
        for (c, x) in x.iter_mut().enumerate() {
            for (i, x) in x.iter_mut().enumerate() {
                *x = L::load(words.add((c * R + i) * R));
                if ENTER {
                    *x = l.enter(*x);
                }
            }
            w[c] = load_twiddles::<L, R>(scalars, |h| descendant(node + block + c, h));
            first_level(l, x, factors.add(c * 2 * L::LANE_WORDS * R));
        }
        group(l, &mut x, 1, |c, h| w[c][h]);
        x.iter_mut().for_each(|x| L::transpose(x));
        group(l, &mut x, 0, |_, h| load_constant::<L>(constants, h));
        for (c, mut x) in x.into_iter().enumerate() {
            for x in &mut x {
                *x = l.leave(*x);
            }
            L::transpose(&mut x);
            for (i, x) in x.into_iter().enumerate() {
                L::store(words.add((c * R + i) * R), x);
            }
        }
    }
}

/// Coefficients to evaluations, in place, words in `[0, q)` before and after.
///
/// # Safety
/// The processor has the instruction set of L; R is its number of lanes; `words` are as many as the
/// degree of the tables, which are for L.
#[inline(always)]
pub(super) unsafe fn forward<L: Lanes, const R: usize>(l: L, tables: &Tables, words: *mut u64) {
    let scalars = tables.scalars.as_ptr();
    let (outer, inner) = tables.passes.split_at(tables.outer);
    let (mut length, mut blocks) = (tables.degree, 1);
    for (index, &levels) in outer.iter().enumerate() {
        if index == 0 {
            pass_blocks::<L, true>(l, (words, blocks), length, levels, scalars, blocks);
        } else {
            pass_blocks::<L, false>(l, (words, blocks), length, levels, scalars, blocks);
        }
        (length, blocks) = (length >> levels, blocks << levels);
    }
    for block in 0..blocks {
        let words = words.add(block * length);
        let (mut node, mut length, mut parts) = (blocks + block, length, 1);
        for (index, &levels) in inner.iter().enumerate() {
            if index == 0 && outer.is_empty() {
                pass_blocks::<L, true>(l, (words, parts), length, levels, scalars, node);
            } else {
                pass_blocks::<L, false>(l, (words, parts), length, levels, scalars, node);
            }
            (length, parts, node) = (length >> levels, parts << levels, node << levels);
        }
        if tables.passes.is_empty() {
            last_blocks::<L, R, 1, true>(l, (words, parts), tables, node);
        } else if R <= 1 << L::PAIRED[0] && parts.is_multiple_of(2) {
            last_blocks::<L, R, 2, false>(l, (words, parts), tables, node);
        } else {
            last_blocks::<L, R, 1, false>(l, (words, parts), tables, node);
        }
    }
}
