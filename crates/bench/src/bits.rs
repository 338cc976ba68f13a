//! `bench binboot` and `bench gateboot`: bits in CKKS slots, bootstrapped, and gated on the way.

use clap::{Args, ValueEnum};
use cryptable_bits::{
    EncryptedBits, EvaluationKey, Gate, Packing, Parameters, RlweInput, SecretKey,
};
use cryptable_lattice::noise_bound::NoiseBound;
use cryptable_lattice::{FailureProbability, Progress, Result};
use cryptable_papers::bae_2024::PublishedSet;
use cryptable_ring::Ring;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, timed, try_timed};

/// Packing of bits.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PackingArgument {
    /// One bit per slot: the least latency.
    Real,
    /// Two bits per slot: the most bits per second.
    Complex,
    /// The number of bits given by --bits, in slots that repeat.
    Sparse,
}

/// Arguments of `bench binboot` and `bench gateboot`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cryptable --threads 1 --json bench binboot --runs 100\n  cryptable bench binboot --ring-degree 65536\n  cryptable --threads 1 --json bench gateboot --half --packing complex --runs 100\n  cryptable --threads 1 --json bench gateboot --packing sparse --bits 256"
)]
pub struct BitsArguments {
    /// Ring degree: 16384, 32768 or 65536; the larger two have levels for gates, and 65536 supports complex packing
    /// only.
    #[arg(long, default_value_t = 16384)]
    ring_degree: usize,
    /// Packing of bits [default: real at ring degree 16384, else complex].
    #[arg(long, value_enum)]
    packing: Option<PackingArgument>,
    /// Number of bits for sparse packing, a power of two.
    #[arg(long, default_value_t = 256)]
    bits: usize,
    /// Levels for gates after a bootstrap at ring degree 16384: 0, 1 or 2, as the paper's Param14 has [default: 0, or 1 for
    /// --cleaning].
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=2))]
    levels: Option<u32>,
    /// GateBoot': use a gate that squares errors, at the cost of one of the levels.
    #[arg(long, conflicts_with = "half")]
    cleaning: bool,
    /// Measure half bootstraps: of bits in coefficients, for gates of sums modulo 4, as FHEW ciphertexts are packed.
    #[arg(long)]
    half: bool,
    /// Evaluations, each of different bits, to take the median time and the largest error of.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seed of the random bits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl BitsArguments {
    fn parameters(&self) -> anyhow::Result<Parameters> {
        anyhow::ensure!(
            self.levels.is_none() || self.ring_degree == 16_384,
            "--levels is for ring degree 16384; larger ones have a number of levels of their own"
        );
        let packing = match self.packing {
            Some(PackingArgument::Complex) => Packing::Complex,
            Some(PackingArgument::Sparse) => Packing::Sparse(self.bits),
            _ => Packing::Real,
        };
        match (self.ring_degree, self.packing) {
            (16_384, _) => Ok(match self.levels.unwrap_or(self.cleaning.into()) {
                0 => Parameters::latency_128(packing)?,
                1 => Parameters::functions_128(packing)?,
                _ => Parameters::cleaning_128(packing)?,
            }),
            (65_536, Some(PackingArgument::Real | PackingArgument::Sparse)) => {
                anyhow::bail!("ring degree 65536 has complex packing only")
            }
            (32_768, None) => Ok(Parameters::balanced_128(Packing::Complex)?),
            (32_768, Some(_)) => Ok(Parameters::balanced_128(packing)?),
            (65_536, _) => Ok(Parameters::throughput_128()?),
            (other, _) => anyhow::bail!("ring degree {other}: 16384, 32768 or 65536"),
        }
    }
}

/// The kind of bootstrap.
#[derive(Clone, Copy, Debug)]
pub enum Benchmark {
    /// Algorithm 2.
    BinBoot,
    /// Algorithm 3, for NAND.
    GateBoot,
    /// Algorithm 3 for NAND with errors squared, which needs one more level.
    GateBootCleaning,
}

impl Benchmark {
    fn evaluate(self, x: bool, y: bool) -> bool {
        match self {
            Self::BinBoot => x,
            Self::GateBoot | Self::GateBootCleaning => Gate::Nand.evaluate(x, y),
        }
    }

    /// Names of the method and the table.
    const fn names(self, half: bool) -> (&'static str, &'static str) {
        match (self, half) {
            (Self::BinBoot, false) => ("BinBoot", "identity"),
            (Self::BinBoot, true) => ("half BinBoot", "identity"),
            (Self::GateBoot, false) => ("GateBoot", "NAND"),
            (Self::GateBootCleaning, _) => ("GateBoot'", "NAND"),
            (Self::GateBoot, true) => ("half GateBoot", "NAND"),
        }
    }

    /// Bootstraps encrypted bits, and returns the result and the seconds.
    fn time(
        self,
        server: &EvaluationKey,
        [a, b]: [&EncryptedBits; 2],
        half: bool,
    ) -> Result<(EncryptedBits, f64)> {
        let (result, seconds) = if half {
            let values = self.coefficients(server, [a, b])?;
            timed(|| match self {
                Self::BinBoot => server.half_bin_boot(&values),
                Self::GateBoot | Self::GateBootCleaning => {
                    server.half_gate_boot(Gate::Nand, &values)
                }
            })
        } else {
            timed(|| match self {
                Self::BinBoot => server.bin_boot(a),
                Self::GateBoot => server.gate_boot(Gate::Nand, a, b),
                Self::GateBootCleaning => server.gate_boot_cleaning(Gate::Nand, a, b),
            })
        };
        Ok((result?, seconds))
    }

    /// Returns the inputs of a half bootstrap: bits, or sums of two bits modulo 4.
    fn coefficients(
        self,
        server: &EvaluationKey,
        [a, b]: [&EncryptedBits; 2],
    ) -> Result<RlweInput> {
        if matches!(self, Self::BinBoot) {
            return server.to_coefficients(a, 2);
        }
        let (a, b) = (server.to_coefficients(a, 4)?, server.to_coefficients(b, 4)?);
        let parameters = server.parameters();
        let (degree, prime) = (parameters.literal().ring_degree, parameters.bottom_prime());
        let ring = Ring::new(degree, &[prime], &[]);
        let mut sum = a.ciphertext().clone();
        sum.c0.add_assign(&ring, &b.ciphertext().c0);
        sum.c1.add_assign(&ring, &b.ciphertext().c1);
        let noise = a.noise() + b.noise();
        let noise = NoiseBound::new(noise.deviation(), noise.bias());
        RlweInput::new(parameters, a.key_id(), sum, a.count(), 4, noise)
    }
}

/// A line: the contract, and the fields of bits.
#[derive(Debug, Serialize)]
struct BitsRecord {
    #[serde(flatten)]
    contract: Contract,
    /// -log2 of the largest error of any slot in any run.
    precision_bits: f64,
    /// Levels left for gates.
    levels_left: usize,
    /// log2 of the product of all primes.
    log2_modulus: f64,
    /// Counted NTTs of one bootstrap from slots to slots, at its ring degree.
    transforms: usize,
    /// Figures that Bae et al. (EUROCRYPT 2024) publish for this degree: seconds on their machine, bits per bootstrap, levels
    /// left and bits of precision. `None` if they have no such set, for half bootstraps and for sparse packing.
    published: Option<Published>,
}

/// Published figures of a bootstrap.
#[derive(Debug, Serialize)]
struct Published {
    seconds: f64,
    bits: usize,
    levels_left: usize,
    precision_bits: f64,
}

impl Published {
    fn of(benchmark: Benchmark, ring_degree: usize) -> Option<Self> {
        let set = PublishedSet::of_degree(ring_degree)?;
        let place = match benchmark {
            Benchmark::BinBoot => 0,
            Benchmark::GateBoot => 1,
            Benchmark::GateBootCleaning => return None,
        };
        Some(Self {
            seconds: set.seconds[place],
            bits: set.bits,
            levels_left: set.levels,
            precision_bits: set.precision_bits[place],
        })
    }
}

/// Runs a benchmark.
pub fn run(benchmark: Benchmark, arguments: &BitsArguments, json: bool) -> anyhow::Result<()> {
    let benchmark = match (benchmark, arguments.cleaning) {
        (Benchmark::BinBoot, true) => anyhow::bail!("--cleaning is for gateboot"),
        (_, true) => Benchmark::GateBootCleaning,
        (benchmark, false) => benchmark,
    };
    let record = measure(benchmark, &arguments.parameters()?, arguments)?;
    print_line(&record, json)
}

fn measure(
    benchmark: Benchmark,
    parameters: &Parameters,
    arguments: &BitsArguments,
) -> Result<BitsRecord> {
    let secret = SecretKey::generate(parameters);
    let (server, keygen_s) = try_timed(|| secret.evaluation_key(Progress::silent()))?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let mut bits = || (0..parameters.bits()).map(|_| rng.random()).collect::<Vec<bool>>();
    let mut contract = contract(benchmark, parameters, arguments.half);
    (contract.keygen_s, contract.eval_key_bytes) = (keygen_s, server.memory_bytes());
    let (mut runs, mut checked, mut levels_left) = (Runs::start(), Checked::default(), 0);
    for _ in 0..arguments.runs.max(1) {
        let (x, y) = (bits(), bits());
        let (a, encrypt_s) = timed(|| secret.encrypt(&x));
        let (a, b) = (a?, secret.encrypt(&y)?);
        let (result, time) = benchmark.time(&server, [&a, &b], arguments.half)?;
        runs.add(time);
        let expected: Vec<bool> =
            x.iter().zip(&y).map(|(&x, &y)| benchmark.evaluate(x, y)).collect();
        checked.compare(&secret.decrypt(&result)?, &expected);
        checked.errors(secret.errors(&result, &expected)?);
        contract.encrypt_s = encrypt_s;
        contract.predicted_noise_std_log2 = Some((2.0 * result.noise().deviation()).log2());
        levels_left = result.levels();
    }
    // A bit is wrong at a distance of 1/2.
    checked.enter(&mut contract, 0.5);
    runs.enter(&mut contract, parameters.bits(), 0.0);
    Ok(BitsRecord {
        contract,
        precision_bits: -checked.worst.log2(),
        levels_left,
        log2_modulus: parameters.log2_modulus(),
        transforms: parameters.operation_counts().transforms,
        published: (!arguments.half && !matches!(parameters.packing(), Packing::Sparse(_)))
            .then(|| Published::of(benchmark, parameters.literal().ring_degree))
            .flatten(),
    })
}

/// Returns the fields that are known before measuring.
fn contract(benchmark: Benchmark, parameters: &Parameters, half: bool) -> Contract {
    let (method, table) = benchmark.names(half);
    let precision = match benchmark {
        Benchmark::BinBoot => parameters.bin_boot_precision(),
        Benchmark::GateBoot => parameters.gate_boot_precision(),
        Benchmark::GateBootCleaning => parameters.gate_boot_cleaning_precision(),
    };
    // Half bootstraps are refused above the stated probability, whatever their input's noise.
    let log2_fail = if half { parameters.literal().log2_fail } else { precision.log2_fail_per_bit };
    Contract {
        method: method.into(),
        table: table.into(),
        bits_in: if matches!(benchmark, Benchmark::BinBoot) { 1.0 } else { 2.0 },
        bits_out: 1.0,
        modulus_in: 2,
        ring_degree: parameters.literal().ring_degree,
        log2_fail: FailureProbability::from_log2(log2_fail).of_any(parameters.bits()).log2(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn bits_of_a_toy() {
        let benchmarks = [Benchmark::BinBoot, Benchmark::GateBoot];
        let benchmarks = benchmarks.into_iter().flat_map(|b| [(b, false), (b, true)]);
        for (benchmark, half) in benchmarks.chain([(Benchmark::GateBootCleaning, false)]) {
            let cleaning = matches!(benchmark, Benchmark::GateBootCleaning);
            let arguments = BitsArguments { cleaning, half, ..parsed("--runs 2") };
            for packing in [Packing::Complex, Packing::Sparse(64)] {
                let toy = Parameters::insecure_toy(packing).unwrap();
                let record = measure(benchmark, &toy, &arguments).unwrap();
                check_line(&record);
                let levels = if cleaning { 1 } else { 2 };
                let checked = (record.contract.values_checked, record.levels_left);
                assert_eq!(checked, (2 * toy.bits(), levels));
                assert!(record.precision_bits > 5.0);
            }
        }
    }
}
