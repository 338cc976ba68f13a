//! `bench integers`: operations on 65,536 encrypted integers in digits; [`single`] has those on single integers.

mod single;

use clap::{Args, ValueEnum};
use cryptable::Request;
use cryptable::engines::packed::{
    self, Ciphertext, CostModel, Error, Parameters, ParametersLiteral, Result, SecretKey,
};
use cryptable::integers::{
    ColumnKind, DigitArithmetic, DigitCiphertext, DigitEncryption, DryRun, Evaluator, Integer,
    IntegerColumn, LookupModel, Places, decrypt, encrypt, packed_parameters_for,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, try_timed};
use crate::packed::keys::Keys;

/// Engine for the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// 65,536 integers, with one ciphertext per digit position of all of them.
    Packed,
    /// A few integers, with one ciphertext per digit of each of them.
    Single,
}

/// Operation on two columns x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operation {
    /// x + y, with all carries propagated.
    Add,
    /// x·y, with all carries propagated.
    Mul,
    /// x < y.
    Lt,
    /// Larger of x and y.
    Max,
    /// x << y, with y modulo the number of bits.
    Shl,
    /// Merge of an ascending and a descending half of a column.
    Merge,
    /// The tenth largest integer of a column, and the rows with this integer or a larger one.
    Largest,
    /// First row with the largest integer.
    Argmax,
    /// A column in ascending order.
    Sort,
    /// A random table of --table-bits bits, evaluated by a tree of tables of digits.
    Tree,
}

/// Arguments of `bench integers`.
#[derive(Clone, Debug, Args)]
pub struct IntegersArguments {
    /// Bits of the integers.
    #[arg(long, default_value_t = 32, value_parser = parse_bits)]
    pub(crate) bits: u32,
    /// Operation.
    #[arg(long, value_enum, default_value_t = Operation::Add)]
    pub(crate) op: Operation,
    /// Engine for the digits.
    #[arg(long, value_enum, default_value_t = Mode::Packed)]
    mode: Mode,
    /// Number of bits per digit [default: 3, or 4 for sums; 2 for single values].
    #[arg(long)]
    digit_bits: Option<u32>,
    /// Use packed digits of four bits with room for a carry only.
    #[arg(long)]
    sums: bool,
    /// Number of single integers per evaluation.
    #[arg(long, default_value_t = 1)]
    pub(crate) count: usize,
    /// Number of packed integers per ciphertext [default: a full ciphertext].
    #[arg(long)]
    values: Option<usize>,
    /// Width of the table of `tree` in bits.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=16))]
    table_bits: u32,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 1)]
    pub(crate) runs: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl IntegersArguments {
    /// Bits of a digit.
    pub(crate) fn digit_bits(&self) -> u32 {
        let default = match self.mode {
            Mode::Single => 2,
            Mode::Packed if self.sums => 4,
            Mode::Packed => 3,
        };
        self.digit_bits.unwrap_or(default)
    }
}

fn parse_bits(text: &str) -> std::result::Result<u32, String> {
    let bits = text.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits));
    bits.ok_or_else(|| format!("integers have 8, 16, 32 or 64 bits, not {text}"))
}

/// Number of largest integers that are searched for.
const LARGEST: u64 = 10;

/// A line: noise is that of the result's digits.
#[derive(Debug, Serialize)]
struct IntegersRecord {
    #[serde(flatten)]
    contract: Contract,
    /// Bits of a digit.
    digit_bits: u32,
    /// Number of tables of every lookup, from the dry run.
    lookups: Vec<usize>,
    /// log2 of the probability that any value of one lookup goes wrong.
    log2_fail_of_lookup: f64,
    /// Predicted time of a packed lookup in one table by the default cost model, in u.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted_lookup_units: Option<f64>,
    /// The full-domain method of single lookups.
    #[serde(skip_serializing_if = "Option::is_none")]
    lookup_method: Option<String>,
    /// All numbers of the parameters of packed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    literal: Option<ParametersLiteral>,
}

/// Runs the benchmark.
pub fn run(arguments: &IntegersArguments, json: bool) -> anyhow::Result<()> {
    if arguments.mode == Mode::Single {
        return single::run(arguments, json);
    }
    let parameters = packed_parameters(arguments)?;
    let record = match arguments.bits {
        8 => measure::<u8>(&parameters, arguments),
        16 => measure::<u16>(&parameters, arguments),
        32 => measure::<u32>(&parameters, arguments),
        _ => measure::<u64>(&parameters, arguments),
    }?;
    print_line(&record, json)
}

/// Chooses the parameters of packed integers that users get by default. Merges and sorts have their own parameters, since they
/// use larger digits, whose tables have a limited range of outputs.
fn packed_parameters(arguments: &IntegersArguments) -> anyhow::Result<Parameters> {
    let digit_bits = arguments.digit_bits();
    let count = arguments.values;
    if matches!(arguments.op, Operation::Merge | Operation::Sort) {
        let output_range = Some((4u64.saturating_pow(digit_bits) / 2).saturating_sub(1));
        let request = packed::Request { output_range, count, ..packed::Request::new(4, 4) };
        return Ok(packed_parameters_for(digit_bits, &request)?);
    }
    let request = Request::integers(ColumnKind::of::<u64>()).digit_bits(digit_bits);
    let request = if arguments.sums { request.for_sums() } else { request };
    let request = count.into_iter().fold(request, |it, count| it.values(count as u64));
    let plan = request.plan()?;
    Ok(plan.parameters().packed()?.clone())
}

/// An operation, and the bits of its table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    operation: Operation,
    table_bits: u32,
}

impl Task {
    /// Reads the task from the arguments.
    pub(crate) fn new(arguments: &IntegersArguments) -> Self {
        Self::of(arguments.op, arguments.table_bits.min(arguments.bits))
    }

    /// An operation; `table_bits` is the width of the table of [`Operation::Tree`].
    pub(crate) const fn of(operation: Operation, table_bits: u32) -> Self {
        Self { operation, table_bits }
    }

    /// An entry of a table without structure (the finaliser of SplitMix64).
    fn entry(self, x: u64) -> u64 {
        let x = (x ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ x >> 31) >> (64 - self.table_bits)
    }

    /// Names the operation on integers of `bits` bits.
    pub(crate) fn name(self, bits: u32, digit_bits: u32) -> String {
        let mut name = format!("{:?}", self.operation).to_lowercase();
        if self.operation == Operation::Tree {
            name += &format!(" over {} bits", self.table_bits);
        }
        format!("{name} of {bits} bits in digits of {digit_bits}")
    }

    /// Runs the operation on `count` integers without ciphertexts.
    pub(crate) fn plan<T: Integer>(
        self,
        model: &(dyn LookupModel + Sync),
        count: usize,
    ) -> Result<Planned> {
        let dry_run = DryRun::new(model, count);
        let server = Evaluator::new(&dry_run)?;
        let columns = [dry_run.fresh::<T>(&server), dry_run.fresh::<T>(&server)];
        let result = self.evaluate(&server, &columns)?;
        let failures = dry_run.failure_probability(result.ciphertexts())?;
        let digit_bits = server.digit_bits();
        let contract = Contract {
            method: self.name(T::BITS, digit_bits),
            bits_in: f64::from(T::BITS),
            bits_out: if self.operation == Operation::Lt { 1.0 } else { f64::from(T::BITS) },
            log2_fail: failures.log2(),
            ..Contract::here()
        };
        Ok(Planned { contract, digit_bits, lookups: dry_run.lookups() })
    }

    /// Runs the operation and propagates all carries. A boolean result becomes an integer.
    pub(crate) fn evaluate<T: Integer, E: Places>(
        self,
        server: &Evaluator<'_, E>,
        columns: &[IntegerColumn<T, E::Ciphertext>; 2],
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        match self.operation {
            Operation::Merge => server.bitonic_merge(&columns[0]),
            Operation::Sort => server.sort(&columns[0]),
            // Selected rows keep their integers, which also shows the threshold.
            Operation::Largest => {
                let (selected, _) = server.largest(&columns[0], LARGEST)?;
                server.select(&selected, &columns[0], &server.constant(T::from_word(0)))
            }
            Operation::Argmax => {
                let found = server.argmax(&columns[0])?;
                server.select(&found.is_there, &columns[0], &server.constant(T::from_word(0)))
            }
            _ => self.evaluate_digits(server, columns),
        }
    }

    /// Evaluates like [`Task::evaluate`], on values without places: all operations but merges.
    pub(crate) fn evaluate_digits<T: Integer, E: DigitArithmetic>(
        self,
        server: &Evaluator<'_, E>,
        [x, y]: &[IntegerColumn<T, E::Ciphertext>; 2],
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        match self.operation {
            Operation::Add => server.reduce(&server.add(x, y)?),
            Operation::Mul => server.reduce(&server.mul(x, y)?),
            Operation::Lt => Ok(server.to_integers(&server.lt(x, y)?)),
            Operation::Max => server.max(x, y),
            Operation::Shl => server.reduce(&server.shl_by(x, y)?),
            Operation::Merge | Operation::Sort | Operation::Largest | Operation::Argmax => Err(
                Error::Unsupported("the order of single values, which have no places".to_owned()),
            ),
            Operation::Tree => {
                server.lookup_tree(x, self.table_bits, |x| T::from_word(self.entry(x)))
            }
        }
    }

    /// Runs the operation on unencrypted integers.
    pub(crate) fn expected<T: Integer>(self, [x, y]: &[Vec<T>; 2]) -> Vec<T> {
        let (zero, mut sorted) = (T::from_word(0), x.clone());
        sorted.sort_unstable();
        match self.operation {
            Operation::Merge | Operation::Sort => return sorted,
            Operation::Largest => {
                let least = sorted[sorted.len() - LARGEST as usize];
                return x.iter().map(|&x| if x >= least { x } else { zero }).collect();
            }
            Operation::Argmax => {
                let row = x.iter().position(|x| Some(x) == sorted.last());
                let value = |(place, &x)| if Some(place) == row { x } else { zero };
                return x.iter().enumerate().map(value).collect();
            }
            _ => {}
        }
        let word = |(&x, &y): (&T, &T)| match self.operation {
            Operation::Add => x.to_word().wrapping_add(y.to_word()),
            Operation::Mul => x.to_word().wrapping_mul(y.to_word()),
            Operation::Lt => u64::from(x < y),
            Operation::Shl => x.to_word().unbounded_shl(y.to_word().min(64) as u32),
            Operation::Tree => self.entry(x.to_word()),
            _ => x.max(y).to_word(),
        };
        x.iter().zip(y).map(|pair| T::from_word(word(pair))).collect()
    }

    /// Draws random columns. An eighth of the second column's values are near those of the first; trees have inputs of their
    /// table, and merges have columns whose halves rise and fall.
    pub(crate) fn values<T: Integer>(self, count: usize, seed: u64) -> [Vec<T>; 2] {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let mask = match self.operation {
            Operation::Tree => u64::MAX >> (64 - self.table_bits),
            _ => u64::MAX,
        };
        let x: Vec<u64> = (0..count).map(|_| rng.random::<u64>() & mask).collect();
        let near = |i: usize, x: u64| x.wrapping_add((i as u64 / 8) % 3).wrapping_sub(1);
        let y = x.iter().enumerate();
        let y = y.map(|(i, &x)| if i % 8 == 0 { near(i, x) } else { rng.random() });
        let y: Vec<u64> = y.collect();
        let [mut x, y]: [Vec<T>; 2] =
            [x, y].map(|words| words.into_iter().map(T::from_word).collect());
        if self.operation == Operation::Merge {
            let (rising, falling) = x.split_at_mut(count / 2);
            rising.sort_unstable();
            falling.sort_unstable_by(|a, b| b.cmp(a));
        }
        [x, y]
    }
}

/// Facts about an operation from its dry run.
pub(crate) struct Planned {
    /// Method, sizes and failures.
    pub(crate) contract: Contract,
    pub(crate) digit_bits: u32,
    /// Number of tables of every lookup.
    lookups: Vec<usize>,
}

/// Measures an operation, and checks every value.
fn measure<T: Integer>(
    parameters: &Parameters,
    arguments: &IntegersArguments,
) -> anyhow::Result<IntegersRecord> {
    let (task, literal) = (Task::new(arguments), parameters.literal());
    let values = task.values::<T>(literal.slots, arguments.seed);
    let keys = Keys::generate(parameters)?;
    let (columns, encrypt_s) = try_timed(|| encrypt_both(&keys.secret, &values))?;
    let server = Evaluator::new(&keys.evaluation_key)?;
    let mut runs = Runs::start();
    let result = loop {
        let result = runs.time(|| task.evaluate(&server, &columns))?;
        if runs.count() >= arguments.runs {
            break result;
        }
    };
    let wanted = task.expected(&values);
    let mut checked = Checked::default();
    checked.compare(&decrypt(&keys.secret, &result)?, &wanted);
    checked.errors(errors(&keys.secret, &result, &wanted, server.digit_bits())?);
    let Planned { contract, digit_bits, lookups } = task.plan::<T>(parameters, literal.slots)?;
    let model = CostModel::default();
    let mut contract = Contract {
        table: "integers".to_owned(),
        modulus_in: parameters.input_modulus(),
        ring_degree: literal.ring_degree,
        setup_s: keys.setup_s,
        keygen_s: keys.keygen_s,
        encrypt_s,
        eval_key_bytes: keys.evaluation_key.memory_bytes(),
        input_bytes: columns.iter().map(bytes).sum(),
        output_bytes: bytes(&result),
        security_bits: parameters.security_bits(),
        ..contract
    };
    checked.enter(&mut contract, 1.0);
    runs.enter(&mut contract, literal.slots, 0.0);
    Ok(IntegersRecord {
        contract,
        digit_bits,
        lookups,
        log2_fail_of_lookup: parameters.log2_fail(),
        predicted_lookup_units: Some(model.seconds(&parameters.prediction().work) / model.unit()),
        lookup_method: None,
        literal: Some(literal.clone()),
    })
}

/// Returns the errors of all digits, in half steps.
fn errors<T: Integer>(
    secret: &SecretKey,
    column: &IntegerColumn<T, Ciphertext>,
    expected: &[T],
    digit_bits: u32,
) -> Result<Vec<f64>> {
    let mut errors = Vec::new();
    // Only booleans have public digits: the most significant ones.
    for (index, ciphertext) in column.ciphertexts().enumerate() {
        let digit =
            |value: &T| (value.to_word() >> (index as u32 * digit_bits)) & ((1 << digit_bits) - 1);
        let digits: Vec<u64> = expected.iter().map(digit).collect();
        errors.extend(secret.errors(ciphertext, &digits)?);
    }
    Ok(errors)
}

/// Encrypts the columns of an operation's operands.
pub(crate) fn encrypt_both<T: Integer, S: DigitEncryption>(
    secret: &S,
    [x, y]: &[Vec<T>; 2],
) -> Result<[IntegerColumn<T, S::Ciphertext>; 2]> {
    Ok([encrypt(secret, x)?, encrypt(secret, y)?])
}

/// Returns the bytes of a column as sent.
pub(crate) fn bytes<T: Integer, C: DigitCiphertext>(column: &IntegerColumn<T, C>) -> usize {
    column.ciphertexts().map(|digit| digit.to_bytes().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn operations_on_a_toy() {
        let parameters = cryptable::integers::insecure_packed_toy(2, 1024).unwrap();
        use Operation as Op;
        for op in [Op::Add, Op::Mul, Op::Lt, Op::Max, Op::Shl, Op::Merge, Op::Tree, Op::Largest] {
            let line = "--bits 8 --digit-bits 2 --table-bits 6";
            let arguments = IntegersArguments { op, ..parsed(line) };
            let record = measure::<u8>(&parameters, &arguments).unwrap();
            check_line(&record);
            assert_eq!((record.contract.values_checked, record.contract.wrong), (1024, 0));
            assert!(!record.lookups.is_empty());
        }
    }
}
