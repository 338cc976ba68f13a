//! Plans of circuits: predictions for a circuit before any key is generated.

use std::fmt;

use anyhow::Result;
use cryptable::bits::{Packing, Parameters};
use cryptable::circuits::{Candidate, Candidates, Circuit, Statistics};
use cryptable::{KeyParameters, Request};
use serde::Serialize;

use super::netlist_file;
use super::sets;
use crate::args::Global;
use crate::args::circuit::CircuitJobArgs;
use crate::commands::parameters::{self, ParameterReport};
use crate::commands::planned_job::PlannedJob;
use crate::progress;
use crate::report::{bytes, seconds};

/// Plans keys, and predicts a circuit with them.
pub fn plan(global: Global, args: &CircuitJobArgs) -> Result<PlannedJob> {
    let Some(netlist) = &args.netlist else {
        let parameters = match args.set {
            Some(set) => set.parameters()?,
            None => Parameters::insecure_toy(Packing::Real)?,
        };
        let report = ParameterReport::new(&parameters);
        return Ok(PlannedJob::new(parameters, "as asked for", report));
    };
    let circuits = netlist_file::read_path(netlist, args.top.as_deref(), args.s_box)?;
    let spinner = progress::spinner(global, "planning");
    let request = sets::request(&circuits, args.set, args.schedule, args.insecure_toy);
    let candidates = args.words.into_iter().fold(request, Request::values).plan()?;
    spinner.finish_and_clear();
    let best = KeyParameters::from(candidates.best()?);
    let reason = format!("the fastest for {}", circuits[0].name());
    Ok(PlannedJob::new(best, reason, Report::new(&circuits[0], &candidates, args.words)))
}

/// The report of a circuit.
#[derive(Debug, Serialize)]
pub struct CircuitReport {
    circuit: String,
    input_bits: usize,
    output_bits: usize,
    ands: usize,
    xors: usize,
    disjoint_ors: usize,
    majorities: usize,
    tables: usize,
    depth: usize,
    /// Summary for people.
    #[serde(skip)]
    summary: String,
}

impl CircuitReport {
    /// Creates the report of a circuit.
    pub fn new(circuit: &Circuit) -> Self {
        let counts = circuit.statistics();
        let Statistics { ands, xors, unions, majorities, tables, depth, .. } = counts;
        Self {
            circuit: circuit.name().to_owned(),
            input_bits: circuit.input_bits(),
            output_bits: circuit.output_bits(),
            ands,
            xors,
            disjoint_ors: unions,
            majorities,
            tables,
            depth,
            summary: circuit.to_string(),
        }
    }
}

impl fmt::Display for CircuitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

/// The report of a circuit's plan with one parameter set.
#[derive(Debug, Serialize)]
pub struct PlanReport {
    set: &'static str,
    ring_degree: usize,
    security_bits: f64,
    words_at_once: usize,
    steps: usize,
    bootstraps: usize,
    products: usize,
    tables: usize,
    cleanings: usize,
    /// Predicted seconds on one thread for one batch of `words_at_once` words.
    batch_s_one_thread: f64,
    memory_bytes: usize,
    ciphertext_memory_bytes: usize,
    key_memory_bytes: usize,
    /// Bytes of all input bits of a batch.
    input_bytes: usize,
    adders: usize,
    log2_fail_word: f64,
    /// Base-2 logarithm of the probability that any output of any word of a ciphertext is wrong.
    log2_fail: f64,
    #[serde(skip)]
    security: String,
    #[serde(skip)]
    table: String,
}

impl PlanReport {
    /// Creates the report of a candidate.
    pub fn new(candidate: &Candidate) -> Self {
        let Candidate { name, parameters, plan } = candidate;
        let inputs = plan.input_levels();
        let (counts, literal) = (plan.counts(), parameters.literal());
        Self {
            set: name,
            ring_degree: literal.ring_degree,
            security_bits: parameters.security_bits(),
            words_at_once: plan.words(),
            steps: plan.steps().len(),
            bootstraps: counts.bootstraps(),
            products: counts.products,
            tables: counts.tables,
            cleanings: counts.cleanings,
            batch_s_one_thread: plan.seconds(),
            memory_bytes: plan.memory_bytes(),
            ciphertext_memory_bytes: plan.ciphertext_bytes(),
            key_memory_bytes: plan.key_bytes(),
            input_bytes: inputs.iter().map(|&levels| parameters.ciphertext_bytes(levels)).sum(),
            adders: counts.adders,
            log2_fail_word: plan.word_failure().log2(),
            log2_fail: plan.failure().log2(),
            security: parameters::security(literal.security, parameters.security_bits()),
            table: plan.to_string(),
        }
    }
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.table)?;
        writeln!(
            f,
            "  parameters   set {}, ring degree {}, {}",
            self.set, self.ring_degree, self.security
        )?;
        write!(
            f,
            "  here         {} on one thread for {} words, whose inputs take {}",
            seconds(self.batch_s_one_thread),
            self.words_at_once,
            bytes(self.input_bytes as u64)
        )
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    circuit: CircuitReport,
    /// Number of words as requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<u64>,
    candidates: Vec<PlanReport>,
    refused: Vec<Refusal>,
    #[serde(skip)]
    seconds: Vec<f64>,
}

/// A parameter set that cannot run the circuit.
#[derive(Serialize)]
struct Refusal {
    set: &'static str,
    reason: String,
}

impl Report {
    fn new(circuit: &Circuit, candidates: &Candidates, words: Option<u64>) -> Self {
        let refusal = |(set, error): &(&'static str, _)| {
            let error: &cryptable::circuits::PlanError = error;
            Refusal { set, reason: error.to_string() }
        };
        Self {
            circuit: CircuitReport::new(circuit),
            words,
            candidates: candidates.found.iter().map(PlanReport::new).collect(),
            refused: candidates.refused.iter().map(refusal).collect(),
            seconds: candidates.found.iter().map(|found| found.seconds(words)).collect(),
        }
    }

    /// Writes a table with one line per set.
    fn compare(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.words.is_some() { "all words" } else { "1000 words" };
        let factor = if self.words.is_some() { 1.0 } else { 1e3 };
        writeln!(
            f,
            "\n  {:<13}{:>8} {:>11} {:>9} {:>12} {:>12} {:>10} {:>10}",
            "set", "words", "bootstraps", "products", "one batch", unit, "memory", "failure"
        )?;
        for (plan, time) in self.candidates.iter().zip(&self.seconds) {
            writeln!(
                f,
                "  {:<13}{:>8} {:>11} {:>9} {:>12} {:>12} {:>10} {:>10}",
                plan.set,
                plan.words_at_once,
                plan.bootstraps,
                plan.products,
                seconds(plan.batch_s_one_thread),
                seconds(time * factor),
                bytes(plan.memory_bytes as u64),
                format!("2^{:.0}", plan.log2_fail)
            )?;
        }
        for Refusal { set, reason } in &self.refused {
            writeln!(f, "  {set:<13}{reason}")?;
        }
        write!(f, "\nTimes are predicted for this machine on one thread. ")?;
        write!(f, "Failure: of any output of any word of a batch.")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.circuit)?;
        writeln!(f, "{}", self.candidates[0])?;
        if let Some(words) = self.words {
            let batches = words.div_ceil(self.candidates[0].words_at_once as u64);
            let time = seconds(self.seconds[0]);
            writeln!(f, "  words        {words} in {batches} batches: {time} on one thread")?;
        }
        if self.candidates.len() + self.refused.len() > 1 {
            self.compare(f)?;
        }
        Ok(())
    }
}
