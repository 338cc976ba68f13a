//! `cryptable plan`: what a table will take, before anything is generated.

use std::fmt;

use anyhow::Result;
use cryptable::{Parameters, ParametersLiteral, measure_unit};
use serde::Serialize;

use super::{choose_parameters, threads, warning};
use crate::args::{Global, PlanArgs};
use crate::report::{self, bytes, hex, seconds};

/// Speed-up of a lookup for each doubling of the threads.
const SPEEDUP_PER_DOUBLING: f64 = 1.8;

/// Predicts and prints.
///
/// # Errors
/// If no parameters serve the request.
pub fn run(global: Global, args: &PlanArgs) -> Result<()> {
    let parameters = choose_parameters(&args.parameters)?;
    let slots = parameters.literal().slots as u64;
    let values = args.parameters.count.unwrap_or(slots);
    let ciphertexts = values.div_ceil(slots);
    report::result(global, &Plan::new(&parameters, values, ciphertexts, threads(global)))
}

#[derive(Serialize)]
struct Plan {
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
    matrix_bytes: u64,
    working_bytes: u64,
    peak_bytes: u64,
    ciphertext_bytes: u64,
    result_bytes: u64,
}

impl Plan {
    fn new(parameters: &Parameters, values: u64, ciphertexts: u64, threads: usize) -> Self {
        let prediction = parameters.prediction();
        let unit = measure_unit();
        let eval_s_one_thread = prediction.eval_units * unit * ciphertexts as f64;
        let speedup = (threads as f64).powf(SPEEDUP_PER_DOUBLING.log2());
        Self {
            parameters: parameters.literal().clone(),
            parameter_digest: hex(&parameters.digest()),
            log2_modulus: parameters.log2_modulus(),
            security_bits: parameters.security_bits(),
            log2_fail: parameters.failure().log2_fail(),
            values,
            ciphertexts,
            transforms: prediction.transforms,
            key_switches: prediction.key_switches,
            eval_units: prediction.eval_units,
            unit_us: unit * 1e6,
            threads,
            eval_s_one_thread,
            eval_s: eval_s_one_thread / speedup,
            key_file_bytes: prediction.key_file_bytes as u64,
            key_memory_bytes: prediction.key_memory_bytes as u64,
            matrix_bytes: prediction.matrix_bytes as u64,
            working_bytes: prediction.working_bytes as u64,
            peak_bytes: prediction.peak_bytes() as u64,
            ciphertext_bytes: prediction.ciphertext_bytes as u64,
            result_bytes: prediction.result_bytes as u64,
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
            "peak memory          {} (key {}, matrices {}, temporaries {})",
            bytes(self.peak_bytes),
            bytes(self.key_memory_bytes),
            bytes(self.matrix_bytes),
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
        )
    }
}

/// `1 ciphertext`, `2 ciphertexts`.
pub fn ciphertexts(count: u64) -> String {
    format!("{count} ciphertext{}", if count == 1 { "" } else { "s" })
}
