//! Twiddles of complex transforms modulo `X^M - i`, in the order of vectors.

use std::sync::OnceLock;

use super::monomials::Monomials;
use crate::fourier_twiddles::twiddle;

/// Twiddles of one degree for vectors of a certain number of lanes.
#[derive(Debug)]
pub(crate) struct Tables {
    /// M, half of the ring degree.
    pub(super) points: usize,
    /// log2 of the radices of the passes before the blocks of R² points, R the number of lanes.
    pub(super) passes: Vec<u32>,
    /// Real and imaginary parts of the nodes that have whole vectors. Node 0 does not exist.
    pub(super) nodes: Vec<[f64; 2]>,
    /// Twiddles of the last log2 R levels of each block: R/2 pairs of vectors, real and imaginary parts, of the even
    /// nodes below the block's R sub-blocks, which lie side by side in the lanes.
    pub(super) lanes: Vec<f64>,
    /// R, the number of lanes.
    lane_count: usize,
    /// Monomials, which are made on first use: few rings multiply by them.
    monomials: OnceLock<Monomials>,
}

/// Returns whether a transform of this ring degree consists of whole blocks of vectors.
pub(in super::super) fn fits(degree: usize, lanes: usize) -> bool {
    degree.is_power_of_two() && degree / 2 >= lanes * lanes
}

/// log2 of the radices of passes over `levels` levels. Eight complex vectors would use up all registers of AVX2.
fn radices(levels: u32, lanes: usize) -> Vec<u32> {
    let most = if lanes >= 8 { levels / 3 } else { 0 };
    let threes = (0..=most).rev().find(|threes| (levels - 3 * threes).is_multiple_of(2));
    let threes = threes.unwrap_or(0);
    let rest = levels - 3 * threes;
    let passes = std::iter::repeat_n(3, threes as usize).chain(vec![2; (rest / 2) as usize]);
    passes.chain((rest % 2 == 1).then_some(1)).collect()
}

impl Tables {
    /// Computes the tables for a ring degree N = 2M and a number of lanes that satisfy [`fits`].
    pub(in super::super) fn new(degree: usize, lanes: usize) -> Self {
        let points = degree / 2;
        let blocks = points / (lanes * lanes);
        let twiddle = |node| twiddle(node, points);
        let nodes = (0..points / lanes).map(|node| {
            let w = twiddle(node.max(1));
            [w.re, w.im]
        });
        let mut by_lane = Vec::with_capacity(blocks * lanes * lanes);
        for block in blocks..2 * blocks {
            for index in 0..lanes / 2 {
                // The node 2·index of the tree below each of the lanes' sub-blocks, or its root for 0.
                let node = (2 * index).max(1);
                let of_lane = |lane| {
                    let root = block * lanes + lane;
                    twiddle(((root - 1) << node.ilog2()) + node)
                };
                by_lane.extend((0..lanes).map(|lane| of_lane(lane).re));
                by_lane.extend((0..lanes).map(|lane| of_lane(lane).im));
            }
        }
        let passes = radices(blocks.ilog2(), lanes);
        let (nodes, monomials) = (nodes.collect(), OnceLock::new());
        Self { points, passes, nodes, lanes: by_lane, lane_count: lanes, monomials }
    }

    /// Returns the monomials at the points of transforms.
    pub(super) fn monomials(&self) -> &Monomials {
        self.monomials.get_or_init(|| Monomials::new(self.points, self.lane_count))
    }

    /// Returns the ring degree N.
    pub(super) fn degree(&self) -> usize {
        2 * self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_all_levels() {
        for lanes in [4, 8] {
            for levels in 0..14 {
                assert_eq!(radices(levels, lanes).iter().sum::<u32>(), levels);
            }
        }
        assert_eq!(radices(6, 4), [2, 2, 2]);
        assert_eq!(radices(5, 8), [3, 2]);
    }
}
