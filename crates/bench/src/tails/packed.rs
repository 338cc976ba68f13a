//! Tails of packed values.

use cryptable::engines::packed::{Method, Parameters, Progress, Request, Table};
use cryptable_lattice::noise_law::NoiseLaw;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::statistics::Statistics;
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::measurement::{UnitSampler, median, timed};
use crate::memory;
use crate::packed::keys::Keys;
use crate::packed::line;

/// Largest tables whose own noise is predicted: larger random ones are all alike, and take long.
const MAX_OWN_TABLE: u64 = 1 << 8;

/// Measures lookups of a method with the planner's parameters.
pub fn run(name: &str, arguments: &TailArguments) -> anyhow::Result<TailRecord> {
    let (method, order) = Method::parse_with_order(name)?;
    let modulus = 1 << arguments.bits;
    let request = arguments.limits.request(modulus, modulus);
    let parameters = Parameters::choose(&Request { method: Some(method), order, ..request })?;
    measure(&parameters, arguments)
}

/// A table, and the values that it is looked up at.
struct Job {
    table: Table,
    values: Vec<u64>,
}

impl Job {
    /// The worst table has the largest output at one value, where all inputs are, and the least elsewhere.
    fn new(parameters: &Parameters, arguments: &TailArguments) -> anyhow::Result<Self> {
        let (p, outputs) = (parameters.input_modulus(), parameters.output_modulus());
        let slots = parameters.literal().slots;
        if arguments.table == TableChoice::Worst {
            let (peak, least) = (p / 3, outputs / 2);
            let output = |x| if x == peak { (least + outputs - 1) % outputs } else { least };
            return Ok(Self {
                table: Table::from_fn(p, outputs, output)?,
                values: vec![peak; slots],
            });
        }
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let table = Table::from_fn(p, outputs, |_| rng.random_range(0..outputs))?;
        Ok(Self { table, values: (0..slots).map(|_| rng.random_range(0..p)).collect() })
    }
}

/// The law of errors in half steps, what it is, and the bound on what table and inputs fix.
struct Prediction {
    law: NoiseLaw,
    name: &'static str,
    bias: f64,
}

impl Prediction {
    fn new(parameters: &Parameters, job: &Job, table: TableChoice) -> anyhow::Result<Self> {
        let bound = parameters.result_noise(parameters.fresh_noise(parameters.input_modulus()));
        let half_steps = 2.0 * parameters.output_modulus() as f64;
        let (law, bias) = (bound.law().times(half_steps), bound.bias() * half_steps);
        if table == TableChoice::Worst {
            return Ok(Self { law, name: "law of the worst table", bias });
        }
        let (deviation, name) = if parameters.table_modulus() <= MAX_OWN_TABLE {
            let deviation = parameters.noise_of_table(&job.table)?;
            (deviation, "law of the worst table, scaled to the deviation of this table")
        } else {
            let deviation = parameters.failure().typical_ratio;
            (deviation, "law of the worst table, scaled to the deviation of random tables")
        };
        Ok(Self { law: law.times(deviation / law.deviation()), name, bias })
    }
}

/// Measures lookups with these parameters: the same values each time, in fresh ciphertexts under one key.
pub fn measure(parameters: &Parameters, arguments: &TailArguments) -> anyhow::Result<TailRecord> {
    let job = Job::new(parameters, arguments)?;
    let prediction = Prediction::new(parameters, &job, arguments.table)?;
    let keys = Keys::generate(parameters)?;
    let peak_rss_bytes = memory::peak_rss();
    memory::reset_peak();
    let expected: Vec<u64> =
        job.values.iter().map(|&value| job.table.values()[value as usize]).collect();
    let mut unit = UnitSampler::start();
    let (prepared, prepare_s) = timed(|| keys.evaluation_key.prepare(&job.table));
    let prepared = prepared?;
    let (mut times, mut errors, mut wrong) = (Vec::new(), Vec::new(), 0);
    let mut contract = line::common(parameters, &keys);
    for _ in 0..arguments.lookups(2 * job.values.len(), job.values.len()) {
        let (input, encrypt_s) = timed(|| keys.secret.encrypt(&job.values));
        let input = input?;
        let lookup = || keys.evaluation_key.lookup(&input, &prepared, Progress::silent());
        let (result, time) = timed(lookup);
        let result = result?;
        times.push(time);
        errors.push(keys.secret.errors(&result, &expected)?);
        let decrypted = keys.secret.decrypt(&result)?;
        wrong += decrypted.iter().zip(&expected).filter(|(a, b)| a != b).count();
        contract.encrypt_s = encrypt_s;
        contract.input_bytes = input.to_bytes().len();
        contract.output_bytes = result.to_bytes().len();
        unit.sample_if_due();
    }
    let mut statistics = Statistics::new(&errors, prediction.law, true);
    let deviation = prediction.law.deviation();
    statistics.fixed_bound_deviations = Some(prediction.bias / deviation);
    let eval_rss_bytes = memory::peak_rss();
    contract.peak_rss_bytes = peak_rss_bytes.max(eval_rss_bytes);
    contract = Contract { prepare_s, eval_rss_bytes, wrong, ..contract };
    let eval_s = prepare_s + median(&times);
    contract.set_time(eval_s, times.len(), job.values.len(), unit.finish());
    let memory = parameters.prediction().peak_bytes_on(rayon::current_num_threads());
    let record = TailRecord::new(arguments, contract, prediction.name, statistics);
    let literal = Some(parameters.literal().clone());
    Ok(TailRecord { predicted_peak_bytes: Some(memory), literal, ..record })
}
