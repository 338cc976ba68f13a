//! The grammar of `remote`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::memory::memory_size;

/// Action of a client on a server of `serve`.
#[derive(Debug, Subcommand)]
pub enum RemoteCommand {
    /// List the tables that the server offers
    #[command(after_help = TABLES)]
    Tables(ConnectionArgs),
    /// Send evaluation keys and files of ciphertexts, from where an interrupted upload ended
    #[command(after_help = UPLOAD)]
    Upload(UploadArgs),
    /// List what you keep on the server: keys, files of ciphertexts, jobs
    #[command(after_help = LIST)]
    List(ConnectionArgs),
    /// Have encrypted values looked up in tables of the server
    #[command(after_help = LOOKUP)]
    Lookup(RemoteLookupArgs),
    /// Wait for a job that was ordered before, and fetch its results
    #[command(after_help = FETCH)]
    Fetch(FetchArgs),
    /// Remove keys, files of ciphertexts and jobs from the server; a job that runs is stopped
    #[command(after_help = REMOVE)]
    Remove(RemoveArgs),
}

/// Which server, as whom.
#[derive(Args, Debug)]
pub struct ConnectionArgs {
    /// Address of the server, as https://lookups.example or http://127.0.0.1:8080 [default: that of the variable
    /// CRYPTABLE_SERVER]
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// File with the token that the server's operator gave out [default: that of the variable CRYPTABLE_TOKEN_FILE]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// How long a server that does not answer is tried again
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub patience: u32,
    /// Send the token without TLS to another machine
    #[arg(long)]
    pub plain_http: bool,
}

/// Arguments of `remote upload`.
#[derive(Args, Debug)]
pub struct UploadArgs {
    /// Which server, as whom.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Send files in parts of this size: what an interruption may cost
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = memory_size)]
    pub part: usize,
    /// Evaluation keys and files of ciphertexts
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// Arguments of `remote lookup`.
#[derive(Args, Debug)]
pub struct RemoteLookupArgs {
    /// Which server, as whom.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// The evaluation key, which is sent if the server does not have it [default: the one on the server that the
    /// ciphertexts go with]
    #[arg(long, value_name = "FILE")]
    pub evaluation: Option<PathBuf>,
    /// Name of a table on the server; several go with as many --output, in this order
    #[arg(long = "table", value_name = "NAME", required = true)]
    pub tables: Vec<String>,
    /// The ciphertexts
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// Destination of results.
    #[command(flatten)]
    pub results: ResultArgs,
    /// Order the job, say which it is, and do not wait: `remote fetch` does
    #[arg(long, conflicts_with_all = ["outputs", "keep"])]
    pub detach: bool,
}

/// Where results go.
#[derive(Args, Debug)]
pub struct ResultArgs {
    /// File for the results, one for each table
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,
    /// Leave job, results and ciphertexts on the server, until they expire there
    #[arg(long)]
    pub keep: bool,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `remote fetch`.
#[derive(Args, Debug)]
pub struct FetchArgs {
    /// Which server, as whom.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// The job, or the first digits of its identifier
    #[arg(long, value_name = "ID")]
    pub job: String,
    /// Destination of results.
    #[command(flatten)]
    pub results: ResultArgs,
}

/// Arguments of `remote remove`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub struct RemoveArgs {
    /// Which server, as whom.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// A job, or the first digits of its identifier
    #[arg(long = "job", value_name = "ID", group = "what")]
    pub jobs: Vec<String>,
    /// An evaluation key, by its SHA-256 digest or the first digits of it
    #[arg(long = "key", value_name = "SHA256", group = "what")]
    pub keys: Vec<String>,
    /// A file of ciphertexts, by its SHA-256 digest or the first digits of it
    #[arg(long = "ciphertext", value_name = "SHA256", group = "what")]
    pub ciphertexts: Vec<String>,
}

/// Help of `remote`.
pub const OVERVIEW: &str = "\
Examples:
  export CRYPTABLE_SERVER=https://lookups.example CRYPTABLE_TOKEN_FILE=token
  cryptable remote tables
  cryptable keygen --bits 7 --secret client.key --evaluation server.key
  cryptable remote upload server.key
  cryptable encrypt --secret client.key --input ages.csv --output ages.ct
  cryptable remote lookup --table risk --input ages.ct --output risk.ct
  cryptable decrypt --secret client.key --input risk.ct --output risk.csv

Nothing secret leaves this machine but the token. What is interrupted goes on when the same command is
run again: parts of an upload that the server has are not sent again. A server that does not answer is
tried for a while.

Exit status: 1 what is wrong is here, 2 usage, 3 the server refuses, 4 it cannot be reached, 5 the job
failed.";

const TABLES: &str = "\
Examples:
  cryptable remote tables --server http://127.0.0.1:8080 --token-file token
  cryptable --json remote tables";

const UPLOAD: &str = "\
Examples:
  cryptable remote upload --server http://127.0.0.1:8080 --token-file token server.key
  cryptable remote upload server.key ages.ct

Files are named by their SHA-256 digests on the server. Secret keys are refused before a byte is sent.";

const LIST: &str = "\
Examples:
  cryptable remote list
  cryptable --json remote list";

const LOOKUP: &str = "\
Examples:
  cryptable remote lookup --server http://127.0.0.1:8080 --token-file token --table risk \\
    --input ages.ct --output risk.ct
  cryptable remote lookup --evaluation server.key --table risk --input ages.ct --output risk.ct
  cryptable remote lookup --table tens --table ones --input ages.ct --output tens.ct --output ones.ct
  cryptable remote lookup --table risk --input ages.ct --detach

If this program ends while it waits, the job goes on: `remote fetch` fetches its results. When they
are here, job and ciphertexts are removed from the server, unless --keep says otherwise.";

const FETCH: &str = "\
Examples:
  cryptable remote fetch --job 3f9c --output risk.ct";

const REMOVE: &str = "\
Examples:
  cryptable remote remove --job 3f9c
  cryptable remote remove --key 4c1d --ciphertext 9f0a";
