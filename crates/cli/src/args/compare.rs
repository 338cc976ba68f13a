//! The grammar of comparisons.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use cryptable::Engine;
use cryptable::comparisons::Operation;

use super::common::{ComputationArgs, JobLimits, choice, engine};

/// Requirements for keys of comparisons, and limits.
#[derive(Args, Clone, Debug)]
pub struct IntegerArgs {
    /// Engine: `packed` compares 65,536 integers at once, `single` compares one at a time, with keys of a tenth of a
    /// gigabyte [default: packed]
    #[arg(long, value_name = "ENGINE", value_parser = engine())]
    pub mode: Option<Engine>,
    /// Decomposition into digits with --mode single: HomDecomp-Reduce, HomDecomp-FDFB, HomFloor or HomFloorAlt
    /// [default: HomDecomp-Reduce, the fastest]
    #[arg(long, value_name = "NAME", requires = "mode")]
    pub method: Option<String>,
    /// Width of the integers in bits, from 4 to 39, or to 26 with --mode single: integers are 0 .. 2^B - 1, or with
    /// `encrypt --signed` -2^(B-1) .. 2^(B-1) - 1
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
    /// Bits of the most significant digit, from 2 to 8; the other digits have at most this width [default: the fastest]
    #[arg(long, value_name = "B", conflicts_with = "insecure_toy", value_parser = clap::value_parser!(u32).range(2..=8))]
    pub digit_bits: Option<u32>,
    /// Number of integers per operation; few integers need smaller keys and less time [default: a full ciphertext]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub values: Option<u64>,
    #[command(flatten)]
    pub limits: JobLimits,
}

/// Returns a parser of operations by their names.
fn operation() -> impl TypedValueParser<Value = Operation> {
    choice(Operation::ALL.map(|operation| (operation.name(), "", operation)))
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// Operation: on two inputs x and y, [x < y], [x >= y], [x = y], the larger or the smaller; on one input x,
    /// [x < 0], its digits, the larger of x and 0, |x|, or x within bounds
    #[arg(long, value_name = "OPERATION", value_parser = operation(), required_unless_present = "function")]
    pub op: Option<Operation>,
    /// Continuous function instead of an operation, with keys of --mode single: a CSV file with lines `x,y`, sorted by
    /// x, between which the function is linear; results are approximate
    #[arg(long, value_name = "FILE", conflicts_with = "op")]
    pub function: Option<PathBuf>,
    /// Encrypted integers, one file per operand
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Least result of clamp
    #[arg(long, value_name = "INTEGER", allow_negative_numbers = true)]
    pub low: Option<i64>,
    /// Largest result of clamp
    #[arg(long, value_name = "INTEGER", allow_negative_numbers = true)]
    pub high: Option<i64>,
    #[command(flatten)]
    pub server: ComputationArgs,
}

/// Help of `compare`.
pub const COMPARE: &str = "\
Examples:
  cryptable keygen compare --bits 32 --secret client.key --evaluation server.key
  cryptable encrypt --as headroom --secret client.key --input a.csv --output a.ct
  cryptable encrypt --as headroom --secret client.key --input b.csv --output b.ct
  cryptable compare --op maximum --evaluation server.key --input a.ct --input b.ct --output max.ct
  cryptable decrypt --secret client.key --input max.ct --output max.csv

  cryptable compare --op less-than --evaluation server.key --input a.ct --input b.ct --output c.ct
  cryptable compare --op relu --evaluation server.key --input balance.ct --output credit.ct
  cryptable keygen compare --mode single --bits 16 --secret client.key --evaluation server.key
  cryptable compare --function logistic.csv --evaluation server.key --input x.ct --output y.ct
  cryptable compare --op clamp --low 0 --high 255 --evaluation server.key --input a.ct \\
    --output c.ct

65,536 integers of up to 39 bits are compared at once, by the sign of their difference, digit by
digit. Integers are encrypted with one bit of headroom, --as headroom, so that differences have a
sign. Comparisons return bits; the other operations return integers, as encrypted digits in one
file. Keys of --mode single are for a few integers of up to 26 bits, processed one after the other.
They support less-than, sign, maximum, relu and absolute-value, in a tenth of a second to a few
seconds each, and --function.";

/// Help of `plan compare` and `keygen compare`.
pub const JOB: &str = "\
Examples:
  cryptable plan compare --bits 32
  cryptable --json plan compare --bits 21 --values 1000 --memory 6GB
  cryptable plan compare --bits 15 --digit-bits 4
  cryptable plan compare --mode single --bits 16 --method HomFloor
  cryptable keygen compare --bits 32 --secret client.key --evaluation server.key

Keys are those of packed values: digits, sum, decrypt and inspect accept them, too.";
