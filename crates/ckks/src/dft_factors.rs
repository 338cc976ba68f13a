//! The homomorphic DFTs as products of sparse matrices (Chen, Chillotti, Song 2019; Han, Hhan, Cheon
//! 2018).
//!
//! The map from coefficients to slots is `B_{log n} … B_1 · R`: R reverses bits, `B_k` are the
//! butterflies in blocks of length `2^k`, with diagonals 0 and ±2^(k-1). R is left out: CoeffsToSlots
//! yields coefficients in bit-reversed order and SlotsToCoeffs takes them so.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use num_complex::Complex64;

/// One diagonal, given by one period.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagonal {
    /// Entry j of the diagonal is `values[j mod values.len()]`; the length is a power of two.
    pub values: Vec<Complex64>,
}

/// A matrix by its diagonals: `(M v)[j] = Σ_r d_r[j]·v[(j + r) mod slots]`.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagonalMatrix {
    /// The dimension, a power of two.
    pub slots: usize,
    /// Diagonals by left rotation r in `0..slots`.
    pub diagonals: BTreeMap<usize, Diagonal>,
}

impl Diagonal {
    fn at(&self, j: usize) -> Complex64 {
        self.values[j & (self.values.len() - 1)]
    }

    /// Halves the period while the two halves agree.
    fn shortened(mut self) -> Self {
        while self.values.len() > 1 {
            let (low, high) = self.values.split_at(self.values.len() / 2);
            if low.iter().zip(high).any(|(a, b)| (a - b).norm() > 1e-14) {
                break;
            }
            self.values.truncate(self.values.len() / 2);
        }
        self
    }
}

impl DiagonalMatrix {
    /// The product with a vector: a plain reference.
    ///
    /// # Panics
    /// If the length is not a multiple of the dimension's period.
    #[must_use]
    pub fn apply(&self, vector: &[Complex64]) -> Vec<Complex64> {
        assert_eq!(vector.len(), self.slots);
        (0..self.slots)
            .map(|j| {
                let term = |(r, d): (&usize, &Diagonal)| d.at(j) * vector[(j + r) % self.slots];
                self.diagonals.iter().map(term).sum()
            })
            .collect()
    }

    /// The product `self · other`.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn compose(&self, other: &Self) -> Self {
        assert_eq!(self.slots, other.slots);
        let mut diagonals: BTreeMap<usize, Diagonal> = BTreeMap::new();
        for (&r, left) in &self.diagonals {
            for (&t, right) in &other.diagonals {
                let period = left.values.len().max(right.values.len());
                let sum = diagonals
                    .entry((r + t) % self.slots)
                    .or_insert_with(|| Diagonal { values: vec![Complex64::ZERO; period] });
                if sum.values.len() < period {
                    let repeated = (0..period).map(|j| sum.at(j)).collect();
                    sum.values = repeated;
                }
                let period = sum.values.len();
                for j in 0..period {
                    sum.values[j] += left.at(j) * right.at(j + r);
                }
            }
        }
        diagonals.retain(|_, d| d.values.iter().any(|v| v.norm() > 1e-14));
        let diagonals = diagonals.into_iter().map(|(r, d)| (r, d.shortened())).collect();
        Self { slots: self.slots, diagonals }
    }

    /// All entries multiplied by a constant.
    #[must_use]
    fn scaled(mut self, factor: f64) -> Self {
        for diagonal in self.diagonals.values_mut() {
            diagonal.values.iter_mut().for_each(|v| *v *= factor);
        }
        self
    }

    /// The same map on vectors of twice the dimension that have the old one as a period.
    ///
    /// A rotation r beyond half the dimension becomes r + n, which acts alike on such vectors and
    /// stays near 0 as a signed number.
    fn doubled(self) -> Self {
        let n = self.slots;
        let lift = |r: usize| if 2 * r > n { r + n } else { r };
        let diagonals = self.diagonals.into_iter().map(|(r, d)| (lift(r), d)).collect();
        Self { slots: 2 * n, diagonals }
    }
}

/// Sums diagonals given as functions, dropping zero ones.
fn matrix(slots: usize, period: usize, parts: [(usize, Vec<Complex64>); 3]) -> DiagonalMatrix {
    let mut diagonals: BTreeMap<usize, Diagonal> = BTreeMap::new();
    for (r, values) in parts {
        let sum = diagonals
            .entry(r % slots)
            .or_insert_with(|| Diagonal { values: vec![Complex64::ZERO; period] });
        sum.values.iter_mut().zip(&values).for_each(|(a, b)| *a += b);
    }
    DiagonalMatrix { slots, diagonals }
}

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

/// `B_k` for blocks of length `block = 2^k`.
fn butterfly(slots: usize, block: usize) -> DiagonalMatrix {
    let (half, one, zero) = (block / 2, Complex64::ONE, Complex64::ZERO);
    let w = twiddles(block);
    let rows = |low: &dyn Fn(usize) -> Complex64, high: &dyn Fn(usize) -> Complex64| {
        (0..block).map(|j| if j < half { low(j) } else { high(j - half) }).collect()
    };
    matrix(
        slots,
        block,
        [
            (0, rows(&|_| one, &|j| -w[j])),
            (half, rows(&|j| w[j], &|_| zero)),
            (slots - half, rows(&|_| zero, &|_| one)),
        ],
    )
}

/// The inverse of `B_k`.
fn inverse_butterfly(slots: usize, block: usize) -> DiagonalMatrix {
    let (half, zero) = (block / 2, Complex64::ZERO);
    let w = twiddles(block);
    let rows = |low: &dyn Fn(usize) -> Complex64, high: &dyn Fn(usize) -> Complex64| {
        (0..block).map(|j| if j < half { low(j) } else { high(j - half) }).collect()
    };
    let one_half = Complex64::new(0.5, 0.0);
    matrix(
        slots,
        block,
        [
            (0, rows(&|_| one_half, &|j| -0.5 * w[j].conj())),
            (half, rows(&|_| one_half, &|_| zero)),
            (slots - half, rows(&|_| zero, &|j| 0.5 * w[j].conj())),
        ],
    )
}

/// Merges butterflies, given in order of application, into stages, and spreads `factor` over them.
fn merge(butterflies: Vec<DiagonalMatrix>, stages: &[u32], factor: f64) -> Vec<DiagonalMatrix> {
    let total = butterflies.len();
    assert_eq!(stages.iter().sum::<u32>() as usize, total, "stages {stages:?} of {total} levels");
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

/// CoeffsToSlots on n slots: from the slots of `Σ m_k Y^k` to `m_k + i·m_{k+n}`, bit-reversed, times
/// `factor`. `stages` are the butterfly levels of each matrix, in order of application.
///
/// # Panics
/// If the stages do not sum to log2 n.
#[must_use]
pub fn coeffs_to_slots(slots: usize, stages: &[u32], factor: f64) -> Vec<DiagonalMatrix> {
    let levels = slots.trailing_zeros();
    let inverses = (1..=levels).rev().map(|k| inverse_butterfly(slots, 1 << k)).collect();
    merge(inverses, stages, factor)
}

/// SlotsToCoeffs on n slots, the inverse of [`coeffs_to_slots`] at factor 1.
///
/// # Panics
/// If the stages do not sum to log2 n.
#[must_use]
pub fn slots_to_coeffs(slots: usize, stages: &[u32], factor: f64) -> Vec<DiagonalMatrix> {
    let levels = slots.trailing_zeros();
    let butterflies = (1..=levels).map(|k| butterfly(slots, 1 << k)).collect();
    merge(butterflies, stages, factor)
}

/// As [`coeffs_to_slots`], with u in 2n slots at the end, such that `u + conj(u)` holds the real parts
/// in the first n slots and the imaginary parts in the others.
///
/// # Panics
/// If the stages do not sum to log2 n.
#[must_use]
pub fn coeffs_to_slots_sparse(slots: usize, stages: &[u32], factor: f64) -> Vec<DiagonalMatrix> {
    let mut matrices = doubled(coeffs_to_slots(slots, stages, factor));
    let last = matrices.last_mut().expect("at least one stage");
    let mask = |j: usize| {
        if j < slots { Complex64::new(0.5, 0.0) } else { Complex64::new(0.0, -0.5) }
    };
    for diagonal in last.diagonals.values_mut() {
        diagonal.values = (0..2 * slots).map(|j| diagonal.at(j) * mask(j)).collect();
    }
    matrices
}

/// As [`slots_to_coeffs`], from real vectors `(a ‖ b)` of 2n slots standing for a + ib; the caller adds
/// the result's rotation by n.
///
/// # Panics
/// If the stages do not sum to log2 n.
#[must_use]
pub fn slots_to_coeffs_sparse(slots: usize, stages: &[u32], factor: f64) -> Vec<DiagonalMatrix> {
    let mut matrices = doubled(slots_to_coeffs(slots, stages, factor));
    let first = matrices.first_mut().expect("at least one stage");
    let mask = |j: usize| if j % (2 * slots) < slots { Complex64::ONE } else { Complex64::I };
    for (r, diagonal) in &mut first.diagonals {
        diagonal.values = (0..2 * slots).map(|j| diagonal.at(j) * mask(j + r)).collect();
    }
    matrices
}

fn doubled(matrices: Vec<DiagonalMatrix>) -> Vec<DiagonalMatrix> {
    matrices.into_iter().map(DiagonalMatrix::doubled).collect()
}
