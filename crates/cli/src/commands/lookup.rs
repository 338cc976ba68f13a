//! `cryptable lookup`: what the server does.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::{
    Ciphertext, CiphertextFileSummary, Contents, CostModel, Engine, EvaluationKey, Execution,
    Parameters, PreparedTable, Table,
};
use serde::Serialize;

use super::resume::{Finished, binding};
use super::threads;
use crate::args::{Global, LookupArgs};
use crate::ciphertext_file::{self, Reader, Writer, ciphertexts, encryptions};
use crate::formats::csv::ReadNote;
use crate::formats::dictionary::Dictionary;
use crate::formats::table::{self, FoundTable, Moduli, TableOptions};
use crate::key_input::MappedKey;
use crate::printable::Printable as _;
use crate::progress::{self, Progress};
use crate::report::{self, bytes, seconds};
use crate::{atomic_file, input_file, key_input};

/// Maps all values of a file through tables, one ciphertext at a time.
///
/// # Errors
/// If a file cannot be read or written, or key, tables and ciphertexts do not belong together.
pub fn run(global: Global, args: &LookupArgs) -> Result<()> {
    let start = Instant::now();
    let (tables, outputs) = (args.tables.len(), args.outputs.len());
    ensure!(tables == outputs, "{tables} --table and {outputs} --output: each table has an output");
    // The cheap checks first: the key takes a while.
    let mut reader = ciphertext_file::open(&args.input)?;
    let mapped = key_input::read_evaluation_key(global, &args.evaluation)?;
    let key = &mapped.key;
    let input = *reader.summary();
    let moduli = check(&reader, key, args)?;
    let (tables, notes): (Vec<Table>, Vec<Option<ReadNote>>) =
        read_tables(args, moduli)?.into_iter().unzip();
    let prepare = |(table, path): (&Table, &PathBuf)| {
        key.prepare(table).with_context(|| input_file::shown(path).printable())
    };
    let prepared: Vec<PreparedTable> =
        tables.iter().zip(&args.tables).map(prepare).collect::<Result<_>>()?;
    let finished = match args.resume {
        true => Some(Finished::open(&args.outputs[0], tables.len(), binding(&input, &tables))?),
        false => None,
    };
    let create = |(path, table): (&PathBuf, &PreparedTable)| {
        ciphertext_file::create(
            path,
            Contents { modulus: table.output_modulus(), ..input.contents },
        )
    };
    let mut writers: Vec<Writer> =
        args.outputs.iter().zip(&prepared).map(create).collect::<Result<_>>()?;
    notes.iter().for_each(|note| report::note(global, note.as_ref()));
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let lookup =
        Lookup { global, mapped: &mapped, tables: prepared.iter().collect(), path: &args.input };
    let resumed = lookup.run(&mut reader, &mut writers, finished)?;
    let eval_s = start.elapsed().as_secs_f64();
    let written = ciphertext_file::commit_all(writers)?;
    resumed.finished.map(Finished::remove).transpose()?;
    let report = Report {
        outputs: OutputReport::all(args, notes, &written),
        engine: key.engine(),
        values: input.values,
        ciphertexts: encryptions(&input),
        resumed_values: resumed.values,
        input_bytes: input.bytes,
        key_memory_bytes: key.memory_bytes() as u64,
        load_s,
        eval_s,
        threads: threads(global),
        peak_rss_bytes: report::peak_memory_bytes(),
    };
    report::summary(global, &report)
}

/// Demands that ciphertexts and key belong together; returns the moduli of tables for them.
///
/// Leveled keys take values of any modulus that has no more bits than theirs, and so results of another output modulus.
fn check(reader: &Reader, key: &EvaluationKey, args: &LookupArgs) -> Result<Moduli> {
    let (parameters, found) = (key.parameters(), reader.summary().contents.modulus);
    let modulus = match key.engine() {
        Engine::Leveled => found,
        Engine::Packed | Engine::Single => parameters.input_modulus(),
    };
    let (engine, parameter_digest) = (key.engine(), parameters.digest());
    let expected = Contents { engine, parameter_digest, key_id: key.key_id(), modulus };
    ciphertext_file::check(reader, &args.input, &expected, &args.evaluation)?;
    Ok(Moduli { input: Some(modulus), output: Some(parameters.output_modulus()) })
}

/// Reads the tables as the arguments say, and the dictionaries that they are written in.
fn read_tables(args: &LookupArgs, moduli: Moduli) -> Result<Vec<FoundTable>> {
    let reading = &args.reading;
    let open = |path: &Path, may_grow| {
        anyhow::Ok(Rc::new(RefCell::new(Dictionary::open(path, may_grow)?)))
    };
    let path = reading.output_dictionary.as_deref();
    let outputs = path.map(|path| open(path, reading.extend)).transpose()?;
    let inputs = match reading.dictionary.as_deref() {
        None => None,
        shared if shared == path => outputs.clone(),
        Some(path) => Some(open(path, false)?),
    };
    let options = TableOptions {
        moduli,
        default: reading.default.as_deref(),
        signed: reading.signed,
        header: (reading.header || reading.no_header).then_some(reading.header),
        inputs,
        outputs: outputs.clone(),
    };
    let found = args.tables.iter().map(|path| table::read(path, &options));
    let found: Vec<FoundTable> = found.collect::<Result<_>>()?;
    outputs.map(|book| book.borrow().save()).transpose()?;
    Ok(found)
}

/// What the work needs.
struct Lookup<'a> {
    global: Global,
    mapped: &'a MappedKey,
    tables: Vec<&'a PreparedTable>,
    path: &'a Path,
}

/// What an interrupted lookup left.
struct Resumed {
    finished: Option<Finished>,
    values: u64,
}

/// How far a lookup is.
#[derive(Clone, Copy)]
struct Done {
    ciphertexts: u64,
    values: u64,
}

impl Lookup<'_> {
    /// Takes one ciphertext after the other.
    fn run(
        &self,
        reader: &mut Reader,
        writers: &mut [Writer],
        finished: Option<Finished>,
    ) -> Result<Resumed> {
        let total = *reader.summary();
        let named = || input_file::shown(self.path).printable();
        let mut resumed = Resumed { finished, values: 0 };
        let mut bar = None;
        let mut done = Done { ciphertexts: 0, values: 0 };
        while let Some(ciphertext) = reader.next_ciphertext().with_context(named)? {
            let count = ciphertext.count() as u64;
            let known = resumed.finished.as_mut().map(Finished::next).transpose()?.flatten();
            let results = match known {
                Some(results) => {
                    resumed.values += count;
                    results
                }
                None => {
                    let bar = bar.get_or_insert_with(|| self.start(resumed.values, total.values));
                    // A file that was cut short is noticed before, one that was rewritten after its use.
                    self.mapped.check_unchanged()?;
                    let results = self.one(&ciphertext, bar, done, &total).with_context(named)?;
                    self.mapped.check_unchanged()?;
                    resumed.finished.as_mut().map(|file| file.push(&results)).transpose()?;
                    results
                }
            };
            for (writer, result) in writers.iter_mut().zip(&results) {
                ensure!(
                    result.count() as u64 == count,
                    "{count} values became {}: what an interrupted lookup left is not of this input",
                    result.count()
                );
                writer.push(result)?;
            }
            done.ciphertexts += 1;
            done.values += count;
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        Ok(resumed)
    }

    /// Says what there was already and how long the rest will take.
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
        progress::bar(self.global, "lookup")
    }

    /// Predicted time of so many values in all tables. Of single and leveled values it is that of one table: most work
    /// does not depend on the table.
    fn predicted_seconds(&self, values: u64) -> f64 {
        let parameters = self.mapped.key.parameters();
        let cost = CostModel::calibrated();
        let prediction = match &parameters {
            Parameters::Packed(packed) => packed.prediction_of(self.tables.len()),
            // Few values are not packed.
            Parameters::Bridged(bridged) if bridged.crossing(&cost).is_none_or(|n| values < n) => {
                bridged.single().prediction()
            }
            _ => parameters.prediction(),
        };
        prediction.duration(&cost, values, threads(self.global)).as_secs_f64()
    }

    /// Maps the values of one ciphertext through all tables.
    fn one(
        &self,
        ciphertext: &Ciphertext,
        bar: &Progress,
        before: Done,
        total: &CiphertextFileSummary,
    ) -> cryptable::Result<Vec<Ciphertext>> {
        let moved = progress::on(bar);
        let count = ciphertext.count() as u64;
        let step = |done: usize, steps: usize| {
            // A share of this ciphertext, and of its values, is done.
            let share = |whole: u64| whole * done as u64 / steps.max(1) as u64;
            if self.mapped.key.engine().is_value_by_value() {
                let values = before.values + share(count);
                bar.items(values, total.values, "values");
                moved(values as usize, total.values as usize)
            } else {
                bar.items(before.ciphertexts, total.ciphertexts, "ciphertexts");
                let (before, all) = (before.ciphertexts as usize, total.ciphertexts as usize);
                moved(before * steps + done, all * steps)
            }
        };
        self.mapped.key.lookup_many_with(
            ciphertext,
            &self.tables,
            Execution::default().progress(&step),
        )
    }
}

#[derive(Serialize)]
struct Report {
    /// One for each table.
    outputs: Vec<OutputReport>,
    engine: Engine,
    values: u64,
    ciphertexts: u64,
    /// Values that were looked up before an interruption.
    resumed_values: u64,
    input_bytes: u64,
    key_memory_bytes: u64,
    load_s: f64,
    eval_s: f64,
    threads: usize,
    peak_rss_bytes: Option<u64>,
}

/// The results in one table.
#[derive(Serialize)]
struct OutputReport {
    table: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_read: Option<ReadNote>,
    output: PathBuf,
    output_bytes: u64,
}

impl OutputReport {
    fn all(
        args: &LookupArgs,
        notes: Vec<Option<ReadNote>>,
        written: &[CiphertextFileSummary],
    ) -> Vec<Self> {
        let one = |(index, table_read): (usize, Option<ReadNote>)| Self {
            table: args.tables[index].clone(),
            table_read,
            output: args.outputs[index].clone(),
            output_bytes: written[index].bytes,
        };
        notes.into_iter().enumerate().map(one).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for OutputReport { output, output_bytes, .. } in &self.outputs {
            let (values, count) = (self.values, ciphertexts(self.ciphertexts));
            let output = atomic_file::shown(output).printable();
            writeln!(f, "{output}: {values} values in {count}, {}", bytes(*output_bytes))?;
        }
        write!(
            f,
            "key loaded in {}, looked up in {} on {} thread{}",
            seconds(self.load_s),
            seconds(self.eval_s),
            self.threads,
            if self.threads == 1 { "" } else { "s" }
        )?;
        match self.peak_rss_bytes {
            Some(peak) => write!(f, "; peak memory {}", bytes(peak)),
            None => Ok(()),
        }
    }
}
