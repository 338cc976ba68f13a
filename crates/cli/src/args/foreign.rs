//! The grammar of `foreign`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use cryptable::gates::Gate;
#[cfg(feature = "client")]
use cryptable::packed_gates::foreign::ForeignParameters;

use super::common::OutputArgs;

/// Subcommands of `foreign`.
#[derive(Debug, Subcommand)]
pub enum ForeignCommand {
    /// Generate the server's key for gates from the other library's secret
    #[cfg(feature = "client")]
    #[command(after_help = KEYGEN)]
    Keygen(ForeignKeygenArgs),
    /// Evaluate a gate on all pairs of bits of two lists; needs no secret
    #[command(after_help = GATE)]
    Gate(ForeignGateArgs),
}

/// Arguments of `foreign keygen`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct ForeignKeygenArgs {
    /// Parameters of the ciphertexts
    #[arg(long, value_name = "SET", value_parser = set(), required_unless_present = "insecure_toy")]
    pub set: Option<ForeignParameters>,
    /// Secret of the other library, in the layout that the book describes
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// Number of gates at once; fewer gates need a smaller key and less time
    #[arg(long, value_name = "N", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..=32_768))]
    pub gates: u32,
    /// File for the evaluation key, which goes to the server
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Overwrite an existing key file
    #[arg(long)]
    pub force: bool,
    /// INSECURE parameters, for tests of this program
    #[arg(long, hide = true, conflicts_with = "set")]
    pub insecure_toy: bool,
}

/// Returns a parser of parameters of ciphertexts by their names.
#[cfg(feature = "client")]
fn set() -> impl TypedValueParser<Value = ForeignParameters> {
    let names = PossibleValuesParser::new(ForeignParameters::ALL.map(|set| set.name()));
    names.map(|name| ForeignParameters::named(&name).expect("a name of the list"))
}

/// A gate, of one or of two bits.
#[derive(Clone, Copy, Debug)]
pub enum ForeignGate {
    /// ¬a.
    Not,
    /// A gate of two bits.
    OfTwo(Gate),
}

/// Arguments of `foreign gate`.
#[derive(Args, Debug)]
pub struct ForeignGateArgs {
    /// Gate
    #[arg(value_name = "GATE", value_parser = gate())]
    pub gate: ForeignGate,
    /// Key from `foreign keygen`
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// List of ciphertexts, in the layout that the book describes: two lists of equal length, or one for `not`
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Returns a parser of gates by their names.
fn gate() -> impl TypedValueParser<Value = ForeignGate> {
    let names = Gate::ALL.map(Gate::name).into_iter().chain(["not"]);
    let names = PossibleValuesParser::new(names.collect::<Vec<_>>());
    names.map(|name| Gate::by_name(&name).map_or(ForeignGate::Not, ForeignGate::OfTwo))
}

/// Help of `foreign`.
#[cfg(feature = "client")]
pub const OVERVIEW: &str = "\
Examples:
  python comparisons/openfhe/lists.py encrypt bits --count 16384
  cryptable foreign keygen --set openfhe-std128 --secret bits/key.lwe --evaluation gates.server
  cryptable foreign gate nand --evaluation gates.server --input bits/x.lwe --input bits/y.lwe \\
    --output bits/result.lwe
  python comparisons/openfhe/lists.py check bits --gate nand

Results are ciphertexts of the other library, which can decrypt them and compute with them; `foreign
gate` can compute with them, too. The server needs none of the other library's keys.";

/// Help of `foreign`.
#[cfg(not(feature = "client"))]
pub const OVERVIEW: &str = GATE;

/// Help of `foreign keygen`.
#[cfg(feature = "client")]
const KEYGEN: &str = "\
Examples:
  cryptable foreign keygen --set openfhe-std128 --secret bits/key.lwe --evaluation gates.server
  cryptable foreign keygen --set tfhe-rs-boolean --secret bits/key.lwe --gates 1024 \\
    --evaluation gates.server

There is no other secret: results are encrypted under the given one.";

/// Help of `foreign gate`.
const GATE: &str = "\
Examples:
  cryptable foreign gate nand --evaluation gates.server --input x.lwe --input y.lwe --output z.lwe
  cryptable foreign gate not --evaluation gates.server --input x.lwe --output z.lwe

Bits may be fresh, results of the other library's gates, or results of this command. The report
states the probability that a gate is wrong.";
