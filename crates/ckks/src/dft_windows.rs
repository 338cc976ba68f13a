//! Windows of rotations that begin at 0, for the homomorphic DFTs.
//!
//! Merged butterflies of l levels and stride s, in blocks of length `m = 2^l·s`, rotate by `s·k`, `|k| < 2^l`; m is the
//! stride of the next outer stage. After a turn by m all their rotations are positive. Turning back by m adds one
//! stride to the rotations of the next outer stage, whose blocks are turned in the same way, and so on up to the
//! outermost stage, where rotations are cyclic. Every stage thus has the rotation by 0 as a baby step, which needs no
//! key, and the product of all stages is unchanged.

use crate::dft_factors::{DftFactors, Direction, Packing};
use crate::diagonal_matrix::{Diagonal, DiagonalMatrix};

/// Rotations before and after a stage that move its diagonals into a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowShift {
    /// Rotation that is added, modulo the number of slots.
    pub(crate) rotation: usize,
    /// Number of places by which the entries of diagonals are turned to the right.
    pub(crate) entries: usize,
}

impl DftFactors {
    /// The turns of all stages; there are none if values are sparse, because masks there are not periodic.
    pub(crate) fn window_shifts(&self) -> Vec<WindowShift> {
        if self.packing == Packing::Sparse {
            return vec![WindowShift { rotation: 0, entries: 0 }; self.stages.len()];
        }
        let (slots, total) = (self.slots, self.slots.trailing_zeros());
        let shift = |(levels, log_block): (u32, u32)| {
            let (block, stride) = (1 << log_block, 1 << (log_block - levels));
            let forward = if log_block == total { 0 } else { block };
            let back = if log_block == levels { 0 } else { stride };
            // Entries have the same period as blocks.
            let entries = match self.direction {
                Direction::CoeffsToSlots => back,
                Direction::SlotsToCoeffs => 0,
            };
            WindowShift { rotation: (forward + slots - back) % slots, entries }
        };
        self.log_blocks().map(shift).collect()
    }
}

impl WindowShift {
    /// Turns a matrix.
    pub(crate) fn apply(self, mut matrix: DiagonalMatrix) -> DiagonalMatrix {
        let turned = |(rotation, mut diagonal): (usize, Diagonal)| {
            let period = diagonal.values.len();
            diagonal.values.rotate_right(self.entries % period);
            ((rotation + self.rotation) % matrix.slots, diagonal)
        };
        let diagonals = std::mem::take(&mut matrix.diagonals);
        matrix.diagonals = diagonals.into_iter().map(turned).collect();
        matrix
    }
}
