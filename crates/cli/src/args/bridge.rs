//! The grammar of packed lookups whose results are processed one by one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::{ComputationArgs, JobLimits};

/// Operation on every result y of the packed lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BridgeOperation {
    /// [y < 0]
    Sign,
    /// [y < T], for a number T
    Below,
    /// [y < z], for results y and z of two inputs
    LessThan,
    /// Larger of the results of two inputs
    Maximum,
    /// |y|
    Absolute,
    /// Larger of y and 0
    Relu,
    /// A second table on y, by circuit bootstrapping
    Table,
}

impl BridgeOperation {
    /// Returns the number of inputs.
    pub fn operands(self) -> usize {
        if matches!(self, Self::LessThan | Self::Maximum) { 2 } else { 1 }
    }

    /// Returns whether results are bits.
    pub fn gives_bits(self) -> bool {
        matches!(self, Self::Sign | Self::Below | Self::LessThan)
    }
}

/// Requirements for keys of a bridge, and limits.
#[derive(Args, Clone, Copy, Debug)]
#[command(group = clap::ArgGroup::new("width").required(true))]
pub struct BridgeArgs {
    /// Width of the inputs in bits: values are 0 .. 2^B - 1
    #[arg(long, value_name = "B", group = "width", value_parser = clap::value_parser!(u32).range(1..=24))]
    pub bits: Option<u32>,
    /// Input modulus: values are 0 .. P - 1
    #[arg(long, value_name = "P", group = "width", value_parser = clap::value_parser!(u64).range(2..=1 << 24))]
    pub modulus: Option<u64>,
    /// Width of the packed table's outputs in bits: 0 .. 2^B - 1, or -2^(B-1) .. 2^(B-1) - 1 for signed tables; 3 to 23
    /// bits, or 1 to 24 for a second table
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=24))]
    pub output_bits: u32,
    /// Operation on results; keys for `table` serve only `table`, keys for any other operation serve all operations
    /// except `table`
    #[arg(long, value_enum, value_name = "OPERATION")]
    pub op: BridgeOperation,
    /// Width of the second table's outputs in bits [default: --output-bits]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=24))]
    pub second_bits: Option<u32>,
    /// Pack results of the second table again
    #[arg(long)]
    pub pack: bool,
    /// Number of values per lookup; few values need smaller keys and less time [default: a full packed ciphertext]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub values: Option<u32>,
    /// Number of results that are processed one by one, for predicted times [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub taken_out: Option<u32>,
    #[command(flatten)]
    pub limits: JobLimits,
}

/// Rows of a file, counted from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// First row.
    pub first: u64,
    /// Last row.
    pub last: u64,
}

/// Parses `A-B`, or one row.
fn rows(text: &str) -> Result<Rows, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().ok().filter(|&row: &u64| row > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(Rows { first, last }),
        _ => Err("it must be two row numbers, counted from 1 and in order, such as 100-200".into()),
    }
}

/// Arguments of `bridge`.
#[derive(Args, Debug)]
pub struct BridgeRunArgs {
    /// Operation on results
    #[arg(long, value_enum, value_name = "OPERATION")]
    pub op: BridgeOperation,
    /// Encrypted values, one file per operand
    #[arg(long = "input", value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Packed table (.csv or .npy): one for all operands, or one per operand
    #[arg(long = "table", value_name = "FILE", required = true)]
    pub tables: Vec<PathBuf>,
    /// Read integers of the tables as -P/2 .. P/2 - 1 instead of 0 .. P - 1
    #[arg(long)]
    pub signed: bool,
    /// Bound T of `below`
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub threshold: Option<i64>,
    /// Second table, applied to results of the first
    #[arg(long, value_name = "FILE")]
    pub second_table: Option<PathBuf>,
    /// Pack results of `table` again [default: they stay single values, for further lookups with engine `leveled`]
    #[arg(long)]
    pub pack: bool,
    /// Rows whose results are processed, such as 100-200, counted from 1 [default: all]
    #[arg(long, value_name = "A-B", value_parser = rows)]
    pub rows: Option<Rows>,
    #[command(flatten)]
    pub server: ComputationArgs,
}

/// Help of `bridge`.
pub const BRIDGE: &str = "\
Examples:
  cryptable keygen bridge --bits 8 --output-bits 8 --op less-than --secret client.key \\
    --evaluation server.key
  cryptable encrypt --secret client.key --input a.csv --output a.ct
  cryptable encrypt --secret client.key --input b.csv --output b.ct
  cryptable bridge --op less-than --evaluation server.key --table risk.csv --input a.ct \\
    --input b.ct --rows 1-100 --output less.ct
  cryptable decrypt --secret client.key --input less.ct --output less.csv

  cryptable bridge --op below --threshold 30 --evaluation server.key --table risk.csv \\
    --input age.ct --output low.ct
  cryptable bridge --op maximum --evaluation server.key --table risk.csv --table cost.csv \\
    --input age.ct --input job.ct --rows 1-50 --output worst.ct
  cryptable bridge --op table --evaluation server.key --table risk.csv --second-table fee.csv \\
    --input age.ct --output fee.ct

Thousands of values are looked up together. Some of the results are then extracted and processed one
by one: compared with results of another column or with a number, or looked up in a second, larger
table. sign, below and less-than return packed bits. maximum, absolute and relu return integers, and
all their rows must be in one ciphertext of the inputs. table returns leveled values, or packed
digits with --pack.";

/// Help of `plan bridge` and `keygen bridge`.
pub const JOB: &str = "\
Examples:
  cryptable plan bridge --bits 8 --output-bits 8 --op sign --values 1000
  cryptable --json plan bridge --bits 16 --output-bits 15 --op maximum --taken-out 10
  cryptable plan bridge --bits 8 --output-bits 12 --op table --second-bits 12 --pack
  cryptable keygen bridge --bits 8 --output-bits 8 --op below --secret client.key \\
    --evaluation server.key

If no parameters fit, the error names the step that prevents it.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_from_one() {
        assert_eq!(rows("3-7"), Ok(Rows { first: 3, last: 7 }));
        assert_eq!(rows("5"), Ok(Rows { first: 5, last: 5 }));
        for bad in ["0-3", "7-3", "a-b", "", "-3", "3-"] {
            assert!(rows(bad).unwrap_err().contains("100-200"), "{bad}");
        }
    }
}
