//! `bench sign`: the sign of packed integers of 12, 21, 32 and other numbers of bits, floors, comparison, digits, maximum
//! and the like.

use clap::Args;
use cryptable::engines::packed::{Ciphertext, Operation, Parameters, Progress, Request, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::keys::Keys;
use super::line::{Measured, PackedRecord, common};
use crate::contract::{Contract, print_line};
use crate::measurement::{timed, try_timed};

/// Arguments of `bench sign`.
#[derive(Debug, Args)]
pub struct SignArguments {
    /// Bits of the values.
    #[arg(long, default_value_t = 32)]
    bits: u32,
    /// Ring degree [default: that of packed values].
    #[arg(long)]
    ring_degree: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Operation on integers of --bits bits and one bit of headroom, instead of the sign: less-than, digits, maximum,
    /// relu and so on.
    #[arg(long)]
    op: Option<Operation>,
    /// Measure a floor that drops the lowest N bits of the values, instead of the sign.
    #[arg(long, value_name = "N", conflicts_with = "op")]
    floor: Option<u32>,
    /// Bits of the most significant digit, 3 to 9 (2 to 8 with --op); the other digits have at most this width
    /// [default: the fastest].
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(2..=9))]
    digit_bits: Option<u32>,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark.
pub fn run(arguments: &SignArguments, json: bool) -> anyhow::Result<()> {
    let SignArguments { bits, ring_degree, digit_bits, .. } = *arguments;
    let request = Request { ring_degree, digit_bits, ..Request::new(2, 2) };
    let record = match (arguments.op, arguments.floor) {
        (Some(operation), _) => {
            let parameters = Parameters::for_comparisons(bits, &request)?;
            measure_operation(&parameters, operation, arguments)?
        }
        (None, Some(floor)) => {
            let parameters = Parameters::for_floors(bits, floor, &request)?;
            measure_floor(&parameters, floor, arguments)?
        }
        (None, None) => measure(&Parameters::for_digits(bits, &request)?, arguments)?,
    };
    print_line(&record, json)
}

/// Measures signs, and checks all of them.
fn measure(parameters: &Parameters, arguments: &SignArguments) -> anyhow::Result<PackedRecord> {
    let (literal, modulus) = (parameters.literal(), parameters.input_modulus());
    let values = values(modulus, literal.slots, arguments.seed);
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = try_timed(|| keys.secret.encrypt(&values))?;
    let key = &keys.evaluation_key;
    let evaluate = || Ok(vec![key.sign(&input, Progress::silent())?]);
    let measured = Measured::of(arguments.runs, evaluate)?;
    let expected: Vec<u64> = values.iter().map(|&v| u64::from(v >= modulus / 2)).collect();
    let contract = Contract {
        table: "sign".to_owned(),
        bits_out: 1.0,
        encrypt_s,
        input_bytes: input.to_bytes().len(),
        predicted_noise_std_log2: Some(parameters.failure().typical_ratio.log2()),
        ..common(parameters, &keys)
    };
    let work = parameters.prediction();
    measured.record(parameters, &keys, &work, &[expected], contract)
}

/// Measures floors, and checks all of them.
fn measure_floor(
    parameters: &Parameters,
    floor: u32,
    arguments: &SignArguments,
) -> anyhow::Result<PackedRecord> {
    let (literal, modulus) = (parameters.literal(), parameters.input_modulus());
    let values = values(modulus, literal.slots, arguments.seed);
    let count = digits_within(&literal.digits, floor)?;
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = try_timed(|| keys.secret.encrypt(&values))?;
    let key = &keys.evaluation_key;
    let evaluate = || Ok(vec![key.floor(&input, count, Progress::silent())?]);
    let measured = Measured::of(arguments.runs, evaluate)?;
    let result = &measured.results()[0];
    let half_step = 0.5 / result.modulus() as f64;
    let contract = Contract {
        table: format!("floor of {floor} bits"),
        bits_out: (result.modulus() as f64).log2(),
        encrypt_s,
        input_bytes: input.to_bytes().len(),
        predicted_noise_std_log2: Some((result.noise().deviation() / half_step).log2()),
        ..common(parameters, &keys)
    };
    let expected: Vec<u64> = values.iter().map(|value| value >> floor).collect();
    let work = parameters.floor_prediction(count)?;
    measured.record(parameters, &keys, &work, &[expected], contract)
}

/// Returns the number of lowest digits that together have `bits` bits.
fn digits_within(digits: &[u64], bits: u32) -> anyhow::Result<usize> {
    let place = |count: &usize| digits[..*count].iter().product::<u64>();
    let found = (1..digits.len()).find(|count| place(count) == 1 << bits);
    found.ok_or_else(|| anyhow::anyhow!("no digit of {digits:?} ends after {bits} bits"))
}

/// Measures an operation on integers with headroom, and checks every result. Noise is that of all digits.
fn measure_operation(
    parameters: &Parameters,
    operation: Operation,
    arguments: &SignArguments,
) -> anyhow::Result<PackedRecord> {
    let (literal, half) = (parameters.literal(), parameters.input_modulus() / 2);
    // The pairs include neighbours and pairs that differ in any digit, in both orders; some pairs are equal.
    let x: Vec<u64> = values(2 * half, literal.slots, arguments.seed);
    let x: Vec<u64> = x.into_iter().map(|v| v % half).collect();
    let y = values(2 * half, literal.slots, arguments.seed + 1).into_iter().map(|v| v % half);
    let y: Vec<u64> = y
        .zip(&x)
        .enumerate()
        .map(|(i, (y, &x))| match i % 8 {
            1 => x,
            3 => (x + 1).min(half - 1),
            5 => x.saturating_sub(1),
            _ => y,
        })
        .collect();
    let keys = Keys::generate(parameters)?;
    let (operands, encrypt_s) = timed(|| [&x, &y].map(|values| keys.secret.encrypt(values)));
    let [x_input, y_input] = operands;
    let (x_input, y_input) = (x_input?, y_input?);
    let evaluate = || operate(&keys, operation, &x_input, &y_input);
    let measured = Measured::of(arguments.runs, evaluate)?;
    let expected = expected_results(parameters, operation, &x, &y);
    let contract = Contract {
        table: operation.name().to_owned(),
        bits_out: if operation.is_predicate() { 1.0 } else { (half as f64).log2() },
        encrypt_s,
        input_bytes: operation.operands() * x_input.to_bytes().len(),
        log2_fail: parameters.operation_failure(operation).log2(),
        ..common(parameters, &keys)
    };
    let work = parameters.operation_prediction(operation);
    measured.record(parameters, &keys, &work, &expected, contract)
}

/// Runs an operation on integers below half of the modulus, and returns its results: bits, or digits.
pub(crate) fn operate(
    keys: &Keys,
    operation: Operation,
    x: &Ciphertext,
    y: &Ciphertext,
) -> Result<Vec<Ciphertext>> {
    let half = keys.secret.parameters().input_modulus() / 2;
    let bounds = (half / 3) as i64..=(half / 3 * 2) as i64;
    let (key, quiet) = (&keys.evaluation_key, Progress::silent());
    let digits = match operation {
        Operation::Sign => return Ok(vec![key.is_negative(x, quiet)?]),
        Operation::LessThan => return Ok(vec![key.less_than(x, y, quiet)?]),
        Operation::GreaterOrEqual => return Ok(vec![key.greater_or_equal(x, y, quiet)?]),
        Operation::Equal => return Ok(vec![key.equal(x, y, quiet)?]),
        Operation::Digits => key.digit_list(x, quiet)?,
        Operation::Maximum => key.maximum(x, y, quiet)?,
        Operation::Minimum => key.minimum(x, y, quiet)?,
        Operation::Relu => key.relu(x, quiet)?,
        Operation::AbsoluteValue => key.absolute_value(x, quiet)?,
        Operation::Clamp => key.clamp(x, bounds, quiet)?,
    };
    Ok(digits.into_digits())
}

/// Returns the right results of an operation, one list per ciphertext.
pub(crate) fn expected_results(
    parameters: &Parameters,
    operation: Operation,
    x: &[u64],
    y: &[u64],
) -> Vec<Vec<u64>> {
    let half = parameters.input_modulus() / 2;
    let expected: Vec<u64> =
        x.iter().zip(y).map(|(&x, &y)| expected(operation, x, y, half)).collect();
    if operation.is_predicate() {
        return vec![expected];
    }
    let mut place = 1;
    let digit = |&size: &u64| {
        let digits = expected.iter().map(|value| value / place % size).collect();
        place *= size;
        digits
    };
    parameters.integer_digits().iter().map(digit).collect()
}

/// Returns the right result for unsigned integers below `half`.
fn expected(operation: Operation, x: u64, y: u64, half: u64) -> u64 {
    match operation {
        Operation::Sign => 0,
        Operation::LessThan => u64::from(x < y),
        Operation::GreaterOrEqual => u64::from(x >= y),
        Operation::Equal => u64::from(x == y),
        Operation::Digits | Operation::Relu | Operation::AbsoluteValue => x,
        Operation::Maximum => x.max(y),
        Operation::Minimum => x.min(y),
        Operation::Clamp => x.clamp(half / 3, half / 3 * 2),
    }
}

/// Draws random values, half of them around the change of sign, where every digit matters.
fn values(modulus: u64, count: usize, seed: u64) -> Vec<u64> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let half = modulus / 2;
    (0..count as u64)
        .map(|i| match i % 4 {
            0 => half - 1 - i / 4 % half,
            2 => half + i / 4 % half,
            _ => rng.random_range(0..modulus),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    fn arguments(op: Option<Operation>) -> SignArguments {
        SignArguments { op, ..parsed("--bits 6 --runs 1") }
    }

    #[test]
    fn floors_of_a_toy() {
        let parameters = Parameters::insecure_toy_digits(&[4, 8, 8], 8).unwrap();
        for (floor, place) in [(2, 4), (5, 32)] {
            let record = measure_floor(&parameters, floor, &arguments(None)).unwrap();
            check_line(&record);
            let contract = &record.contract;
            assert_eq!((contract.values_checked, contract.wrong), (1024, 0));
            assert_eq!(contract.bits_out, (256.0 / f64::from(place)).log2());
            let predicted = contract.predicted_noise_std_log2.unwrap();
            assert!((contract.noise_std_log2 - predicted).abs() < 6.0, "{predicted}");
        }
        let error = measure_floor(&parameters, 3, &arguments(None)).unwrap_err().to_string();
        assert!(error.contains("ends after 3 bits"), "{error}");
    }

    #[test]
    fn signs_of_a_toy() {
        let parameters = Parameters::insecure_toy_digits(&[8, 8], 2).unwrap();
        let arguments = arguments(None);
        let record = measure(&parameters, &arguments).unwrap();
        check_line(&record);
        assert_eq!((record.contract.values_checked, record.contract.wrong), (1024, 0));
        assert_eq!(record.digits, [8, 8]);
    }

    #[test]
    fn operations_on_a_toy() {
        let parameters = Parameters::insecure_toy_comparisons(6).unwrap();
        for operation in Operation::ALL {
            let arguments = arguments(Some(operation));
            let record = measure_operation(&parameters, operation, &arguments).unwrap();
            check_line(&record);
            let checked = (record.contract.values_checked, record.contract.wrong);
            assert_eq!(checked, (1024, 0), "{operation}");
        }
    }
}
