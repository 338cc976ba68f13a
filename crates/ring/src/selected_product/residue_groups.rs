//! Products of groups of limbs by residues modulo small numbers, and with selectors.

use super::{Operands, Task, tensor_sum};
use crate::Buffer;
use crate::kernels::ResidueBlock;

/// Words of a strip of residues.
pub(super) const MIN_DEGREE: usize = 32;

/// Writes the words of a task.
pub(super) fn write_tensors(operands: &Operands, task: Task) {
    let Task { limbs, start, span, mut out, .. } = task;
    let (matrix, sets) = (operands.matrix, operands.selectors.len());
    let (tiles, inner) = (&matrix.tiles, matrix.inner);
    let moduli: Vec<_> = limbs.clone().map(|limb| operands.ring.modulus(limb)).collect();
    let mut block = ResidueBlock::new(&moduli, tiles, span);
    let width = block.width();
    let row = 2 * width;
    let buffers =
        |rows: usize| limbs.clone().map(move |_| Buffer::unspecified(rows * row)).collect();
    let (mut sums, mut selectors): (Vec<Buffer>, Vec<Buffer>) =
        (buffers(inner), buffers(sets * inner));
    for first in (0..span).step_by(width) {
        let words = start + first..start + first + width;
        for part in 0..2 {
            block.load(tiles, part, |limb, column| {
                &operands.columns[column][part].limb(limbs.start + limb)[words.clone()]
            });
        }
        for (limb, selectors) in limbs.clone().zip(&mut selectors) {
            operands.copy_selectors(limb, selectors, words.start, width);
        }
        block.multiply(tiles);
        for o in 0..matrix.outer {
            for index in 0..2 * inner {
                let place = index * width..(index + 1) * width;
                let mut sums: Vec<_> =
                    sums.iter_mut().map(|sums| &mut sums[place.clone()]).collect();
                block.put_sums(o * inner + index / 2, index % 2, &mut sums);
            }
            for (limb, out) in out.iter_mut().enumerate() {
                let selectors = selectors[limb].chunks_exact(inner * row);
                for (out, selectors) in out[o * sets..].iter_mut().zip(selectors) {
                    let out = out.each_mut().map(|part| &mut part[first..first + width]);
                    tensor_sum(moduli[limb], out, &sums[limb], selectors);
                }
            }
        }
    }
}
