//! Rotations of the homomorphic DFTs in windows that begin at 0.
//!
//! Merged butterflies of l levels and stride s, in blocks of length `m = 2^l·s`, rotate by `s·k`, `|k| < 2^l`; m is the
//! stride of the stage around them. Turned by m, their rotations are all positive, and turning back by m is one more stride
//! in the rotations of the stage around, whose blocks are turned in their turn, up to the outermost, where rotations are
//! cyclic. So a baby step of every stage is the rotation by 0, which needs no key, and the product of all stages is what it
//! was.

use crate::dft_factors::{DftFactors, Direction, Packing};
use crate::diagonal_matrix::{Diagonal, DiagonalMatrix};

/// Rotations before and after a stage that move its diagonals into a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowShift {
    /// Added to rotations, modulo the number of slots.
    pub(crate) rotation: usize,
    /// How far the entries of diagonals are turned to the right.
    pub(crate) entries: usize,
}

impl DftFactors {
    /// The turns of all stages; none where values are sparse: masks there are not periodic.
    pub(crate) fn window_shifts(&self) -> Vec<WindowShift> {
        if self.packing == Packing::Sparse {
            return vec![WindowShift { rotation: 0, entries: 0 }; self.stages.len()];
        }
        let (slots, total) = (self.slots, self.slots.trailing_zeros());
        let shift = |(levels, log_block): (u32, u32)| {
            let (block, stride) = (1 << log_block, 1 << (log_block - levels));
            let forward = if log_block == total { 0 } else { block };
            let back = if log_block == levels { 0 } else { stride };
            // Entries have the period of blocks.
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
