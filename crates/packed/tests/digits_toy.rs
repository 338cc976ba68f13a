//! Functions of large values, digit after digit, on toy rings: signs and tables of the most significant digit.

mod common;

use common::look_up;
use cryptable_packed::{Ciphertext, Parameters, Progress, ReadOptions, SecretKey, Table};
use cryptable_ring::random::replay;

/// Values that meet every digit, and both sides of every carry and of the sign.
fn values(modulus: u64, count: u64) -> Vec<u64> {
    let spread = (0..count / 2).map(|i| i * (modulus / 509).max(1) + i % 3);
    let edges = [0, 1, modulus / 2 - 1, modulus / 2, modulus / 2 + 1, modulus - 1];
    let carries = (0..count).map(|i| (modulus / 16) * i + modulus - (i & 1));
    edges
        .into_iter()
        .chain(spread)
        .chain(carries)
        .map(|v| v % modulus)
        .take(count as usize)
        .collect()
}

/// Checks a table of the last digit on many values, and noise on both sides.
fn check(digits: &[u64], table: &Table) {
    let parameters = Parameters::insecure_toy_digits(digits, table.output_modulus()).unwrap();
    let secret = SecretKey::generate(&parameters);
    let keys = secret.evaluation_key(Progress::silent()).unwrap();
    let modulus = parameters.input_modulus();
    let values = values(modulus, 1024);
    let input = secret.encrypt(&values).unwrap();
    let result = look_up(&keys, &input, table);
    let place = modulus / digits[digits.len() - 1];
    let expected: Vec<u64> = values.iter().map(|v| table.values()[(v / place) as usize]).collect();
    assert_eq!(secret.decrypt(&result).unwrap(), expected, "{digits:?}");
    let errors = secret.errors(&result, &expected).unwrap();
    let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let failure = parameters.failure();
    let bound = failure.noise_ratio + failure.bias_ratio;
    assert!(deviation < 1.4 * bound, "{digits:?}: {deviation:e} over {bound:e}");
    let constant = table.values().iter().all(|v| v == &table.values()[0]);
    assert!(constant || deviation > 0.1 * failure.noise_ratio, "{digits:?}: {deviation:e}");
}

#[test]
fn tables_of_the_last_digit() {
    let _replay = replay::begin();
    for digits in [&[8, 16][..], &[4, 8, 8], &[16, 16], &[3, 6], &[2, 4, 4, 4], &[5, 5, 5]] {
        let size = digits[digits.len() - 1];
        for output in [2, size] {
            check(digits, &Table::from_fn(size, output, |d| (d * d + 3 * d + 1) % output).unwrap());
            check(digits, &Table::from_fn(size, output, |_| output - 1).unwrap());
        }
    }
}

#[test]
fn signs_of_values_of_32_bits() {
    let _replay = replay::begin();
    // The least digits of all: an error of one unit would show.
    let parameters = Parameters::insecure_toy_digits(&[64, 64, 64, 128, 128], 2).unwrap();
    let secret = SecretKey::generate(&parameters);
    let keys = secret.evaluation_key(Progress::silent()).unwrap();
    let half = 1u64 << 31;
    let mut values: Vec<u64> = (0..512).flat_map(|i| [half - 1 - i, half + i]).collect();
    values[0] = 0;
    values[1] = (1 << 32) - 1;
    let signs = keys.sign(&secret.encrypt(&values).unwrap(), Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|&v| u64::from(v >= half)).collect();
    assert_eq!(secret.decrypt(&signs).unwrap(), expected);
}

#[test]
fn differences_have_signs() {
    let _replay = replay::begin();
    let parameters = Parameters::insecure_toy_digits(&[16, 16, 16], 2).unwrap();
    let secret = SecretKey::generate(&parameters);
    let keys = secret.evaluation_key(Progress::silent()).unwrap();
    let x: Vec<u64> = (0..1024).map(|i| i * 7 % 2048).collect();
    let y: Vec<u64> = (0..1024).map(|i| i * i * 13 % 2048).collect();
    let difference = keys.sub(&secret.encrypt(&x).unwrap(), &secret.encrypt(&y).unwrap()).unwrap();
    let is_less = secret.decrypt(&keys.sign(&difference, Progress::silent()).unwrap()).unwrap();
    let expected: Vec<u64> = x.iter().zip(&y).map(|(x, y)| u64::from(x < y)).collect();
    assert_eq!(is_less, expected);
}

#[test]
fn keys_and_results_come_back_from_bytes() {
    let parameters = Parameters::insecure_toy_digits(&[4, 4], 2).unwrap();
    let options = ReadOptions::default().allow_insecure();
    assert_eq!(
        Parameters::from_bytes(&parameters.to_bytes(), options).unwrap().digest(),
        parameters.digest()
    );
    let secret = SecretKey::generate(&parameters);
    let secret = SecretKey::from_bytes(&secret.to_bytes(), options).unwrap();
    let keys = secret.evaluation_key(Progress::silent()).unwrap();
    let input =
        Ciphertext::from_bytes(&secret.encrypt(&[0, 7, 8, 15]).unwrap().to_bytes()).unwrap();
    let signs = keys.sign(&input, Progress::silent()).unwrap();
    assert_eq!(secret.decrypt(&signs).unwrap(), [0, 0, 1, 1]);
}

#[test]
fn wrong_arguments_are_named() {
    let named =
        |digits: &[u64]| Parameters::insecure_toy_digits(digits, 2).unwrap_err().to_string();
    let error = named(&[3, 4]);
    assert!(error.contains("largest digit modulo a digit"), "{error}");
    let error = named(&[8]);
    assert!(error.contains("number of digits is 1"), "{error}");
    let error = named(&[2, 2]);
    assert!(error.contains("largest digit"), "{error}");
    assert!(Parameters::insecure_toy_digits(&[4096, 4096, 4096], 2).is_err());

    let whole = SecretKey::generate(&Parameters::insecure_toy(4, 4).unwrap());
    let keys = whole.evaluation_key(Progress::silent()).unwrap();
    let input = whole.encrypt(&[1]).unwrap();
    let error = keys.sign(&input, Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("takes no digits"), "{error}");
}
