//! `bench akp`, `bmt`, `cmt` and `mvb`: random tables on a full ciphertext of random values.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use clap::Args;
use cryptable::{
    Ciphertext, CostModel, EvaluationKey, Method, Parameters, PreparedTable, Progress, Request,
    SecretKey, Table,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::measurement::{Contract, Record, median, timed};
use crate::memory;

/// Arguments of the benchmarks of lookups.
#[derive(Debug, Args)]
pub struct LookupArguments {
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// Bits of outputs, if other than of inputs.
    #[arg(long)]
    output_bits: Option<u32>,
    /// Input modulus instead of a power of two.
    #[arg(long)]
    modulus: Option<u64>,
    /// Ring degree; the default of the parameters if left out.
    #[arg(long)]
    ring_degree: Option<usize>,
    /// Values a ciphertext; the ring degree if left out.
    #[arg(long)]
    count: Option<usize>,
    /// Bits of the digits of a multiplexer tree; the fastest if left out.
    #[arg(long)]
    digit_bits: Option<u32>,
    /// Tables on the same input.
    #[arg(long, default_value_t = 1)]
    tables: usize,
    /// Most bytes of memory that the parameters may be predicted to take.
    #[arg(long)]
    memory: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A benchmark: what its lines are called, and the method that it demands.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    pub name: &'static str,
    pub method: Option<Method>,
}

/// Runs a benchmark.
pub fn run(
    benchmark: Benchmark,
    arguments: &LookupArguments,
    threads: usize,
    json: bool,
) -> anyhow::Result<()> {
    let session = Session::prepare(&request(benchmark, arguments), arguments)?;
    let generation_peak = memory::peak_rss();
    let evaluation = session.evaluate(arguments.runs.max(1))?;
    let checked = session.check(&evaluation.results)?;
    let mut record = session.record(benchmark, &evaluation, &checked);
    record.contract.threads = threads;
    record.contract.peak_rss_bytes = generation_peak.max(evaluation.rss_bytes);
    record.contract.table = format!("random:{}", arguments.seed);
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        println!("{}", serde_json::to_string_pretty(&record)?);
    }
    anyhow::ensure!(
        record.contract.wrong == 0,
        "{} of {} values are wrong",
        checked.wrong,
        checked.values
    );
    Ok(())
}

/// Keys, tables and an encrypted input, and what they took.
struct Session {
    parameters: Parameters,
    secret: SecretKey,
    evaluation_key: EvaluationKey,
    tables: Vec<Table>,
    prepared: Vec<PreparedTable>,
    values: Vec<u64>,
    input: Ciphertext,
    keygen_s: f64,
    setup_s: f64,
    encrypt_s: f64,
}

/// Results of lookups, and what they took.
struct Evaluation {
    times: Vec<f64>,
    /// When each step of the last run was done.
    marks: Vec<Instant>,
    results: Vec<Ciphertext>,
    /// Seconds of u.
    unit: f64,
    rss_bytes: u64,
}

impl Session {
    fn prepare(request: &Request, arguments: &LookupArguments) -> anyhow::Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let parameters = Parameters::choose(request)?;
        let literal = parameters.literal();
        let (p, outputs) = (literal.input_modulus, literal.output_modulus);
        let tables = (0..arguments.tables.max(1))
            .map(|_| Table::from_fn(p, outputs, |_| rng.random_range(0..outputs)))
            .collect::<Result<Vec<_>, _>>()?;
        let values: Vec<u64> = (0..literal.slots).map(|_| rng.random_range(0..p)).collect();
        let (secret, evaluation_key, keygen_s, mut setup_s) = generate(&parameters)?;
        let (prepared, prepare_s) = timed(|| {
            let prepare = |table| evaluation_key.prepare(table);
            tables.iter().map(prepare).collect::<cryptable::Result<Vec<_>>>()
        });
        let prepared = prepared?;
        setup_s += prepare_s;
        let (input, encrypt_s) = timed(|| secret.encrypt(&values));
        let input = input?;
        Ok(Self {
            parameters,
            secret,
            evaluation_key,
            tables,
            prepared,
            values,
            input,
            keygen_s,
            setup_s,
            encrypt_s,
        })
    }

    fn evaluate(&self, runs: usize) -> anyhow::Result<Evaluation> {
        memory::reset_peak();
        let unit = cryptable::measure_unit();
        let (mut times, mut marks, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs {
            let new_marks = Mutex::new(Vec::new());
            let mark = |_, _| {
                new_marks.lock().expect("no panic under lock").push(Instant::now());
                ControlFlow::Continue(())
            };
            let tables: Vec<&PreparedTable> = self.prepared.iter().collect();
            let (outputs, time) = timed(|| {
                self.evaluation_key.lookup_many(&self.input, &tables, Progress::new(&mark))
            });
            results = outputs?;
            times.push(time);
            marks = new_marks.into_inner().expect("no panic under lock");
        }
        let unit = unit.min(cryptable::measure_unit());
        Ok(Evaluation { times, marks, results, unit, rss_bytes: memory::peak_rss() })
    }

    /// Decrypts all results and compares them with the tables.
    fn check(&self, results: &[Ciphertext]) -> anyhow::Result<Checked> {
        let mut checked = Checked { values: 0, wrong: 0, deviation: 0.0 };
        let mut squares = 0.0;
        for (table, result) in self.tables.iter().zip(results) {
            let expected: Vec<u64> =
                self.values.iter().map(|&v| table.values()[v as usize]).collect();
            let decrypted = self.secret.decrypt(result)?;
            checked.values += decrypted.len();
            checked.wrong += decrypted.iter().zip(&expected).filter(|(a, b)| a != b).count();
            squares += self.secret.errors(result, &expected)?.iter().map(|e| e * e).sum::<f64>();
        }
        checked.deviation = (squares / checked.values as f64).sqrt();
        Ok(checked)
    }

    fn record(&self, benchmark: Benchmark, evaluation: &Evaluation, checked: &Checked) -> Record {
        let (literal, failure) = (self.parameters.literal(), self.parameters.failure());
        let prediction = self.parameters.prediction_of(self.tables.len());
        let counts = self.parameters.operation_counts(self.tables.len());
        let model = CostModel::of_unit(evaluation.unit);
        let eval_s = median(&evaluation.times);
        let tree = literal.multiplexer.as_ref();
        let contract = Contract {
            method: benchmark.name.into(),
            bits_in: (literal.input_modulus as f64).log2(),
            bits_out: (literal.output_modulus as f64).log2(),
            modulus_in: literal.input_modulus,
            ring_degree: literal.ring_degree,
            slots: literal.slots,
            setup_s: self.setup_s,
            keygen_s: self.keygen_s,
            encrypt_s: self.encrypt_s,
            eval_s,
            runs: evaluation.times.len(),
            ms_per_value: eval_s * 1e3 / literal.slots as f64,
            unit_us: evaluation.unit * 1e6,
            eval_units: eval_s / evaluation.unit,
            eval_rss_bytes: evaluation.rss_bytes,
            eval_key_bytes: self.evaluation_key.memory_bytes(),
            input_bytes: prediction.ciphertext_bytes,
            output_bytes: prediction.result_bytes,
            values_checked: checked.values,
            wrong: checked.wrong,
            noise_std_log2: checked.deviation.log2(),
            predicted_noise_std_log2: failure.typical_ratio.log2(),
            log2_fail: failure.log2_fail(),
            security_bits: self.parameters.security_bits(),
            ..Contract::default()
        };
        Record {
            contract,
            tables: self.tables.len(),
            digits: tree.map(|tree| tree.digits.clone()).unwrap_or_default(),
            selectors: tree.map(|tree| tree.selectors.clone()).unwrap_or_default(),
            predicted_units: model.seconds(&prediction.work) / model.unit(),
            predicted_peak_bytes: prediction.peak_bytes(),
            steps: steps(&self.parameters, &evaluation.marks),
            counts: [
                counts.transforms,
                counts.limb_products,
                counts.key_switches,
                counts.table_products,
            ],
        }
    }
}

/// A client's keys, seconds of their generation, and seconds of what the server makes of them.
pub fn generate(
    parameters: &Parameters,
) -> cryptable::Result<(SecretKey, EvaluationKey, f64, f64)> {
    let start = Instant::now();
    let secret = SecretKey::generate(parameters);
    // The last report comes when all keys are there; matrices are encoded after it.
    let generated = Mutex::new(start);
    let mark = |_, _| {
        *generated.lock().expect("no panic under lock") = Instant::now();
        ControlFlow::Continue(())
    };
    let key = secret.evaluation_key(Progress::new(&mark))?;
    let generated = generated.into_inner().expect("no panic under lock");
    let (keygen, setup) = (generated - start, generated.elapsed());
    Ok((secret, key, keygen.as_secs_f64(), setup.as_secs_f64()))
}

fn request(benchmark: Benchmark, arguments: &LookupArguments) -> Request {
    let p = arguments.modulus.unwrap_or(1 << arguments.bits);
    let output = arguments.output_bits.map_or(p, |bits| 1 << bits);
    Request {
        ring_degree: arguments.ring_degree,
        count: arguments.count,
        method: benchmark.method,
        digit_bits: arguments.digit_bits,
        memory: arguments.memory,
        tables: arguments.tables.max(1),
        ..Request::new(p, output)
    }
}

/// What decryption says of all results.
struct Checked {
    values: usize,
    wrong: usize,
    /// Standard deviation of the error, in half steps.
    deviation: f64,
}

/// Seconds of each step of a lookup; the same step of all digits, and of all tables, together.
fn steps(parameters: &Parameters, marks: &[Instant]) -> Vec<(String, f64)> {
    let mut steps: Vec<(String, f64)> = Vec::new();
    let front = ["mod_raise", "coeffs_to_slots", "exponential"];
    let digits = parameters.literal().multiplexer.as_ref().map_or(0, |m| m.digits.len());
    for (index, pair) in marks.windows(2).enumerate() {
        let name = if digits == 0 {
            [&front[..], &["interpolation"]]
                .concat()
                .get(index)
                .copied()
                .unwrap_or("slots_to_coeffs")
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
