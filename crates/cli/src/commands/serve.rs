//! `cryptable serve`: the service, and the commands of its operator.

use std::path::Path;
use std::time::Duration;
use std::{fmt, io};

use anyhow::{Context, Result};
use cryptable_service::{Config, Limits, Retention, Service, Stopper, Store};
use serde::Serialize;

use super::table_list::Tables;
use super::{health, table_files};
use crate::args::Global;
use crate::args::serve::{
    ClientCommand, LimitArgs, ServeArgs, ServeCommand, TableAddArgs, TableCommand, WorkArgs,
    WorkerArgs,
};
use crate::formats::table::Moduli;
use crate::printable::Printable as _;
use crate::{interrupt, report};

/// Runs a server until it is stopped or killed, or runs a command of its operator.
///
/// # Errors
/// If the folder or the address cannot be used, or if there is no such client or table.
pub fn run(global: Global, args: &ServeArgs) -> Result<()> {
    start_log(global);
    match &args.command {
        None => serve(global, args),
        Some(ServeCommand::Table(args)) => match &args.command {
            TableCommand::Add(args) => add_table(global, args),
            TableCommand::List(args) => {
                report::result(global, &Tables { tables: open(&args.folder)?.tables()? })
            }
            TableCommand::Remove(args) => Ok(open(&args.place.folder)?.remove_table(&args.name)?),
        },
        Some(ServeCommand::Worker(args)) => work(global, args),
        Some(ServeCommand::Health(args)) => health::check(args.listen),
        Some(ServeCommand::Client(args)) => match &args.command {
            ClientCommand::Add(args) => {
                let token = open(&args.place.folder)?.add_client(&args.name)?;
                report::result(global, &Token { token })
            }
            ClientCommand::List(args) => {
                report::result(global, &Clients { clients: open(&args.folder)?.clients()? })
            }
            ClientCommand::Renew(args) => {
                let token = open(&args.place.folder)?.renew_token(&args.name)?;
                report::result(global, &Token { token })
            }
            ClientCommand::Remove(args) => Ok(open(&args.place.folder)?.remove_client(&args.name)?),
        },
    }
}

/// Starts the log of the service on standard error, with one line per event.
fn start_log(global: Global) {
    let level = if global.quiet { tracing::Level::WARN } else { tracing::Level::INFO };
    let log = tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(level);
    // Failing to write the log is no reason to panic.
    let log = log.with_target(false).log_internal_errors(false);
    match global.json {
        true => log.json().flatten_event(true).init(),
        false => log.init(),
    }
}

fn open(folder: &Path) -> Result<Store> {
    Store::open(folder).with_context(|| format!("cannot open {}", folder.printable()))
}

fn serve(global: Global, args: &ServeArgs) -> Result<()> {
    let folder = args.folder.clone().context("--folder is missing")?;
    let name = folder.printable();
    let config = Config {
        behind_proxy: args.behind_proxy,
        page: args.page,
        recover: args.recover,
        database: args.database.clone(),
        files: args.files.clone(),
        worker: !args.no_worker,
        limits: with_work(global, &args.work, limits(&args.limits)),
        options: global.read_options(),
        ..Config::new(folder, args.listen)
    };
    let service = Service::open(config).with_context(|| format!("cannot serve {name}"))?;
    for path in service.moved_files() {
        let moved = format!("the database did not know {}", path.printable());
        report::note(global, Some(&moved));
    }
    let stopper = service.stopper();
    interrupt::instead(move || stopper.stop());
    report::result(global, &Started { url: format!("http://{}", service.address()) })?;
    Ok(service.run()?)
}

/// Runs jobs until stopped.
fn work(global: Global, args: &WorkerArgs) -> Result<()> {
    let folder = &args.place.folder;
    let stopper = Stopper::default();
    let store = match &args.database {
        Some(url) => Store::open_at(folder, url)
            .with_context(|| format!("cannot open {}", folder.printable()))?,
        None => open(folder)?,
    };
    let handle = stopper.clone();
    interrupt::instead(move || handle.stop());
    report::note(global, Some(&format!("running jobs of {}", folder.printable())));
    let limits = with_work(global, &args.work, Limits::default());
    Ok(store.work(limits, global.read_options(), &stopper)?)
}

/// Adds the limits of jobs to others.
fn with_work(global: Global, args: &WorkArgs, others: Limits) -> Limits {
    Limits {
        free_bytes: args.free_bytes as u64,
        memory: memory(args.memory),
        turn: Duration::from_secs(u64::from(args.turn)),
        threads: global.threads.map_or(0, usize::from),
        ..others
    }
}

fn limits(args: &LimitArgs) -> Limits {
    Limits {
        key_bytes: args.key_bytes as u64,
        ciphertext_bytes: args.ciphertext_bytes as u64,
        client_bytes: args.client_bytes as u64,
        client_objects: args.client_objects,
        total_bytes: args.total_bytes.map(|bytes| bytes as u64),
        queue: args.queue,
        client_queue: args.client_queue,
        client_uploads: args.client_uploads,
        job_tables: args.job_tables,
        job_time: args.job_time.0,
        connections: usize::from(args.connections),
        client_requests: usize::from(args.client_requests),
        silence: Duration::from_secs(u64::from(args.silence)),
        keep: Retention {
            jobs: args.keep_jobs.0,
            client_results: args.client_results as u64,
            client_jobs: args.client_jobs,
            uploads: args.keep_uploads.0,
            ciphertexts: args.keep_ciphertexts.0,
            ..Retention::default()
        },
        ..Limits::default()
    }
}

/// Returns the memory limit of the service. A lookup and a file that is checked at the same time may each use this
/// much, so the default is two fifths of the machine's memory.
fn memory(asked: Option<usize>) -> u64 {
    let share = || cryptable::memory::in_all().map(|bytes| bytes / 5 * 2);
    asked.or_else(share).map_or(Limits::default().memory, |bytes| bytes as u64)
}

fn add_table(global: Global, args: &TableAddArgs) -> Result<()> {
    let moduli = Moduli { input: args.modulus, output: args.output_modulus };
    let found = table_files::read_all(&args.reading, std::slice::from_ref(&args.table), moduli)?;
    let store = open(&args.named.place.folder)?;
    for (table, note) in found {
        let table = store.add_table(&args.named.name, &table)?;
        report::note(global, note.as_ref());
        report::result(global, &Tables { tables: vec![table] })?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Started {
    url: String,
}

impl fmt::Display for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "serving at {}", self.url)
    }
}

#[derive(Serialize)]
struct Token {
    token: String,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.token)
    }
}

#[derive(Serialize)]
struct Clients {
    clients: Vec<String>,
}

impl fmt::Display for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.clients.join("\n"))
    }
}
