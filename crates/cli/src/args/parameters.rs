//! Requirements for parameters: options of `plan` and `keygen`.

use std::path::PathBuf;

use clap::Args;
use cryptable::engines::packed::EntryKind;
use cryptable::{Engine, Goal};

use super::common::{choice, engine, log2_fail, memory_size};
use super::lookup::TableArgs;

/// Requirements for parameters.
#[derive(Args, Clone, Debug)]
pub struct ParameterArgs {
    /// Engine, which determines how values are encrypted; all other commands read it from their files
    #[arg(long, value_name = "ENGINE", value_parser = engine())]
    pub mode: Option<Engine>,
    /// Engine that encrypts the values; the server can pack values of `single` to look up many of them at once
    #[arg(long, value_name = "ENGINE", value_parser = engine())]
    pub inputs: Option<Engine>,
    /// Width of the inputs in bits: the input modulus is 2^B
    #[arg(long, value_name = "B", group = "input", value_parser = clap::value_parser!(u32).range(1..=24))]
    pub bits: Option<u32>,
    /// Input modulus: values are 0 .. P - 1
    #[arg(long, value_name = "P", group = "input", value_parser = clap::value_parser!(u64).range(2..=1 << 32))]
    pub modulus: Option<u64>,
    /// Table (.csv or .npy) that determines the moduli: inputs go up to the largest one that it lists
    #[arg(long, value_name = "FILE", group = "input")]
    pub table: Option<PathBuf>,
    /// Largest input that will be encrypted, if --table lists only smaller ones; inputs that it does not list map to
    /// --default
    #[arg(long, value_name = "N", requires = "table", value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    pub max_input: Option<u64>,
    #[command(flatten)]
    pub reading: TableArgs,
    /// Width of the outputs in bits [default: that of the inputs, or enough for the entries of --table]
    #[arg(long, value_name = "B", conflicts_with = "output_modulus", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub output_bits: Option<u32>,
    /// Output modulus
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(2..=1 << 32))]
    pub output_modulus: Option<u64>,
    /// Number of values per lookup; few values need smaller keys and less time [default: a full packed ciphertext; 1
    /// with --goal latency or without the packed engine]
    #[arg(long, visible_alias = "count", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub values: Option<u64>,
    /// Number of lookups with one key, each of --values values; for few lookups, the engine with smaller keys may be
    /// the best [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub lookups: Option<u64>,
    /// Bytes per second at which the evaluation key is sent to the server, such as 12MB; plans then include the time
    /// for sending it [default: none]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub bandwidth: Option<usize>,
    /// Quantity to optimise [default: throughput]
    #[arg(long, value_parser = choice([
        ("throughput", "Least time for all values", Goal::Throughput),
        ("latency", "Least time to the first result", Goal::Latency),
    ]))]
    pub goal: Option<Goal>,
    /// log2 of the maximum failure probability per ciphertext, such as -128: the probability that any of the 65,536
    /// values of a packed ciphertext, or the one value of any other, is wrong [default: -64]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = log2_fail)]
    pub log2_fail: Option<f64>,
    /// Maximum memory of a lookup, including keys, such as 6GB or 500MiB [default: all memory of this machine]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// Kind of tables, for packed values: one for all values, one per value, or encrypted, so that the server applies
    /// them without reading them. Keys for per-value and for encrypted tables are the same, and serve all three kinds
    /// [default: shared]
    #[arg(long, value_name = "KIND", value_parser = choice([
        ("shared", "One table for all values", EntryKind::Shared),
        ("per-value", "One table per value", EntryKind::Plain),
        ("encrypted", "Tables that the client encrypts with `encrypt-table`", EntryKind::Encrypted),
    ]))]
    pub table_kind: Option<EntryKind>,
    /// Support outputs with a real and an imaginary part, both in one result (`lookup --imaginary`); for packed values,
    /// with half as many values per ciphertext
    #[arg(long)]
    pub complex_outputs: bool,
    /// Hide the table from the client, who learns f(x) and nothing else about the table, up to a statistical distance
    /// of 2^-BITS per lookup (BITS is 40 if the option has no value); for packed values of up to 10 bits, and for
    /// single values [default: the noise of results depends on the table]
    #[arg(long, value_name = "BITS", num_args = 0..=1, default_missing_value = "40", require_equals = true,
        value_parser = clap::value_parser!(u32).range(20..=128))]
    pub hide_table: Option<u32>,
    /// Number of tables per lookup, for predictions [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub tables: Option<u16>,
    /// Number of successive lookups, each on the result of the previous one, that the parameters must support
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub lookups_in_a_row: Option<u32>,
    /// Number of values in the longest words that `automaton` reads, with engine `leveled`; predicted times are those
    /// of lookups [default: keys for lookups only]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub word_length: Option<u32>,
    /// Name of the method, as `plan` shows it; for packed values akp, akp-2, akp-3, bmt or cmt [default: the fastest]
    #[arg(long, alias = "variant", value_name = "NAME")]
    pub method: Option<String>,
    /// Ring degree of packed values: 32768, 65536 or 131072 [default: the fastest]
    #[arg(long, value_name = "N")]
    pub ring_degree: Option<usize>,
    /// Bits per digit of a multiplexer tree over packed values [default: the fastest]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub digit_bits: Option<u32>,
}
