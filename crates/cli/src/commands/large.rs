//! Integers of engine `single`, one LWE ciphertext per integer: what `encrypt`, `compare` and `decrypt` do with keys of
//! `keygen compare --mode single`.

#[cfg(feature = "client")]
mod client;
mod function;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::comparisons::Operation;
use cryptable::large_values::{EncryptedIntegers, EvaluationKey, Parameters};
use cryptable::{EvaluationKey as AnyKey, Progress};
use serde_json::json;

#[cfg(feature = "client")]
pub use self::client::{decrypt, encrypt};
use super::planned_job::PlannedJob;
use crate::args::Global;
use crate::args::compare::{CompareArgs, IntegerArgs};
use crate::atomic_file::{self, Access};
use crate::key_input::{self, KeyFile};
use crate::report::{self, bytes, seconds};
use crate::{input_file, progress};

/// Bits of a ciphertext in addition to those of its integer: the sign, and one for differences.
pub const MORE_BITS: u32 = 2;

/// Operations on these integers.
const OPERATIONS: [Operation; 5] = [
    Operation::LessThan,
    Operation::Sign,
    Operation::Maximum,
    Operation::Relu,
    Operation::AbsoluteValue,
];

/// Plans keys for integers of engine `single`.
pub fn plan(args: &IntegerArgs) -> Result<PlannedJob> {
    ensure!(
        args.digit_bits.is_none() && args.values.is_none() && args.limits.memory.is_none(),
        "--digit-bits, --values and --memory are for packed integers, not for --mode single"
    );
    let bits = args.bits + MORE_BITS;
    let too_many =
        || format!("integers of {} bits, and {MORE_BITS} more in ciphertexts", args.bits);
    let parameters = match args.limits.log2_fail {
        _ if args.limits.insecure_toy => Parameters::insecure_toy(bits),
        Some(log2_fail) => Parameters::with_log2_fail(bits, log2_fail),
        None => Parameters::new(bits),
    };
    let mut parameters = parameters.with_context(too_many)?;
    if let Some(name) = &args.method {
        parameters = parameters.with_algorithm(name)?;
    }
    let reason = format!("for integers of {} bits, by {}", args.bits, parameters.algorithm());
    Ok(PlannedJob::of(parameters, reason))
}

/// Runs an operation or a continuous function on files of integers.
pub fn run(global: Global, args: &CompareArgs, key_file: KeyFile) -> Result<()> {
    let name = match args.op {
        None => "function",
        Some(op) if OPERATIONS.contains(&op) => op.name(),
        Some(op) => {
            let names = OPERATIONS.map(Operation::name).join(", ");
            bail!(
                "{op} needs packed integers; keys of --mode single are for {names} and --function"
            )
        }
    };
    let inputs = args.inputs.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let mapped = key_file.read()?;
    let AnyKey::LargeValues(key) = &mapped.key else {
        bail!("{}", key_input::of_keygen(&args.server.evaluation, "compare"))
    };
    let start = Instant::now();
    let found = progress::shown(global, "compare", |moved| {
        evaluate(key, args, &inputs, Progress::new(moved))
    });
    let found = found.with_context(|| input_file::name(&args.inputs[0]))?;
    mapped.check_unchanged()?;
    let size = atomic_file::write(&args.server.file.output, Access::Public, &found, true)?;
    let (eval_s, count) = (start.elapsed().as_secs_f64(), inputs[0].count());
    let text = format!("{name} of {count} values, {}, {}", bytes(size), seconds(eval_s));
    let fields = json!({ "operation": name, "values": count });
    report::computed(global, &args.server.file.output, size, eval_s, fields, &text)
}

/// Reads a file of integers.
fn read(path: &Path) -> Result<EncryptedIntegers> {
    let bytes = key_input::map(path)?;
    EncryptedIntegers::from_bytes(bytes.as_ref()).with_context(|| input_file::name(path))
}

/// Returns the bytes of the results.
fn evaluate(
    key: &EvaluationKey,
    args: &CompareArgs,
    inputs: &[EncryptedIntegers],
    progress: Progress<'_>,
) -> Result<Vec<u8>> {
    let Some(op) = args.op else {
        let path = args.function.as_ref().expect("clap requires an operation or a function");
        let function = function::read(path, key.parameters().bits())?;
        let x = &inputs[0];
        return Ok(function.on(|real| key.continuous(x, real, progress))?.to_bytes());
    };
    Ok(match (op, inputs) {
        (Operation::Sign, [x]) => key.sign(x, progress)?.to_bytes(),
        (Operation::LessThan, [x, y]) => key.less_than(x, y, progress)?.to_bytes(),
        (Operation::Maximum, [x, y]) => key.maximum(x, y, progress)?.to_bytes(),
        (Operation::Relu, [x]) => key.relu(x, progress)?.to_bytes(),
        (_, [x]) => key.absolute(x, progress)?.to_bytes(),
        (op, _) => bail!("{op} takes {} --input", op.operands()),
    })
}
