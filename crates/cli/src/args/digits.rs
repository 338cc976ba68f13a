//! The grammar of `digits`.

use std::path::PathBuf;

use clap::Args;

use super::TableArgs;
use super::common::MemoryArgs;

/// Arguments of `digits`.
#[derive(Args, Debug)]
pub struct DigitsArgs {
    /// Server's evaluation key, from keygen compare or keygen --method cmt
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Table (.csv or .npy) to map digits through: either one for all digits, if they have equal sizes, or one per
    /// digit, the lowest digit first [default: write the digits themselves]
    #[arg(long = "table", value_name = "FILE")]
    pub tables: Vec<PathBuf>,
    /// Run an automaton of N states over the digits, the lowest first, and write the final state to one file; the
    /// tables map state + N·digit to the next state, beginning with state 0; requires keys from keygen compare
    #[arg(long, value_name = "N", requires = "tables", value_parser = clap::value_parser!(u64).range(2..))]
    pub states: Option<u64>,
    #[command(flatten)]
    pub reading: TableArgs,
    /// Drop the N lowest bits, which must be whole digits, and write the rest as values to one file; requires keys from
    /// keygen compare
    #[arg(long, value_name = "N", conflicts_with = "tables", value_parser = clap::value_parser!(u32).range(1..=63))]
    pub floor: Option<u32>,
    /// File of ciphertexts: fresh values, integers with headroom, or results of --floor
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// Prefix of the files for the results: PREFIX.0.ct for the lowest digit, PREFIX.1.ct for the next one and so on;
    /// with --floor or --states, the name of the only file
    #[arg(long, value_name = "PREFIX")]
    pub output: PathBuf,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
}

impl DigitsArgs {
    /// Returns whether one file is written instead of one per digit.
    pub fn writes_one_file(&self) -> bool {
        self.floor.is_some() || self.states.is_some()
    }

    /// Returns the files that are written: one, or one for each of `digits` digits.
    pub fn outputs(&self, digits: usize) -> Vec<PathBuf> {
        if self.writes_one_file() {
            return vec![self.output.clone()];
        }
        let output = |digit| {
            let mut name = self.output.clone().into_os_string();
            name.push(format!(".{digit}.ct"));
            PathBuf::from(name)
        };
        (0..digits).map(output).collect()
    }
}

/// Help of `digits`.
pub const DIGITS: &str = "\
Examples:
  cryptable keygen compare --bits 15 --digit-bits 4 --secret client.key --evaluation server.key
  cryptable encrypt --secret client.key --input values.csv --output values.ct
  cryptable digits --evaluation server.key --input values.ct --output digit
  cryptable decrypt --secret client.key --input digit.0.ct --output lowest.csv

  cryptable digits --evaluation server.key --table popcount.csv --input values.ct --output ones
  cryptable digits --evaluation server.key --floor 12 --input values.ct --output high.ct

Digits have the sizes that the key was planned for; their product is the modulus of the values. With
--states N, digits that are too large to combine with N states are read in parts; if the number of
tables does not match, a message lists the sizes of the parts. Digits of negative integers are those
of the integer modulo that modulus. Each digit takes one bootstrap, whether it is mapped through a
table or not. Files of `digits` are marked, so that decrypt does not join their digits to integers,
as it does with those of `compare`.";
