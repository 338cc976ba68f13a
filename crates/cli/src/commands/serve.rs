//! `cryptable serve`: the service, and the commands of its operator.

use std::io;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cryptable_service::{Config, Limits, Retention, Service, Stopper, Store};
use serde_json::json;

use super::executor::Executor;
use super::{health, table_files, table_list};
use crate::args::Global;
use crate::args::serve::{
    ClientCommand, DATABASE, LimitArgs, MoveArgs, ServeArgs, ServeCommand, TableAddArgs,
    TableCommand, WorkArgs, WorkerArgs, stated_database,
};
use crate::formats::table::Moduli;
use crate::input_file;
use crate::{interrupt, report};

/// Runs a server until it is stopped or killed, or runs a command of its operator.
pub fn run(global: Global, args: &ServeArgs) -> Result<()> {
    start_log(global);
    match &args.command {
        None => serve(global, args),
        Some(ServeCommand::Table(args)) => match &args.command {
            TableCommand::Add(args) => add_table(global, args),
            TableCommand::List(args) => table_list::print(global, &open(&args.folder)?.tables()?),
            TableCommand::Remove(args) => Ok(open(&args.place.folder)?.remove_table(&args.name)?),
        },
        Some(ServeCommand::Worker(args)) => work(global, args),
        Some(ServeCommand::Move(args)) => move_rows(global, args),
        Some(ServeCommand::Health(args)) => health::check(args.listen),
        Some(ServeCommand::Client(args)) => match &args.command {
            ClientCommand::Add(args) => {
                let token = open(&args.place.folder)?.add_client(&args.name)?;
                print_token(global, token)
            }
            ClientCommand::List(args) => {
                let clients = open(&args.folder)?.clients()?;
                report::answer(global, json!({ "clients": clients }), clients.join("\n"))
            }
            ClientCommand::Renew(args) => {
                let token = open(&args.place.folder)?.renew_token(&args.name)?;
                print_token(global, token)
            }
            ClientCommand::Remove(args) => Ok(open(&args.place.folder)?.remove_client(&args.name)?),
        },
    }
}

/// Starts the log of the service on standard error, with one line per event.
fn start_log(global: Global) {
    let level = if global.quiet { tracing::Level::WARN } else { tracing::Level::INFO };
    let log = tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(level);
    // A failure to write the log must not cause a panic.
    let log = log.with_target(false).log_internal_errors(false);
    match global.json {
        true => log.json().flatten_event(true).init(),
        false => log.init(),
    }
}

fn print_token(global: Global, token: String) -> Result<()> {
    report::answer(global, json!({ "token": token }), token)
}

fn open(folder: &Path) -> Result<Store> {
    Store::open(folder).with_context(|| format!("cannot open {}", input_file::name(folder)))
}

fn serve(global: Global, args: &ServeArgs) -> Result<()> {
    let folder = args.folder.clone().context("--folder is missing")?;
    let name = input_file::name(&folder);
    let config = Config {
        behind_proxy: args.behind_proxy,
        page: args.page,
        recover: args.recover,
        database: stated_database(args.database.as_ref()),
        files: args.files.clone(),
        worker: !args.no_worker && args.executor.is_none(),
        limits: with_work(global, &args.work, limits(&args.limits)),
        options: global.read_options(),
        ..Config::new(folder.clone(), args.listen)
    };
    let service = Service::open(config).with_context(|| format!("cannot serve {name}"))?;
    for path in service.moved_files() {
        let moved = format!("the database did not know {}", input_file::name(path));
        report::note(global, Some(&moved));
    }
    let stopper = service.stopper();
    interrupt::instead(move || stopper.stop());
    let executor = Executor::start(global, args, &folder, service.database())?;
    let url = format!("http://{}", service.address());
    report::answer(global, json!({ "url": url }), format!("serving at {url}"))?;
    let outcome = service.run();
    executor.into_iter().for_each(Executor::stop);
    Ok(outcome?)
}

/// Runs jobs until stopped.
fn work(global: Global, args: &WorkerArgs) -> Result<()> {
    let folder = &args.place.folder;
    let stopper = Stopper::default();
    let store = match stated_database(args.database.as_ref()) {
        Some(url) => Store::open_at(folder, &url)
            .with_context(|| format!("cannot open {}", input_file::name(folder)))?,
        // The worker must not create the folder: it would never have a job.
        None if !folder.exists() => {
            bail!(
                "there is no {}: a server creates it, or --database says where the rows are",
                input_file::name(folder)
            )
        }
        None => open(folder)?,
    };
    let handle = stopper.clone();
    interrupt::instead(move || handle.stop());
    if args.until_input_ends {
        let handle = stopper.clone();
        let until_it_ends = move || {
            let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
            handle.stop();
        };
        std::thread::Builder::new().name("input".into()).spawn(until_it_ends)?;
    }
    report::note(global, Some(&format!("running jobs of {}", input_file::name(folder))));
    let limits = with_work(global, &args.work, Limits::default());
    Ok(store.work(limits, global.read_options(), &stopper)?)
}

/// Moves the rows of a folder to PostgreSQL.
fn move_rows(global: Global, args: &MoveArgs) -> Result<()> {
    let folder = &args.place.folder;
    let database = stated_database(args.database.as_ref())
        .with_context(|| format!("--database is missing, and {DATABASE} is not set"))?;
    if !folder.exists() {
        bail!("there is no {}", input_file::name(folder));
    }
    Store::move_to(folder, &database)
        .with_context(|| format!("cannot move the rows of {}", input_file::name(folder)))?;
    let note = "the rows are in PostgreSQL; start workers again, and remove service.sqlite when all is well";
    report::note(global, Some(&note.to_owned()));
    Ok(())
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
    let (table, note) = table_files::read(&args.reading, &args.table, moduli)?;
    let table = open(&args.named.place.folder)?.add_table(&args.named.name, &table)?;
    report::note(global, note.as_ref());
    table_list::print(global, &[table])
}
