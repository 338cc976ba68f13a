//! Functions that bootstraps of slots evaluate: the common interface of tables and smooth functions.

use crate::phase_series::PhaseSeries;
use crate::slot_table::SlotTable;
use crate::smooth_function::SmoothFunction;

/// A function that a bootstrap of slots evaluates: given at points, or smooth.
#[derive(Clone, Copy, Debug)]
pub enum SlotFunction<'a> {
    /// Any function of the points of a grid.
    Table(&'a SlotTable),
    /// A smooth function of the numbers of an interval.
    Smooth(&'a SmoothFunction),
}

impl<'a> From<&'a SlotTable> for SlotFunction<'a> {
    fn from(table: &'a SlotTable) -> Self {
        Self::Table(table)
    }
}

impl<'a> From<&'a SmoothFunction> for SlotFunction<'a> {
    fn from(function: &'a SmoothFunction) -> Self {
        Self::Smooth(function)
    }
}

impl<'a> SlotFunction<'a> {
    /// The trigonometric series.
    pub(crate) fn series(self) -> &'a PhaseSeries {
        match self {
            Self::Table(table) => table.series(),
            Self::Smooth(function) => function.series(),
        }
    }

    /// The largest absolute value for any input.
    pub(crate) fn magnitude(self) -> f64 {
        match self {
            Self::Table(table) => table.magnitude(),
            Self::Smooth(function) => function.magnitude(),
        }
    }

    /// The size to which errors are compared: for a table the largest difference of two values; for a smooth function
    /// 1, because its tolerance is also absolute.
    pub(crate) fn unit_of_precision(self) -> f64 {
        match self {
            Self::Table(table) => table.spread(),
            Self::Smooth(_) => 1.0,
        }
    }
}
