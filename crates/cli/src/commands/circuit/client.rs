//! What the client does with its secret key: keys, encryption, decryption.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::CostModel;
use cryptable::circuits::{
    EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter, InputSupply, Parameters,
    Plan, PlanOptions,
};
use cryptable_wire::hex;
use serde::Serialize;

use super::run::input_ports;
use super::{netlist_file, sets, words};
use crate::args::Global;
use crate::args::circuit::{CircuitDecryptArgs, CircuitEncryptArgs, CircuitKeygenArgs};
use crate::atomic_file::{self, Access};
use crate::commands::key_files::{GeneratedKeys, KeyFiles};
use crate::commands::parameters;
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input};

/// Generates both keys.
///
/// # Errors
/// If a key file exists and is not to be replaced, or writing fails: there is then no new file.
pub fn keygen(global: Global, args: &CircuitKeygenArgs) -> Result<()> {
    let files = KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
    let parameters = parameters_for(args)?;
    let keys = files.generate(global, &parameters)?;
    let literal = parameters.literal();
    let report = KeygenReport {
        set: literal.name.clone(),
        ring_degree: literal.ring_degree,
        security_bits: parameters.security_bits(),
        words_at_once: parameters.bits(),
        log2_fail_bit: literal.log2_fail,
        parameter_digest: hex(&parameters.digest()),
        key_memory_bytes: parameters.key_memory_bytes(),
        keys,
        security: parameters::security(literal.security, parameters.security_bits()),
    };
    report::summary(global, &report)
}

/// The set that is named, or the fastest for a circuit.
fn parameters_for(args: &CircuitKeygenArgs) -> Result<Parameters> {
    let Some(netlist) = &args.circuit else { return sets::parameters(args.set) };
    let circuits = netlist_file::read_path(netlist, None, args.s_box)?;
    let options = PlanOptions {
        memory_limit: args.memory,
        supply: InputSupply::WhenNeeded,
        cost: CostModel::calibrated(),
        ..PlanOptions::default()
    };
    Ok(sets::best(&circuits, sets::Choice::Any, args.words, &options)?.parameters)
}

/// Encrypts words, a batch at a time.
///
/// # Errors
/// If a file cannot be read or written, or a word does not fit the circuit's inputs.
pub fn encrypt(global: Global, args: &CircuitEncryptArgs) -> Result<()> {
    let start = Instant::now();
    let circuits = netlist_file::read(&args.circuit)?;
    let ports = input_ports(&circuits[0]);
    let key = key_input::read_secret_key(global, &args.secret)?;
    let secret = key.bits().with_context(|| key_input::of_keygen(&args.secret, "circuit"))?;
    let parameters = secret.parameters();
    let values = words::read(&args.input, &ports, &args.csv)?;
    let count = values.len() as u64;
    let summary = EncryptedWordsSummary::new(parameters, secret.id(), ports.clone(), count);
    let summary = if args.all_levels {
        summary
    } else {
        let plan = Plan::cheapest(&circuits, parameters, &PlanOptions::default());
        let plan = plan.context("the circuit has no plan; --all-levels encrypts without one")?;
        summary.with_levels(plan.input_levels())
    };
    let levels = summary.levels.clone();
    let ciphertexts = summary.ciphertexts();
    let output = atomic_file::create(&args.output, Access::Public)?;
    let mut writer = EncryptedWordsWriter::new(output, parameters, summary)?;
    for batch in values.chunks(parameters.bits()) {
        for bits in words::encrypt(secret, &ports, batch, &levels)? {
            writer.push(&bits)?;
        }
    }
    let report = Report {
        output_bytes: writer.finish()?.commit(true)?,
        output: args.output.clone(),
        words: count,
        ciphertexts,
        seconds: start.elapsed().as_secs_f64(),
    };
    key_input::warn_of_insecurity(global, &key, &args.secret);
    report::summary(global, &report)
}

/// Decrypts words, a batch at a time.
///
/// # Errors
/// If a file cannot be read or written, or key and words do not belong together.
pub fn decrypt(global: Global, args: &CircuitDecryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = key_input::read_secret_key(global, &args.secret)?;
    let secret = key.bits().with_context(|| key_input::of_keygen(&args.secret, "circuit"))?;
    let file = key_input::map(&args.input)?;
    let named = || input_file::shown(&args.input).printable();
    let mut reader = EncryptedWordsReader::new((*file.as_ref()).as_ref()).with_context(named)?;
    let summary = reader.summary().clone();
    let output = atomic_file::create(&args.output, Access::Private)?;
    let mut writer = words::WordWriter::new(output, &summary.ports).with_context(named)?;
    let mut batch = Vec::with_capacity(summary.bits());
    while let Some(bits) = reader.next_bits(secret.parameters()).with_context(named)? {
        batch.push(bits);
        if batch.len() == summary.bits() {
            let found = words::decrypt(secret, &summary.ports, &batch).with_context(named)?;
            writer.write(&found)?;
            batch.clear();
        }
    }
    ensure!(batch.is_empty(), "{}: a batch lacks ciphertexts", named());
    file.check_unchanged().with_context(named)?;
    let report = Report {
        output_bytes: writer.commit()?,
        output: args.output.clone(),
        words: summary.words,
        ciphertexts: summary.ciphertexts(),
        seconds: start.elapsed().as_secs_f64(),
    };
    key_input::warn_of_insecurity(global, &key, &args.secret);
    report::summary(global, &report)
}

/// What a command that writes words did.
#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    output_bytes: u64,
    words: u64,
    ciphertexts: u64,
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} words, {}, {}; {} ciphertexts of a bit each",
            atomic_file::shown(&self.output).printable(),
            self.words,
            bytes(self.output_bytes),
            seconds(self.seconds),
            self.ciphertexts
        )
    }
}

#[derive(Serialize)]
struct KeygenReport {
    set: String,
    ring_degree: usize,
    security_bits: f64,
    words_at_once: usize,
    /// The most that a bit may fail with.
    log2_fail_bit: f64,
    parameter_digest: String,
    key_memory_bytes: usize,
    #[serde(flatten)]
    keys: GeneratedKeys,
    #[serde(skip)]
    security: String,
}

impl fmt::Display for KeygenReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "keys {} for circuits: set {}, {} words at once, {}, {}",
            self.keys.key_id,
            self.set,
            self.words_at_once,
            self.security,
            seconds(self.keys.keygen_s)
        )?;
        write!(f, "{}", self.keys.files)
    }
}
