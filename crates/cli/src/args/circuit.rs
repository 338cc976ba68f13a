//! The grammar of `cryptable circuit`.

#[cfg(feature = "client")]
mod client;

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use cryptable::bits::NamedSet;
use cryptable::circuits::aes::SBox;

#[cfg(feature = "client")]
pub use self::client::CircuitTestArgs;
use super::common::{OutputArgs, choice, log2_fail, memory_size};

/// Binary circuits on encrypted words.
#[derive(Debug, Subcommand)]
pub enum CircuitCommand {
    /// Run a circuit on the words of a file, with client and server in one process, and check every result
    #[cfg(feature = "client")]
    #[command(after_help = client::TEST)]
    Test(CircuitTestArgs),
    /// Run a circuit on encrypted words; needs no secret
    #[command(after_help = RUN)]
    Run(CircuitRunArgs),
}

/// Circuit.
#[derive(Args, Debug)]
pub struct NetlistArgs {
    /// Netlist (.blif, or .json from Yosys), or built-in circuit: add32, compare32, multiply32, aes128,
    /// aes128-expanded-key
    #[arg(value_name = "NETLIST")]
    pub netlist: PathBuf,
    /// Top module, if the netlist has several modules and marks none
    #[arg(long, value_name = "NAME")]
    pub top: Option<String>,
    /// Form of the S-box of AES [default: tables]
    #[arg(long, value_name = "FORM", value_parser = s_box())]
    pub s_box: Option<SBox>,
}

/// Returns a parser of forms of the S-box by their names.
pub(super) fn s_box() -> impl TypedValueParser<Value = SBox> {
    choice([
        ("tables", "tables of eight bits", SBox::Tables),
        ("gates", "gates of two bits: the circuit of Boyar and Peralta", SBox::BoyarPeralta),
    ])
}

/// Execution of a circuit.
#[derive(Args, Clone, Copy, Debug)]
pub struct ScheduleArgs {
    /// Number of concurrent operations; each of them uses all threads, and memory of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: u16,
    /// Maximum memory, including keys, such as 6GB
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// log2 of the maximum probability that any output of any word of a ciphertext is wrong
    #[arg(long, value_name = "L", allow_hyphen_values = true, default_value = "-64", value_parser = log2_fail)]
    pub log2_fail: f64,
}

/// Returns a parser of parameter sets by their names; all of them have 128 bits of security.
fn named_set() -> impl TypedValueParser<Value = NamedSet> {
    choice(NamedSet::ALL.map(|set| (set.name(), set.description(), set)))
}

/// Requirements for keys of circuits.
#[derive(Args, Debug)]
pub struct CircuitJobArgs {
    /// Netlist (.blif, or .json from Yosys), or built-in circuit: add32, compare32, multiply32, aes128,
    /// aes128-expanded-key; optional for keygen with --set
    #[arg(value_name = "NETLIST", required_unless_present_any = ["set", "insecure_toy"])]
    pub netlist: Option<PathBuf>,
    /// Top module, if the netlist has several modules and marks none
    #[arg(long, value_name = "NAME", requires = "netlist")]
    pub top: Option<String>,
    /// Form of the S-box of AES [default: tables]
    #[arg(long, value_name = "FORM", requires = "netlist", value_parser = s_box())]
    pub s_box: Option<SBox>,
    /// Parameter set [default: all are compared]
    #[arg(long, value_name = "SET", value_parser = named_set())]
    pub set: Option<NamedSet>,
    /// Number of words [default: one ciphertext of each set]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub words: Option<u64>,
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// INSECURE parameters, for tests of this program
    #[arg(long, hide = true, conflicts_with = "set")]
    pub insecure_toy: bool,
}

/// Arguments of `circuit run`.
#[derive(Args, Debug)]
pub struct CircuitRunArgs {
    #[command(flatten)]
    pub circuit: NetlistArgs,
    /// Server's evaluation key
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// File of encrypted words
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Help of the group.
pub const OVERVIEW: &str = "\
Examples:
  cryptable plan circuit adder.blif
  cryptable circuit test adder.blif --inputs words.csv --set balanced
  cryptable keygen circuit --set balanced --secret bits.secret --evaluation bits.server
  cryptable encrypt --circuit adder.blif --secret bits.secret --input words.csv --output words.ct
  cryptable circuit run adder.blif --evaluation bits.server --input words.ct --output sums.ct
  cryptable decrypt --secret bits.secret --input sums.ct --output sums.csv

One ciphertext holds bit i of all words, so that thousands of words take the same time as one. Yosys
makes netlists from Verilog: synth -flatten; abc -g AND,XOR,MUX; opt_clean; write_blif adder.blif.";

/// Help of `plan circuit` and `keygen circuit`.
pub const JOB: &str = "\
Examples:
  cryptable plan circuit adder.blif
  cryptable plan circuit multiply32 --set throughput
  cryptable plan circuit aes128-expanded-key --s-box gates --set sums --words 65536 --memory 12GB
  cryptable --json plan circuit word.json --top word --words 1000000 --memory 16GB
  cryptable keygen circuit --set balanced --secret bits.secret --evaluation bits.server
  cryptable keygen circuit adder.blif --memory 4GB --secret bits.secret --evaluation bits.server

Without --set, all parameter sets are compared, and the fastest for the number of words is chosen.
Keys serve every circuit.";

const RUN: &str = "\
Examples:
  cryptable circuit run adder.blif --evaluation bits.server --input words.ct --output sums.ct";
