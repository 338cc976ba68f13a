//! Lookups by a server: orders and their results.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::{CiphertextReader, Contents};
use cryptable_service::Client;
use cryptable_service::messages::{Job, Kind, Object, Order, State};
use cryptable_wire::hex;
use serde::Serialize;

use super::list::short;
use super::upload::{self, STEPS};
use super::{connection, named};
use crate::args::Global;
use crate::args::remote::{FetchArgs, RemoteLookupArgs, ResultArgs};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::suggestion::did_you_mean;
use crate::{input_file, progress};

/// Orders a lookup, waits for it, and fetches its results.
///
/// # Errors
/// If files cannot be read or written or do not belong together, or if the server refuses or cannot be reached.
pub fn run(global: Global, args: &RemoteLookupArgs) -> Result<()> {
    if !args.detach {
        check_outputs(args.tables.len(), &args.results)?;
    }
    let client = connection::open(global, &args.connection)?;
    let mut input = input_file::open_seekable(&args.input)?;
    let name = input_file::shown(&args.input).printable();
    let contents = contents(&input).with_context(|| name.clone())?;
    check_tables(&client, &args.tables, &contents)?;
    let key = match &args.evaluation {
        Some(path) => {
            let (mut file, kind) = upload::open(path)?;
            let shown = input_file::shown(path).printable();
            ensure!(kind == Kind::EvaluationKey, "{shown}: is no evaluation key");
            upload::send(global, &client, kind, &mut file)
                .with_context(|| format!("cannot send {shown}"))?
        }
        None => key_of(&client, &contents, &name)?,
    };
    let sent = upload::send(global, &client, Kind::Ciphertext, &mut input)
        .with_context(|| format!("cannot send {name}"))?;
    let order = Order { key: key.sha256, ciphertext: sent.sha256, tables: args.tables.clone() };
    let job = client.order(&order)?;
    if args.detach {
        return report::result(global, &Ordered { job: job.id, estimate_s: job.estimate_s });
    }
    report::note(global, Some(&format!("job {}, about {}", job.id, seconds(job.estimate_s))));
    finish(global, &client, &job, &args.results)
}

/// Waits for a job, and fetches its results.
///
/// # Errors
/// If results cannot be written, if the job fails, or if the server refuses or cannot be reached.
pub fn fetch(global: Global, args: &FetchArgs) -> Result<()> {
    let client = connection::open(global, &args.connection)?;
    let jobs = client.jobs()?;
    let known: Vec<String> = jobs.iter().map(|job| job.id.clone()).collect();
    let id = named("job", &args.job, &known)?;
    let job = jobs.iter().find(|job| job.id == id).context("the job went away")?;
    check_outputs(job.order.tables.len(), &args.results)?;
    finish(global, &client, job, &args.results)
}

fn check_outputs(tables: usize, results: &ResultArgs) -> Result<()> {
    let outputs = results.outputs.len();
    ensure!(tables == outputs, "{tables} --table and {outputs} --output: each table has an output");
    Ok(())
}

/// Checks a file of ciphertexts, and returns its contents.
fn contents(file: &File) -> Result<Contents> {
    Ok(CiphertextReader::new(BufReader::with_capacity(1 << 20, file))?.summary().contents)
}

/// Checks, before anything is sent, that the server offers the tables for such values.
fn check_tables(client: &Client, names: &[String], values: &Contents) -> Result<()> {
    let modulus = values.modulus;
    let offered = client.tables()?;
    for name in names {
        let Some(table) = offered.iter().find(|table| table.name == *name) else {
            let known: Vec<&str> = offered.iter().map(|table| table.name.as_str()).collect();
            let known = if known.is_empty() { "no table".into() } else { known.join(", ") };
            let hint = did_you_mean(name, offered.iter().map(|table| table.name.as_str()));
            bail!("the server has no table {name}; it offers {known}{hint}");
        };
        let entries = table.input_modulus;
        ensure!(entries == modulus, "table {name} is of values modulo {entries}, not {modulus}");
        let signs = |signed| if signed { "signed" } else { "unsigned" };
        let (found, expected) = (signs(values.signed), signs(table.signed_inputs));
        ensure!(found == expected, "table {name} is of {expected} values, but these are {found}");
    }
    Ok(())
}

/// Returns the key on the server that matches the ciphertexts.
fn key_of(client: &Client, contents: &Contents, name: &str) -> Result<Object> {
    let (key_id, parameters) = (contents.key_id.to_string(), hex(&contents.parameter_digest));
    let mut keys = client.keys()?;
    keys.retain(|key| key.about.key_id == key_id && key.about.parameters == parameters);
    keys.pop().with_context(|| {
        format!("no evaluation key on the server goes with {name}: `cryptable remote upload` sends it, or --evaluation here")
    })
}

fn finish(global: Global, client: &Client, job: &Job, results: &ResultArgs) -> Result<()> {
    let start = Instant::now();
    let bar = progress::bar(global, "lookup");
    let moved = progress::on(&bar);
    let mut told = |share: f64| moved((share * STEPS as f64) as usize, STEPS);
    let done = client.wait(&job.id, &mut told);
    bar.finish_and_clear();
    let done = done?;
    debug_assert_eq!(done.state, State::Done, "other states are errors");
    let mut files = Vec::with_capacity(results.outputs.len());
    for (place, path) in results.outputs.iter().enumerate() {
        let mut file = atomic_file::create(path, Access::Public)?;
        client
            .fetch(&done, place, &mut file)
            .with_context(|| format!("cannot fetch {}", atomic_file::shown(path).printable()))?;
        files.push(file);
    }
    let sizes = AtomicFile::commit_all(files, true)?;
    if !results.keep {
        // The results have arrived, so errors of the clean-up are ignored. Another job may still need the file.
        let _ = client.remove_job(&done.id);
        let _ = client.remove_ciphertext(&done.order.ciphertext);
    }
    let outputs = results.outputs.iter().zip(sizes);
    let outputs = outputs.map(|(path, bytes)| OutputReport {
        output: atomic_file::shown(path).to_path_buf(),
        output_bytes: bytes,
    });
    let outputs = outputs.collect();
    let waited_s = start.elapsed().as_secs_f64();
    report::summary(global, &Report { job: done.id, tables: done.order.tables, outputs, waited_s })
}

#[derive(Serialize)]
struct Ordered {
    job: String,
    estimate_s: f64,
}

impl fmt::Display for Ordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.job)
    }
}

#[derive(Serialize)]
struct OutputReport {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    output_bytes: u64,
}

#[derive(Serialize)]
struct Report {
    job: String,
    tables: Vec<String>,
    outputs: Vec<OutputReport>,
    waited_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (table, output) in self.tables.iter().zip(&self.outputs) {
            let (name, size) = (output.output.printable(), bytes(output.output_bytes));
            writeln!(f, "{name}: {table}, {size}")?;
        }
        write!(f, "job {}, {}", short(&self.job), seconds(self.waited_s))
    }
}
