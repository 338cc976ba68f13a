//! `cryptable plan --mode bits`: what a table on values bit by bit will take.

use std::fmt;

use cryptable::leveled;
use cryptable_lattice::cost::CostModel;
use cryptable_leveled::parameters::{CircuitBootstrappingParameters, LOG2_FAIL};
use serde::Serialize;

use super::compare::{Comparison, Machine};
use super::value_plan::{PredictedTime, ValuePlan};
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
    pub fn new(parameters: &CircuitBootstrappingParameters) -> Self {
        let fhew = parameters.fhew();
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
    pub set: String,
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
    pub fn new(parameters: &leveled::Parameters) -> Self {
        let (prediction, log2_fail) = (parameters.prediction(), parameters.log2_fail());
        Self {
            mode: Mode::Bits,
            set: set_name(parameters),
            input_modulus: parameters.input_modulus(),
            output_modulus: parameters.output_modulus(),
            circuit: CircuitReport {
                log2_fail,
                ..CircuitReport::new(parameters.circuit_bootstrapping())
            },
            bootstraps: parameters.bootstraps(),
            cmuxes: parameters.cmuxes(),
            key_file_bytes: prediction.key_file_bytes as u64,
            parameter_digest: hex(&parameters.digest()),
        }
    }
}

/// One way to evaluate the table.
#[derive(Serialize)]
pub struct Candidate {
    #[serde(flatten)]
    parameters: BitsParameters,
    #[serde(flatten)]
    time: PredictedTime,
    key_memory_bytes: u64,
    table_bytes: u64,
    peak_bytes: u64,
}

/// What is printed.
pub type Plan = ValuePlan<Candidate>;

/// The name that `--variant` takes.
fn set_name(parameters: &leveled::Parameters) -> String {
    parameters.parameter_set().map_or_else(|| "other".to_owned(), |set| set.to_string())
}

/// Predicted time of a value in u.
fn eval_units(parameters: &leveled::Parameters) -> f64 {
    CostModel::of_unit(1.0).seconds(&parameters.prediction().work)
}

/// Predicted time of so many values: their bits share out among the threads.
pub fn eval_seconds(parameters: &leveled::Parameters, values: u64, machine: &Machine) -> f64 {
    let prediction = parameters.prediction();
    let parts = values.saturating_mul(prediction.parallelism as u64);
    eval_units(parameters) * machine.unit * values as f64 / machine.speedup(parts)
}

impl ValuePlan<Candidate> {
    /// Of all ways, the chosen one first.
    pub fn new(
        all: &[leveled::Parameters],
        values: u64,
        machine: &Machine,
        comparison: Comparison,
    ) -> Self {
        let candidate = |parameters: &leveled::Parameters| {
            let prediction = parameters.prediction();
            Candidate {
                parameters: BitsParameters::new(parameters),
                time: PredictedTime::new(
                    eval_units(parameters),
                    eval_seconds(parameters, values, machine),
                    machine,
                ),
                key_memory_bytes: prediction.key_memory_bytes as u64,
                table_bytes: parameters.table_bytes() as u64,
                peak_bytes: prediction.peak_bytes() as u64,
            }
        };
        let result_bytes = all[0].prediction().result_bytes as u64;
        Self::of(all, candidate, result_bytes, (values, machine), comparison)
    }
}

impl fmt::Display for ValuePlan<Candidate> {
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
        self.write_time(f, chosen.time)?;
        if self.candidates.len() > 1 {
            self.write_candidates(f)?;
        }
        write!(f, "{}", self.comparison)
    }
}

impl ValuePlan<Candidate> {
    /// All ways side by side.
    fn write_candidates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{:<18} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9}",
            "set", "ms/value", "all", "memory", "key file", "failure", "security"
        )?;
        for line in &self.candidates {
            let circuit = &line.parameters.circuit;
            writeln!(
                f,
                "{:<18} {:>10.1} {:>10} {:>10} {:>9} {:>9} {:>9.1}",
                line.parameters.set,
                line.time.ms_per_value,
                seconds(line.time.eval_s),
                bytes(line.peak_bytes),
                bytes(line.parameters.key_file_bytes),
                format!("2^{:.1}", circuit.log2_fail),
                circuit.security_bits
            )?;
        }
        Ok(())
    }
}
