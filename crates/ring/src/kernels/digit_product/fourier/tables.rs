//! Twiddles of complex transforms modulo `X^M - i`.
//!
//! The blocks of a transform are the nodes of a tree, 1 its root, 2k and 2k + 1 the children of k.
//! The node with modulus `X^h - e^(2πi·t)` has the twiddle `w = e^(πi·t)`, and its children have
//! `X^(h/2) - w` and `X^(h/2) + w`. The second child's twiddle is i times the first one's, so only
//! those of even nodes are needed, and the root's.

use std::f64::consts::TAU;

use num_complex::Complex64;

/// Twiddles of one degree for vectors of a certain number of lanes.
#[derive(Debug)]
pub(crate) struct Tables {
    /// M, half of the ring degree.
    pub(super) points: usize,
    /// log2 of the radices of the passes before the blocks of R² points, R the number of lanes.
    pub(super) passes: Vec<u32>,
    /// Of the nodes that have whole vectors: real and imaginary part. Node 0 does not exist.
    pub(super) nodes: Vec<[f64; 2]>,
    /// Of the last log2 R levels of each block: R/2 pairs of vectors, real and imaginary parts, of
    /// the even nodes below the block's R sub-blocks, which lie side by side in the lanes.
    pub(super) lanes: Vec<f64>,
}

/// Whether a transform of this ring degree is made of whole blocks of vectors.
pub(in super::super) fn fits(degree: usize, lanes: usize) -> bool {
    degree.is_power_of_two() && degree / 2 >= lanes * lanes
}

/// log2 of the radices of passes over `levels` levels: eight complex vectors leave AVX2 no
/// registers.
fn radices(levels: u32, lanes: usize) -> Vec<u32> {
    let most = if lanes >= 8 { levels / 3 } else { 0 };
    let threes = (0..=most).rev().find(|threes| (levels - 3 * threes).is_multiple_of(2));
    let threes = threes.unwrap_or(0);
    let rest = levels - 3 * threes;
    let passes = std::iter::repeat_n(3, threes as usize).chain(vec![2; (rest / 2) as usize]);
    passes.chain((rest % 2 == 1).then_some(1)).collect()
}

/// `e^(2πi·part/whole)`, for multiples of 8: the angle is taken to the first eighth of the circle,
/// where sine and cosine are exact to their last place.
fn root_of_unity(part: usize, whole: usize) -> Complex64 {
    let eighth = whole / 8;
    let (octant, rest) = (part / eighth % 8, part % eighth);
    let angle = |part: usize| TAU * part as f64 / whole as f64;
    let (sin, cos) = if octant % 2 == 0 {
        angle(rest).sin_cos()
    } else {
        let (sin, cos) = angle(eighth - rest).sin_cos();
        (cos, sin)
    };
    // The octant's quarter of a turn.
    let first = Complex64::new(cos, sin);
    match octant / 2 {
        0 => first,
        1 => Complex64::new(-first.im, first.re),
        2 => -first,
        _ => Complex64::new(first.im, -first.re),
    }
}

/// The twiddle of a node of a transform of M points.
fn twiddle(node: usize, points: usize) -> Complex64 {
    // The angle t, in parts of 4M: 1/4 for the root; half of it for the first child, half of a turn
    // more for the second.
    let whole = 8 * points;
    let levels = node.ilog2();
    let mut angle = whole / 4;
    for level in (0..levels).rev() {
        angle = angle / 2 + whole / 2 * (node >> level & 1);
    }
    root_of_unity(angle / 2, whole)
}

impl Tables {
    /// For a ring degree N = 2M that [`fits`] the number of lanes.
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
                // The node 2·index of a tree below each of the lane's sub-blocks; its root for 0.
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
        Self { points, passes, nodes: nodes.collect(), lanes: by_lane }
    }

    /// The ring degree N.
    pub(super) fn degree(&self) -> usize {
        2 * self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twiddles_are_square_roots_of_their_nodes() {
        let points = 64;
        let close = |a: Complex64, b: Complex64| assert!((a - b).norm() < 4e-16, "{a}, {b}");
        close(twiddle(1, points).powi(2), Complex64::I);
        for node in 1..points / 2 {
            let w = twiddle(node, points);
            close(twiddle(2 * node, points).powi(2), w);
            close(twiddle(2 * node + 1, points).powi(2), -w);
            close(twiddle(2 * node + 1, points), Complex64::I * twiddle(2 * node, points));
        }
    }

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
