//! `cryptable plan --mode single`: what a table of single values will take.

use std::fmt;

use cryptable::single;
use cryptable_lattice::cost::CostModel;
use serde::Serialize;

use super::compare::{Comparison, Machine};
use super::value_plan::{PredictedTime, ValuePlan};
use super::warning;
use crate::mode::Mode;
use crate::report::{bytes, hex, seconds};

/// Numbers of parameters for single values.
#[derive(Serialize)]
pub struct SingleParameters {
    pub mode: Mode,
    pub method: &'static str,
    pub input_modulus: u64,
    pub output_modulus: u64,
    pub lwe_dimension: usize,
    pub log2_lwe_modulus: u32,
    pub ring_degree: usize,
    pub log2_prime: f64,
    pub rotations: usize,
    pub security_bits: f64,
    pub log2_fail: f64,
    pub key_file_bytes: u64,
    pub parameter_digest: String,
}

impl SingleParameters {
    /// What people ask of parameters.
    pub fn new(parameters: &single::Parameters) -> Self {
        let fhew = parameters.fhew();
        Self {
            mode: Mode::Single,
            method: parameters.method().name(),
            input_modulus: parameters.input_modulus(),
            output_modulus: parameters.output_modulus(),
            lwe_dimension: fhew.lwe_dimension(),
            log2_lwe_modulus: fhew.literal().log2_lwe_modulus,
            ring_degree: fhew.ring_degree(),
            log2_prime: fhew.log2_prime(),
            rotations: parameters.method().rotations(),
            security_bits: parameters.security_bits(),
            log2_fail: parameters.log2_fail(),
            key_file_bytes: parameters.prediction().key_file_bytes as u64,
            parameter_digest: hex(&parameters.digest()),
        }
    }
}

/// One way to evaluate the table.
#[derive(Serialize)]
pub struct Candidate {
    #[serde(flatten)]
    parameters: SingleParameters,
    #[serde(flatten)]
    time: PredictedTime,
}

/// What is printed.
pub type Plan = ValuePlan<Candidate>;

/// Predicted time of one value on one thread, in u.
fn eval_units(parameters: &single::Parameters, machine: &Machine) -> f64 {
    let model = CostModel::of_unit(machine.unit);
    model.seconds(&parameters.prediction().work) / model.unit()
}

/// Predicted time of so many values: they share out among the threads; one value takes one.
pub fn eval_seconds(parameters: &single::Parameters, values: u64, machine: &Machine) -> f64 {
    eval_units(parameters, machine) * machine.unit * values as f64 / machine.speedup(values)
}

impl ValuePlan<Candidate> {
    /// Of all ways, the chosen one first.
    pub fn new(
        all: &[single::Parameters],
        values: u64,
        machine: &Machine,
        comparison: Comparison,
    ) -> Self {
        let candidate = |parameters: &single::Parameters| {
            let eval_s = eval_seconds(parameters, values, machine);
            Candidate {
                parameters: SingleParameters::new(parameters),
                time: PredictedTime::new(eval_units(parameters, machine), eval_s, machine),
            }
        };
        let numbers = SingleParameters::new(&all[0]);
        let result_bits = (numbers.lwe_dimension as u64 + 1) * u64::from(numbers.log2_lwe_modulus);
        Self::of(all, candidate, result_bits.div_ceil(8), (values, machine), comparison)
    }
}

impl fmt::Display for ValuePlan<Candidate> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (chosen, parameters) = (&self.chosen, &self.chosen.parameters);
        let SingleParameters { input_modulus, output_modulus, .. } = *parameters;
        writeln!(
            f,
            "table                {input_modulus} -> {output_modulus}, every value by itself"
        )?;
        writeln!(
            f,
            "method               {}, {} rotation{}",
            parameters.method,
            parameters.rotations,
            if parameters.rotations == 1 { "" } else { "s" }
        )?;
        writeln!(
            f,
            "parameters           dimension {}, modulus of {} bits; ring degree {}, prime of {:.0} bits",
            parameters.lwe_dimension,
            parameters.log2_lwe_modulus,
            parameters.ring_degree,
            parameters.log2_prime
        )?;
        let security = parameters.security_bits;
        writeln!(f, "security             {}{security:.1} bits", warning(security))?;
        writeln!(f, "failure probability  at most 2^{:.1} a value", parameters.log2_fail)?;
        writeln!(f, "evaluation key       {} on disk", bytes(parameters.key_file_bytes))?;
        writeln!(f, "result               {} a value", bytes(self.result_bytes))?;
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
            "\n{:<26} {:>10} {:>10} {:>9} {:>9} {:>6} {:>9} {:>9}",
            "method", "ms/value", "all", "rotations", "dimension", "ring", "key file", "failure"
        )?;
        for line in &self.candidates {
            let parameters = &line.parameters;
            writeln!(
                f,
                "{:<26} {:>10.1} {:>10} {:>9} {:>9} {:>6} {:>9} {:>9}",
                parameters.method,
                line.time.ms_per_value,
                seconds(line.time.eval_s),
                parameters.rotations,
                parameters.lwe_dimension,
                parameters.ring_degree,
                bytes(parameters.key_file_bytes),
                format!("2^{:.1}", parameters.log2_fail)
            )?;
        }
        Ok(())
    }
}
