//! `bench decomposition`: homomorphic digit decomposition over the width of moduli (Figure 4 and Table 10 of Ma et
//! al., TCHES 2024).

use clap::Args;
use cryptable_fhew::decomposition::{Decomposition, DigitDecomposition, algorithms, encrypt_large};
use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::lwe::LweCiphertext;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::single::{Batch, Line, Session, report};

/// Arguments of `bench decomposition`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cryptable --threads 1 --json bench decomposition\n  \
    cryptable bench decomposition --from 29 --to 29 --method HomDecomp-Reduce")]
pub struct DecompositionArguments {
    /// Smallest log2 of the modulus q_0.
    #[arg(long, default_value_t = 13, value_parser = clap::value_parser!(u32).range(13..=35))]
    from: u32,
    /// Largest log2 of the modulus q_0.
    #[arg(long, default_value_t = 35, value_parser = clap::value_parser!(u32).range(13..=35))]
    to: u32,
    /// One algorithm only, by its name.
    #[arg(long)]
    method: Option<String>,
    /// log2 of the failure probability.
    #[arg(long, default_value_t = -64.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// Values at once [default: 1 on one thread, 32 a thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Values that are checked.
    #[arg(long, default_value_t = 8)]
    samples: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A [`Line`] with what belongs to decomposition.
#[derive(Debug, Serialize)]
struct DecompositionLine {
    #[serde(flatten)]
    line: Line,
    /// log2 of q_0 as the paper counts: digits of q/B phases each, modulo q = 2N.
    log2_q0: u32,
    /// Bits of a digit.
    base_log2: u32,
    digits: usize,
    /// Number of the rotation key of every step.
    rotation_keys: Vec<usize>,
}

/// Bits of a digit in Figure 4.
fn base_log2(algorithm: &dyn DigitDecomposition) -> u32 {
    match algorithm.name() {
        "HomDecomp-Reduce" | "HomFloor" => 4,
        _ => 5,
    }
}

/// Runs the benchmark.
pub fn run(arguments: &DecompositionArguments, threads: usize, json: bool) -> anyhow::Result<()> {
    let session = Session::new(&Parameters::decomposition_128());
    let batch = Batch::new(arguments.batch, arguments.runs, threads);
    let mut lines = Vec::new();
    for &algorithm in algorithms() {
        if arguments.method.as_deref().is_some_and(|name| name != algorithm.name()) {
            continue;
        }
        for log2_q0 in arguments.from..=arguments.to {
            let line = measure(&session, algorithm, log2_q0, arguments, batch)?;
            if json {
                println!("{}", serde_json::to_string(&line)?);
            } else {
                print(&line);
            }
            lines.push(line.line);
        }
    }
    anyhow::ensure!(!lines.is_empty(), "no algorithm of that name");
    // Lines are printed as they come: here values are checked only.
    report(&lines, false, |_| ())
}

fn measure(
    session: &Session,
    algorithm: &'static dyn DigitDecomposition,
    log2_q0: u32,
    arguments: &DecompositionArguments,
    batch: Batch,
) -> anyhow::Result<DecompositionLine> {
    let base_log2 = base_log2(algorithm);
    let two_n = session.parameters.rotation_modulus().ilog2();
    let bits = log2_q0 - two_n + base_log2;
    let model = NoiseModel::new(&session.parameters);
    let width = (bits, base_log2);
    let plan = |limit| Decomposition::plan(&model, algorithm, width, model.fresh_large(), limit);
    // Where an algorithm falls short, its line says so by its failure probability.
    let plan = plan(arguments.log2_fail).or_else(|error| {
        eprintln!("{error}");
        plan(-40.0)
    })?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let values: Vec<u64> =
        (0..arguments.samples.max(1)).map(|_| rng.random_range(0..1 << bits)).collect();
    let inputs: Vec<LweCiphertext> = values
        .iter()
        .map(|&value| encrypt_large(&session.secret, value, bits))
        .collect::<Result<_, _>>()?;
    let decompose = |input: &LweCiphertext| {
        plan.evaluate(&session.key, input).expect("inputs of these parameters")
    };
    let mut line = session.line(batch, &inputs, decompose);
    let results: Vec<Vec<LweCiphertext>> =
        inputs.par_iter().map(|input| decompose(input).into_lookup_inputs(&session.key)).collect();
    for (&value, digits) in values.iter().zip(&results) {
        line.contract.wrong += usize::from(recomposed(&session.secret, &plan, digits)? != value);
    }
    let last = plan.digits() - 1;
    let slot = f64::from(plan.digit_bits(last)).exp2();
    line.contract.predicted_noise_std_log2 =
        (plan.digit_noise(&model, last).standard_deviation() * 2.0 * slot).log2();
    line.contract.method = algorithm.name().to_owned();
    line.contract.table = "digits".to_owned();
    (line.contract.bits_in, line.contract.bits_out) = (f64::from(bits), f64::from(base_log2));
    line.contract.modulus_in = 1 << bits;
    line.contract.values_checked = values.len();
    line.contract.log2_fail = plan.log2_fail();
    line.rotations = plan.rotations();
    let literal = session.parameters.literal();
    line.contract.output_bytes = plan.digits()
        * ((literal.lwe_dimension + 1) * literal.log2_lwe_modulus as usize).div_ceil(8);
    line.contract.input_bytes = (session.parameters.large_modulus().ilog2() as usize).div_ceil(8);
    Ok(DecompositionLine {
        line,
        log2_q0,
        base_log2,
        digits: plan.digits(),
        rotation_keys: plan.rotation_keys().to_vec(),
    })
}

/// The value of decrypted digits.
fn recomposed(
    secret: &SecretKey,
    plan: &Decomposition,
    digits: &[LweCiphertext],
) -> anyhow::Result<u64> {
    let mut sum = 0;
    for (i, digit) in digits.iter().enumerate() {
        let value = secret.decrypt(digit, 1 << plan.digit_bits(i))?;
        sum += value << (i as u32 * plan.digit_bits(0));
    }
    Ok(sum)
}

fn print(line: &DecompositionLine) {
    let DecompositionLine { line, log2_q0, base_log2, digits, rotation_keys } = line;
    println!(
        "{:<17} q_0 = 2^{log2_q0}, B = 2^{base_log2}: {digits} digits, {} rotations, {:.2} ms, {:.1} u, keys {rotation_keys:?}, fails 2^{:.1}",
        line.contract.method,
        line.rotations,
        line.contract.ms_per_value,
        line.units_per_value,
        line.contract.log2_fail
    );
}
