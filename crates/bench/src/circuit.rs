//! `bench circuit`: binary circuits on packed bits, scheduled and run.

use anyhow::Context;
use clap::{Args, ValueEnum};
use cryptable_bits::{EncryptedBits, Packing, Parameters, SecretKey};
use cryptable_circuits::execution::{input_bits, output_words};
use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::{Circuit, Plan, PlanOptions, execute};
use cryptable_lattice::Progress;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::Contract;
use crate::measurement::{UnitSampler, median, timed};
use crate::memory;

/// The circuits, in options.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum CircuitArgument {
    /// A sum of words of 32 bits.
    Add32,
    /// Comparisons of words of 32 bits: less than, with signs and without, and equal.
    Compare32,
    /// A product of words of 32 bits, modulo 2^32.
    Multiply32,
    /// AES-128 of a block, under an encrypted key.
    Aes128,
}

/// The parameter sets, in options.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SetArgument {
    /// Ring degree 2^14.
    Latency,
    /// Ring degree 2^15.
    Balanced,
    /// Ring degree 2^16.
    Throughput,
}

/// Arguments of `bench circuit`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench circuit --circuit add32 --set balanced"
)]
pub struct CircuitArguments {
    /// The circuit.
    #[arg(long, value_enum, default_value = "add32")]
    circuit: CircuitArgument,
    /// The parameters.
    #[arg(long, value_enum, default_value = "balanced")]
    set: SetArgument,
    /// Print the plan and run nothing.
    #[arg(long)]
    plan: bool,
    /// Steps that run at once, each of them parallel, too.
    #[arg(long, default_value_t = 1)]
    parallel: usize,
    /// Memory that the plan may take, in GB, keys included.
    #[arg(long)]
    memory: Option<f64>,
    /// Evaluations to take the median time of, each of other words.
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Seed of the random words.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A line: the contract, and what is told of the plan.
#[derive(Debug, Serialize)]
struct CircuitRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Bootstraps of the plan.
    bootstraps: usize,
    /// Gates between bootstraps.
    gates: usize,
    /// Products that they take.
    products: usize,
    /// Cleanings.
    cleanings: usize,
    /// Products in a row of the circuit without bootstraps.
    depth: usize,
    /// Seconds of planning.
    plan_s: f64,
    /// Predicted time on one thread, in units.
    predicted_units: f64,
    /// Predicted memory, keys included.
    predicted_bytes: usize,
}

/// Runs a benchmark.
pub fn run(arguments: &CircuitArguments, json: bool) -> anyhow::Result<()> {
    let circuit = match arguments.circuit {
        CircuitArgument::Add32 => NamedCircuit::Add32,
        CircuitArgument::Compare32 => NamedCircuit::Compare32,
        CircuitArgument::Multiply32 => NamedCircuit::Multiply32,
        CircuitArgument::Aes128 => NamedCircuit::Aes128,
    };
    let parameters = match arguments.set {
        SetArgument::Latency => Parameters::latency_128(Packing::Real)?,
        SetArgument::Balanced => Parameters::balanced_128()?,
        SetArgument::Throughput => Parameters::throughput_128()?,
    };
    let circuit = circuit.build();
    let memory_limit = arguments.memory.map(|gigabytes| (gigabytes * 1e9) as usize);
    let options =
        PlanOptions { parallel: arguments.parallel, memory_limit, ..PlanOptions::default() };
    let (plan, plan_s) = timed(|| Plan::new(&circuit, &parameters, &options));
    let plan = plan?;
    if !json || arguments.plan {
        eprintln!("{circuit}\n{plan}");
    }
    if arguments.plan {
        return Ok(());
    }
    let record = measure(&circuit, &plan, plan_s, &parameters, arguments)?;
    if json {
        println!("{}", serde_json::to_string(&record)?);
    } else {
        let contract = &record.contract;
        println!(
            "{} of {} words in {:.1} s, {:.0} u, {:.3} ms a word; {:.2} GB, {} wrong",
            contract.table,
            contract.slots,
            contract.eval_s,
            contract.eval_units,
            contract.ms_per_value,
            contract.eval_rss_bytes as f64 / 1e9,
            contract.wrong
        );
    }
    record.contract.check()
}

fn measure(
    circuit: &Circuit,
    plan: &Plan,
    plan_s: f64,
    parameters: &Parameters,
    arguments: &CircuitArguments,
) -> anyhow::Result<CircuitRecord> {
    let secret = SecretKey::generate(parameters);
    let (server, keygen_s) = timed(|| secret.evaluation_key(Progress::silent()));
    let server = server?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let bits = circuit.input_bits() as f64;
    let mut contract = Contract {
        method: "circuit".into(),
        table: circuit.name().into(),
        bits_in: bits,
        bits_out: circuit.output_bits() as f64,
        ring_degree: parameters.literal().ring_degree,
        keygen_s,
        eval_key_bytes: server.memory_bytes(),
        log2_fail: plan.word_failure().log2(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    };
    let mut unit = UnitSampler::start();
    let (mut times, mut squares, mut checked_bits) = (Vec::new(), 0.0, 0);
    for _ in 0..arguments.runs.max(1) {
        let words = random_words(circuit, parameters.bits(), &mut rng);
        let (inputs, encrypt_s) = timed(|| encrypt(circuit, &secret, &words));
        contract.encrypt_s = encrypt_s;
        let (outputs, time) = timed(|| {
            let result = execute(plan, &server, inputs.ok()?, Progress::silent());
            Some(result)
        });
        let outputs = outputs.context("encryption failed")??;
        times.push(time);
        unit.sample_if_due();
        let expected = words.iter().map(|word| circuit.evaluate_words(word));
        let expected = expected.collect::<Result<Vec<_>, _>>()?;
        let widths: Vec<_> = circuit.outputs().iter().map(|word| word.signals.len()).collect();
        let decrypted = outputs.iter().map(|bits| secret.decrypt(bits));
        let found = output_words(&widths, &decrypted.collect::<Result<Vec<_>, _>>()?);
        contract.wrong += found.iter().zip(&expected).filter(|(a, b)| a != b).count();
        contract.values_checked += found.len();
        for (bits, expected) in outputs.iter().zip(input_bits(&widths, &expected)) {
            let errors = secret.errors(bits, &expected)?;
            squares += errors.iter().map(|error| error * error).sum::<f64>();
            checked_bits += errors.len();
        }
    }
    contract.eval_rss_bytes = memory::peak_rss();
    contract.peak_rss_bytes = generation_peak.max(contract.eval_rss_bytes);
    // A bit is wrong at a distance of 1/2.
    contract.noise_std_log2 = (2.0 * (squares / checked_bits as f64).sqrt()).log2();
    contract.set_time(median(&times), times.len(), parameters.bits(), unit.finish());
    let counts = plan.counts();
    let cost = PlanOptions::default().cost;
    Ok(CircuitRecord {
        contract,
        bootstraps: counts.bootstraps(),
        gates: counts.gates,
        products: counts.products,
        cleanings: counts.cleanings,
        depth: circuit.statistics().depth,
        plan_s,
        predicted_units: cost.seconds(&plan.work()) / cost.unit(),
        predicted_bytes: plan.memory_bytes(),
    })
}

/// Words for every input, as often as there are slots.
fn random_words(circuit: &Circuit, count: usize, rng: &mut ChaCha20Rng) -> Vec<Vec<u128>> {
    let word = |width: usize, rng: &mut ChaCha20Rng| rng.random::<u128>() >> (128 - width.min(128));
    (0..count)
        .map(|_| circuit.inputs().iter().map(|input| word(input.width, rng)).collect())
        .collect()
}

fn encrypt(
    circuit: &Circuit,
    secret: &SecretKey,
    words: &[Vec<u128>],
) -> cryptable_lattice::Result<Vec<EncryptedBits>> {
    let widths: Vec<_> = circuit.inputs().iter().map(|word| word.width).collect();
    input_bits(&widths, words).iter().map(|bits| secret.encrypt(bits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn a_comparison_on_a_toy() {
        let arguments = CircuitArguments {
            circuit: CircuitArgument::Compare32,
            set: SetArgument::Throughput,
            plan: false,
            parallel: 2,
            memory: None,
            runs: 1,
            seed: 1,
        };
        let circuit = NamedCircuit::Compare32.build();
        let toy = Parameters::insecure_toy_throughput().unwrap();
        let plan = Plan::new(&circuit, &toy, &PlanOptions::default()).unwrap();
        let record = measure(&circuit, &plan, 0.0, &toy, &arguments).unwrap();
        assert!(check_line(&serde_json::to_string(&record).unwrap()));
        assert_eq!((record.contract.wrong, record.contract.values_checked), (0, toy.bits()));
    }
}
