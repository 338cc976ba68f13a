//! The homomorphic DFTs as products of sparse matrices (Chen, Chillotti, Song, EUROCRYPT 2019,
//! ePrint 2018/1043; Cheon, Han, Hhan, ePrint 2018/1073).
//!
//! The map from coefficients `w_k = m_k + i·m_{k+n}` to slots factors as `B_{log n} … B_1 · R`: R
//! reverses bits, and `B_k` are the butterflies in blocks of length `2^k`,
//!
//! `(u, v) -> (u + ω_j·v, u - ω_j·v)`, `ω_j = e^{2πi·5^j/(4·2^k)}`,
//!
//! on entries j and `j + 2^(k-1)` of a block. Such a matrix has the diagonals 0 and ±2^(k-1), of period `2^k`. R, which
//! has about √n distinct diagonals, is not needed: CoeffsToSlots yields coefficients in bit-reversed order,
//! SlotsToCoeffs accepts that order, and everything between the two works slot by slot.
//!
//! Merging l neighbouring levels into one matrix costs at most `2·2^l - 1` diagonals, and one level of the ciphertext
//! instead of l. In the outermost matrix, which spans all slots, the diagonals r and r - n coincide: `2^l` are left.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use num_complex::Complex64;

pub use crate::diagonal_matrix::{Diagonal, DiagonalMatrix};

/// The twiddle factors of blocks of length `block`: `e^{2πi·5^j/(4·block)}` for j below half of it.
fn twiddles(block: usize) -> Vec<Complex64> {
    let order = 4 * block;
    let mut power = 1;
    (0..block / 2)
        .map(|_| {
            let root = Complex64::from_polar(1.0, TAU * power as f64 / order as f64);
            power = power * 5 % order;
            root
        })
        .collect()
}

/// A matrix that acts alike on all blocks: the 2 x 2 matrix `entries(ω_j)` (row by row) acts on entries j and j +
/// block/2.
fn blocks(
    slots: usize,
    block: usize,
    entries: impl Fn(Complex64) -> [Complex64; 4],
) -> DiagonalMatrix {
    let half = block / 2;
    let zeros = || vec![Complex64::ZERO; block];
    let (mut main, mut above, mut below) = (zeros(), zeros(), zeros());
    for (j, &root) in twiddles(block).iter().enumerate() {
        [main[j], above[j], below[j + half], main[j + half]] = entries(root);
    }
    let mut diagonals = BTreeMap::from([(0, main), (half, above)]);
    // For a block over all slots, half a block up equals half a block down.
    diagonals
        .entry(slots - half)
        .and_modify(|above| above[half..].copy_from_slice(&below[half..]))
        .or_insert(below);
    let diagonals = diagonals.into_iter().map(|(r, values)| (r, Diagonal { values })).collect();
    DiagonalMatrix { slots, diagonals }
}

/// `B_k` for blocks of length `block = 2^k`.
fn butterfly(slots: usize, block: usize) -> DiagonalMatrix {
    blocks(slots, block, |root| [Complex64::ONE, root, Complex64::ONE, -root])
}

/// The inverse of `B_k`. It keeps its factor 1/2, so that slots do not grow from level to level.
fn inverse_butterfly(slots: usize, block: usize) -> DiagonalMatrix {
    let half = Complex64::new(0.5, 0.0);
    blocks(slots, block, |root| [half, half, 0.5 * root.conj(), -0.5 * root.conj()])
}

/// Number of levels of a DFT of n slots.
fn levels(slots: usize) -> u32 {
    assert!(slots.is_power_of_two(), "{slots} slots");
    slots.trailing_zeros()
}

/// Merges butterflies, given in order of application, into stages, and spreads `factor` over them.
fn merge(butterflies: Vec<DiagonalMatrix>, stages: &[u32], factor: f64) -> Vec<DiagonalMatrix> {
    let total = butterflies.len();
    let mut next = butterflies.into_iter();
    stages
        .iter()
        .map(|&levels| {
            let first = next.next().expect("sum is checked");
            let product = (1..levels)
                .fold(first, |product, _| next.next().expect("sum is checked").compose(&product));
            product.scaled(factor.powf(f64::from(levels) / total as f64))
        })
        .collect()
}

/// Direction of a homomorphic DFT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From slots to coefficients in slots.
    CoeffsToSlots,
    /// The inverse of CoeffsToSlots.
    SlotsToCoeffs,
}

/// Arrangement of values in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Two values per slot.
    Full,
    /// Real and imaginary parts side by side in twice as many slots.
    Sparse,
}

/// The factors of a homomorphic DFT. Their entries are computed on request.
///
/// Planning uses [`DftFactors::shapes`]; generating and loading keys uses [`DftFactors::matrices`].
#[derive(Clone, Debug, PartialEq)]
pub struct DftFactors {
    pub(crate) direction: Direction,
    pub(crate) packing: Packing,
    pub(crate) slots: usize,
    pub(crate) stages: Vec<u32>,
    pub(crate) factor: f64,
}

/// CoeffsToSlots on `slots` = n slots: from the slots of `Σ m_k Y^k` to `factor·(m_k + i·m_{k+n})`, in
/// bit-reversed order of k.
///
/// `stages` are the butterfly levels that each matrix merges, in order of application: the first matrix is the
/// outermost, with blocks over all slots. Each matrix contributes a share of the factor, `factor^(levels/log2 n)`.
///
/// ```
/// use cryptable_ckks::dft_factors::coeffs_to_slots;
/// use cryptable_ring::Embedding;
/// use num_complex::Complex64;
/// let w: Vec<_> = (0..4).map(|k| Complex64::new(f64::from(k), 0.5)).collect();
/// let mut slots = w.clone();
/// Embedding::new(4).slots_from_coefficients(&mut slots);
/// let matrices = coeffs_to_slots(4, &[1, 1], 10.0).matrices();
/// let found = matrices.iter().fold(slots, |v, matrix| matrix.apply(&v));
/// // Entry 1 is coefficient 2.
/// assert!((found[1] - 10.0 * w[2]).norm() < 1e-12);
/// ```
#[must_use]
pub fn coeffs_to_slots(slots: usize, stages: &[u32], factor: f64) -> DftFactors {
    DftFactors::new(Direction::CoeffsToSlots, Packing::Full, slots, stages, factor)
}

/// SlotsToCoeffs on `slots` = n slots, the inverse of [`coeffs_to_slots`] at factor 1: from `w_k` in
/// bit-reversed order to the slots of the polynomial, times `factor`. The last stage is the outermost.
#[must_use]
pub fn slots_to_coeffs(slots: usize, stages: &[u32], factor: f64) -> DftFactors {
    DftFactors::new(Direction::SlotsToCoeffs, Packing::Full, slots, stages, factor)
}

/// CoeffsToSlots of a sparse packing, to 2n slots. It is like [`coeffs_to_slots`], except that, for the result u,
/// `u + conj(u)` holds the real parts of `factor·w` in the first n slots and the imaginary parts in the others.
///
/// The matrices have dimension 2n, and are applied to a vector of period n. The rows of the last matrix are multiplied
/// by 1/2 and -i/2 in the two halves, so that its diagonals have period 2n.
#[must_use]
pub fn coeffs_to_slots_sparse(slots: usize, stages: &[u32], factor: f64) -> DftFactors {
    DftFactors::new(Direction::CoeffsToSlots, Packing::Sparse, slots, stages, factor)
}

/// SlotsToCoeffs of a sparse packing, from 2n slots. It is like [`slots_to_coeffs`] for `w = a + ib`, but reads the
/// real vector `(a ‖ b)`; the caller adds the result's rotation by n.
///
/// The matrices have dimension 2n. The columns of the first one are multiplied by 1 and i in the two halves. The sum
/// with the rotation can wait until the end, because all other matrices have period n and so commute with it. Until
/// then, the intermediate vectors have no meaning of their own.
#[must_use]
pub fn slots_to_coeffs_sparse(slots: usize, stages: &[u32], factor: f64) -> DftFactors {
    DftFactors::new(Direction::SlotsToCoeffs, Packing::Sparse, slots, stages, factor)
}

impl DftFactors {
    fn new(
        direction: Direction,
        packing: Packing,
        slots: usize,
        stages: &[u32],
        factor: f64,
    ) -> Self {
        Self { direction, packing, slots, stages: stages.to_vec(), factor }
    }

    /// Checks that the stages merge all levels.
    pub(crate) fn check(&self) {
        let (total, stages) = (levels(self.slots), &self.stages);
        assert!(stages.iter().all(|&levels| levels > 0), "empty stage in {stages:?}");
        assert_eq!(stages.iter().sum::<u32>(), total, "stages {stages:?} of {total} levels");
    }

    /// Iterates over the stages: their butterfly levels, and log2 of the length of their largest blocks.
    pub(crate) fn log_blocks(&self) -> impl Iterator<Item = (u32, u32)> {
        let (total, mut done) = (self.slots.trailing_zeros(), 0);
        self.stages.iter().map(move |&levels| {
            done += levels;
            let log_block = match self.direction {
                Direction::CoeffsToSlots => total - done + levels,
                Direction::SlotsToCoeffs => done,
            };
            (levels, log_block)
        })
    }

    /// Returns the matrices, in order of application.
    ///
    /// # Panics
    /// If n is not a power of two (above 1 for a sparse packing), or the stages are not positive with sum log2 n.
    #[must_use]
    pub fn matrices(&self) -> Vec<DiagonalMatrix> {
        self.check();
        let (slots, all) = (self.slots, 1..=levels(self.slots));
        let butterflies = match self.direction {
            Direction::CoeffsToSlots => {
                all.rev().map(|k| inverse_butterfly(slots, 1 << k)).collect()
            }
            Direction::SlotsToCoeffs => all.map(|k| butterfly(slots, 1 << k)).collect(),
        };
        let matrices = merge(butterflies, &self.stages, self.factor);
        match (self.packing, self.direction) {
            (Packing::Full, _) => {
                let shifts = self.window_shifts().into_iter();
                shifts.zip(matrices).map(|(shift, matrix)| shift.apply(matrix)).collect()
            }
            (Packing::Sparse, Direction::CoeffsToSlots) => with_masked_rows(doubled(matrices)),
            (Packing::Sparse, Direction::SlotsToCoeffs) => with_masked_columns(doubled(matrices)),
        }
    }
}

/// The rows of the last matrix times 1/2 in the first half, and -i/2 in the second.
fn with_masked_rows(mut matrices: Vec<DiagonalMatrix>) -> Vec<DiagonalMatrix> {
    let last = matrices.last_mut().expect("at least one stage");
    let slots = last.slots;
    let mask = |j| if 2 * j < slots { Complex64::new(0.5, 0.0) } else { Complex64::new(0.0, -0.5) };
    for diagonal in last.diagonals.values_mut() {
        diagonal.values = (0..slots).map(|j| diagonal.at(j) * mask(j)).collect();
    }
    matrices
}

/// The columns of the first matrix times 1 in the first half, and i in the second.
fn with_masked_columns(mut matrices: Vec<DiagonalMatrix>) -> Vec<DiagonalMatrix> {
    let first = matrices.first_mut().expect("at least one stage");
    let slots = first.slots;
    let mask = |j: usize| if 2 * (j % slots) < slots { Complex64::ONE } else { Complex64::I };
    for (r, diagonal) in &mut first.diagonals {
        diagonal.values = (0..slots).map(|j| diagonal.at(j) * mask(j + r)).collect();
    }
    matrices
}

fn doubled(matrices: Vec<DiagonalMatrix>) -> Vec<DiagonalMatrix> {
    matrices.into_iter().map(DiagonalMatrix::doubled).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use cryptable_ring::Embedding;

    use super::*;

    /// Slot counts with several splits into stages each, in order of application.
    pub(crate) const SPLITS: [(usize, &[u32]); 12] = [
        (2, &[1]),
        (4, &[2]),
        (8, &[1, 1, 1]),
        (8, &[3]),
        (16, &[1, 3]),
        (32, &[3, 2]),
        (64, &[2, 2, 2]),
        (128, &[4, 3]),
        (256, &[1, 5, 2]),
        (512, &[3, 3, 3]),
        (512, &[5, 4]),
        (1024, &[5, 5]),
    ];

    fn sample(count: usize) -> Vec<Complex64> {
        (0..count)
            .map(|i| Complex64::new((i as f64 * 1.7).sin(), (i as f64 * 0.9 + 1.0).cos()))
            .collect()
    }

    fn bit_reversed(w: &[Complex64]) -> Vec<Complex64> {
        let bits = w.len().trailing_zeros();
        (0..w.len()).map(|j| w[j.reverse_bits() >> (usize::BITS - bits)]).collect()
    }

    fn slots_of(w: &[Complex64]) -> Vec<Complex64> {
        let mut values = w.to_vec();
        Embedding::new(w.len()).slots_from_coefficients(&mut values);
        values
    }

    fn chain(matrices: &[DiagonalMatrix], v: Vec<Complex64>) -> Vec<Complex64> {
        matrices.iter().fold(v, |v, matrix| matrix.apply(&v))
    }

    fn assert_close(found: &[Complex64], expected: impl Iterator<Item = Complex64>, what: &str) {
        let expected: Vec<_> = expected.collect();
        assert_eq!(found.len(), expected.len(), "{what}");
        for (j, (a, b)) in found.iter().zip(&expected).enumerate() {
            assert!((a - b).norm() < 1e-11, "{what}, entry {j}: {a} instead of {b}");
        }
    }

    #[test]
    fn products_are_the_embedding() {
        for (n, stages) in SPLITS {
            let what = format!("{n} slots, stages {stages:?}");
            let w = sample(n);
            let (reversed, slots) = (bit_reversed(&w), slots_of(&w));
            let found = chain(&coeffs_to_slots(n, stages, 0.3).matrices(), slots.clone());
            assert_close(&found, reversed.iter().map(|w| 0.3 * w), &what);
            let found = chain(&slots_to_coeffs(n, stages, 0.7).matrices(), reversed);
            assert_close(&found, slots.iter().map(|z| 0.7 * z), &what);
        }
    }

    #[test]
    fn sparse_products_hold_both_parts_side_by_side() {
        for (n, stages) in SPLITS {
            let what = format!("{n} slots, stages {stages:?}");
            let w = sample(n);
            let (reversed, slots) = (bit_reversed(&w), slots_of(&w));
            let parts = reversed.iter().map(|w| w.re).chain(reversed.iter().map(|w| w.im));
            let parts: Vec<_> = parts.map(Complex64::from).collect();
            let u = chain(&coeffs_to_slots_sparse(n, stages, 0.3).matrices(), slots.repeat(2));
            let real: Vec<_> = u.iter().map(|u| u + u.conj()).collect();
            assert_close(&real, parts.iter().map(|x| 0.3 * x), &what);
            let y = chain(&slots_to_coeffs_sparse(n, stages, 0.7).matrices(), parts);
            let sum: Vec<_> = (0..2 * n).map(|j| y[j] + y[(j + n) % (2 * n)]).collect();
            assert_close(&sum, slots.iter().chain(&slots).map(|z| 0.7 * z), &what);
        }
    }

    /// Length of the largest block of each stage.
    fn blocks_of(n: usize, stages: &[u32], inverse: bool) -> Vec<usize> {
        let mut done = 0;
        let ends = stages.iter().map(|levels| {
            let first = done;
            done += levels;
            if inverse { n >> first } else { 1 << done }
        });
        ends.collect()
    }

    #[test]
    fn diagonals_are_few_and_short() {
        for (n, stages) in SPLITS {
            let pairs = [
                (
                    coeffs_to_slots(n, stages, 0.3).matrices(),
                    coeffs_to_slots_sparse(n, stages, 0.3).matrices(),
                    true,
                ),
                (
                    slots_to_coeffs(n, stages, 0.3).matrices(),
                    slots_to_coeffs_sparse(n, stages, 0.3).matrices(),
                    false,
                ),
            ];
            for (full, sparse, inverse) in pairs {
                let masked = if inverse { stages.len() - 1 } else { 0 };
                let largest = blocks_of(n, stages, inverse);
                for (i, &block) in largest.iter().enumerate() {
                    let paths = 1 << stages[i];
                    let count = if block == n { paths } else { 2 * paths - 1 };
                    let periods = |m: &DiagonalMatrix| {
                        m.diagonals.values().map(|d| d.values.len()).max().expect("diagonals")
                    };
                    assert_eq!(full[i].slots, n);
                    assert_eq!(full[i].diagonals.len(), count, "{n} {stages:?} {i}");
                    assert_eq!(periods(&full[i]), block, "{n} {stages:?} {i}");
                    assert_eq!(sparse[i].slots, 2 * n);
                    assert_eq!(sparse[i].diagonals.len(), count, "{n} {stages:?} {i}");
                    let period = if i == masked { 2 * n } else { block };
                    assert_eq!(periods(&sparse[i]), period, "{n} {stages:?} {i}");
                }
            }
        }
    }

    #[test]
    fn the_factor_is_spread_by_levels() {
        let (plain, scaled) = (
            slots_to_coeffs(16, &[1, 3], 1.0).matrices(),
            slots_to_coeffs(16, &[1, 3], 0.1).matrices(),
        );
        for (i, share) in [0.25, 0.75].into_iter().enumerate() {
            let factor = 0.1f64.powf(share);
            for ((r, plain), (_, scaled)) in plain[i].diagonals.iter().zip(&scaled[i].diagonals) {
                let expected = plain.values.iter().map(|v| factor * v);
                assert_close(&scaled.values, expected, &format!("diagonal {r}"));
            }
        }
    }

    #[test]
    fn composition_is_the_product_and_finds_short_periods() {
        // Diagonals of different periods, some of which contribute to the same diagonal of the product.
        let matrix = |diagonals: &[(usize, usize)]| DiagonalMatrix {
            slots: 16,
            diagonals: diagonals
                .iter()
                .map(|&(r, m)| (r, Diagonal { values: sample(m) }))
                .collect(),
        };
        let (a, b) = (matrix(&[(0, 4), (3, 16), (15, 1)]), matrix(&[(1, 2), (5, 8), (14, 16)]));
        let v = sample(16);
        let product = a.compose(&b).apply(&v);
        assert_close(&product, a.apply(&b.apply(&v)).into_iter(), "product");

        let there = &slots_to_coeffs(64, &[6], 1.0).matrices()[0];
        let identity = there.compose(&coeffs_to_slots(64, &[6], 1.0).matrices()[0]);
        assert_eq!(identity.diagonals.len(), 1);
        assert_close(&identity.diagonals[&0].values, [Complex64::ONE].into_iter(), "identity");
    }

    #[test]
    #[should_panic(expected = "stages")]
    fn stages_must_add_up() {
        let _ = coeffs_to_slots(16, &[2, 1], 1.0).matrices();
    }

    #[test]
    #[should_panic(expected = "empty stage")]
    fn empty_stages_are_refused() {
        let _ = slots_to_coeffs(16, &[0, 4], 1.0).matrices();
    }
}
