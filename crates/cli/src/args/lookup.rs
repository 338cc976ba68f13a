//! The grammar of `lookup`.

use std::path::PathBuf;

use clap::Args;

use super::common::{MemoryArgs, choice};
use crate::formats::domain::Signs;

/// Reading options of a table.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct TableArgs {
    /// Output for all inputs that a table with lines `input,output` does not list [default: such inputs are errors]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub default: Option<String>,
    /// Read inputs and outputs of the table as -P/2 .. P/2 - 1 instead of 0 .. P - 1, for moduli P; --signed=inputs and
    /// --signed=outputs do so for one of them only
    #[arg(long, value_name = "COLUMNS", num_args = 0..=1, require_equals = true,
        default_missing_value = "both", conflicts_with_all = ["dictionary", "output_dictionary"],
        value_parser = choice([
            ("both", "Inputs and outputs", Signs::both(true)),
            ("inputs", "Inputs only", Signs { inputs: true, outputs: false }),
            ("outputs", "Outputs only", Signs { inputs: false, outputs: true }),
        ]))]
    pub signed: Option<Signs>,
    /// Treat the first line of a CSV table as a header [default: if it has words instead of numbers]
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// Read the first line of a CSV table as data
    #[arg(long)]
    pub no_header: bool,
    /// Code book (.json or .csv) for a table whose inputs are words
    #[arg(long, value_name = "FILE")]
    pub dictionary: Option<PathBuf>,
    /// Code book for a table whose outputs are words; may be the same as --dictionary
    #[arg(long, value_name = "FILE")]
    pub output_dictionary: Option<PathBuf>,
    /// Add new words of the outputs to the output dictionary, or create it
    #[arg(long, requires = "output_dictionary")]
    pub extend: bool,
}

impl TableArgs {
    /// Returns the signed columns.
    pub fn signs(&self) -> Signs {
        self.signed.unwrap_or_default()
    }

    /// Returns whether tables have a header, if stated.
    pub fn stated_header(&self) -> Option<bool> {
        (self.header || self.no_header).then_some(self.header)
    }
}

/// Arguments of `lookup`.
#[derive(Args, Debug)]
pub struct LookupArgs {
    /// Server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Table: .csv with one output per line or lines `input,output`, .npy, or an encrypted table; may be repeated, with
    /// one --output per table in the same order
    #[arg(long = "table", value_name = "FILE", required = true)]
    pub tables: Vec<PathBuf>,
    /// File with the imaginary parts of outputs, one per --table, which then has the real parts; results hold both, for
    /// `decrypt --imaginary`; requires keys from keygen --complex-outputs
    #[arg(long = "imaginary", value_name = "FILE", conflicts_with_all = ["per_value", "compress", "resume"])]
    pub imaginary: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: TableArgs,
    /// Read one table per value: each line, or row of a .npy array, is the table of one value, with an output for every
    /// input; requires keys from keygen --table-kind per-value
    #[arg(long, conflicts_with_all = ["default", "dictionary", "output_dictionary", "resume"])]
    pub per_value: bool,
    /// File of ciphertexts; for tables of several variables x, y, ..., one file per variable in this order, from
    /// encrypt --modulus X, --modulus Y, ...; the input of the tables is then x + X·y + ...
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// File for the results; one per table
    #[arg(long = "output", value_name = "FILE", required = true)]
    pub outputs: Vec<PathBuf>,
    /// Compress results, which can then only be decrypted: packed ones to half their size or less, leveled ones to a
    /// hundredth or less
    #[arg(long)]
    pub compress: bool,
    /// Rerandomize packed results with this public key of the client, so that nobody but the client can tell which
    /// ciphertexts they were computed from
    #[cfg(feature = "client")]
    #[arg(long, value_name = "FILE")]
    pub rerandomize: Option<PathBuf>,
    /// Keep finished ciphertexts in OUTPUT.partial (of the first output) until all are finished, and resume an
    /// interrupted lookup; single values are kept in groups of 1,024, leveled values in groups of 64
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Help of `lookup`.
pub const LOOKUP: &str = "\
Examples:
  cryptable lookup --evaluation server.key --table table.csv --input values.ct --output result.ct
  cryptable lookup --threads 8 --evaluation server.key --table table.npy --input a.ct \\
    --output b.ct
  cryptable lookup --evaluation server.key --table risks.csv --default 0 --input a.ct \\
    --output b.ct
  cryptable lookup --compress --evaluation server.key --table t.csv --input v.ct --output r.ct
  cryptable lookup --resume --evaluation server.key --table t.csv --input many.ct --output r.ct
  cryptable lookup --evaluation server.key --input a.ct --table tens.csv --output tens.ct \\
    --table ones.csv --output ones.ct
  cryptable lookup --evaluation server.key --per-value --table rows.npy --input a.ct --output b.ct
  cryptable lookup --evaluation server.key --table tariff.csv --input hours.ct --input zones.ct \\
    --output price.ct
  cryptable lookup --evaluation server.key --table re.csv --imaginary im.csv --input a.ct \\
    --output z.ct

A table has one output for every input 0, 1, ... below the input modulus. In a CSV file, each line
is either an output, in the order of the inputs, or `input,output`, in any order. Use --signed if
values were encrypted with --signed; results of signed outputs are decrypted as signed. An encrypted
table does not record whether it is signed, so use --signed for it, too.

One lookup in several tables takes less time than several lookups, unless tables are per value or
encrypted.";
