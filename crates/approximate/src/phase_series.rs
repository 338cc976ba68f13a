//! Trigonometric series of slots' phases, by which bootstraps evaluate functions of any kind.

use num_complex::Complex64;

/// The map from slots to phases: x is the fraction `(x - first)/period` of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SlotPeriod {
    /// The slot whose phase is 0.
    pub first: f64,
    /// The distance after which functions repeat.
    pub period: f64,
}

/// A series `Re Σ_k C_k·e^{2πikt}` of slots' phases t.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PhaseSeries {
    /// The map from slots to phases.
    pub period: SlotPeriod,
    /// `C_k/2`, padded to a power of two: adding the conjugate yields the real part.
    halves: Vec<Complex64>,
}

impl PhaseSeries {
    /// Makes the series with these `C_k`.
    pub(crate) fn new(period: SlotPeriod, coefficients: impl Iterator<Item = Complex64>) -> Self {
        let mut halves: Vec<_> = coefficients.map(|c| c / 2.0).collect();
        halves.resize(halves.len().next_power_of_two().max(2), Complex64::ZERO);
        Self { period, halves }
    }

    /// Number of levels between the exponential and the result.
    pub(crate) fn levels(&self) -> usize {
        self.halves.len().ilog2() as usize
    }

    /// `C_k/2`.
    pub(crate) fn halves(&self) -> &[Complex64] {
        &self.halves
    }

    /// The slope of the phase `2πk(x - first)/period`.
    fn frequency(&self, k: usize) -> f64 {
        std::f64::consts::TAU * k as f64 / self.period.period
    }

    /// The derivative of this order of `Σ_k C_k·e^{2πikt}` with respect to x.
    pub(crate) fn derivative(&self, order: u32, x: f64) -> Complex64 {
        let turn = Complex64::from_polar(1.0, self.frequency(1) * (x - self.period.first));
        let power = |k: usize| Complex64::new(0.0, self.frequency(k)).powu(order);
        let terms = self.halves.iter().enumerate().rev();
        terms.fold(Complex64::ZERO, |sum, (k, c)| sum * turn + 2.0 * c * power(k))
    }

    /// A bound on the absolute values of the derivative of this order.
    pub(crate) fn largest_derivative(&self, order: u32) -> f64 {
        let terms = self.halves.iter().enumerate();
        terms.map(|(k, c)| 2.0 * c.norm() * self.frequency(k).powi(order as i32)).sum()
    }
}
