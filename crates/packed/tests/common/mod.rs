//! Helpers for tests of packed values.
#![allow(dead_code)]

pub mod joint_keys;

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use cryptable_lattice::noise_statistics::NoiseStatistics;
use cryptable_packed::{
    Ciphertext, CostModel, EvaluationKey, Formula, Parameters, ParametersLiteral, PreparedFormulas,
    PreparedTable, Progress, ReadOptions, Request, Result, SecretKey, Table,
};

/// Returns options to read files of toys.
pub fn allowed() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// Returns the keys of a new client: the secret key and the evaluation key.
pub fn keys(parameters: &Parameters) -> (SecretKey, EvaluationKey) {
    let secret = SecretKey::generate(parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    (secret, key)
}

/// Returns the outputs of a table for these values.
pub fn outputs(table: &Table, values: &[u64]) -> Vec<u64> {
    values.iter().map(|&value| table.values()[value as usize]).collect()
}

/// Returns the root mean square.
pub fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Checks every value of a ciphertext, and returns the standard deviation of its errors in half steps.
pub fn deviation(secret: &SecretKey, found: &Ciphertext, expected: &[u64]) -> f64 {
    let decrypted = secret.decrypt(found).unwrap();
    let deviation = root_mean_square(&secret.errors(found, expected).unwrap());
    let wrong = decrypted.iter().zip(expected).filter(|(a, b)| a != b).count();
    assert_eq!((wrong, decrypted.len()), (0, expected.len()), "noise 2^{:.1}", deviation.log2());
    deviation
}

/// Checks every value of a ciphertext, and returns the ratio of the standard deviation of its errors to the bound that
/// it carries.
pub fn over_bound(secret: &SecretKey, found: &Ciphertext, expected: &[u64]) -> f64 {
    let bound = found.noise().deviation() + found.noise().bias();
    deviation(secret, found, expected) / (2.0 * found.modulus() as f64 * bound)
}

/// Checks every value of a ciphertext, and that no error exceeds its bound. Returns the ratio of the largest error to
/// the bound.
pub fn largest_over_bound(secret: &SecretKey, found: &Ciphertext, expected: &[u64]) -> f64 {
    assert!(secret.decrypt(found).unwrap() == expected, "wrong values");
    let errors = secret.errors(found, expected).unwrap();
    let largest = errors.iter().fold(0.0_f64, |most, error| most.max(error.abs()));
    let ratio = largest / (found.noise().largest(-20.0) * 2.0 * found.modulus() as f64);
    println!("largest error {largest:.2e} of half a step, {ratio:.3} of its bound");
    assert!(ratio <= 1.0, "{ratio} of {:?}", found.noise());
    ratio
}

/// Checks the noise of ciphertexts of a key with public samples, from both sides and in the tails.
pub fn check_key_noise(found: &NoiseStatistics, parameters: &Parameters) {
    // The law is that of the largest norm that a secret with a public key may have, 1.25 times the mean. The tolerance
    // is five standard deviations each for sampling and for the weight of this secret.
    let weight = 1.0 / (2.0 * parameters.ring_degree() as f64).sqrt();
    let tolerance = 5.0 * (weight + (2.0 / found.samples as f64).sqrt());
    assert!((1.25 * found.variance_ratio - 1.0).abs() < tolerance, "{tolerance}: {found:?}");
    assert!((2.9..3.1).contains(&found.kurtosis), "{found:?}");
    assert!(found.beyond.iter().all(|beyond| beyond.is_not_above(2)), "{found:?}");
}

/// Returns the parameters for a request, after checking what every plan promises.
pub fn choose(request: &Request) -> Parameters {
    let parameters = Parameters::choose(request).unwrap();
    check_promises(&parameters);
    parameters
}

/// Checks what every plan promises: 128 bits of security, and failures of at most 2^-64.
pub fn check_promises(parameters: &Parameters) {
    assert!(parameters.security_bits() >= 128.0, "{parameters}");
    assert!(parameters.failure_probability().log2() <= -64.0, "{parameters}");
}

/// Checks a table's results: every value, and that noise is neither above nor far below the prediction.
pub fn check_result(secret: &SecretKey, found: &Ciphertext, table: &Table, expected: &[u64]) {
    let parameters = secret.parameters();
    let (name, failure) = (&parameters.literal().name, parameters.failure());
    let deviation = deviation(secret, found, expected);
    // The prediction is for the worst table, so the measured noise stays below it; but not far, or the model would be
    // wrong. Constant tables have no noise. Bias is a bound that few values come close to.
    let bound = failure.noise_ratio + failure.bias_ratio;
    let few = 1.0 + 3.0 / (expected.len() as f64).sqrt();
    assert!(deviation < 1.4 * few * bound, "{name}: {deviation:e} over {bound:e}");
    let predicted = failure.noise_ratio;
    let is_constant = table.values().iter().all(|value| value == &table.values()[0]);
    assert!(is_constant || deviation > 0.1 * predicted, "{name}: {deviation:e}, not {predicted:e}");
}

/// Returns tables of many kinds: without structure, linear, constant, and of one entry.
pub fn tables(p: u64, output: u64) -> Vec<Table> {
    let scrambled = |x: u64| (x * 7919 + x * x * 31 + 5) % output;
    vec![
        Table::from_fn(p, output, scrambled).unwrap(),
        Table::from_fn(p, output, |x| x % output).unwrap(),
        Table::from_fn(p, output, |_| output - 1).unwrap(),
        Table::from_fn(p, output, |x| if x == p - 1 { output / 2 } else { 0 }).unwrap(),
    ]
}

/// Returns the same parameters, but with tables that are evaluated in the half ring, with keys of two digits.
pub fn in_half_ring(of: &Parameters) -> Parameters {
    Parameters::new(ParametersLiteral { half_digits: 2, ..of.literal().clone() }).unwrap()
}

/// Prepares tables.
pub fn prepare(key: &EvaluationKey, tables: &[Table]) -> Vec<PreparedTable> {
    tables.iter().map(|table| key.prepare(table).unwrap()).collect()
}

/// Prepares one table and looks it up.
pub fn look_up(key: &EvaluationKey, input: &Ciphertext, table: &Table) -> Ciphertext {
    key.lookup(input, &key.prepare(table).unwrap(), Progress::silent()).unwrap()
}

/// Prepares several tables and looks them up in one input.
pub fn look_up_many(key: &EvaluationKey, input: &Ciphertext, tables: &[Table]) -> Vec<Ciphertext> {
    let tables = prepare(key, tables);
    key.lookup_many(input, &tables.iter().collect::<Vec<_>>(), Progress::silent()).unwrap()
}

/// Returns the progress that `work` reports if nobody stops it.
pub fn reports<T>(work: impl FnOnce(Progress<'_>) -> Result<T>) -> Vec<(usize, usize)> {
    let seen = Mutex::new(Vec::new());
    let callback = |done, total| {
        seen.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    work(Progress::new(&callback)).unwrap();
    seen.into_inner().unwrap()
}

/// Returns the error of `work` if it is stopped after `steps` steps. Concurrent steps may still report.
pub fn stopped_after<T>(
    steps: usize,
    work: impl FnOnce(Progress<'_>) -> Result<T>,
) -> cryptable_packed::Error {
    let callback = |done: usize, _total: usize| {
        assert!(done <= steps + 1, "a step after the stop");
        if done < steps { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    match work(Progress::new(&callback)) {
        Ok(_) => panic!("not stopped after {steps} steps"),
        Err(error) => error,
    }
}

/// Returns a number that looks random.
pub fn mixed(seed: u64, index: u64) -> u64 {
    let x = (seed << 32 | index).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// Returns the parameters of formulas, after checking what every plan promises, and prints the prediction.
pub fn plan_formulas(formulas: &PreparedFormulas, request: &Request) -> Parameters {
    let parameters = Parameters::for_formulas(formulas, request).unwrap();
    assert!(parameters.security_bits() >= 128.0, "{parameters}");
    assert!(parameters.formula_failure(formulas).log2() <= -64.0, "{parameters}");
    let prediction = parameters.formula_prediction(formulas).unwrap();
    let seconds = CostModel::default().seconds(&prediction.work);
    println!("{parameters}: {seconds:.1} s, {} MB", prediction.peak_bytes() / 1_000_000);
    parameters
}

/// Encrypts the columns of rows.
pub fn encrypt_columns(secret: &SecretKey, rows: &[Vec<u64>]) -> Vec<Ciphertext> {
    let column = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<_>>();
    (0..rows[0].len()).map(|it| secret.encrypt(&column(it)).unwrap()).collect()
}

/// Evaluates formulas on the columns of rows, and prints how long it takes.
pub fn evaluate_rows(
    secret: &SecretKey,
    key: &EvaluationKey,
    rows: &[Vec<u64>],
    formulas: &PreparedFormulas,
) -> Vec<Ciphertext> {
    let columns = encrypt_columns(secret, rows);
    let columns: Vec<&Ciphertext> = columns.iter().collect();
    let start = Instant::now();
    let found = key.evaluate(&columns, formulas, Progress::silent()).unwrap();
    println!("evaluated in {:?}", start.elapsed());
    found
}

/// Returns a number within [-1/2, 1/2) that looks random.
pub fn number(seed: u64) -> f64 {
    mixed(1, seed) as f64 / 31f64.exp2() - 0.5
}

/// Returns a full binary tree with leaves from -`most` to `most`.
pub fn tree(seed: u64, depth: u64, columns: usize, modulus: u64, most: i64) -> Formula {
    if depth == 0 {
        let value = mixed(seed, 0) % (2 * most.unsigned_abs() + 1);
        return Formula::Constant(value as i64 - most);
    }
    let below = |side| Box::new(tree(3 * seed + side, depth - 1, columns, modulus, most));
    Formula::Choice {
        column: (mixed(seed, 1) % columns as u64) as usize,
        within: vec![[0, 1 + mixed(seed, 2) % (modulus - 1)]],
        then: below(1),
        otherwise: below(2),
    }
}
