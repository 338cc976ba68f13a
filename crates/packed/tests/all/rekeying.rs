//! Keys for a new owner: values do not change, noise is as large as its law, and ciphertexts of others are refused.

use crate::common;

use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use cryptable_packed::{
    Error, Parameters, Progress, ReadOptions, RekeyingKey, Request, SecretKey, Table,
};
use cryptable_ring::random::replay;

/// Makes two clients with the same parameters, and a key from the first to the second, read from its file.
fn clients(parameters: &Parameters) -> ([SecretKey; 2], RekeyingKey) {
    let [owner, new_owner] = [(); 2].map(|()| SecretKey::generate(parameters));
    let file = owner.rekey_to(&new_owner.public_key().unwrap()).unwrap().to_bytes();
    let key = RekeyingKey::from_bytes(&file, common::allowed()).unwrap();
    assert_eq!((key.owner().key_id, key.new_owner().key_id), (owner.id(), new_owner.id()));
    assert_eq!(key.to_bytes(), file);
    ([owner, new_owner], key)
}

/// Compares the errors that a change of the owner adds to fresh ciphertexts with their law, from both sides and in the
/// tails.
fn check_noise(parameters: &Parameters, ciphertexts: usize) {
    let ([owner, new_owner], key) = clients(parameters);
    let p = parameters.input_modulus();
    let values: Vec<u64> = (0..owner.values_per_ciphertext() as u64).map(|i| i * 7 % p).collect();
    let errors: Vec<Vec<f64>> = (0..ciphertexts)
        .map(|_| {
            let fresh = owner.encrypt(&values).unwrap();
            let handed_over = key.apply(&fresh).unwrap();
            assert_eq!(new_owner.decrypt(&handed_over).unwrap(), values);
            let before = owner.errors(&fresh, &values).unwrap();
            let after = new_owner.errors(&handed_over, &values).unwrap();
            after.iter().zip(&before).map(|(x, y)| x - y).collect()
        })
        .collect();
    let half_steps = key.noise().times(2 * p);
    let found = NoiseStatistics::new(&errors, half_steps, true);
    println!("{found:?}");
    common::check_key_noise(&found, parameters);
}

#[test]
fn noise_is_as_large_as_its_law() {
    let _replay = replay::begin();
    check_noise(&Parameters::insecure_toy(16, 16).unwrap(), 100);
}

/// Checks the noise of 16 ciphertexts of 65,536 values of 8 bits, and the size of a key.
#[test]
fn noise_is_as_large_as_its_law_at_full_size() {
    let _replay = replay::begin();
    let parameters = Parameters::choose(&Request::new(256, 256)).unwrap();
    assert!(parameters.security_bits() >= 128.0);
    check_noise(&parameters, 16);
    let (_, key) = clients(&parameters);
    assert!(key.to_bytes().len() < 2_000_000, "{} bytes", key.to_bytes().len());
    // Lookups admit the noise of a fresh value that has changed its owner.
    let fresh = parameters.fresh_noise(256).with_independent(key.noise());
    assert!(parameters.lookup_log2_fail(fresh) <= -64.0);
}

/// Fresh values and results change their owner, and the new owner's server computes with them.
#[test]
fn the_new_owner_computes_with_what_was_handed_over() {
    let parameters = Parameters::insecure_toy(16, 16).unwrap();
    let ([owner, new_owner], key) = clients(&parameters);
    let [old_server, server] =
        [&owner, &new_owner].map(|secret| secret.evaluation_key(Progress::silent()).unwrap());
    let table = Table::from_fn(16, 16, |x| (x * x + 3) % 16).unwrap();
    let values: Vec<u64> = (0..1024).map(|i| i % 16).collect();
    let squares: Vec<u64> = values.iter().map(|x| (x * x + 3) % 16).collect();
    let fresh = owner.encrypt(&values).unwrap();
    let old_table = old_server.prepare(&table).unwrap();
    let result = old_server.lookup(&fresh, &old_table, Progress::silent()).unwrap();
    for (input, expected) in [(&fresh, &values), (&result, &squares)] {
        let handed_over = key.apply(input).unwrap();
        assert!(handed_over.noise().deviation() > input.noise().deviation());
        assert_eq!(&new_owner.decrypt(&handed_over).unwrap(), expected);
        let prepared = server.prepare(&table).unwrap();
        let found = server.lookup(&handed_over, &prepared, Progress::silent()).unwrap();
        let found = new_owner.decrypt(&found).unwrap();
        assert!(found.iter().zip(expected).all(|(y, x)| *y == (x * x + 3) % 16));
        let own = new_owner.encrypt(&values).unwrap();
        let sum = new_owner.decrypt(&server.add(&handed_over, &own).unwrap()).unwrap();
        assert!(sum.iter().zip(expected).zip(&values).all(|((sum, x), y)| *sum == (x + y) % 16));
        // The owner can no longer read it, and the key does not work in the other direction.
        assert!(matches!(owner.decrypt(&handed_over), Err(Error::OtherClient { .. })));
        assert!(matches!(key.apply(&handed_over), Err(Error::OtherClient { .. })));
    }
    let compressed = old_server.compress(&result).unwrap();
    let error = key.apply(&compressed).unwrap_err().to_string();
    assert!(error.contains("compressed"), "{error}");
}

#[test]
fn moduli_that_are_no_powers_of_two_change_their_owner() {
    let parameters = Parameters::insecure_toy(10, 10).unwrap();
    let ([owner, new_owner], key) = clients(&parameters);
    let values: Vec<u64> = (0..100).map(|i| i % 10).collect();
    let server = owner.evaluation_key(Progress::silent()).unwrap();
    let tripled = server.mul_scalar(&owner.encrypt(&values).unwrap(), 3).unwrap();
    let handed_over = key.apply(&tripled).unwrap();
    let expected: Vec<u64> = values.iter().map(|x| 3 * x % 10).collect();
    assert_eq!(new_owner.decrypt(&handed_over).unwrap(), expected);
    assert_eq!(handed_over.noise().bias(), tripled.noise().bias());
}

#[test]
fn other_parameters_other_owners_and_the_same_owner_are_refused() {
    let parameters = Parameters::insecure_toy(16, 16).unwrap();
    let ([owner, new_owner], key) = clients(&parameters);
    let others = SecretKey::generate(&Parameters::insecure_toy(8, 8).unwrap());
    let error = owner.rekey_to(&others.public_key().unwrap()).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { object: "new owner's key", .. }), "{error}");
    let again = SecretKey::from_bytes(&owner.to_bytes(), common::allowed());
    let error = owner.rekey_to(&again.unwrap().public_key().unwrap()).unwrap_err();
    assert!(matches!(error, Error::Mismatch { name: "new owner's key", .. }), "{error}");
    let error = key.apply(&others.encrypt(&[1]).unwrap()).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { .. }), "{error}");
    let error = key.apply(&new_owner.encrypt(&[1]).unwrap()).unwrap_err();
    assert!(
        matches!(error, Error::OtherClient { expected, .. } if expected == owner.id()),
        "{error}"
    );
}

#[test]
fn damaged_and_insecure_files_are_refused() {
    let (_, key) = clients(&Parameters::insecure_toy(4, 4).unwrap());
    let file = key.to_bytes();
    let options = common::allowed();
    let read = RekeyingKey::from_bytes(&file, ReadOptions::default());
    assert!(matches!(read, Err(Error::Insecure)));
    check_refusals(&file, file.len() / 2, |bytes| RekeyingKey::from_bytes(bytes, options));
}
