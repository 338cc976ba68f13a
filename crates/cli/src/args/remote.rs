//! The grammar of `remote`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common::memory_size;

/// Action of a client on a server of `serve`.
#[derive(Debug, Subcommand)]
pub enum RemoteCommand {
    /// List the tables that the server offers
    #[command(after_help = TABLES)]
    Tables(ConnectionArgs),
    /// Send keys and files of ciphertexts, and resume interrupted uploads; public keys are published to all clients
    #[command(after_help = UPLOAD)]
    Upload(UploadArgs),
    /// List your keys, files of ciphertexts and jobs on the server, and the public keys of all clients
    #[command(after_help = LIST)]
    List(ConnectionArgs),
    /// Look up encrypted values in tables of the server
    #[command(after_help = LOOKUP)]
    Lookup(RemoteLookupArgs),
    /// Wait for an earlier job and fetch its results, or fetch a public key that a client publishes
    #[command(after_help = FETCH)]
    Fetch(FetchArgs),
    /// Remove keys, files of ciphertexts and jobs from the server; running jobs are stopped
    #[command(after_help = REMOVE)]
    Remove(RemoveArgs),
}

/// Server and token.
#[derive(Args, Debug)]
pub struct ConnectionArgs {
    /// Address of the server, such as https://lookups.example or http://127.0.0.1:8080 [default: the variable
    /// CRYPTABLE_SERVER]
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// File with the token from the server's operator [default: the variable CRYPTABLE_TOKEN_FILE]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Time in seconds for which requests are retried if the server does not answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub patience: u32,
    /// Allow sending the token to another machine without TLS
    #[arg(long)]
    pub plain_http: bool,
}

/// Arguments of `remote upload`.
#[derive(Args, Debug)]
pub struct UploadArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Size of the parts in which files are sent; an interruption costs at most one part
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = memory_size)]
    pub part: usize,
    /// Send files of ciphertexts for another client, whose public key encrypted them
    #[arg(long = "for", value_name = "CLIENT")]
    pub recipient: Option<String>,
    /// Evaluation keys, public keys and files of ciphertexts
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// Arguments of `remote lookup`.
#[derive(Args, Debug)]
pub struct RemoteLookupArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Evaluation key, which is sent if the server does not have it [default: the one on the server that fits the
    /// ciphertexts]
    #[arg(long, value_name = "FILE")]
    pub evaluation: Option<PathBuf>,
    /// Evaluation key of bits of several owners, which is sent if the server does not have it; results are then for all
    /// of them to decrypt together, with `decrypt`
    #[arg(long, value_name = "FILE")]
    pub bits_evaluation: Option<PathBuf>,
    /// Name of a table on the server; may be repeated, with one --output per table in the same order
    #[arg(long = "table", value_name = "NAME", required = true)]
    pub tables: Vec<String>,
    /// File of ciphertexts
    #[arg(long, value_name = "FILE", required_unless_present = "ciphertext")]
    pub input: Option<PathBuf>,
    /// SHA-256 digest, or its first digits, of a file of ciphertexts on the server, such as one that another client
    /// contributed; it stays there
    #[arg(long, value_name = "SHA256", conflicts_with = "input")]
    pub ciphertext: Option<String>,
    #[command(flatten)]
    pub results: ResultArgs,
    /// Start the job and print its identifier without waiting; `remote fetch` waits
    #[arg(long, conflicts_with_all = ["outputs", "keep"])]
    pub detach: bool,
}

/// Destination of results.
#[derive(Args, Debug)]
pub struct ResultArgs {
    /// File for the results; one per table
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,
    /// Keep job, results and ciphertexts on the server until they expire
    #[arg(long)]
    pub keep: bool,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `remote fetch`.
#[derive(Args, Debug)]
pub struct FetchArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Identifier of the job, or its first digits
    #[arg(long, value_name = "ID", required_unless_present = "public_key")]
    pub job: Option<String>,
    /// Name of a client whose public key is fetched, or the first digits of the key's digest
    #[arg(long, value_name = "CLIENT", conflicts_with_all = ["job", "keep"])]
    pub public_key: Option<String>,
    #[command(flatten)]
    pub results: ResultArgs,
}

/// Arguments of `remote remove`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub struct RemoveArgs {
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Identifier of a job, or its first digits
    #[arg(long = "job", value_name = "ID", group = "what")]
    pub jobs: Vec<String>,
    /// SHA-256 digest of an evaluation key, or its first digits
    #[arg(long = "key", value_name = "SHA256", group = "what")]
    pub keys: Vec<String>,
    /// SHA-256 digest of a file of ciphertexts, or its first digits
    #[arg(long = "ciphertext", value_name = "SHA256", group = "what")]
    pub ciphertexts: Vec<String>,
    /// SHA-256 digest of a public key, or its first digits
    #[arg(long = "public-key", value_name = "SHA256", group = "what")]
    pub public_keys: Vec<String>,
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

No secret but the token leaves this machine. Run an interrupted command again to resume it: parts of
an upload that the server has are not sent again. If the server does not answer, requests are
retried for the seconds of --patience.

Exit status: 1 error on this machine, 2 usage, 3 refused by the server, 4 server unreachable, 5 job
failed.";

const TABLES: &str = "\
Examples:
  cryptable remote tables --server http://127.0.0.1:8080 --token-file token
  cryptable --json remote tables";

const UPLOAD: &str = "\
Examples:
  cryptable remote upload --server http://127.0.0.1:8080 --token-file token server.key
  cryptable remote upload server.key ages.ct
  cryptable remote upload public.key
  cryptable remote upload --for clinic ages.ct

The server names files by their SHA-256 digests. Secret keys are refused before a byte is sent.";

const LIST: &str = "\
Examples:
  cryptable remote list
  cryptable --json remote list";

const LOOKUP: &str = "\
Examples:
  cryptable remote lookup --server http://127.0.0.1:8080 --token-file token --table risk \\
    --input ages.ct --output risk.ct
  cryptable remote lookup --evaluation server.key --table risk --input ages.ct --output risk.ct
  cryptable remote lookup --table tens --table ones --input ages.ct --output tens.ct \\
    --output ones.ct
  cryptable remote lookup --table risk --input ages.ct --detach
  cryptable remote lookup --table risk --ciphertext 9f0a --output risk.ct
  cryptable remote lookup --bits-evaluation bits.key --table risk --ciphertext 9f0a \\
    --output risk.joint

If this program ends while it waits, the job continues, and `remote fetch` fetches its results. Once
the results have arrived, the job and its ciphertexts are removed from the server, unless --keep is
given.";

const FETCH: &str = "\
Examples:
  cryptable remote fetch --job 3f9c --output risk.ct
  cryptable remote fetch --public-key clinic --output public.key

Only the server says who owns a public key. Before you encrypt with it, ask its owner over another
channel whether the printed identifier is theirs.";

const REMOVE: &str = "\
Examples:
  cryptable remote remove --job 3f9c
  cryptable remote remove --key 4c1d --ciphertext 9f0a";
