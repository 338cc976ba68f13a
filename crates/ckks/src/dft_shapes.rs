//! Shapes of the matrices of the homomorphic DFTs, for planning without their entries.
//!
//! At full size a matrix has 63 diagonals of up to 32,768 complex numbers, and a planner tries hundreds of parameter
//! sets. Rotations, periods and norms follow from the structure: l merged levels of butterflies lead from every entry
//! of a block to `2^l` entries, each by one product of roots of unity. A matrix of blocks of length m therefore has the
//! diagonals `s·k`, `|k| < 2^l`, `s = m/2^l`, all of period m; where a block spans all slots, k and `k - 2^l` coincide.
//! The diagonals are shifted as described in `dft_windows.rs`.

use std::collections::BTreeMap;

use crate::dft_factors::{DftFactors, Direction, Packing};
use crate::diagonal_matrix::{DiagonalMatrix, lifted};

/// The shape of a matrix in diagonal form: rotations, periods and norm.
///
/// ```
/// use cryptable_ckks::dft_factors::slots_to_coeffs;
/// let shapes = slots_to_coeffs(8, &[1, 2], 1.0).shapes();
/// // Butterflies of neighbours, and of blocks over all eight slots.
/// assert_eq!(shapes[0].periods, [(1, 2), (2, 2), (3, 2)].into());
/// assert_eq!(shapes[1].periods, [(0, 8), (2, 8), (4, 8), (6, 8)].into());
/// assert_eq!(shapes[1].row_power, 4.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixShape {
    /// The dimension, a power of two.
    pub slots: usize,
    /// The period of every diagonal, by its rotation.
    pub periods: BTreeMap<usize, usize>,
    /// Mean over rows of the squared 2-norm of a row.
    pub row_power: f64,
}

impl MatrixShape {
    /// Number of coefficients of the polynomials that encode all diagonals: twice the period of each.
    #[must_use]
    pub fn rounded_coefficients(&self) -> usize {
        self.periods.values().map(|period| 2 * period).sum()
    }

    /// Least number of nonzero entries per row: a factor of a Fourier transform has 2^r of them on 2^(r+1) - 1
    /// diagonals.
    #[must_use]
    pub fn row_entries(&self) -> usize {
        self.periods.len().div_ceil(2)
    }

    /// The matrix on vectors of twice the dimension, as in [`DiagonalMatrix::doubled`].
    fn doubled(mut self) -> Self {
        let slots = self.slots;
        self.periods = self.periods.into_iter().map(|(r, m)| (lifted(r, slots), m)).collect();
        self.slots = 2 * slots;
        self
    }
}

impl DiagonalMatrix {
    /// Returns the shape of the matrix: rotations, periods and norm.
    #[must_use]
    pub fn shape(&self) -> MatrixShape {
        let row_power = self
            .diagonals
            .values()
            .map(|d| d.values.iter().map(|v| v.norm_sqr()).sum::<f64>() / d.values.len() as f64)
            .sum();
        let periods = self.diagonals.iter().map(|(&r, d)| (r, d.values.len())).collect();
        MatrixShape { slots: self.slots, periods, row_power }
    }
}

impl DftFactors {
    /// Returns the shapes of [`DftFactors::matrices`], in the same order, within microseconds.
    ///
    /// # Panics
    /// The panics of [`DftFactors::matrices`].
    #[must_use]
    pub fn shapes(&self) -> Vec<MatrixShape> {
        self.check();
        let total = self.slots.trailing_zeros();
        let mut shapes: Vec<MatrixShape> = self
            .log_blocks()
            .zip(self.window_shifts())
            .map(|((levels, log_block), shift)| {
                let entry = match self.direction {
                    Direction::CoeffsToSlots => -f64::from(levels),
                    Direction::SlotsToCoeffs => f64::from(levels),
                };
                let share = self.factor.powf(f64::from(levels) / f64::from(total));
                let row_power = entry.exp2() * share * share;
                let periods = rotations(self.slots, log_block, levels)
                    .map(|rotation| ((rotation + shift.rotation) % self.slots, 1 << log_block))
                    .collect();
                MatrixShape { slots: self.slots, periods, row_power }
            })
            .collect();
        if self.packing == Packing::Sparse {
            shapes = shapes.into_iter().map(MatrixShape::doubled).collect();
            let (masked, mask) = match self.direction {
                Direction::CoeffsToSlots => (shapes.len() - 1, 0.25),
                Direction::SlotsToCoeffs => (0, 1.0),
            };
            shapes[masked].row_power *= mask;
            shapes[masked].periods.values_mut().for_each(|period| *period = 2 * self.slots);
        }
        shapes
    }
}

/// The rotations of `levels` merged butterflies whose largest blocks have the length `2^log_block`.
fn rotations(slots: usize, log_block: u32, levels: u32) -> impl Iterator<Item = usize> {
    let (stride, count) = (1usize << (log_block - levels), 1usize << levels);
    let below = if slots == 1 << log_block { 0 } else { count - 1 };
    let up = (0..count).map(move |k| k * stride);
    up.chain((1..=below).map(move |k| slots - k * stride))
}

#[cfg(test)]
mod tests {
    use crate::dft_factors::tests::SPLITS;
    use crate::dft_factors::{
        coeffs_to_slots, coeffs_to_slots_sparse, slots_to_coeffs, slots_to_coeffs_sparse,
    };

    #[test]
    fn shapes_are_those_of_the_matrices() {
        for (slots, stages) in SPLITS {
            for factors in [
                coeffs_to_slots(slots, stages, 0.3),
                coeffs_to_slots_sparse(slots, stages, 0.3),
                slots_to_coeffs(slots, stages, 0.7),
                slots_to_coeffs_sparse(slots, stages, 0.7),
            ] {
                let (planned, matrices) = (factors.shapes(), factors.matrices());
                assert_eq!(planned.len(), matrices.len());
                for (planned, matrix) in planned.iter().zip(&matrices) {
                    let found = matrix.shape();
                    assert_eq!((planned.slots, &planned.periods), (found.slots, &found.periods));
                    let ratio = planned.row_power / found.row_power;
                    assert!((ratio - 1.0).abs() < 1e-12, "{factors:?}: {ratio}");
                }
            }
        }
    }
}
