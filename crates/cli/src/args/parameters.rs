//! Requirements for parameters: options of `plan` and `keygen`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};
use cryptable::engines::packed::EntryKind;
use cryptable::{Engine, Goal};

use super::lookup::TableArgs;
use super::memory::memory_size;

/// Requirements for parameters.
#[derive(Args, Clone, Debug)]
pub struct ParameterArgs {
    /// Engine: how values are encrypted; files say it to all other commands
    #[arg(long, value_name = "ENGINE", value_parser = EngineParser)]
    pub mode: Option<Engine>,
    /// Engine that encrypts, whichever looks up: values of `single` may be packed by the server, to be looked up many at
    /// once
    #[arg(long, value_name = "ENGINE", value_parser = EngineParser)]
    pub inputs: Option<Engine>,
    /// Width of the inputs in bits: the input modulus is 2^B
    #[arg(long, value_name = "B", group = "input", value_parser = clap::value_parser!(u32).range(1..=24))]
    pub bits: Option<u32>,
    /// Input modulus: values are 0..P-1
    #[arg(long, value_name = "P", group = "input", value_parser = clap::value_parser!(u64).range(2..=1 << 32))]
    pub modulus: Option<u64>,
    /// A table (.csv or .npy) to take the moduli from: inputs up to its largest
    #[arg(long, value_name = "FILE", group = "input")]
    pub table: Option<PathBuf>,
    /// Largest input that will be encrypted, where --table has smaller ones only; --default says what it gives
    #[arg(long, value_name = "N", requires = "table", value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    pub max_input: Option<u64>,
    /// How it is read.
    #[command(flatten)]
    pub reading: TableArgs,
    /// Width of the outputs in bits [default: as the inputs; enough for the entries of --table]
    #[arg(long, value_name = "B", conflicts_with = "output_modulus", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub output_bits: Option<u32>,
    /// Output modulus
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(2..=1 << 32))]
    pub output_modulus: Option<u64>,
    /// Values to be looked up at a time; few make smaller keys and faster lookups [default: as many as a
    /// packed ciphertext holds; 1 with --goal latency, or where no packed values are asked for]
    #[arg(long, visible_alias = "count", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub values: Option<u64>,
    /// Quantity to optimise [default: throughput]
    #[arg(long)]
    pub goal: Option<GoalArg>,
    /// log2 of the largest probability that a ciphertext fails, as -128: any of the 65,536 values of a packed
    /// one, the one value of the others [default: -64]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = log2_fail)]
    pub log2_fail: Option<f64>,
    /// Most memory that a lookup may take: bytes, or with a suffix, as in 6GB or 500MiB
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// Kind of tables: one for all values, one per value, or encrypted, so that the server applies them without reading
    /// them; for packed values. Keys for per-value and for encrypted tables are the same and serve all three kinds
    /// [default: shared]
    #[arg(long, value_name = "KIND")]
    pub table_kind: Option<TableKind>,
    /// Tables that every value is looked up in at once, for predictions [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub tables: Option<u16>,
    /// Lookups in a row, each of the result of the one before, that parameters have to admit [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub lookups_in_a_row: Option<u32>,
    /// How tables are evaluated, by the name that `plan` shows; akp, akp-2, akp-3, bmt or cmt of packed values
    /// [default: the fastest way]
    #[arg(long, alias = "variant", value_name = "NAME")]
    pub method: Option<String>,
    /// Ring degree of packed values: 32768, 65536 or 131072 [default: chosen]
    #[arg(long, value_name = "N")]
    pub ring_degree: Option<usize>,
    /// Width of the digits of a multiplexer tree over packed values in bits [default: chosen]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub digit_bits: Option<u32>,
}

/// Kind of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableKind {
    /// One for all values
    Shared,
    /// One for every value
    PerValue,
    /// Encrypted by the client: encrypt-table
    Encrypted,
}

impl From<TableKind> for EntryKind {
    fn from(kind: TableKind) -> Self {
        match kind {
            TableKind::Shared => Self::Shared,
            TableKind::PerValue => Self::Plain,
            TableKind::Encrypted => Self::Encrypted,
        }
    }
}

/// Quantity that a plan optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GoalArg {
    /// The least time for all values
    Throughput,
    /// The least time until the first value is there
    Latency,
}

impl From<GoalArg> for Goal {
    fn from(goal: GoalArg) -> Self {
        match goal {
            GoalArg::Throughput => Self::Throughput,
            GoalArg::Latency => Self::Latency,
        }
    }
}

/// Reads names of engines, and knows them for help and completions.
#[derive(Clone)]
pub(crate) struct EngineParser;

impl TypedValueParser for EngineParser {
    type Value = Engine;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Engine, clap::Error> {
        engine.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |engine: Engine| PossibleValue::new(engine.name()).help(engine.summary());
        Some(Box::new(Engine::ALL.into_iter().map(value)))
    }
}

fn engine(name: &str) -> Result<Engine, String> {
    match name {
        "bits" => Err("it is called leveled now".into()),
        _ => name.parse().map_err(|_| {
            let names = Engine::ALL.map(Engine::name).join(", ");
            format!("there are {names}")
        }),
    }
}

pub(crate) fn log2_fail(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|log2| (-1000.0..=-1.0).contains(log2));
    number.ok_or_else(|| "it must be a number from -1000 to -1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_have_names_and_one_had_another() {
        for known in Engine::ALL {
            assert_eq!(engine(known.name()), Ok(known));
        }
        assert_eq!(engine("bits").unwrap_err(), "it is called leveled now");
        assert_eq!(engine("x").unwrap_err(), "there are packed, single, leveled");
    }

    #[test]
    fn failures_are_rare() {
        assert_eq!(log2_fail("-128"), Ok(-128.0));
        assert!(log2_fail("64").is_err() && log2_fail("-0.5").is_err() && log2_fail("x").is_err());
    }
}
