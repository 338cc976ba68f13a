//! What the plans of both modes for single values have in common.

use std::fmt;

use serde::Serialize;

use super::compare::{Comparison, Machine};
use crate::report::seconds;

/// Predicted time of one way to look values up.
#[derive(Clone, Copy, Serialize)]
pub struct PredictedTime {
    /// Predicted time of a value in u, on one thread.
    pub eval_units: f64,
    /// Predicted time of a value, on one thread.
    pub ms_per_value: f64,
    /// Predicted time of all values on `threads` threads.
    pub eval_s: f64,
}

impl PredictedTime {
    /// Of a value of so many units, and of all values.
    pub fn new(eval_units: f64, eval_s: f64, machine: &Machine) -> Self {
        Self { eval_units, ms_per_value: eval_units * machine.unit * 1e3, eval_s }
    }
}

/// What is printed; a candidate is a way to evaluate the table.
#[derive(Serialize)]
pub struct ValuePlan<C> {
    values: u64,
    threads: usize,
    /// Measured unit in microseconds.
    unit_us: f64,
    /// Bytes of a result.
    pub result_bytes: u64,
    /// The chosen way.
    #[serde(flatten)]
    pub chosen: C,
    /// All ways, the chosen one first.
    pub candidates: Vec<C>,
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl<C> ValuePlan<C> {
    /// Of all ways, the chosen one first.
    pub fn of<P>(
        all: &[P],
        candidate: impl Fn(&P) -> C,
        result_bytes: u64,
        (values, machine): (u64, &Machine),
        comparison: Comparison,
    ) -> Self {
        Self {
            values,
            threads: machine.threads,
            unit_us: machine.unit * 1e6,
            result_bytes,
            chosen: candidate(&all[0]),
            candidates: all.iter().map(candidate).collect(),
            comparison,
        }
    }

    /// The line of predicted times.
    pub fn write_time(&self, f: &mut fmt::Formatter<'_>, time: PredictedTime) -> fmt::Result {
        write!(f, "predicted time       {:.1} ms a value on 1 thread", time.ms_per_value)?;
        if self.threads > 1 || self.values > 1 {
            let (all, count, threads) = (seconds(time.eval_s), self.values, self.threads);
            let plural = if count == 1 { "" } else { "s" };
            write!(f, ", {all} for {count} value{plural} on {threads}")?;
        }
        writeln!(f, " ({:.0} units of {:.1} us)", time.eval_units, self.unit_us)
    }
}
