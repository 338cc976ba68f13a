//! `bench fhew-gates`: NAND of FHEW ciphertexts by ring packing, a half GateBoot and extraction (Sec. 6 of Bae, Cheon, Kim,
//! Stehlé, EUROCRYPT 2024).
//!
//! Phases of ±1/8 add up to 0, 1/4 and 1/2 of q_0: values of `Z_4`, on which GateBoot evaluates its wave. Errors of bits
//! are π times those of sums; cleaning, or a BinBoot where no level is left, squares them, so that what results have is the noise of
//! extraction, however many gates came before. Gates of later runs take the results of earlier ones.

use clap::Args;
use cryptable_bits as bits;
use cryptable_bits::{Packing, RlweInput};
use cryptable_conversion::{
    Clients, EncryptedPhases, ExtractionKey, Parameters, ParametersLiteral, RingPackingKey, Secrets,
};
use cryptable_fhew::booleans;
use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_lattice::lwe_encryption::phase;
use cryptable_lattice::noise_bound::NoiseBound;
use cryptable_lattice::{Progress, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::Contract;
use crate::measurement::{UnitSampler, median, timed};
use crate::memory;

/// Arguments of `bench fhew-gates`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench fhew-gates --runs 10")]
pub struct FhewGatesArguments {
    /// Rounds of gates to take the median of: each takes the results of the two before it.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// log2 of the failure probability that parameters of FHEW's own gates are chosen for: of the default's modulus,
    /// 2^16, noise would use up what GateBoot allows.
    #[arg(long, default_value_t = -128.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// Seed of the random bits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Steps of a round, in order.
const STEPS: [&str; 5] = ["packing", "half GateBoot", "cleaning", "SlotsToCoeffs", "extraction"];

/// A line: the contract, and the steps.
#[derive(Debug, Serialize)]
struct GatesRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Name and time of every step in u, medians.
    step_units: Vec<(&'static str, f64)>,
    /// Bytes of the packing key and of the extraction key, in memory.
    conversion_key_bytes: [usize; 2],
}

/// A client's secrets, and the keys of its server.
struct Session {
    single: booleans::SecretKey,
    server: bits::EvaluationKey,
    packing: RingPackingKey,
    extraction: ExtractionKey,
    keygen_s: f64,
}

/// FHEW ciphertexts of bits, with the noise that they have by prediction, as fractions of the modulus.
struct Bits {
    values: booleans::EncryptedBits,
    noise: NoiseBound,
}

/// Noise without bias.
fn gaussian(variance: Variance) -> NoiseBound {
    NoiseBound::new(variance.standard_deviation(), 0.0)
}

/// Independent noise added.
fn with_independent(x: NoiseBound, y: NoiseBound) -> NoiseBound {
    NoiseBound::new(x.deviation().hypot(y.deviation()), x.bias() + y.bias())
}

/// Runs the benchmark.
pub fn run(arguments: &FhewGatesArguments, json: bool) -> anyhow::Result<()> {
    let packed = bits::Parameters::latency_128(Packing::Complex)?;
    let session =
        Session::new(&booleans::Parameters::with_log2_fail(arguments.log2_fail)?, &packed)?;
    let record = session.measure(arguments)?;
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        let contract = &record.contract;
        let step = |(name, units): &(&str, f64)| format!("{name} {units:.0}");
        println!(
            "{}: {} gates in {:.0} ms, {:.0} u ({} u), {:.1} us a gate; noise 2^{:.1} of the margin, predicted 2^{:.1}; \
             {:.2} GB; fails 2^{:.1}, {:.1} bits",
            contract.method,
            contract.slots,
            contract.eval_s * 1e3,
            contract.eval_units,
            record.step_units.iter().map(step).collect::<Vec<_>>().join(", "),
            contract.ms_per_value * 1e3,
            contract.noise_std_log2,
            contract.predicted_noise_std_log2.unwrap_or(f64::NAN),
            contract.eval_rss_bytes as f64 / 1e9,
            contract.log2_fail,
            contract.security_bits
        );
    }
    record.contract.check()
}

impl Session {
    fn new(single: &booleans::Parameters, packed: &bits::Parameters) -> Result<Self> {
        let single = booleans::SecretKey::generate(single);
        let secret = bits::SecretKey::generate(packed);
        let (numbers, degree) = (single.parameters().fhew(), packed.literal().ring_degree);
        let literal = match packed.security_bits() > 0.0 {
            true => ParametersLiteral::between_128(numbers, degree, packed.bottom_prime()),
            false => ParametersLiteral::insecure_between(numbers, degree, packed.bottom_prime()),
        };
        let parameters = Parameters::new(literal)?;
        let clients = Clients { lwe: single.id(), ring: secret.key_id() };
        let lwe = single.fhew().lwe_coefficients();
        let secrets = Secrets { lwe, ring: secret.secret(), clients };
        let (keys, keygen_s) = timed(|| {
            let server = secret.evaluation_key(Progress::silent())?;
            let packing = RingPackingKey::expand(&secrets.packing_key(&parameters)?);
            let extraction = ExtractionKey::expand(&secrets.extraction_key(&parameters)?);
            Ok::<_, cryptable_lattice::Error>((server, packing, extraction))
        });
        let (server, packing, extraction) = keys?;
        Ok(Self { single, server, packing, extraction, keygen_s })
    }

    /// NAND of all bits, and the time of every step.
    fn nand(&self, x: &Bits, y: &Bits) -> Result<(Bits, [f64; 5])> {
        let (parameters, packed) = (self.packing.parameters(), self.server.parameters());
        let (degree, ring_key) = (packed.literal().ring_degree, self.packing.clients().ring);
        let noise = with_independent(
            with_independent(x.noise, y.noise),
            gaussian(parameters.packing_noise()),
        );
        let (sums, packing_s) = timed(|| {
            let phases = self.packing.pack_bits(&[&x.values, &y.values], degree)?;
            let ciphertext = phases.ciphertext().clone();
            RlweInput::new(packed, ring_key, ciphertext, (x.values.count(), 4), noise)
        });
        let sums = sums?;
        let (result, boot_s) = timed(|| self.server.half_gate_boot(bits::Gate::Nand, &sums));
        let result = result?;
        // By h1 where there are levels for it, by a BinBoot where there are none.
        let (cleaned, cleaning_s) = timed(|| match result.levels() {
            0 | 1 => self.server.bin_boot(&result),
            _ => self.server.clean(&result),
        });
        let cleaned = cleaned?;
        let (quarters, transform_s) = timed(|| self.server.to_coefficients(&cleaned, 4));
        let quarters = quarters?;
        let (results, extraction_s) = timed(|| {
            let ciphertext = quarters.ciphertext().clone();
            let shape = (degree, quarters.count());
            let phases = EncryptedPhases::new(parameters, ring_key, ciphertext, shape)?;
            self.extraction.extract_bits(self.single.parameters(), &phases)
        });
        // A coefficient is a sum over thousands of slots, and deviations are of the whole error: what bounds that of a slot
        // for certain, its bias, is not met by all slots at once.
        let of_bits = NoiseBound::new(quarters.noise().deviation(), 0.0);
        let noise = with_independent(of_bits, gaussian(parameters.extraction_noise()));
        let times = [packing_s, boot_s, cleaning_s, transform_s, extraction_s];
        Ok((Bits { values: results?, noise }, times))
    }

    /// Errors of phases against bits, as fractions of the modulus.
    fn errors(&self, results: &booleans::EncryptedBits, expected: &[bool]) -> Vec<f64> {
        let (list, lwe) = (results.values(), self.single.fhew().lwe_coefficients());
        let q = list.shape().modulus as f64;
        let error = |(i, &bit): (usize, &bool)| {
            let wanted = if bit { 0.125 } else { -0.125 };
            let error = phase(lwe, &list.ciphertext(i)) as f64 / q - wanted;
            error - error.round()
        };
        expected.iter().enumerate().map(error).collect()
    }

    fn measure(&self, arguments: &FhewGatesArguments) -> Result<GatesRecord> {
        let packed = self.server.parameters();
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let mut draw = || (0..packed.bits()).map(|_| rng.random()).collect::<Vec<bool>>();
        let mut plain = [draw(), draw()];
        let fresh = gaussian(NoiseModel::new(self.single.parameters().fhew()).fresh());
        let encrypt = |bits: &Vec<bool>| Bits { values: self.single.encrypt(bits), noise: fresh };
        let (mut inputs, encrypt_s) = timed(|| plain.each_ref().map(encrypt));
        let conversion_key_bytes = [self.packing.memory_bytes(), self.extraction.memory_bytes()];
        let mut contract = Contract {
            method: "FHEW gates by GateBoot".into(),
            table: "NAND".into(),
            bits_in: 2.0,
            bits_out: 1.0,
            modulus_in: 2,
            ring_degree: packed.literal().ring_degree,
            keygen_s: self.keygen_s,
            encrypt_s: encrypt_s / (2 * packed.bits()) as f64,
            eval_key_bytes: self.server.memory_bytes() + conversion_key_bytes.iter().sum::<usize>(),
            security_bits: packed.security_bits().min(self.packing.parameters().security_bits()),
            ..Contract::here()
        };
        memory::reset_peak();
        let mut unit = UnitSampler::start();
        let (mut times, mut squares) = (Vec::new(), 0.0);
        for _ in 0..arguments.runs.max(1) {
            let (results, time) = self.nand(&inputs[0], &inputs[1])?;
            times.push(time);
            unit.sample_if_due();
            let pairs = plain[0].iter().zip(&plain[1]);
            let expected: Vec<bool> = pairs.map(|(&x, &y)| !(x && y)).collect();
            let found = self.single.decrypt(&results.values)?;
            contract.wrong += found.iter().zip(&expected).filter(|(a, b)| a != b).count();
            contract.values_checked += found.len();
            squares += self.errors(&results.values, &expected).iter().map(|e| e * e).sum::<f64>();
            // A sum of two of them is wrong at a distance of 1/8, in units of which noise is told.
            let predicted = results.noise;
            contract.predicted_noise_std_log2 = Some((8.0 * predicted.deviation()).log2());
            // A sum of two has half the margin for each; no bit fails more often than its bootstrap may.
            contract.log2_fail = predicted.log2_fail(8).max(packed.literal().log2_fail);
            let [_, second] = inputs;
            inputs = [second, results];
            plain = [std::mem::take(&mut plain[1]), expected];
        }
        contract.noise_std_log2 = (8.0 * (squares / contract.values_checked as f64).sqrt()).log2();
        contract.eval_rss_bytes = memory::peak_rss();
        contract.peak_rss_bytes = contract.eval_rss_bytes;
        let totals: Vec<f64> = times.iter().map(|time| time.iter().sum()).collect();
        let unit = unit.finish();
        contract.set_time(median(&totals), times.len(), packed.bits(), unit);
        let step = |k: usize| median(&times.iter().map(|time| time[k]).collect::<Vec<_>>()) / unit;
        let step_units = STEPS.iter().enumerate().map(|(k, &name)| (name, step(k))).collect();
        Ok(GatesRecord { contract, step_units, conversion_key_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn a_toy_ring_in_rounds() {
        for packing in [Packing::Real, Packing::Complex] {
            let packed = bits::Parameters::insecure_toy(packing).unwrap();
            let session = Session::new(&booleans::Parameters::insecure_toy(), &packed).unwrap();
            let record =
                session.measure(&FhewGatesArguments { runs: 4, log2_fail: 0.0, seed: 1 }).unwrap();
            assert!(check_line(&serde_json::to_string(&record).unwrap()));
            assert_eq!(record.contract.values_checked, 4 * packed.bits());
        }
    }
}
