//! `cryptable compare plan`: what every operation takes.

use std::fmt;

use anyhow::Result;
use cryptable::comparisons::{Plan, Request};
use serde::Serialize;

use crate::args::Global;
use crate::args::compare::{ComparePlanArgs, IntegerArgs};
use crate::commands::{parameters::ParameterReport, threads};
use crate::report;

/// Predicts and prints.
///
/// # Errors
/// If nothing serves the request.
pub fn run(global: Global, args: &ComparePlanArgs) -> Result<()> {
    let plan = request(&args.integers).threads(threads(global)).plan()?;
    report::result(global, &Report::new(&plan))
}

/// The library's request.
pub fn request(args: &IntegerArgs) -> Request {
    let request = Request::new(args.bits).log2_fail(args.log2_fail);
    let request = args.memory.into_iter().fold(request, Request::memory);
    let values = args.values.map(|values| usize::try_from(values).unwrap_or(usize::MAX));
    let request = values.into_iter().fold(request, Request::values);
    if args.insecure_toy { request.insecure_toy() } else { request }
}

#[derive(Serialize)]
struct Report {
    bits: u32,
    #[serde(flatten)]
    parameters: ParameterReport,
    threads: usize,
    memory_bytes: usize,
    key_file_bytes: usize,
    operations: Vec<OperationReport>,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct OperationReport {
    operation: &'static str,
    operands: usize,
    bootstraps: usize,
    /// Predicted, of a full ciphertext.
    eval_s: f64,
    /// Of any integer of a full ciphertext.
    log2_fail: f64,
}

impl Report {
    fn new(plan: &Plan) -> Self {
        let operation = |planned: &cryptable::comparisons::PlannedOperation| OperationReport {
            operation: planned.operation.name(),
            operands: planned.operation.operands(),
            bootstraps: planned.bootstraps,
            eval_s: planned.duration.as_secs_f64(),
            log2_fail: planned.failure.log2(),
        };
        Self {
            bits: plan.bits(),
            parameters: ParameterReport::new(plan.parameters()),
            threads: plan.threads(),
            memory_bytes: plan.peak_bytes(),
            key_file_bytes: plan.key_file_bytes(),
            operations: plan.operations().iter().map(operation).collect(),
            text: plan.to_string(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)
    }
}
