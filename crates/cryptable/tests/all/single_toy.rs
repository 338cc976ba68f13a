//! Tests of single values on toy parameters: every value, several tables, bad input, the wire format.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cryptable::engines::single::{Ciphertext, EvaluationKey, Parameters, Request, SecretKey};
use cryptable::{
    Error, Inspection, KeyParameters, Progress, Result, SecurityLevel, Table, inspect,
};
use cryptable_wire::ObjectType;
use proptest::prelude::*;

use crate::{check_damage, forged, forged_object, toys};

fn read_secret(bytes: &[u8]) -> Result<SecretKey> {
    SecretKey::from_bytes(bytes, toys())
}

fn read_evaluation(bytes: &[u8]) -> Result<EvaluationKey> {
    EvaluationKey::from_shared(Arc::new(bytes.to_vec()), toys())
}

/// Returns a client and a server.
fn parties(p: u64, output_modulus: u64) -> (SecretKey, EvaluationKey) {
    let parameters = Parameters::insecure_toy(p, output_modulus).unwrap();
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    (secret, key)
}

fn lookup(key: &EvaluationKey, input: &Ciphertext, table: &Table) -> Result<Ciphertext> {
    let table = key.prepare(table)?;
    Ok(key.lookup_many(input, &[&table], Progress::silent())?.swap_remove(0))
}

#[test]
fn every_value_of_several_tables() {
    for (p, output_modulus) in
        [(16, 16), (6, 10), (8, 2), (2, 4), (3, 3), (5, 16), (15, 15), (31, 7), (2, 3), (64, 64)]
    {
        let (secret, key) = parties(p, output_modulus);
        let values: Vec<u64> = (0..p).collect();
        let input = secret.encrypt(&values).unwrap();
        let random = |x: u64| (x * x * 2_654_435_761 + 7) / 5 % output_modulus;
        let functions = [&random as &dyn Fn(u64) -> u64, &|_| 1, &|x| x % output_modulus];
        let tables = functions.map(|of| Table::from_fn(p, output_modulus, of).unwrap());
        for table in &tables {
            let output = lookup(&key, &input, table).unwrap();
            assert_eq!(secret.decrypt(&output).unwrap(), table.values(), "{p} -> {output_modulus}");
        }
        // All tables at once, the second one twice.
        let prepared = tables.each_ref().map(|table| key.prepare(table).unwrap());
        let [first, second, third] = &prepared;
        let order = [first, second, third, second];
        let outputs = key.lookup_many(&input, &order, Progress::silent()).unwrap();
        let expected = [&tables[0], &tables[1], &tables[2], &tables[1]];
        assert_eq!(outputs.len(), expected.len());
        for (output, table) in outputs.iter().zip(expected) {
            assert_eq!(secret.decrypt(output).unwrap(), table.values(), "{p} -> {output_modulus}");
            assert_eq!((output.modulus(), output.is_fresh()), (output_modulus, false));
        }
        assert!(key.lookup_many(&input, &[], Progress::silent()).unwrap().is_empty());
    }
}

#[test]
fn results_are_inputs_of_further_lookups() {
    for p in [8, 7] {
        let (secret, key) = parties(p, p);
        let next = Table::from_fn(p, p, |x| (3 * x + 1) % p).unwrap();
        let values: Vec<u64> = (0..p).collect();
        let once = lookup(&key, &secret.encrypt(&values).unwrap(), &next).unwrap();
        let twice = lookup(&key, &once, &next).unwrap();
        let expected: Vec<u64> = values.iter().map(|x| (3 * (3 * x + 1) + 1) % p).collect();
        assert_eq!(secret.decrypt(&twice).unwrap(), expected);
    }
}

#[test]
fn no_values_are_no_work() {
    let (secret, key) = parties(4, 4);
    let empty = secret.encrypt(&[]).unwrap();
    let table = Table::from_fn(4, 4, |x| x).unwrap();
    let output = lookup(&key, &empty, &table).unwrap();
    assert_eq!((output.count(), secret.decrypt(&output).unwrap()), (0, vec![]));
}

#[test]
fn bad_input_is_refused_by_name() {
    let (secret, key) = parties(4, 4);
    let error = secret.encrypt(&[1, 4]).unwrap_err();
    assert!(matches!(error, Error::ValueOutOfRange { index: 1, value: 4, limit: 4 }), "{error}");
    let table = Table::from_fn(8, 4, |x| x % 4).unwrap();
    let error = key.prepare(&table).unwrap_err().to_string();
    assert!(error.contains("input modulus") && error.contains('8'), "{error}");
    let error = key.prepare(&Table::from_fn(4, 8, |x| x).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    // Results modulo 2 cannot be inputs modulo 4.
    let (secret, key) = parties(4, 2);
    let table = Table::from_fn(4, 2, |x| x / 2).unwrap();
    let output = lookup(&key, &secret.encrypt(&[1]).unwrap(), &table).unwrap();
    let error = lookup(&key, &output, &table).unwrap_err();
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
}

#[test]
fn lookups_tell_how_far_they_are_and_can_be_cancelled() {
    let (secret, key) = parties(4, 4);
    let table = key.prepare(&Table::from_fn(4, 4, |x| x).unwrap()).unwrap();
    let input = secret.encrypt(&[1; 50]).unwrap();
    let (calls, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let count = |done: usize, total: usize| {
        assert_eq!(total, 50);
        calls.fetch_add(1, Ordering::Relaxed);
        most.fetch_max(done, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    key.lookup_many(&input, &[&table], Progress::new(&count)).unwrap();
    assert_eq!((calls.into_inner(), most.into_inner()), (51, 50));

    let until_ten = |done: usize, _| {
        if done < 10 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let error = key.lookup_many(&input, &[&table], Progress::new(&until_ten)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { total: 50, .. }), "{error}");
    let never = |_, _| ControlFlow::Break(());
    let error = key.lookup_many(&input, &[&table], Progress::new(&never)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { done: 0, total: 50 }), "{error}");
    let error = secret.evaluation_key(Progress::new(&never)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    let mut file = Vec::new();
    let error = secret.write_evaluation_key(&mut file, Progress::new(&never)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { .. }) && file.is_empty(), "{error}");
}

#[test]
fn predictions_are_those_of_the_objects() {
    let table = |p| Table::from_fn(p, p, |x| x).unwrap();
    for p in [16, 15] {
        let (secret, key) = parties(p, p);
        let prediction = secret.parameters().prediction();
        assert_eq!(prediction.key_memory_bytes, key.memory_bytes());
        let mut file = Vec::new();
        secret.write_evaluation_key(&mut file, Progress::silent()).unwrap();
        assert_eq!(prediction.key_file_bytes, file.len());
        let (few, many) = (vec![1; 100], vec![1; 1100]);
        let bytes = |values: &[u64]| secret.encrypt(values).unwrap().to_bytes().len();
        let thousand = bytes(&many) - bytes(&few);
        let each = prediction.ciphertext_bytes;
        assert!((1000 * (each - 1)..=1000 * each).contains(&thousand), "{thousand}");
        let results = lookup(&key, &secret.encrypt(&few).unwrap(), &table(p)).unwrap();
        let found = results.to_bytes().len();
        let expected = 100 * prediction.result_bytes;
        assert!((expected - 200..expected + 200).contains(&found), "{found}, not {expected}");
        let table = key.prepare(&table(p)).unwrap();
        assert!((1 << 14..1 << 16).contains(&table.memory_bytes()), "{}", table.memory_bytes());
        assert!(prediction.work.digit_transforms > 0.0 && prediction.work.key_bytes > 0.0);
    }
    let parameters = Parameters::choose(&Request::new(16, 16)).unwrap();
    assert_eq!(parameters.prediction().values_per_ciphertext, 1);
}

/// Returns a secret key and the bytes of both keys.
fn keys() -> (SecretKey, Vec<u8>, Vec<u8>) {
    let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4).unwrap());
    let mut evaluation = Vec::new();
    secret.write_evaluation_key(&mut evaluation, Progress::silent()).unwrap();
    let bytes = secret.to_bytes().to_vec();
    (secret, bytes, evaluation)
}

fn single_parameters(found: Inspection) -> Parameters {
    match found.parameters {
        Some(KeyParameters::Lookups(cryptable::Parameters::Single(parameters))) => *parameters,
        other => panic!("{other:?}"),
    }
}

#[test]
fn objects_say_what_they_are() {
    let (secret, secret_bytes, evaluation_bytes) = keys();
    let ciphertext = secret.encrypt(&[1, 2]).unwrap().to_bytes();
    let found = inspect(&secret_bytes).unwrap();
    assert_eq!(found.object, "a secret key for single values");
    let parameters = single_parameters(found);
    assert_eq!(parameters.input_modulus(), 4);
    assert_eq!(parameters.security_level(), SecurityLevel::Insecure);
    assert_eq!(parameters.security_bits(), 0.0);
    let found = inspect(&evaluation_bytes).unwrap();
    assert_eq!(found.object, "an evaluation key for single values");
    assert_eq!(single_parameters(found).digest(), secret.parameters().digest());
    let found = inspect(&ciphertext).unwrap();
    assert_eq!((found.values, found.fresh), (Some((2, 4)), Some(true)));
    assert_eq!(found.key_id, Some(secret.id()));
    // Each error names the object that was found and the expected one.
    let error = read_secret(&evaluation_bytes).unwrap_err().to_string();
    assert!(error.contains("an evaluation key for single values, not a secret key"), "{error}");
    let error = read_evaluation(&ciphertext).unwrap_err().to_string();
    assert!(error.contains("a ciphertext of single values, not an evaluation key"), "{error}");
    let options = cryptable::ReadOptions::default();
    let error = cryptable::engines::packed::SecretKey::from_bytes(&secret_bytes, options);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("a secret key for single values, not a secret key"), "{error}");
}

#[test]
fn damage_is_found() {
    let (secret, secret_bytes, evaluation_bytes) = keys();
    check_damage(&secret_bytes, |bytes| read_secret(bytes).map(drop));
    check_damage(&evaluation_bytes, |bytes| read_evaluation(bytes).map(drop));
    let key = read_evaluation(&evaluation_bytes).unwrap();
    let input = secret.encrypt(&[3, 0, 1]).unwrap();
    let output = lookup(&key, &input, &Table::from_fn(4, 4, |x| 3 - x).unwrap()).unwrap();
    for ciphertext in [input, output] {
        let bytes = ciphertext.to_bytes();
        assert_eq!(Ciphertext::from_bytes(&bytes).unwrap(), ciphertext);
        check_damage(&bytes, |bytes| Ciphertext::from_bytes(bytes).map(drop));
    }
}

#[test]
fn lies_under_valid_checksums_are_found() {
    let (secret, secret_bytes, evaluation_bytes) = keys();
    let parameters = secret.parameters().to_bytes().len();
    // Header, length of the parameters, parameters.
    let after_parameters = 64 + 8 + parameters;
    let forged_secret = |position: usize, byte: u8| {
        read_secret(&forged(&secret_bytes, position, &[byte])).unwrap_err().to_string()
    };
    assert!(forged_secret(16, 0x5a).contains("other parameters"));
    assert!(forged_secret(64, 0xff).contains("parameters"));
    assert!(forged_secret(70, 0xff).contains("limit"));
    // 3 is not a valid coefficient, and 0 stands for -1, which binary secrets do not have.
    assert!(forged_secret(after_parameters + 8, 0xff).contains("coefficients"));
    assert!(forged_secret(after_parameters + 8, 0).contains("secret distributions"));
    let forged_evaluation = |position: usize, bytes: &[u8]| {
        read_evaluation(&forged(&evaluation_bytes, position, bytes)).unwrap_err().to_string()
    };
    let keys = after_parameters + 16 + 8;
    assert!(forged_evaluation(keys - 8, &[255; 8]).contains("limit"));
    let message = forged_evaluation(keys + 32, &[255; 8]);
    assert!(message.contains("rotation key") && message.contains("word 0"), "{message}");
    // Every part is one byte too short.
    let mut short = evaluation_bytes.clone();
    short.remove(evaluation_bytes.len() - 33);
    for position in [48, keys - 8] {
        let length = u64::from_le_bytes(short[position..position + 8].try_into().unwrap()) - 1;
        short = forged(&short, position, &length.to_le_bytes());
    }
    let message = read_evaluation(&short).unwrap_err().to_string();
    // Header, parameters and identifier precede the keys, and a checksum follows.
    let bytes = evaluation_bytes.len() - keys - 32;
    for part in ["the evaluation key", &(bytes - 1).to_string(), &bytes.to_string()] {
        assert!(message.contains(part), "{message}");
    }
}

proptest! {
    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Ciphertext::from_bytes(&bytes).is_err());
        prop_assert!(read_secret(&bytes).is_err());
        prop_assert!(read_evaluation(&bytes).is_err());
        for object_type in [
            ObjectType::SingleSecretKey,
            ObjectType::SingleEvaluationKey,
            ObjectType::SingleCiphertext,
        ] {
            let file = forged_object(object_type, &bytes);
            prop_assert!(read_secret(&file).is_err());
            prop_assert!(read_evaluation(&file).is_err());
            // If the sizes happen to fit, the result is a ciphertext of parameters that nobody has.
            let _ = Ciphertext::from_bytes(&file);
            let _ = inspect(&file);
        }
    }
}
