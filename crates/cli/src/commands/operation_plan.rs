//! Reports of plans whose job has several operations: comparisons, columns of integers, values of several words.

use std::fmt::Display;

use cryptable::{FailureProbability, OperationPlan, PlannedOperation};
use serde_json::{Value, json};

use crate::commands::parameters::ParameterReport;
use crate::report::{self, Report};

/// Returns the report of a plan, with the fields that only its job has.
pub fn report<J>(plan: &OperationPlan<J>, job: Value) -> Report
where
    OperationPlan<J>: Display,
{
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
    Report { fields, text: plan.to_string() }
}

/// Replaces the failure probabilities of one lookup, which parameters state, by those of a whole operation: of any value of a
/// ciphertext, and of one value.
pub fn with_failures(
    mut report: Report,
    any: FailureProbability,
    each: FailureProbability,
) -> Report {
    report.fields["log2_fail"] = any.log2().into();
    report.fields["log2_fail_per_value"] = each.log2().into();
    report
}
