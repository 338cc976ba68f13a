//! Linear combinations of polynomials.

use cryptable_ring::combination::GaussianInteger;
use cryptable_ring::{Basis, Evaluations};

use crate::arguments::{Combination, FEW_WORDS};
use crate::device::{Device, Words};
use crate::kernels::{self, Grid, Kernel};
use crate::poly::DevicePoly;
use crate::ring::DeviceRing;
use crate::tensor::common_basis;

/// Most inputs at a time: their constants are in shared memory.
const MAX_INPUTS: usize = 256;

/// Most threads of a block.
const THREADS: usize = 256;

/// Words that a thread takes where there are many: constants are then reduced less often.
const MOST_PASSES: usize = 4;

/// Blocks that fill a card, and some more.
const ENOUGH_BLOCKS: usize = 1024;

/// `out[r] = Σ_k rows[r][k]·inputs[k]` modulo `q_0 … q_{main-1}` of the inputs' chain.
///
/// Inputs may have more limbs than `main`: the others are not read. A word of an input is read once for eight outputs;
/// constants are uploaded once, and reduced on the card.
///
/// # Panics
/// If an input has fewer than `main` chain primes, or a row's length is not the number of inputs.
#[must_use]
pub fn linear_combinations(
    ring: &DeviceRing<'_>,
    main: usize,
    inputs: &[&DevicePoly<Evaluations>],
    rows: &[Vec<GaussianInteger>],
) -> Vec<DevicePoly<Evaluations>> {
    assert!(rows.iter().all(|row| row.len() == inputs.len()), "row length");
    let Some(first) = inputs.first() else {
        let basis = ring.ring().main_basis(main);
        return rows.iter().map(|_| DevicePoly::zero(ring, basis)).collect();
    };
    let basis = common_basis(first.basis(), main, inputs.iter().copied());
    let outputs: Vec<_> = rows.iter().map(|_| DevicePoly::unspecified(ring, basis)).collect();
    if rows.is_empty() {
        return outputs;
    }
    for (index, inputs) in inputs.chunks(MAX_INPUTS).enumerate() {
        let first = index * MAX_INPUTS;
        let constants = rows.iter().flat_map(|row| &row[first..first + inputs.len()]);
        let polys = inputs.iter().copied().chain(&outputs).map(|poly| poly.limb(0));
        let words: Vec<u64> = polys.chain(constants.flat_map(constant_words)).collect();
        add_combinations(ring, basis, [inputs.len(), rows.len()], &words, index > 0);
    }
    outputs
}

/// A constant as kernels take it (`constant_factor` of `sums.cuh`).
pub(crate) fn constant_words(constant: &GaussianInteger) -> [u64; 5] {
    let GaussianInteger { re, im, shift } = *constant;
    let [re_high, im_high] = [re, im].map(|part| (part >> 64) as u64);
    [re as u64, re_high, im as u64, im_high, u64::from(shift)]
}

/// Words for a kernel: with its arguments where they are few, uploaded where they are many.
pub(crate) struct KernelWords {
    /// Where the uploaded ones are: 0 for none.
    pub many: u64,
    /// Those that come with the arguments.
    pub few: [u64; FEW_WORDS],
    _uploaded: Option<Words>,
}

impl KernelWords {
    /// Words for a kernel that is started before they are dropped.
    pub(crate) fn new(device: &Device, words: &[u64]) -> Self {
        let mut few = [0; FEW_WORDS];
        if words.len() <= few.len() {
            few[..words.len()].copy_from_slice(words);
            return Self { many: 0, few, _uploaded: None };
        }
        let uploaded = device.upload(words);
        Self { many: uploaded.address(0), few, _uploaded: Some(uploaded) }
    }
}

/// Threads of a block, words that each takes, and blocks for a limb, if there are so many times as many blocks: the words of
/// a block are in the same half of the evaluations.
pub(crate) fn passes(degree: usize, times: usize) -> (u32, u32, u32) {
    let threads = THREADS.min(degree / 2);
    let blocks = degree / 2 / threads * 2;
    let most = MOST_PASSES.min(blocks / 2);
    let passes = if blocks / most * times >= ENOUGH_BLOCKS { most } else { 1 };
    (threads as u32, passes as u32, (blocks / passes) as u32)
}

/// Combines some inputs, and adds the sums to what the outputs are or not.
fn add_combinations(
    ring: &DeviceRing<'_>,
    basis: Basis,
    [inputs, rows]: [usize; 2],
    words: &[u64],
    accumulates: bool,
) {
    let (group, kernel): (usize, &Kernel<Combination>) = match rows {
        1 => (1, &kernels::LINEAR_COMBINATIONS_1),
        2..=4 => (4, &kernels::LINEAR_COMBINATIONS_4),
        _ => (8, &kernels::LINEAR_COMBINATIONS_8),
    };
    let groups = rows.div_ceil(group);
    let (threads, passes, blocks) = passes(ring.degree(), groups * basis.limbs());
    let words = KernelWords::new(ring.device(), words);
    let arguments = Combination {
        moduli: ring.moduli(),
        many: words.many,
        few: words.few,
        inputs: inputs as u32,
        rows: rows as u32,
        passes,
        accumulate: u32::from(accumulates),
        degree: ring.degree() as u32,
        limbs: ring.limbs(basis),
    };
    let grid = Grid { blocks: [groups as u32, blocks, basis.limbs() as u32], threads };
    ring.device().launch(kernel, grid, &arguments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, samples};
    use cryptable_ring::{Poly, Ring, combination, primes::ntt_primes};

    fn constant(state: &mut u64) -> GaussianInteger {
        let mut part = || {
            let [high, low] = [0; 2].map(|_| samples::random(state));
            let wide = (u128::from(high) << 64 | u128::from(low)).cast_signed();
            match low % 4 {
                0 => wide >> 100,
                1 => 0,
                2 => wide,
                _ => [i128::MIN, i128::MAX, -1, 1][high as usize % 4],
            }
        };
        let (re, im) = (part(), part());
        GaussianInteger { re, im, shift: [0, 0, 1, 170][samples::random(state) as usize % 4] }
    }

    fn check(ring: &Ring, [main, inputs, rows]: [usize; 3], most: usize) {
        let on_card = DeviceRing::new(&Device::for_tests(), ring);
        let mut state = (main * 1000 + inputs) as u64;
        let polys: Vec<Poly<Evaluations>> = (0..inputs.min(10))
            .map(|k| samples::poly(ring, ring.main_basis(most - k % (most - main + 1)), k as u64))
            .collect();
        let copies: Vec<_> = polys.iter().map(|poly| DevicePoly::upload(&on_card, poly)).collect();
        let rows: Vec<Vec<_>> =
            (0..rows).map(|_| (0..inputs).map(|_| constant(&mut state)).collect()).collect();
        let input: Vec<_> = (0..inputs).map(|k| &polys[k % 10]).collect();
        let expected = combination::linear_combinations(ring, main, &input, &rows);
        let input: Vec<_> = (0..inputs).map(|k| &copies[k % 10]).collect();
        let found = linear_combinations(&on_card, main, &input, &rows);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let found = found.download(&on_card).unwrap();
            assert!(found == *expected, "{inputs} inputs, {} rows, {main} primes", rows.len());
        }
    }

    #[test]
    fn combinations_are_those_of_the_processor() {
        for degree in [16, 64] {
            let ring = samples::ring(degree);
            for main in 1..=8 {
                check(&ring, [main, 3, 2], 8);
            }
            for (inputs, rows) in [
                (0, 2),
                (3, 0),
                (1, 1),
                (2, 1),
                (17, 4),
                (9, 8),
                (5, 9),
                (40, 20),
                (256, 2),
                (600, 9),
            ] {
                check(&ring, [5, inputs, rows], 8);
                check(&ring, [8, inputs, rows], 8);
            }
        }
        check(&samples::ring(4096), [8, 3, 11], 8);
    }

    #[test]
    fn combinations_of_the_full_degree() {
        let ring = Ring::new(1 << 16, &ntt_primes(1 << 16, 50.0, 2, &[]), &[]);
        check(&ring, [2, 3, 2], 2);
        check(&ring, [1, 2, 17], 2);
    }
}
