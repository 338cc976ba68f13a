//! `bench reals`: tables of real numbers in fixed point, and of complex ones, random and on a full ciphertext.

use clap::Args;
use cryptable::engines::packed::{
    ComplexTable, Parameters, Progress, RealDecryption, RealTable, Request,
};
use num_complex::Complex64;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::keys::Keys;
use super::limits::LimitArguments;
use super::line::{Measured, PackedRecord, common};
use crate::contract::{Contract, print_line};
use crate::measurement::try_timed;

/// Arguments of `bench reals`.
#[derive(Debug, Args)]
pub struct RealsArguments {
    /// Use complex outputs, with both parts in one result.
    #[arg(long)]
    complex: bool,
    /// Bits of inputs.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// Bits B of each part of outputs: values err by at most half a step of 2^-B.
    #[arg(long, default_value_t = 8)]
    output_bits: u32,
    #[command(flatten)]
    limits: LimitArguments,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark.
pub fn run(arguments: &RealsArguments, json: bool) -> anyhow::Result<()> {
    let outputs = RealTable::modulus_for(0.5 * (-f64::from(arguments.output_bits)).exp2())?;
    let request = Request {
        complex_outputs: arguments.complex,
        ..arguments.limits.request(1 << arguments.bits, outputs)
    };
    print_line(&measure(&Parameters::choose(&request)?, arguments)?, json)
}

/// Measures lookups, and checks every decrypted value.
fn measure(parameters: &Parameters, arguments: &RealsArguments) -> anyhow::Result<PackedRecord> {
    let (p, slots) = (parameters.input_modulus(), parameters.literal().slots);
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let values: Vec<u64> = (0..slots).map(|_| rng.random_range(0..p)).collect();
    let mut number = || rng.random_range(-0.5..0.5);
    let table: Vec<Complex64> = (0..p).map(|_| Complex64::new(number(), number())).collect();
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = try_timed(|| keys.secret.encrypt(&values))?;
    let (key, quiet, options) =
        (&keys.evaluation_key, Progress::silent(), RealDecryption::default());
    let method = parameters.method_name();
    let prediction = parameters.prediction();
    let contract = Contract {
        method: format!("{method}, {} outputs", if arguments.complex { "complex" } else { "real" }),
        table: format!("random:{}", arguments.seed),
        encrypt_s,
        input_bytes: input.to_bytes().len(),
        predicted_noise_std_log2: Some(parameters.failure().typical_ratio.log2()),
        ..common(parameters, &keys)
    };
    if arguments.complex {
        let table = ComplexTable::new(p, &table, parameters.output_modulus())?;
        let (prepared, prepare_s) = try_timed(|| key.prepare_complex(&table))?;
        let evaluate = || key.lookup_complex(&input, &[&prepared], quiet);
        let measured = Measured::of(arguments.runs, evaluate)?;
        let result = &measured.results()[0];
        let found = keys.secret.decrypt_complex(result, options)?;
        let (rounded, [re, im]) = (table.rounded(), table.tables());
        let pairs = values.iter().zip(&found);
        let is_wrong: Vec<bool> = pairs.map(|(&x, z)| rounded[x as usize] != *z).collect();
        let residues: Vec<[u64; 2]> =
            values.iter().map(|&x| [re, im].map(|part| part.values()[x as usize])).collect();
        let errors = keys.secret.complex_errors(result, &residues)?;
        let contract = Contract { prepare_s, ..contract };
        return Ok(measured.checked(parameters, &prediction, &errors, &is_wrong, contract));
    }
    let real: Vec<f64> = table.iter().map(|z| z.re).collect();
    let table = RealTable::new(p, &real, parameters.output_modulus())?;
    let (prepared, prepare_s) = try_timed(|| key.prepare(table.table()))?;
    let evaluate = || Ok(vec![key.lookup(&input, &prepared, quiet)?]);
    let measured = Measured::of(arguments.runs, evaluate)?;
    let result = &measured.results()[0];
    let found = keys.secret.decrypt_reals(result, options)?;
    let rounded = table.rounded();
    let pairs = values.iter().zip(&found);
    let is_wrong: Vec<bool> = pairs.map(|(&x, y)| rounded[x as usize] != *y).collect();
    let residues: Vec<u64> = values.iter().map(|&x| table.table().values()[x as usize]).collect();
    let errors = keys.secret.errors(result, &residues)?;
    let contract = Contract { prepare_s, ..contract };
    Ok(measured.checked(parameters, &prediction, &errors, &is_wrong, contract))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn real_and_complex_outputs_of_a_toy() {
        for complex in [false, true] {
            let line = "--bits 4 --output-bits 6 --runs 1";
            let arguments = RealsArguments { complex, ..parsed(line) };
            let parameters = match complex {
                true => Parameters::insecure_toy_complex(16, 64, 512),
                false => Parameters::insecure_toy(16, 64),
            };
            let record = measure(&parameters.unwrap(), &arguments).unwrap();
            check_line(&record);
            assert_eq!(record.contract.wrong, 0);
            let noise = (record.contract.noise_std_log2, record.contract.predicted_noise_std_log2);
            assert!((noise.0 - noise.1.unwrap()).abs() < 1.0, "{noise:?}");
        }
    }
}
