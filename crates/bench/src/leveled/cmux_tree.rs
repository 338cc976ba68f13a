//! `bench cmux-tree`: a random table on one value, with the parameters of the engine `leveled`.
//!
//! The table's polynomials are prepared before the timed part (`prepare_s`).

use anyhow::Context;
use clap::Args;
use cryptable::engines::leveled::{Parameters, Request};
use cryptable_lattice::NoiseLaw;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_leveled::bootstrapping::{
    CircuitBootstrapping, Plaintext, ciphertext_count, decrypt_plaintext, encrypt_plaintext,
    plaintext_error,
};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{CircuitBootstrappingParameters, ParameterSet};
use cryptable_leveled::tree::CmuxTree;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

use super::line::{CircuitLine, CommonArguments, ciphertext_bytes};
use crate::contract::print_line;
use crate::measurement::{Checked, timed_each, try_timed};
use crate::single::{Batch, Line, Session};

/// Number of values that are looked up and checked.
const VALUES: usize = 8;

/// Arguments of `bench cmux-tree`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench cmux-tree --bits 16")]
pub struct CmuxTreeArguments {
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 8)]
    bits: usize,
    /// Parameter set [default: the fastest]. Sets whose names begin with two-bit hold two bits per ciphertext, others
    /// one. Names from the paper (CMUX_1, AUTO_1) and from old results (DIGITS_1, AES_128) are accepted, too.
    #[arg(long, value_parser = parse_set)]
    set: Option<ParameterSet>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Reads the name of a set, or its name in the paper or in old results.
pub(super) fn parse_set(name: &str) -> cryptable::Result<ParameterSet> {
    // Tables of 8 bits had a set of their own.
    const TWO_BITS: [ParameterSet; 3] =
        [ParameterSet::TwoBitDepth11, ParameterSet::TwoBitDepth11, ParameterSet::TwoBitDepth24];
    let families: [(&str, &[ParameterSet]); 3] = [
        ("CMUX_", &ParameterSet::WANG_CMUX),
        ("AUTO_", &ParameterSet::WANG_AUTO),
        ("DIGITS_", &TWO_BITS),
    ];
    let old = families.into_iter().find_map(|(prefix, sets)| {
        let number: usize = name.strip_prefix(prefix)?.parse().ok()?;
        sets.get(number.checked_sub(1)?).copied()
    });
    match old {
        Some(set) => Ok(set),
        None if name == "AES_128" => Ok(ParameterSet::Aes128),
        None => name.parse(),
    }
}

/// Runs the benchmark.
pub fn run(arguments: &CmuxTreeArguments, json: bool) -> anyhow::Result<()> {
    let CmuxTreeArguments { bits, set, common } = arguments;
    anyhow::ensure!((1..=24).contains(bits), "--bits is {bits}; it must be from 1 to 24");
    let request = Request { method: *set, ..Request::new(1 << bits, 1 << bits) };
    let parameters = Parameters::candidates(&request)?.swap_remove(0);
    let set = parameters.parameter_set().context("a named set")?;
    let circuit = parameters.circuit_bootstrapping();
    let mut line = measure(circuit, *bits, common.runs.unwrap_or(5), common.seed)?;
    line.line.contract.method = format!("CMUX tree, {set}, {bits} bits");
    line.line.contract.log2_fail = parameters.log2_fail();
    print_line(&line, json)
}

/// Looks random values up in a random table of `bits` bits.
fn measure(
    parameters: &CircuitBootstrappingParameters,
    bits: usize,
    runs: usize,
    seed: u64,
) -> anyhow::Result<CircuitLine> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let table: Vec<u64> = (0..1 << bits).map(|_| rng.random_range(0..1 << bits)).collect();
    let values: Vec<u64> = (0..VALUES).map(|_| rng.random_range(0..table.len() as u64)).collect();
    let TreeLookups { mut line, cmuxes, results, law } =
        TreeLookups::run(parameters, &table, &values, 0.5, runs)?;
    let mut checked = Checked::default();
    for digits in &results {
        checked.count(digits.iter().any(|digit| digit.is_wrong));
        checked.errors(digits.iter().map(|digit| digit.error));
    }
    checked.enter(&mut line.contract, 1.0);
    line.contract.table = format!("random:{seed}");
    line.contract.predicted_noise_std_log2 = Some(law.deviation().log2());
    let digits = ciphertext_count(bits, parameters.bits_per_ciphertext());
    Ok(CircuitLine::new(line, digits, cmuxes, parameters))
}

/// Lookups in one table by a tree of CMUXes, under fresh keys.
pub(crate) struct TreeLookups {
    /// Times and sizes.
    pub line: Line,
    pub cmuxes: usize,
    /// The digits of every result.
    pub results: Vec<Vec<CheckedDigit>>,
    /// The law of their errors.
    pub law: NoiseLaw,
}

/// A digit of a result, compared with that of the table.
pub(crate) struct CheckedDigit {
    /// Error relative to the distance to a wrong digit.
    pub error: f64,
    pub is_wrong: bool,
}

impl TreeLookups {
    /// Looks values up one by one. Their selectors are 1 with probability `ones`.
    pub fn run(
        parameters: &CircuitBootstrappingParameters,
        table: &[u64],
        values: &[u64],
        ones: f64,
        runs: usize,
    ) -> anyhow::Result<Self> {
        let (bits, digit_bits) = (table.len().ilog2() as usize, parameters.bits_per_ciphertext());
        let (session, margin) = (Session::new(parameters.fhew()), parameters.margin());
        let circuit = CircuitBootstrapping::new(parameters, &session.key);
        let (tree, prepare_s) = try_timed(|| CmuxTree::new(parameters, table, bits))?;
        let digits = |value: u64| digits_of(value, bits, digit_bits).into_iter();
        let encrypt = |&value: &u64| -> anyhow::Result<Vec<LweCiphertext>> {
            Ok(digits(value).map(|digit| encrypt_plaintext(&session.secret, digit)).collect())
        };
        let (inputs, encrypt_s) = timed_each(values, encrypt)?;
        let lookup = |input: &Vec<LweCiphertext>| {
            let results = tree.lookup_many(&circuit, std::slice::from_ref(input));
            results.expect("a value of these parameters").remove(0)
        };
        let mut line = session.line(Batch { size: 1, runs }, &inputs, lookup);
        let contract = &mut line.contract;
        (contract.prepare_s, contract.encrypt_s) = (prepare_s, encrypt_s);
        (contract.bits_in, contract.bits_out) = (bits as f64, bits as f64);
        contract.modulus_in = 1 << bits;
        (contract.input_bytes, contract.output_bytes) =
            ciphertext_bytes(parameters, ciphertext_count(bits, digit_bits));
        let check = |(expected, found): (Plaintext, &LweCiphertext)| -> anyhow::Result<_> {
            let is_wrong = decrypt_plaintext(&session.secret, found, digit_bits)? != expected.value;
            let error = plaintext_error(&session.secret, found, expected)? / margin;
            Ok(CheckedDigit { error, is_wrong })
        };
        let check_value = |(&value, input): (&u64, &Vec<LweCiphertext>)| {
            digits(table[value as usize]).zip(&lookup(input)).map(check).collect()
        };
        let results = values.par_iter().zip(&inputs).map(check_value).collect::<Result<_, _>>()?;
        let noise = CircuitBootstrappingNoise::new(parameters);
        let law = tree.output_noise(&noise, ones).times(1.0 / margin);
        Ok(Self { line, cmuxes: tree.cmuxes(), results, law })
    }
}

/// Returns the digits of a value, least significant first.
fn digits_of(value: u64, bits: usize, digit_bits: u32) -> Vec<Plaintext> {
    let shifts = (0..ciphertext_count(bits, digit_bits)).map(|i| i * digit_bits as usize);
    let digit = |shift| value >> shift & ((1 << digit_bits) - 1);
    shifts.map(|shift| Plaintext { value: digit(shift), bits: digit_bits }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn tables_of_toys() {
        for set in [ParameterSet::TwoBitDepth11, ParameterSet::CmuxDepth2] {
            let mut line = measure(&set.insecure_toy(), 5, 1, 1).unwrap();
            let contract = &mut line.line.contract;
            (contract.method, contract.log2_fail) = (set.to_string(), -64.0);
            assert_eq!(contract.values_checked, VALUES);
            assert!(contract.prepare_s > 0.0 && contract.encrypt_s > 0.0);
            check_line(&line);
        }
    }

    #[test]
    fn old_names_of_sets_are_read() {
        for (name, set) in [
            ("CMUX_1", ParameterSet::CmuxDepth2),
            ("AUTO_5", ParameterSet::AutoDepth16800),
            ("DIGITS_2", ParameterSet::TwoBitDepth11),
            ("AES_128", ParameterSet::Aes128),
            ("two-bit-depth-24", ParameterSet::TwoBitDepth24),
        ] {
            assert_eq!(parse_set(name).unwrap(), set, "{name}");
        }
        for name in ["CMUX_0", "CMUX_6", "DIGITS_4", "AES"] {
            assert!(parse_set(name).unwrap_err().to_string().contains("aes-128"), "{name}");
        }
    }
}
