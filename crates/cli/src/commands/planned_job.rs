//! The result of planning a job: a report, and parameters of keys.

use std::fmt::Display;

use anyhow::Result;
use cryptable::KeyParameters;
use serde::Serialize;

use super::parameters::ParameterReport;
use crate::args::Global;
use crate::report;

/// A planned job: the report that `plan` prints, and the parameters for which `keygen` generates keys.
pub struct PlannedJob {
    /// Parameters of the best candidate.
    pub parameters: KeyParameters,
    /// The reason for these parameters.
    #[cfg_attr(not(feature = "client"), expect(dead_code, reason = "for keygen"))]
    pub reason: String,
    print: Box<dyn FnOnce(Global) -> Result<()>>,
}

impl PlannedJob {
    /// Creates a planned job from parameters, the reason for them, and a report of the predictions.
    pub fn new(
        parameters: impl Into<KeyParameters>,
        reason: impl Into<String>,
        report: impl Serialize + Display + 'static,
    ) -> Self {
        let print = Box::new(move |global| report::result(global, &report));
        Self { parameters: parameters.into(), reason: reason.into(), print }
    }

    /// Creates a planned job whose report is that of its parameters.
    pub fn of(parameters: impl Into<KeyParameters>, reason: impl Into<String>) -> Self {
        let parameters = parameters.into();
        let report = ParameterReport::new(&parameters);
        Self::new(parameters, reason, report)
    }

    /// Prints the report.
    pub fn print(self, global: Global) -> Result<()> {
        (self.print)(global)
    }
}
