//! The grammar of `cryptable integers`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use cryptable::Engine;

#[cfg(feature = "client")]
use super::client::{DecryptArgs, EncryptArgs};
use super::memory::MemoryArgs;
use super::memory::memory_size;
use super::parameters::{EngineParser, log2_fail};

/// Arithmetic on columns of integers.
#[derive(Debug, Subcommand)]
pub enum IntegersCommand {
    /// Say what every operation takes: lookups, time, memory, failure probability
    #[command(after_help = PLAN)]
    Plan(IntegersPlanArgs),
    /// Generate the client's secret key and the server's evaluation key
    #[cfg(feature = "client")]
    #[command(after_help = KEYGEN)]
    Keygen(IntegersKeygenArgs),
    /// Encrypt a file of integers with the client's key, digit by digit
    #[cfg(feature = "client")]
    #[command(after_help = ENCRYPT)]
    Encrypt(IntegersEncryptArgs),
    /// Compute on encrypted integers; needs no secret
    #[command(after_help = RUN)]
    Run(IntegersRunArgs),
    /// Decrypt integers or booleans with the client's key
    #[cfg(feature = "client")]
    #[command(after_help = DECRYPT)]
    Decrypt(DecryptArgs),
}

/// What keys are for.
#[derive(Args, Clone, Copy, Debug)]
pub struct DigitArgs {
    /// Engine: `packed` for thousands of integers at once, `single` for the least latency
    #[arg(long, value_name = "ENGINE", value_parser = EngineParser, default_value = "packed")]
    pub mode: Engine,
    /// Bits of a digit, 1 to 5 [default: 3 of packed values, 2 of single ones]
    #[arg(long, value_name = "B")]
    pub digit_bits: Option<u32>,
    /// Integers at a time; few make smaller keys and faster operations [default: as many as a ciphertext holds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub values: Option<u64>,
    /// The most memory that an operation may take, keys included, as `6GB`
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// log2 of the largest probability that any value of a lookup goes wrong [default: -64]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = log2_fail)]
    pub log2_fail: Option<f64>,
    /// INSECURE parameters of small rings, for tests of this program
    #[arg(long, hide = true)]
    pub insecure_toy: bool,
}

/// Arguments of `integers plan`.
#[derive(Args, Debug)]
pub struct IntegersPlanArgs {
    /// Bits of the integers: 8, 16, 32 or 64
    #[arg(long, value_name = "B", value_parser = integer_bits, default_value = "32")]
    pub bits: u32,
    /// The integers are signed
    #[arg(long)]
    pub signed: bool,
    /// What keys are for.
    #[command(flatten)]
    pub digits: DigitArgs,
}

/// Arguments of `integers keygen`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct IntegersKeygenArgs {
    /// What for.
    #[command(flatten)]
    pub digits: DigitArgs,
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

/// Arguments of `integers encrypt`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct IntegersEncryptArgs {
    /// Bits of the integers: 8, 16, 32 or 64, with --signed from -2^(B-1) on; 1 of booleans
    #[arg(long, value_name = "B", value_parser = column_bits)]
    pub bits: u32,
    /// The files.
    #[command(flatten)]
    pub files: EncryptArgs,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IntegerOperation {
    /// x + y
    Add,
    /// x - y
    Sub,
    /// x * y
    Mul,
    /// The smaller one
    Min,
    /// The larger one
    Max,
    /// x < y, a boolean
    #[value(alias = "less")]
    Lt,
    /// x <= y, a boolean
    #[value(alias = "less_or_equal")]
    Le,
    /// x = y, a boolean
    #[value(alias = "equal")]
    Eq,
    /// x where --condition is true, else y
    Select,
    /// x shifted to the more significant bits by --amount or --constant; 0 if that is as many bits as x has, or more
    #[value(alias = "shift_left")]
    Shl,
    /// x shifted to the less significant bits, with its sign; 0, or -1 of negative ones, if by as many bits as x has, or more
    #[value(alias = "shift_right")]
    Shr,
    /// x rotated to the more significant bits, by the amount modulo its bits
    #[value(alias = "rotate_left")]
    Rotate,
    /// The piecewise linear function of --pieces: a tax table
    Piecewise,
}

impl IntegerOperation {
    /// Its name.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Arguments of `integers run`.
#[derive(Args, Debug)]
pub struct IntegersRunArgs {
    /// What to compute, of inputs x and y
    #[arg(long, value_enum, value_name = "OPERATION")]
    pub op: IntegerOperation,
    /// The server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// The encrypted integers, a file an operand
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// A public number in place of the last operand, or the bits to shift by
    #[arg(long, value_name = "INTEGER", allow_negative_numbers = true)]
    pub constant: Option<i128>,
    /// Encrypted booleans of select: results of lt, le and eq
    #[arg(long, value_name = "FILE")]
    pub condition: Option<PathBuf>,
    /// Encrypted bits to shift by: integers of 8 bits, unsigned
    #[arg(long, value_name = "FILE", conflicts_with = "constant")]
    pub amount: Option<PathBuf>,
    /// Where pieces start and what they grow by: a CSV file of two columns; the least integer has value 0
    #[arg(long, value_name = "FILE")]
    pub pieces: Option<PathBuf>,
    /// Results of piecewise have 64 bits, whatever the integers have
    #[arg(long)]
    pub wide: bool,
    /// Leave carries where they are, which takes no lookup; other operations propagate them, but whoever decrypts learns a
    /// little of how results came about
    #[arg(long)]
    pub lazy: bool,
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

fn integer_bits(text: &str) -> Result<u32, String> {
    let bits = text.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits));
    bits.ok_or_else(|| format!("{text} bits: there are integers of 8, 16, 32 and 64"))
}

#[cfg(feature = "client")]
fn column_bits(text: &str) -> Result<u32, String> {
    if text == "1" { Ok(1) } else { integer_bits(text) }
}

/// Examples of the whole.
pub const OVERVIEW: &str = "\
Examples:
  cryptable integers plan --bits 32
  cryptable integers keygen --secret client.key --evaluation server.key
  cryptable integers encrypt --bits 32 --secret client.key --input people.csv --column income --output income.ct
  cryptable integers run --op piecewise --pieces brackets.csv --evaluation server.key --input income.ct --output tax.ct
  cryptable integers run --op sub --evaluation server.key --input income.ct --input tax.ct --output net.ct
  cryptable integers decrypt --secret client.key --input net.ct --output net.csv

Integers of 8, 16, 32 or 64 bits, signed or not, in digits of a few bits: a ciphertext for each digit of
up to 65,536 integers. Results are operands again, as often as wanted; what overflows wraps.";

const PLAN: &str = "\
Examples:
  cryptable integers plan --bits 32
  cryptable --json integers plan --bits 16 --signed --mode single";

#[cfg(feature = "client")]
const KEYGEN: &str = "\
Examples:
  cryptable integers keygen --secret client.key --evaluation server.key
  cryptable integers keygen --mode single --secret client.key --evaluation server.key

One pair of keys serves integers of all sizes. Keys are those of the engine: inspect takes them, too.";

#[cfg(feature = "client")]
const ENCRYPT: &str = "\
Examples:
  cryptable integers encrypt --bits 32 --secret client.key --input people.csv --column income --output income.ct
  cryptable integers encrypt --bits 16 --signed --secret client.key --input balance.npy --output balance.ct";

const RUN: &str = "\
Examples:
  cryptable integers run --op add --evaluation server.key --input a.ct --input b.ct --output sum.ct
  cryptable integers run --op mul --constant 3 --evaluation server.key --input a.ct --output c.ct
  cryptable integers run --op lt --constant 60000 --evaluation server.key --input income.ct --output poor.ct
  cryptable integers run --op select --condition poor.ct --evaluation server.key --input a.ct --input b.ct --output c.ct
  cryptable integers run --op shl --amount bits.ct --evaluation server.key --input a.ct --output c.ct
  cryptable integers run --op piecewise --wide --pieces brackets.csv --evaluation server.key --input income.ct --output tax.ct

A line of --pieces is where a piece starts and what the value grows by from there on, as 12000,14.";

#[cfg(feature = "client")]
const DECRYPT: &str = "\
Examples:
  cryptable integers decrypt --secret client.key --input sum.ct --output sum.csv
  cryptable integers decrypt --secret client.key --input tax.ct --join people.csv --column tax --output taxes.csv

Files say how many bits integers have, and whether they are signed.";
