//! Monomials at the points of transforms.
//!
//! Point p of M is `e^(2πi·(1 + 4r)/4M)`, where r has the bits of p in reverse. In a block of R² points, vector j has
//! the points `R·l + j` in its lanes l. The value of `X^e` there is therefore a product of one number per block, one
//! per lane and one per vector: `e^(2πi·e·(1 + 4r_B)/4M)`, `e^(2πi·e·r_l/R²)` and `e^(2πi·e·r_j/R)`.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::super::super::ntt::doubles::Doubles;
use super::transform::Complex;
use crate::fourier_twiddles::root_of_unity;

/// Roots of unity for monomials of one degree, for vectors of a certain number of lanes.
#[derive(Debug)]
pub(super) struct Monomials {
    /// M, half of the ring degree.
    points: usize,
    /// `e^(2πi·k/4M)` for all k, real and imaginary parts.
    roots: Vec<[f64; 2]>,
    /// `e^(2πi·k·r_l/R²)` for all k below R²: a vector of real parts and a vector of imaginary ones.
    lanes: Vec<f64>,
    /// r_B of all blocks, and `e^(2πi·k/R)` for all k below R.
    reversed_blocks: Vec<usize>,
    turns: Vec<[f64; 2]>,
}

/// Returns the lowest `bits` bits of a number in reverse.
fn reversed(number: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { number.reverse_bits() >> (usize::BITS - bits) }
}

impl Monomials {
    /// Computes the roots for transforms of M points.
    pub(super) fn new(points: usize, lanes: usize) -> Self {
        let root = |part, whole| {
            let root = root_of_unity(part, whole);
            [root.re, root.im]
        };
        let roots = (0..4 * points).map(|k| root(k, 4 * points)).collect();
        let square = lanes * lanes;
        let by_lane = |k: usize| {
            let of_lane = move |lane| root(k * reversed(lane, lanes.ilog2()) % square, square);
            (0..2).flat_map(move |part| (0..lanes).map(move |lane| of_lane(lane)[part]))
        };
        let blocks = points / square;
        Self {
            points,
            roots,
            lanes: (0..square).flat_map(by_lane).collect(),
            reversed_blocks: (0..blocks).map(|block| reversed(block, blocks.ilog2())).collect(),
            turns: (0..lanes).map(|k| root(k * lanes, square)).collect(),
        }
    }

    /// Returns `X^exponent - 1` at the points of a block, vector by vector.
    ///
    /// # Safety
    /// The processor must have the instruction set of D, of R lanes, and the roots must be for R lanes.
    #[inline(always)]
    pub(super) unsafe fn differences<D: Doubles, const R: usize>(
        &self,
        exponent: usize,
        block: usize,
    ) -> [Complex<D>; R] {
        let of_block = 1 + 4 * self.reversed_blocks[block];
        let [re, im] = self.roots[(exponent * of_block) & (4 * self.points - 1)];
        let lanes = self.lanes[exponent % (R * R) * 2 * R..][..2 * R].as_ptr().cast::<u64>();
        let of_lanes = [D::load(lanes), D::load(lanes.add(R))];
        let base = multiply::<D>([D::splat(re), D::splat(im)], of_lanes);
        let mut differences = [base; R];
        for (index, difference) in differences.iter_mut().enumerate() {
            let [re, im] = self.turns[(exponent * reversed(index, R.ilog2())) & (R - 1)];
            let [re, im] = multiply::<D>([D::splat(re), D::splat(im)], base);
            *difference = [D::sub(re, D::splat(1.0)), im];
        }
        differences
    }
}

/// Returns the product of two complex vectors.
#[inline(always)]
unsafe fn multiply<D: Doubles>(x: Complex<D>, y: Complex<D>) -> Complex<D> {
    [D::sub_mul(D::mul(x[0], y[0]), x[1], y[1]), D::mul_add(x[1], y[0], D::mul(x[0], y[1]))]
}
