//! The grammar of `lookup`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::memory::MemoryArgs;
use crate::formats::domain::Signs;

/// How a table is read.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct TableArgs {
    /// Output for all inputs that a table of lines `input,output` leaves out [default: they are
    /// errors]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub default: Option<String>,
    /// Inputs and outputs of the table are -P/2 .. P/2 - 1 instead of 0 .. P - 1, for moduli P; or one of
    /// both: --signed=inputs, --signed=outputs
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, require_equals = true,
        default_missing_value = "both", conflicts_with_all = ["dictionary", "output_dictionary"])]
    pub signed: Option<SignedColumns>,
    /// The first line of a table in CSV is a header [default: if it has words instead of numbers]
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first line of a table in CSV is none
    #[arg(long)]
    pub no_header: bool,
    /// Inputs of the table are words of this code book (.json or .csv)
    #[arg(long, value_name = "FILE")]
    pub dictionary: Option<PathBuf>,
    /// Outputs of the table are words of this code book, which may be the same
    #[arg(long, value_name = "FILE")]
    pub output_dictionary: Option<PathBuf>,
    /// Add new words of the outputs to the output dictionary, or start one
    #[arg(long, requires = "output_dictionary")]
    pub extend: bool,
}

/// Columns of a table that are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SignedColumns {
    /// Inputs and outputs
    Both,
    /// Inputs alone
    Inputs,
    /// Outputs alone
    Outputs,
}

impl TableArgs {
    /// Which columns are signed.
    pub fn signs(&self) -> Signs {
        let is = |column| self.signed == Some(SignedColumns::Both) || self.signed == Some(column);
        Signs { inputs: is(SignedColumns::Inputs), outputs: is(SignedColumns::Outputs) }
    }
}

/// Arguments of `lookup`.
#[derive(Args, Debug)]
pub struct LookupArgs {
    /// The server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// The table: .csv with one output a line or lines `input,output`, or .npy, or what encrypt-table wrote;
    /// several --table go with as many --output, in this order
    #[arg(long = "table", value_name = "FILE", required = true)]
    pub tables: Vec<PathBuf>,
    /// How they are read.
    #[command(flatten)]
    pub reading: TableArgs,
    /// Every value has a table of its own: each line, or row of a .npy array, is that of a value, with an output for every
    /// input; needs keys of keygen --table-kind per-value
    #[arg(long, conflicts_with_all = ["default", "dictionary", "output_dictionary", "resume"])]
    pub per_value: bool,
    /// The ciphertexts
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// File for the results, one for each table
    #[arg(long = "output", value_name = "FILE", required = true)]
    pub outputs: Vec<PathBuf>,
    /// Keep finished ciphertexts in OUTPUT.partial (of the first output) until all are, and go on where
    /// an interrupted lookup ended; of single values 1,024 together, of leveled ones 64
    #[arg(long)]
    pub resume: bool,
    /// Memory limit.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Help of `lookup`.
pub const LOOKUP: &str = "\
Examples:
  cryptable lookup --evaluation server.key --table table.csv --input values.ct --output result.ct
  cryptable lookup --threads 8 --evaluation server.key --table table.npy --input a.ct --output b.ct
  cryptable lookup --evaluation server.key --table risks.csv --default 0 --input a.ct --output b.ct
  cryptable lookup --resume --evaluation server.key --table t.csv --input many.ct --output r.ct
  cryptable lookup --evaluation server.key --input a.ct --table tens.csv --output tens.ct \\
    --table ones.csv --output ones.ct
  cryptable lookup --evaluation server.key --per-value --table rows.npy --input a.ct --output b.ct

A table has one output for every input 0, 1, ... below the input modulus. In a CSV file, either
each line is an output, in the order of the inputs, or each line is `input,output`, in any order.
Values that were encrypted with --signed are looked up with --signed, and results of signed outputs
are decrypted as such. An encrypted table does not say whether it is signed: --signed says so.

Several tables in one lookup take less time than as many lookups, unless every value has its own
or they are encrypted.";
