//! `bench groups`: counts and sums of values by group, with a full ciphertext per column.

use clap::Args;
use cryptable::engines::packed::{
    Ciphertext, Formula, Parameters, PreparedFormulas, Progress, Request, Result,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::keys::Keys;
use super::line::{Measured, PackedRecord, common};
use crate::contract::{Contract, print_line};
use crate::measurement::timed;

/// Arguments of `bench groups`.
#[derive(Debug, Args)]
pub struct GroupsArguments {
    /// Number of groups.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(2..=1024))]
    groups: u64,
    /// Bits of the values that are added up; 0 for counts only.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=32))]
    value_bits: u32,
    /// Bits per column: the column of groups, and each digit of the values.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..=12))]
    column_bits: u32,
    /// Maximum predicted memory of the parameters in bytes.
    #[arg(long)]
    memory: Option<usize>,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Seed of the random groups and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark.
pub fn run(arguments: &GroupsArguments, json: bool) -> anyhow::Result<()> {
    let GroupsArguments { groups, value_bits, column_bits, .. } = *arguments;
    let (modulus, digits) = (1 << column_bits, value_bits.div_ceil(column_bits) as usize);
    let mut formulas = vec![Formula::Constant(1)];
    formulas.extend((1..=digits).map(Formula::Column));
    let formulas = PreparedFormulas::by_group(&formulas, 0, groups, modulus)?;
    let largest = formulas.ranges().iter().map(|range| range.1).max().unwrap_or(1);
    let output_modulus = (largest.unsigned_abs() + 1).next_power_of_two();
    let request = Request { memory: arguments.memory, ..Request::new(modulus, output_modulus) };
    let parameters = Parameters::for_formulas(&formulas, &request)?;
    print_line(&measure(&parameters, &formulas, arguments)?, json)
}

/// Measures sums by groups, and checks every partial sum.
fn measure(
    parameters: &Parameters,
    formulas: &PreparedFormulas,
    arguments: &GroupsArguments,
) -> anyhow::Result<PackedRecord> {
    let GroupsArguments { groups, value_bits, seed, .. } = *arguments;
    let columns = columns(parameters, formulas.columns(), arguments);
    let keys = Keys::generate(parameters)?;
    let encrypt = || columns.iter().map(|values| keys.secret.encrypt(values)).collect();
    let (inputs, encrypt_s) = timed(encrypt);
    let inputs: Result<Vec<Ciphertext>> = inputs;
    let inputs = inputs?;
    let all: Vec<&Ciphertext> = inputs.iter().collect();
    let key = &keys.evaluation_key;
    let evaluate = || key.evaluate(&all, formulas, Progress::silent());
    let measured = Measured::of(arguments.runs, evaluate)?;
    let count = formulas.groups().unwrap_or(1);
    let ones = vec![1; columns[0].len()];
    let of_formula = [&ones].into_iter().chain(&columns[1..]);
    let expected: Vec<Vec<u64>> =
        of_formula.map(|values| partial_sums(&columns[0], values, count)).collect();
    let contract = Contract {
        method: format!("sums by {groups} groups"),
        table: format!("random:{seed}"),
        bits_in: f64::from(value_bits),
        encrypt_s,
        input_bytes: inputs.iter().map(|column| column.to_bytes().len()).sum(),
        log2_fail: parameters.formula_failure(formulas).log2(),
        ..common(parameters, &keys)
    };
    let prediction = parameters.formula_prediction(formulas)?;
    measured.record(parameters, &keys, &prediction, &expected, contract)
}

/// Draws random groups, and the digits of random values.
fn columns(parameters: &Parameters, count: usize, arguments: &GroupsArguments) -> Vec<Vec<u64>> {
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let rows = parameters.literal().slots;
    let groups = (0..rows).map(|_| rng.random_range(0..arguments.groups)).collect();
    let values: Vec<u64> =
        (0..rows).map(|_| rng.random_range(0..1u64 << arguments.value_bits)).collect();
    let bits = arguments.column_bits as usize;
    let digit = |place: usize| -> Vec<u64> {
        values.iter().map(|value| value >> (bits * place) & ((1 << bits) - 1)).collect()
    };
    std::iter::once(groups).chain((0..count - 1).map(digit)).collect()
}

/// Returns the sums that the places of a full ciphertext must hold. Rows come in blocks of `count`; each place of a block holds
/// the sum of one group over the rows of that block.
fn partial_sums(groups: &[u64], values: &[u64], count: usize) -> Vec<u64> {
    let place = |place: usize| {
        let group = (place % count).reverse_bits() >> (usize::BITS - count.ilog2());
        let start = place / count * count;
        let rows = start..start + count;
        rows.filter(|&row| groups[row] == group as u64).map(|row| values[row]).sum()
    };
    (0..values.len()).map(place).collect()
}
