//! Tails of operations on packed integers in digits.

use cryptable::engines::packed::{Ciphertext, Parameters};
use cryptable::integers::{Evaluator, Integer, IntegerColumn, decrypt, packed_parameters_for};

use super::packed::{packed_part, with_parameters};
use super::subject::{self, Part, Sampling, Subject};
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::integers::{Operation, Planned, Task, bytes, encrypt_both};
use crate::packed::keys::Keys;
use crate::packed::line::common;

/// Bits of a digit.
const DIGIT_BITS: u32 = 3;

/// Measures an operation with the planner's parameters.
pub fn run(operation: Operation, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    let parameters = packed_parameters_for(DIGIT_BITS, &arguments.limits.request(4, 4))?;
    match arguments.bits {
        8 => measure::<u8>(&parameters, operation, arguments),
        16 => measure::<u16>(&parameters, operation, arguments),
        32 => measure::<u32>(&parameters, operation, arguments),
        64 => measure::<u64>(&parameters, operation, arguments),
        bits => anyhow::bail!("--bits is {bits}; integers have 8, 16, 32 or 64"),
    }
}

/// An operation on the same columns, encrypted afresh.
struct Columns<T> {
    keys: Keys,
    task: Task,
    values: [Vec<T>; 2],
    expected: Vec<T>,
    digit_bits: u32,
}

type Column<T> = IntegerColumn<T, Ciphertext>;

impl<T: Integer> Subject for Columns<T> {
    type Input = [Column<T>; 2];
    type Output = Column<T>;

    fn encrypt(&self) -> anyhow::Result<Self::Input> {
        Ok(encrypt_both(&self.keys.secret, &self.values)?)
    }

    fn evaluate(&self, columns: &Self::Input) -> anyhow::Result<Self::Output> {
        let server = Evaluator::new(&self.keys.evaluation_key)?;
        Ok(self.task.evaluate(&server, columns)?)
    }

    fn parts(&self, result: &Self::Output) -> anyhow::Result<Vec<Part>> {
        let wrong = decrypt(&self.keys.secret, result)?;
        let wrong = wrong.iter().zip(&self.expected).filter(|(a, b)| a != b).count();
        // Only booleans have public digits: the most significant ones.
        let part = |(index, ciphertext): (usize, &Ciphertext)| {
            let place = index as u32 * self.digit_bits;
            let digit = |value: &T| (value.to_word() >> place) & ((1 << self.digit_bits) - 1);
            let digits: Vec<u64> = self.expected.iter().map(digit).collect();
            let part = packed_part(&self.keys.secret, ciphertext, &digits)?;
            Ok(Part { name: Some(format!("digit {index}")), wrong, ..part })
        };
        result.ciphertexts().enumerate().map(part).collect()
    }

    fn bytes(&self, input: &Self::Input, result: &Self::Output) -> anyhow::Result<[usize; 2]> {
        Ok([input.iter().map(bytes).sum(), bytes(result)])
    }
}

/// Measures an operation with these parameters. The bits of the worst operands are all 1, so that every digit is the largest
/// and every carry is one.
pub fn measure<T: Integer>(
    parameters: &Parameters,
    operation: Operation,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let slots = parameters.literal().slots;
    let task = Task::of(operation, T::BITS.min(8));
    let values = match arguments.table {
        TableChoice::Random => task.values::<T>(slots, arguments.seed),
        TableChoice::Worst => {
            let ones = vec![T::from_word(u64::MAX >> (64 - T::BITS)); slots];
            [ones.clone(), ones]
        }
    };
    let Planned { contract, digit_bits, .. } = task.plan::<T>(parameters, slots)?;
    let Contract { method, bits_in, bits_out, log2_fail, .. } = contract;
    let keys = Keys::generate(parameters)?;
    let contract = Contract { method, bits_in, bits_out, log2_fail, ..common(parameters, &keys) };
    let expected = task.expected(&values);
    let columns = Columns { keys, task, values, expected, digit_bits };
    let sampling = Sampling::new(arguments, slots);
    let records = subject::measure(&columns, contract, "law that results state", sampling)?;
    Ok(with_parameters(records, parameters))
}
