//! Tails of tables by trees of CMUXes.

use anyhow::Context;
use cryptable::engines::leveled::{Parameters, Request};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use cryptable_leveled::bootstrapping::{
    CircuitBootstrapping, ciphertext_count, decrypt_plaintext, encrypt_plaintext, plaintext_error,
};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::CircuitBootstrappingParameters;
use cryptable_leveled::tree::CmuxTree;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::{SAMPLES, TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::leveled::cmux_tree::digits_of;
use crate::leveled::line::ciphertext_bytes;
use crate::measurement::{timed, try_timed};
use crate::single::{Batch, Session};

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
/// digit wherever one selector does.
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
    let (bits, digit_bits) = (arguments.bits as usize, parameters.bits_per_ciphertext());
    let digits = ciphertext_count(bits, digit_bits);
    let job = Job::new(arguments, digit_bits, arguments.lookups(SAMPLES, digits));
    let session = Session::new(parameters.fhew());
    let circuit = CircuitBootstrapping::new(parameters, &session.key);
    let (tree, prepare_s) = try_timed(|| CmuxTree::new(parameters, &job.table, bits))?;
    let encrypt = |&value: &u64| -> Vec<LweCiphertext> {
        let digits = digits_of(value, bits, digit_bits).into_iter();
        digits.map(|digit| encrypt_plaintext(&session.secret, digit)).collect()
    };
    let (inputs, encrypt_s) = timed(|| job.values.iter().map(encrypt).collect::<Vec<_>>());
    let lookup = |input: &Vec<LweCiphertext>| {
        let results = tree.lookup_many(&circuit, std::slice::from_ref(input));
        results.expect("a value of these parameters").remove(0)
    };
    let line = session.line(Batch::new(Some(1), 3), &inputs, lookup);
    let results: Vec<Vec<LweCiphertext>> = inputs.par_iter().map(lookup).collect();
    let (mut errors, mut wrong) = (Vec::with_capacity(results.len()), 0);
    for (&value, result) in job.values.iter().zip(&results) {
        let mut of_lookup = Vec::with_capacity(digits);
        let expected = digits_of(job.table[value as usize], bits, digit_bits);
        for (digit, ciphertext) in expected.into_iter().zip(result) {
            let decrypted = decrypt_plaintext(&session.secret, ciphertext, digit.bits)?;
            wrong += usize::from(decrypted != digit.value);
            let error = plaintext_error(&session.secret, ciphertext, digit)?;
            of_lookup.push(error / parameters.margin());
        }
        errors.push(of_lookup);
    }
    let noise = CircuitBootstrappingNoise::new(parameters);
    let law = tree.output_noise(&noise, job.ones).times(1.0 / parameters.margin());
    let inputs_agree = arguments.table == TableChoice::Worst;
    let bound = NoiseBound::of_law(law, 0.0);
    let statistics = NoiseStatistics::new(&errors, bound, inputs_agree);
    let (input_bytes, output_bytes) = ciphertext_bytes(parameters, digits);
    let encrypt_s = encrypt_s / job.values.len() as f64;
    let contract = Contract {
        method: METHOD.to_owned(),
        prepare_s,
        encrypt_s,
        input_bytes,
        output_bytes,
        wrong,
        bits_in: f64::from(arguments.bits),
        bits_out: f64::from(arguments.bits),
        modulus_in: 1 << arguments.bits,
        ..line.contract
    };
    let prediction =
        if inputs_agree { "law of selectors that are all 1" } else { "law of random selectors" };
    Ok(TailRecord::new(arguments, contract, prediction, statistics))
}
