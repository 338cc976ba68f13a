//! `cryptable wide`: lookups of wide values in dictionaries and in tables with structure.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::engines::packed::{self, Dictionary, WordCircuit};
use cryptable::wide::words_of_bits;
use cryptable::{Ciphertext, Contents, CostModel, Engine, KeyId, Progress, Request};
use serde_json::json;

use crate::args::Global;
use crate::args::wide::{WideArgs, WideLookupArgs};
use crate::ciphertext_file::{self, Reader, Writer};
use crate::commands::planned_job::{PlannedJob, operations};
use crate::formats::pairs::{self, Columns};
use crate::key_input::KeyFile;
use crate::memory_limit;
use crate::report::{self, Report, bytes, counted, seconds};
use crate::{input_file, key_input, progress};

/// Maps all values of a file through a dictionary or a table with structure, with one ciphertext per word at a time.
pub fn run(global: Global, args: &WideLookupArgs) -> Result<()> {
    let mut reader = Reader::open(global, &args.input)?;
    let key_file = KeyFile::open(global, &args.server.evaluation)?;
    let parameters = key_file.header.parameters.lookups()?;
    let parameters = parameters.packed();
    let parameters =
        parameters.with_context(|| key_input::of_keygen(&args.server.evaluation, "wide"))?;
    let circuit = circuit(args, parameters.input_modulus())?;
    let values = check(&reader, parameters, key_file.header.key_id, &circuit, args)?;
    let prediction = parameters.words_prediction(&circuit);
    memory_limit::check_unread(args.server.memory.limit, "the lookup", prediction.peak_bytes())?;
    let mapped = key_file.read()?;
    let key = mapped.key.packed()?;
    let prepared = key.prepare_words(&circuit)?;
    let contents =
        Contents { modulus: circuit.modulus(), signed: false, ..reader.summary().contents };
    let mut writer = ciphertext_file::create(&args.server.file.output, contents)?;
    let seconds = prediction.duration(&CostModel::calibrated(), values, global.threads());
    progress::estimate(global, &format!("lookup of {values} values"), seconds.as_secs_f64());
    let start = Instant::now();
    let bar = progress::bar(global, "lookup");
    let total = reader.summary().ciphertexts as usize / circuit.input_words();
    for part in 0..total {
        let input = next_words(&mut reader, circuit.input_words())?;
        let step = progress::on_part(&bar, part, total);
        mapped.check_unchanged()?;
        let output = key.lookup_words(&input, &prepared, Progress::new(&step))?;
        mapped.check_unchanged()?;
        push(&mut writer, output)?;
    }
    bar.finish_and_clear();
    let written = ciphertext_file::commit(writer)?;
    let eval_s = start.elapsed().as_secs_f64();
    // Base-2 logarithm of the probability that a lookup of a full ciphertext of values fails.
    let log2_fail = key.parameters().words_failure(&circuit).log2();
    let (lookups, words) = (circuit.lookups(), circuit.output_words());
    let text = format!(
        "{values} values in {} each, {}; {lookups} lookups, {}, a ciphertext fails with 2^{log2_fail:.1}",
        counted(words as u64, "word"),
        bytes(written.bytes),
        report::seconds(eval_s)
    );
    let fields = json!({
        "values": values,
        "lookups": lookups,
        "output_words": words,
        "log2_fail": log2_fail,
    });
    report::computed(global, &args.server.file.output, written.bytes, eval_s, fields, &text)
}

/// Builds the circuit of the table that the arguments name.
fn circuit(args: &WideLookupArgs, modulus: u64) -> Result<WordCircuit> {
    let range = u128::from(modulus) * u128::from(modulus);
    let outputs = args.value_bits.map_or(modulus, |bits| 1 << bits);
    let named = input_file::name;
    if let (Some(path), Some(default)) = (&args.dictionary, args.default) {
        let moduli = [1u128 << args.bits, 1u128 << args.value_bits.unwrap_or(32)];
        let entries = pairs::read(path, Columns { names: ["key", "value"], moduli, is_map: true })?;
        let largest = entries.iter().map(|entry| entry.1).max().unwrap_or(0).max(default).max(1);
        let values = args.value_bits.map_or((largest + 1).next_power_of_two(), |bits| 1 << bits);
        let words = words_of_bits(args.bits, modulus);
        let dictionary = Dictionary::new(modulus, words, values, entries, default);
        let circuit = dictionary.and_then(|dictionary| dictionary.circuit());
        return circuit.with_context(|| named(path));
    }
    if let Some(path) = &args.pieces {
        let columns =
            Columns { names: ["start", "value"], moduli: [range, outputs.into()], is_map: true };
        let pieces = pairs::read(path, columns)?;
        let found = WordCircuit::piecewise_constant(modulus, outputs, &pieces);
        return found.with_context(|| named(path));
    }
    if let Some(path) = &args.sum {
        let (low, high) = halves(path, modulus, outputs)?;
        let at = |values: &[u64], x: u64| values[x as usize];
        let found = WordCircuit::sum(modulus, outputs, |x| at(&low, x), |x| at(&high, x));
        return found.with_context(|| named(path));
    }
    ensure!(outputs == modulus, "--value-bits: products are modulo {modulus}");
    let read = |path: &PathBuf| halves(path, modulus, modulus.div_ceil(2));
    let products = args.products.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(WordCircuit::products(modulus, &products)?)
}

/// Reads two functions of half a value, with one line for each value of the half.
fn halves(path: &Path, modulus: u64, outputs: u64) -> Result<(Vec<u64>, Vec<u64>)> {
    let columns = Columns { names: ["low", "high"], moduli: [outputs.into(); 2], is_map: false };
    let pairs = pairs::read(path, columns)?;
    let (name, found) = (input_file::name(path), pairs.len());
    ensure!(found as u64 == modulus, "{name}: {found} lines, but halves have {modulus} values");
    Ok(pairs.into_iter().unzip())
}

/// Checks that the file belongs to the key and that its values have as many words as the circuit needs. Returns the
/// number of values.
fn check(
    reader: &Reader,
    parameters: &packed::Parameters,
    key_id: KeyId,
    circuit: &WordCircuit,
    args: &WideLookupArgs,
) -> Result<u64> {
    // Words of signed values are those of residues.
    let (engine, parameter_digest) = (Engine::Packed, parameters.digest());
    let (modulus, contents) = (circuit.modulus(), reader.summary().contents);
    let expected = Contents { engine, parameter_digest, key_id, modulus, ..contents };
    reader.check(&expected, &args.server.evaluation)?;
    let (summary, words) = (reader.summary(), circuit.input_words() as u64);
    ensure!(
        summary.ciphertexts.is_multiple_of(words) && summary.values.is_multiple_of(words),
        "{}: {} ciphertexts, not {words} for every value: was it encrypted with --bits {}?",
        reader.name(),
        summary.ciphertexts,
        args.bits
    );
    Ok(summary.values / words)
}

/// Reads the next ciphertexts of a file, one per word.
fn next_words(reader: &mut Reader, words: usize) -> Result<Vec<packed::Ciphertext>> {
    (0..words).map(|_| Ok(reader.next_ciphertext()?.packed()?[0].clone())).collect()
}

fn push(writer: &mut Writer, words: Vec<packed::Ciphertext>) -> Result<()> {
    words.into_iter().try_for_each(|word| Ok(writer.push(&Ciphertext::from(word))?))
}

/// Plans keys, and predicts lookups in dictionaries and tables with structure.
pub fn plan(global: Global, args: &WideArgs) -> Result<PlannedJob> {
    let limits = args.limits.of(global, args.values.map(u64::from));
    let request = Request::words(args.bits).limits(limits);
    let plan = args.value_bits.into_iter().fold(request, Request::value_bits).plan()?;
    let work = plan.parameters().packed()?.arbitrary_table_work();
    let arbitrary = CostModel::calibrated().seconds(&work);
    let job = json!({
        "bits": plan.bits(),
        "value_bits": plan.value_bits(),
        "word_bits": plan.modulus().ilog2(),
        "arbitrary_table_s": arbitrary,
        // For a whole operation on several words; the parameters state the probability for one lookup.
        "log2_fail": plan.failure_probability().log2(),
        "log2_fail_per_value": plan.value_failure_probability().log2(),
    });
    let text = format!(
        "{plan}\n  a table without structure would take at least {} on one thread: it is refused",
        seconds(arbitrary)
    );
    let reason = format!("for dictionaries of keys of {} bits", args.bits);
    let report = Report { fields: operations(&plan, job), text };
    Ok(PlannedJob::new(plan.parameters(), reason, report))
}
