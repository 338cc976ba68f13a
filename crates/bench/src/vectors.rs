//! `bench ckks-bootstrap`: vectors of complex numbers, bootstrapped.

use clap::Args;
use cryptable_approximate::{Complex64, KeySet, Parameters, SecretKey, SlotError};
use cryptable_lattice::{Progress, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::Contract;
use crate::measurement::{UnitSampler, median, timed};
use crate::memory;

/// Slots of the ring.
const FULL_SLOTS: usize = 32_768;

/// Bits of precision that every slot must have.
const REQUIRED_BITS: f64 = 20.0;

/// Arguments of `bench ckks-bootstrap`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cryptable --threads 1 --json bench ckks-bootstrap\n  cryptable --threads 1 --json bench ckks-bootstrap --slots 4096"
)]
pub struct BootstrapArguments {
    /// Slots: all 32,768 of the ring, or a smaller power of two, which is bootstrapped for less.
    #[arg(long, default_value_t = FULL_SLOTS)]
    slots: usize,
    /// Evaluations to take the median time and the largest error of, each of other numbers.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A line: the contract, and what is told of vectors. A slot is wrong if a part of it is off by 2^-20 or more.
#[derive(Debug, Serialize)]
struct BootstrapRecord {
    #[serde(flatten)]
    contract: Contract,
    /// -log2 of the largest error of any part of any slot in any run.
    precision_bits: f64,
    /// -log2 of the mean absolute error of a slot.
    mean_precision_bits: f64,
    /// -log2 of the root mean square that is stated.
    stated_precision_bits: f64,
    /// -log2 of the largest error of a part that is stated, but for a probability of 2^-40 a slot.
    stated_worst_precision_bits: f64,
    /// Levels that are left.
    levels_left: usize,
    /// log2 of the scale of slots.
    log2_scale: f64,
    /// log2 of the product of all primes.
    log2_modulus: f64,
    /// NTTs of one bootstrap at its ring degree, counted.
    transforms: usize,
    /// Products of limbs, counted.
    limb_products: usize,
}

/// Runs the benchmark.
pub fn run(arguments: &BootstrapArguments, json: bool) -> anyhow::Result<()> {
    let parameters = match arguments.slots {
        FULL_SLOTS => Parameters::bootstrapping_128()?,
        slots => Parameters::sparse_bootstrapping_128(slots)?,
    };
    let record = measure(&parameters, arguments)?;
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        let contract = &record.contract;
        println!(
            "{}: {} complex slots in {:.0} ms, {:.0} u; precision {:.1} bits in the mean, {:.1} of the worst slot; {} \
             levels left; {:.2} GB; fails 2^{:.1}, {:.1} bits",
            contract.method,
            contract.slots,
            contract.eval_s * 1e3,
            contract.eval_units,
            record.mean_precision_bits,
            record.precision_bits,
            record.levels_left,
            contract.eval_rss_bytes as f64 / 1e9,
            contract.log2_fail,
            contract.security_bits
        );
    }
    record.contract.check()
}

fn measure(parameters: &Parameters, arguments: &BootstrapArguments) -> Result<BootstrapRecord> {
    let secret = SecretKey::generate(parameters);
    let keys = KeySet::new().bootstrapping();
    let (server, keygen_s) = timed(|| secret.evaluation_key_for(&keys, Progress::silent()));
    let server = server?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let mut contract = contract(parameters);
    (contract.keygen_s, contract.eval_key_bytes) = (keygen_s, server.memory_bytes());
    let mut unit = UnitSampler::start();
    let (mut times, mut sum, mut squares, mut worst) = (Vec::new(), 0.0, 0.0, 0f64);
    let (mut stated, mut scale, mut levels_left) = (SlotError::default(), 0.0, 0);
    for _ in 0..arguments.runs.max(1) {
        let mut part = || rng.random_range(-1.0..1.0);
        let count = parameters.slots();
        let values: Vec<_> = (0..count).map(|_| Complex64::new(part(), part())).collect();
        let (input, encrypt_s) = timed(|| secret.encrypt(&values));
        let input = server.lower(&input?, 0)?;
        let (result, time) = timed(|| server.bootstrap(&input));
        let result = result?;
        times.push(time);
        unit.sample_if_due();
        let limit = (-REQUIRED_BITS).exp2();
        for error in secret.errors(&result, &values)? {
            let largest = error.re.abs().max(error.im.abs());
            (sum, squares) = (sum + error.norm(), squares + error.norm_sqr());
            (worst, contract.wrong) =
                (worst.max(largest), contract.wrong + usize::from(largest >= limit));
        }
        contract.values_checked += count;
        contract.encrypt_s = encrypt_s;
        contract.input_bytes = input.to_bytes(parameters)?.len();
        contract.output_bytes = result.to_bytes(parameters)?.len();
        (stated, scale, levels_left) = (result.error(), result.scale(), result.level());
    }
    contract.eval_rss_bytes = memory::peak_rss();
    contract.peak_rss_bytes = generation_peak.max(contract.eval_rss_bytes);
    let checked = contract.values_checked as f64;
    // Parts have half of a slot's variance.
    let of_part = |deviation: f64| (deviation / 2f64.sqrt()).log2() + REQUIRED_BITS;
    contract.noise_std_log2 = of_part((squares / checked).sqrt());
    contract.predicted_noise_std_log2 = Some(of_part(stated.deviation.hypot(stated.bias)));
    contract.set_time(median(&times), times.len(), parameters.slots(), unit.finish());
    let counts = parameters.bootstrap_counts().expect("parameters with bootstrapping");
    Ok(BootstrapRecord {
        contract,
        precision_bits: -worst.log2(),
        mean_precision_bits: -(sum / checked).log2(),
        stated_precision_bits: stated.bits(),
        stated_worst_precision_bits: -stated.largest(-40.0).log2(),
        levels_left,
        log2_scale: scale.log2(),
        log2_modulus: parameters.log2_modulus(),
        transforms: counts.transforms,
        limb_products: counts.limb_products + counts.conversion_products,
    })
}

/// Returns the fields that are known before measuring.
fn contract(parameters: &Parameters) -> Contract {
    Contract {
        method: "CKKS bootstrapping".into(),
        table: "identity".into(),
        bits_in: REQUIRED_BITS,
        bits_out: REQUIRED_BITS,
        ring_degree: parameters.literal().ring_degree,
        log2_fail: parameters.log2_fail(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn vectors_of_a_toy() {
        let toy = Parameters::insecure_toy_bootstrapping().unwrap();
        let record = measure(&toy, &BootstrapArguments { slots: 512, runs: 2, seed: 1 }).unwrap();
        assert!(check_line(&serde_json::to_string(&record).unwrap()));
        assert_eq!((record.contract.values_checked, record.levels_left), (1024, toy.levels()));
        assert!(record.precision_bits > 24.0 && record.stated_worst_precision_bits > 22.0);
    }
}
