//! `bench fhew-gates`: NAND of FHEW ciphertexts by ring packing, a half GateBoot and extraction (Sec. 6 of Bae, Cheon, Kim,
//! Stehlé, EUROCRYPT 2024).
//!
//! The inputs of a later round are the results of the two rounds before. Only rounds are timed whose inputs are computed,
//! masks included, and whose results reuse freed memory. The masks of a fresh list of 2^14 ciphertexts would have to be drawn,
//! and new memory for a list is a hundred megabytes that have to be cleared, which takes as long as extraction itself.

use clap::Args;
use cryptable_bits as bits;
use cryptable_bits::Packing;
use cryptable_conversion::{PackedGates, PackedGatesSecret};
use cryptable_fhew::booleans::{self, EncryptedBits, Gate};
use cryptable_lattice::lwe_encryption::phase;
use cryptable_lattice::{Progress, Result};
use cryptable_papers::bae_2024::FHEW_GATES;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, UnitSampler, median, timed, try_timed};
use crate::memory;

/// Arguments of `bench fhew-gates`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench fhew-gates --runs 10\n  cryptable --threads 1 --json bench fhew-gates --gates 256 --runs 20"
)]
pub struct FhewGatesArguments {
    /// Rounds of gates to take the median of; the inputs of each round are the results of the two rounds before it.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Gates at once; up to 4,096 gates use a ciphertext with sparse slots, and need less time.
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..=16_384))]
    gates: u32,
    /// log2 of the failure probability for which parameters of FHEW's own gates are chosen; with the modulus of the
    /// default parameters, 2^16, noise would grow from round to round.
    #[arg(long, default_value_t = -128.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// Seed of the random bits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Number of rounds before the measured ones, after which inputs are computed and results reuse memory.
pub(crate) const ROUNDS_BEFORE: usize = 4;

/// Number of single gates that are timed.
const SINGLE_GATES: usize = 31;

/// Steps of a round, in order.
const STEPS: [&str; 5] = ["packing", "half GateBoot", "cleaning", "SlotsToCoeffs", "extraction"];

/// A line: the contract, and the times of steps.
#[derive(Debug, Serialize)]
struct GatesRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Name and median time of every step, in u.
    step_units: Vec<(&'static str, f64)>,
    /// Seconds of one gate of FHEW with parameters of 2^-64, by a bootstrap of its own, and the least number of gates that are
    /// faster all at once.
    single_gate_s: f64,
    threshold_gates: u64,
    /// The published thresholds against two libraries (Table 2).
    published_thresholds: [u32; 2],
    /// Bytes of the packing key and of the extraction key, in memory.
    conversion_key_bytes: [usize; 2],
}

/// A client's secret, and the keys of its server.
struct Session {
    single: booleans::SecretKey,
    server: PackedGates,
    keygen_s: f64,
    /// Parameters of the single gates for comparison.
    rival: booleans::Parameters,
}

/// Runs the benchmark.
pub fn run(arguments: &FhewGatesArguments, json: bool) -> anyhow::Result<()> {
    let packing = Packing::of_bits(arguments.gates as usize, 1 << 14);
    let packed = bits::Parameters::cleaning_128(packing)?;
    let session =
        Session::new(&booleans::Parameters::with_log2_fail(arguments.log2_fail)?, &packed)?;
    let session = Session { rival: booleans::Parameters::default_128(), ..session };
    let record = session.measure(arguments)?;
    print_line(&record, json)
}

impl Session {
    /// Generates keys; the single gates for comparison have the same parameters.
    fn new(single: &booleans::Parameters, packed: &bits::Parameters) -> Result<Self> {
        let rival = single.clone();
        let single = booleans::SecretKey::generate(single);
        let secret = PackedGatesSecret::generate(&single, packed)?;
        let (server, keygen_s) = try_timed(|| secret.packed_gates(Progress::silent()))?;
        drop(secret);
        Ok(Self { single, server, keygen_s, rival })
    }

    /// Computes the NAND of all bits like [`PackedGates::gate`], and measures the time of every step.
    fn nand(&self, x: &EncryptedBits, y: &EncryptedBits) -> Result<(EncryptedBits, [f64; 5])> {
        let (gates, server) = (&self.server, self.server.server());
        let (sums, packing_s) = try_timed(|| gates.pack(Gate::Nand, x, y))?;
        let (result, boot_s) = try_timed(|| gates.half_bootstrap(Gate::Nand, &sums))?;
        let (cleaned, cleaning_s) = try_timed(|| server.clean(&result))?;
        let (quarters, transform_s) = try_timed(|| server.to_coefficients(&cleaned, 4))?;
        let (results, extraction_s) = timed(|| gates.extract(&quarters));
        let times = [packing_s, boot_s, cleaning_s, transform_s, extraction_s];
        Ok((EncryptedBits::of_values(self.single.parameters(), x.key_id(), results?)?, times))
    }

    /// Returns the errors of phases relative to the expected bits, as fractions of the modulus.
    fn errors(&self, results: &EncryptedBits, expected: &[bool]) -> Vec<f64> {
        let (list, lwe) = (results.values(), self.single.fhew().lwe_coefficients());
        let q = list.shape().modulus as f64;
        let error = |(i, &bit): (usize, &bool)| {
            let wanted = if bit { 0.125 } else { -0.125 };
            let error = phase(lwe, &list.ciphertext(i)) as f64 / q - wanted;
            error - error.round()
        };
        expected.iter().enumerate().map(error).collect()
    }

    fn contract(&self) -> Contract {
        let (packed, noise) = (self.server.server().parameters(), self.server.noise());
        Contract {
            method: "FHEW gates by GateBoot".into(),
            table: "NAND".into(),
            bits_in: 2.0,
            bits_out: 1.0,
            modulus_in: 2,
            ring_degree: packed.literal().ring_degree,
            keygen_s: self.keygen_s,
            eval_key_bytes: self.server.memory_bytes(),
            security_bits: self.server.security_bits(),
            log2_fail: self.server.log2_fail(),
            // A sum of two results is wrong at a distance of 1/8, the unit in which noise is stated.
            predicted_noise_std_log2: Some((8.0 * noise.deviation()).log2()),
            ..Contract::here()
        }
    }

    fn measure(&self, arguments: &FhewGatesArguments) -> Result<GatesRecord> {
        let count = self.server.bits_at_once();
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let mut draw = || (0..count).map(|_| rng.random()).collect::<Vec<bool>>();
        let plain = [draw(), draw()];
        let encrypt = |bits: &Vec<bool>| self.single.encrypt(bits);
        let (inputs, encrypt_s) = timed(|| plain.each_ref().map(encrypt));
        let mut contract =
            Contract { encrypt_s: encrypt_s / (2 * count) as f64, ..self.contract() };
        let check = |results: &EncryptedBits, expected: &[bool], checked: &mut Checked| {
            checked.compare(&self.single.decrypt(results)?, expected);
            checked.errors(self.errors(results, expected));
            Ok(())
        };
        let nand = |x: &_, y: &_| self.nand(x, y);
        let (times, unit) = rounds(arguments.runs, plain, inputs, &mut contract, nand, check)?;
        let totals: Vec<f64> = times.iter().map(|time| time.iter().sum()).collect();
        contract.set_time(median(&totals), times.len(), count, unit);
        let step = |k: usize| median(&times.iter().map(|time| time[k]).collect::<Vec<_>>()) / unit;
        let step_units = STEPS.iter().enumerate().map(|(k, &name)| (name, step(k))).collect();
        let keys = [self.server.packing().memory_bytes(), self.server.extraction().memory_bytes()];
        let single_gate_s = single_gate(&self.rival)?;
        Ok(GatesRecord {
            threshold_gates: (contract.eval_s / single_gate_s).ceil() as u64,
            single_gate_s,
            published_thresholds: FHEW_GATES.1,
            contract,
            step_units,
            conversion_key_bytes: keys,
        })
    }
}

/// Computes NAND in rounds, each on the results of the two before it, and returns the times of the last rounds and the seconds
/// of u. Enters memory and the findings of `check`, with errors as fractions of the modulus, into the contract.
pub(crate) fn rounds<L, T>(
    runs: usize,
    mut plain: [Vec<bool>; 2],
    mut inputs: [L; 2],
    contract: &mut Contract,
    nand: impl Fn(&L, &L) -> Result<(L, T)>,
    check: impl Fn(&L, &[bool], &mut Checked) -> Result<()>,
) -> Result<(Vec<T>, f64)> {
    memory::reset_peak();
    let mut unit = UnitSampler::start();
    let (mut times, mut checked) = (Vec::new(), Checked::default());
    for _ in 0..ROUNDS_BEFORE + runs.max(1) {
        let (results, time) = nand(&inputs[0], &inputs[1])?;
        times.push(time);
        unit.sample_if_due();
        let pairs = plain[0].iter().zip(&plain[1]);
        let expected: Vec<bool> = pairs.map(|(&x, &y)| !(x && y)).collect();
        check(&results, &expected, &mut checked)?;
        let [_, second] = inputs;
        inputs = [second, results];
        plain = [std::mem::take(&mut plain[1]), expected];
    }
    // A sum of two results is wrong at a distance of 1/8.
    checked.enter(contract, 0.125);
    contract.eval_rss_bytes = memory::peak_rss();
    contract.peak_rss_bytes = contract.eval_rss_bytes;
    Ok((times.split_off(ROUNDS_BEFORE), unit.finish()))
}

/// Returns the median seconds of one NAND by a bootstrap of its own.
fn single_gate(parameters: &booleans::Parameters) -> Result<f64> {
    let secret = booleans::SecretKey::generate(parameters);
    let key = secret.evaluation_key(Progress::silent())?;
    let (x, y) = (secret.encrypt(&[true]), secret.encrypt(&[false]));
    let mut times = Vec::with_capacity(SINGLE_GATES);
    for _ in 0..SINGLE_GATES {
        let (result, time) = timed(|| key.gate(Gate::Nand, &x, &y, Progress::silent()));
        result?;
        times.push(time);
    }
    Ok(median(&times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn a_toy_ring_in_rounds() {
        for packing in [Packing::Real, Packing::Complex, Packing::Sparse(64)] {
            let packed = bits::Parameters::insecure_toy(packing).unwrap();
            let session = Session::new(&booleans::Parameters::insecure_toy(), &packed).unwrap();
            let record = session.measure(&parsed("--runs 4")).unwrap();
            check_line(&record);
            assert_eq!(record.contract.values_checked, (4 + ROUNDS_BEFORE) * packed.bits());
            let predicted = record.contract.predicted_noise_std_log2.unwrap();
            assert!((record.contract.noise_std_log2 - predicted).abs() < 0.3, "{predicted}");
        }
    }
}
