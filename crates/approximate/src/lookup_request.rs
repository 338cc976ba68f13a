//! Requests for lookups in slots.

use cryptable_lattice::FailureProbability;
use cryptable_lattice::error::{
    Error, Result, check_power_of_two, check_real_within, check_within, demand,
};

use crate::bounds::SlotBounds;
use crate::slot_function::SlotFunction;
use crate::slot_table::{Grid, SlotTable};
use crate::smooth_function::SmoothFunction;

/// A function that a search for parameters tries.
#[derive(Debug)]
pub(crate) enum TriedFunction<'a> {
    Table(SlotTable),
    Smooth(&'a SmoothFunction),
}

impl TriedFunction<'_> {
    pub(crate) fn as_slot_function(&self) -> SlotFunction<'_> {
        match self {
            Self::Table(table) => table.into(),
            Self::Smooth(function) => SlotFunction::Smooth(function),
        }
    }
}

/// Largest number of levels in a request.
const MAX_LEVELS: usize = 20;

/// Ring degrees that are tried if the request has none, the least latency first.
const RING_DEGREES: [usize; 2] = [1 << 15, 1 << 16];

/// The functions for which parameters are requested.
#[derive(Clone, Debug, PartialEq)]
pub enum LookupFunction {
    /// Tables of these points: their number and period determine the precision that phases need.
    Points(Grid),
    /// A smooth function, and others with its period that are equally large and steep.
    Smooth(SmoothFunction),
}

impl From<Grid> for LookupFunction {
    fn from(grid: Grid) -> Self {
        Self::Points(grid)
    }
}

impl From<SmoothFunction> for LookupFunction {
    fn from(function: SmoothFunction) -> Self {
        Self::Smooth(function)
    }
}

impl From<&SmoothFunction> for LookupFunction {
    fn from(function: &SmoothFunction) -> Self {
        Self::Smooth(function.clone())
    }
}

/// Request for parameters of lookups in slots; [`crate::LookupPlan`] finds them.
///
/// ```
/// use cryptable_approximate::{Grid, LookupPlan, LookupRequest};
/// // A table of 16 points on 2,000 real numbers, results right to 10 bits, three levels to go on with.
/// let request = LookupRequest {
///     count: Some(2000),
///     precision_bits: 10.0,
///     levels: 3,
///     ..LookupRequest::new(Grid::integers(16))
/// };
/// let plan = LookupPlan::new(&request)?;
/// let best = plan.best();
/// assert!(best.parameters.security_bits() >= 128.0);
/// assert!(best.prediction.level >= 3 && best.precision_bits >= 10.0);
/// println!("{plan}");
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LookupRequest {
    /// The functions that are to be looked up.
    pub function: LookupFunction,
    /// The order of interpolations, 1 to 3. Default: the fastest that meets the request. Smooth functions have none.
    pub order: Option<u64>,
    /// Number of bits to which results must be right. Except for failures, errors are at most 2^-bits of the spread of
    /// a table's values, or at most 2^-bits for a smooth function.
    pub precision_bits: f64,
    /// Whether slots are complex, and both parts looked up.
    pub complex: bool,
    /// How many numbers a ciphertext holds. Default: all slots of the ring. Fewer numbers make a lookup cheaper.
    pub count: Option<usize>,
    /// Number of levels that results must have.
    pub levels: usize,
    /// log2 of the largest probability that any slot of a ciphertext has a larger error, from -900 to -1. Default: -64.
    pub log2_fail: Option<f64>,
    /// Largest number of bytes of memory that a lookup may need. Default: no limit.
    pub memory: Option<usize>,
    /// Ring degree, 2^14 to 2^17. Default: 2^15 or 2^16.
    pub ring_degree: Option<usize>,
}

impl LookupRequest {
    /// Makes a request for tables of these points or a smooth function, on real slots, right to 8 bits.
    #[must_use]
    pub fn new(function: impl Into<LookupFunction>) -> Self {
        Self {
            function: function.into(),
            order: None,
            precision_bits: 8.0,
            complex: false,
            count: None,
            levels: 0,
            log2_fail: None,
            memory: None,
            ring_degree: None,
        }
    }

    /// Ring degrees that may meet the request, each with its number of slots.
    ///
    /// # Errors
    /// If there are more numbers than slots in any ring.
    pub(crate) fn rings(&self) -> Result<Vec<(usize, usize)>> {
        let degrees = self.ring_degree.map_or(RING_DEGREES.to_vec(), |degree| vec![degree]);
        let slots = |&degree: &usize| {
            let slots = self.count.unwrap_or(degree / 2).next_power_of_two().max(4);
            (slots <= degree / 2).then_some((degree, slots))
        };
        let found: Vec<_> = degrees.iter().filter_map(slots).collect();
        if found.is_empty() {
            let most = degrees[degrees.len() - 1] / 2;
            let (name, value) = ("number of slots", self.count.unwrap_or(0) as u64);
            return Err(Error::TooLarge { name, value, limit: most as u64 });
        }
        Ok(found)
    }

    /// log2 of the failure probability of each of `slots` slots that keeps the limit for all of them together.
    pub(crate) fn log2_fail_of_slot(&self, slots: usize) -> f64 {
        let default = FailureProbability::DEFAULT.log2();
        let of_any = FailureProbability::from_log2(self.log2_fail.unwrap_or(default));
        let parts = if self.complex { 2 } else { 1 };
        of_any.of_each(parts * slots).log2()
    }

    /// Bounds on slots that hold points, or numbers of the interval.
    pub(crate) fn bounds(&self) -> SlotBounds {
        let part = match &self.function {
            LookupFunction::Points(grid) => {
                grid.first.abs().max(grid.point(grid.count.max(1) - 1).abs())
            }
            LookupFunction::Smooth(function) => function.largest_input(),
        };
        SlotBounds { re: part, im: if self.complex { part } else { 0.0 } }
    }

    /// The functions that are tried, each with the order of its interpolation among the given orders: tables of the
    /// points with values from 0 to 1, or the smooth function, whose order is 0.
    ///
    /// # Errors
    /// If no such table is possible.
    pub(crate) fn functions(&self, orders: &[u64]) -> Result<Vec<(TriedFunction<'_>, u64)>> {
        let grid = match &self.function {
            LookupFunction::Points(grid) => *grid,
            LookupFunction::Smooth(function) => {
                return Ok(vec![(TriedFunction::Smooth(function), 0)]);
            }
        };
        let middle = grid.point(grid.count / 2);
        let asked = orders.iter().filter(|&&order| self.order.is_none_or(|it| it == order));
        let table = |&order: &u64| {
            let table = SlotTable::from_fn(grid, order, |x| f64::from(x >= middle))?;
            Ok((TriedFunction::Table(table), order))
        };
        asked.map(table).collect()
    }

    /// Checks that every number is allowed in a request.
    ///
    /// # Errors
    /// Names the number, its value and its limit.
    pub(crate) fn check(&self) -> Result<()> {
        match (&self.function, self.order) {
            (LookupFunction::Points(_), order) => {
                let order = order.unwrap_or(1);
                self.functions(&[order])?;
            }
            (LookupFunction::Smooth(_), None) => {}
            (LookupFunction::Smooth(_), Some(order)) => {
                let limit = "smooth functions have none";
                demand(false, "order of the interpolation", order as f64, limit)?;
            }
        }
        check_real_within("bits of precision", self.precision_bits, 0.0..=40.0)?;
        check_within("number of levels", self.levels as u64, ..=MAX_LEVELS as u64)?;
        check_within("number of slots", self.count.unwrap_or(1) as u64, 1..)?;
        let log2_fail = self.log2_fail.unwrap_or(-64.0);
        check_real_within("log2 of the failure probability", log2_fail, -900.0..=-1.0)?;
        check_power_of_two("ring degree", self.ring_degree.unwrap_or(1 << 16), 1 << 14..=1 << 17)
    }
}
