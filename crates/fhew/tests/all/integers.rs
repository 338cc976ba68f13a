//! The public interface of functions of integers: signs to maxima, digits, radix integers, tables; other clients and
//! parameters.

use std::ops::ControlFlow;

use crate::common::{from_files, parties};
use cryptable_fhew::integers::{
    EncryptedIntegers, EvaluationKey, Parameters, RadixInteger, RealFunction, SecretKey,
    SmallValues,
};
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Error, Progress, ReadOptions, Table};
use cryptable_ring::random::replay;

const SILENT: Progress<'static> = Progress::silent();

/// Checks functions of pairs of integers whose differences fit.
fn check_integers(secret: &SecretKey, key: &EvaluationKey, pairs: &[(i64, i64)]) {
    let (xs, ys): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
    let encrypt = |values: &[i64]| secret.encrypt_full_range(values).unwrap();
    let (x, y) = (encrypt(&xs), encrypt(&ys));
    let of_x = |of: fn(i64) -> i64| -> Vec<i64> { xs.iter().map(|&x| of(x)).collect() };
    let small = |values| -> Vec<i64> {
        secret.decrypt_small(&values).unwrap().iter().map(|&value| value as i64).collect()
    };
    assert_eq!(secret.decrypt(&x).unwrap(), xs);
    assert_eq!(small(key.sign(&x, SILENT).unwrap()), of_x(|x| i64::from(x < 0)));
    let less: Vec<i64> = pairs.iter().map(|&(x, y)| i64::from(x < y)).collect();
    assert_eq!(small(key.less_than(&x, &y, SILENT).unwrap()), less);
    let absolute = key.absolute(&x, SILENT).unwrap();
    assert_eq!(secret.decrypt(&absolute).unwrap(), of_x(i64::abs));
    let relu = key.relu(&x, SILENT).unwrap();
    assert_eq!(secret.decrypt(&relu).unwrap(), of_x(|x| x.max(0)));
    let modulus = 1 << (secret.parameters().bits() - 1);
    let maximum = key.maximum(&x, &y, SILENT).unwrap();
    let expected: Vec<i64> = pairs.iter().map(|&(x, y)| x.max(y).rem_euclid(modulus)).collect();
    assert_eq!(secret.decrypt(&maximum).unwrap(), expected);
    for (integer, value) in key.to_radix(&x, SILENT).unwrap().iter().zip(&xs) {
        let expected = value.rem_euclid(2 * modulus) as u64;
        assert_eq!(secret.decrypt_radix(integer).unwrap(), expected, "digits of {value}");
    }
    // Results cannot be inputs unless the parameters leave room for it; results with one bit less never can.
    let again = key.sign(&absolute, SILENT);
    assert_eq!(again.is_ok(), secret.parameters().results_are_inputs());
    if let Ok(signs) = again {
        assert_eq!(small(signs), vec![0; xs.len()]);
    }
    assert!(key.sign(&relu, SILENT).is_err());
}

/// Checks operations on two unsigned integers of `digits` digits.
fn check_radix(secret: &SecretKey, key: &EvaluationKey, digits: usize, [x, y]: [u64; 2]) {
    let modulus = 1u64 << (3 * digits);
    let encrypt = |value| secret.encrypt_radix(value, digits).unwrap();
    let decrypt = |integer| secret.decrypt_radix(&integer).unwrap();
    let small = |value| secret.decrypt_small(&value).unwrap();
    let (cx, cy) = (encrypt(x), encrypt(y));
    let negative = x >= modulus / 2;
    let sum = key.radix_add(&cx, &cy).unwrap();
    let less = key.radix_less_than(&cx, &sum).unwrap();
    assert_eq!(small(less), [u64::from(x < (x + y) % modulus)]);
    assert_eq!(decrypt(key.radix_add(&sum, &sum).unwrap()), 2 * (x + y) % modulus);
    assert_eq!(decrypt(sum), (x + y) % modulus);
    assert_eq!(decrypt(key.radix_maximum(&cx, &cy).unwrap()), x.max(y));
    assert_eq!(decrypt(key.radix_negate(&cx).unwrap()), (modulus - x) % modulus);
    let sign = key.radix_sign(&cx).unwrap();
    let absolute = if negative { modulus - x } else { x };
    assert_eq!(decrypt(key.radix_absolute(&cx).unwrap()), absolute);
    assert_eq!(decrypt(key.radix_relu(&cx).unwrap()), if negative { 0 } else { x });
    let chosen = if negative { y } else { x };
    assert_eq!(decrypt(key.radix_select(&sign, &cy, &cx).unwrap()), chosen);
    let seven_less = Table::from_fn(8, 8, |digit| 7 - digit).unwrap();
    assert_eq!(decrypt(key.radix_map(&cx, &seven_less).unwrap()), modulus - 1 - x);
    let parity = key.radix_fold(&cx, 0, |digit, state| (digit + state) % 2).unwrap();
    let expected = (0..digits).map(|i| x >> (3 * i)).sum::<u64>() % 2;
    assert_eq!(small(parity), [expected]);
}

#[test]
fn functions_of_toys() {
    for (bits, pairs) in [
        (8, vec![(-100, -1), (0, 0), (5, -60), (63, 64), (-64, 63), (-1, 1), (127, 1)]),
        (16, vec![(-12_345, 12_345), (32_000, 31_999), (-1, -2), (0, 1)]),
    ] {
        let (secret, key) = parties(&Parameters::insecure_toy(bits).unwrap());
        check_integers(&secret, &key, &pairs);
    }
}

/// Every decomposition of the paper supports all functions, and has a form in files that other programs can read.
#[test]
fn functions_by_every_decomposition() {
    let usual = Parameters::insecure_toy(8).unwrap();
    for name in ["HomDecomp-FDFB", "HomFloor", "HomFloorAlt"] {
        let parameters = usual.with_algorithm(name).unwrap();
        assert_eq!((parameters.algorithm(), usual.algorithm()), (name, "HomDecomp-Reduce"));
        let options = ReadOptions::default().allow_insecure();
        let read = Parameters::from_bytes(&parameters.to_bytes(), options).unwrap();
        assert_eq!((read.algorithm(), read.digest()), (name, parameters.digest()));
        assert_ne!(read.digest(), usual.digest());
        let (secret, key) = parties(&parameters);
        check_integers(&secret, &key, &[(-64, 63), (5, -60), (0, 0), (-1, 1)]);
        let same = parameters.with_algorithm("HomDecomp-Reduce").unwrap();
        assert_eq!(same.digest(), usual.digest());
    }
}

/// Every decomposition supports all functions at 128 bits and 2^-64.
#[test]
#[ignore = "slow: run by make test-all"]
fn functions_by_every_decomposition_at_full_size() {
    for name in ["HomDecomp-FDFB", "HomFloor", "HomFloorAlt"] {
        let parameters = Parameters::new(16).unwrap().with_algorithm(name).unwrap();
        assert!(parameters.log2_fail() <= -64.0 && parameters.security_bits() >= 128.0, "{name}");
        let (secret, key) = parties(&parameters);
        check_integers(&secret, &key, &[(-16_384, 16_383), (5, -60), (0, 0), (-1, 1)]);
    }
}

#[test]
fn functions_at_full_size() {
    let parameters = Parameters::new(22).unwrap();
    assert!(parameters.log2_fail() <= -64.0);
    check_full_size(&parameters);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn functions_at_full_size_that_fail_with_2_to_the_minus_128() {
    let parameters = Parameters::with_log2_fail(22, -128.0).unwrap();
    assert!(parameters.log2_fail() <= -128.0);
    check_full_size(&parameters);
}

fn check_full_size(parameters: &Parameters) {
    assert!(parameters.security_bits() >= 128.0);
    let (secret, key) = parties(parameters);
    check_integers(&secret, &key, &[(-1_000_000, 1_000_000), (123_456, -7)]);
    check_radix(&secret, &key, 4, [3_000, 1_234]);
    let x = secret.encrypt_radix(0o52, 2).unwrap();
    let table = Table::from_fn(64, 64, |x| x * x % 64).unwrap();
    let square = key.radix_lookup(&x, &table).unwrap();
    assert_eq!(secret.decrypt_small(&square).unwrap(), [0o52 * 0o52 % 64]);
}

#[test]
fn radix_integers_of_toys() {
    let (secret, key) = parties(&Parameters::insecure_toy(8).unwrap());
    for pair in [[0, 0], [4095, 1], [2048, 2047]] {
        check_radix(&secret, &key, 4, pair);
    }
    check_radix(&secret, &key, 1, [5, 3]);
    check_radix(&secret, &key, 11, [4_000_000_000, 123_456_789]);
    for x in [0, 63, 64, 300, 511] {
        let integer = secret.encrypt_radix(x, 3).unwrap();
        let table = Table::from_fn(512, 16, |x| x * x / 7 % 16).unwrap();
        let output = key.radix_lookup(&integer, &table).unwrap();
        assert_eq!(secret.decrypt_small(&output).unwrap(), [table.values()[x as usize]]);
        assert_eq!(output.modulus(), 16);
    }
}

#[test]
fn numbers_of_bits_have_limits() {
    for bits in [4, 8, 12, 16, 20, 24, 28] {
        let parameters = Parameters::new(bits).unwrap();
        assert!(parameters.log2_fail() <= -64.0, "{bits}");
    }
    for bits in [0, 3, 29, 64] {
        assert!(Parameters::new(bits).is_err(), "{bits}");
    }
    let (secret, _) = parties(&Parameters::insecure_toy(8).unwrap());
    assert!(secret.encrypt_full_range(&[127, -128]).is_ok());
    for value in [128, -129, i64::MAX, i64::MIN] {
        let message = secret.encrypt_full_range(&[0, value]).unwrap_err().to_string();
        assert!(message.ends_with("from -128 to 127"), "{message}");
    }
    for value in [64, -65, 127, i64::MIN] {
        let message = secret.encrypt(&[0, value]).unwrap_err().to_string();
        assert!(message.contains("from -64 to 63, so that any two can be compared"), "{message}");
    }
    assert!(secret.encrypt_radix(8, 1).is_err() && secret.encrypt_radix(0, 0).is_err());
    assert!(secret.encrypt_radix(0, 22).is_err());
}

#[test]
fn what_is_encrypted_by_default_is_compared_right() {
    let _replay = replay::begin();
    let (secret, key) = parties(&Parameters::insecure_toy(8).unwrap());
    let ends = [(-64, 63), (63, -64), (-64, -64), (63, 63), (-64, 0), (0, 63)];
    let (xs, ys): (Vec<i64>, Vec<i64>) = ends.into_iter().unzip();
    let (x, y) = (secret.encrypt(&xs).unwrap(), secret.encrypt(&ys).unwrap());
    let less = secret.decrypt_small(&key.less_than(&x, &y, SILENT).unwrap()).unwrap();
    assert_eq!(less, ends.map(|(x, y)| u64::from(x < y)));
    let maximum = secret.decrypt(&key.maximum(&x, &y, SILENT).unwrap()).unwrap();
    assert_eq!(maximum, ends.map(|(x, y)| x.max(y).rem_euclid(128)));
}

#[test]
fn others_are_refused() {
    let toy = Parameters::insecure_toy(8).unwrap();
    let ((secret, key), (other, _)) = (parties(&toy), parties(&toy));
    let is_other = |error: Error| assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let (own, foreign) = (secret.encrypt(&[1]).unwrap(), other.encrypt(&[1]).unwrap());
    is_other(key.sign(&foreign, SILENT).unwrap_err());
    is_other(key.maximum(&own, &foreign, SILENT).unwrap_err());
    is_other(secret.decrypt(&foreign).unwrap_err());
    let (x, y) = (secret.encrypt_radix(9, 2).unwrap(), other.encrypt_radix(9, 2).unwrap());
    is_other(key.radix_add(&x, &y).unwrap_err());
    is_other(secret.decrypt_radix(&y).unwrap_err());
    let sixteen = SecretKey::generate(&Parameters::insecure_toy(16).unwrap());
    let error = key.sign(&sixteen.encrypt(&[1]).unwrap(), SILENT).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { .. }), "{error}");
    let longer = secret.encrypt_radix(9, 3).unwrap();
    let error = key.radix_less_than(&x, &longer).unwrap_err();
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    let error = key.less_than(&own, &secret.encrypt(&[1, 2]).unwrap(), SILENT).unwrap_err();
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    let stop = |_, _| ControlFlow::Break(());
    let error = key.absolute(&own, Progress::new(&stop)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    let signs = key.sign(&own, SILENT).unwrap();
    assert!(key.radix_select(&signs, &x, &x).is_ok());
    let two = key.sign(&secret.encrypt(&[1, 2]).unwrap(), SILENT).unwrap();
    assert!(key.radix_select(&two, &x, &x).is_err());
}

#[test]
fn keys_and_ciphertexts_come_back_from_bytes() {
    let secret = SecretKey::generate(&Parameters::insecure_toy(8).unwrap());
    let (read, key) = from_files(&secret);
    let x = read.encrypt(&[-5, 7]).unwrap();
    let x = EncryptedIntegers::from_bytes(&x.to_bytes()).unwrap();
    for (integers, expected) in [
        (x.clone(), [-5, 7]),
        (key.absolute(&x, SILENT).unwrap(), [5, 7]),
        (key.relu(&x, SILENT).unwrap(), [0, 7]),
    ] {
        let integers = EncryptedIntegers::from_bytes(&integers.to_bytes()).unwrap();
        assert_eq!(secret.decrypt(&integers).unwrap(), expected);
    }
    let signs = SmallValues::from_bytes(&key.sign(&x, SILENT).unwrap().to_bytes()).unwrap();
    assert_eq!(secret.decrypt_small(&signs).unwrap(), [1, 0]);
    let y = secret.encrypt_radix(77, 3).unwrap();
    let bytes = y.to_bytes();
    assert_eq!(secret.decrypt_radix(&RadixInteger::from_bytes(&bytes).unwrap()).unwrap(), 77);
    assert!(RadixInteger::from_bytes(&x.to_bytes()).is_err());
    check_refusals(&bytes, 7, RadixInteger::from_bytes);
    let full_size = Parameters::new(20).unwrap();
    let read = Parameters::from_bytes(&full_size.to_bytes(), ReadOptions::default()).unwrap();
    assert_eq!((read.digest(), read.bits()), (full_size.digest(), 20));
}

/// Checks F(v) of values all over [-1, 1); noise is checked from both sides if F has the stated slope everywhere.
#[test]
fn continuous_functions_have_the_stated_noise() {
    let _replay = replay::begin();
    let parameters = Parameters::insecure_toy(16).unwrap();
    let (secret, key) = parties(&parameters);
    let fresh = parameters.fresh_integer_noise();
    let limit = parameters.continuous_limit(fresh).unwrap();
    assert!((0.9..1.0).contains(&limit), "{limit}");
    let values: Vec<f64> = (0..120).map(|i| (f64::from(i) / 59.5 - 1.0) * limit).collect();
    let inputs = secret.encrypt_reals(&values).unwrap();
    type Case<'a> = (&'a str, &'a (dyn Fn(f64) -> f64 + Sync), f64, bool);
    let cases: [Case<'_>; 4] = [
        ("half", &|v| v / 2.0, 0.5, true),
        ("mirrored", &|v| 0.25 - 0.5 * v.abs(), 0.5, true),
        ("square", &|v| v * v / 2.0, 1.0, false),
        ("logistic", &|v| 1.0 / (1.0 + (-8.0 * v).exp()) - 0.5, 2.0, false),
    ];
    for (name, function, lipschitz, is_steep) in cases {
        let real = RealFunction { function, lipschitz };
        let results = key.continuous(&inputs, &real, Progress::silent()).unwrap();
        let found = secret.decrypt_reals(&results).unwrap();
        let squares = found.iter().zip(&values).map(|(f, &v)| (f - function(v)).powi(2));
        let measured = squares.sum::<f64>() / values.len() as f64;
        let stated = parameters.continuous_noise(lipschitz, fresh).unwrap();
        // As a fraction of 2, the length of [-1, 1).
        let ratio = measured.sqrt() / (2.0 * stated.deviation());
        println!("{name}: measured/stated {ratio:.3}");
        assert!(ratio < 1.4 && (!is_steep || ratio > 0.7), "{name}: {ratio}");
    }
    // Results can be inputs of continuous functions, but not of functions of exact integers.
    let half = RealFunction { function: &|v| v / 2.0, lipschitz: 0.5 };
    let once = key.continuous(&inputs, &half, Progress::silent()).unwrap();
    assert!(key.sign(&once, Progress::silent()).is_err());
    let twice = key.continuous(&once, &half, Progress::silent()).unwrap();
    let found = secret.decrypt_reals(&twice).unwrap();
    assert!(found.iter().zip(&values).all(|(f, v)| (f - v / 4.0).abs() < 0.05));
    let message = secret.encrypt_reals(&[0.5, 1.0]).unwrap_err().to_string();
    assert!(message.contains("below 1"), "{message}");
    let steep = RealFunction { function: &|v| v, lipschitz: f64::NAN };
    assert!(key.continuous(&inputs, &steep, Progress::silent()).is_err());
}
