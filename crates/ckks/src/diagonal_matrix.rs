//! Matrices in diagonal form.

use std::collections::BTreeMap;

use num_complex::Complex64;

/// One diagonal, given by one period of its entries; matrices made here have the shortest period. A diagonal of period
/// m encodes to a polynomial with 2m coefficients.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagonal {
    /// Entry j of the diagonal is `values[j mod values.len()]`; the length is a power of two.
    pub values: Vec<Complex64>,
}

/// A matrix by its diagonals: `(M v)[j] = Σ_r d_r[j]·v[(j + r) mod slots]`.
///
/// ```
/// use std::collections::BTreeMap;
/// use cryptable_ckks::diagonal_matrix::{Diagonal, DiagonalMatrix};
/// use num_complex::Complex64;
/// // (M v)[j] = 2·v[j + 1] in four slots.
/// let two = Diagonal { values: vec![Complex64::new(2.0, 0.0)] };
/// let matrix = DiagonalMatrix { slots: 4, diagonals: BTreeMap::from([(1, two)]) };
/// let vector = [1.0, 2.0, 3.0, 4.0].map(Complex64::from);
/// assert_eq!(matrix.apply(&vector), [4.0, 6.0, 8.0, 2.0].map(Complex64::from));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DiagonalMatrix {
    /// The dimension, a power of two.
    pub slots: usize,
    /// Diagonals by left rotation r in `0..slots`.
    pub diagonals: BTreeMap<usize, Diagonal>,
}

impl Diagonal {
    pub(crate) fn at(&self, j: usize) -> Complex64 {
        self.values[j & (self.values.len() - 1)]
    }

    /// Halves the period as long as the two halves agree up to `tolerance`.
    fn shortened(mut self, tolerance: f64) -> Self {
        while self.values.len() > 1 {
            let (low, high) = self.values.split_at(self.values.len() / 2);
            if low.iter().zip(high).any(|(a, b)| (a - b).norm() > tolerance) {
                break;
            }
            self.values.truncate(self.values.len() / 2);
        }
        self
    }
}

impl DiagonalMatrix {
    /// Multiplies the matrix with a vector, as a plain reference.
    ///
    /// # Panics
    /// If the length is not the dimension.
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

    /// The product `self · other`, which applies `other` first.
    ///
    /// Diagonals multiply as `(d_r, e_t) -> d_r[j]·e_t[j + r]` on the diagonal r + t. Entries below
    /// `10^-14` of the largest one count as rounding errors when zero diagonals are dropped and periods
    /// are shortened.
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
        let entries = diagonals.values().flat_map(|d| &d.values);
        let tolerance = 1e-14 * entries.map(|v| v.norm()).fold(0.0, f64::max);
        diagonals.retain(|_, d| d.values.iter().any(|v| v.norm() > tolerance));
        let diagonals = diagonals.into_iter().map(|(r, d)| (r, d.shortened(tolerance))).collect();
        Self { slots: self.slots, diagonals }
    }

    /// Returns the matrix times a constant.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        for diagonal in self.diagonals.values_mut() {
            diagonal.values.iter_mut().for_each(|v| *v *= factor);
        }
        self
    }

    /// Returns the same map on vectors of twice the dimension with the old dimension as a period.
    ///
    /// A rotation r beyond half the dimension becomes r + n, which has the same effect on such vectors and stays near 0
    /// as a signed number.
    pub(crate) fn doubled(self) -> Self {
        let n = self.slots;
        let diagonals = self.diagonals.into_iter().map(|(r, d)| (lifted(r, n), d)).collect();
        Self { slots: 2 * n, diagonals }
    }
}

/// Lifts the rotation r of a vector of dimension n to vectors of twice the dimension with period n: of the two
/// equivalent rotations, the one near 0 as a signed number.
pub(crate) fn lifted(rotation: usize, slots: usize) -> usize {
    if 2 * rotation > slots { rotation + slots } else { rotation }
}
