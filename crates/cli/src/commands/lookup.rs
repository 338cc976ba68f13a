//! `cryptable lookup`: what the server does.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::plan::ciphertexts;
use super::threads;
use crate::args::{Global, LookupArgs};
use crate::container::{ContainerReader, ContainerWriter, Contents, Header};
use crate::formats::table::{self, Moduli};
use crate::mode::AnyEvaluationKey;
use crate::progress;
use crate::report::{self, bytes, seconds};

/// Maps all values of a file through a table, one ciphertext at a time.
///
/// # Errors
/// If a file cannot be read or written, or key, table and ciphertexts do not belong together.
pub fn run(global: Global, args: &LookupArgs) -> Result<()> {
    let start = Instant::now();
    // The cheap checks first: the key takes a while.
    let mut reader = ContainerReader::open(&args.input)?;
    let key = AnyEvaluationKey::open(&args.key)?;
    let (input, output) = key.moduli(reader.header().contents.modulus);
    reader.check_parameters(key.mode(), key.parameter_digest(), &args.key)?;
    ensure!(
        reader.header().contents.key_id == key.client(),
        "{}: encrypted under another client's key than {} was generated from",
        args.input.display(),
        args.key.display()
    );
    check_modulus(reader.header(), input, &args.input)?;
    let table = table::read(&args.table, Moduli { input: Some(input), output: Some(output) })?;
    let contents = Contents { modulus: output, ..reader.header().contents };
    let mut writer = ContainerWriter::create(&args.output, contents)?;
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let bar = progress::bar(global, "lookup");
    let Header { ciphertexts: total, values, .. } = *reader.header();
    let (mut finished, mut finished_values) = (0, 0);
    while let Some(ciphertext) = reader.next_ciphertext()? {
        let moved = progress::on(&bar);
        let step = |done: usize, steps: usize| {
            if key.mode().is_by_value() {
                moved(finished_values + done, values as usize);
            } else {
                moved(finished * steps + done, total as usize * steps);
            }
        };
        let result = key
            .lookup(&ciphertext, &table, &step)
            .with_context(|| args.input.display().to_string())?;
        writer.push(&result)?;
        finished += 1;
        finished_values += ciphertext.count();
    }
    bar.finish_and_clear();
    let eval_s = start.elapsed().as_secs_f64();
    let (header, output_bytes) = writer.commit()?;
    let report = Report {
        output: args.output.clone(),
        values: header.values,
        ciphertexts: header.encryptions(),
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

/// Results of another table are encrypted under the same parameters, but have the output modulus.
fn check_modulus(header: &Header, expected: u64, path: &Path) -> Result<()> {
    let found = header.contents.modulus;
    ensure!(
        found == expected,
        "{}: its values are modulo {found}, but the key looks up values modulo {expected}",
        path.display()
    );
    Ok(())
}

#[derive(Serialize)]
struct Report {
    output: PathBuf,
    values: u64,
    ciphertexts: u64,
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
            self.output.display(),
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
