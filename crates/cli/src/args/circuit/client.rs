//! The grammar of what a client of circuits does.

use std::path::PathBuf;

use clap::Args;

use cryptable::circuits::NamedSet;
use cryptable::circuits::aes::SBox;

use super::{NetlistArgs, ScheduleArgs, named_set, s_box};
use crate::args::CsvArgs;
use crate::args::memory::memory_size;

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

/// Arguments of `circuit keygen`.
#[derive(Args, Debug)]
pub struct CircuitKeygenArgs {
    /// The parameter set
    #[arg(long, value_name = "SET", value_parser = named_set(), required_unless_present_any = ["insecure_toy", "circuit"])]
    pub set: Option<NamedSet>,
    /// Take the set that is the fastest for this circuit: a netlist, or the name of a circuit of this program
    #[arg(long = "for", value_name = "NETLIST", conflicts_with = "set")]
    pub circuit: Option<PathBuf>,
    /// How AES evaluates its S-box [default: tables]
    #[arg(long, value_name = "FORM", requires = "circuit", value_parser = s_box())]
    pub s_box: Option<SBox>,
    /// Words that it is to run on [default: what one ciphertext holds]
    #[arg(long, value_name = "COUNT", requires = "circuit", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub words: Option<u64>,
    /// The most memory that it may take on the server, keys included, as `6GB`
    #[arg(long, value_name = "SIZE", requires = "circuit", value_parser = memory_size)]
    pub memory: Option<usize>,
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
    #[arg(long, hide = true, conflicts_with_all = ["set", "circuit"])]
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
    /// Encrypt with all levels, for schedules of any memory and failure probability: larger files
    #[arg(long)]
    pub all_levels: bool,
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
  cryptable circuit keygen --for adder.blif --memory 4GB --secret bits.secret --evaluation bits.server

Keys serve every circuit; circuit plan says which set suits one. The secret key file is readable by its
owner only.";

/// Help of `circuit encrypt`.
pub const ENCRYPT: &str = "\
Examples:
  cryptable circuit encrypt adder.blif --secret bits.secret --input words.csv --output words.ct

A line of the file is a word of every input: unsigned integers, decimal or hexadecimal (0x1f), between commas,
semicolons, tabs or spaces. Every bit is encrypted with as few levels as the circuit needs of it, so that a file is for
one circuit; --all-levels makes files for any. A header line names the inputs, in any order; without one, they are in the order of the
netlist.";

/// Help of `circuit decrypt`.
pub const DECRYPT: &str = "\
Examples:
  cryptable circuit decrypt --secret bits.secret --input sums.ct --output sums.csv";
