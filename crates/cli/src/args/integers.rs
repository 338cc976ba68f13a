//! The grammar of arithmetic on columns of integers.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cryptable::Engine;

use super::common::{ComputationArgs, JobLimits, engine};

/// Requirements for keys of integers.
#[derive(Args, Clone, Copy, Debug)]
pub struct DigitArgs {
    /// Width in bits of the integers in the plan's predictions: 8, 16, 32 or 64; keys serve all of these widths
    #[arg(long, value_name = "B", value_parser = integer_bits, default_value = "32")]
    pub bits: u32,
    /// Predict for signed integers
    #[arg(long)]
    pub signed: bool,
    /// Engine: `packed` for thousands of integers at once, `single` for the least latency
    #[arg(long, value_name = "ENGINE", value_parser = engine(), default_value = "packed")]
    pub mode: Engine,
    /// Bits per digit, 1 to 5 [default: 3 for packed values, 2 for single values]
    #[arg(long, value_name = "B")]
    pub digit_bits: Option<u32>,
    /// Make sums and comparisons take half the time, and products twice the time: packed integers in digits of 4 bits,
    /// or 2, with room for a carry but not for another digit
    #[arg(long)]
    pub sums: bool,
    /// Number of integers per operation; few integers need smaller keys and less time [default: a full ciphertext]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub values: Option<u64>,
    /// Predict searches and sorts, too, and keep to the failure probability for them: `largest` for the ten largest of
    /// a full ciphertext, `argmax` and `sort`; for packed integers, whose searches are fastest with digits of 4 bits
    #[arg(long)]
    pub search: bool,
    #[command(flatten)]
    pub limits: JobLimits,
}

/// Operation on columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IntegerOperation {
    /// x + y
    Add,
    /// x - y
    Sub,
    /// x * y
    Mul,
    /// Smaller of x and y
    Min,
    /// Larger of x and y
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
    /// x shifted left by --amount or --constant bits; 0 if that is the width of x or more
    #[value(alias = "shift_left")]
    Shl,
    /// x shifted right by --amount or --constant bits, keeping its sign; 0 (-1 for negative x) if that is the width of
    /// x or more
    #[value(alias = "shift_right")]
    Shr,
    /// x rotated left, by the amount modulo its number of bits
    #[value(alias = "rotate_left")]
    Rotate,
    /// Piecewise linear function of --pieces, such as a tax table
    Piecewise,
    /// Whether x is among the --count largest integers of its column, a boolean; ties are all included. This and all
    /// operations below are for packed integers only
    Largest,
    /// Number of the first row that has the largest integer, counted from 0, written to every row
    Argmax,
    /// Integers of the column in ascending order
    Sort,
}

/// Arguments of `integers`.
#[derive(Args, Debug)]
pub struct IntegersArgs {
    /// Operation on inputs x and y
    #[arg(long, value_enum, value_name = "OPERATION")]
    pub op: IntegerOperation,
    /// Encrypted integers, one file per operand
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Public number in place of the last operand, or number of bits to shift by
    #[arg(long, value_name = "INTEGER", allow_negative_numbers = true)]
    pub constant: Option<i128>,
    /// Encrypted booleans for select: results of lt, le and eq
    #[arg(long, value_name = "FILE")]
    pub condition: Option<PathBuf>,
    /// Encrypted number of bits to shift by: unsigned integers of 8 bits
    #[arg(long, value_name = "FILE", conflicts_with = "constant")]
    pub amount: Option<PathBuf>,
    /// CSV file with two columns, the start of each piece and its slope; the function is 0 at the least integer
    #[arg(long, value_name = "FILE")]
    pub pieces: Option<PathBuf>,
    /// Number of integers that `largest` selects
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// File for the least of the integers that `largest` selects, or for the largest integer with `argmax`, encrypted
    /// in every row
    #[arg(long, value_name = "FILE")]
    pub value: Option<PathBuf>,
    /// Widen results of piecewise to 64 bits
    #[arg(long)]
    pub wide: bool,
    /// Do not propagate carries, which saves all lookups; other operations propagate them later, but whoever decrypts
    /// learns a little about how results were computed
    #[arg(long)]
    pub lazy: bool,
    #[command(flatten)]
    pub server: ComputationArgs,
}

/// Parses the width of an integer in bits.
pub fn integer_bits(text: &str) -> Result<u32, String> {
    let bits = text.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits));
    bits.ok_or_else(|| format!("integers have 8, 16, 32 or 64 bits, not {text}"))
}

/// Help of `integers`.
pub const INTEGERS: &str = "\
Examples:
  cryptable keygen integers --secret client.key --evaluation server.key
  cryptable encrypt --as integers --bits 32 --secret client.key --input people.csv \\
    --column income --output income.ct
  cryptable integers --op piecewise --pieces brackets.csv --evaluation server.key \\
    --input income.ct --output tax.ct
  cryptable integers --op sub --evaluation server.key --input income.ct --input tax.ct \\
    --output net.ct
  cryptable decrypt --secret client.key --input net.ct --output net.csv

  cryptable integers --op mul --constant 3 --evaluation server.key --input a.ct --output c.ct
  cryptable integers --op lt --constant 60000 --evaluation server.key --input income.ct \\
    --output poor.ct
  cryptable integers --op select --condition poor.ct --evaluation server.key --input a.ct \\
    --input b.ct --output c.ct
  cryptable integers --op shl --amount bits.ct --evaluation server.key --input a.ct --output c.ct
  cryptable integers --op largest --count 10 --value tenth.ct --evaluation server.key \\
    --input income.ct --output top.ct
  cryptable integers --op piecewise --wide --pieces brackets.csv --evaluation server.key \\
    --input income.ct --output tax.ct

Integers have 8, 16, 32 or 64 bits, signed or not, and are encrypted in digits of a few bits: one
ciphertext per digit of up to 65,536 integers. Results can be operands again, any number of times;
overflow wraps around. A line of --pieces has the start of a piece and its slope, such as 12000,14.";

/// Help of `plan integers` and `keygen integers`.
pub const JOB: &str = "\
Examples:
  cryptable plan integers --bits 32
  cryptable plan integers --bits 16 --digit-bits 4 --search
  cryptable --json plan integers --bits 16 --signed --mode single
  cryptable keygen integers --secret client.key --evaluation server.key
  cryptable keygen integers --mode single --secret client.key --evaluation server.key

One pair of keys serves integers of all sizes. Keys are those of the engine: inspect accepts them,
too.";
