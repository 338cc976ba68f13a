//! `bench gates`: boolean gates with one bootstrap each.

use clap::Args;
use cryptable_fhew::cost;
use cryptable_fhew::gates::{self, Gate, Gates, decrypt_bit, encrypt_bit};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::lwe::LweCiphertext;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use crate::contract::print_line;
use crate::measurement::{Checked, timed_each};
use crate::single::{Batch, Line, Session};

/// Arguments of `bench gates`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench gates")]
pub struct GatesArguments {
    /// log2 of the failure probability per gate for which parameters are chosen.
    #[arg(long, default_value_t = -64.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// Gates evaluated per batch [default: 1 on one thread, 32 per thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 15)]
    runs: usize,
    /// Gates that are checked, and used for measuring noise.
    #[arg(long, default_value_t = 400)]
    samples: usize,
    /// Seed of the random bits.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark.
pub fn run(arguments: &GatesArguments, json: bool) -> anyhow::Result<()> {
    print_line(&measure(&gates::choose(arguments.log2_fail)?, arguments)?, json)
}

/// Measures NAND of random bits.
fn measure(parameters: &Parameters, arguments: &GatesArguments) -> anyhow::Result<Line> {
    let session = Session::new(parameters);
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let plain: Vec<[bool; 2]> = (0..arguments.samples.max(4)).map(|_| rng.random()).collect();
    let encrypt = |pair: &[bool; 2]| anyhow::Ok(pair.map(|bit| encrypt_bit(&session.secret, bit)));
    let (inputs, encrypt_s) = timed_each(&plain, encrypt)?;
    let gates = Gates::new(&session.key);
    let nand = |[a, b]: &[LweCiphertext; 2]| {
        gates.evaluate(Gate::Nand, a, b).expect("inputs of these parameters")
    };
    let batch = Batch::new(arguments.batch, arguments.runs);
    let mut line = session.line(batch, &inputs, nand);

    let results: Vec<LweCiphertext> = inputs.par_iter().map(nand).collect();
    let eighth = parameters.lwe_modulus() / 8;
    let mut checked = Checked::default();
    let contract = &mut line.contract;
    for (&[a, b], result) in plain.iter().zip(&results) {
        let expected = Gate::Nand.apply(a, b);
        checked.count(decrypt_bit(&session.secret, result)? != expected);
        let phase = if expected { eighth } else { 7 * eighth };
        checked.errors([session.secret.phase_error(result, phase)?]);
    }
    let model = NoiseModel::new(parameters);
    // The distance to a wrong sum of two results is 1/8 of the modulus.
    let relative = |variance: f64| (variance.sqrt() * 8.0).log2();
    checked.enter(contract, 0.125);
    contract.predicted_noise_std_log2 =
        Some(relative((model.blind_rotation() + model.key_switching()).0));
    contract.log2_fail = gates::log2_fail(&model);
    contract.requested_log2_fail = Some(arguments.log2_fail);
    contract.method = "NAND".to_owned();
    contract.table = "NAND".to_owned();
    (contract.bits_in, contract.bits_out, contract.modulus_in) = (2.0, 1.0, 2);
    contract.encrypt_s = encrypt_s / 2.0;
    line.rotations = 1;
    line.count_transforms(cost::rotation(parameters.literal()).digit_transforms);
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn gates_of_a_toy() {
        let arguments = parsed("--batch 2 --runs 2 --samples 32");
        let line = measure(&Parameters::insecure_toy(), &arguments).unwrap();
        check_line(&line);
        assert_eq!((line.contract.values_checked, line.contract.slots), (32, 2));
    }
}
