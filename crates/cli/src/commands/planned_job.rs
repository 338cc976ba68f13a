//! What planning a job gives: a report, and parameters of keys.

use std::fmt::Display;

use anyhow::Result;
use cryptable::KeyParameters;
use serde::Serialize;

use crate::args::Global;
use crate::report;

/// A planned job: what `plan` prints, and the parameters that `keygen` generates keys for.
pub struct PlannedJob {
    /// The parameters of the best way.
    pub parameters: KeyParameters,
    /// Why these.
    #[cfg_attr(not(feature = "client"), expect(dead_code, reason = "for keygen"))]
    pub reason: String,
    print: Box<dyn FnOnce(Global) -> Result<()>>,
}

impl PlannedJob {
    /// Takes parameters for a reason, and a report of what the job takes.
    pub fn new(
        parameters: impl Into<KeyParameters>,
        reason: impl Into<String>,
        report: impl Serialize + Display + 'static,
    ) -> Self {
        let print = Box::new(move |global| report::result(global, &report));
        Self { parameters: parameters.into(), reason: reason.into(), print }
    }

    /// Prints the report.
    ///
    /// # Errors
    /// If standard output cannot be written to.
    pub fn print(self, global: Global) -> Result<()> {
        (self.print)(global)
    }
}
