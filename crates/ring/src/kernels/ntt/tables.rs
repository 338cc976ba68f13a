//! Twiddles of transforms on vectors, in the order in which the passes read them.
//!
//! The last levels, in blocks of R² words for vectors of R lanes, would need N - N/R different twiddles, one for every
//! lane: as many words as the polynomial has, twice that with quotients, and transforms modulo one number after another
//! would read their tables from memory. A block has two vectors instead. Its modulus is `X^(R²) - σ^(R²)`, where σ is
//! the point of its first evaluation; in `Y = X/σ` it is `Y^(R²) - 1`, for which the twiddles of lanes are the same
//! constants in all blocks. Substituting `σY` for X multiplies lane k by `σ^k` while lanes are coefficients. Half of
//! the vectors are multiplied by a twiddle at that time anyway (which is then `σ^k` times the block's twiddle), and the
//! cost of the product for the other half is saved by omitting their reduction. The inverse transform uses the tables
//! of the mirror image in the tree and `Y = X/σ'`: 1/σ' is the mirror image's σ, which makes `σ' = σ/Ω` for the root Ω
//! of order R² whose powers, bit-reversed, are the block's points divided by σ.

use std::ops::Range;

use super::tree::{Points, twiddles};
use crate::{Buffer, Modulus};

/// The most words of a block that goes through all its passes at once: half of a first-level cache.
const BLOCK_WORDS: usize = 2048;

/// Twiddles of one ring for vectors of a certain number of lanes.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) degree: usize,
    /// Value and quotient of the nodes that have whole vectors; node 0 does not exist.
    pub(super) scalars: Buffer,
    /// Two rows per block of LANES² words: one vector (or two, value and quotient) of `σ^lane`, and the same times the
    /// twiddle of the block.
    pub(super) lane_twiddles: Buffer,
    /// Twiddles of the last log2(LANES) levels of any block, forward: value and quotient vectors of the `LANES - 1`
    /// nodes of a sub-block, with the sub-blocks side by side in the lanes.
    pub(super) forward: Buffer,
    /// The same backward: the negative inverses of twiddles.
    pub(super) inverse: Buffer,
    /// log2 of the radices of the passes before the blocks of LANES² words.
    pub(super) passes: Vec<u32>,
    /// The number of these passes that go over all words before the next one begins.
    pub(super) outer: usize,
}

/// A part of a transform. Parts of one kind may run at the same time, before or after all parts of the other kind.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Some columns of the first pass (the last one in an inverse transform), in each of which words are
    /// [`Tables::columns`] apart.
    Columns(Range<usize>),
    /// All other levels of some of the contiguous [`Tables::blocks`] that this pass leaves.
    Blocks(Range<usize>),
}

/// Columns of one node's words that a pass transforms.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    /// Words from one row to the next.
    pub(super) stride: usize,
    /// Number of columns.
    pub(super) count: usize,
}

/// Contiguous blocks of words, each of one node.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    /// Number of blocks.
    pub(super) count: usize,
    /// Words per block.
    pub(super) length: usize,
}

/// Returns whether a transform of this degree consists of whole blocks of vectors, which is always so for four lanes.
#[cfg(target_arch = "x86_64")]
pub(super) fn fits(degree: usize, lanes: usize) -> bool {
    degree.is_power_of_two() && degree >= lanes * lanes
}

/// Returns log2 of the radices of passes over `levels` levels: threes, with twos for the rest between them, since the
/// last pass has short rows, in which pairs of small groups would hardly start.
fn radices(levels: u32, lanes: usize) -> Vec<u32> {
    // AVX2 has too few registers for groups of eight vectors and their twiddles: radix 8 is used only where it saves a
    // pass over the second-level cache, or a pass of radix 2.
    let most = match lanes {
        8.. => levels / 3,
        _ => (levels / 3).min(if levels >= 10 { 2 } else { 1 }),
    };
    let threes = (0..=most).rev().find(|threes| (levels - 3 * threes).is_multiple_of(2));
    match threes {
        Some(threes) => {
            let twos = vec![2; ((levels - 3 * threes) / 2) as usize];
            let [first, last] =
                [threes / 2, threes.div_ceil(2)].map(|threes| vec![3; threes as usize]);
            [first, twos, last].concat()
        }
        None => [vec![2; (levels / 2) as usize], vec![1]].concat(),
    }
}

impl Tables {
    /// Computes the tables for points of evaluations. `encode` returns the value and the quotient of a twiddle;
    /// `lane_words` is 1 if lanes have no quotients.
    pub(super) fn new(
        m: &Modulus,
        degree: usize,
        points: Points,
        lanes: usize,
        lane_words: usize,
        encode: impl Fn(u64) -> [u64; 2],
    ) -> Self {
        let twiddles = twiddles(m, degree, points);
        let mut scalars = Buffer::zeroed(2 * degree / lanes);
        for (out, &w) in scalars.chunks_exact_mut(2).zip(&twiddles).skip(1) {
            out.copy_from_slice(&encode(w));
        }
        let block = lanes * lanes;
        let mut lane_twiddles = Buffer::zeroed(degree / block * 2 * lane_words * lanes);
        for (out, node) in
            lane_twiddles.chunks_exact_mut(2 * lane_words * lanes).zip(degree / block..)
        {
            let point = points.power(m, first_exponent(degree, node * block));
            let (powers, products) = out.split_at_mut(lane_words * lanes);
            encode_lanes(powers, lanes, &encode, |lane| m.pow(point, lane as u64));
            let of_lane = |lane| m.mul(twiddles[node], m.pow(point, lane as u64));
            encode_lanes(products, lanes, &encode, of_lane);
        }
        let root = points.root();
        let constant = |is_inverse| constant_lanes(m, degree, root, lanes, &encode, is_inverse);
        let passes = radices((degree / block).ilog2(), lanes);
        let mut rest = degree;
        let outer = passes.iter().take_while(|&&levels| {
            let is_outer = rest > BLOCK_WORDS;
            rest >>= levels;
            is_outer
        });
        let outer = outer.count();
        let (forward, inverse) = (constant(false), constant(true));
        Self { degree, scalars, lane_twiddles, forward, inverse, passes, outer }
    }

    /// Returns the number of columns of the first pass, or 0 if all words stay in the first-level cache for all passes.
    pub(super) fn columns(&self) -> usize {
        if self.outer == 0 { 0 } else { self.degree >> self.passes[0] }
    }

    /// Returns the number of blocks that the first pass leaves, or 1 if all words stay in the first-level cache for all
    /// passes.
    pub(super) fn blocks(&self) -> usize {
        if self.outer == 0 { 1 } else { 1 << self.passes[0] }
    }
}

/// Returns the exponent of ψ in the point of an evaluation, counted from N.
fn first_exponent(degree: usize, leaf: usize) -> u64 {
    let reversed = (leaf - degree).reverse_bits() >> (usize::BITS - degree.ilog2());
    2 * reversed as u64 + 1
}

/// Writes the values (and quotients) of all lanes.
fn encode_lanes(
    out: &mut [u64],
    lanes: usize,
    encode: impl Fn(u64) -> [u64; 2],
    of: impl Fn(usize) -> u64,
) {
    for lane in 0..lanes {
        for (out, word) in out[lane..].iter_mut().step_by(lanes).zip(encode(of(lane))) {
            *out = word;
        }
    }
}

/// Returns the twiddles by lane of blocks modulo `Y^(R²) - 1`: [`Tables::forward`], [`Tables::inverse`].
fn constant_lanes(
    m: &Modulus,
    degree: usize,
    root: u64,
    lanes: usize,
    encode: impl Fn(u64) -> [u64; 2],
    is_inverse: bool,
) -> Buffer {
    let mut out = Buffer::zeroed((lanes - 1) * 2 * lanes);
    for (out, node) in out.chunks_exact_mut(2 * lanes).zip(1usize..) {
        encode_lanes(out, lanes, &encode, |lane| {
            // The modulus of the node is `Y^h - ψ^exponent`: X^R - Ω^(R·bitrev(lane)) for the whole sub-block, with
            // another factor Ω^R in the inverse transform. A child has half of the exponent, and the second child N
            // more.
            let reversed = lane.reverse_bits() >> (usize::BITS - lanes.ilog2());
            let mut exponent = 2 * degree / lanes * (reversed + usize::from(is_inverse));
            for depth in (0..node.ilog2()).rev() {
                exponent = exponent / 2 + degree * (node >> depth & 1);
            }
            let twiddle = m.pow(root, exponent as u64 / 2);
            if is_inverse { m.neg(m.inv(twiddle)) } else { twiddle }
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_all_levels() {
        for lanes in [4, 8] {
            for levels in 0..14 {
                let radices = radices(levels, lanes);
                assert_eq!(radices.iter().sum::<u32>(), levels, "{radices:?}");
                assert!(radices.iter().all(|&r| r > 0 && r <= 3));
            }
        }
        assert_eq!(radices(10, 8), [3, 2, 2, 3]);
        assert_eq!(radices(12, 4), [3, 2, 2, 2, 3]);
    }
}
