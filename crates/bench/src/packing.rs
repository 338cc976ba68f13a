//! `bench packing`: ring packing of LWE ciphertexts, and extraction.

use clap::Args;
use cryptable_ckks::encryption::decrypt_coefficients;
use cryptable_conversion::{
    Clients, EncryptedPhases, ExtractionKey, Parameters, ParametersLiteral, RingPackingKey,
    Secrets, SeededExtractionKey, SeededRingPackingKey,
};
use cryptable_fhew::booleans;
use cryptable_fhew::noise::Variance;
use cryptable_lattice::lwe_encryption::phase;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::secret::TernarySecret;
use cryptable_ring::primes::ntt_primes;
use cryptable_wire::KeyId;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::contract::{Contract, print_lines};
use crate::measurement::{Checked, UnitSampler, median, timed, try_timed};
use crate::memory;

/// Arguments of `bench packing`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench packing --runs 20")]
pub struct PackingArguments {
    /// log2 of the ring degree, which is also the number of values.
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u32).range(10..=16))]
    log2_degree: u32,
    /// log2 of q_0.
    #[arg(long, default_value_t = 28.0)]
    log2_bottom: f64,
    /// Conversions to take the median of.
    #[arg(long, default_value_t = 10)]
    runs: usize,
    /// Seed of the random bits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A client of gates, and a ring with a secret of its own.
pub(crate) struct Client {
    pub(crate) single: booleans::SecretKey,
    ring: TernarySecret,
    clients: Clients,
    pub(crate) parameters: Parameters,
}

/// Runs the benchmark.
pub fn run(arguments: &PackingArguments, json: bool) -> anyhow::Result<()> {
    print_lines(&measure(arguments)?, json)
}

impl Client {
    /// Generates secrets for a ring of degree `2^log2_degree` and a prime of `log2_bottom` bits.
    pub(crate) fn new(log2_degree: u32, log2_bottom: f64) -> anyhow::Result<Self> {
        let single = booleans::SecretKey::generate(&booleans::Parameters::default_128());
        let degree = 1 << log2_degree;
        let ring = TernarySecret::uniform(degree);
        let bottom = ntt_primes(degree, log2_bottom, 1, &[])[0];
        let numbers = single.parameters().fhew();
        let parameters = if degree >= 1 << 12 {
            Parameters::new(ParametersLiteral::between_128(numbers, degree, bottom))?
        } else {
            Parameters::new(ParametersLiteral::insecure_between(numbers, degree, bottom))?
        };
        let clients = Clients { lwe: single.id(), ring: KeyId([0; 16]) };
        Ok(Self { single, ring, clients, parameters })
    }

    pub(crate) fn secrets(&self) -> Secrets<'_> {
        let lwe = self.single.fhew().lwe_coefficients();
        Secrets { lwe, ring: &self.ring, clients: self.clients }
    }

    /// Returns the errors of phases relative to sums of bits in quarters.
    pub(crate) fn packing_errors(&self, packed: &EncryptedPhases, sums: &[f64]) -> Vec<f64> {
        let ring = self.parameters.bottom_ring();
        let phases = decrypt_coefficients(ring, &self.ring, packed.ciphertext());
        let q = ring.main_prime(0) as f64;
        phases.iter().zip(sums).map(|(x, sum)| centred(x / q - sum)).collect()
    }

    /// Returns the errors of LWE ciphertexts relative to sums of bits in quarters.
    pub(crate) fn extraction_errors(&self, list: &LweList, sums: &[f64]) -> Vec<f64> {
        let q = list.shape().modulus as f64;
        let lwe = self.single.fhew().lwe_coefficients();
        let error =
            |(i, sum): (usize, &f64)| centred(phase(lwe, &list.ciphertext(i)) as f64 / q - sum);
        sums.iter().enumerate().map(error).collect()
    }
}

fn centred(x: f64) -> f64 {
    x - x.round()
}

/// Times and errors of one direction.
#[derive(Default)]
struct Direction {
    times: Vec<f64>,
    errors: Vec<f64>,
}

impl Direction {
    /// Returns a line, without the fields of keys.
    fn line(
        &self,
        method: &str,
        predicted: Variance,
        parameters: &Parameters,
        unit: f64,
    ) -> Contract {
        let degree = parameters.literal().ring_degree;
        let Self { times, errors } = self;
        // Sums of two bits are quarters: a phase is wrong at a distance of 1/8.
        let mut checked = Checked::default();
        errors.iter().for_each(|error| checked.count(error.abs() >= 0.125));
        checked.errors(errors.iter().copied());
        let mut contract = Contract {
            method: method.into(),
            table: "sum".into(),
            bits_in: 2.0,
            bits_out: 2.0,
            modulus_in: 4,
            ring_degree: degree,
            predicted_noise_std_log2: Some((8.0 * predicted.standard_deviation()).log2()),
            log2_fail: predicted.law().log2_exceeds(0.125),
            security_bits: parameters.security_bits(),
            peak_rss_bytes: memory::peak_rss(),
            eval_rss_bytes: memory::peak_rss(),
            ..Contract::here()
        };
        checked.enter(&mut contract, 0.125);
        contract.set_time(median(times), times.len(), degree, unit);
        contract
    }
}

fn measure(arguments: &PackingArguments) -> anyhow::Result<[Contract; 2]> {
    let client = Client::new(arguments.log2_degree, arguments.log2_bottom)?;
    let parameters = &client.parameters;
    let degree = parameters.literal().ring_degree;
    let (packing_seeded, packing_keygen) = timed(|| client.secrets().packing_key(parameters));
    let (extraction_seeded, keygen) = timed(|| client.secrets().extraction_key(parameters));
    let (packing_seeded, extraction_seeded) = (packing_seeded?, extraction_seeded?);
    let (packing, packing_setup) = timed(|| RingPackingKey::expand(&packing_seeded));
    let (extraction, setup) = timed(|| ExtractionKey::expand(&extraction_seeded));
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let mut unit = UnitSampler::start();
    let (mut into, mut back) = (Direction::default(), Direction::default());
    memory::reset_peak();
    let mut encrypt_s = 0.0;
    for _ in 0..arguments.runs.max(1) {
        let bits = [0, 1].map(|_| (0..degree).map(|_| rng.random()).collect::<Vec<bool>>());
        let (fresh, time) = timed(|| bits.each_ref().map(|bits| client.single.encrypt(bits)));
        encrypt_s = time / (2 * degree) as f64;
        // Masks are words, like those of results of gates: a seed would have to be expanded every time.
        let lists = fresh.each_ref().map(computed);
        let quarter = parameters.lwe_shape().modulus / 4;
        let (packed, time) = try_timed(|| packing.pack(&[&lists[0], &lists[1]], quarter, degree))?;
        into.times.push(time);
        let (list, time) = try_timed(|| extraction.extract(&packed, 0))?;
        back.times.push(time);
        unit.sample_if_due();
        let sum = |(&x, &y): (&bool, &bool)| f64::from(u8::from(x) + u8::from(y)) / 4.0;
        let sums: Vec<f64> = bits[0].iter().zip(&bits[1]).map(sum).collect();
        into.errors.extend(client.packing_errors(&packed, &sums));
        back.errors.extend(client.extraction_errors(&list, &sums));
    }
    let unit = unit.finish();
    let packed_noise = packed_noise(parameters);
    let noise = packed_noise + parameters.extraction_noise();
    let packing_line = Contract {
        encrypt_s,
        keygen_s: packing_keygen,
        setup_s: packing_setup,
        eval_key_bytes: packing.memory_bytes(),
        input_bytes: SeededRingPackingKey::body_bytes(parameters) as usize,
        ..into.line("ring packing", packed_noise, parameters, unit)
    };
    let extraction_line = Contract {
        encrypt_s,
        keygen_s: keygen,
        setup_s: setup,
        eval_key_bytes: extraction.memory_bytes(),
        input_bytes: SeededExtractionKey::body_bytes(parameters) as usize,
        ..back.line("extraction", noise, parameters, unit)
    };
    Ok([packing_line, extraction_line])
}

/// Returns the noise of packed sums of two fresh lists.
pub(crate) fn packed_noise(parameters: &Parameters) -> Variance {
    let modulus = parameters.lwe_shape().modulus as f64;
    let fresh = Variance::of_units(cryptable_lattice::ERROR_VARIANCE, modulus);
    fresh * 2.0 + parameters.packing_noise()
}

/// Returns the same ciphertexts with their masks as words.
pub(crate) fn computed(bits: &booleans::EncryptedBits) -> LweList {
    let list = bits.values();
    LweList::from_words(list.shape(), list.masks().into_owned().into(), list.bodies().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn a_toy_ring() {
        let arguments = parsed("--log2-degree 10 --runs 1");
        for line in measure(&arguments).unwrap() {
            check_line(&line);
            assert_eq!(line.values_checked, 1024);
            let predicted = line.predicted_noise_std_log2.unwrap();
            assert!((line.noise_std_log2 - predicted).abs() < 0.3, "{predicted}");
        }
    }
}
