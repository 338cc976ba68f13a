//! The server's command `cryptable circuit run`.

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::bits::EvaluationKey;
use cryptable::bits::{EncryptedBits, Parameters};
use cryptable::circuits::{
    Circuit, EncryptedBatch, EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter,
    InputLevels, Plan, PlanOptions, WordPort, execute_with,
};
use cryptable::{KeyId, KeyParameters, Progress};
use serde_json::json;

use super::{netlist_file, request};
use crate::args::Global;
use crate::args::circuit::CircuitRunArgs;
use crate::atomic_file::{self, Access};
use crate::key_input::KeyFile;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input, memory_limit, progress};

/// Runs a circuit on all batches of a file.
pub fn run(global: Global, args: &CircuitRunArgs) -> Result<()> {
    let start = Instant::now();
    // Cheap checks come first, since reading the key takes a while.
    let circuits = netlist_file::read(&args.circuit)?;
    let circuit = &circuits[0];
    let input = key_input::map(&args.input)?;
    let input_name = input_file::name(&args.input);
    let mut reader =
        EncryptedWordsReader::new(input.as_ref()).with_context(|| input_name.clone())?;
    check_ports(circuit, reader.summary()).with_context(|| input_name.clone())?;
    let key_file = KeyFile::open(global, &args.evaluation)?;
    let KeyParameters::Bits(parameters) = &key_file.header.parameters else {
        bail!("{}", key_input::of_keygen(&args.evaluation, "circuit"));
    };
    check_key(parameters, key_file.header.key_id, reader.summary()).with_context(|| {
        format!("{input_name} does not match {}", input_file::name(&args.evaluation))
    })?;
    let public_inputs = reader.are_public(parameters).with_context(|| input_name.clone())?;
    let inputs = InputLevels::Given(reader.summary().levels.clone());
    let plan = cheapest(args, &circuits, parameters, inputs, public_inputs)?;
    let mapped = key_file.read()?;
    let key = mapped.key.bits()?;
    let load_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let words = reader.summary().words;
    let output = atomic_file::create(&args.file.output, Access::Public)?;
    let ports = output_ports(circuit);
    let summary = EncryptedWordsSummary::new(key.parameters(), key.key_id(), ports, words)
        .with_levels(plan.outputs().iter().map(|&value| plan.levels_of(value)).collect());
    let mut writer = EncryptedWordsWriter::new(output, key.parameters(), summary)?;
    let batches = reader.summary().batches() as usize;
    for_each_batch(global, &mut reader, &input_name, |words, batch, bar| {
        let input = |index| words.input_bits(index, key.parameters(), public_inputs);
        let outputs = run_batch(&plan, key, &input, batch, batches, bar);
        let outputs = outputs.with_context(|| input_name.clone())?;
        outputs.iter().try_for_each(|bits| Ok(writer.push(bits)?))
    })?;
    input.check_unchanged().with_context(|| input_name.clone())?;
    mapped.check_unchanged()?;
    let (eval_s, output_bytes) = (start.elapsed().as_secs_f64(), writer.finish()?.commit(true)?);
    let (words, bootstraps) = (reader.summary().words, plan.counts().bootstraps() * batches);
    let text = format!(
        "{} on {words} words, {}; key loaded in {}, {bootstraps} bootstraps in {}",
        circuit.name(),
        bytes(output_bytes),
        seconds(load_s),
        report::on_threads(eval_s)
    );
    let fields = json!({
        "circuit": circuit.name(),
        "words": words,
        "batches": batches,
        "bootstraps": bootstraps,
        "key_memory_bytes": key.memory_bytes(),
        "load_s": load_s,
    });
    report::computed(global, &args.file.output, output_bytes, eval_s, fields, &text)
}

/// Reads all batches of a file, and does the work of each, with a progress bar.
fn for_each_batch(
    global: Global,
    reader: &mut EncryptedWordsReader<'_>,
    name: &str,
    mut work: impl FnMut(&EncryptedBatch<'_>, usize, &progress::Progress) -> Result<()>,
) -> Result<()> {
    let bar = progress::bar(global, "circuit");
    for batch in 0..reader.summary().batches() as usize {
        let words = reader.next_batch().with_context(|| name.to_owned())?;
        work(&words.with_context(|| format!("{name}: a batch is missing"))?, batch, &bar)?;
    }
    let rest = reader.next_batch().with_context(|| name.to_owned())?;
    ensure!(rest.is_none(), "{name}: more ciphertexts than words");
    bar.finish_and_clear();
    Ok(())
}

/// Returns the cheapest plan for inputs with these levels, if it stays below the limit of memory.
fn cheapest(
    args: &CircuitRunArgs,
    circuits: &[Circuit],
    parameters: &Parameters,
    inputs: InputLevels,
    public_inputs: bool,
) -> Result<Plan> {
    let schedule = request(circuits, None, args.schedule, false).schedule(inputs);
    let options = PlanOptions { public_inputs, ..schedule };
    let plan = Plan::cheapest(circuits, parameters, &options)?;
    memory_limit::check_unread(args.schedule.memory, "the circuit", plan.memory_bytes())?;
    Ok(plan)
}

/// Runs one of several batches, with progress over all of them. Each input is requested when it is needed.
pub fn run_batch(
    plan: &Plan,
    key: &EvaluationKey,
    input: &(dyn Fn(usize) -> cryptable::Result<EncryptedBits> + Sync),
    batch: usize,
    batches: usize,
    bar: &progress::Progress,
) -> cryptable::Result<Vec<EncryptedBits>> {
    let moved = progress::on(bar);
    let step = |done: usize, steps: usize| {
        bar.items((batch * steps + done) as u64, (batches * steps) as u64, "operations");
        moved(batch * steps + done, batches * steps)
    };
    execute_with(plan, key, input, Progress::new(&step))
}

/// Returns the ports of a circuit's outputs.
pub fn output_ports(circuit: &Circuit) -> Vec<WordPort> {
    let port = |word: &cryptable::circuits::OutputWord| WordPort {
        name: word.name.clone(),
        width: word.signals.len(),
    };
    circuit.outputs().iter().map(port).collect()
}

/// Returns the ports of a circuit's inputs.
pub fn input_ports(circuit: &Circuit) -> Vec<WordPort> {
    let port = |word: &cryptable::circuits::InputWord| WordPort {
        name: word.name.clone(),
        width: word.width,
    };
    circuit.inputs().iter().map(port).collect()
}

/// Checks that the ports of the words are the inputs of a circuit.
fn check_ports(circuit: &Circuit, summary: &EncryptedWordsSummary) -> Result<()> {
    let shown = |ports: &[WordPort]| {
        let one = |port: &WordPort| format!("{}[{}]", port.name, port.width);
        ports.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let expected = input_ports(circuit);
    ensure!(
        summary.ports == expected,
        "words of {}, where the circuit has inputs {}",
        shown(&summary.ports),
        shown(&expected)
    );
    Ok(())
}

/// Checks that the words belong to a key.
fn check_key(
    parameters: &Parameters,
    key_id: KeyId,
    summary: &EncryptedWordsSummary,
) -> Result<()> {
    let ports = summary.ports.clone();
    let expected = EncryptedWordsSummary::new(parameters, key_id, ports, summary.words)
        .with_levels(summary.levels.clone());
    ensure!(
        summary.parameter_digest == expected.parameter_digest,
        "it was made under other parameters"
    );
    ensure!(
        summary.key_id == expected.key_id,
        "it belongs to client key {}, the evaluation key to {}",
        summary.key_id,
        expected.key_id
    );
    ensure!(*summary == expected, "its ciphertexts hold another number of words");
    Ok(())
}
