//! `bench fdd`: functional digit decomposition of a full ciphertext, digits back as RLWE ciphertexts.

use clap::Args;
use cryptable::engines::packed::{
    Ciphertext, Method, Parameters, ParametersLiteral, Progress, Request, Result, Table,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use super::keys::Keys;
use crate::contract::Contract;
use crate::measurement::{UnitSampler, median, timed};
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

/// A line: `bits_out`, and sizes of outputs, are those of all digits; noise is that of the digits, in half steps of
/// their size, and not predicted.
#[derive(Debug, Serialize)]
struct DecompositionRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Sizes of the digits, the least significant first.
    digits: Vec<u64>,
    /// All numbers of the parameters.
    literal: ParametersLiteral,
}

/// Runs the benchmark.
pub fn run(arguments: &FddArguments, json: bool) -> anyhow::Result<()> {
    let modulus = 1u64 << arguments.bits;
    let request = Request {
        method: Some(Method::Cmt),
        digit_bits: arguments.digit_bits,
        ..Request::new(modulus, modulus)
    };
    let record = measure(&Parameters::choose(&request)?, arguments)?;
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        println!("{}", serde_json::to_string_pretty(&record)?);
    }
    record.contract.check()
}

/// Measures decompositions with parameters of a multiplexer tree, and checks every digit.
fn measure(
    parameters: &Parameters,
    arguments: &FddArguments,
) -> anyhow::Result<DecompositionRecord> {
    let (literal, modulus) = (parameters.literal(), parameters.input_modulus());
    let tree = literal.multiplexer.as_ref();
    let digits = tree.map(|tree| tree.digits.clone()).unwrap_or_default();
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let values: Vec<u64> = (0..literal.slots).map(|_| rng.random_range(0..modulus)).collect();
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = timed(|| keys.secret.encrypt(&values));
    let (input, generation_peak) = (input?, memory::peak_rss());

    memory::reset_peak();
    let evaluation = evaluate(&keys, &input, &digits, arguments.runs.max(1))?;
    let prediction = parameters.prediction();
    let mut contract = Contract {
        method: "fdd".to_owned(),
        table: "digits".to_owned(),
        bits_in: (modulus as f64).log2(),
        bits_out: (modulus as f64).log2(),
        modulus_in: modulus,
        ring_degree: literal.ring_degree,
        setup_s: keys.setup_s,
        keygen_s: keys.keygen_s,
        encrypt_s,
        peak_rss_bytes: generation_peak.max(evaluation.rss_bytes),
        eval_rss_bytes: evaluation.rss_bytes,
        eval_key_bytes: keys.evaluation_key.memory_bytes(),
        input_bytes: prediction.ciphertext_bytes,
        output_bytes: prediction.result_bytes * digits.len(),
        log2_fail: parameters.log2_fail(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    };
    let times = &evaluation.times;
    contract.set_time(median(times), times.len(), literal.slots, evaluation.unit);
    check(&keys, &evaluation.results, (&digits, &values), &mut contract)?;
    Ok(DecompositionRecord { contract, digits, literal: literal.clone() })
}

/// Results of decompositions, and what they took.
struct Evaluation {
    times: Vec<f64>,
    /// A list for every digit, of one ciphertext.
    results: Vec<Vec<Ciphertext>>,
    /// Seconds of u.
    unit: f64,
    rss_bytes: u64,
}

/// Decomposes an input so many times.
fn evaluate(keys: &Keys, input: &Ciphertext, digits: &[u64], runs: usize) -> Result<Evaluation> {
    let identity = |&size: &u64| Ok(vec![Table::from_fn(size, size, |digit| digit)?]);
    let tables = digits.iter().map(identity).collect::<Result<Vec<_>>>()?;
    let mut unit = UnitSampler::start();
    let (mut times, mut results) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let decompose = || keys.evaluation_key.decompose(input, &tables, Progress::silent());
        let (outputs, time) = timed(decompose);
        results = outputs?;
        times.push(time);
        unit.sample_if_due();
    }
    let rss_bytes = memory::peak_rss();
    Ok(Evaluation { times, results, unit: unit.finish(), rss_bytes })
}

/// Decrypts all digits, and enters how many were checked, how many were wrong, and their noise.
fn check(
    keys: &Keys,
    results: &[Vec<Ciphertext>],
    (digits, values): (&[u64], &[u64]),
    contract: &mut Contract,
) -> Result<()> {
    let (mut place, mut squares) = (1, 0.0);
    for (size, results) in digits.iter().zip(results) {
        let expected: Vec<u64> = values.iter().map(|value| value / place % size).collect();
        let decrypted = keys.secret.decrypt(&results[0])?;
        contract.values_checked += decrypted.len();
        contract.wrong += decrypted.iter().zip(&expected).filter(|(a, b)| a != b).count();
        squares += keys.secret.errors(&results[0], &expected)?.iter().map(|e| e * e).sum::<f64>();
        place *= size;
    }
    contract.noise_std_log2 = (squares / contract.values_checked as f64).sqrt().log2();
    Ok(())
}

#[cfg(test)]
mod tests {
    use cryptable::engines::packed::MultiplexerLiteral;

    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn digits_of_a_toy() {
        let (digits, selectors) = (vec![4, 8], vec![1, 1]);
        let tree = MultiplexerLiteral { digits, selectors, ..MultiplexerLiteral::default() };
        let parameters = Parameters::insecure_toy_tree(32, 1024, 64, tree, 0).unwrap();
        let arguments = FddArguments { bits: 5, digit_bits: None, runs: 1, seed: 1 };
        let record = measure(&parameters, &arguments).unwrap();
        assert!(check_line(&serde_json::to_string(&record).unwrap()));
        assert_eq!((record.contract.values_checked, record.digits), (128, vec![4, 8]));
        assert!(record.contract.noise_std_log2 < -2.0);
    }
}
