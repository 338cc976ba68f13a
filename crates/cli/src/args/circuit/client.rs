//! The grammar of what a client of circuits does.

use std::path::PathBuf;

use clap::Args;

use super::{NetlistArgs, ScheduleArgs, SetArg};
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
    #[arg(long, value_enum)]
    pub set: Option<SetArg>,
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

/// Arguments of `circuit keygen`.
#[derive(Args, Debug)]
pub struct CircuitKeygenArgs {
    /// The parameter set
    #[arg(long, value_enum, required_unless_present = "insecure_toy")]
    pub set: Option<SetArg>,
    /// File for the secret key, which stays with the client
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// File for the evaluation key, which goes to the server
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Replace existing key files
    #[arg(long)]
    pub force: bool,
    /// INSECURE parameters, for tests of this program
    #[arg(long, hide = true, conflicts_with = "set")]
    pub insecure_toy: bool,
}

/// Arguments of `circuit encrypt`.
#[derive(Args, Debug)]
pub struct CircuitEncryptArgs {
    /// Which circuit.
    #[command(flatten)]
    pub circuit: NetlistArgs,
    /// The client's secret key
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// A file of words: a line each, a column an input
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// How the file is read.
    #[command(flatten)]
    pub csv: CsvArgs,
    /// File for the encrypted words
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `circuit decrypt`.
#[derive(Args, Debug)]
pub struct CircuitDecryptArgs {
    /// The client's secret key
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// The encrypted words
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// File for the words, as CSV with a column an output, for its owner only
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Help of `circuit test`.
pub const TEST: &str = "\
Examples:
  cryptable circuit test adder.blif --inputs words.csv
  cryptable circuit test multiply32 --inputs words.csv --set throughput --output products.csv

Every result is compared with the circuit in the clear. Nothing but --output is written.";

/// Help of `circuit keygen`.
pub const KEYGEN: &str = "\
Examples:
  cryptable circuit keygen --set balanced --secret bits.secret --evaluation bits.server

Keys serve every circuit; circuit plan says which set suits one. The secret key file is readable by its
owner only.";

/// Help of `circuit encrypt`.
pub const ENCRYPT: &str = "\
Examples:
  cryptable circuit encrypt adder.blif --secret bits.secret --input words.csv --output words.ct

A line of the file is a word of every input: unsigned integers, decimal or hexadecimal (0x1f), between commas,
semicolons, tabs or spaces. A header line names the inputs, in any order; without one, they are in the order of the
netlist.";

/// Help of `circuit decrypt`.
pub const DECRYPT: &str = "\
Examples:
  cryptable circuit decrypt --secret bits.secret --input sums.ct --output sums.csv";
