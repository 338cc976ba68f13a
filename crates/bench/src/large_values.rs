//! `bench large-values`: sign, comparison, absolute value, ReLU and maximum of single integers of many bits, by digit
//! decomposition (Ma et al., TCHES 2024, Sec. 4), with the parameters of `cryptable::large_values`.

use clap::{Args, ValueEnum};
use cryptable::large_values::Parameters;
use cryptable_fhew::decomposition::{HomDecompReduce, encrypt_large};
use cryptable_fhew::functions::LargeFunctions;
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::test_polynomial::encode;
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::contract::print_line;
use crate::measurement::{Checked, timed_each};
use crate::single::{Batch, Line, Session};

/// Modulus of signs.
const SIGN_MODULUS: u64 = 16;

/// Bits of a digit, as in the facade's `large_values`.
const DIGIT_BITS: u32 = 3;

/// Operation on one integer or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operation {
    /// Whether x < 0.
    Sign,
    /// Whether x < y.
    Lt,
    /// |x|.
    Abs,
    /// max(x, 0).
    Relu,
    /// max(x, y).
    Max,
}

impl Operation {
    fn takes_two(self) -> bool {
        matches!(self, Self::Lt | Self::Max)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sign => "sign",
            Self::Lt => "less than",
            Self::Abs => "absolute value",
            Self::Relu => "ReLU",
            Self::Max => "maximum",
        }
    }
}

/// Arguments of `bench large-values`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench large-values --op sign --bits 20"
)]
pub struct LargeValuesArguments {
    /// Operation [default: all].
    #[arg(long, value_enum)]
    op: Vec<Operation>,
    /// Bits of the integers, including the sign.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(4..=28))]
    bits: u32,
    /// log2 of the failure probability per evaluation of a function.
    #[arg(long, default_value_t = -64.0, allow_hyphen_values = true)]
    log2_fail: f64,
    /// Values per batch [default: 1 on one thread, 32 per thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Number of values that are checked: the extremes and those around 0, then random ones.
    #[arg(long, default_value_t = 64)]
    samples: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A [`Line`] with the fields of functions of large values.
#[derive(Debug, Serialize)]
struct LargeLine {
    #[serde(flatten)]
    line: Line,
    /// Digits that a value is decomposed into.
    digit_count: usize,
    /// Index of the rotation key of every step of the decomposition.
    rotation_keys: Vec<usize>,
}

/// Runs the benchmark.
pub fn run(arguments: &LargeValuesArguments, json: bool) -> anyhow::Result<()> {
    let parameters = Parameters::with_log2_fail(arguments.bits, arguments.log2_fail)?;
    let session = Session::new(parameters.fhew());
    let all = Operation::value_variants();
    let operations = if arguments.op.is_empty() { all } else { &arguments.op };
    for &operation in operations {
        print_line(&measure(&session, operation, arguments)?, json)?;
    }
    Ok(())
}

/// A function of the session's key for one or two values of `bits` bits.
struct Function<'a> {
    functions: LargeFunctions<'a>,
    operation: Operation,
    bits: u32,
}

impl Function<'_> {
    fn evaluate(&self, [x, y]: &[LweCiphertext; 2]) -> Result<LweCiphertext> {
        match self.operation {
            Operation::Sign => self.functions.sign(x, SIGN_MODULUS),
            Operation::Lt => self.functions.less_than(x, y, SIGN_MODULUS),
            Operation::Abs => self.functions.absolute(x),
            Operation::Relu => self.functions.relu(x),
            Operation::Max => self.functions.maximum(x, y),
        }
    }

    /// Returns the right result and its modulus.
    fn expected(&self, [x, y]: [i64; 2]) -> (u64, u64) {
        let (all, half) = (1 << self.bits, 1 << (self.bits - 1));
        let modulo = |value: i64, modulus: u64| (value.rem_euclid(modulus as i64) as u64, modulus);
        match self.operation {
            Operation::Sign => (u64::from(x < 0), SIGN_MODULUS),
            Operation::Lt => (u64::from(x < y), SIGN_MODULUS),
            Operation::Abs => modulo(x.abs(), all),
            Operation::Relu => modulo(x.max(0), half),
            Operation::Max => modulo(x.max(y), half),
        }
    }

    /// Returns pairs of values. If the function has two operands, their difference fits into its bits.
    fn values(&self, arguments: &LargeValuesArguments) -> Vec<[i64; 2]> {
        let limit = 1i64 << (self.bits - if self.operation.takes_two() { 2 } else { 1 });
        let edges = [0, -1, 1, limit - 1, -limit, limit / 2, -limit / 2, 7, -8];
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let mut random = || rng.random_range(-limit..limit);
        let value = |i: usize| edges.get(i).copied().unwrap_or_else(&mut random);
        let x: Vec<i64> = (0..arguments.samples.max(edges.len())).map(value).collect();
        let other = |(i, &x): (usize, &i64)| match i % 4 {
            // Some pairs are equal, and some are neighbours.
            0 => [x, x],
            1 => [x, (x + 1).min(limit - 1)],
            _ => [x, random()],
        };
        x.iter().enumerate().map(other).collect()
    }
}

/// Measures a function, and checks every value.
fn measure(
    session: &Session,
    operation: Operation,
    arguments: &LargeValuesArguments,
) -> anyhow::Result<LargeLine> {
    let (bits, model) = (arguments.bits, NoiseModel::new(&session.parameters));
    let (fresh, limit) = (model.fresh_large(), arguments.log2_fail);
    let key = &session.key;
    let functions = LargeFunctions::new(key, &HomDecompReduce, bits, DIGIT_BITS, fresh, limit)?;
    let function = Function { functions, operation, bits };
    let values = function.values(arguments);
    let mask = (1u64 << bits) - 1;
    let encrypt = |&value: &i64| encrypt_large(&session.secret, value as u64 & mask, bits);
    let encrypt_both = |[x, y]: &[i64; 2]| Result::Ok([encrypt(x)?, encrypt(y)?]);
    let (inputs, encrypt_s) = timed_each(&values, encrypt_both)?;
    let evaluate =
        |input: &[LweCiphertext; 2]| function.evaluate(input).expect("inputs of these parameters");
    let mut line = session.line(Batch::new(arguments.batch, arguments.runs), &inputs, evaluate);
    let results: Vec<LweCiphertext> = inputs.par_iter().map(evaluate).collect();
    let checked = check(session, &function, &values, &results)?;
    let is_sign = matches!(operation, Operation::Sign | Operation::Lt);
    let output = if is_sign {
        model.blind_rotation() + model.key_switching()
    } else {
        let inputs = [0.0, 1.0, 5.0]
            [usize::from(operation != Operation::Abs) + usize::from(operation == Operation::Max)];
        function.functions.plan().output_noise() + fresh * inputs
    };
    let steps = 2.0 * function.expected([0, 0]).1 as f64;
    let contract = &mut line.contract;
    checked.enter(contract, 1.0 / steps);
    contract.predicted_noise_std_log2 = Some((output.standard_deviation() * steps).log2());
    contract.method = format!("{} of {bits} bits", operation.name());
    contract.table = operation.name().to_owned();
    contract.bits_in = f64::from(bits);
    contract.bits_out = if is_sign { 1.0 } else { f64::from(bits) };
    contract.modulus_in = 1 << bits;
    contract.encrypt_s = encrypt_s / 2.0;
    let plan = function.functions.plan();
    contract.log2_fail = plan.log2_fail();
    contract.requested_log2_fail = Some(limit);
    contract.input_bytes = (session.parameters.large_modulus().ilog2() as usize).div_ceil(8);
    let result = &results[0];
    contract.output_bytes =
        (result.dimension() + 1) * (result.modulus().ilog2() as usize).div_ceil(8);
    line.rotations = if is_sign { plan.sign_rotations() } else { plan.absolute_rotations() };
    let plan = plan.decomposition();
    Ok(LargeLine { line, digit_count: plan.digits(), rotation_keys: plan.rotation_keys().to_vec() })
}

/// Checks all results; errors are fractions of the modulus.
fn check(
    session: &Session,
    function: &Function<'_>,
    values: &[[i64; 2]],
    results: &[LweCiphertext],
) -> anyhow::Result<Checked> {
    let mut checked = Checked::default();
    for (&pair, result) in values.iter().zip(results) {
        let (expected, modulus) = function.expected(pair);
        checked.count(session.secret.decrypt(result, modulus)? != expected);
        let phase = encode(expected, modulus, result.modulus());
        checked.errors([session.secret.phase_error(result, phase)?]);
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn functions_of_a_toy() {
        let parameters = Parameters::insecure_toy(9).unwrap();
        let session = Session::new(parameters.fhew());
        let arguments = parsed("--bits 9 --log2-fail -40 --batch 1 --runs 1 --samples 24");
        for &operation in Operation::value_variants() {
            let line = measure(&session, operation, &arguments).unwrap();
            check_line(&line);
            assert_eq!((line.digit_count, line.line.contract.values_checked), (3, 24));
            let contract = &line.line.contract;
            // 24 samples of a standard deviation.
            let predicted = contract.predicted_noise_std_log2.unwrap();
            assert!((contract.noise_std_log2 - predicted).abs() < 1.5, "{line:?}");
        }
    }
}
