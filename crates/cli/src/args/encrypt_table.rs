//! The grammar of `encrypt-table`.

use std::path::PathBuf;

use clap::Args;

use super::common::OutputArgs;
use super::lookup::TableArgs;

/// Arguments of `encrypt-table`.
#[derive(Args, Debug)]
pub struct EncryptTableArgs {
    /// Client's secret key, from keygen --table-kind encrypted
    #[arg(long, alias = "key", value_name = "FILE")]
    pub secret: PathBuf,
    /// The table: .csv or .npy, as `lookup` reads it
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,
    #[command(flatten)]
    pub reading: TableArgs,
    /// Read one table per value: each line, or row of a .npy array, is the table of one value, with an output for every
    /// input
    #[arg(long, conflicts_with_all = ["default", "dictionary", "output_dictionary"])]
    pub per_value: bool,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Help of `encrypt-table`.
pub const ENCRYPT_TABLE: &str = "\
Examples:
  cryptable keygen --bits 8 --table-kind encrypted --secret client.key --evaluation server.key
  cryptable encrypt-table --secret client.key --table prices.csv --output prices.ct
  cryptable lookup --evaluation server.key --table prices.ct --input values.ct --output result.ct
  cryptable encrypt-table --secret client.key --per-value --table rows.npy --output rows.ct

The server learns the moduli and the number of tables, but not their outputs. One table serves any
number of values; with --per-value, the number of tables is at most the number of values in a
ciphertext.";
