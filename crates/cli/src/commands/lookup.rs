//! `cryptable lookup`: what the server does.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::{Table, measure_unit};
use serde::Serialize;

use super::compare::Machine;
use super::plan::{self, ciphertexts};
use super::resume::{Finished, binding};
use super::{bits_plan, single_plan, threads};
use crate::args::{Global, LookupArgs};
use crate::container::{ContainerReader, ContainerWriter, Contents, Header};
use crate::formats::csv::ReadNote;
use crate::formats::dictionary::Dictionary;
use crate::formats::table::{self, FoundTable, Moduli, TableOptions};
use crate::mode::{AnyCiphertext, AnyEvaluationKey};
use crate::progress::{self, Progress};
use crate::report::{self, bytes, seconds};
use crate::{atomic_file, input_file};

/// Maps all values of a file through a table, one ciphertext at a time.
///
/// # Errors
/// If a file cannot be read or written, or key, table and ciphertexts do not belong together.
pub fn run(global: Global, args: &LookupArgs) -> Result<()> {
    let start = Instant::now();
    // The cheap checks first: the key takes a while.
    let mut reader = ContainerReader::open(&args.input)?;
    let key = AnyEvaluationKey::open(&args.evaluation)?;
    let header = *reader.header();
    let (input, output) = key.moduli(header.contents.modulus);
    reader.check_parameters(key.mode(), key.parameter_digest(), &args.evaluation)?;
    ensure!(
        header.contents.key_id == key.client(),
        "{}: encrypted under another client's key than {} was generated from",
        input_file::shown(&args.input).display(),
        args.evaluation.display()
    );
    check_modulus(&header, input, &args.input)?;
    let (table, note) = read_table(args, Moduli { input: Some(input), output: Some(output) })?;
    let finished = match args.resume {
        true => Some(Finished::open(&args.output, binding(&header, &table))?),
        false => None,
    };
    let contents = Contents { modulus: output, ..header.contents };
    let mut writer = ContainerWriter::create(&args.output, contents)?;
    report::note(global, note.as_ref());
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let lookup = Lookup { global, key: &key, table: &table, path: &args.input };
    let resumed = lookup.run(&mut reader, &mut writer, finished)?;
    let eval_s = start.elapsed().as_secs_f64();
    let (header, output_bytes) = writer.commit()?;
    resumed.finished.map(Finished::remove).transpose()?;
    let report = Report {
        output: args.output.clone(),
        table_read: note,
        values: header.values,
        ciphertexts: header.encryptions(),
        resumed_values: resumed.values,
        input_bytes: reader.bytes(),
        output_bytes,
        key_memory_bytes: key.memory_bytes() as u64,
        load_s,
        eval_s,
        threads: threads(global),
        peak_rss_bytes: report::peak_memory_bytes(),
    };
    report::summary(global, &report)
}

/// Reads the table as the arguments say, and the dictionaries that it is written in.
fn read_table(args: &LookupArgs, moduli: Moduli) -> Result<FoundTable> {
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
    let found = table::read(&args.table, &options)?;
    outputs.map(|book| book.borrow().save()).transpose()?;
    Ok(found)
}

/// Predicted time of so many values.
fn eval_seconds(key: &AnyEvaluationKey, values: u64, machine: &Machine) -> f64 {
    match key {
        AnyEvaluationKey::Packed(key) => plan::eval_seconds(key.parameters(), values, machine),
        AnyEvaluationKey::Single(key) => {
            single_plan::eval_seconds(key.parameters(), values, machine)
        }
        AnyEvaluationKey::Bits(key) => bits_plan::eval_seconds(key.parameters(), values, machine),
    }
}

/// What the work needs.
struct Lookup<'a> {
    global: Global,
    key: &'a AnyEvaluationKey,
    table: &'a Table,
    path: &'a Path,
}

/// What an interrupted lookup left.
struct Resumed {
    finished: Option<Finished>,
    values: u64,
}

impl Lookup<'_> {
    /// Takes one ciphertext after the other.
    fn run(
        &self,
        reader: &mut ContainerReader<BufReader<File>>,
        writer: &mut ContainerWriter,
        finished: Option<Finished>,
    ) -> Result<Resumed> {
        let Header { ciphertexts: total, values, .. } = *reader.header();
        let mut resumed = Resumed { finished, values: 0 };
        let mut bar = None;
        let (mut done, mut done_values) = (0, 0);
        while let Some(ciphertext) = reader.next_ciphertext()? {
            let count = ciphertext.count() as u64;
            let known = resumed.finished.as_mut().map(Finished::next).transpose()?.flatten();
            let result = match known {
                Some(result) => {
                    resumed.values += count;
                    result
                }
                None => {
                    let bar = bar.get_or_insert_with(|| self.start(resumed.values, values));
                    self.show(bar, (done, total), (done_values, values));
                    let result =
                        self.one(&ciphertext, bar, (done, total), (done_values, values))?;
                    resumed.finished.as_mut().map(|file| file.push(&result)).transpose()?;
                    result
                }
            };
            ensure!(
                result.count() as u64 == count,
                "{} values became {}: what an interrupted lookup left is not of this input",
                count,
                result.count()
            );
            writer.push(&result)?;
            done += 1;
            done_values += count;
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
            let machine = Machine { unit: measure_unit(), threads: threads(self.global) };
            let left = values - resumed;
            let predicted_s = eval_seconds(self.key, left, &machine);
            progress::estimate(self.global, &format!("lookup of {left} values"), predicted_s);
        }
        progress::bar(self.global, "lookup")
    }

    fn show(&self, bar: &Progress, ciphertexts: (u64, u64), values: (u64, u64)) {
        if self.key.mode().is_by_value() {
            bar.items(values.0, values.1, "values");
        } else {
            bar.items(ciphertexts.0, ciphertexts.1, "ciphertexts");
        }
    }

    /// Maps the values of one ciphertext.
    fn one(
        &self,
        ciphertext: &AnyCiphertext,
        bar: &Progress,
        ciphertexts: (u64, u64),
        values: (u64, u64),
    ) -> Result<AnyCiphertext> {
        let moved = progress::on(bar);
        let step = |done: usize, steps: usize| {
            if self.key.mode().is_by_value() {
                self.show(bar, ciphertexts, (values.0 + done as u64, values.1));
                moved(values.0 as usize + done, values.1 as usize);
            } else {
                moved(ciphertexts.0 as usize * steps + done, ciphertexts.1 as usize * steps);
            }
        };
        let result = self.key.lookup(ciphertext, self.table, &step);
        result.with_context(|| input_file::shown(self.path).display().to_string())
    }
}

/// Results of another table are encrypted under the same parameters, but have the output modulus.
fn check_modulus(header: &Header, expected: u64, path: &Path) -> Result<()> {
    let found = header.contents.modulus;
    ensure!(
        found == expected,
        "{}: its values are modulo {found}, but the key looks up values modulo {expected}",
        input_file::shown(path).display()
    );
    Ok(())
}

#[derive(Serialize)]
struct Report {
    output: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_read: Option<ReadNote>,
    values: u64,
    ciphertexts: u64,
    /// Values that were looked up before an interruption.
    resumed_values: u64,
    input_bytes: u64,
    output_bytes: u64,
    key_memory_bytes: u64,
    load_s: f64,
    eval_s: f64,
    threads: usize,
    peak_rss_bytes: Option<u64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} values in {}, {}; key loaded in {}, looked up in {} on {} thread{}",
            atomic_file::shown(&self.output).display(),
            self.values,
            ciphertexts(self.ciphertexts),
            bytes(self.output_bytes),
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
