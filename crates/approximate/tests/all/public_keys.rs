//! Public keys of vectors: errors compared with those that ciphertexts state, and operations of a server on them.

use cryptable_approximate::{Complex64, Parameters, PublicKey, SecretKey};
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Progress, ReadOptions};
use cryptable_ring::random::replay;

/// Checks vectors encrypted by a key that was read from its file: errors are as stated, from both sides, and larger
/// than those of the secret key's vectors.
fn check_errors(parameters: &Parameters, vectors: usize) -> usize {
    let secret = SecretKey::generate(parameters);
    let file = secret.public_key().unwrap().to_bytes();
    let public = PublicKey::from_bytes(&file, ReadOptions::default().allow_insecure()).unwrap();
    assert_eq!((public.to_bytes() == file, public.id()), (true, secret.id()));
    let slots = parameters.slots();
    let values: Vec<Complex64> =
        (0..slots).map(|i| Complex64::new((i as f64).sin(), (i as f64).cos())).collect();
    let mut squares = 0.0;
    let mut stated = 0.0;
    for _ in 0..vectors {
        let vector = public.encrypt(&values).unwrap();
        let errors = secret.errors(&vector, &values).unwrap();
        squares += errors.iter().map(|e| e.norm_sqr()).sum::<f64>();
        stated = vector.error().deviation;
        assert!(stated > secret.encrypt(&values).unwrap().error().deviation);
    }
    let ratio = squares / (vectors * slots) as f64 / stated.powi(2);
    println!("{} bytes, {ratio} of the stated variance", file.len());
    // Roundings in all slots sum to the secret's norm, which varies by some percents at the degree of toys.
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
    file.len()
}

#[test]
fn errors_are_as_large_as_stated() {
    let _replay = replay::begin();
    check_errors(&Parameters::insecure_toy().unwrap(), 50);
}

#[test]
fn errors_are_as_large_as_stated_at_full_size() {
    let _replay = replay::begin();
    let parameters = Parameters::leveled_128().unwrap();
    assert!(parameters.security_bits() >= 128.0);
    let bytes = check_errors(&parameters, 4);
    assert!(bytes < 8_000_000, "{bytes} bytes");
}

#[test]
fn a_server_computes_with_vectors_of_contributors() {
    let parameters = Parameters::insecure_toy().unwrap();
    let secret = SecretKey::generate(&parameters);
    let public = secret.public_key().unwrap();
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let x = public.encrypt_reals(&[0.5, -0.25]).unwrap();
    let y = secret.encrypt_reals(&[0.75, 1.0]).unwrap();
    let product = secret.decrypt_reals(&server.mul(&x, &y).unwrap()).unwrap();
    assert!((product[0] - 0.375).abs() < 1e-4 && (product[1] + 0.25).abs() < 1e-4, "{product:?}");
    assert!(public.encrypt_reals(&[1.5]).is_err());
    let others = SecretKey::generate(&parameters);
    assert!(others.decrypt(&x).is_err());
}

#[test]
fn damaged_and_insecure_files_are_refused() {
    let secret = SecretKey::generate(&Parameters::insecure_toy().unwrap());
    let file = secret.public_key().unwrap().to_bytes();
    let options = ReadOptions::default().allow_insecure();
    assert!(PublicKey::from_bytes(&file, ReadOptions::default()).is_err());
    let step = file.len() / 2;
    check_refusals(&file, step, |bytes| PublicKey::from_bytes(bytes, options));
}
