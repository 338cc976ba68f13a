//! Lookups by a server: orders and their results.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::{CiphertextReader, Contents};
use cryptable_service::Client;
use cryptable_service::messages::{Job, Kind, Object, Order, State};
use cryptable_wire::hex;
use serde_json::json;

use super::list::short;
use super::upload::{self, STEPS};
use super::{connection, named};
use crate::args::Global;
use crate::args::remote::{FetchArgs, RemoteLookupArgs, ResultArgs};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::report::{self, seconds};
use crate::suggestion::did_you_mean;
use crate::{input_file, progress};

/// Orders a lookup, waits for it, and fetches its results.
pub fn run(global: Global, args: &RemoteLookupArgs) -> Result<()> {
    if !args.detach {
        check_outputs(args.tables.len(), &args.results)?;
    }
    let client = connection::open(global, &args.connection)?;
    let mut input = Input::find(&client, args)?;
    check_tables(&client, &args.tables, &input)?;
    let send = |path: &PathBuf| {
        let (mut file, kind) = upload::open(path)?;
        let shown = input_file::name(path);
        ensure!(kind == Kind::EvaluationKey, "{shown}: not an evaluation key");
        upload::send(global, &client, kind, &mut file)
            .with_context(|| format!("cannot send {shown}"))
    };
    let key = match &args.evaluation {
        Some(path) => send(path)?,
        None => key_of(&client, &input)?,
    };
    let bits_key = args.bits_evaluation.as_ref().map(send).transpose()?.map(|it| it.sha256);
    let ciphertext = match &mut input.source {
        Source::Stored(sha256) => sha256.clone(),
        Source::Local(file) => {
            upload::send(global, &client, Kind::Ciphertext, file)
                .with_context(|| format!("cannot send {}", input.name))?
                .sha256
        }
    };
    let order = Order { key: key.sha256, ciphertext, tables: args.tables.clone(), bits_key };
    let job = client.order(&order)?;
    if args.detach {
        let fields = json!({ "job": job.id, "estimate_s": job.estimate_s });
        return report::answer(global, fields, job.id);
    }
    report::note(global, Some(&format!("job {}, about {}", job.id, seconds(job.estimate_s))));
    finish(global, &client, &job, &args.results, args.ciphertext.is_some())
}

/// Waits for a job, and fetches its results.
pub fn fetch(global: Global, args: &FetchArgs, job: &str) -> Result<()> {
    let client = connection::open(global, &args.connection)?;
    let jobs = client.jobs()?;
    let known: Vec<String> = jobs.iter().map(|job| job.id.clone()).collect();
    let id = named("job", job, &known)?;
    let job = jobs.iter().find(|job| job.id == id).context("the job is no longer on the server")?;
    check_outputs(job.order.tables.len(), &args.results)?;
    let is_input = |file: &&Object| file.sha256 == job.order.ciphertext;
    let file = client.ciphertexts()?.iter().find(is_input).cloned();
    let is_of_another = file.is_some_and(|file| file.contributor.is_some());
    finish(global, &client, job, &args.results, is_of_another)
}

/// Ciphertexts that are looked up.
struct Input {
    /// Name of the file in messages.
    name: String,
    modulus: u64,
    signed: bool,
    /// Identifier of the secret key.
    key_id: String,
    /// Digest of the parameters.
    parameters: String,
    source: Source,
}

enum Source {
    Local(File),
    /// A file on the server, under this digest.
    Stored(String),
}

impl Input {
    /// Reads the header of the file, or asks the server.
    fn find(client: &Client, args: &RemoteLookupArgs) -> Result<Self> {
        let path = match (&args.input, &args.ciphertext) {
            (Some(path), _) => path,
            (None, Some(start)) => return Self::stored(client, start),
            (None, None) => bail!("--input or --ciphertext is required"),
        };
        let file = input_file::open_seekable(path)?;
        let name = input_file::name(path);
        let contents = contents(&file).with_context(|| name.clone())?;
        Ok(Self {
            name,
            modulus: contents.modulus,
            signed: contents.signed,
            key_id: contents.key_id.to_string(),
            parameters: hex(&contents.parameter_digest),
            source: Source::Local(file),
        })
    }

    fn stored(client: &Client, start: &str) -> Result<Self> {
        let files = client.ciphertexts()?;
        let known: Vec<String> = files.iter().map(|file| file.sha256.clone()).collect();
        let sha256 = named("file of ciphertexts", start, &known)?;
        let about = files
            .iter()
            .find(|file| file.sha256 == sha256)
            .context("it is no longer on the server")?;
        let about = about.about.clone();
        Ok(Self {
            name: short(sha256).to_owned(),
            modulus: about.modulus,
            signed: about.signed.unwrap_or(false),
            key_id: about.key_id,
            parameters: about.parameters,
            source: Source::Stored(sha256.to_owned()),
        })
    }
}

fn check_outputs(tables: usize, results: &ResultArgs) -> Result<()> {
    let outputs = results.outputs.len();
    ensure!(
        tables == outputs,
        "{tables} --table and {outputs} --output: each table needs its own output"
    );
    Ok(())
}

/// Checks a file of ciphertexts, and returns its contents.
fn contents(file: &File) -> Result<Contents> {
    Ok(CiphertextReader::new(BufReader::with_capacity(1 << 20, file))?.summary().contents)
}

/// Checks, before anything is sent, that the server offers the tables for such values.
fn check_tables(client: &Client, names: &[String], values: &Input) -> Result<()> {
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
        ensure!(entries == modulus, "table {name} is for values modulo {entries}, not {modulus}");
        let signs = |signed| if signed { "signed" } else { "unsigned" };
        let (found, expected) = (signs(values.signed), signs(table.signed_inputs));
        ensure!(found == expected, "table {name} is for {expected} values, but these are {found}");
    }
    Ok(())
}

/// Returns the key on the server that matches the ciphertexts.
fn key_of(client: &Client, input: &Input) -> Result<Object> {
    let wanted = (&input.key_id, &input.parameters);
    let mut keys = client.keys()?;
    keys.retain(|key| (&key.about.key_id, &key.about.parameters) == wanted);
    keys.pop().with_context(|| {
        let name = &input.name;
        format!("no evaluation key on the server matches {name}: send it with `cryptable remote upload`, or with --evaluation here")
    })
}

/// Waits for a job, fetches its results, and removes everything that the server need not keep.
fn finish(
    global: Global,
    client: &Client,
    job: &Job,
    results: &ResultArgs,
    keeps_ciphertexts: bool,
) -> Result<()> {
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
            .with_context(|| format!("cannot fetch {}", atomic_file::name(path)))?;
        files.push(file);
    }
    let sizes = AtomicFile::commit_all(files, true)?;
    if !results.keep {
        // The results have arrived, so errors of the clean-up are ignored. Another job may still need the file.
        let _ = client.remove_job(&done.id);
        if !keeps_ciphertexts {
            let _ = client.remove_ciphertext(&done.order.ciphertext);
        }
    }
    let waited_s = start.elapsed().as_secs_f64();
    let (mut outputs, mut text) = (Vec::new(), String::new());
    for ((path, bytes), table) in results.outputs.iter().zip(sizes).zip(&done.order.tables) {
        let path = atomic_file::shown(path);
        outputs.push(json!({ "output": path.to_string_lossy(), "output_bytes": bytes }));
        text += &format!("{}: {table}, {}\n", input_file::name(path), report::bytes(bytes));
    }
    text += &format!("job {}, {}", short(&done.id), seconds(waited_s));
    let (job, tables) = (done.id, done.order.tables);
    let fields = json!({ "job": job, "tables": tables, "outputs": outputs, "waited_s": waited_s });
    report::told(global, fields, text)
}
