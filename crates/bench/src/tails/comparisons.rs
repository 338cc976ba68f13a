//! Tails of comparisons, maxima and the like of packed integers.

use cryptable::engines::packed::{Ciphertext, Operation, Parameters};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::packed::PackedSubject;
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
    let mut operands = vec![x, y];
    operands.truncate(operation.operands());
    let evaluate = |keys: &Keys, input: &[Ciphertext]| {
        operate(keys, operation, &input[0], &input[input.len() - 1])
    };
    let comparisons = PackedSubject { keys, operands, expected, bound: None, evaluate };
    comparisons.measure(contract, "law that results state", arguments)
}
