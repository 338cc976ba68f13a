//! `bench sign`: the sign of packed integers of 12, 21, 32 and other numbers of bits.

use clap::Args;
use cryptable::engines::packed::{
    Ciphertext, Parameters, ParametersLiteral, Progress, Request, Result,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use super::keys::Keys;
use crate::contract::Contract;
use crate::measurement::{UnitSampler, median, timed};
use crate::memory;

/// Arguments of `bench sign`.
#[derive(Debug, Args)]
pub struct SignArguments {
    /// Bits of the values.
    #[arg(long, default_value_t = 32)]
    bits: u32,
    /// Ring degree; the default of packed values if left out.
    #[arg(long)]
    ring_degree: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A line: noise is that of the signs.
#[derive(Debug, Serialize)]
struct SignRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Sizes of the digits, the least significant first.
    digits: Vec<u64>,
    /// Predicted time in u, of the default cost model.
    predicted_units: f64,
    /// Predicted memory.
    predicted_peak_bytes: usize,
    /// All numbers of the parameters.
    literal: ParametersLiteral,
}

/// Runs the benchmark.
pub fn run(arguments: &SignArguments, json: bool) -> anyhow::Result<()> {
    let request = Request { ring_degree: arguments.ring_degree, ..Request::new(2, 2) };
    let record = measure(&Parameters::for_digits(arguments.bits, &request)?, arguments)?;
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        println!("{}", serde_json::to_string_pretty(&record)?);
    }
    record.contract.check()
}

/// Measures signs, and checks every one.
fn measure(parameters: &Parameters, arguments: &SignArguments) -> anyhow::Result<SignRecord> {
    let (literal, modulus) = (parameters.literal(), parameters.input_modulus());
    let values = values(modulus, literal.slots, arguments.seed);
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = timed(|| keys.secret.encrypt(&values));
    let (input, generation_peak) = (input?, memory::peak_rss());

    memory::reset_peak();
    let (times, signs, unit) = evaluate(&keys, &input, arguments.runs.max(1))?;
    let eval_rss_bytes = memory::peak_rss();
    let expected: Vec<u64> = values.iter().map(|&v| u64::from(v >= modulus / 2)).collect();
    let decrypted = keys.secret.decrypt(&signs)?;
    let errors = keys.secret.errors(&signs, &expected)?;
    let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let prediction = parameters.prediction();
    let model = cryptable::engines::packed::CostModel::default();
    let mut contract = Contract {
        method: parameters.method_name(),
        table: "sign".to_owned(),
        bits_in: (modulus as f64).log2(),
        bits_out: 1.0,
        modulus_in: modulus,
        ring_degree: literal.ring_degree,
        setup_s: keys.setup_s,
        keygen_s: keys.keygen_s,
        encrypt_s,
        peak_rss_bytes: generation_peak.max(eval_rss_bytes),
        eval_rss_bytes,
        eval_key_bytes: keys.evaluation_key.memory_bytes(),
        input_bytes: input.to_bytes().len(),
        output_bytes: signs.to_bytes().len(),
        values_checked: decrypted.len(),
        wrong: decrypted.iter().zip(&expected).filter(|(a, b)| a != b).count(),
        noise_std_log2: deviation.log2(),
        predicted_noise_std_log2: Some(parameters.failure().typical_ratio.log2()),
        log2_fail: parameters.log2_fail(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    };
    contract.set_time(median(&times), times.len(), literal.slots, unit);
    Ok(SignRecord {
        contract,
        digits: literal.digits.clone(),
        predicted_units: model.seconds(&prediction.work) / model.unit(),
        predicted_peak_bytes: prediction.peak_bytes(),
        literal: literal.clone(),
    })
}

/// Random values, half of them around the change of sign, where every digit counts.
fn values(modulus: u64, count: usize, seed: u64) -> Vec<u64> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let half = modulus / 2;
    (0..count as u64)
        .map(|i| match i % 4 {
            0 => half - 1 - i / 4 % half,
            2 => half + i / 4 % half,
            _ => rng.random_range(0..modulus),
        })
        .collect()
}

/// So many evaluations: their times, a result, the seconds of u.
fn evaluate(keys: &Keys, input: &Ciphertext, runs: usize) -> Result<(Vec<f64>, Ciphertext, f64)> {
    let mut unit = UnitSampler::start();
    let mut times = Vec::new();
    loop {
        let (signs, time) = timed(|| keys.evaluation_key.sign(input, Progress::silent()));
        let signs = signs?;
        times.push(time);
        unit.sample_if_due();
        if times.len() == runs {
            return Ok((times, signs, unit.finish()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn signs_of_a_toy() {
        let parameters = Parameters::insecure_toy_digits(&[8, 8], 2).unwrap();
        let arguments = SignArguments { bits: 6, ring_degree: None, runs: 1, seed: 1 };
        let record = measure(&parameters, &arguments).unwrap();
        assert!(check_line(&serde_json::to_string(&record).unwrap()));
        assert_eq!((record.contract.values_checked, record.contract.wrong), (1024, 0));
        assert_eq!(record.digits, [8, 8]);
    }
}
