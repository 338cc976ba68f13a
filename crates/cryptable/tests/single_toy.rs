//! Single values on toy parameters: every value, bad input, the wire format.

use cryptable::single::{Ciphertext, EvaluationKey, Parameters, SecretKey};
use cryptable::{Error, InspectedParameters, Inspection, Table, inspect};
use proptest::prelude::*;

#[test]
fn every_value_of_several_tables() {
    for (p, output_modulus) in [(16, 16), (6, 10), (8, 2)] {
        let parameters = Parameters::insecure_toy(p, output_modulus).unwrap();
        let secret = SecretKey::generate(&parameters);
        let key = secret.evaluation_key();
        let values: Vec<u64> = (0..p).collect();
        let input = secret.encrypt(&values).unwrap();
        let random = |x: u64| (x * x * 2_654_435_761 + 7) / 5 % output_modulus;
        for of in [&random as &dyn Fn(u64) -> u64, &|_| 1, &|x| x % output_modulus] {
            let table = Table::from_fn(p, output_modulus, of).unwrap();
            let output = key.lookup(&input, &table, &|_, _| ()).unwrap();
            assert_eq!(secret.decrypt(&output).unwrap(), table.values());
        }
    }
}

#[test]
fn bytes_come_back_and_damage_is_found() {
    let parameters = Parameters::insecure_toy(4, 4).unwrap();
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key();
    let input = secret.encrypt(&[3, 0, 1]).unwrap();
    let table = Table::from_fn(4, 4, |x| 3 - x).unwrap();
    let output = key.lookup(&input, &table, &|_, _| ()).unwrap();
    for (ciphertext, values) in [(input, [3, 0, 1]), (output, [0, 3, 2])] {
        let bytes = ciphertext.to_bytes();
        let read = Ciphertext::from_bytes(&bytes).unwrap();
        assert_eq!(secret.decrypt(&read).unwrap(), values);
        for position in (0..bytes.len()).step_by(13) {
            let mut damaged = bytes.clone();
            damaged[position] ^= 4;
            assert!(Ciphertext::from_bytes(&damaged).is_err(), "byte {position}");
            assert!(Ciphertext::from_bytes(&bytes[..position]).is_err(), "cut at {position}");
        }
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let parameters = Parameters::insecure_toy(4, 4).unwrap();
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key();
    let error = secret.encrypt(&[1, 4]).unwrap_err();
    assert!(matches!(error, Error::ValueOutOfRange { index: 1, value: 4, limit: 4 }), "{error}");
    let table = Table::from_fn(8, 4, |x| x % 4).unwrap();
    let input = secret.encrypt(&[1]).unwrap();
    let error = key.lookup(&input, &table, &|_, _| ()).unwrap_err().to_string();
    assert!(error.contains("input modulus") && error.contains('8'), "{error}");
    let other = Parameters::insecure_toy(8, 8).unwrap();
    let foreign = SecretKey::generate(&other).encrypt(&[1]).unwrap();
    let error = key.lookup(&foreign, &table, &|_, _| ()).unwrap_err().to_string();
    assert!(error.contains("digest"), "{error}");
}

/// A secret key and the bytes of both keys.
fn keys() -> (SecretKey, Vec<u8>, Vec<u8>) {
    let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4).unwrap());
    let mut evaluation = Vec::new();
    secret.write_evaluation_key(&mut evaluation).unwrap();
    let bytes = secret.to_bytes().to_vec();
    (secret, bytes, evaluation)
}

/// Makes the checksum fit changed bytes again, as a forger would.
fn forge(file: &mut [u8]) {
    let end = file.len() - 32;
    let digest = *blake3::hash(&file[..end]).as_bytes();
    file[end..].copy_from_slice(&digest);
}

#[test]
fn keys_come_back_from_bytes() {
    let (secret, secret_bytes, evaluation_bytes) = keys();
    let read = SecretKey::from_bytes(&secret_bytes).unwrap();
    assert_eq!((read.id(), read.to_bytes().to_vec()), (secret.id(), secret_bytes));
    let key = EvaluationKey::from_bytes(&evaluation_bytes).unwrap();
    assert_eq!(key.client(), secret.id());
    assert_eq!(key.parameters().digest(), secret.parameters().digest());
    let keys_bytes = secret.parameters().key_file_bytes();
    assert!((keys_bytes..keys_bytes + 1000).contains(&evaluation_bytes.len()));
    let input = read.encrypt(&[0, 1, 2, 3]).unwrap();
    let table = Table::new(4, 4, vec![2, 0, 3, 3]).unwrap();
    let output = key.lookup(&input, &table, &|_, _| ()).unwrap();
    assert_eq!(secret.decrypt(&output).unwrap(), table.values());
}

fn single_parameters(found: Inspection) -> Parameters {
    match found.parameters {
        Some(InspectedParameters::Single(parameters)) => *parameters,
        other => panic!("{other:?}"),
    }
}

#[test]
fn objects_say_what_they_are() {
    let (secret, secret_bytes, evaluation_bytes) = keys();
    let ciphertext = secret.encrypt(&[1, 2]).unwrap().to_bytes();
    let found = inspect(&secret_bytes).unwrap();
    assert_eq!(found.object, "a secret key for single values");
    assert_eq!(single_parameters(found).input_modulus(), 4);
    let found = inspect(&evaluation_bytes).unwrap();
    assert_eq!(found.object, "an evaluation key for single values");
    assert_eq!(single_parameters(found).digest(), secret.parameters().digest());
    let found = inspect(&ciphertext).unwrap();
    assert_eq!((found.values, found.fresh), (Some((2, 4)), Some(true)));
    // Each is named where another was expected.
    let error = SecretKey::from_bytes(&evaluation_bytes).unwrap_err().to_string();
    assert!(error.contains("an evaluation key for single values, not a secret key"), "{error}");
    let error = EvaluationKey::from_bytes(&ciphertext).unwrap_err().to_string();
    assert!(error.contains("a ciphertext of single values, not an evaluation key"), "{error}");
    let error = cryptable::SecretKey::from_bytes(&secret_bytes, cryptable::ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("a secret key for single values, not a secret key"), "{error}");
}

#[test]
fn damaged_keys_are_refused() {
    let (_, secret_bytes, evaluation_bytes) = keys();
    let secret = |bytes: &[u8]| SecretKey::from_bytes(bytes).map(drop);
    let evaluation = |bytes: &[u8]| EvaluationKey::from_bytes(bytes).map(drop);
    check_damage(&secret_bytes, secret);
    check_damage(&evaluation_bytes, evaluation);
}

/// Flips a bit in many places, and cuts there.
fn check_damage(bytes: &[u8], read: impl Fn(&[u8]) -> cryptable::Result<()>) {
    read(bytes).unwrap();
    let step = bytes.len() / 40 + 1;
    for position in (0..100).chain((100..bytes.len()).step_by(step)) {
        let mut damaged = bytes.to_vec();
        damaged[position] ^= 4;
        assert!(read(&damaged).is_err(), "byte {position}");
        assert!(read(&bytes[..position]).is_err(), "cut at {position}");
    }
    assert!(read(&[bytes, &[0]].concat()).is_err());
}

#[test]
fn lies_under_valid_checksums_are_found() {
    let (secret, secret_bytes, evaluation_bytes) = keys();
    let parameters = secret.parameters().to_bytes().len();
    // Header, length of the parameters, parameters.
    let after_parameters = 64 + 8 + parameters;
    let read_secret = |position: usize, byte: u8| {
        let mut bytes = secret_bytes.clone();
        bytes[position] = byte;
        forge(&mut bytes);
        SecretKey::from_bytes(&bytes).unwrap_err().to_string()
    };
    assert!(read_secret(16, 0x5a).contains("other parameters"));
    assert!(read_secret(64, 0xff).contains("parameters"));
    assert!(read_secret(70, 0xff).contains("limit"));
    // 3 is no coefficient, and 0 stands for -1, which binary secrets do not have.
    assert!(read_secret(after_parameters + 8, 0xff).contains("coefficients"));
    assert!(read_secret(after_parameters + 8, 0).contains("secret distributions"));
    let read_evaluation = |position: usize, bytes: &[u8]| {
        let mut file = evaluation_bytes.clone();
        file[position..position + bytes.len()].copy_from_slice(bytes);
        forge(&mut file);
        EvaluationKey::from_bytes(&file).unwrap_err().to_string()
    };
    let keys = after_parameters + 16 + 8;
    assert!(read_evaluation(keys - 8, &[255; 8]).contains("limit"));
    let message = read_evaluation(keys + 32, &[255; 8]);
    assert!(message.contains("word 0 of the rotation key"), "{message}");
    // A byte less everywhere.
    let mut short = evaluation_bytes.clone();
    short.remove(evaluation_bytes.len() - 33);
    for position in [48, keys - 8] {
        let length = u64::from_le_bytes(short[position..position + 8].try_into().unwrap()) - 1;
        short[position..position + 8].copy_from_slice(&length.to_le_bytes());
    }
    forge(&mut short);
    let message = EvaluationKey::from_bytes(&short).unwrap_err().to_string();
    let bytes = secret.parameters().key_file_bytes();
    assert_eq!(
        message,
        format!("the evaluation key has {} bytes, the parameters' has {bytes}", bytes - 1)
    );
}

proptest! {
    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Ciphertext::from_bytes(&bytes).is_err());
        prop_assert!(SecretKey::from_bytes(&bytes).is_err());
        prop_assert!(EvaluationKey::from_bytes(&bytes).is_err());
        for object_type in 6..=8 {
            let mut file = b"CRYPTABL\x01\0".to_vec();
            file.extend([object_type, 0, 0, 0, 0, 0]);
            file.extend([7; 32]);
            file.extend((bytes.len() as u64).to_le_bytes());
            file.extend([0; 8]);
            file.extend(&bytes);
            file.extend([0; 32]);
            forge(&mut file);
            prop_assert!(SecretKey::from_bytes(&file).is_err());
            prop_assert!(EvaluationKey::from_bytes(&file).is_err());
            // Sizes that fit by chance give a ciphertext, of parameters that nobody has.
            let _ = Ciphertext::from_bytes(&file);
            let _ = inspect(&file);
        }
    }
}
