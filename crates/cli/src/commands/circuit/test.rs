//! `cryptable circuit test`: client and server in one process, with every result checked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::Progress;
use cryptable::bits::EncryptedBits;
use cryptable::bits::{EvaluationKey, SecretKey};
use cryptable::circuits::{Candidate, Circuit};
use serde::Serialize;
use serde_json::json;

use super::plan::{of_circuit, of_plan};
use super::run::{input_ports, output_ports, run_batch};
use super::words::{self, WordWriter, Words};
use super::{netlist_file, request};
use crate::args::Global;
use crate::args::circuit::CircuitTestArgs;
use crate::atomic_file::{self, Access};
use crate::commands::demo::peak_line;
use crate::report::{self, bytes, seconds};
use crate::{input_file, progress};

/// Runs all steps from key generation to decryption, and compares the results.
pub fn run(global: Global, args: &CircuitTestArgs) -> Result<()> {
    let circuits = netlist_file::read(&args.circuit)?;
    let circuit = &circuits[0];
    words::check_widths(&output_ports(circuit))?;
    let values = words::read(&args.inputs, &input_ports(circuit), &args.csv)?;
    let expected = evaluate(circuit, &values)?;
    let output = args.output.as_deref().map(|path| atomic_file::create(path, Access::Private));
    let output = output.transpose()?;
    let request = request(&circuits, args.set, args.schedule, args.insecure_toy);
    let words = Some(values.len() as u64);
    let candidates = request.values(values.len() as u64).plan()?;
    let candidate = candidates.best()?;
    let threads = global.threads();
    progress::estimate(global, "circuit, on one thread", candidate.seconds(words));
    let (results, costs) = run_encrypted(global, circuit, candidate, &values)?;
    let wrong = results.iter().zip(expected.iter()).filter(|(found, right)| found != right).count();
    if let Some(file) = output {
        let mut writer = WordWriter::new(file, &output_ports(circuit))?;
        writer.write(&results)?;
        writer.commit()?;
    }
    let (circuit, plan) = (of_circuit(circuit), of_plan(candidate));
    let (checked, inputs) = (results.len(), input_file::name(&args.inputs));
    let mut text = format!("{circuit}\n\n{plan}\n{}", costs.lines(threads, &inputs, checked));
    let mut fields = json!({
        "inputs": inputs,
        "threads": threads,
        "words_checked": checked,
        "wrong": wrong,
        "peak_rss_bytes": report::peak_memory_bytes(),
    });
    [json!(circuit), json!(plan), json!(costs)].iter().for_each(|it| report::add(&mut fields, it));
    if let Some(output) = &args.output {
        fields["output"] = output.to_string_lossy().into();
        text += &format!("  results      {}\n", atomic_file::name(output));
    }
    text += &format!(
        "  check        {checked} words compared with the circuit in the clear, {wrong} wrong"
    );
    report::told(global, fields, text)?;
    ensure!(
        wrong == 0 && results.len() == values.len(),
        "{wrong} of {} words are wrong",
        values.len()
    );
    Ok(())
}

/// Evaluates the circuit on unencrypted words.
fn evaluate(circuit: &Circuit, values: &[Vec<u128>]) -> Result<Words> {
    let mut results = Words::default();
    results.append(&mut circuit.evaluate_many(values)?);
    Ok(results)
}

/// The costs of each step.
#[derive(Default, Serialize)]
struct Costs {
    keygen_s: f64,
    encrypt_s: f64,
    eval_s: f64,
    decrypt_s: f64,
    eval_key_memory_bytes: usize,
    batches: usize,
}

impl Costs {
    /// Returns the human-readable lines about all steps, for `words` words.
    fn lines(&self, threads: usize, inputs: &str, words: usize) -> String {
        let key = bytes(self.eval_key_memory_bytes as u64);
        let batches = if self.batches == 1 { "batch" } else { "batches" };
        let one = self.eval_s * 1e3 / words as f64;
        let circuit =
            format!("{threads} threads, in {} {batches}: {one:.3} ms per word", self.batches);
        [
            format!("  keys         {}, evaluation key {key} in memory\n", seconds(self.keygen_s)),
            format!("  encryption   {} of {inputs}\n", seconds(self.encrypt_s)),
            format!("  circuit      {} on {circuit}\n", seconds(self.eval_s)),
            format!("  decryption   {}\n", seconds(self.decrypt_s)),
            peak_line(),
        ]
        .concat()
    }
}

/// Generates keys, encrypts, runs the circuit, and decrypts.
fn run_encrypted(
    global: Global,
    circuit: &Circuit,
    candidate: &Candidate,
    values: &[Vec<u128>],
) -> Result<(Words, Costs)> {
    let Candidate { parameters, plan, .. } = candidate;
    let mut costs = Costs::default();
    let (mut secret, mut key) = (None, None);
    time(&mut costs.keygen_s, || {
        let bar = progress::bar(global, "evaluation key");
        let drawn = SecretKey::generate(parameters);
        key = Some(drawn.evaluation_key(Progress::new(&progress::on(&bar)))?);
        secret = Some(drawn);
        bar.finish_and_clear();
        Ok(())
    })?;
    let (secret, key): (SecretKey, EvaluationKey) =
        secret.zip(key).context("keys were not generated")?;
    let (inputs, outputs) = (input_ports(circuit), output_ports(circuit));
    let levels = plan.input_levels();
    let bar = progress::bar(global, "circuit");
    costs.batches = values.len().div_ceil(parameters.bits());
    let mut results = Words::default();
    for (index, batch) in values.chunks(parameters.bits()).enumerate() {
        let mut bits: Vec<EncryptedBits> = Vec::new();
        let plain = words::bits(&inputs, batch);
        // Each bit is encrypted when it is needed, on any thread, so the evaluation's time includes that of encryption.
        let nanoseconds = AtomicU64::new(0);
        let input = |bit: usize| {
            let start = Instant::now();
            let encrypted = secret.encrypt_at(&plain[bit], levels[bit]);
            nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            encrypted
        };
        let batches = costs.batches;
        time(&mut costs.eval_s, || {
            bits = run_batch(plan, &key, &input, index, batches, &bar)?;
            Ok(())
        })?;
        costs.encrypt_s += nanoseconds.into_inner() as f64 * 1e-9;
        time(&mut costs.decrypt_s, || {
            let mut found = words::decrypt(&secret, &outputs, &bits)?;
            results.append(&mut *found);
            Ok(())
        })?;
    }
    bar.finish_and_clear();
    costs.eval_key_memory_bytes = key.memory_bytes();
    Ok((results, costs))
}

/// Runs some work, and adds the seconds that it takes to `seconds`.
fn time(seconds: &mut f64, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    work()?;
    *seconds += start.elapsed().as_secs_f64();
    Ok(())
}
