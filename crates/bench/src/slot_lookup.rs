//! `bench slot-lookup`: tables of integers in slots by functional bootstrapping (Algorithm 4 of Alexandru, Kim, Polyakov,
//! CRYPTO 2025, ePrint 2024/1623).

use clap::Args;
use cryptable_approximate::{
    Complex64, Grid, KeySet, LookupPrediction, Parameters, SecretKey, SlotBounds, SlotTable,
};
use cryptable_lattice::{FailureProbability, Progress};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, timed, try_timed};

/// Arguments of `bench slot-lookup`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cryptable --threads 1 --json bench slot-lookup --bits 4 --large --complex"
)]
pub struct SlotLookupArguments {
    /// log2 of the number of inputs of the table.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=8))]
    bits: u32,
    /// Order of the interpolation.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=3))]
    order: u64,
    /// Put values in both the real and the imaginary parts of slots.
    #[arg(long)]
    complex: bool,
    /// Use the parameter set of plain bootstrapping, at ring degree 2^16, instead of the one at 2^15.
    #[arg(long)]
    large: bool,
    /// Evaluations, each of different values, to take the median time of.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seed of table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A line: the contract, and the fields of slots. A value is wrong if it does not round to its integer.
#[derive(Debug, Serialize)]
struct SlotLookupRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Order of the interpolation.
    order: u64,
    /// -log2 of the largest error over the number of outputs.
    precision_bits: f64,
    /// -log2 of the stated bound on errors: the bias, and the noise except with a probability of 2^-80 per slot.
    stated_precision_bits: f64,
    /// Levels left after the lookup.
    levels_left: usize,
    /// log2 of the product of all primes.
    log2_modulus: f64,
}

/// Runs the benchmark.
pub fn run(arguments: &SlotLookupArguments, json: bool) -> anyhow::Result<()> {
    let parameters =
        if arguments.large { Parameters::bootstrapping_128() } else { Parameters::lookups_128() };
    let record = measure(&parameters?, arguments)?;
    print_line(&record, json)
}

/// Random values of slots, in both parts or in the real part only.
struct Values {
    of_slots: Vec<[usize; 2]>,
    parts: usize,
}

impl Values {
    fn draw(p: usize, parts: usize, slots: usize, rng: &mut ChaCha20Rng) -> Self {
        let mut value = |part: usize| if part < parts { rng.random_range(0..p) } else { 0 };
        Self { of_slots: (0..slots).map(|_| [value(0), value(1)]).collect(), parts }
    }

    /// Returns slots that hold a function of the values; an unused part is 0.
    fn map(&self, function: impl Fn(usize) -> f64) -> Vec<Complex64> {
        let part = |v: &[usize; 2], k: usize| if k < self.parts { function(v[k]) } else { 0.0 };
        self.of_slots.iter().map(|v| Complex64::new(part(v, 0), part(v, 1))).collect()
    }
}

fn measure(
    parameters: &Parameters,
    arguments: &SlotLookupArguments,
) -> anyhow::Result<SlotLookupRecord> {
    let secret = SecretKey::generate(parameters);
    let (server, keygen_s) =
        try_timed(|| secret.evaluation_key_for(&KeySet::new().lookups(), Progress::silent()))?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let (p, parts) = (1usize << arguments.bits, if arguments.complex { 2 } else { 1 });
    let outputs: Vec<f64> = (0..p).map(|_| rng.random_range(0..p) as f64).collect();
    let table = SlotTable::new(Grid::integers(p), arguments.order, &outputs)?;
    let largest = (p - 1) as f64;
    let bounds = SlotBounds { re: largest, im: if parts == 2 { largest } else { 0.0 } };
    let count = parts * parameters.slots();
    let mut contract = contract(parameters, arguments, count);
    (contract.keygen_s, contract.eval_key_bytes) = (keygen_s, server.memory_bytes());
    let (mut runs, mut checked) = (Runs::start(), Checked::default());
    let mut predicted = None;
    for _ in 0..arguments.runs.max(1) {
        let values = Values::draw(p, parts, parameters.slots(), &mut rng);
        let slots = values.map(|value| value as f64);
        let (input, encrypt_s) = timed(|| secret.encrypt_within(&slots, bounds));
        // Inputs are at the lowest level that the period allows.
        let level = usize::from(p > 32);
        let input = server.lower(&input?, level)?;
        let result = runs.time(|| server.lookup(&input, &table))?;
        let expected = values.map(|value| outputs[value]);
        for error in secret.errors(&result, &expected)? {
            for part in [error.re, error.im].into_iter().take(parts) {
                checked.count(part.abs() >= 0.5);
                checked.errors([part]);
            }
        }
        contract.encrypt_s = encrypt_s;
        contract.input_bytes = input.to_bytes(parameters)?.len();
        contract.output_bytes = result.to_bytes(parameters)?.len();
        predicted = Some(parameters.predict_lookup(&input, &table)?);
    }
    let LookupPrediction { error, expected_deviation, level, .. } = predicted.expect("a run");
    checked.enter(&mut contract, 0.5);
    contract.predicted_noise_std_log2 = Some((2.0 * expected_deviation).log2());
    runs.enter(&mut contract, count, 0.0);
    Ok(SlotLookupRecord {
        contract,
        order: arguments.order,
        precision_bits: -(checked.worst / p as f64).log2(),
        stated_precision_bits: -(error.largest(-80.0) / p as f64).log2(),
        levels_left: level,
        log2_modulus: parameters.log2_modulus(),
    })
}

/// Returns the fields that are known before measuring.
fn contract(parameters: &Parameters, arguments: &SlotLookupArguments, count: usize) -> Contract {
    let literal = parameters.literal();
    let bits = f64::from(arguments.bits);
    Contract {
        method: if arguments.complex { "AKP in complex slots" } else { "AKP in slots" }.into(),
        table: format!("random:{}", arguments.seed),
        bits_in: bits,
        bits_out: bits,
        modulus_in: 1 << arguments.bits,
        ring_degree: literal.ring_degree,
        slots: count,
        log2_fail: FailureProbability::from_log2(parameters.log2_fail_per_slot())
            .of_any(count)
            .log2(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::parsed;

    #[test]
    fn lines_of_toys_are_whole() {
        let parameters = Parameters::insecure_toy_lookups().unwrap();
        let arguments = parsed("--bits 3 --complex --runs 1");
        let record = measure(&parameters, &arguments).unwrap();
        let contract = &record.contract;
        assert_eq!((contract.wrong, contract.values_checked), (0, 2 * parameters.slots()));
        assert!(record.precision_bits > 15.0 && record.levels_left >= 2);
        let predicted = contract.predicted_noise_std_log2.unwrap();
        assert!((contract.noise_std_log2 - predicted).abs() < 2.0);
    }
}
