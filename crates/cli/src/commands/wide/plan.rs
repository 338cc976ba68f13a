//! `cryptable wide plan`: what dictionaries and structured tables take.

use std::fmt;

use anyhow::Result;
use cryptable::CostModel;
use cryptable::wide::{Plan, Request};
use serde::Serialize;

use crate::args::Global;
use crate::args::wide::WideArgs;
use crate::commands::parameters::ParameterReport;
use crate::commands::threads;
use crate::report::{self, bytes, counted, seconds};

/// Predicts and prints.
///
/// # Errors
/// If nothing serves the request.
pub fn run(global: Global, args: &WideArgs) -> Result<()> {
    report::result(global, &Report::new(&choose(args)?, threads(global))?)
}

/// The fastest parameters for dictionaries of such keys and values.
///
/// # Errors
/// If nothing serves the request.
pub fn choose(args: &WideArgs) -> Result<Plan> {
    let mut request = Request::new(args.bits).log2_fail(args.log2_fail);
    if let Some(bits) = args.value_bits {
        request = request.value_bits(bits);
    }
    if let Some(values) = args.values {
        request = request.values(values as usize);
    }
    if let Some(memory) = args.memory {
        request = request.memory(memory);
    }
    if args.insecure_toy {
        request = request.insecure_toy();
    }
    Ok(request.plan()?)
}

#[derive(Serialize)]
struct Report {
    bits: u32,
    value_bits: u32,
    /// Bits of a word: a dictionary has up to 2 to this power entries.
    word_bits: u32,
    #[serde(flatten)]
    parameters: ParameterReport,
    threads: usize,
    memory_bytes: usize,
    key_file_bytes: usize,
    /// Of a dictionary on all values of a ciphertext: the same as `log2_fail`.
    log2_fail_lookup: f64,
    tables: Vec<TableReport>,
    /// What a table without structure would take at least, which is not looked up.
    arbitrary_table_s: f64,
}

/// A kind of table.
#[derive(Serialize)]
struct TableReport {
    table: &'static str,
    lookups: usize,
    /// Predicted, of a full ciphertext.
    eval_s: f64,
}

impl Report {
    fn new(plan: &Plan, threads: usize) -> Result<Self> {
        let (prediction, packed) = (plan.prediction(), plan.parameters().packed()?);
        // A dictionary's, not those of one of its lookups, which parameters state.
        let whole = plan.failure_probability();
        let table = |found: cryptable::wide::PlannedTable| TableReport {
            table: found.name,
            lookups: found.lookups,
            eval_s: found.duration.as_secs_f64(),
        };
        Ok(Self {
            bits: plan.bits(),
            value_bits: plan.value_bits(),
            word_bits: plan.modulus().ilog2(),
            threads,
            memory_bytes: prediction.peak_bytes(),
            key_file_bytes: prediction.key_file_bytes,
            log2_fail_lookup: whole.log2(),
            tables: plan.tables(threads)?.into_iter().map(table).collect(),
            arbitrary_table_s: CostModel::calibrated().seconds(&packed.arbitrary_table_work()),
            parameters: ParameterReport {
                log2_fail: whole.log2(),
                log2_fail_per_value: plan.value_failure_probability().log2(),
                ..ParameterReport::new(plan.parameters())
            },
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bits, value_bits, word_bits, .. } = self;
        writeln!(
            f,
            "values of {bits} bits in words of {word_bits}, of a dictionary of up to 2^{word_bits} entries to {value_bits} bits"
        )?;
        for TableReport { table, lookups, eval_s } in &self.tables {
            writeln!(f, "  {table}: {lookups} lookups, {}", seconds(*eval_s))?;
        }
        writeln!(
            f,
            "  a table without structure would take {} at least on one thread: it is refused",
            seconds(self.arbitrary_table_s)
        )?;
        writeln!(f, "  method {}, {}", self.parameters.named_method, self.parameters.security())?;
        writeln!(
            f,
            "  any value of a dictionary's ciphertext of {} fails with probability 2^{:.1}",
            self.parameters.values_per_ciphertext, self.log2_fail_lookup
        )?;
        write!(
            f,
            "  {} of memory, evaluation key of {}, on {}",
            bytes(self.memory_bytes as u64),
            bytes(self.key_file_bytes as u64),
            counted(self.threads as u64, "thread")
        )
    }
}
