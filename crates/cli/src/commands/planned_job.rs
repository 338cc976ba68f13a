//! The result of planning a job: a report, and parameters of keys.

use std::fmt::Display;

use anyhow::Result;
use cryptable::{KeyParameters, OperationPlan, PlannedOperation};
use serde::Serialize;
use serde_json::{Value, json};

use super::parameters::ParameterReport;
use crate::args::Global;
use crate::report::{self, Report};

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

    /// Creates a planned job of several operations: comparisons, columns of integers, values of several words. `job` holds the
    /// fields of the report that only this job has.
    pub fn of_operations<J>(plan: &OperationPlan<J>, reason: impl Into<String>, job: Value) -> Self
    where
        OperationPlan<J>: Display,
    {
        let report = Report { fields: operations(plan, job), text: plan.to_string() };
        Self::new(plan.parameters(), reason, report)
    }

    /// Prints the report.
    pub fn print(self, global: Global) -> Result<()> {
        (self.print)(global)
    }
}

/// Returns the fields of a plan of several operations, together with `job`, the fields that only this job has.
pub fn operations<J>(plan: &OperationPlan<J>, job: Value) -> Value {
    // Seconds for a full ciphertext, and the probability that any of its values comes out wrong.
    let operation = |planned: &PlannedOperation| {
        json!({
            "operation": planned.name,
            "lookups": planned.lookups,
            "tables": planned.tables,
            "eval_s": planned.duration.as_secs_f64(),
            "log2_fail": planned.failure.log2(),
        })
    };
    let mut fields = json!(ParameterReport::new(plan.parameters()));
    fields["threads"] = plan.threads().into();
    fields["memory_bytes"] = plan.peak_bytes().into();
    fields["key_file_bytes"] = plan.key_file_bytes().into();
    fields["operations"] = plan.operations().iter().map(operation).collect();
    report::add(&mut fields, job);
    fields
}
