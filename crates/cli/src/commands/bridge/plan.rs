//! Plans of bridges: parameters of both ends, and a prediction for each step.

use anyhow::{Result, ensure};
use cryptable::Request;
use cryptable::bridges::{Continuation, Function, Integers, LeveledTable, Plan, Returning, Target};
use cryptable::jobs::Bridge;
use serde_json::json;

use crate::args::Global;
use crate::args::bridge::{BridgeArgs, BridgeOperation};
use crate::args::common::name_of;
use crate::commands::planned_job::PlannedJob;
use crate::report::Report;

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
        name_of(&args.op)
    );
    if is_table {
        let output_bits = args.second_bits.unwrap_or(args.output_bits);
        let next =
            LeveledTable { input_modulus: 1 << args.output_bits, output_modulus: 1 << output_bits };
        let returning = if args.pack { Returning::Packed } else { Returning::Single };
        let plan = request(global, args, next).returning(returning).plan()?;
        let reason = format!("for --op {}", name_of(&args.op));
        return Ok(PlannedJob::new(plan.parameters(), reason, report_of(&plan)));
    }
    let gives_bits = args.op.gives_bits();
    let function = if gives_bits { Function::Sign } else { Function::Absolute };
    let next = Integers { bits: args.output_bits + HEADROOM_BITS, function };
    let returning = if gives_bits { Returning::Packed } else { Returning::Single };
    let plan = request(global, args, next).returning(returning).plan()?;
    let reason = format!("for --op {} and its like", name_of(&args.op));
    Ok(PlannedJob::new(plan.parameters(), reason, report_of(&plan)))
}

/// Builds the library's request from the options.
fn request<C: Continuation>(global: Global, args: &BridgeArgs, next: C) -> Request<Bridge<C>> {
    let input = args.bits.map(|bits| 1 << bits).or(args.modulus);
    let input = input.expect("clap requires one of bits and modulus");
    let mut limits = args.limits.of(global, args.values.map(u64::from));
    if limits.insecure_toy {
        limits.log2_fail = Some(TOY_LOG2_FAIL);
    }
    let request = Request::bridge(input, next).limits(limits);
    args.taken_out.into_iter().fold(request, |request, count| request.taken_out(count.into()))
}

/// Base-2 logarithm of the largest failure probability of toys.
const TOY_LOG2_FAIL: f64 = -30.0;

/// Reports a plan: parameters of both ends, and predictions of all steps.
fn report_of<T: Target>(plan: &Plan<T>) -> Report {
    let parameters = plan.parameters();
    let packed = parameters.packed();
    let step = |step: &cryptable::bridges::Step| {
        // Predicted seconds for all values that pass the step.
        let mut fields = json!({ "step": step.name, "eval_s": step.duration.as_secs_f64() });
        // Without one, the next step accounts for its noise.
        if let Some(failure) = step.failure {
            fields["log2_fail"] = failure.log2().into();
        }
        fields
    };
    let fields = json!({
        "packed_method": packed.method_name(),
        "then": parameters.single().name(),
        "input_modulus": packed.input_modulus(),
        "output_modulus": packed.output_modulus(),
        "ring_degree": packed.ring_degree(),
        "security_level": parameters.security_level(),
        "security_bits": parameters.security_bits(),
        // Base-2 logarithm of the probability that any value of a packed ciphertext fails in any step.
        "log2_fail": plan.log2_fail(),
        "log2_fail_per_value": plan.value_failure_probability().log2(),
        "values": plan.values(),
        "taken_out": plan.taken_out(),
        "threads": plan.threads(),
        "memory_bytes": plan.peak_bytes(),
        "key_file_bytes": plan.key_file_bytes(),
        "eval_s": plan.duration().as_secs_f64(),
        "steps": plan.steps().iter().map(step).collect::<Vec<_>>(),
    });
    Report { fields, text: format!("{plan}\n") }
}
