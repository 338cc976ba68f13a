//! `bench foreign-gates`: NAND of ciphertexts of OpenFHE or tfhe-rs, in and out, under a secret and with noise as theirs are (Sec.
//! 6.2 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024). The other library itself is not run: `comparisons/` has programs for that.
//!
//! Gates of later rounds take the results of the two before, as those of `fhew_gates`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cryptable_conversion::foreign::{ForeignGates, ForeignParameters, ForeignSecret};
use cryptable_fhew::booleans::Gate;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Progress, Result};
use cryptable_papers::bae_2024::FHEW_GATES;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;

use crate::contract::Contract;
use crate::measurement::{UnitSampler, median, timed};
use crate::memory;

/// Arguments of `bench foreign-gates`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench foreign-gates\n  cryptable --threads 1 --json bench foreign-gates --set tfhe-rs-boolean"
)]
pub struct ForeignGatesArguments {
    /// Parameters of the other library's ciphertexts.
    #[arg(long, default_value = "openfhe-std128", value_parser = set())]
    set: ForeignParameters,
    /// Gates at once.
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..=32_768))]
    gates: u32,
    /// Rounds of gates to take the median of: each takes the results of the two before it.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seed of the random bits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn set() -> impl TypedValueParser<Value = ForeignParameters> {
    let names = PossibleValuesParser::new(ForeignParameters::ALL.map(|set| set.name()));
    names.map(|name| ForeignParameters::named(&name).expect("a name of the list"))
}

/// Rounds before those that are measured: until both inputs are results, and results reuse memory.
const ROUNDS_BEFORE: usize = 4;

/// A line: the contract, and the published time.
#[derive(Debug, Serialize)]
struct ForeignGatesRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Name of the other library's parameters.
    set: &'static str,
    /// log2 of the standard deviation of inputs, relative to the distance to a wrong sum: as the library's own may have.
    input_noise_std_log2: f64,
    /// Published seconds of 16,384 gates.
    published_s: f64,
}

/// Runs the benchmark.
pub fn run(arguments: &ForeignGatesArguments, json: bool) -> anyhow::Result<()> {
    let record = measure(&arguments.set, arguments)?;
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        let contract = &record.contract;
        println!(
            "{}: {} gates in {:.0} ms, {:.0} u, {:.1} us a gate (published: {:.2} s of 16,384); noise 2^{:.1} of the margin \
             from 2^{:.1}, predicted 2^{:.1}; {:.2} GB; fails 2^{:.1}, {:.1} bits",
            contract.method,
            contract.slots,
            contract.eval_s * 1e3,
            contract.eval_units,
            contract.ms_per_value * 1e3,
            record.published_s,
            contract.noise_std_log2,
            record.input_noise_std_log2,
            contract.predicted_noise_std_log2.unwrap_or(f64::NAN),
            contract.eval_rss_bytes as f64 / 1e9,
            contract.log2_fail,
            contract.security_bits
        );
    }
    record.contract.check()
}

/// A client of the other library.
struct Client {
    rng: ChaCha20Rng,
    secret: Vec<i64>,
    modulus: i64,
    parameters: ForeignParameters,
}

impl Client {
    fn new(parameters: &ForeignParameters, seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let shape = parameters.shape();
        let least = if parameters.secret() == SecretDistribution::Binary { 0 } else { -1 };
        let secret = (0..shape.dimension).map(|_| rng.random_range(least..=1)).collect();
        Self { rng, secret, modulus: shape.modulus as i64, parameters: parameters.clone() }
    }

    /// The secret as the library's program would write it.
    fn secret(&self) -> Result<ForeignSecret> {
        let mut file = ForeignParameters::SECRET.to_vec();
        file.extend((self.secret.len() as u32).to_le_bytes());
        file.extend(self.secret.iter().map(|&coefficient| coefficient as u8));
        ForeignSecret::from_bytes(&self.parameters, &file)
    }

    /// A list of ciphertexts with as much noise as the library's may have, Gaussian.
    fn encrypt(&mut self, bits: &[bool]) -> Result<LweList> {
        let mut file = ForeignParameters::LIST.to_vec();
        file.extend((self.secret.len() as u32).to_le_bytes());
        file.extend(self.modulus.ilog2().to_le_bytes());
        file.extend((bits.len() as u64).to_le_bytes());
        for &bit in bits {
            let mask: Vec<i64> =
                self.secret.iter().map(|_| self.rng.random_range(0..self.modulus)).collect();
            let normal: f64 = StandardNormal.sample(&mut self.rng);
            let phase = self.phase_of(bit) + self.parameters.deviation() * normal;
            let noisy = (phase * self.modulus as f64).round() as i64;
            let body = (self.product(&mask) + noisy).rem_euclid(self.modulus);
            file.extend(mask.iter().chain([&body]).flat_map(|&word| (word as u32).to_le_bytes()));
        }
        self.parameters.read_list(&file)
    }

    fn phase_of(&self, bit: bool) -> f64 {
        self.parameters.phase_of_false() + if bit { 0.25 } else { 0.0 }
    }

    fn product(&self, mask: &[i64]) -> i64 {
        mask.iter().zip(&self.secret).map(|(a, s)| a * s).sum()
    }

    /// Errors of phases against bits, as fractions of the modulus.
    fn errors(&self, results: &LweList, expected: &[bool]) -> Vec<f64> {
        let (masks, dimension) = (results.masks(), self.secret.len());
        let values = masks.chunks_exact(dimension).zip(results.bodies()).zip(expected);
        let error = |((mask, &body), &bit): ((&[u64], &u64), &bool)| {
            // Masks are those of `b + ⟨a, s⟩` here.
            let mask: Vec<i64> = mask.iter().map(|&word| word as i64).collect();
            let phase = (body as i64 + self.product(&mask)).rem_euclid(self.modulus);
            let error = phase as f64 / self.modulus as f64 - self.phase_of(bit);
            error - error.round()
        };
        values.map(error).collect()
    }
}

/// NAND in rounds, each of the results of the two before it.
fn measure(
    parameters: &ForeignParameters,
    arguments: &ForeignGatesArguments,
) -> Result<ForeignGatesRecord> {
    let mut client = Client::new(parameters, arguments.seed);
    let packed = parameters.packed(arguments.gates as usize)?;
    let secret = client.secret()?;
    let (server, keygen_s) = timed(|| secret.gates(&packed, Progress::silent()));
    let server = server?;
    let count = server.bits_at_once().min(arguments.gates as usize);
    let mut plain =
        [(); 2].map(|()| (0..count).map(|_| client.rng.random()).collect::<Vec<bool>>());
    let (inputs, encrypt_s) = timed(|| plain.each_ref().map(|bits| client.encrypt(bits)));
    let [first, second] = inputs;
    let mut inputs = [first?, second?];
    let mut contract = contract(&server, packed.literal().ring_degree);
    (contract.keygen_s, contract.encrypt_s) = (keygen_s, encrypt_s / (2 * count) as f64);
    memory::reset_peak();
    let mut unit = UnitSampler::start();
    let (mut times, mut squares) = (Vec::new(), 0.0);
    for _ in 0..ROUNDS_BEFORE + arguments.runs.max(1) {
        let [x, y] = &inputs;
        let (results, time) = timed(|| server.gate(Gate::Nand, x, y, Progress::silent()));
        let results = results?;
        times.push(time);
        unit.sample_if_due();
        let pairs = plain[0].iter().zip(&plain[1]);
        let expected: Vec<bool> = pairs.map(|(&x, &y)| !(x && y)).collect();
        let errors = client.errors(&results, &expected);
        contract.wrong += errors.iter().filter(|error| error.abs() >= 0.125).count();
        contract.values_checked += errors.len();
        squares += errors.iter().map(|error| error * error).sum::<f64>();
        let [_, second] = inputs;
        inputs = [second, results];
        plain = [std::mem::take(&mut plain[1]), expected];
    }
    let times = times.split_off(ROUNDS_BEFORE);
    contract.noise_std_log2 = (8.0 * (squares / contract.values_checked as f64).sqrt()).log2();
    contract.eval_rss_bytes = memory::peak_rss();
    contract.peak_rss_bytes = contract.eval_rss_bytes;
    contract.set_time(median(&times), times.len(), count, unit.finish());
    Ok(ForeignGatesRecord {
        contract,
        set: parameters.name(),
        input_noise_std_log2: (8.0 * parameters.deviation()).log2(),
        published_s: FHEW_GATES.0,
    })
}

/// A line of these keys, with nothing measured yet.
fn contract(server: &ForeignGates, ring_degree: usize) -> Contract {
    let shape = server.parameters().shape();
    let bytes = 4 * (shape.dimension + 1);
    Contract {
        method: format!("gates of {} by GateBoot", server.parameters().name()),
        table: "NAND".into(),
        bits_in: 2.0,
        bits_out: 1.0,
        modulus_in: 2,
        ring_degree,
        eval_key_bytes: server.memory_bytes(),
        input_bytes: bytes,
        output_bytes: bytes,
        security_bits: server.security_bits(),
        log2_fail: server.log2_fail(),
        predicted_noise_std_log2: Some((8.0 * server.deviation()).log2()),
        ..Contract::here()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn a_toy_in_rounds() {
        let set = ForeignParameters::insecure_toy();
        let arguments = ForeignGatesArguments { set: set.clone(), gates: 64, runs: 4, seed: 1 };
        let record = measure(&set, &arguments).unwrap();
        assert!(check_line(&serde_json::to_string(&record).unwrap()));
        assert_eq!(record.contract.values_checked, (4 + ROUNDS_BEFORE) * 64);
        let predicted = record.contract.predicted_noise_std_log2.unwrap();
        let found = record.contract.noise_std_log2;
        assert!((found - predicted).abs() < 0.3, "2^{found}, predicted 2^{predicted}");
    }
}
