//! `bench fhew`: every full-domain functional bootstrap on single values, the fastest last.

use std::time::Instant;

use clap::Args;
use cryptable_fhew::evaluation_key::EvaluationKey;
use cryptable_fhew::full_domain::{self, FullDomainMethod, TableKind};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameter_choice::{Cost, choose};
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::secret_key::SecretKey;
use cryptable_fhew::table::{Table, half_slot};
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_rlwe::lwe::LweCiphertext;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::measurement::{median, timed};
use crate::memory;

/// Arguments of `bench fhew`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cryptable --threads 1 --json bench fhew --p 16\n  \
    cryptable --threads 2 bench fhew --p 16 --method FDFB-Compress --batch 64")]
pub struct FhewArguments {
    /// Plaintext modulus of inputs and outputs.
    #[arg(long, default_value_t = 16)]
    p: u64,
    /// log2 of the failure probability that parameters are chosen for.
    #[arg(long, default_value_t = -64.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// One method only, by its name.
    #[arg(long)]
    method: Option<String>,
    /// Values looked up at once [default: 1 on one thread, 32 a thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Values that noise is measured on.
    #[arg(long, default_value_t = 96)]
    samples: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// One line: the JSON contract, and what belongs to a bootstrap.
#[derive(Debug, Serialize)]
struct Line {
    method: String,
    bits_in: f64,
    bits_out: f64,
    modulus_in: u64,
    ring_degree: usize,
    slots: usize,
    threads: usize,
    setup_s: f64,
    keygen_s: f64,
    encrypt_s: f64,
    eval_s: f64,
    runs: usize,
    ms_per_value: f64,
    unit_us: f64,
    eval_units: f64,
    /// Time of one value, in u.
    units_per_value: f64,
    peak_rss_bytes: u64,
    eval_rss_bytes: u64,
    eval_key_bytes: usize,
    input_bytes: usize,
    output_bytes: usize,
    values_checked: usize,
    wrong: usize,
    /// Standard deviation of the result's phase, as a fraction of the distance to a wrong value.
    noise_std_log2: f64,
    predicted_noise_std_log2: f64,
    log2_fail: f64,
    security_bits: f64,
    table: String,
    lwe_dimension: usize,
    log2_lwe_modulus: u32,
    log2_prime: f64,
    rotation_digits: (u32, usize),
    key_switching_digits: (u32, usize),
    /// Blind rotations of a lookup.
    rotations: usize,
    /// Transforms of blind rotations, as many of degree 2,048 as they cost.
    transforms: f64,
    /// What those cost at 1/47 u each.
    transform_units: f64,
}

/// Runs the benchmark.
pub fn run(arguments: &FhewArguments, threads: usize, json: bool) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for &method in full_domain::methods() {
        if arguments.method.as_deref().is_some_and(|name| name != method.name()) {
            continue;
        }
        match choose(method, arguments.p, arguments.p, arguments.log2_fail) {
            Ok(parameters) => lines.push(measure(method, &parameters, arguments, threads)?),
            Err(error) => eprintln!("{error}"),
        }
    }
    anyhow::ensure!(!lines.is_empty(), "no method serves p = {}", arguments.p);
    if arguments.method.is_none() {
        lines.push(measure_bootstrap(arguments, threads)?);
    }
    lines.sort_by(|a, b| b.units_per_value.total_cmp(&a.units_per_value));
    // The bare bootstrap is no lookup of an arbitrary table: the best of those goes last.
    lines.sort_by_key(|line| line.method != BOOTSTRAP);
    if json {
        for line in &lines {
            println!("{}", serde_json::to_string(line)?);
        }
    } else {
        print_table(&lines);
    }
    let wrong: usize = lines.iter().map(|line| line.wrong).sum();
    anyhow::ensure!(wrong == 0, "{wrong} values are wrong");
    Ok(())
}

/// As Table 6 of Ma et al., with what we measure besides.
fn print_table(lines: &[Line]) {
    println!(
        "{:<22} {:>9} {:>8} {:>9} {:>5} {:>2} {:>9} {:>9} {:>9} {:>7}",
        "method", "ms", "u", "key MB", "n", "l", "noise", "predicted", "log2 fail", "bits"
    );
    for line in lines {
        println!(
            "{:<22} {:>9.2} {:>8.1} {:>9.1} {:>5} {:>2} {:>9.2} {:>9.2} {:>9.1} {:>7.1}",
            line.method,
            line.ms_per_value,
            line.units_per_value,
            line.eval_key_bytes as f64 / 1e6,
            line.lwe_dimension,
            line.rotation_digits.1,
            line.noise_std_log2,
            line.predicted_noise_std_log2,
            line.log2_fail,
            line.security_bits
        );
    }
}

/// Name of the line of a bare functional bootstrap.
const BOOTSTRAP: &str = "functional bootstrap";

/// Client and server of one parameter set, and what they took.
struct Session {
    parameters: Parameters,
    secret: SecretKey,
    key: EvaluationKey,
    values: Vec<u64>,
    inputs: Vec<LweCiphertext>,
    keygen_s: f64,
    setup_s: f64,
    encrypt_s: f64,
}

impl Session {
    fn prepare(
        parameters: &Parameters,
        arguments: &FhewArguments,
        count: usize,
    ) -> anyhow::Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed + 1);
        let secret = SecretKey::generate(parameters);
        let (seeded, keygen_s) = timed(|| secret.evaluation_key());
        let (key, setup_s) = timed(|| EvaluationKey::expand(&seeded));
        // Every value at least once, then random ones.
        let values: Vec<u64> = (0..count as u64)
            .map(|i| if i < arguments.p { i } else { rng.random_range(0..arguments.p) })
            .collect();
        let encrypt = || values.iter().map(|&value| secret.encrypt(value, arguments.p)).collect();
        let (inputs, encrypt_s) = timed(encrypt);
        let inputs: Result<Vec<_>, _> = inputs;
        let parameters = parameters.clone();
        Ok(Self { parameters, secret, key, inputs: inputs?, values, keygen_s, setup_s, encrypt_s })
    }

    /// Median seconds of `batch` evaluations, and the seconds of u around them.
    fn time(
        &self,
        batch: usize,
        runs: usize,
        of: impl Fn(&LweCiphertext) -> LweCiphertext + Sync,
    ) -> (f64, f64) {
        let unit = cryptable::measure_unit();
        let mut times = Vec::new();
        for run in 0..=runs {
            let start = Instant::now();
            (0..batch).into_par_iter().for_each(|i| {
                std::hint::black_box(of(&self.inputs[(run * batch + i) % self.inputs.len()]));
            });
            // The first run warms keys and pages up.
            if run > 0 {
                times.push(start.elapsed().as_secs_f64());
            }
        }
        (median(&times), unit.min(cryptable::measure_unit()))
    }
}

fn measure(
    method: &dyn FullDomainMethod,
    parameters: &Parameters,
    arguments: &FhewArguments,
    threads: usize,
) -> anyhow::Result<Line> {
    let p = arguments.p;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let outputs: Vec<u64> = (0..p).map(|_| rng.random_range(0..p)).collect();
    let table = Table::new(p, p, &outputs)?;
    let session = Session::prepare(parameters, arguments, arguments.samples.max(p as usize))?;
    let lookup = |input: &LweCiphertext| {
        method.lookup(&session.key, &table, input).expect("inputs of these parameters")
    };
    let model = NoiseModel::new(parameters);
    let predicted = method.noise(&model, TableKind::Given(&table), model.fresh()).output;
    let log2_fail = full_domain::log2_fail(method, &model, p, p);
    let expected = |value: u64| table.output(value);
    let mut line = finish(&session, arguments, threads, &lookup, &expected)?;
    line.method = method.name().to_owned();
    line.predicted_noise_std_log2 = (predicted.standard_deviation() * 2.0 * p as f64).log2();
    line.log2_fail = log2_fail;
    line.rotations = method.rotations();
    let cost = Cost::of(method.rotations(), parameters.literal());
    (line.transforms, line.transform_units) = (cost.transforms, cost.transforms / 47.0);
    Ok(line)
}

/// A bare functional bootstrap of a negacyclic table, key switch included, at ring degree 2,048.
fn measure_bootstrap(arguments: &FhewArguments, threads: usize) -> anyhow::Result<Line> {
    let p = arguments.p;
    let parameters = Parameters::default_128();
    let session = Session::prepare(&parameters, arguments, arguments.samples.max(p as usize))?;
    let two_n = parameters.rotation_modulus();
    let test = TestPolynomial::from_fn(parameters.ring(), |x| {
        encode(x * p / two_n, p, parameters.prime())
    });
    let boot = |input: &LweCiphertext| {
        let mut phase = session.key.to_rotation_modulus(input, two_n);
        phase.add_constant_assign(half_slot(p, two_n));
        session.key.boot(&test, &phase)
    };
    let expected = |value: u64| if value < p / 2 { value } else { (p - (value - p / 2)) % p };
    let mut line = finish(&session, arguments, threads, &boot, &expected)?;
    let model = NoiseModel::new(&parameters);
    let output = model.blind_rotation() + model.key_switching();
    let input = output + model.lwe_modulus_switch(two_n);
    line.method = BOOTSTRAP.to_owned();
    line.predicted_noise_std_log2 = (output.standard_deviation() * 2.0 * p as f64).log2();
    line.log2_fail =
        full_domain::log2_sum([input, output].map(|v| v.log2_tail(0.5 / p as f64)).into_iter());
    line.rotations = 1;
    let literal = parameters.literal();
    let count = 2 * literal.lwe_dimension * (literal.rotation.length + 1);
    (line.transforms, line.transform_units) = (count as f64, count as f64 / 47.0);
    line.table = "negacyclic identity".to_owned();
    Ok(line)
}

/// Times, checks and measures noise.
fn finish(
    session: &Session,
    arguments: &FhewArguments,
    threads: usize,
    of: &(dyn Fn(&LweCiphertext) -> LweCiphertext + Sync),
    expected: &(dyn Fn(u64) -> u64 + Sync),
) -> anyhow::Result<Line> {
    let (p, parameters) = (arguments.p, &session.parameters);
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let batch = arguments.batch.unwrap_or(if threads == 1 { 1 } else { 32 * threads }).max(1);
    let (eval_s, unit) = session.time(batch, arguments.runs.max(1), of);
    let results: Vec<LweCiphertext> = session.inputs.par_iter().map(of).collect();
    let (mut wrong, mut squares) = (0, 0.0);
    for (&value, result) in session.values.iter().zip(&results) {
        let expected = expected(value);
        wrong += usize::from(session.secret.decrypt(result, p)? != expected);
        let phase = encode(expected, p, parameters.lwe_modulus());
        squares += session.secret.phase_error(result, phase)?.powi(2);
    }
    let deviation = (squares / results.len() as f64).sqrt() * 2.0 * p as f64;
    let literal = parameters.literal();
    let bits = literal.log2_lwe_modulus as usize;
    let eval_rss_bytes = memory::peak_rss();
    let ms_per_value = eval_s * 1e3 / batch as f64;
    Ok(Line {
        method: String::new(),
        bits_in: (p as f64).log2(),
        bits_out: (p as f64).log2(),
        modulus_in: p,
        ring_degree: literal.ring_degree,
        slots: batch,
        threads,
        setup_s: session.setup_s,
        keygen_s: session.keygen_s,
        encrypt_s: session.encrypt_s / session.inputs.len() as f64,
        eval_s,
        runs: arguments.runs.max(1),
        ms_per_value,
        unit_us: unit * 1e6,
        eval_units: eval_s / unit,
        units_per_value: eval_s / unit / batch as f64,
        peak_rss_bytes: generation_peak.max(eval_rss_bytes),
        eval_rss_bytes,
        eval_key_bytes: session.key.bytes(),
        input_bytes: bits.div_ceil(8),
        output_bytes: ((literal.lwe_dimension + 1) * bits).div_ceil(8),
        values_checked: results.len(),
        wrong,
        noise_std_log2: deviation.log2(),
        predicted_noise_std_log2: 0.0,
        log2_fail: 0.0,
        security_bits: parameters.security_bits(),
        table: format!("random:{}", arguments.seed),
        lwe_dimension: literal.lwe_dimension,
        log2_lwe_modulus: literal.log2_lwe_modulus,
        log2_prime: parameters.log2_prime(),
        rotation_digits: (literal.rotation.base_log2, literal.rotation.length),
        key_switching_digits: (literal.key_switching.base_log2, literal.key_switching.length),
        rotations: 0,
        transforms: 0.0,
        transform_units: 0.0,
    })
}
