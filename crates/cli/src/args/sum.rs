//! The grammar of `sum`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `sum`.
#[derive(Args, Debug)]
pub struct SumArgs {
    /// The server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// The ciphertexts, a file a term: as many values each, encrypted alike
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Factor of each term, in the order of the inputs [default: 1 each]
    #[arg(long = "factor", value_name = "INTEGER", allow_negative_numbers = true)]
    pub factors: Vec<i64>,
    /// The sums are signed, as differences of unsigned values are [default: if the terms are]
    #[arg(long)]
    pub signed: bool,
    /// File for the sums
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Help of `sum`.
pub const SUM: &str = "\
Examples:
  cryptable sum --evaluation server.key --input a.ct --input b.ct --output sum.ct
  cryptable sum --evaluation server.key --input a.ct --input b.ct --factor 1 --factor -1 --output d.ct
  cryptable sum --evaluation server.key --input a.ct --factor 3 --output triple.ct

Adds value to value, modulo the modulus of the values. Noise adds up, too: what would decrypt wrong
too often is refused; `plan` says how many terms there may be. Leveled values have no sums.";
