//! `cryptable plan`: what a table will take, before anything is generated.

use std::fmt;

use cryptable::{CostModel, Parameters, ParametersLiteral};
use serde::Serialize;

use super::compare::{Comparison, Machine};
use super::warning;
use crate::report::{bytes, hex, seconds};

/// What is printed.
#[derive(Serialize)]
pub struct Plan {
    parameters: ParametersLiteral,
    parameter_digest: String,
    log2_modulus: f64,
    security_bits: f64,
    log2_fail: f64,
    values: u64,
    ciphertexts: u64,
    transforms: usize,
    key_switches: usize,
    /// Predicted time of one ciphertext in units.
    eval_units: f64,
    /// Measured unit in microseconds.
    unit_us: f64,
    threads: usize,
    /// Predicted time of all ciphertexts on one thread.
    eval_s_one_thread: f64,
    /// Predicted time of all ciphertexts on `threads` threads.
    eval_s: f64,
    key_file_bytes: u64,
    key_memory_bytes: u64,
    working_bytes: u64,
    peak_bytes: u64,
    ciphertext_bytes: u64,
    result_bytes: u64,
    /// All ways to evaluate the table, the chosen one first.
    candidates: Vec<CandidateLine>,
    #[serde(flatten)]
    comparison: Comparison,
}

/// Ciphertexts that so many values take.
fn ciphertexts_of(parameters: &Parameters, values: u64) -> u64 {
    values.div_ceil(parameters.literal().slots as u64)
}

/// Predicted time of so many values: threads share out the work of each ciphertext.
pub fn eval_seconds(parameters: &Parameters, values: u64, machine: &Machine) -> f64 {
    let one = CostModel::of_unit(machine.unit).seconds(&parameters.prediction().work);
    one * ciphertexts_of(parameters, values) as f64 / machine.speedup(u64::MAX)
}

/// One way to evaluate the table.
#[derive(Serialize)]
struct CandidateLine {
    name: String,
    digits: Vec<u64>,
    selectors: Vec<usize>,
    eval_units: f64,
    eval_s_one_thread: f64,
    eval_s: f64,
    ms_per_value: f64,
    peak_bytes: u64,
    key_memory_bytes: u64,
    transforms: usize,
    key_switches: usize,
    security_bits: f64,
    log2_fail: f64,
}

impl CandidateLine {
    /// Times are of all ciphertexts, `seconds_per_unit` on one thread.
    fn new(parameters: &Parameters, ciphertexts: u64, seconds_per_unit: f64, speedup: f64) -> Self {
        let (literal, prediction) = (parameters.literal(), parameters.prediction());
        let tree = literal.multiplexer.as_ref();
        let counts = parameters.operation_counts(1);
        let model = CostModel::of_unit(seconds_per_unit);
        let one = model.seconds(&prediction.work);
        Self {
            name: literal.name.split('_').next().unwrap_or_default().into(),
            digits: tree.map(|tree| tree.digits.clone()).unwrap_or_default(),
            selectors: tree.map(|tree| tree.selectors.clone()).unwrap_or_default(),
            eval_units: one / seconds_per_unit,
            eval_s_one_thread: one * ciphertexts as f64,
            eval_s: one * ciphertexts as f64 / speedup,
            ms_per_value: one * 1e3 / literal.slots as f64 / speedup,
            peak_bytes: prediction.peak_bytes() as u64,
            key_memory_bytes: prediction.key_memory_bytes as u64,
            transforms: counts.transforms,
            key_switches: counts.key_switches,
            security_bits: parameters.security_bits(),
            log2_fail: parameters.failure().log2_fail(),
        }
    }

    /// `16x16x32`, runs of equal digits as `8^6`.
    fn digits_name(&self) -> String {
        let runs = self.digits.chunk_by(|a, b| a == b);
        let names: Vec<String> = runs
            .map(|run| match run.len() {
                1 => run[0].to_string(),
                count => format!("{}^{count}", run[0]),
            })
            .collect();
        names.join(" x ")
    }
}

impl Plan {
    /// Of all ways, the chosen one first; for one full ciphertext if no number of values is given.
    pub fn new(
        all: &[Parameters],
        values: Option<u64>,
        machine: &Machine,
        comparison: Comparison,
    ) -> Self {
        let parameters = &all[0];
        let prediction = parameters.prediction();
        let values = values.unwrap_or(parameters.literal().slots as u64);
        let ciphertexts = ciphertexts_of(parameters, values);
        let Machine { unit, threads } = *machine;
        let counts = parameters.operation_counts(1);
        let one = CostModel::of_unit(unit).seconds(&prediction.work);
        let eval_s_one_thread = one * ciphertexts as f64;
        let speedup = machine.speedup(u64::MAX);
        Self {
            parameters: parameters.literal().clone(),
            parameter_digest: hex(&parameters.digest()),
            log2_modulus: parameters.log2_modulus(),
            security_bits: parameters.security_bits(),
            log2_fail: parameters.failure().log2_fail(),
            values,
            ciphertexts,
            transforms: counts.transforms,
            key_switches: counts.key_switches,
            eval_units: one / unit,
            unit_us: unit * 1e6,
            threads,
            eval_s_one_thread,
            eval_s: eval_s_one_thread / speedup,
            key_file_bytes: prediction.key_file_bytes as u64,
            key_memory_bytes: prediction.key_memory_bytes as u64,
            working_bytes: prediction.working_bytes as u64,
            peak_bytes: prediction.peak_bytes() as u64,
            ciphertext_bytes: prediction.ciphertext_bytes as u64,
            result_bytes: prediction.result_bytes as u64,
            candidates: all
                .iter()
                .map(|parameters| CandidateLine::new(parameters, ciphertexts, unit, speedup))
                .collect(),
            comparison,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let literal = &self.parameters;
        writeln!(
            f,
            "table                {} -> {}",
            literal.input_modulus, literal.output_modulus
        )?;
        writeln!(f, "parameters           {}", literal.name)?;
        writeln!(
            f,
            "ring degree          {}, modulus of {:.0} bits",
            literal.ring_degree, self.log2_modulus
        )?;
        writeln!(
            f,
            "security             {}{:.1} bits",
            warning(self.security_bits),
            self.security_bits
        )?;
        writeln!(f, "failure probability  at most 2^{:.1} a value", self.log2_fail)?;
        writeln!(
            f,
            "values               {} in {} of {} values each",
            self.values,
            ciphertexts(self.ciphertexts),
            literal.slots
        )?;
        writeln!(
            f,
            "evaluation key       {} on disk, {} in memory",
            bytes(self.key_file_bytes),
            bytes(self.key_memory_bytes)
        )?;
        writeln!(
            f,
            "ciphertext           {}, result {}",
            bytes(self.ciphertext_bytes),
            bytes(self.result_bytes)
        )?;
        writeln!(
            f,
            "peak memory          {} (key {}, temporaries {})",
            bytes(self.peak_bytes),
            bytes(self.key_memory_bytes),
            bytes(self.working_bytes)
        )?;
        write!(f, "predicted time       {} on 1 thread", seconds(self.eval_s_one_thread))?;
        if self.threads > 1 {
            write!(f, ", {} on {}", seconds(self.eval_s), self.threads)?;
        }
        writeln!(
            f,
            " ({:.0} units of {:.1} us and {} key switches a ciphertext)",
            self.eval_units, self.unit_us, self.key_switches
        )?;
        if self.candidates.len() > 1 {
            self.write_candidates(f)?;
        }
        write!(f, "{}", self.comparison)
    }
}

impl Plan {
    /// All ways side by side.
    fn write_candidates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = format!("{} threads", self.threads);
        writeln!(
            f,
            "\n{:<7} {:<18} {:>12} {:>12} {:>10} {:>11} {:>9} {:>8} {:>8} {:>9}",
            "method",
            "digits",
            "1 thread",
            threads,
            "ms/value",
            "memory",
            "keys",
            "NTTs",
            "switches",
            "failure"
        )?;
        for line in &self.candidates {
            writeln!(
                f,
                "{:<7} {:<18} {:>12} {:>12} {:>10.3} {:>11} {:>9} {:>8} {:>8} {:>9}",
                line.name,
                line.digits_name(),
                seconds(line.eval_s_one_thread),
                seconds(line.eval_s),
                line.ms_per_value,
                bytes(line.peak_bytes),
                bytes(line.key_memory_bytes),
                line.transforms,
                line.key_switches,
                format!("2^{:.1}", line.log2_fail)
            )?;
        }
        Ok(())
    }
}

/// `1 ciphertext`, `2 ciphertexts`.
pub fn ciphertexts(count: u64) -> String {
    format!("{count} ciphertext{}", if count == 1 { "" } else { "s" })
}
