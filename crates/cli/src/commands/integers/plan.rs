//! `cryptable integers plan`: what every operation takes.

use std::fmt;

use anyhow::Result;
use clap::ValueEnum as _;
use cryptable::integers::{AnyColumn, ColumnKind, DryRun, Evaluator, LookupModel, Outline};
use cryptable::{CostModel, Parameters};
use serde::Serialize;

use super::job::{self, Job, Public};
use super::parameters;
use crate::args::Global;
use crate::args::integers::{IntegerOperation, IntegersPlanArgs};
use crate::commands::{parameters::ParameterReport, threads};
use crate::report;

/// Pieces of the function that is planned.
const PIECES: i128 = 5;

/// Predicts and prints.
///
/// # Errors
/// If nothing serves the request.
pub fn run(global: Global, args: &IntegersPlanArgs) -> Result<()> {
    let parameters = parameters(&args.digits)?;
    let kind = ColumnKind::new(args.bits, args.signed)?;
    report::result(global, &Report::new(kind, &parameters, threads(global))?)
}

#[derive(Serialize)]
struct Report {
    #[serde(rename = "type")]
    kind: String,
    digit_bits: u32,
    #[serde(flatten)]
    parameters: ParameterReport,
    threads: usize,
    memory_bytes: usize,
    key_file_bytes: usize,
    operations: Vec<OperationReport>,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct OperationReport {
    operation: String,
    lookups: usize,
    tables: usize,
    /// Predicted, of a full ciphertext.
    eval_s: f64,
    /// Of any integer of a full ciphertext.
    log2_fail: f64,
}

impl Report {
    fn new(kind: ColumnKind, parameters: &Parameters, threads: usize) -> Result<Self> {
        let cost = CostModel::calibrated();
        let prediction = parameters.prediction();
        let (model, values): (&(dyn LookupModel + Sync), usize) = match parameters {
            Parameters::Single(single) => (&**single, 1),
            other => (other.packed()?, parameters.values_per_ciphertext()),
        };
        let count = values as u64;
        let seconds = |tables: usize| match parameters {
            Parameters::Packed(packed) => {
                packed.prediction_of(tables).duration(&cost, count, threads).as_secs_f64()
            }
            _ => tables as f64 * prediction.duration(&cost, count, threads).as_secs_f64(),
        };
        let mut operations = Vec::new();
        let mut digit_bits = 0;
        for &operation in IntegerOperation::value_variants() {
            let dry_run = DryRun::new(model, values);
            let server = Evaluator::new(&dry_run)?;
            digit_bits = server.digit_bits();
            let result = apply(operation, kind, (&dry_run, &server))?;
            let lookups = dry_run.lookups();
            operations.push(OperationReport {
                operation: operation.name(),
                lookups: lookups.len(),
                tables: lookups.iter().sum(),
                eval_s: lookups.iter().map(|&tables| seconds(tables)).sum(),
                log2_fail: dry_run.failure_probability(result.ciphertexts())?.log2(),
            });
        }
        Ok(Self {
            kind: kind.to_string(),
            digit_bits,
            parameters: ParameterReport::new(parameters),
            threads,
            memory_bytes: prediction.peak_bytes(),
            key_file_bytes: prediction.key_file_bytes,
            operations,
            text: parameters.to_string(),
        })
    }
}

/// The operation on fresh columns: shifts by encrypted amounts, a function of some pieces.
fn apply(
    operation: IntegerOperation,
    kind: ColumnKind,
    (dry_run, server): (&DryRun<'_>, &Evaluator<'_, DryRun<'_>>),
) -> Result<AnyColumn<Outline>> {
    let most = 1 << (server.digit_bits() - u32::from(server.digit_bits() > 1));
    let pieces: Vec<(i128, i64)> = (0..PIECES.min(most)).map(|i| (i * 20, 1 + i as i64)).collect();
    let job = Job::new(operation, kind, Public { pieces: &pieces, ..Public::default() })?;
    let columns = job::fresh(dry_run, server, &job::operand_kinds(operation, kind))?;
    job.apply(server, &columns)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.parameters.values_per_ciphertext;
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        writeln!(f, "{} in digits of {} bits", self.kind, self.digit_bits)?;
        writeln!(f, "  {}", self.text)?;
        writeln!(
            f,
            "  {:.1} GB of memory, evaluation key of {:.1} GB",
            gigabytes(self.memory_bytes),
            gigabytes(self.key_file_bytes)
        )?;
        let threads = report::counted(self.threads as u64, "thread");
        writeln!(f, "  {values} integers at once, {threads}, predicted:")?;
        for OperationReport { operation, lookups, tables, eval_s, log2_fail } in &self.operations {
            writeln!(
                f,
                "    {operation:<10}{lookups:>5} lookups, {tables:>5} tables {eval_s:>9.1} s  fails with 2^{log2_fail:.1}"
            )?;
        }
        Ok(())
    }
}
