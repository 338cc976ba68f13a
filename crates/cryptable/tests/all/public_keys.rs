//! Values encrypted by a public key: looked up and decrypted like those of the secret key.
#![cfg(feature = "client")]

use cryptable::{
    Engine, Error, Parameters, PublicKey, ReadOptions, Request, SecretKey, Table, gates, inspect,
};

/// Encrypts every input of a table by a public key from a file, looks it up and compares every result.
fn check(parameters: Parameters, count: u64) {
    let (p, q) = (parameters.input_modulus(), parameters.output_modulus());
    let secret = SecretKey::generate(parameters);
    let options = ReadOptions::default().allow_insecure();
    let file = secret.public_key().unwrap().to_bytes();
    let public = PublicKey::from_bytes(&file, options).unwrap();
    assert_eq!(public.id(), secret.id());
    assert_eq!(public.parameters().digest(), secret.parameters().digest());
    let values: Vec<u64> = (0..count).map(|i| i * 7 % p).collect();
    let encrypted = public.encrypt(&values).unwrap();
    assert_eq!(secret.decrypt(&encrypted).unwrap(), values);
    let table = Table::from_fn(p, q, |x| (x * x + 3) % q).unwrap();
    let server = secret.evaluation_key();
    let found = server.lookup(&encrypted, &server.prepare(&table).unwrap()).unwrap();
    let expected: Vec<u64> = values.iter().map(|&x| (x * x + 3) % q).collect();
    assert_eq!(secret.decrypt(&found).unwrap(), expected);
    let inspected = inspect(&file).unwrap();
    assert_eq!((inspected.engine, inspected.key_id), (Some(Engine::Packed), Some(secret.id())));
}

#[test]
fn values_of_contributors_are_looked_up() {
    check(Parameters::insecure_toy(Engine::Packed, 16, 8).unwrap(), 2_000);
}

#[test]
fn a_full_ciphertext_of_contributors_is_looked_up_at_full_size() {
    let plan = Request::new(256, 256).engine(Engine::Packed).plan().unwrap();
    check(plan.best().parameters().clone(), 65_536);
}

#[test]
fn damaged_files_and_other_kinds_are_refused() {
    let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 4, 4).unwrap());
    let public = secret.public_key().unwrap();
    let mut file = public.to_bytes();
    assert!(matches!(PublicKey::from_bytes(&file, ReadOptions::default()), Err(Error::Insecure)));
    let options = ReadOptions::default().allow_insecure();
    let middle = file.len() / 2;
    file[middle] ^= 1;
    assert!(PublicKey::from_bytes(&file, options).is_err());
    assert!(PublicKey::from_bytes(&secret.to_bytes(), options).is_err());
    let error = public.encrypt(&[3, 4]).unwrap_err();
    assert!(matches!(error, Error::ValueOutOfRange { index: 1, value: 4, .. }), "{error}");
    assert!(public.encrypt(&[]).is_err());
    let other = SecretKey::generate(gates::Parameters::insecure_toy());
    let error = other.public_key().unwrap_err().to_string();
    assert!(error.contains("packed lookups have them"), "{error}");
}
