//! The grammar of `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::GroupArgs;
use super::common::memory_size;
use super::lookup::TableArgs;

/// Arguments of `serve`: options of a server that starts, or a command of its operator.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ServeArgs {
    /// Action of the operator, whether or not a server runs.
    #[command(subcommand)]
    pub command: Option<ServeCommand>,
    /// Folder of the server: keys, files, jobs, tables, clients
    #[arg(long, value_name = "DIR", required = true)]
    pub folder: Option<PathBuf>,
    /// Address and port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Allow addresses other than loopback, because a proxy in front of the server provides TLS
    #[arg(long)]
    pub behind_proxy: bool,
    /// Serve a page at the server's address on which browsers encrypt, look up and decrypt; requires a program built
    /// with `make page`
    #[arg(long)]
    pub page: bool,
    /// Move files that the folder's database does not know to lost/, and create a new database if it is missing
    #[arg(long)]
    pub recover: bool,
    /// PostgreSQL database that the folder uses from now on:
    /// postgres://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full, or ?sslmode=disable for a connection without TLS to
    /// another machine; requires a build with the feature `postgres-tls`, or `postgres` for connections without TLS
    /// [default: the variable CRYPTABLE_DATABASE, the database given before, or SQLite in the folder]
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// Object store that keeps all complete files from now on: s3://BUCKET/PREFIX, with AWS_ACCESS_KEY_ID,
    /// AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL from the environment, or file:///FOLDER; requires a build
    /// with the feature `s3` [default: the folder, or the object store given before]
    #[arg(long, value_name = "URL")]
    pub files: Option<String>,
    /// Run no jobs; `serve worker` runs them, in processes beside the server
    #[arg(long)]
    pub no_worker: bool,
    /// Ray cluster whose nodes run the jobs, given by the address of its client server: ray://HOST:10001; requires
    /// python3 with the package `cryptable[ray]` on this machine, and this program on each node
    #[arg(long, value_name = "URL", conflicts_with = "no_worker", value_parser = cluster)]
    pub executor: Option<String>,
    /// Number of workers on the cluster, each with --threads threads [default: one per node, with all its cores]
    #[arg(long, value_name = "N", requires = "executor", value_parser = clap::value_parser!(u16).range(1..))]
    pub executor_workers: Option<u16>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub work: WorkArgs,
}

/// Environment variable that names the database if no option does, which keeps passwords out of lists of processes.
pub const DATABASE: &str = "CRYPTABLE_DATABASE";

/// Returns the address of the database, from the option or else from the environment.
pub fn stated_database(option: Option<&String>) -> Option<String> {
    option.cloned().or_else(|| std::env::var(DATABASE).ok())
}

fn cluster(text: &str) -> Result<String, String> {
    let is_cluster = text.strip_prefix("ray://").is_some_and(|rest| !rest.is_empty());
    is_cluster.then(|| text.to_owned()).ok_or_else(|| "it must be like ray://HOST:10001".into())
}

/// Limits for clients; a request beyond a limit is refused with the limit's name and value.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Maximum size of an evaluation key file
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = memory_size)]
    pub key_bytes: usize,
    /// Maximum size of a file of ciphertexts
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = memory_size)]
    pub ciphertext_bytes: usize,
    /// Maximum bytes of all keys, files and results of a client
    #[arg(long, value_name = "SIZE", default_value = "256GiB", value_parser = memory_size)]
    pub client_bytes: usize,
    /// Maximum number of keys, files and results of a client; each of them counts as at least 4 KiB
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub client_objects: u64,
    /// Maximum bytes of all keys, files and results of all clients [default: the space on the disk]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub total_bytes: Option<usize>,
    /// Maximum number of jobs that wait or run
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub queue: u64,
    /// Maximum number of a client's jobs that wait or run
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub client_queue: u64,
    /// Maximum number of a client's unfinished uploads
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub client_uploads: u64,
    /// Maximum number of tables per job
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub job_tables: u64,
    /// Maximum predicted time of a job, such as 1d, 12h, 30m or 90s, or `never` for no limit
    #[arg(long, value_name = "TIME", default_value = "1d", value_parser = age)]
    pub job_time: Age,
    /// Maximum number of connections; one more closes the connection that has been idle the longest
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// Maximum number of concurrent requests of a client
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub client_requests: u16,
    /// Maximum time without data within a request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub silence: u32,
    /// Time for which finished jobs and their results are kept, such as 7d, 12h, 30m or 90s, or `never` to keep them
    /// forever
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = age)]
    pub keep_jobs: Age,
    /// Maximum bytes of a client's results; beyond this, the oldest jobs are removed, but never the last one
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = memory_size)]
    pub client_results: usize,
    /// Maximum number of a client's finished jobs; beyond this, the oldest ones are removed
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub client_jobs: u64,
    /// Time for which an unfinished upload is kept without progress
    #[arg(long, value_name = "TIME", default_value = "2d", value_parser = age)]
    pub keep_uploads: Age,
    /// Time for which files of ciphertexts that no job uses are kept
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = age)]
    pub keep_ciphertexts: Age,
}

/// Limits of servers and workers that run jobs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct WorkArgs {
    /// Maximum predicted memory of a lookup, including loaded keys; checking a file may take the same amount in
    /// addition [default: two fifths of the machine's memory, or of its container's limit]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// Space that stays free on the disk: uploads and jobs that would use it are refused, and jobs wait
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = memory_size)]
    pub free_bytes: usize,
    /// Seconds that a job runs before another client's job gets its turn
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub turn: u32,
}

/// Time for which something is kept; `None` keeps it forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age(pub Option<Duration>);

fn age(text: &str) -> Result<Age, String> {
    if text == "never" {
        return Ok(Age(None));
    }
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let found = units.into_iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(u64::from(number) * seconds)
    });
    let found = found.filter(|&seconds| seconds > 0);
    let seconds = found.ok_or("it must be a time such as 7d, 12h, 30m or 90s, or never")?;
    Ok(Age(Some(Duration::from_secs(seconds))))
}

/// Action of the operator.
#[derive(Debug, Subcommand)]
pub enum ServeCommand {
    /// Tables that clients may look up
    Table(GroupArgs<TableCommand>),
    /// Clients and their tokens
    Client(GroupArgs<ClientCommand>),
    /// Run jobs of a server's folder until stopped, beside the server and other workers
    Worker(WorkerArgs),
    /// Move the rows of a server's folder from SQLite to PostgreSQL, while no server runs
    Move(MoveArgs),
    /// Check that a server answers; the exit status is 0 if it does, 1 if not
    Health(HealthArgs),
}

/// Arguments of `serve worker`.
#[derive(Args, Debug)]
pub struct WorkerArgs {
    #[command(flatten)]
    pub place: FolderArgs,
    /// PostgreSQL database that the folder uses from now on, as for a server
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// Stop when standard input ends, as it does when the program that started the worker ends
    #[arg(long)]
    pub until_input_ends: bool,
    #[command(flatten)]
    pub work: WorkArgs,
}

/// Arguments of `serve move`.
#[derive(Args, Debug)]
pub struct MoveArgs {
    #[command(flatten)]
    pub place: FolderArgs,
    /// Empty PostgreSQL database, as for a server [default: the variable CRYPTABLE_DATABASE]
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
}

/// Arguments of `serve health`.
#[derive(Args, Debug)]
pub struct HealthArgs {
    /// Address and port of the server
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
}

/// Tables that clients may look up.
#[derive(Debug, Subcommand)]
pub enum TableCommand {
    /// Offer a table, or replace the one with that name; jobs that were accepted before still use the old one
    Add(TableAddArgs),
    /// List all tables
    List(FolderArgs),
    /// Stop offering a table
    Remove(NameArgs),
}

/// Clients and their tokens.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Add a client and print its token, which is shown only once, since only a hash of it is kept
    Add(NameArgs),
    /// Replace a client's token; keys, files and jobs stay
    Renew(NameArgs),
    /// List all clients
    List(FolderArgs),
    /// Remove a client with its keys, files and jobs
    Remove(NameArgs),
}

/// A server's folder.
#[derive(Args, Debug)]
pub struct FolderArgs {
    /// The server's folder
    #[arg(long, value_name = "DIR")]
    pub folder: PathBuf,
}

/// A name in a server's folder.
#[derive(Args, Debug)]
pub struct NameArgs {
    #[command(flatten)]
    pub place: FolderArgs,
    /// Name, made of letters, digits, hyphens, underscores and dots
    #[arg(long, value_name = "NAME")]
    pub name: String,
}

/// Arguments of `serve table add`.
#[derive(Args, Debug)]
pub struct TableAddArgs {
    #[command(flatten)]
    pub named: NameArgs,
    /// Table: .csv with one output per line or lines `input,output`, or .npy
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,
    /// Number of inputs, if the table does not list all [default: the number of its entries]
    #[arg(long, value_name = "P")]
    pub modulus: Option<u64>,
    /// Modulus of outputs [default: that of the inputs, or the least power of two above all outputs]
    #[arg(long, value_name = "P")]
    pub output_modulus: Option<u64>,
    #[command(flatten)]
    pub reading: TableArgs,
}

/// Help of `serve`.
pub const SERVE: &str = "\
Examples:
  cryptable serve table add --folder service --name risk --table risk.csv
  cryptable serve client add --folder service --name hospital
  cryptable serve --folder service --listen 127.0.0.1:8080
  cryptable serve --folder service --memory 20GB --client-queue 4 --threads 8
  cryptable serve --folder service --listen 0.0.0.0:8080 --behind-proxy
  cryptable serve --folder service --keep-jobs 12h --client-results 10GB --keep-uploads 6h
  cryptable serve --folder service --client-objects 1000 --total-bytes 500GB --free-bytes 20GB
  cryptable serve --folder service --no-worker
  cryptable serve worker --folder service --memory 4GB --threads 4
  cryptable serve --folder service --executor ray://10.0.0.7:10001
  cryptable serve move --folder service --database postgres://db/lookups?sslmode=verify-full
  cryptable serve --folder service --page
  cryptable serve --folder service --recover
  cryptable serve health --listen 127.0.0.1:8080
  cryptable serve table list --folder service
  cryptable serve client renew --folder service --name hospital
  cryptable serve client remove --folder service --name hospital

Clients register evaluation keys, send files of ciphertexts, and look them up in the tables: with
`cryptable remote`, with cryptable.Client in Python, or over HTTP as described by GET
/v1/openapi.json. A server that is killed loses no keys and no jobs, and continues when it is
started again. On SIGTERM, it finishes requests before it ends. If a worker ends or is killed,
another one takes over its job. Servers and workers log one line per request and per job to standard
error, as JSON with --json; --quiet logs only warnings and errors.

The folder must be new, empty, or the folder of a server. A server does not start if its folder has
files that the database does not know, or has no database: restore the database, or use --recover.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        assert_eq!(age("90s"), Ok(Age(Some(Duration::from_secs(90)))));
        assert_eq!(age("2d"), Ok(Age(Some(Duration::from_secs(172_800)))));
        assert_eq!(age("never"), Ok(Age(None)));
        for wrong in ["", "7", "0d", "-1d", "d", "1w"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
