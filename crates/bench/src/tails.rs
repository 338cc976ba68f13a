//! `bench tails`: errors of many results beside the law of noise from which failure probabilities are computed.
//!
//! A failure with a probability of 2^-64 is never observed. The same law predicts how often errors exceed three to six
//! standard deviations, and their fourth moment; both can be measured.

mod bits;
mod bridges;
mod comparisons;
mod conversions;
mod entries;
mod integers;
mod leveled;
mod method;
mod packed;
mod single;
mod subject;
#[cfg(test)]
mod tests;
mod vectors;

use clap::{Args, ValueEnum};
use cryptable::engines::packed::ParametersLiteral;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use serde::Serialize;

use crate::contract::{Contract, print_lines};
use crate::packed::limits::LimitArguments;
use method::TailMethod;

/// Least number of errors that are measured by default.
const SAMPLES: usize = 5000;

/// Arguments of `bench tails`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    cryptable --threads 2 --json bench tails --method akp --bits 11\n  \
    cryptable bench tails --method cmt --bits 12 --table random\n  \
    cryptable bench tails --method tables-encrypted --bits 8\n  \
    cryptable bench tails --method maximum --bits 16\n  \
    cryptable bench tails --method integers-mul --bits 8\n  \
    cryptable bench tails --method gate-boot\n  \
    cryptable bench tails --method packed-signs --bits 8\n  \
    cryptable bench tails --method 'FDFB-BFVMult, interleaved' --bits 4 --samples 5000\n  \
    cryptable bench tails --method cmux-tree --bits 8")]
pub struct TailArguments {
    /// Name of the method: a table, comparison, integer, bit or vector operation, or a step of a bridge. An unknown
    /// name prints all names.
    #[arg(long)]
    method: String,
    /// Bits of inputs and outputs; ignored by bits in slots and CKKS bootstraps.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// Table and inputs: those with the most noise, or random ones.
    #[arg(long, value_enum, default_value_t = TableChoice::Worst)]
    table: TableChoice,
    /// Number of errors to measure [default: two evaluations, but at least 5000].
    #[arg(long)]
    samples: Option<usize>,
    /// Seed of random tables and inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
}

/// Table that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableChoice {
    /// Outputs as far apart as they can be.
    Worst,
    /// Uniformly random outputs.
    Random,
}

impl TailArguments {
    /// Returns the table's name in lines.
    fn table_name(&self) -> String {
        match self.table {
            TableChoice::Worst => "worst".to_owned(),
            TableChoice::Random => format!("random:{}", self.seed),
        }
    }

    /// Returns the number of lookups to measure, at least two, if each yields `of_lookup` errors and `usual` errors are the
    /// default.
    fn lookups(&self, usual: usize, of_lookup: usize) -> usize {
        self.samples.unwrap_or(usual).div_ceil(of_lookup).max(2)
    }
}

/// One line. Deviations and noise are in half steps, the distance to a wrong value.
#[derive(Debug, Serialize)]
struct TailRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Name of the law with which the errors are compared.
    prediction: &'static str,
    #[serde(flatten)]
    statistics: NoiseStatistics,
    /// Memory that the planner predicts, for packed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted_peak_bytes: Option<usize>,
    /// All numbers of the parameters, for packed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    literal: Option<ParametersLiteral>,
}

impl TailRecord {
    /// Creates a line for the arguments' table. The noise in its contract comes from the statistics.
    fn new(
        arguments: &TailArguments,
        contract: Contract,
        prediction: &'static str,
        statistics: NoiseStatistics,
    ) -> Self {
        let contract = Contract {
            table: arguments.table_name(),
            values_checked: statistics.samples,
            noise_std_log2: statistics.deviation.log2(),
            predicted_noise_std_log2: Some(statistics.predicted_deviation.log2()),
            ..contract
        };
        Self { contract, prediction, statistics, predicted_peak_bytes: None, literal: None }
    }
}

/// Runs the experiment, and prints a line per part of results.
pub fn run(arguments: &TailArguments, json: bool) -> anyhow::Result<()> {
    let bits = arguments.bits;
    anyhow::ensure!((1..=64).contains(&bits), "--bits is {bits}; it must be from 1 to 64");
    let records = TailMethod::parse(&arguments.method, bits)?.run(arguments)?;
    print_lines(&records, json)
}
