//! The grammar of `cryptable circuit`.

#[cfg(feature = "client")]
mod client;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use cryptable::bits::NamedSet;
use cryptable::circuits::aes::SBox;

#[cfg(feature = "client")]
pub use self::client::CircuitTestArgs;
use super::memory::memory_size;
use super::parameters::log2_fail;

/// Binary circuits on encrypted words.
#[derive(Debug, Subcommand)]
pub enum CircuitCommand {
    /// Run a circuit on words of a file, client and server in one process, and check every result
    #[cfg(feature = "client")]
    #[command(after_help = client::TEST)]
    Test(CircuitTestArgs),
    /// Run a circuit on encrypted words; needs no secret
    #[command(after_help = RUN)]
    Run(CircuitRunArgs),
}

/// Which circuit.
#[derive(Args, Debug)]
pub struct NetlistArgs {
    /// A netlist: .blif, or .json as Yosys writes it; or a circuit of this program: add32, compare32, multiply32, aes128, aes128-expanded-key
    #[arg(value_name = "NETLIST")]
    pub netlist: PathBuf,
    /// The module, if the netlist has several and marks none
    #[arg(long, value_name = "NAME")]
    pub top: Option<String>,
    /// How AES evaluates its S-box [default: tables]
    #[arg(long, value_name = "FORM", value_parser = s_box())]
    pub s_box: Option<SBox>,
}

/// A form of the S-box by its name.
pub(super) fn s_box() -> impl TypedValueParser<Value = SBox> {
    let names = PossibleValuesParser::new([
        PossibleValue::new("tables").help("tables of eight bits"),
        PossibleValue::new("gates").help("gates of two bits: the circuit of Boyar and Peralta"),
    ]);
    names.map(|name| if name == "gates" { SBox::BoyarPeralta } else { SBox::Tables })
}

/// How a circuit runs.
#[derive(Args, Clone, Copy, Debug)]
pub struct ScheduleArgs {
    /// Operations at once: each of them works on all threads, and takes memory of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: u16,
    /// The most memory that it may take, keys included, as `6GB`
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// log2 of the largest probability that any output of any word of a ciphertext is wrong
    #[arg(long, value_name = "L", allow_hyphen_values = true, default_value = "-64", value_parser = log2_fail)]
    pub log2_fail: f64,
}

/// A parameter set by its name. All have 128 bits of security.
fn named_set() -> impl TypedValueParser<Value = NamedSet> {
    let shown = |set: NamedSet| PossibleValue::new(set.name()).help(set.description());
    let names = PossibleValuesParser::new(NamedSet::ALL.map(shown));
    names.map(|name| NamedSet::by_name(&name).expect("a name of the list"))
}

/// Requirements for keys of circuits.
#[derive(Args, Debug)]
pub struct CircuitJobArgs {
    /// A netlist: .blif, or .json as Yosys writes it; or a circuit of this program: add32, compare32, multiply32, aes128,
    /// aes128-expanded-key; keygen needs none with --set
    #[arg(value_name = "NETLIST", required_unless_present_any = ["set", "insecure_toy"])]
    pub netlist: Option<PathBuf>,
    /// The module, if the netlist has several and marks none
    #[arg(long, value_name = "NAME", requires = "netlist")]
    pub top: Option<String>,
    /// How AES evaluates its S-box [default: tables]
    #[arg(long, value_name = "FORM", requires = "netlist", value_parser = s_box())]
    pub s_box: Option<SBox>,
    /// The parameter set [default: all are compared]
    #[arg(long, value_name = "SET", value_parser = named_set())]
    pub set: Option<NamedSet>,
    /// Words to run on [default: what one ciphertext of each set holds]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub words: Option<u64>,
    /// How it runs.
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// INSECURE parameters, for tests of this program
    #[arg(long, hide = true, conflicts_with = "set")]
    pub insecure_toy: bool,
}

/// Arguments of `circuit run`.
#[derive(Args, Debug)]
pub struct CircuitRunArgs {
    /// Which circuit.
    #[command(flatten)]
    pub circuit: NetlistArgs,
    /// The server's evaluation key
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// The encrypted words
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// File for the encrypted results
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// How it runs.
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Examples of the whole.
pub const OVERVIEW: &str = "\
Examples:
  cryptable plan circuit adder.blif
  cryptable circuit test adder.blif --inputs words.csv --set balanced
  cryptable keygen circuit --set balanced --secret bits.secret --evaluation bits.server
  cryptable encrypt --circuit adder.blif --secret bits.secret --input words.csv --output words.ct
  cryptable circuit run adder.blif --evaluation bits.server --input words.ct --output sums.ct
  cryptable decrypt --secret bits.secret --input sums.ct --output sums.csv

Bit i of all words is in one ciphertext, so that thousands of words take the time of one. Yosys makes
netlists of Verilog: synth -flatten; abc -g AND,XOR,MUX; opt_clean; write_blif adder.blif.";

/// Help of `plan circuit` and `keygen circuit`.
pub const JOB: &str = "\
Examples:
  cryptable plan circuit adder.blif
  cryptable plan circuit multiply32 --set throughput
  cryptable plan circuit aes128-expanded-key --s-box gates --set sums --words 65536 --memory 12GB
  cryptable --json plan circuit word.json --top word --words 1000000 --memory 16GB
  cryptable keygen circuit --set balanced --secret bits.secret --evaluation bits.server
  cryptable keygen circuit adder.blif --memory 4GB --secret bits.secret --evaluation bits.server

Without --set, all parameter sets are compared, and the fastest for the words is taken. Keys serve every
circuit.";

const RUN: &str = "\
Examples:
  cryptable circuit run adder.blif --evaluation bits.server --input words.ct --output sums.ct";
