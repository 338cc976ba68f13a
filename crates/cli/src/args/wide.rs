//! The grammar of dictionaries and structured tables.

use std::path::PathBuf;

use clap::Args;

use super::common::{ComputationArgs, JobLimits};

/// Requirements for keys of wide values, and limits.
#[derive(Args, Clone, Copy, Debug)]
pub struct WideArgs {
    /// Width in bits of the values that are looked up; words have 16 bits
    #[arg(long, value_name = "B", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
    /// Width in bits of the values of a dictionary [default: 14, the fastest]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub value_bits: Option<u32>,
    /// Number of values per lookup; few values need smaller keys and less time [default: a full ciphertext]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub values: Option<u32>,
    #[command(flatten)]
    pub limits: JobLimits,
}

/// Arguments of `wide`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("table").required(true))]
pub struct WideLookupArgs {
    /// Dictionary: CSV with lines `key,value`; all other keys have the value of --default
    #[arg(long, value_name = "FILE", group = "table", requires = "default")]
    pub dictionary: Option<PathBuf>,
    /// Value of keys that are not in the dictionary
    #[arg(long, value_name = "VALUE", requires = "dictionary")]
    pub default: Option<u64>,
    /// Piecewise constant function: CSV with lines `start,value`, sorted, beginning with start 0
    #[arg(long, value_name = "FILE", group = "table")]
    pub pieces: Option<PathBuf>,
    /// Sum g(low half) + h(high half): CSV with lines `g,h`, one per value of a half
    #[arg(long, value_name = "FILE", group = "table")]
    pub sum: Option<PathBuf>,
    /// Product a(low half)·b(high half) of factors below 2^15, modulo 2^16: CSV with lines `a,b`, one per value of a
    /// half; several products are added
    #[arg(long = "product", value_name = "FILE", group = "table")]
    pub products: Vec<PathBuf>,
    /// Width in bits of the keys of a dictionary; inputs of other tables have two words, 32 bits
    #[arg(long, value_name = "B", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
    /// Width of the outputs in bits [default: 16, or the width of a dictionary's values]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub value_bits: Option<u32>,
    /// File of encrypted values
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub server: ComputationArgs,
}

/// Help of `wide`.
pub const WIDE: &str = "\
Examples:
  cryptable keygen wide --bits 32 --secret client.key --evaluation server.key
  cryptable encrypt --as words --bits 32 --secret client.key --input ids.csv --output ids.ct
  cryptable wide --bits 32 --evaluation server.key --dictionary risks.csv --default 0 \\
    --input ids.ct --output risks.ct
  cryptable decrypt --as words --bits 16 --secret client.key --input risks.ct --output risks.csv

  cryptable wide --evaluation server.key --pieces brackets.csv --input income.ct --output rate.ct
  cryptable wide --evaluation server.key --sum halves.csv --value-bits 32 --input a.ct \\
    --output b.ct
  cryptable wide --evaluation server.key --product ab.csv --input a.ct --output b.ct

Applies dictionaries of up to 65,536 keys of 32 or 64 bits, or structured tables of 2^32 entries, to
65,536 encrypted values at once; these consist of words of 16 bits. A dictionary uses a perfect hash
of its keys, and compares the whole key, so that absent keys always return the default.";

/// Help of `plan wide` and `keygen wide`.
pub const JOB: &str = "\
Examples:
  cryptable plan wide --bits 64 --value-bits 16
  cryptable --json plan wide --bits 32 --memory 8GB --log2-fail -80
  cryptable keygen wide --bits 32 --secret client.key --evaluation server.key

Keys are those of packed values with 16 bits: lookup, sum, decrypt and inspect accept them, too.";
