//! `bench fdd`: functional digit decomposition of a full ciphertext, digits back as RLWE ciphertexts.

use clap::Args;
use cryptable::engines::packed::{Method, Parameters, Progress, Request, Result, Table};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::keys::Keys;
use super::line::{Measured, PackedRecord, common, digits_of};
use crate::contract::{Contract, print_line};
use crate::measurement::try_timed;

/// Arguments of `bench fdd`.
#[derive(Debug, Args)]
pub struct FddArguments {
    /// Bits of inputs.
    #[arg(long, default_value_t = 16)]
    bits: u32,
    /// Bits of digits [default: those of the fastest lookup].
    #[arg(long)]
    digit_bits: Option<u32>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark: `bits_out`, and sizes of outputs, are those of all digits.
pub fn run(arguments: &FddArguments, json: bool) -> anyhow::Result<()> {
    let modulus = 1u64 << arguments.bits;
    let request = Request {
        method: Some(Method::Cmt),
        digit_bits: arguments.digit_bits,
        ..Request::new(modulus, modulus)
    };
    print_line(&measure(&Parameters::choose(&request)?, arguments)?, json)
}

/// Measures decompositions with parameters of a multiplexer tree, and checks every digit.
fn measure(parameters: &Parameters, arguments: &FddArguments) -> anyhow::Result<PackedRecord> {
    let (literal, modulus) = (parameters.literal(), parameters.input_modulus());
    let digits = digits_of(literal);
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let values: Vec<u64> = (0..literal.slots).map(|_| rng.random_range(0..modulus)).collect();
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = try_timed(|| keys.secret.encrypt(&values))?;
    let identity = |&size: &u64| Ok(vec![Table::from_fn(size, size, |digit| digit)?]);
    let tables = digits.iter().map(identity).collect::<Result<Vec<_>>>()?;
    let evaluate = || {
        let results = keys.evaluation_key.decompose(&input, &tables, Progress::silent())?;
        Ok(results.into_iter().flatten().collect())
    };
    let measured = Measured::of(arguments.runs, evaluate)?;
    let mut place = 1;
    let digit = |&size: &u64| {
        let digits = values.iter().map(|value| value / place % size).collect();
        place *= size;
        digits
    };
    let expected: Vec<Vec<u64>> = digits.iter().map(digit).collect();
    let contract = Contract {
        method: "fdd".to_owned(),
        table: "digits".to_owned(),
        bits_out: (modulus as f64).log2(),
        encrypt_s,
        input_bytes: input.to_bytes().len(),
        ..common(parameters, &keys)
    };
    let prediction = parameters.decomposition_prediction(1)?;
    measured.record(parameters, &keys, &prediction, &expected, contract)
}

#[cfg(test)]
mod tests {
    use cryptable::engines::packed::MultiplexerLiteral;

    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn digits_of_a_toy() {
        let (digits, selectors) = (vec![4, 8], vec![1, 1]);
        let tree = MultiplexerLiteral { digits, selectors, ..MultiplexerLiteral::default() };
        let parameters = Parameters::insecure_toy_tree(32, 1024, 64, tree, 0).unwrap();
        let arguments = parsed("--bits 5 --runs 1");
        let record = measure(&parameters, &arguments).unwrap();
        check_line(&record);
        assert_eq!((record.contract.values_checked, record.digits), (64, vec![4, 8]));
        assert!(record.contract.noise_std_log2 < -2.0 && record.predicted_units > 0.0);
    }
}
