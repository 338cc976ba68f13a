//! Tails of comparisons, maxima and the like of packed integers.

use cryptable::engines::packed::{Ciphertext, Operation, Parameters};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::packed::{packed_part, with_parameters};
use super::subject::{self, Part, Sampling, Subject};
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::packed::keys::Keys;
use crate::packed::line::common;
use crate::packed::sign::{expected_results, operate};

/// Measures an operation with the planner's parameters for integers of these bits.
pub fn run(operation: Operation, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    let request = arguments.limits.request(2, 2);
    let parameters = Parameters::for_comparisons(arguments.bits, &request)?;
    measure(&parameters, operation, arguments)
}

/// An operation on the same integers in fresh ciphertexts.
struct Comparisons {
    keys: Keys,
    operation: Operation,
    x: Vec<u64>,
    y: Vec<u64>,
    expected: Vec<Vec<u64>>,
}

impl Subject for Comparisons {
    type Input = [Ciphertext; 2];
    type Output = Vec<Ciphertext>;

    fn encrypt(&self) -> anyhow::Result<Self::Input> {
        let secret = &self.keys.secret;
        Ok([secret.encrypt(&self.x)?, secret.encrypt(&self.y)?])
    }

    fn evaluate(&self, [x, y]: &Self::Input) -> anyhow::Result<Self::Output> {
        Ok(operate(&self.keys, self.operation, x, y)?)
    }

    fn parts(&self, results: &Self::Output) -> anyhow::Result<Vec<Part>> {
        let digits = results.iter().zip(&self.expected).enumerate();
        let part = |(index, (result, expected)): (usize, (&Ciphertext, &Vec<u64>))| {
            let part = packed_part(&self.keys.secret, result, expected)?;
            let name = (results.len() > 1).then(|| format!("digit {index}"));
            Ok(Part { name, ..part })
        };
        digits.map(part).collect()
    }

    fn bytes(&self, [x, _]: &Self::Input, results: &Self::Output) -> anyhow::Result<[usize; 2]> {
        let output = results.iter().map(|digit| digit.to_bytes().len()).sum();
        Ok([self.operation.operands() * x.to_bytes().len(), output])
    }
}

/// Measures an operation with these parameters. The worst operands are the largest integer beside 0, so that all digits of a
/// selection differ most, and equal ones for predicates, so that all digits decide.
pub fn measure(
    parameters: &Parameters,
    operation: Operation,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let (slots, half) = (parameters.literal().slots, parameters.input_modulus() / 2);
    let mut x = vec![half - 1; slots];
    let mut y = vec![if operation.is_predicate() { half - 1 } else { 0 }; slots];
    if arguments.table == TableChoice::Random {
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        x.fill_with(|| rng.random_range(0..half));
        y.fill_with(|| rng.random_range(0..half));
    }
    let keys = Keys::generate(parameters)?;
    let contract = Contract {
        method: format!("{operation} of {} bits", arguments.bits),
        bits_out: if operation.is_predicate() { 1.0 } else { (half as f64).log2() },
        log2_fail: parameters.operation_failure(operation).log2(),
        ..common(parameters, &keys)
    };
    let expected = expected_results(parameters, operation, &x, &y);
    let comparisons = Comparisons { keys, operation, x, y, expected };
    let sampling = Sampling::new(arguments, slots);
    let records = subject::measure(&comparisons, contract, "law that results state", sampling)?;
    Ok(with_parameters(records, parameters))
}
