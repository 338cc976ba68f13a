//! Reports of plans whose job has several operations: comparisons, columns of integers, values of several words.

use std::collections::BTreeMap;
use std::fmt;

use cryptable::{FailureProbability, OperationPlan, PlannedOperation};
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::parameters::ParameterReport;

/// The report of such a plan.
#[derive(Serialize)]
pub struct Report {
    /// Fields that only this job has, by name.
    #[serde(flatten)]
    job: BTreeMap<&'static str, Value>,
    #[serde(flatten)]
    parameters: ParameterReport,
    threads: usize,
    memory_bytes: usize,
    key_file_bytes: usize,
    operations: Vec<Value>,
    #[serde(skip)]
    text: String,
}

impl Report {
    /// Creates the report of a plan, with the fields that only its job has.
    pub fn new<J, const N: usize>(plan: &OperationPlan<J>, job: [(&'static str, Value); N]) -> Self
    where
        OperationPlan<J>: fmt::Display,
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
        Self {
            job: job.into(),
            parameters: ParameterReport::new(plan.parameters()),
            threads: plan.threads(),
            memory_bytes: plan.peak_bytes(),
            key_file_bytes: plan.key_file_bytes(),
            operations: plan.operations().iter().map(operation).collect(),
            text: plan.to_string(),
        }
    }

    /// Replaces the failure probabilities of one lookup, which parameters state, by those of a whole operation: of any
    /// value of a ciphertext, and of one value.
    pub fn with_failures(mut self, any: FailureProbability, each: FailureProbability) -> Self {
        self.parameters.log2_fail = any.log2();
        self.parameters.log2_fail_per_value = each.log2();
        self
    }

    /// Appends a line for people.
    pub fn with_note(mut self, note: &str) -> Self {
        self.text.push_str("\n  ");
        self.text.push_str(note);
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
