//! `bench foreign-gates`: NAND of ciphertexts in the form of OpenFHE or tfhe-rs, conversions included, under a secret and with
//! noise like theirs (Sec. 6.2 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024). The other library itself is not run:
//! `comparisons/` has programs for that.
//!
//! The inputs of a later round are the results of the two rounds before, as in `fhew_gates`.

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

use crate::contract::{Contract, print_line};
use crate::fhew_gates::rounds;
use crate::measurement::{Checked, median, timed, try_timed};

/// Arguments of `bench foreign-gates`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench foreign-gates\n  cryptable --threads 1 --json bench foreign-gates --set tfhe-rs-boolean"
)]
pub struct ForeignGatesArguments {
    /// Parameters of the other library's ciphertexts.
    #[arg(long, default_value = "openfhe-std128", value_parser = set())]
    set: ForeignParameters,
    /// Number of gates at once.
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..=32_768))]
    gates: u32,
    /// Rounds of gates to take the median of; the inputs of each round are the results of the two rounds before it.
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

/// A line: the contract, and the published time.
#[derive(Debug, Serialize)]
struct ForeignGatesRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Name of the other library's parameters.
    set: &'static str,
    /// log2 of the standard deviation of inputs, relative to the distance to a wrong sum, which the library's own ciphertexts
    /// may have.
    input_noise_std_log2: f64,
    /// Published seconds of 16,384 gates.
    published_s: f64,
}

/// Runs the benchmark.
pub fn run(arguments: &ForeignGatesArguments, json: bool) -> anyhow::Result<()> {
    let record = measure(&arguments.set, arguments)?;
    print_line(&record, json)
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

    /// Returns the secret as the library's program would write it.
    fn secret(&self) -> Result<ForeignSecret> {
        let mut file = ForeignParameters::SECRET.to_vec();
        file.extend((self.secret.len() as u32).to_le_bytes());
        file.extend(self.secret.iter().map(|&coefficient| coefficient as u8));
        ForeignSecret::from_bytes(&self.parameters, &file)
    }

    /// Encrypts a list of bits with as much Gaussian noise as the library's ciphertexts may have.
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

    /// Returns the errors of phases relative to the expected bits, as fractions of the modulus.
    fn errors(&self, results: &LweList, expected: &[bool]) -> Vec<f64> {
        let (masks, dimension) = (results.masks(), self.secret.len());
        let values = masks.chunks_exact(dimension).zip(results.bodies()).zip(expected);
        let error = |((mask, &body), &bit): ((&[u64], &u64), &bool)| {
            // Here, masks are those of phases `b + ⟨a, s⟩`.
            let mask: Vec<i64> = mask.iter().map(|&word| word as i64).collect();
            let phase = (body as i64 + self.product(&mask)).rem_euclid(self.modulus);
            let error = phase as f64 / self.modulus as f64 - self.phase_of(bit);
            error - error.round()
        };
        values.map(error).collect()
    }
}

/// Measures NAND in rounds, each on the results of the two before it.
fn measure(
    parameters: &ForeignParameters,
    arguments: &ForeignGatesArguments,
) -> Result<ForeignGatesRecord> {
    let mut client = Client::new(parameters, arguments.seed);
    let packed = parameters.packed(arguments.gates as usize)?;
    let secret = client.secret()?;
    let (server, keygen_s) = try_timed(|| secret.gates(&packed, Progress::silent()))?;
    let count = server.bits_at_once().min(arguments.gates as usize);
    let plain = [(); 2].map(|()| (0..count).map(|_| client.rng.random()).collect::<Vec<bool>>());
    let (inputs, encrypt_s) = timed(|| plain.each_ref().map(|bits| client.encrypt(bits)));
    let [first, second] = inputs;
    let inputs = [first?, second?];
    let mut contract = contract(&server, packed.literal().ring_degree);
    (contract.keygen_s, contract.encrypt_s) = (keygen_s, encrypt_s / (2 * count) as f64);
    let nand = |x: &LweList, y: &LweList| {
        let (results, time) = timed(|| server.gate(Gate::Nand, x, y, Progress::silent()));
        Ok((results?, time))
    };
    let check = |results: &LweList, expected: &[bool], checked: &mut Checked| {
        let errors = client.errors(results, expected);
        errors.iter().for_each(|error| checked.count(error.abs() >= 0.125));
        checked.errors(errors);
        Ok(())
    };
    let (times, unit) = rounds(arguments.runs, plain, inputs, &mut contract, nand, check)?;
    contract.set_time(median(&times), times.len(), count, unit);
    Ok(ForeignGatesRecord {
        contract,
        set: parameters.name(),
        input_noise_std_log2: (8.0 * parameters.deviation()).log2(),
        published_s: FHEW_GATES.0,
    })
}

/// Returns a line of these keys, with nothing measured yet.
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
    use crate::contract::tests::{check_line, parsed};
    use crate::fhew_gates::ROUNDS_BEFORE;

    #[test]
    fn a_toy_in_rounds() {
        let set = ForeignParameters::insecure_toy();
        let arguments = parsed("--gates 64 --runs 4");
        let record = measure(&set, &arguments).unwrap();
        check_line(&record);
        assert_eq!(record.contract.values_checked, (4 + ROUNDS_BEFORE) * 64);
        let predicted = record.contract.predicted_noise_std_log2.unwrap();
        let found = record.contract.noise_std_log2;
        assert!((found - predicted).abs() < 0.3, "2^{found}, predicted 2^{predicted}");
    }
}
