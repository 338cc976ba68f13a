//! `bench fdd`: functional digit decomposition of a full ciphertext, digits back as RLWE ciphertexts.

use clap::Args;
use cryptable::{Method, Parameters, Progress, Request, Table};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::lookup::generate;
use crate::measurement::{median, timed};
use crate::memory;

/// Arguments of `bench fdd`.
#[derive(Debug, Args)]
pub struct FddArguments {
    /// Bits of inputs.
    #[arg(long, default_value_t = 16)]
    bits: u32,
    /// Bits of digits; the fastest lookup's if left out.
    #[arg(long)]
    digit_bits: Option<u32>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The part of the JSON contract that applies to a decomposition.
#[derive(Debug, Serialize)]
struct DecompositionRecord {
    method: &'static str,
    bits_in: f64,
    digits: Vec<u64>,
    ring_degree: usize,
    slots: usize,
    threads: usize,
    keygen_s: f64,
    eval_s: f64,
    runs: usize,
    ms_per_value: f64,
    unit_us: f64,
    eval_units: f64,
    eval_rss_bytes: u64,
    eval_key_bytes: usize,
    values_checked: usize,
    wrong: usize,
    log2_fail: f64,
    security_bits: f64,
}

/// Runs the benchmark.
pub fn run(arguments: &FddArguments, threads: usize, json: bool) -> anyhow::Result<()> {
    let modulus = 1u64 << arguments.bits;
    let request = Request {
        method: Some(Method::Cmt),
        digit_bits: arguments.digit_bits,
        ..Request::new(modulus, modulus)
    };
    let parameters = Parameters::choose(&request)?;
    let literal = parameters.literal().clone();
    let digits = literal.multiplexer.map(|tree| tree.digits).unwrap_or_default();
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let values: Vec<u64> = (0..literal.slots).map(|_| rng.random_range(0..modulus)).collect();
    let (secret, keys, keygen_s, _) = generate(&parameters)?;
    let input = secret.encrypt(&values)?;
    let tables = digits
        .iter()
        .map(|&size| Ok(vec![Table::from_fn(size, size, |digit| digit)?]))
        .collect::<cryptable::Result<Vec<_>>>()?;

    memory::reset_peak();
    let unit = cryptable::measure_unit();
    let (mut times, mut results) = (Vec::new(), Vec::new());
    for _ in 0..arguments.runs.max(1) {
        let (outputs, time) = timed(|| keys.decompose(&input, &tables, Progress::silent()));
        results = outputs?;
        times.push(time);
    }
    let unit = unit.min(cryptable::measure_unit());
    let eval_rss_bytes = memory::peak_rss();

    let (mut wrong, mut place) = (0, 1);
    for (size, results) in digits.iter().zip(&results) {
        let decrypted = secret.decrypt(&results[0])?;
        let expected = values.iter().map(|value| value / place % size);
        wrong += decrypted.iter().zip(expected).filter(|(a, b)| **a != *b).count();
        place *= size;
    }
    let eval_s = median(&times);
    let record = DecompositionRecord {
        method: "fdd",
        bits_in: f64::from(arguments.bits),
        ring_degree: literal.ring_degree,
        slots: literal.slots,
        threads,
        keygen_s,
        eval_s,
        runs: times.len(),
        ms_per_value: eval_s * 1e3 / literal.slots as f64,
        unit_us: unit * 1e6,
        eval_units: eval_s / unit,
        eval_rss_bytes,
        eval_key_bytes: keys.memory_bytes(),
        values_checked: values.len() * digits.len(),
        wrong,
        log2_fail: parameters.failure().log2_fail(),
        security_bits: parameters.security_bits(),
        digits,
    };
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        println!("{}", serde_json::to_string_pretty(&record)?);
    }
    anyhow::ensure!(wrong == 0, "{wrong} of {} digits are wrong", record.values_checked);
    Ok(())
}
