//! `bench decomposition`: homomorphic digit decomposition as a function of the modulus width (Figure 4 and Table 10 of Ma et
//! al., TCHES 2024).

use clap::Args;
use cryptable_fhew::decomposition::{Decomposition, DigitDecomposition, algorithms, encrypt_large};
use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::test_polynomial::encode;
use cryptable_lattice::lwe::LweCiphertext;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::timed_each;
use crate::single::{Batch, Line, Session};

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
    /// Name of the only algorithm to measure [default: all].
    #[arg(long)]
    method: Option<String>,
    /// log2 of the failure probability.
    #[arg(long, default_value_t = -64.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// Values per batch [default: 1 on one thread, 32 per thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Values that are checked, each of them encrypted in two ciphertexts.
    #[arg(long, default_value_t = 8)]
    samples: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A [`Line`] with the fields of decompositions.
#[derive(Debug, Serialize)]
struct DecompositionLine {
    #[serde(flatten)]
    line: Line,
    /// log2 of q_0 as the paper counts it, with digits of q/B phases each, modulo q = 2N.
    log2_q0: u32,
    /// Bits of a digit.
    base_log2: u32,
    digits: usize,
    /// Index of the rotation key of every step.
    rotation_keys: Vec<usize>,
}

/// Returns the bits of a digit in Figure 4.
fn base_log2(algorithm: &dyn DigitDecomposition) -> u32 {
    match algorithm.name() {
        "HomDecomp-Reduce" | "HomFloor" => 4,
        _ => 5,
    }
}

/// Runs the benchmark.
pub fn run(arguments: &DecompositionArguments, json: bool) -> anyhow::Result<()> {
    let session = Session::new(&Parameters::decomposition_128());
    let mut found = false;
    for &algorithm in algorithms() {
        if arguments.method.as_deref().is_some_and(|name| name != algorithm.name()) {
            continue;
        }
        for log2_q0 in arguments.from..=arguments.to {
            print_line(&measure(&session, algorithm, log2_q0, arguments)?, json)?;
            found = true;
        }
    }
    anyhow::ensure!(found, "no algorithm of that name");
    Ok(())
}

/// Plans a decomposition for values modulo q_0/2N·B, so that a digit is B phases, as the paper counts.
///
/// If an algorithm cannot meet the requested failure probability, its line states the one that it has.
fn plan(
    model: &NoiseModel,
    algorithm: &'static dyn DigitDecomposition,
    log2_q0: u32,
    limit: f64,
) -> anyhow::Result<Decomposition> {
    let base_log2 = base_log2(algorithm);
    let bits = log2_q0 - model.parameters().rotation_modulus().ilog2() + base_log2;
    let plan =
        |limit| Decomposition::plan(model, algorithm, bits, base_log2, model.fresh_large(), limit);
    let plan = plan(limit).or_else(|error| {
        eprintln!("{error}");
        plan(-40.0)
    })?;
    Ok(plan)
}

/// Decomposes random values.
fn measure(
    session: &Session,
    algorithm: &'static dyn DigitDecomposition,
    log2_q0: u32,
    arguments: &DecompositionArguments,
) -> anyhow::Result<DecompositionLine> {
    let model = NoiseModel::new(&session.parameters);
    let plan = plan(&model, algorithm, log2_q0, arguments.log2_fail)?;
    let bits = plan.bits();
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let samples = arguments.samples.max(1);
    // Every value is used twice, since noise is measured as the difference between two ciphertexts of a value.
    let values: Vec<u64> = (0..samples).flat_map(|_| [rng.random_range(0..1 << bits); 2]).collect();
    let encrypt = |&value: &u64| encrypt_large(&session.secret, value, bits);
    let (inputs, encrypt_s) = timed_each(&values, encrypt)?;
    let decompose = |input: &LweCiphertext| {
        plan.evaluate(&session.key, input).expect("inputs of these parameters")
    };
    let batch = Batch::new(arguments.batch, arguments.runs);
    let mut line = session.line(batch, &inputs, decompose);
    let results: Vec<Vec<LweCiphertext>> =
        inputs.par_iter().map(|input| decompose(input).into_lookup_inputs(&session.key)).collect();
    check(&session.secret, &plan, &values, &results, &mut line.contract)?;
    let contract = &mut line.contract;
    let last = plan.digits() - 1;
    let predicted = plan.digit_noise(&model, last).deviation();
    contract.predicted_noise_std_log2 = Some(relative(predicted, plan.digit_bits(last)));
    contract.method = algorithm.name().to_owned();
    contract.table = "digits".to_owned();
    let base_log2 = base_log2(algorithm);
    (contract.bits_in, contract.bits_out) = (f64::from(bits), f64::from(base_log2));
    contract.modulus_in = 1 << bits;
    contract.encrypt_s = encrypt_s;
    contract.log2_fail = plan.log2_fail();
    contract.requested_log2_fail = Some(arguments.log2_fail);
    contract.output_bytes *= plan.digits();
    contract.input_bytes = (session.parameters.large_modulus().ilog2() as usize).div_ceil(8);
    line.rotations = plan.rotations();
    Ok(DecompositionLine {
        line,
        log2_q0,
        base_log2,
        digits: plan.digits(),
        rotation_keys: plan.rotation_keys().to_vec(),
    })
}

/// Returns log2 of the standard deviation of a digit's phase relative to the distance to a wrong digit, half a slot.
fn relative(deviation: f64, digit_bits: u32) -> f64 {
    (deviation * 2.0 * f64::from(digit_bits).exp2()).log2()
}

/// Checks results, and enters the number of values, the number of wrong ones, and the noise of the highest digit, which is the
/// noisiest.
///
/// The highest digit's phase also contains a remainder of the lower digits ([`Decomposition::digit_noise`]). Neighbours in
/// `values` are equal and have the same remainder, so that their phases differ by noise alone.
fn check(
    secret: &SecretKey,
    plan: &Decomposition,
    values: &[u64],
    results: &[Vec<LweCiphertext>],
    contract: &mut Contract,
) -> anyhow::Result<()> {
    let last = plan.digits() - 1;
    let (digit_bits, shift) = (plan.digit_bits(last), last as u32 * plan.digit_bits(0));
    let modulus = secret.parameters().lwe_modulus();
    let mut errors = Vec::with_capacity(values.len());
    for (&value, digits) in values.iter().zip(results) {
        contract.wrong += usize::from(recomposed(secret, plan, digits)? != value);
        let phase = encode(value >> shift, 1 << digit_bits, modulus);
        errors.push(secret.phase_error(&digits[last], phase)?);
    }
    contract.values_checked = values.len();
    // The difference of two errors has twice the variance of one.
    let squares: f64 = errors.chunks(2).map(|pair| (pair[0] - pair[1]).powi(2) / 2.0).sum();
    let deviation = (squares / (values.len() / 2) as f64).sqrt();
    contract.noise_std_log2 = relative(deviation, digit_bits);
    Ok(())
}

/// Returns the value that decrypted digits represent.
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

#[cfg(test)]
mod tests {
    use cryptable_fhew::decomposition::HomDecompReduce;
    use cryptable_fhew::parameters::ParametersLiteral;

    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn digits_of_a_toy() {
        let literal = *Parameters::decomposition_128().literal();
        let toy = ParametersLiteral { lwe_dimension: 64, ..literal };
        let session = Session::new(&Parameters::insecure(toy).unwrap());
        let arguments = parsed("--batch 1 --runs 1 --samples 16");
        let line = measure(&session, &HomDecompReduce, 20, &arguments).unwrap();
        check_line(&line);
        assert_eq!((line.digits, line.line.contract.values_checked), (3, 32));
        let Contract { noise_std_log2, predicted_noise_std_log2, .. } = line.line.contract;
        // 16 samples of a difference.
        assert!((noise_std_log2 - predicted_noise_std_log2.unwrap()).abs() < 2.0, "{line:?}");
    }
}
