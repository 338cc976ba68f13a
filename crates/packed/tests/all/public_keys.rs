//! Public keys: the noise of their ciphertexts from both sides, and their files.

use crate::common;

use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::noise_statistics::NoiseStatistics;
use cryptable_packed::{Parameters, PublicKey, ReadOptions, Request, SecretKey};
use cryptable_ring::random::replay;

/// Encrypts with a key that was read from its file, and compares errors with their law, from both sides and in the
/// tails. Returns the size of the file.
fn check_noise(parameters: &Parameters, ciphertexts: usize) -> usize {
    let secret = SecretKey::generate(parameters);
    let file = secret.public_key().unwrap().to_bytes();
    let public = PublicKey::from_bytes(&file, common::allowed()).unwrap();
    assert_eq!(public.to_bytes(), file);
    let p = parameters.input_modulus();
    let values: Vec<u64> = (0..secret.values_per_ciphertext() as u64).map(|i| i * 7 % p).collect();
    let errors: Vec<Vec<f64>> = (0..ciphertexts)
        .map(|_| {
            let encrypted = public.encrypt(&values).unwrap();
            assert_eq!(secret.decrypt(&encrypted).unwrap(), values);
            secret.errors(&encrypted, &values).unwrap()
        })
        .collect();
    let found = NoiseStatistics::new(&errors, public.noise(p).times(2 * p), true);
    println!("{} bytes, {found:?}", file.len());
    common::check_key_noise(&found, parameters);
    file.len()
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
    let bytes = check_noise(&parameters, 16);
    assert!(bytes < 1_100_000, "{bytes} bytes");
}

#[test]
fn damaged_and_insecure_files_are_refused() {
    let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4).unwrap());
    let file = secret.public_key().unwrap().to_bytes();
    let options = common::allowed();
    assert!(PublicKey::from_bytes(&file, ReadOptions::default()).is_err());
    check_refusals(&file, file.len() / 2, |bytes| PublicKey::from_bytes(bytes, options));
}
