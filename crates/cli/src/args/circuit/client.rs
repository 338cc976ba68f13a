//! The grammar of what a client of circuits does.

use std::path::PathBuf;

use clap::Args;

use cryptable::bits::NamedSet;

use super::{NetlistArgs, ScheduleArgs, named_set};
use crate::args::CsvArgs;

/// Arguments of `circuit test`.
#[derive(Args, Debug)]
pub struct CircuitTestArgs {
    /// Which circuit.
    #[command(flatten)]
    pub circuit: NetlistArgs,
    /// A file of words: a line each, a column an input
    #[arg(long, value_name = "FILE")]
    pub inputs: PathBuf,
    /// How the file is read.
    #[command(flatten)]
    pub csv: CsvArgs,
    /// The parameter set [default: the fastest for the words]
    #[arg(long, value_name = "SET", value_parser = named_set())]
    pub set: Option<NamedSet>,
    /// File for the decrypted results, for its owner only
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How it runs.
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// Replace an output that exists and is a key or read-only
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

Every result is compared with the circuit in the clear. Nothing but --output is written.";
