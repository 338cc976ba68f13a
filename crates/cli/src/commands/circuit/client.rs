//! The client's commands for words of circuits: encryption and decryption.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::circuits::{
    EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter, Plan, PlanOptions,
};
use cryptable::{KeyParameters, SecretKey};
use serde_json::json;

use super::run::input_ports;
use super::{netlist_file, words};
use crate::args::{CircuitInputArgs, DecryptArgs, EncryptArgs, Global};
use crate::atomic_file::{self, Access};
use crate::commands::decrypt::no_options_of_values;
use crate::input_file;
use crate::key_input::{self, EncryptionKey};
use crate::report::{self, bytes, seconds};

/// Encrypts words, batch by batch.
pub fn encrypt(global: Global, args: &EncryptArgs, key: EncryptionKey<'_>) -> Result<()> {
    let start = Instant::now();
    let CircuitInputArgs { circuit, top, s_box, all_levels } = &args.circuit;
    let netlist = circuit.as_deref();
    let netlist = netlist
        .context("keys for circuits encrypt the inputs of a circuit: name it with --circuit")?;
    let circuits = netlist_file::read_path(netlist, top.as_deref(), *s_box)?;
    let ports = input_ports(&circuits[0]);
    let KeyParameters::Bits(parameters) = key.parameters() else {
        bail!("{}", key_input::of_keygen(args.key_file(), "circuit"));
    };
    let values = words::read(&args.input, &ports, &args.csv)?;
    let count = values.len() as u64;
    let summary = EncryptedWordsSummary::new(&parameters, key.id(), ports.clone(), count);
    let summary = if *all_levels {
        summary
    } else {
        let public_inputs = key.secret().is_none();
        let options = PlanOptions { public_inputs, ..PlanOptions::default() };
        let plan = Plan::cheapest(&circuits, &*parameters, &options);
        let plan = plan.context("the circuit has no plan; --all-levels encrypts without one")?;
        summary.with_levels(plan.input_levels())
    };
    let levels = summary.levels.clone();
    let ciphertexts = summary.ciphertexts();
    let output = atomic_file::create(&args.output, Access::Public)?;
    let mut writer = EncryptedWordsWriter::new(output, &parameters, summary)?;
    for batch in values.chunks(parameters.bits()) {
        for (bits, &levels) in words::bits(&ports, batch).iter().zip(&levels) {
            writer.push(&key.encrypt_bits(bits, levels)?)?;
        }
    }
    let output_bytes = writer.finish()?.commit(true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.key_file());
    report_words(global, &args.output, output_bytes, count, ciphertexts, start)
}

/// Decrypts words, batch by batch.
pub fn decrypt(global: Global, args: &DecryptArgs, key: &SecretKey, file: &File) -> Result<()> {
    no_options_of_values(args, "words of a circuit")?;
    let start = Instant::now();
    let secret = key.bits().with_context(|| key_input::of_keygen(args.secret(), "circuit"))?;
    let file = key_input::map_file(file, &args.input)?;
    let named = || input_file::name(&args.input);
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
    let output_bytes = writer.commit()?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    report_words(global, &args.output, output_bytes, summary.words, summary.ciphertexts(), start)
}

/// Reports a file of words, or of ciphertexts of them.
fn report_words(
    global: Global,
    output: &Path,
    output_bytes: u64,
    words: u64,
    ciphertexts: u64,
    start: Instant,
) -> Result<()> {
    let time = start.elapsed().as_secs_f64();
    let (size, shown) = (bytes(output_bytes), seconds(time));
    let text = format!("{words} words, {size}, {shown}; {ciphertexts} ciphertexts of one bit each");
    let fields = json!({ "words": words, "ciphertexts": ciphertexts, "seconds": time });
    report::written(global, output, output_bytes, fields, &text)
}
