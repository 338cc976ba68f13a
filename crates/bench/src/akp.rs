//! `bench akp`.

use std::sync::Mutex;
use std::time::Instant;

use clap::Args;
use cryptable::{EvaluationKey, LookupTable, Parameters, Request, SecretKey};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::measurement::{Record, median, timed};
use crate::memory;

/// Arguments of `bench akp`.
#[derive(Debug, Args)]
pub struct AkpArguments {
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// Input modulus instead of a power of two.
    #[arg(long)]
    modulus: Option<u64>,
    /// Ring degree; the default of the parameters if left out.
    #[arg(long)]
    ring_degree: Option<usize>,
    /// Values a ciphertext; the ring degree if left out.
    #[arg(long)]
    count: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Names of the steps of a lookup.
const STEPS: [&str; 6] =
    ["mod_raise", "coeffs_to_slots", "exponential", "interpolation", "slots_to_coeffs", "switch"];

/// Runs the benchmark.
pub fn run(arguments: &AkpArguments, threads: usize, json: bool) -> anyhow::Result<()> {
    let p = arguments.modulus.unwrap_or(1 << arguments.bits);
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let table = LookupTable::from_fn(p, p, |_| rng.random_range(0..p))?;
    let request = Request {
        ring_degree: arguments.ring_degree,
        count: arguments.count,
        ..Request::new(p, p)
    };
    let parameters = Parameters::choose(&request)?;
    let slots = parameters.literal().slots;
    let values: Vec<u64> = (0..slots).map(|_| rng.random_range(0..p)).collect();

    let ((secret, keys), keygen_s) = timed(|| {
        let secret = SecretKey::generate(&parameters);
        let keys = secret.switching_keys(&|_, _| ());
        (secret, keys)
    });
    let (evaluation_key, setup_s) =
        timed(|| EvaluationKey::new(parameters.clone(), secret.id(), secret.ring(), keys));
    let evaluation_key = evaluation_key?;
    let (input, encrypt_s) = timed(|| secret.encrypt(&values));
    let input = input?;

    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let unit = cryptable::measure_unit();
    let mut times = Vec::new();
    let mut steps = Vec::new();
    let mut result = None;
    for _ in 0..arguments.runs.max(1) {
        let marks = Mutex::new(Vec::new());
        let (output, time) = timed(|| {
            evaluation_key.lookup(&input, &table, &|_, _| {
                marks.lock().expect("no panic under lock").push(Instant::now());
            })
        });
        result = Some(output?);
        times.push(time);
        let marks = marks.into_inner().expect("no panic under lock");
        steps = STEPS
            .iter()
            .zip(marks.windows(2))
            .map(|(name, pair)| ((*name).to_string(), (pair[1] - pair[0]).as_secs_f64()))
            .collect();
    }
    let unit = unit.min(cryptable::measure_unit());
    let result = result.expect("at least one run");
    let eval_rss_bytes = memory::peak_rss();

    let expected: Vec<u64> = values.iter().map(|&v| table.values()[v as usize]).collect();
    let decrypted = secret.decrypt(&result)?;
    let wrong = decrypted.iter().zip(&expected).filter(|(a, b)| a != b).count();
    let errors = secret.errors(&result, &expected)?;
    let variance = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
    let counts = parameters.prediction();
    let eval_s = median(&times);
    let record = Record {
        method: "akp".into(),
        bits_in: (p as f64).log2(),
        bits_out: (p as f64).log2(),
        modulus_in: p,
        ring_degree: parameters.literal().ring_degree,
        slots,
        threads,
        setup_s,
        keygen_s,
        encrypt_s,
        eval_s,
        runs: times.len(),
        ms_per_value: eval_s * 1e3 / slots as f64,
        unit_us: unit * 1e6,
        eval_units: eval_s / unit,
        peak_rss_bytes: generation_peak.max(eval_rss_bytes),
        eval_rss_bytes,
        eval_key_bytes: evaluation_key.memory_bytes(),
        input_bytes: counts.ciphertext_bytes,
        output_bytes: counts.result_bytes,
        values_checked: decrypted.len(),
        wrong,
        noise_std_log2: variance.log2() / 2.0,
        predicted_noise_std_log2: parameters.failure().noise_ratio.log2(),
        log2_fail: parameters.failure().log2_fail(),
        security_bits: parameters.security_bits(),
        table: format!("random:{}", arguments.seed),
        steps,
        counts: [counts.transforms, counts.limb_products, counts.key_switches],
    };
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        println!("{}", serde_json::to_string_pretty(&record)?);
    }
    anyhow::ensure!(record.wrong == 0, "{} of {} values are wrong", wrong, decrypted.len());
    Ok(())
}
