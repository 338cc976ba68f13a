//! `cryptable foreign`: gates on bits that another library encrypted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::Progress;
use cryptable::packed_gates::foreign::ForeignGates;
use cryptable_wire::MappedFile;
use serde_json::json;

use crate::args::Global;
#[cfg(feature = "client")]
use crate::args::foreign::ForeignKeygenArgs;
use crate::args::foreign::{ForeignCommand, ForeignGate, ForeignGateArgs};
use crate::atomic_file::{self, Access};
use crate::report::{self, bytes, counted, seconds};
use crate::{input_file, key_input, progress};

/// Runs a subcommand.
pub fn run(global: Global, command: &ForeignCommand) -> Result<()> {
    match command {
        #[cfg(feature = "client")]
        ForeignCommand::Keygen(args) => keygen(global, args),
        ForeignCommand::Gate(args) => gate(global, args),
    }
}

/// Longest secret of another library.
#[cfg(feature = "client")]
const MAX_SECRET_BYTES: u64 = 1 << 16;

/// Generates the server's key from the other library's secret.
#[cfg(feature = "client")]
fn keygen(global: Global, args: &ForeignKeygenArgs) -> Result<()> {
    use cryptable::packed_gates::foreign::{ForeignParameters, ForeignSecret};

    atomic_file::check_new(&args.evaluation, args.force, "")?;
    let parameters = args.set.clone().unwrap_or_else(ForeignParameters::insecure_toy);
    let shown = input_file::name(&args.secret);
    let file = input_file::read_secret(&args.secret, MAX_SECRET_BYTES, "a secret", |_| Ok(()))?;
    let secret = ForeignSecret::from_bytes(&parameters, &file)
        .with_context(|| format!("{shown} is not a secret of {}", parameters.name()))?;
    report::note(global, input_file::exposure(&args.secret).as_ref());
    let packed = parameters.packed(args.gates as usize)?;
    let start = Instant::now();
    let mut file = atomic_file::create(&args.evaluation, Access::Public)?;
    progress::shown(global, "evaluation key", |moved| {
        secret.write_gates(&packed, &mut file, Progress::new(moved))
    })?;
    let evaluation_bytes = file.commit(args.force)?;
    let (keygen_s, log2_fail) = (start.elapsed().as_secs_f64(), parameters.log2_fail(&packed)?);
    let conversion = parameters.conversion(&packed)?;
    let security_bits = packed.security_bits().min(conversion.security_bits());
    let (set, key_id, gates) = (parameters.name(), secret.id().to_string(), packed.bits());
    let name = atomic_file::name(&args.evaluation);
    let (size, time) = (bytes(evaluation_bytes), seconds(keygen_s));
    let text = format!(
        "{name}: key for gates on ciphertexts of {set}, {size}, in {time}\n  \
         of secret {key_id}, {security_bits:.1} bits of security\n  \
         {gates} gates at once, each wrong with probability 2^{log2_fail:.1}"
    );
    let fields = json!({
        "evaluation": args.evaluation.to_string_lossy(),
        "evaluation_bytes": evaluation_bytes,
        "key_id": key_id,
        "set": set,
        "gates_at_once": gates,
        "log2_fail": log2_fail,
        "security_bits": security_bits,
        "keygen_s": keygen_s,
    });
    report::told(global, fields, text)
}

/// Evaluates a gate on all bits of lists.
fn gate(global: Global, args: &ForeignGateArgs) -> Result<()> {
    let expected = if matches!(args.gate, ForeignGate::Not) { 1 } else { 2 };
    let found = args.inputs.len();
    ensure!(found == expected, "{found} --input: this gate takes {expected}");
    // Cheap checks come first, since reading the key takes a while.
    let lists = args.inputs.iter().map(|path| key_input::map(path)).collect::<Result<Vec<_>>>()?;
    let start = Instant::now();
    let options = global.read_options();
    let read = |file: &Arc<MappedFile>| ForeignGates::from_shared(file.clone(), options);
    let (server, key_file) = key_input::read_kept(&args.evaluation, read)?;
    let load_s = start.elapsed().as_secs_f64();
    let parameters = server.parameters();
    let named =
        |path: &Path| format!("{} for a key of {}", input_file::name(path), parameters.name());
    let read = |(file, path): (&MappedFile, &PathBuf)| {
        parameters.read_list(file.as_ref()).with_context(|| named(path))
    };
    let inputs = lists.iter().zip(&args.inputs).map(read).collect::<Result<Vec<_>>>()?;
    let start = Instant::now();
    let result = progress::shown(global, "gates", |moved| match (args.gate, &inputs[..]) {
        (ForeignGate::OfTwo(gate), [x, y]) => server.gate(gate, x, y, Progress::new(moved)),
        (_, inputs) => server.not(&inputs[0]),
    });
    let result = result.with_context(|| named(&args.inputs[expected - 1]))?;
    let eval_s = start.elapsed().as_secs_f64();
    key_file.check_unchanged().with_context(|| input_file::name(&args.evaluation))?;
    let (list, log2_fail) = (parameters.write_list(&result)?, server.log2_fail());
    let output_bytes = atomic_file::write(&args.file.output, Access::Public, &list, true)?;
    let text = format!(
        "{}, {}; each wrong with probability 2^{log2_fail:.1}\nkey loaded in {}, gates in {}",
        counted(result.len() as u64, "gate"),
        bytes(output_bytes),
        seconds(load_s),
        report::on_threads(eval_s)
    );
    let fields = json!({
        "gates": result.len(),
        "log2_fail": log2_fail,
        "key_memory_bytes": server.memory_bytes(),
        "load_s": load_s,
    });
    report::computed(global, &args.file.output, output_bytes, eval_s, fields, &text)
}
