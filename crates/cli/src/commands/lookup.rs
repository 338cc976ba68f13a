//! The server's command `cryptable lookup`.

mod tables;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
#[cfg(feature = "client")]
use cryptable::PublicKey;
use cryptable::engines::packed::EntryKind;
use cryptable::{
    Ciphertext, CiphertextFileSummary, Contents, CostModel, Engine, KeyId, Parameters, Prediction,
};
use serde_json::{Value, json};

use self::tables::{Prepared, Tables};
use super::resume::Finished;
use crate::args::{Global, LookupArgs};
use crate::ciphertext_file::{self, Reader, Writer, ciphertexts, encryptions};
use crate::formats::csv::ReadNote;
use crate::formats::table::Moduli;
use crate::interrupt::LastWords;
#[cfg(feature = "client")]
use crate::key_input::read_public_key;
use crate::key_input::{KeyFile, MappedKey};
use crate::progress::{self, Progress};
use crate::report::{self, bytes, seconds, values};
use crate::{atomic_file, memory_limit};

/// Maps all values of a file through tables, one ciphertext at a time.
pub fn run(global: Global, args: &LookupArgs) -> Result<()> {
    let start = Instant::now();
    let Opened { mut readers, key_file, parameters, tables } = Opened::new(global, args)?;
    let (input, parameters) = (*readers[0].summary(), &parameters);
    let mapped = key_file.read()?;
    let key = &mapped.key;
    let prepared = tables.prepare(key, &input)?;
    let finished = || Finished::open(&args.outputs[0], args.tables.len(), tables.binding(&input)?);
    let finished = args.resume.then(finished).transpose()?;
    let modulus = parameters.output_modulus();
    let contents = Contents { modulus, signed: args.reading.signs().outputs, ..input.contents };
    let create = |path: &PathBuf| ciphertext_file::create(path, contents);
    let mut writers: Vec<Writer> = args.outputs.iter().map(create).collect::<Result<_>>()?;
    // Tables with one per value are read later, along with the values.
    if tables.kind() == EntryKind::Shared {
        tables.notes().iter().for_each(|note| report::note(global, note.as_ref()));
    }
    let load_s = start.elapsed().as_secs_f64();

    #[cfg(feature = "client")]
    let public =
        args.rerandomize.as_deref().map(|path| read_public_key(global, path)).transpose()?;
    let start = Instant::now();
    let lookup = Lookup {
        global,
        mapped: &mapped,
        parameters,
        args,
        tables: &tables,
        prepared: &prepared,
        #[cfg(feature = "client")]
        public: public.as_ref(),
    };
    let resumed = lookup.run(&mut readers, &mut writers, finished)?;
    tables.finish()?;
    let notes = tables.notes();
    let eval_s = start.elapsed().as_secs_f64();
    let written = ciphertext_file::commit_all(writers)?;
    resumed.finished.map(Finished::remove).transpose()?;
    let fields = json!({
        "outputs": outputs_of(args, &notes, &written),
        "engine": parameters.engine(),
        "values": input.values,
        "ciphertexts": encryptions(&input),
        // Values that were looked up before an interruption.
        "resumed_values": resumed.values,
        "input_bytes": input.bytes,
        "key_memory_bytes": key.memory_bytes(),
        "load_s": load_s,
        "eval_s": eval_s,
        "threads": global.threads(),
        "peak_rss_bytes": report::peak_memory_bytes(),
    });
    let lines: String = args.outputs.iter().zip(&written).map(line_of).collect();
    let (load, eval) = (seconds(load_s), report::on_threads(eval_s));
    report::told(global, fields, format!("{lines}key loaded in {load}, looked up in {eval}"))
}

/// The files of a lookup, which belong together.
struct Opened {
    readers: Vec<Reader>,
    key_file: KeyFile,
    parameters: Parameters,
    tables: Tables,
}

impl Opened {
    /// Opens all files, and checks everything that can be checked before the key is read, since reading it takes a while.
    fn new(global: Global, args: &LookupArgs) -> Result<Self> {
        let (named, outputs) = (args.tables.len(), args.outputs.len());
        ensure!(
            named == outputs,
            "{named} --table and {outputs} --output: each table needs its own output"
        );
        let readers = Reader::open_all(global, &args.inputs)?;
        readers.iter().try_for_each(|reader| check_signs(reader, args))?;
        let key_file = KeyFile::open(global, &args.evaluation)?;
        let parameters = key_file.header.parameters.lookups()?;
        let moduli = check(&readers, &parameters, key_file.header.key_id, args)?;
        let tables = Tables::read(args, &parameters, moduli)?;
        let values = readers[0].summary().values;
        let at_once = values.min(parameters.values_per_part() as u64);
        let prediction = parameters.lookup_prediction(tables.kind(), args.tables.len(), at_once);
        memory_limit::check_unread(args.memory.limit, "the lookup", prediction.peak_bytes())?;
        Ok(Self { readers, key_file, parameters, tables })
    }
}

/// Returns the human-readable line about the results of a table.
fn line_of((output, file): (&PathBuf, &CiphertextFileSummary)) -> String {
    let (values, count) = (values(file.values), ciphertexts(encryptions(file)));
    let output = atomic_file::name(output);
    format!("{output}: {values} in {count}, {}\n", bytes(file.bytes))
}

/// Returns the fields about the results of each table.
fn outputs_of(
    args: &LookupArgs,
    notes: &[Option<ReadNote>],
    written: &[CiphertextFileSummary],
) -> Vec<Value> {
    let one = |(index, note): (usize, &Option<ReadNote>)| {
        let mut fields = json!({
            "table": args.tables[index].to_string_lossy(),
            "output": args.outputs[index].to_string_lossy(),
            "output_bytes": written[index].bytes,
        });
        if let Some(note) = note {
            fields["table_read"] = json!(note);
        }
        fields
    };
    notes.iter().enumerate().map(one).collect()
}

/// Checks that ciphertexts and key belong together, and returns the moduli that tables must have.
///
/// Leveled keys accept values of any modulus with at most as many bits as theirs, and therefore results of another
/// output modulus. The product of the moduli of several inputs is the input modulus of the tables.
fn check(
    readers: &[Reader],
    parameters: &Parameters,
    key_id: KeyId,
    args: &LookupArgs,
) -> Result<Moduli> {
    let modulus_of = |reader: &Reader| reader.summary().contents.modulus;
    let input = match parameters.engine() {
        Engine::Leveled => modulus_of(&readers[0]),
        Engine::Packed | Engine::Single => parameters.input_modulus(),
    };
    let is_one = readers.len() == 1;
    for reader in readers {
        let modulus = if is_one { input } else { modulus_of(reader) };
        let expected = Contents { modulus, ..reader.contents_of(parameters, key_id) };
        reader.check(&expected, &args.evaluation)?;
    }
    if !is_one {
        check_variables(readers, input, args)?;
    }
    Ok(Moduli { input: Some(input), output: Some(parameters.output_modulus()) })
}

/// Checks that the values of several variables match each other, and that their moduli match that of the tables.
fn check_variables(readers: &[Reader], input_modulus: u64, args: &LookupArgs) -> Result<()> {
    ensure!(!args.resume, "--resume: lookups with several --input cannot be resumed");
    ensure!(args.imaginary.is_empty(), "--imaginary: complex tables need a single --input");
    ciphertext_file::check_counts(readers)?;
    let moduli: Vec<u64> = readers.iter().map(|it| it.summary().contents.modulus).collect();
    let product: u128 = moduli.iter().map(|&modulus| u128::from(modulus)).product();
    let shown = moduli.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
    ensure!(
        product == input_modulus.into(),
        "--input: values modulo {shown}, but tables have {input_modulus} inputs; encrypt --modulus gives values other moduli"
    );
    Ok(())
}

/// Checks that the values are signed if the inputs of tables are, and vice versa.
fn check_signs(reader: &Reader, args: &LookupArgs) -> Result<()> {
    match (reader.summary().contents.signed, args.reading.signs().inputs) {
        (true, false) => bail!(
            "{} holds signed values: use --signed if inputs and outputs of the table are signed, too, or --signed=inputs if only inputs are",
            reader.name()
        ),
        (false, true) => bail!(
            "--signed: {} holds unsigned values; give encrypt --signed, too; --signed=outputs is for tables with unsigned inputs",
            reader.name()
        ),
        _ => Ok(()),
    }
}

/// Reads the next ciphertext of every input; `None` after the last.
fn next(readers: &mut [Reader]) -> Result<Option<Vec<Ciphertext>>> {
    let (first, others) = readers.split_first_mut().expect("an input");
    let Some(ciphertext) = first.next_or_end()? else { return Ok(None) };
    let mut inputs = vec![ciphertext];
    inputs.extend(ciphertext_file::next_of_each(others)?);
    Ok(Some(inputs))
}

/// Everything that a lookup of a file needs.
struct Lookup<'a> {
    global: Global,
    mapped: &'a MappedKey,
    parameters: &'a Parameters,
    args: &'a LookupArgs,
    tables: &'a Tables,
    prepared: &'a Prepared<'a>,
    /// The public key with which results get fresh masks.
    #[cfg(feature = "client")]
    public: Option<&'a PublicKey>,
}

/// The remains of an interrupted lookup.
struct Resumed {
    finished: Option<Finished>,
    values: u64,
}

/// The progress of a lookup.
#[derive(Clone, Copy)]
struct Done {
    ciphertexts: u64,
    values: u64,
}

impl Lookup<'_> {
    /// Looks all ciphertexts up, one after another.
    fn run(
        &self,
        readers: &mut [Reader],
        writers: &mut [Writer],
        finished: Option<Finished>,
    ) -> Result<Resumed> {
        let total = *readers[0].summary();
        let name = readers[0].name();
        let named = || name.clone();
        let mut resumed = Resumed { finished, values: 0 };
        let (mut bar, mut last_words) = (None, LastWords::default());
        let mut done = Done { ciphertexts: 0, values: 0 };
        while let Some(inputs) = next(readers)? {
            let count = inputs[0].count() as u64;
            if count > self.parameters.values_per_part() as u64 {
                let prediction = self.predicted(count);
                let key = prediction.key_memory_bytes;
                let beside = prediction.peak_bytes() - key;
                memory_limit::check(self.args.memory.limit, "the lookup", key, beside)
                    .with_context(named)?;
            }
            let known = resumed.finished.as_mut().map(Finished::next).transpose()?.flatten();
            let results = match known {
                Some(results) => {
                    ensure!(
                        results.iter().all(|result| result.count() as u64 == count),
                        "results of the interrupted lookup are not for this input of {count} values"
                    );
                    resumed.values += count;
                    results
                }
                None => {
                    let hint = resumed.finished.as_ref();
                    let hint = hint.map(|file| file.resume_hint(done.values, total.values));
                    let hint = hint.and_then(|text| report::interruption(self.global, &text));
                    last_words.set(hint);
                    let bar = bar.get_or_insert_with(|| self.start(resumed.values, total.values));
                    // This check notices a truncated key file before it is used; the one below, a file rewritten during
                    // its use.
                    self.mapped.check_unchanged()?;
                    let results = self.one(&inputs, bar, done, &total).with_context(named)?;
                    self.mapped.check_unchanged()?;
                    resumed.finished.as_mut().map(|file| file.push(&results)).transpose()?;
                    results
                }
            };
            for (writer, result) in writers.iter_mut().zip(&results) {
                writer.push(&*self.for_the_client(result)?)?;
            }
            done.ciphertexts += 1;
            done.values += count;
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        Ok(resumed)
    }

    /// Converts a result to the form in which it is written.
    fn for_the_client<'a>(&self, result: &'a Ciphertext) -> Result<Cow<'a, Ciphertext>> {
        let result = Cow::Borrowed(result);
        #[cfg(feature = "client")]
        let result = match self.public {
            Some(public) => Cow::Owned(public.rerandomize(&result)?),
            None => result,
        };
        Ok(if self.args.compress { Cow::Owned(self.mapped.key.compress(&result)?) } else { result })
    }

    /// Reports the work done before and the predicted time of the rest, and starts the progress bar.
    fn start(&self, resumed: u64, values: u64) -> Progress {
        let Global { json, quiet, .. } = self.global;
        if !json && !quiet {
            if resumed > 0 {
                eprintln!("{resumed} of {values} values were looked up before");
            }
            let left = values - resumed;
            let predicted_s = self.predicted_seconds(left);
            progress::estimate(self.global, &format!("lookup of {left} values"), predicted_s);
        }
        let bar = progress::bar(self.global, "lookup");
        bar.start_at(resumed as f64 / values as f64);
        bar
    }

    /// Predicts the seconds to look up `values` values in all tables.
    fn predicted_seconds(&self, values: u64) -> f64 {
        let prediction = self.predicted(values);
        prediction.duration(&CostModel::calibrated(), values, self.global.threads()).as_secs_f64()
    }

    /// Maps the values of one ciphertext, or of one of every input, through all tables.
    fn one(
        &self,
        inputs: &[Ciphertext],
        bar: &Progress,
        before: Done,
        total: &CiphertextFileSummary,
    ) -> Result<Vec<Ciphertext>> {
        let moved = progress::on(bar);
        let count = inputs[0].count() as u64;
        let step = |done: usize, steps: usize| {
            // A share of this ciphertext, and of its values, is done.
            let share = |whole: u64| whole * done as u64 / steps.max(1) as u64;
            if self.parameters.engine().is_value_by_value() {
                let values = before.values + share(count);
                bar.items(values, total.values, "values");
                moved(values as usize, total.values as usize)
            } else {
                bar.items(before.ciphertexts, total.ciphertexts, "ciphertexts");
                let (before, all) = (before.ciphertexts as usize, total.ciphertexts as usize);
                moved(before * steps + done, all * steps)
            }
        };
        self.tables.look_up(&self.mapped.key, self.prepared, inputs, &step)
    }

    /// Predicts a lookup of `values` values in all tables.
    fn predicted(&self, values: u64) -> Prediction {
        self.parameters.lookup_prediction(self.tables.kind(), self.args.tables.len(), values)
    }
}
