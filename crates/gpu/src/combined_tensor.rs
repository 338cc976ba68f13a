//! Products with linear combinations that are never stored.

use cryptable_ring::combination::GaussianInteger;

use crate::arguments::CombinedTensor;
use crate::combination::{KernelWords, constant_words, passes};
use crate::kernels::{self, Grid};
use crate::ring::DeviceRing;
use crate::tensor::{DeviceParts, DeviceTensor, common_basis};

/// Most left operands at a time, and right ones: their constants are in shared memory.
const MAX_LEFT: usize = 32;
const MAX_RIGHT: usize = 64;

/// `Σ_k left_k·(Σ_j rows[k][j]·right_j)` modulo `q_0 … q_{main-1}`; further limbs of the operands are not read.
///
/// As [`crate::combination::linear_combinations`] and [`crate::tensor::tensor`] after it, without the combinations in memory
/// between them.
///
/// # Panics
/// If there are no operands, not as many rows as left ones, or entries of a row as right ones.
#[must_use]
pub fn combined_tensor(
    ring: &DeviceRing<'_>,
    main: usize,
    left: &[DeviceParts<'_>],
    right: &[DeviceParts<'_>],
    rows: &[Vec<GaussianInteger>],
) -> DeviceTensor {
    assert_eq!(rows.len(), left.len(), "rows");
    assert!(rows.iter().all(|row| row.len() == right.len()), "row length");
    assert!(!right.is_empty(), "a combination of nothing");
    let operands = left.iter().chain(right).flatten().copied();
    let basis = common_basis(left[0][0].basis(), main, operands);
    let out = DeviceTensor::unspecified(ring, basis);
    let mut accumulates = false;
    for (left, rows) in left.chunks(MAX_LEFT).zip(rows.chunks(MAX_LEFT)) {
        for (index, right) in right.chunks(MAX_RIGHT).enumerate() {
            let first = index * MAX_RIGHT;
            let constants = rows.iter().flat_map(|row| &row[first..first + right.len()]);
            let polys = left.iter().chain(right).flatten().map(|poly| poly.limb(0));
            let words: Vec<u64> = polys.chain(constants.flat_map(constant_words)).collect();
            let words = KernelWords::new(ring.device(), &words);
            let (threads, passes, blocks) = passes(ring.degree(), basis.limbs());
            let arguments = CombinedTensor {
                moduli: ring.moduli(),
                out: out.addresses(),
                many: words.many,
                few: words.few,
                left: left.len() as u32,
                right: right.len() as u32,
                passes,
                accumulate: u32::from(accumulates),
                degree: ring.degree() as u32,
                limbs: ring.limbs(basis),
            };
            let grid = Grid { blocks: [blocks, basis.limbs() as u32, 1], threads };
            ring.device().launch(&kernels::COMBINED_TENSOR, grid, &arguments);
            accumulates = true;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poly::DevicePoly;
    use crate::{Device, samples};
    use cryptable_ring::{Evaluations, Poly, combined_tensor as on_processor};

    #[test]
    fn products_with_combinations_are_those_of_the_processor() {
        let ring = samples::ring(64);
        let on_card = DeviceRing::new(&Device::for_tests(), &ring);
        let polys: Vec<Poly<Evaluations>> =
            (0..7).map(|k| samples::poly(&ring, ring.main_basis(8), k)).collect();
        let copies: Vec<_> = polys.iter().map(|poly| DevicePoly::upload(&on_card, poly)).collect();
        let mut state = 5;
        let mut constant = || {
            let random = samples::random(&mut state);
            let re =
                [random as i128 >> 30, -(random as i128) << 50, i128::MIN][random as usize % 3];
            GaussianInteger { re, im: i128::from(random as i64 >> 20), shift: random as u32 % 2 }
        };
        for (left, right, mains) in
            [(1, 1, 1..=8), (3, 4, 1..=8), (4, 15, 7..=8), (9, 70, 5..=5), (33, 65, 8..=8)]
        {
            for main in mains {
                let rows: Vec<Vec<_>> =
                    (0..left).map(|_| (0..right).map(|_| constant()).collect()).collect();
                let pick = |k: usize, salt: usize| (k * 5 + salt) % 7;
                let on_left: Vec<_> =
                    (0..left).map(|k| (&polys[pick(k, 0)], &polys[pick(k, 1)])).collect();
                let on_right: Vec<_> =
                    (0..right).map(|k| (&polys[pick(k, 2)], &polys[pick(k, 4)])).collect();
                let expected =
                    on_processor::combined_tensor(&ring, main, &on_left, &on_right, &rows);
                let on_left: Vec<_> =
                    (0..left).map(|k| [&copies[pick(k, 0)], &copies[pick(k, 1)]]).collect();
                let on_right: Vec<_> =
                    (0..right).map(|k| [&copies[pick(k, 2)], &copies[pick(k, 4)]]).collect();
                let found = combined_tensor(&on_card, main, &on_left, &on_right, &rows);
                let found = found.download(&on_card).unwrap();
                assert!(found.d0 == expected.d0, "{left} x {right}, {main} primes");
                assert!(found.d1 == expected.d1 && found.d2 == expected.d2);
            }
        }
    }
}
