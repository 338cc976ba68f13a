//! The grammar of `cryptable compare`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use cryptable::comparisons::Operation;

#[cfg(feature = "client")]
use super::client::{DecryptArgs, EncryptArgs};
use super::memory::MemoryArgs;
use super::memory::memory_size;
use super::parameters::log2_fail;

/// Comparison, maximum and their like.
#[derive(Debug, Subcommand)]
pub enum CompareCommand {
    /// Say what every operation takes: bootstraps, time, memory, failure probability
    #[command(after_help = PLAN)]
    Plan(ComparePlanArgs),
    /// Generate the client's secret key and the server's evaluation key
    #[cfg(feature = "client")]
    #[command(after_help = KEYGEN)]
    Keygen(CompareKeygenArgs),
    /// Encrypt a file of integers with the client's key, with headroom
    #[cfg(feature = "client")]
    #[command(after_help = ENCRYPT)]
    Encrypt(EncryptArgs),
    /// Compare encrypted integers, or take their maximum and the like; needs no secret
    #[command(after_help = RUN)]
    Run(CompareRunArgs),
    /// Decrypt bits or integers with the client's key
    #[cfg(feature = "client")]
    #[command(after_help = DECRYPT)]
    Decrypt(DecryptArgs),
}

/// What integers, and what it may take.
#[derive(Args, Clone, Copy, Debug)]
pub struct IntegerArgs {
    /// Bits of the integers, from 4 to 39: 0 .. 2^B - 1, or with --signed -2^(B-1) .. 2^(B-1) - 1
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
    /// Integers at a time; few make smaller keys and faster operations [default: as many as a ciphertext holds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub values: Option<u64>,
    /// The most memory that an operation may take, keys included, as `6GB`
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// log2 of the largest probability that any integer of a ciphertext comes out wrong of an operation
    #[arg(long, value_name = "L", allow_hyphen_values = true, default_value = "-64", value_parser = log2_fail)]
    pub log2_fail: f64,
    /// INSECURE parameters of small rings, for tests of this program
    #[arg(long, hide = true)]
    pub insecure_toy: bool,
}

/// Arguments of `compare plan`.
#[derive(Args, Debug)]
pub struct ComparePlanArgs {
    /// What for.
    #[command(flatten)]
    pub integers: IntegerArgs,
}

/// Arguments of `compare keygen`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct CompareKeygenArgs {
    /// What for.
    #[command(flatten)]
    pub integers: IntegerArgs,
    /// File for the secret key, which stays with the client
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// File for the evaluation key, which goes to the server
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Replace existing key files
    #[arg(long)]
    pub force: bool,
}

/// An operation by its name.
fn operation() -> impl TypedValueParser<Value = Operation> {
    let names = PossibleValuesParser::new(Operation::ALL.map(Operation::name));
    names.map(|name| name.parse().expect("a name of the list"))
}

/// Arguments of `compare run`.
#[derive(Args, Debug)]
pub struct CompareRunArgs {
    /// What to compute: of two inputs x and y, [x < y], [x >= y], [x = y], the larger or the smaller; of one, [x < 0], its
    /// digits, the larger of x and 0, |x|, or x within bounds
    #[arg(long, value_name = "OPERATION", value_parser = operation())]
    pub op: Operation,
    /// The server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// The encrypted integers, a file an operand
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Least result of clamp
    #[arg(long, value_name = "INTEGER", allow_negative_numbers = true)]
    pub low: Option<i64>,
    /// Largest result of clamp
    #[arg(long, value_name = "INTEGER", allow_negative_numbers = true)]
    pub high: Option<i64>,
    /// What memory it may take.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// File for the encrypted results
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Examples of the whole.
pub const OVERVIEW: &str = "\
Examples:
  cryptable compare plan --bits 32
  cryptable compare keygen --bits 32 --secret client.key --evaluation server.key
  cryptable compare encrypt --secret client.key --input a.csv --output a.ct
  cryptable compare encrypt --secret client.key --input b.csv --output b.ct
  cryptable compare run --op maximum --evaluation server.key --input a.ct --input b.ct --output max.ct
  cryptable compare decrypt --secret client.key --input max.ct --output max.csv

65,536 integers of up to 39 bits are compared at once, by the sign of their difference, digit after
digit. Integers are encrypted with one bit of headroom, so that differences have a sign.";

const PLAN: &str = "\
Examples:
  cryptable compare plan --bits 32
  cryptable --json compare plan --bits 21 --values 1000 --memory 6GB";

#[cfg(feature = "client")]
const KEYGEN: &str = "\
Examples:
  cryptable compare keygen --bits 32 --secret client.key --evaluation server.key

Keys are those of packed values: sum, decrypt and inspect take them, too.";

#[cfg(feature = "client")]
const ENCRYPT: &str = "\
Examples:
  cryptable compare encrypt --secret client.key --input people.csv --column income --output income.ct
  cryptable compare encrypt --secret client.key --input balance.npy --signed --output balance.ct

As `cryptable encrypt`, of integers that leave a bit of headroom: below 2^B for keys of --bits B.";

const RUN: &str = "\
Examples:
  cryptable compare run --op less-than --evaluation server.key --input a.ct --input b.ct --output c.ct
  cryptable compare run --op relu --evaluation server.key --input balance.ct --output credit.ct
  cryptable compare run --op clamp --low 0 --high 255 --evaluation server.key --input a.ct --output c.ct

Comparisons give bits. The others give integers, as encrypted digits in one file.";

#[cfg(feature = "client")]
const DECRYPT: &str = "\
Examples:
  cryptable compare decrypt --secret client.key --input max.ct --output max.csv
  cryptable compare decrypt --secret client.key --input credit.ct --signed --output credit.npy";
