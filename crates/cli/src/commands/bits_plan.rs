//! `cryptable plan --mode bits`: what a table on values bit by bit will take.

use std::fmt;

use cryptable::bits;
use cryptable_circuit::parameters::{CircuitParameters, LOG2_FAIL};
use serde::Serialize;

use super::compare::{Comparison, Machine};
use super::warning;
use crate::mode::Mode;
use crate::report::{bytes, hex, seconds};

/// Of circuits on bits.
#[derive(Serialize)]
pub struct CircuitReport {
    pub lwe_dimension: usize,
    pub ring_degree: usize,
    pub log2_prime: f64,
    pub security_bits: f64,
    /// Of a value, or of a circuit bootstrap where values are unknown.
    pub log2_fail: f64,
}

impl CircuitReport {
    /// What people ask of parameters.
    pub fn new(parameters: &CircuitParameters) -> Self {
        let fhew = parameters.parameters();
        Self {
            lwe_dimension: fhew.lwe_dimension(),
            ring_degree: fhew.ring_degree(),
            log2_prime: fhew.log2_prime(),
            security_bits: parameters.security_bits(),
            log2_fail: LOG2_FAIL,
        }
    }
}

impl fmt::Display for CircuitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "              dimension {}, ring degree {}, prime of {:.0} bits, {}{:.1} bits of security, failures below 2^{:.1}",
            self.lwe_dimension,
            self.ring_degree,
            self.log2_prime,
            warning(self.security_bits),
            self.security_bits,
            self.log2_fail
        )
    }
}

/// Numbers of parameters for values bit by bit.
#[derive(Serialize)]
pub struct BitsParameters {
    pub mode: Mode,
    pub set: &'static str,
    pub input_modulus: u64,
    pub output_modulus: u64,
    #[serde(flatten)]
    pub circuit: CircuitReport,
    pub bootstraps: usize,
    pub cmuxes: usize,
    pub key_file_bytes: u64,
    pub parameter_digest: String,
}

impl BitsParameters {
    /// What people ask of parameters.
    pub fn new(parameters: &bits::Parameters) -> Self {
        let (prediction, log2_fail) = (parameters.prediction(), parameters.log2_fail());
        Self {
            mode: Mode::Bits,
            set: parameters.name(),
            input_modulus: parameters.input_modulus(),
            output_modulus: parameters.output_modulus(),
            circuit: CircuitReport { log2_fail, ..CircuitReport::new(parameters.circuit()) },
            bootstraps: prediction.bootstraps,
            cmuxes: prediction.cmuxes,
            key_file_bytes: prediction.key_file_bytes as u64,
            parameter_digest: hex(&parameters.digest()),
        }
    }
}

/// One way to evaluate the table.
#[derive(Serialize)]
struct Candidate {
    #[serde(flatten)]
    parameters: BitsParameters,
    /// Predicted time of a value in units, on one thread.
    eval_units: f64,
    /// Predicted time of a value, on one thread.
    ms_per_value: f64,
    /// Predicted time of all values on `threads` threads.
    eval_s: f64,
    key_memory_bytes: u64,
    table_bytes: u64,
    peak_bytes: u64,
}

/// What is printed.
#[derive(Serialize)]
pub struct Plan {
    values: u64,
    threads: usize,
    /// Measured unit in microseconds.
    unit_us: f64,
    /// Bytes of a result.
    result_bytes: u64,
    /// The chosen way.
    #[serde(flatten)]
    chosen: Candidate,
    /// All ways to evaluate the table, the chosen one first.
    candidates: Vec<Candidate>,
    #[serde(flatten)]
    comparison: Comparison,
}

/// Predicted time of so many values: their bits share out among the threads.
pub fn eval_seconds(parameters: &bits::Parameters, values: u64, machine: &Machine) -> f64 {
    let prediction = parameters.prediction();
    let parts = values.saturating_mul(prediction.bootstraps as u64);
    prediction.eval_units * machine.unit * values as f64 / machine.speedup(parts)
}

impl Plan {
    /// Of all ways, the chosen one first.
    pub fn new(
        all: &[bits::Parameters],
        values: u64,
        machine: &Machine,
        comparison: Comparison,
    ) -> Self {
        let candidate = |parameters: &bits::Parameters| {
            let prediction = parameters.prediction();
            Candidate {
                parameters: BitsParameters::new(parameters),
                eval_units: prediction.eval_units,
                ms_per_value: prediction.eval_units * machine.unit * 1e3,
                eval_s: eval_seconds(parameters, values, machine),
                key_memory_bytes: prediction.key_memory_bytes as u64,
                table_bytes: prediction.table_bytes as u64,
                peak_bytes: prediction.peak_bytes() as u64,
            }
        };
        Self {
            values,
            threads: machine.threads,
            unit_us: machine.unit * 1e6,
            result_bytes: all[0].prediction().result_bytes as u64,
            chosen: candidate(&all[0]),
            candidates: all.iter().map(candidate).collect(),
            comparison,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (chosen, parameters) = (&self.chosen, &self.chosen.parameters);
        let BitsParameters { input_modulus, output_modulus, circuit, .. } = parameters;
        writeln!(
            f,
            "table                {input_modulus} -> {output_modulus}, every value bit by bit"
        )?;
        writeln!(
            f,
            "parameters           {}: dimension {}, ring degree {}, prime of {:.0} bits",
            parameters.set, circuit.lwe_dimension, circuit.ring_degree, circuit.log2_prime
        )?;
        writeln!(
            f,
            "a value              {} circuit bootstraps, {} CMUXes",
            parameters.bootstraps, parameters.cmuxes
        )?;
        let security = circuit.security_bits;
        writeln!(f, "security             {}{security:.1} bits", warning(security))?;
        writeln!(f, "failure probability  at most 2^{:.1} a value", circuit.log2_fail)?;
        writeln!(f, "evaluation key       {} on disk", bytes(parameters.key_file_bytes))?;
        writeln!(f, "result               {} a value", bytes(self.result_bytes))?;
        writeln!(
            f,
            "peak memory          {} (key {}, table {})",
            bytes(chosen.peak_bytes),
            bytes(chosen.key_memory_bytes),
            bytes(chosen.table_bytes)
        )?;
        write!(f, "predicted time       {:.1} ms a value on 1 thread", chosen.ms_per_value)?;
        if self.threads > 1 || self.values > 1 {
            let (time, count, threads) = (seconds(chosen.eval_s), self.values, self.threads);
            let plural = if count == 1 { "" } else { "s" };
            write!(f, ", {time} for {count} value{plural} on {threads}")?;
        }
        writeln!(f, " ({:.0} units of {:.1} us)", chosen.eval_units, self.unit_us)?;
        if self.candidates.len() > 1 {
            self.write_candidates(f)?;
        }
        write!(f, "{}", self.comparison)
    }
}

impl Plan {
    /// All ways side by side.
    fn write_candidates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{:<10} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9}",
            "set", "ms/value", "all", "memory", "key file", "failure", "security"
        )?;
        for line in &self.candidates {
            let circuit = &line.parameters.circuit;
            writeln!(
                f,
                "{:<10} {:>10.1} {:>10} {:>10} {:>9} {:>9} {:>9.1}",
                line.parameters.set,
                line.ms_per_value,
                seconds(line.eval_s),
                bytes(line.peak_bytes),
                bytes(line.parameters.key_file_bytes),
                format!("2^{:.1}", circuit.log2_fail),
                circuit.security_bits
            )?;
        }
        Ok(())
    }
}
