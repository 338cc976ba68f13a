//! `cryptable compare`: comparison, maximum and similar operations on packed integers.

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::comparisons::{Operation, OperationResult};
use cryptable::{
    Ciphertext, Contents, Engine, Execution, KeyId, KeyParameters, Parameters, Request,
};
use serde_json::json;

use crate::args::Global;
use crate::args::compare::{CompareArgs, IntegerArgs};
use crate::ciphertext_file::{self, Reader, Writer};
use crate::commands::large;
use crate::commands::planned_job::PlannedJob;
use crate::key_input::KeyFile;
use crate::{key_input, memory_limit, progress, report};

/// Runs an operation on files of encrypted integers, with one ciphertext of each at a time.
pub fn run(global: Global, args: &CompareArgs) -> Result<()> {
    let bounds = check_arguments(args)?;
    let key_file = KeyFile::open(global, &args.server.evaluation)?;
    if matches!(key_file.header.parameters, KeyParameters::LargeValues(_)) {
        return large::run(global, args, key_file);
    }
    let op = args.op.context("--function needs keys from keygen compare --mode single")?;
    let mut readers = Reader::open_all(global, &args.inputs)?;
    let parameters = key_file.header.parameters.lookups()?;
    check_inputs(&readers, &parameters, key_file.header.key_id, args)?;
    let packed = parameters.packed();
    let packed =
        packed.with_context(|| key_input::of_keygen(&args.server.evaluation, "compare"))?;
    let prediction = packed.operation_prediction(op);
    memory_limit::check_unread(args.server.memory.limit, op.name(), prediction.peak_bytes())?;
    let mapped = key_file.read()?;
    let key = &mapped.key;
    let first = *readers[0].summary();
    let start = Instant::now();
    let bar = progress::bar(global, "compare");
    let mut writer: Option<Writer> = None;
    for part in 0..first.ciphertexts {
        let operands = ciphertext_file::next_of_each(&mut readers)?;
        let operands: Vec<&Ciphertext> = operands.iter().collect();
        let step = progress::on_part(&bar, part as usize, first.ciphertexts as usize);
        let execution = Execution::default().progress(&step);
        let result = match key.compare(op, &operands, bounds, execution)? {
            OperationResult::Bits(bits) => bits,
            OperationResult::Digits(digits) => digits.to_ciphertext()?,
        };
        let file = match &mut writer {
            Some(file) => file,
            None => {
                writer.insert(ciphertext_file::create(&args.server.file.output, result.contents())?)
            }
        };
        file.push(&result)?;
    }
    bar.finish_and_clear();
    mapped.check_unchanged()?;
    let writer = writer.with_context(|| format!("{}: no values", readers[0].name()))?;
    let written = ciphertext_file::commit(writer)?;
    let (eval_s, name) = (start.elapsed().as_secs_f64(), op.name());
    let time = report::seconds(eval_s);
    let text =
        format!("{name} of {} values, {}, {time}", first.values, report::bytes(written.bytes));
    let modulus = written.contents.modulus;
    let fields = json!({ "operation": name, "values": first.values, "modulus": modulus });
    report::computed(global, &args.server.file.output, written.bytes, eval_s, fields, &text)
}

/// Checks that there is one input per operand, and bounds exactly if the operation needs them. Returns the bounds.
fn check_arguments(args: &CompareArgs) -> Result<Option<(i64, i64)>> {
    let (found, expected) = (args.inputs.len(), args.op.map_or(1, Operation::operands));
    let name = args.op.map_or("--function", Operation::name);
    ensure!(
        found == expected,
        "{found} --input, but {name} takes {expected}: one for each operand"
    );
    let is_clamp = args.op == Some(Operation::Clamp);
    match (args.low, args.high) {
        (Some(low), Some(high)) if is_clamp => Ok(Some((low, high))),
        (None, None) if !is_clamp => Ok(None),
        _ if is_clamp => Err(anyhow::anyhow!("clamp needs both --low and --high")),
        _ => Err(anyhow::anyhow!("--low and --high are for clamp, not for {name}")),
    }
}

/// Checks that all files belong to the key, hold integers with headroom, and match each other.
fn check_inputs(
    readers: &[Reader],
    parameters: &Parameters,
    key_id: KeyId,
    args: &CompareArgs,
) -> Result<()> {
    let contents = readers[0].contents_of(parameters, key_id);
    let expected = Contents { modulus: parameters.input_modulus(), ..contents };
    ciphertext_file::check_alike(readers, &expected, &args.server.evaluation)
}

/// Plans keys, and predicts every operation.
pub fn plan(global: Global, args: &IntegerArgs) -> Result<PlannedJob> {
    match args.mode {
        Some(Engine::Single) => return large::plan(args),
        Some(Engine::Leveled) => {
            bail!("--mode leveled: comparisons need packed or single values")
        }
        _ => ensure!(args.method.is_none(), "--method is for --mode single"),
    }
    let mut request = Request::comparisons(args.bits);
    if let Some(bits) = args.digit_bits {
        request = request.digit_bits(bits);
    }
    let plan = request.limits(args.limits.of(global, args.values)).plan()?;
    let reason = format!("for integers of {} bits, with one bit of headroom", plan.bits());
    Ok(PlannedJob::of_operations(&plan, reason, json!({ "bits": plan.bits() })))
}
