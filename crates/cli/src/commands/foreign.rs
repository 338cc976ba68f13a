//! `cryptable foreign`: gates on bits that another library encrypted.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::Progress;
use cryptable::packed_gates::foreign::ForeignGates;
use cryptable_wire::MappedFile;
use serde::Serialize;

use crate::args::Global;
#[cfg(feature = "client")]
use crate::args::foreign::ForeignKeygenArgs;
use crate::args::foreign::{ForeignCommand, ForeignGate, ForeignGateArgs};
use crate::atomic_file::{self, Access};
use crate::commands::threads;
use crate::printable::Printable as _;
use crate::report::{self, bytes, counted, peak_memory, seconds};
use crate::{input_file, key_input, progress};

/// Runs a subcommand.
///
/// # Errors
/// If a file cannot be read or written, or if key and lists do not belong together.
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

    let is_file = atomic_file::target_of(&args.evaluation)?.is_some();
    let name = args.evaluation.printable();
    ensure!(
        args.force || !is_file || !args.evaluation.exists(),
        "{name} exists; --force replaces it"
    );
    let parameters = args.set.clone().unwrap_or_else(ForeignParameters::insecure_toy);
    let shown = input_file::shown(&args.secret).printable();
    let file = input_file::read_secret(&args.secret, MAX_SECRET_BYTES, "a secret", |_| Ok(()))?;
    let secret = ForeignSecret::from_bytes(&parameters, &file)
        .with_context(|| format!("{shown} is no secret of {}", parameters.name()))?;
    report::note(global, input_file::exposure(&args.secret).as_ref());
    let packed = parameters.packed(args.gates as usize)?;
    let start = Instant::now();
    let mut file = atomic_file::create(&args.evaluation, Access::Public)?;
    let bar = progress::bar(global, "evaluation key");
    let moved = progress::on(&bar);
    secret.write_gates(&packed, &mut file, Progress::new(&moved))?;
    let evaluation_bytes = file.commit(args.force)?;
    bar.finish_and_clear();
    report::summary(
        global,
        &KeyReport {
            evaluation: args.evaluation.clone(),
            evaluation_bytes,
            key_id: secret.id().to_string(),
            set: parameters.name(),
            gates_at_once: packed.bits(),
            log2_fail: parameters.log2_fail(&packed)?,
            security_bits: packed
                .security_bits()
                .min(parameters.conversion(&packed)?.security_bits()),
            keygen_s: start.elapsed().as_secs_f64(),
        },
    )
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
    let named = |path: &Path| {
        format!("{} for a key of {}", input_file::shown(path).printable(), parameters.name())
    };
    let read = |(file, path): (&MappedFile, &PathBuf)| {
        parameters.read_list(file.as_ref()).with_context(|| named(path))
    };
    let inputs = lists.iter().zip(&args.inputs).map(read).collect::<Result<Vec<_>>>()?;
    let start = Instant::now();
    let bar = progress::bar(global, "gates");
    let moved = progress::on(&bar);
    let result = match (args.gate, inputs.as_slice()) {
        (ForeignGate::OfTwo(gate), [x, y]) => server.gate(gate, x, y, Progress::new(&moved)),
        (_, inputs) => server.not(&inputs[0]),
    };
    let result = result.with_context(|| named(&args.inputs[expected - 1]))?;
    bar.finish_and_clear();
    let eval_s = start.elapsed().as_secs_f64();
    let mut file = atomic_file::create(&args.output, Access::Public)?;
    std::io::Write::write_all(&mut file, &parameters.write_list(&result)?)?;
    key_file.check_unchanged().with_context(|| args.evaluation.printable())?;
    report::summary(
        global,
        &GateReport {
            output_bytes: file.commit(true)?,
            output: args.output.clone(),
            gates: result.len() as u64,
            log2_fail: server.log2_fail(),
            key_memory_bytes: server.memory_bytes() as u64,
            load_s,
            eval_s,
            threads: threads(global),
            peak_rss_bytes: report::peak_memory_bytes(),
        },
    )
}

/// The report of a generated key.
#[cfg(feature = "client")]
#[derive(Serialize)]
struct KeyReport {
    #[serde(serialize_with = "report::path")]
    evaluation: PathBuf,
    evaluation_bytes: u64,
    key_id: String,
    set: &'static str,
    gates_at_once: usize,
    log2_fail: f64,
    security_bits: f64,
    keygen_s: f64,
}

#[cfg(feature = "client")]
impl fmt::Display for KeyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key_id, set, gates_at_once, log2_fail, security_bits, .. } = self;
        let output = atomic_file::shown(&self.evaluation).printable();
        let (size, time) = (bytes(self.evaluation_bytes), seconds(self.keygen_s));
        writeln!(f, "{output}: key for gates on ciphertexts of {set}, {size}, in {time}")?;
        writeln!(f, "  of secret {key_id}, {security_bits:.1} bits of security")?;
        write!(f, "  {gates_at_once} gates at once, each wrong with probability 2^{log2_fail:.1}")
    }
}

/// The report of a gate.
#[derive(Serialize)]
struct GateReport {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    output_bytes: u64,
    gates: u64,
    log2_fail: f64,
    key_memory_bytes: u64,
    load_s: f64,
    eval_s: f64,
    threads: usize,
    peak_rss_bytes: Option<u64>,
}

impl fmt::Display for GateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let output = atomic_file::shown(&self.output).printable();
        let (gates, size) = (counted(self.gates, "gate"), bytes(self.output_bytes));
        writeln!(
            f,
            "{output}: {gates}, {size}; each wrong with probability 2^{:.1}",
            self.log2_fail
        )?;
        write!(
            f,
            "key loaded in {}, gates in {} on {}{}",
            seconds(self.load_s),
            seconds(self.eval_s),
            counted(self.threads as u64, "thread"),
            peak_memory(self.peak_rss_bytes)
        )
    }
}
