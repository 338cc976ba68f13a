//! Tails of tables by trees of CMUXes.

use anyhow::Context;
use cryptable::engines::leveled::{Parameters, Request};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use cryptable_leveled::bootstrapping::ciphertext_count;
use cryptable_leveled::parameters::CircuitBootstrappingParameters;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::{SAMPLES, TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::leveled::cmux_tree::TreeLookups;

/// The name of tables by trees of CMUXes.
pub const METHOD: &str = "cmux-tree";

/// Measures lookups with the fastest parameter set.
pub fn run(arguments: &TailArguments) -> anyhow::Result<TailRecord> {
    let modulus = 1 << arguments.bits;
    let request = Request::new(modulus, modulus);
    let parameters = Parameters::candidates(&request)?.swap_remove(0);
    let set = parameters.parameter_set().context("a named set")?;
    let mut record = measure(parameters.circuit_bootstrapping(), arguments)?;
    record.contract.method = format!("CMUX tree, {set}, {} bits", arguments.bits);
    record.contract.log2_fail = parameters.log2_fail();
    Ok(record)
}

/// A table and inputs for it. The worst inputs set every selector; the worst outputs differ by half of the modulus in every
/// digit whenever one selector differs.
struct Job {
    table: Vec<u64>,
    values: Vec<u64>,
    /// Probability that a selector is 1.
    ones: f64,
}

impl Job {
    fn new(arguments: &TailArguments, digit_bits: u32, lookups: usize) -> Self {
        let (bits, digit_bits) = (arguments.bits, digit_bits as usize);
        let entries = 1u64 << bits;
        if arguments.table == TableChoice::Random {
            let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
            let mut draw = || rng.random_range(0..entries);
            let table = (0..entries).map(|_| draw()).collect();
            return Self { table, values: (0..lookups).map(|_| draw()).collect(), ones: 0.5 };
        }
        // The digit 2 of two bits has the Gray code 3.
        let half = (0..bits as usize)
            .filter(|bit| bit % digit_bits == digit_bits - 1)
            .fold(0, |value, bit| value | 1u64 << bit);
        let selectors = |x: u64| (x ^ (x >> 1 & !half)).count_ones();
        let entry = |x: u64| if selectors(x) % 2 == 1 { half } else { 0 };
        Self { table: (0..entries).map(entry).collect(), values: vec![half; lookups], ones: 1.0 }
    }
}

/// Measures lookups with these parameters.
pub fn measure(
    parameters: &CircuitBootstrappingParameters,
    arguments: &TailArguments,
) -> anyhow::Result<TailRecord> {
    let digit_bits = parameters.bits_per_ciphertext();
    let digits = ciphertext_count(arguments.bits as usize, digit_bits);
    let job = Job::new(arguments, digit_bits, arguments.lookups(SAMPLES, digits));
    let TreeLookups { line, results, law, .. } =
        TreeLookups::run(parameters, &job.table, &job.values, job.ones, 3)?;
    let errors: Vec<Vec<f64>> =
        results.iter().map(|digits| digits.iter().map(|digit| digit.error).collect()).collect();
    let wrong = results.iter().flatten().filter(|digit| digit.is_wrong).count();
    let inputs_agree = arguments.table == TableChoice::Worst;
    let statistics = NoiseStatistics::new(&errors, NoiseBound::of_law(law, 0.0), inputs_agree);
    let contract = Contract { method: METHOD.to_owned(), wrong, ..line.contract };
    let prediction =
        if inputs_agree { "law of selectors that are all 1" } else { "law of random selectors" };
    Ok(TailRecord::new(arguments, contract, prediction, statistics))
}
