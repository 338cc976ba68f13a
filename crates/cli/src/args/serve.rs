//! The grammar of `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::GroupArgs;
use super::lookup::TableArgs;
use super::memory::memory_size;

/// Arguments of `serve`: those of a server that starts, or a command of its operator.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ServeArgs {
    /// Action of the operator, while a server runs or not.
    #[command(subcommand)]
    pub command: Option<ServeCommand>,
    /// Where everything is kept: keys, files, jobs, tables, clients
    #[arg(long, value_name = "DIR", required = true)]
    pub folder: Option<PathBuf>,
    /// Address and port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// A proxy in front speaks TLS: allows addresses other than the loopback
    #[arg(long)]
    pub behind_proxy: bool,
    /// Move files that the folder's database does not know to lost/ there, and begin a new database where it is gone
    #[arg(long)]
    pub recover: bool,
    /// Limits for clients.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Limits for clients; a request beyond one is refused with its name and value.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Largest file of an evaluation key
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = memory_size)]
    pub key_bytes: usize,
    /// Largest file of ciphertexts
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = memory_size)]
    pub ciphertext_bytes: usize,
    /// All keys, files and results of a client
    #[arg(long, value_name = "SIZE", default_value = "256GiB", value_parser = memory_size)]
    pub client_bytes: usize,
    /// Keys, files and results of a client, each of which counts 4 KiB at least
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub client_objects: u64,
    /// All keys, files and results of all clients [default: as much as the disk has room for]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub total_bytes: Option<usize>,
    /// Space that stays free on the disk: uploads and jobs that would use it are refused, and jobs wait
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = memory_size)]
    pub free_bytes: usize,
    /// Jobs that wait or run
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub queue: u64,
    /// Jobs of a client that wait or run
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub client_queue: u64,
    /// Unfinished uploads of a client
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub client_uploads: u64,
    /// Tables of a job
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub job_tables: u64,
    /// Memory of a lookup as predicted, its key and other loaded ones included; a file that is checked may take as much
    /// beside it [default: two fifths of what the machine has, or of its container's limit]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// Longest time that a job may take as predicted: 1d, 12h, 30m, 90s or never to take any
    #[arg(long, value_name = "TIME", default_value = "1d", value_parser = age)]
    pub job_time: Age,
    /// How long a job runs before another client's has its turn, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub turn: u32,
    /// Connections at a time; for one more, that which holds no client's request for longest ends
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// Requests of a client at a time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub client_requests: u16,
    /// Longest silence within a request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub silence: u32,
    /// How long jobs and their results are kept after their end: 7d, 12h, 30m, 90s or never to remove them
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = age)]
    pub keep_jobs: Age,
    /// Results of a client; what is beyond goes, the oldest jobs first, but never the last
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = memory_size)]
    pub client_results: usize,
    /// Jobs of a client that ended; of more, the oldest go
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub client_jobs: u64,
    /// How long an unfinished upload is kept to which nothing comes
    #[arg(long, value_name = "TIME", default_value = "2d", value_parser = age)]
    pub keep_uploads: Age,
    /// How long files of ciphertexts are kept that no job uses
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = age)]
    pub keep_ciphertexts: Age,
}

/// How long something is kept; none is for ever.
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
    let seconds = found.ok_or("a time is as 7d, 12h, 30m or 90s, or never")?;
    Ok(Age(Some(Duration::from_secs(seconds))))
}

/// Action of the operator.
#[derive(Debug, Subcommand)]
pub enum ServeCommand {
    /// Tables that clients may look up
    Table(GroupArgs<TableCommand>),
    /// Clients and their tokens
    Client(GroupArgs<ClientCommand>),
}

/// Tables that clients may look up.
#[derive(Debug, Subcommand)]
pub enum TableCommand {
    /// Offer a table, or replace the one of that name; jobs that were accepted before keep theirs
    Add(TableAddArgs),
    /// List all tables
    List(FolderArgs),
    /// Offer a table no more
    Remove(NameArgs),
}

/// Clients and their tokens.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Add a client and print its token, once: only a hash is kept
    Add(NameArgs),
    /// Give a client a new token in place of the one it has; keys, files and jobs stay
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
    /// Where.
    #[command(flatten)]
    pub place: FolderArgs,
    /// The name: letters, digits, - _ and .
    #[arg(long, value_name = "NAME")]
    pub name: String,
}

/// A table that is added.
#[derive(Args, Debug)]
pub struct TableAddArgs {
    /// Where, and as what.
    #[command(flatten)]
    pub named: NameArgs,
    /// The table: .csv with one output a line or lines `input,output`, or .npy
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,
    /// Number of inputs, if the table leaves some out [default: that of its entries]
    #[arg(long, value_name = "P")]
    pub modulus: Option<u64>,
    /// Modulus of outputs [default: that of inputs, or the next power of two that holds all]
    #[arg(long, value_name = "P")]
    pub output_modulus: Option<u64>,
    /// How it is read.
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
  cryptable serve --folder service --recover
  cryptable serve table list --folder service
  cryptable serve client renew --folder service --name hospital
  cryptable serve client remove --folder service --name hospital

Clients register evaluation keys, send files of ciphertexts, and have them looked up in the tables:
with `cryptable remote`, cryptable.Client in Python, or over HTTP as GET /v1/openapi.json says. A
server that is killed has lost no key and no job; started again, it goes on. One that is told to end by
SIGTERM lets requests end first. It logs a line per request and per job to standard error, as JSON with
--json; --quiet leaves warnings and errors.

A folder is a new or empty one, or a server's. A server whose folder has files that its database does not
know, or has lost its database, does not start: put the database back, or see --recover.";

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
