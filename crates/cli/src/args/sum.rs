//! The grammar of `sum`.

use std::path::PathBuf;

use clap::Args;

use super::common::OutputArgs;

/// Arguments of `sum`.
#[derive(Args, Debug)]
pub struct SumArgs {
    /// Server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// File of ciphertexts, one per term; all must hold the same number of values, encrypted in the same way
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Factor of each term, in the order of the inputs [default: 1 each]
    #[arg(long = "factor", value_name = "INTEGER", allow_negative_numbers = true)]
    pub factors: Vec<i64>,
    /// Mark the sums as signed, for example for differences of unsigned values [default: if the terms are signed]
    #[arg(long)]
    pub signed: bool,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Help of `sum`.
pub const SUM: &str = "\
Examples:
  cryptable sum --evaluation server.key --input a.ct --input b.ct --output sum.ct
  cryptable sum --evaluation server.key --input a.ct --input b.ct --factor 1 --factor -1 \\
    --output d.ct
  cryptable sum --evaluation server.key --input a.ct --factor 3 --output triple.ct

Adds values position by position, modulo their modulus. Noise adds up, too: sums that would be wrong
too often when decrypted are refused, and `plan` shows the maximum number of terms. Leveled values
cannot be added.";
