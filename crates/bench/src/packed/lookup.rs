//! `bench akp`, `bmt`, `cmt` and `mvb`: random tables on a full ciphertext of random values.
//!
//! An evaluation is the work of a server for a client that sends tables with its values: the server prepares the tables and
//! looks the values up. `eval_s` is the time of both. `prepare_s` is the time of preparation alone, which a server that knows
//! its tables spends once.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;
use cryptable::engines::packed::{
    Ciphertext, CostModel, Method, Parameters, ParametersLiteral, PreparedTable, Progress, Request,
    Result, Table,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use super::keys::Keys;
use super::limits::LimitArguments;
use super::line::common;
use super::stages::{self, Speeds, Stage};
use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, timed};

/// Arguments of the benchmarks of lookups.
#[derive(Debug, Args)]
pub struct LookupArguments {
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// Bits of outputs [default: those of inputs].
    #[arg(long)]
    output_bits: Option<u32>,
    /// Input modulus instead of a power of two.
    #[arg(long)]
    modulus: Option<u64>,
    /// Ring degree [default: that of the parameters].
    #[arg(long)]
    ring_degree: Option<usize>,
    #[command(flatten)]
    limits: LimitArguments,
    /// Bits of the digits of a multiplexer tree [default: the fastest].
    #[arg(long)]
    digit_bits: Option<u32>,
    /// Number of tables on the same input.
    #[arg(long, default_value_t = 1)]
    tables: usize,
    /// Compute outputs in two halves, each by a table with half of the bits on the same input.
    #[arg(long)]
    halves: bool,
    /// Number of ciphertexts per input, each with some of the digits of a multiplexer tree.
    #[arg(long, default_value_t = 1)]
    parts: usize,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print a table of the counted and the measured cost of every stage; on one thread.
    #[arg(long)]
    stages: bool,
}

/// A benchmark: the name in its lines, and the method that it requires.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    pub name: &'static str,
    pub method: Option<Method>,
}

/// One line of lookups of packed values. `noise_std_log2` is for phases, in half steps of the output modulus.
#[derive(Debug, Serialize)]
struct Record {
    #[serde(flatten)]
    contract: Contract,
    /// Number of tables on the same input.
    tables: usize,
    /// Sizes of the digits; empty for AKP.
    digits: Vec<u64>,
    /// Number of digits per selector.
    selectors: Vec<usize>,
    /// Time that the planner predicts for all tables.
    predicted_units: f64,
    /// Peak memory that the planner predicts.
    predicted_peak_bytes: usize,
    /// Seconds of each step of the last run.
    steps: Vec<(String, f64)>,
    /// NTTs, limb products, key switches and table products that the dry run counts for all tables.
    counts: [usize; 4],
    /// Time and counts of every stage of the last run, if the arguments request them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<Stage>,
    /// All numbers of the parameters.
    literal: ParametersLiteral,
}

/// Runs a benchmark.
pub fn run(benchmark: Benchmark, arguments: &LookupArguments, json: bool) -> anyhow::Result<()> {
    let threads = rayon::current_num_threads();
    anyhow::ensure!(!arguments.stages || threads == 1, "--stages needs 1 thread, not {threads}");
    let parameters = Parameters::choose(&request(benchmark, arguments))?;
    let tree = parameters.literal().multiplexer.as_ref();
    // Digits of one bit make the binary tree, whichever benchmark was requested.
    let is_binary = tree.is_some_and(|tree| tree.digits.iter().all(|&digit| digit == 2));
    let name = if is_binary && arguments.tables <= 1 { "bmt" } else { benchmark.name };
    let record = measure(name, &parameters, arguments)?;
    if arguments.stages && !json {
        stages::print(&record.stages);
    }
    print_line(&record, json)
}

fn request(benchmark: Benchmark, arguments: &LookupArguments) -> Request {
    let p = arguments.modulus.unwrap_or(1 << arguments.bits);
    let output = arguments.output_bits.map_or(p, |bits| 1 << bits);
    let halves = if arguments.halves { 2 } else { 1 };
    // Like `Table::halves`.
    let output = if arguments.halves { 1 << bits_of(output).div_ceil(2) } else { output };
    Request {
        ring_degree: arguments.ring_degree,
        method: benchmark.method,
        digit_bits: arguments.digit_bits,
        tables: halves * arguments.tables.max(1),
        ..arguments.limits.request(p, output)
    }
}

/// Returns the bits of outputs below a modulus.
fn bits_of(modulus: u64) -> u32 {
    u64::BITS - (modulus - 1).leading_zeros()
}

/// Measures lookups with these parameters in the requested number of tables, and checks every value.
fn measure(
    name: &str,
    parameters: &Parameters,
    arguments: &LookupArguments,
) -> anyhow::Result<Record> {
    let session = Session::new(parameters, arguments)?;
    let mut evaluation = session.evaluate(arguments.runs.max(1))?;
    let checked = session.check(&evaluation.results)?;
    let of_stages = std::mem::take(&mut evaluation.stages);
    let mut record = session.record(evaluation, &checked);
    if arguments.stages {
        let unit = record.contract.unit_us * 1e-6;
        let speeds = Speeds::measure(record.literal.ring_degree, unit)?;
        record.stages = stages::stages(&speeds, parameters, record.tables, &of_stages);
    }
    record.contract.method = name.to_owned();
    record.contract.table = format!("random:{}", arguments.seed);
    if arguments.halves {
        record.contract.table += ", halves";
        record.contract.bits_out *= 2.0;
    }
    if arguments.parts > 1 {
        record.contract.method += ", input in parts";
    }
    Ok(record)
}

/// Keys, tables and an encrypted input, and the time that they took.
struct Session {
    keys: Keys,
    tables: Vec<Table>,
    values: Vec<u64>,
    /// The ciphertexts of the input: one, or several of some digits each.
    input: Vec<Ciphertext>,
    encrypt_s: f64,
}

/// Results of lookups, and the time that they took.
struct Evaluation {
    /// Seconds to prepare all tables.
    prepare_s: f64,
    runs: Runs,
    /// End of each step of the last run.
    marks: Vec<Instant>,
    /// Duration of each stage of the last run, if it ran on one thread.
    stages: Vec<(&'static str, Duration)>,
    results: Vec<Ciphertext>,
}

impl Session {
    fn new(parameters: &Parameters, arguments: &LookupArguments) -> anyhow::Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let (p, outputs) = (parameters.input_modulus(), parameters.output_modulus());
        let mut tables = Vec::new();
        for _ in 0..arguments.tables.max(1) {
            if arguments.halves {
                let whole = outputs * outputs;
                let whole = Table::from_fn(p, whole, |_| rng.random_range(0..whole))?;
                tables.extend(whole.halves()?);
            } else {
                tables.push(Table::from_fn(p, outputs, |_| rng.random_range(0..outputs))?);
            }
        }
        let slots = parameters.literal().slots;
        let values: Vec<u64> = (0..slots).map(|_| rng.random_range(0..p)).collect();
        let keys = Keys::generate(parameters)?;
        let (input, encrypt_s) = timed(|| keys.encrypt_in_parts(&values, arguments.parts.max(1)));
        Ok(Self { keys, tables, values, input: input?, encrypt_s })
    }

    fn parameters(&self) -> &Parameters {
        self.keys.evaluation_key.parameters()
    }

    fn evaluate(&self, runs: usize) -> Result<Evaluation> {
        let (mut timed_runs, key) = (Runs::start(), &self.keys.evaluation_key);
        let (prepared, prepare_s) = timed(|| {
            let prepare = |table| key.prepare(table);
            self.tables.iter().map(prepare).collect::<Result<Vec<PreparedTable>>>()
        });
        let prepared = prepared?;
        let tables: Vec<&PreparedTable> = prepared.iter().collect();
        let (mut marks, mut stages, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs {
            let new_marks = Mutex::new(Vec::new());
            let mark = |_, _| {
                new_marks.lock().expect("no panic under lock").push(Instant::now());
                ControlFlow::Continue(())
            };
            let progress = Progress::new(&mark);
            let look_up = || match self.input.as_slice() {
                [whole] => key.lookup_many(whole, &tables, progress),
                parts => key.lookup_digits(parts, &tables, progress),
            };
            let (outputs, of_stages) = timed_runs.time(|| cryptable_ckks::stages::timed(look_up));
            (results, stages) = (outputs?, of_stages);
            marks = new_marks.into_inner().expect("no panic under lock");
        }
        Ok(Evaluation { prepare_s, runs: timed_runs, marks, stages, results })
    }

    /// Decrypts all results and compares them with the tables; errors are in half steps.
    fn check(&self, results: &[Ciphertext]) -> anyhow::Result<Checked> {
        let secret = &self.keys.secret;
        let mut checked = Checked::default();
        for (table, result) in self.tables.iter().zip(results) {
            let expected: Vec<u64> =
                self.values.iter().map(|&value| table.values()[value as usize]).collect();
            checked.compare(&secret.decrypt(result)?, &expected);
            checked.errors(secret.errors(result, &expected)?);
        }
        Ok(checked)
    }

    fn record(&self, evaluation: Evaluation, checked: &Checked) -> Record {
        let parameters = self.parameters();
        let literal = parameters.literal();
        let prediction = parameters.prediction_of(self.tables.len());
        let counts = parameters.operation_counts(self.tables.len());
        let tree = literal.multiplexer.as_ref();
        let mut contract = Contract {
            encrypt_s: self.encrypt_s,
            prepare_s: evaluation.prepare_s,
            input_bytes: self.input.len() * prediction.ciphertext_bytes,
            output_bytes: prediction.result_bytes,
            predicted_noise_std_log2: Some(parameters.failure().typical_ratio.log2()),
            ..common(parameters, &self.keys)
        };
        checked.enter(&mut contract, 1.0);
        let unit = evaluation.runs.enter(&mut contract, literal.slots, evaluation.prepare_s);
        let model = CostModel::of_unit(unit);
        Record {
            contract,
            tables: self.tables.len(),
            digits: tree.map(|tree| tree.digits.clone()).unwrap_or_default(),
            selectors: tree.map(|tree| tree.selectors.clone()).unwrap_or_default(),
            predicted_units: model.seconds(&prediction.work) / model.unit(),
            predicted_peak_bytes: prediction.peak_bytes_on(rayon::current_num_threads()),
            steps: steps(parameters, self.tables.len(), &evaluation.marks),
            counts: [
                counts.transforms,
                counts.limb_products + counts.conversion_products,
                counts.key_switches,
                counts.table_products,
            ],
            stages: Vec::new(),
            literal: literal.clone(),
        }
    }
}

/// Returns the seconds of each step of a lookup, added up over all digits and all tables.
fn steps(parameters: &Parameters, tables: usize, marks: &[Instant]) -> Vec<(String, f64)> {
    let mut steps: Vec<(String, f64)> = Vec::new();
    let front = ["mod_raise", "coeffs_to_slots", "exponential"];
    let digits = parameters.literal().multiplexer.as_ref().map_or(0, |m| m.digits.len());
    let last = marks.len().saturating_sub(1);
    for (index, pair) in marks.windows(2).enumerate() {
        let name = if digits == 0 {
            // For each exponential, powers and every table; then two steps per table.
            match front.get(index) {
                Some(&name) => name,
                None if index + 2 * tables < last => "interpolation",
                None if (last - index).is_multiple_of(2) => "slots_to_coeffs",
                None => "modulus_switch",
            }
        } else if index < 5 * digits {
            [&front[..], &["deltas", "digit_to_coeffs"]].concat()[index % 5]
        } else if index == 5 * digits {
            "selectors"
        } else {
            "tree_and_slots_to_coeffs"
        };
        let seconds = (pair[1] - pair[0]).as_secs_f64();
        match steps.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum += seconds,
            None => steps.push((name.into(), seconds)),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use cryptable::engines::packed::MultiplexerLiteral;

    use super::*;
    use crate::contract::tests::{check_line, parsed};

    fn arguments(tables: usize) -> LookupArguments {
        LookupArguments { tables, ..parsed("--bits 4 --runs 2") }
    }

    fn check(name: &str, parameters: &Parameters, tables: usize) -> Record {
        let record = measure(name, parameters, &arguments(tables)).unwrap();
        check_line(&record);
        let Contract { values_checked, slots, prepare_s, .. } = record.contract;
        assert_eq!((values_checked, record.tables), (tables * slots, tables));
        assert!(prepare_s > 0.0);
        let seconds: f64 = record.steps.iter().map(|step| step.1).sum();
        assert!(seconds > 0.0 && record.counts[0] > 0);
        record
    }

    #[test]
    fn interpolation_of_two_tables() {
        let parameters = Parameters::insecure_toy_of(16, 16, 1024, 64).unwrap();
        let record = check("mvb", &parameters, 2);
        assert!(record.digits.is_empty());
        let names: Vec<&str> = record.steps.iter().map(|step| step.0.as_str()).collect();
        let expected = [
            "mod_raise",
            "coeffs_to_slots",
            "exponential",
            "interpolation",
            "slots_to_coeffs",
            "modulus_switch",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn stages_share_out_counts_and_time() {
        let parameters = Parameters::insecure_toy_of(16, 16, 1024, 64).unwrap();
        let arguments = LookupArguments { stages: true, ..arguments(2) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let record = pool.install(|| measure("mvb", &parameters, &arguments)).unwrap();
        let (all, parts) = record.stages.split_last().unwrap();
        let names: Vec<&str> = parts.iter().map(|stage| stage.stage.as_str()).collect();
        let expected = [
            "mod_raise",
            "coeffs_to_slots",
            "chebyshev_series",
            "doublings",
            "interpolation",
            "powers",
            "slots_to_coeffs",
            "modulus_switch",
        ];
        assert_eq!(names, expected);
        let sum = |count: fn(&Stage) -> usize| parts.iter().map(count).sum::<usize>();
        assert_eq!(sum(|stage| stage.transforms), all.transforms);
        assert_eq!(sum(|stage| stage.limb_products), all.limb_products);
        assert_eq!(all.transforms, record.counts[0]);
        assert!(all.units > 0.0 && all.arithmetic_units > 0.0 && all.memory_units > 0.0);
    }

    #[test]
    fn multiplexer_tree() {
        let tree = MultiplexerLiteral {
            digits: vec![4, 4],
            selectors: vec![1, 1],
            ..MultiplexerLiteral::default()
        };
        let parameters = Parameters::insecure_toy_tree(16, 1024, 64, tree, 0).unwrap();
        let record = check("cmt", &parameters, 1);
        assert_eq!((record.digits, record.literal.exponential_cleanings), (vec![4, 4], 0));
        assert_eq!(record.steps.last().unwrap().0, "tree_and_slots_to_coeffs");
    }

    #[test]
    fn halves_of_outputs_and_inputs_in_parts() {
        let tree = MultiplexerLiteral {
            digits: vec![4, 2, 2],
            selectors: vec![1, 2],
            ..MultiplexerLiteral::default()
        };
        let parameters = Parameters::insecure_toy_tree(16, 1024, 64, tree, 0).unwrap();
        let arguments = LookupArguments { halves: true, parts: 2, ..arguments(1) };
        let record = measure("cmt", &parameters, &arguments).unwrap();
        check_line(&record);
        let Contract { values_checked, bits_out, method, .. } = record.contract;
        assert_eq!((record.tables, values_checked, bits_out), (2, 128, 8.0));
        assert_eq!(method, "cmt, input in parts");
    }

    #[test]
    fn requests_follow_arguments() {
        let benchmark = Benchmark { name: "cmt", method: Some(Method::Cmt) };
        let of = |arguments| request(benchmark, &arguments);
        let request = of(LookupArguments { output_bits: Some(3), ..arguments(8) });
        assert_eq!((request.input_modulus, request.output_modulus), (16, 8));
        assert_eq!((request.tables, request.method), (8, Some(Method::Cmt)));
        let request = of(LookupArguments { output_bits: Some(15), halves: true, ..arguments(1) });
        assert_eq!((request.output_modulus, request.tables), (256, 2));
        let request = of(LookupArguments { modulus: Some(10), ..arguments(0) });
        assert_eq!((request.input_modulus, request.output_modulus, request.tables), (10, 10, 1));
    }
}
