//! Plans of bridges: parameters of both ends, and a prediction for each step.

use std::fmt;

use anyhow::{Result, ensure};
use cryptable::bridges::{Continuation, Function, Integers, LeveledTable, Plan, Returning, Target};
use cryptable::jobs::Bridge;
use cryptable::{Limits, Request, SecurityLevel};
use serde::Serialize;

use crate::args::Global;
use crate::args::bridge::{BridgeArgs, BridgeOperation};
use crate::commands::planned_job::PlannedJob;
use crate::commands::threads;

/// Bits of headroom that differences of integers need.
pub const HEADROOM_BITS: u32 = 1;

/// Plans parameters of both ends, and predicts each step.
///
/// # Errors
/// If no parameters meet the request; the error names the step that fails too often.
pub fn plan(global: Global, args: &BridgeArgs) -> Result<PlannedJob> {
    let is_table = args.op == BridgeOperation::Table;
    ensure!(
        is_table || (args.second_bits.is_none() && !args.pack),
        "--second-bits and --pack are for --op table, not for {}",
        args.op.name()
    );
    if is_table {
        let output_bits = args.second_bits.unwrap_or(args.output_bits);
        let next =
            LeveledTable { input_modulus: 1 << args.output_bits, output_modulus: 1 << output_bits };
        let returning = if args.pack { Returning::Packed } else { Returning::Single };
        let plan = request(global, args, next).returning(returning).plan()?;
        let reason = format!("for --op {}", args.op.name());
        return Ok(PlannedJob::new(plan.parameters(), reason, Report::new(&plan)));
    }
    let gives_bits = args.op.gives_bits();
    let function = if gives_bits { Function::Sign } else { Function::Absolute };
    let next = Integers { bits: args.output_bits + HEADROOM_BITS, function };
    let returning = if gives_bits { Returning::Packed } else { Returning::Single };
    let plan = request(global, args, next).returning(returning).plan()?;
    let reason = format!("for --op {} and its like", args.op.name());
    Ok(PlannedJob::new(plan.parameters(), reason, Report::new(&plan)))
}

/// Builds the library's request from the options.
fn request<C: Continuation>(global: Global, args: &BridgeArgs, next: C) -> Request<Bridge<C>> {
    let input = args.bits.map(|bits| 1 << bits).or(args.modulus);
    let input = input.expect("clap requires one of bits and modulus");
    let log2_fail = if args.insecure_toy { TOY_LOG2_FAIL } else { args.log2_fail };
    let request = Request::bridge(input, next).limits(Limits {
        values: args.values.map(u64::from),
        memory: args.memory,
        log2_fail: Some(log2_fail),
        threads: Some(threads(global)),
        insecure_toy: args.insecure_toy,
        ..Limits::default()
    });
    args.taken_out.into_iter().fold(request, |request, count| request.taken_out(count.into()))
}

/// Base-2 logarithm of the largest failure probability of toys.
const TOY_LOG2_FAIL: f64 = -30.0;

/// The report of a plan.
#[derive(Serialize)]
struct Report {
    packed_method: String,
    /// The parameters of the other end.
    then: String,
    input_modulus: u64,
    output_modulus: u64,
    ring_degree: usize,
    security_level: SecurityLevel,
    security_bits: f64,
    /// Base-2 logarithm of the probability that any value of a packed ciphertext fails in any step.
    log2_fail: f64,
    /// Base-2 logarithm of the probability that one value fails in any step.
    log2_fail_per_value: f64,
    values: usize,
    taken_out: usize,
    threads: usize,
    memory_bytes: usize,
    key_file_bytes: usize,
    /// Predicted seconds of all steps.
    eval_s: f64,
    steps: Vec<StepReport>,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct StepReport {
    step: &'static str,
    /// Predicted seconds for all values that pass the step.
    eval_s: f64,
    /// Base-2 logarithm of the probability that any value that passes the step fails; `None` if the next step accounts
    /// for its noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    log2_fail: Option<f64>,
}

impl Report {
    /// Creates the report of a plan.
    fn new<T: Target>(plan: &Plan<T>) -> Self {
        let parameters = plan.parameters();
        let packed = parameters.packed();
        let step = |step: &cryptable::bridges::Step| StepReport {
            step: step.name,
            eval_s: step.duration.as_secs_f64(),
            log2_fail: step.failure.map(cryptable::FailureProbability::log2),
        };
        Self {
            packed_method: packed.method_name(),
            then: parameters.single().name(),
            input_modulus: packed.input_modulus(),
            output_modulus: packed.output_modulus(),
            ring_degree: packed.ring_degree(),
            security_level: parameters.security_level(),
            security_bits: parameters.security_bits(),
            log2_fail: plan.log2_fail(),
            log2_fail_per_value: plan.value_failure_probability().log2(),
            values: plan.values(),
            taken_out: plan.taken_out(),
            threads: plan.threads(),
            memory_bytes: plan.peak_bytes(),
            key_file_bytes: plan.key_file_bytes(),
            eval_s: plan.duration().as_secs_f64(),
            steps: plan.steps().iter().map(step).collect(),
            text: plan.to_string(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)
    }
}
