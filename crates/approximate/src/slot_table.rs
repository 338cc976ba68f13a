//! Tables of slots for functional bootstrapping: a function of points on a grid, by trigonometric Hermite interpolation.

use cryptable_lattice::error::{Result, check_equal, check_within, demand};
use cryptable_packed::{HermiteKernel, HermiteOrder, trigonometric_hermite};

use crate::phase_series::{PhaseSeries, SlotPeriod};

/// Largest number of points.
const MAX_POINTS: u64 = 1 << 12;

/// The inputs of a table: `first + m·step` for m = 0, …, count - 1. Inputs are periodic: m counts modulo the number of
/// points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The first point.
    pub first: f64,
    /// The distance of neighbours.
    pub step: f64,
    /// The number of points.
    pub count: usize,
}

impl Grid {
    /// Returns the grid of the integers modulo p: 0, …, p - 1, and every other integer as its residue.
    #[must_use]
    pub const fn integers(p: usize) -> Self {
        Self { first: 0.0, step: 1.0, count: p }
    }

    /// Point m of the grid, `first + m·step`.
    #[must_use]
    pub fn point(&self, m: usize) -> f64 {
        self.first + m as f64 * self.step
    }

    /// Returns the period of inputs.
    #[must_use]
    pub fn period(&self) -> f64 {
        self.count as f64 * self.step
    }

    /// Checks that a table can have these points.
    ///
    /// # Errors
    /// If there are no points or too many, a number is not finite, or the step is not positive.
    fn check(&self) -> Result<()> {
        check_within("number of points", self.count as u64, 1..=MAX_POINTS)?;
        demand(self.first.is_finite(), "first point of the grid", self.first, "finite")?;
        let step = self.step;
        demand(step.is_finite() && step > 0.0, "step of the grid", step, "positive and finite")
    }
}

impl From<Grid> for SlotPeriod {
    fn from(grid: Grid) -> Self {
        Self { first: grid.first, period: grid.period() }
    }
}

/// A function of the points of a grid, even a discontinuous one (a sign, a threshold, a quantised activation, a random
/// table), ready to be looked up in slots: [`crate::EvaluationKey::lookup`].
///
/// With `t = (x - first)/period`, the result is `Re T(e^{2πit})`. T has [`HermiteOrder::coefficients`] coefficients,
/// and its first M derivatives vanish at the points (equations (5), (17) and (19) of Alexandru, Kim, Polyakov, CRYPTO
/// 2025, ePrint 2024/1623, without their scaling by p).
///
/// ```
/// use cryptable_approximate::{Grid, SlotTable};
/// // The sign of multiples of 1/8 from -1 on.
/// let grid = Grid { first: -1.0, step: 0.125, count: 16 };
/// let sign = SlotTable::from_fn(grid, 1, |x| if x < 0.0 { -1.0 } else { 1.0 })?;
/// // Inputs that are off by 2 % of a step leave less than a percent.
/// assert!(sign.largest_deviation(0.0025) < 0.01);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SlotTable {
    grid: Grid,
    values: Vec<f64>,
    kernel: HermiteKernel,
    /// The series T.
    series: PhaseSeries,
}

impl SlotTable {
    /// Makes the function with these values at the points of a grid, by interpolation of order 1 to 3: errors ε of
    /// inputs become `C·ε^(order + 1)`.
    ///
    /// # Errors
    /// If there are no points or more than 4,096, the number of values differs, a number is not finite, the step is not
    /// positive, or the order is not from 1 to 3.
    pub fn new(grid: Grid, order: u64, values: &[f64]) -> Result<Self> {
        grid.check()?;
        let order = HermiteOrder::new(order)?;
        check_equal("number of values", values.len(), grid.count)?;
        let check = |&value: &f64| demand(value.is_finite(), "value of the table", value, "finite");
        values.iter().try_for_each(check)?;
        let coefficients = trigonometric_hermite(values, order).into_iter();
        let series = PhaseSeries::new(grid.into(), coefficients);
        let kernel = HermiteKernel::new(grid.count, order);
        Ok(Self { grid, values: values.to_vec(), kernel, series })
    }

    /// Returns the table of a function.
    ///
    /// # Errors
    /// The errors of [`SlotTable::new`].
    pub fn from_fn(grid: Grid, order: u64, f: impl Fn(f64) -> f64) -> Result<Self> {
        grid.check()?;
        let values: Vec<f64> = (0..grid.count).map(|m| f(grid.point(m))).collect();
        Self::new(grid, order, &values)
    }

    /// Returns the points.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the values at the points.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of levels between the exponential and the result.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.series.levels()
    }

    /// Returns the largest error of outputs if inputs have errors of up to `error`, without noise of the evaluation:
    /// the kernel's bound for any table with this spread.
    #[must_use]
    pub fn largest_deviation(&self, error: f64) -> f64 {
        self.spread() * self.kernel.largest_deviation(error / self.grid.period())
    }

    /// The largest difference of two values.
    pub(crate) fn spread(&self) -> f64 {
        let least = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - least
    }

    /// The largest absolute value.
    pub(crate) fn magnitude(&self) -> f64 {
        self.values.iter().fold(0.0, |largest, f| largest.max(f.abs()))
    }

    /// 12 times the variance of the values, over the points: 1 for random tables with values in an interval of length
    /// 1.
    pub(crate) fn relative_variance(&self) -> f64 {
        let count = self.values.len() as f64;
        let mean = self.values.iter().sum::<f64>() / count;
        12.0 * self.values.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / count
    }

    pub(crate) fn kernel(&self) -> &HermiteKernel {
        &self.kernel
    }

    pub(crate) fn series(&self) -> &PhaseSeries {
        &self.series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_tables_are_refused_by_name_and_limit() {
        let error = |grid, order, values: &[f64]| {
            SlotTable::new(grid, order, values).unwrap_err().to_string()
        };
        let two = Grid::integers(2);
        let cases = [
            (error(Grid::integers(0), 1, &[]), "number of points is 0"),
            (error(Grid::integers(4097), 1, &[]), "at most 4096"),
            (error(two, 0, &[0.0, 1.0]), "order of the interpolation is 0"),
            (error(two, 4, &[0.0, 1.0]), "at most 3"),
            (error(two, 1, &[0.0]), "number of values is 1"),
            (error(two, 1, &[0.0, f64::NAN]), "value of the table is NaN"),
            (error(Grid { step: 0.0, ..two }, 1, &[0.0, 1.0]), "step of the grid is 0"),
            (error(Grid { first: f64::INFINITY, ..two }, 1, &[0.0, 1.0]), "first point"),
        ];
        for (message, part) in cases {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn sizes_of_tables() {
        for (p, order, levels) in
            [(1, 1, 1), (2, 1, 1), (3, 1, 2), (16, 1, 4), (16, 2, 5), (5, 3, 4)]
        {
            let table = SlotTable::from_fn(Grid::integers(p), order, |x| x).unwrap();
            assert_eq!(table.levels(), levels, "{p} points of order {order}");
            assert_eq!((table.spread(), table.magnitude()), ((p - 1) as f64, (p - 1) as f64));
        }
    }
}
