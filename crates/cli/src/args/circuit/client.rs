//! The grammar of the client's commands for circuits.

use std::path::PathBuf;

use clap::Args;

use cryptable::bits::NamedSet;

use super::{NetlistArgs, ScheduleArgs, named_set};
use crate::args::CsvArgs;

/// Arguments of `circuit test`.
#[derive(Args, Debug)]
pub struct CircuitTestArgs {
    #[command(flatten)]
    pub circuit: NetlistArgs,
    /// File of words: one line per word, one column per input
    #[arg(long, value_name = "FILE")]
    pub inputs: PathBuf,
    #[command(flatten)]
    pub csv: CsvArgs,
    /// Parameter set [default: the fastest for the number of words]
    #[arg(long, value_name = "SET", value_parser = named_set())]
    pub set: Option<NamedSet>,
    /// File for the decrypted results, readable by its owner only
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
    /// INSECURE parameters, for tests of this program
    #[arg(long, hide = true, conflicts_with = "set")]
    pub insecure_toy: bool,
}

/// Help of `circuit test`.
pub const TEST: &str = "\
Examples:
  cryptable circuit test adder.blif --inputs words.csv
  cryptable circuit test multiply32 --inputs words.csv --set throughput --output products.csv

Every result is compared with the circuit in the clear. Only --output is written.";
