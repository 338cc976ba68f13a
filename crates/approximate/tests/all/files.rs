//! Keys and vectors as files: round trips, and files that are damaged, foreign, cut off or too large.

use std::sync::Arc;

use cryptable_approximate::{
    Ciphertext, EvaluationKey, KeySet, Parameters, ParametersLiteral, SecretKey,
};
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Error, Progress, ReadOptions};
use cryptable_wire::WireError;

fn toys() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// The smallest parameters: files of a few megabytes.
fn small() -> Parameters {
    let mut literal = Parameters::insecure_toy_bootstrapping().unwrap().literal().clone();
    (literal.ring_degree, literal.slots) = (256, 128);
    let bootstrapping = literal.bootstrapping.as_mut().unwrap();
    bootstrapping.slots_to_coeffs.stages = vec![4, 3];
    bootstrapping.coeffs_to_slots.stages = vec![2, 2, 2, 1];
    Parameters::new(literal).unwrap()
}

#[test]
fn insecure_files_are_read_again() {
    let parameters = small();
    let bytes = parameters.to_bytes();
    assert_eq!(Parameters::from_bytes(&bytes, toys()).unwrap().digest(), parameters.digest());
    let secret = SecretKey::generate(&parameters);
    let again = SecretKey::from_bytes(&secret.to_bytes(), toys()).unwrap();
    assert_eq!(again.id(), secret.id());
    let mut file = Vec::new();
    let keys = KeySet::new().bootstrapping().rotations([1, -2]);
    again.write_evaluation_key_for(&keys, &mut file, Progress::silent()).unwrap();
    let server = EvaluationKey::from_shared(Arc::new(file), toys()).unwrap();
    assert_eq!((server.key_id(), server.key_set()), (secret.id(), &keys));
    let a = secret.encrypt_reals(&[0.5, -0.25, 0.125]).unwrap();
    let b = server.rotate(&a, -2).unwrap();
    let c = server.bootstrap(&server.mul(&a, &server.rotate(&a, 1).unwrap()).unwrap()).unwrap();
    for (ct, expected) in [(&a, 0.5), (&b, 0.0), (&c, -0.125)] {
        let bytes = ct.to_bytes(&parameters).unwrap();
        let found = Ciphertext::from_bytes(&parameters, &bytes).unwrap();
        assert_eq!((found.level(), found.bounds()), (ct.level(), ct.bounds()));
        assert_eq!(found.to_bytes(&parameters).unwrap(), bytes);
        assert!((again.decrypt_reals(&found).unwrap()[0] - expected).abs() < 1e-5);
        // The key works as before.
        server.mul(&found, &found).unwrap();
    }
}

#[test]
fn insecure_damaged_files_are_refused() {
    let parameters = small();
    let secret = SecretKey::generate(&parameters);
    let vector = secret.encrypt_reals(&[0.5]).unwrap().to_bytes(&parameters).unwrap();
    let key = secret.to_bytes();
    let mut server = Vec::new();
    secret.write_evaluation_key_for(&KeySet::new(), &mut server, Progress::silent()).unwrap();
    type Read<'a> = (&'a [u8], &'a dyn Fn(&[u8]) -> Result<(), Error>);
    let readers: [Read<'_>; 3] = [
        (&vector, &|bytes| Ciphertext::from_bytes(&parameters, bytes).map(drop)),
        (&key, &|bytes| SecretKey::from_bytes(bytes, toys()).map(drop)),
        (&server, &|bytes| EvaluationKey::from_shared(Arc::new(bytes.to_vec()), toys()).map(drop)),
    ];
    for (index, (bytes, read)) in readers.iter().enumerate() {
        check_refusals(bytes, bytes.len() / 2, |bytes| {
            read(bytes).map_err(|error| assert!(matches!(error, Error::Wire(_)), "{error}"))
        });
        let (other, _) = readers[(index + 1) % 3];
        let wrong = matches!(read(other), Err(Error::Wire(WireError::WrongType { .. })));
        assert!(wrong, "reader {index}");
    }
}

#[test]
fn insecure_what_may_not_be_read_is_refused() {
    let parameters = small();
    let secret = SecretKey::generate(&parameters);
    let strict = ReadOptions::default();
    assert!(matches!(SecretKey::from_bytes(&secret.to_bytes(), strict), Err(Error::Insecure)));
    let mut file = Vec::new();
    let keys = KeySet::new().conjugation();
    secret.write_evaluation_key_for(&keys, &mut file, Progress::silent()).unwrap();
    let shared: Arc<Vec<u8>> = Arc::new(file);
    assert!(matches!(EvaluationKey::from_shared(shared.clone(), strict), Err(Error::Insecure)));
    let little = toys().max_memory(1 << 16);
    let error = EvaluationKey::from_shared(shared, little);
    assert!(matches!(error, Err(Error::ReadingMemory { .. })));
    let other = Parameters::insecure_toy().unwrap();
    let bytes = secret.encrypt_reals(&[0.5]).unwrap().to_bytes(&parameters).unwrap();
    let error = Ciphertext::from_bytes(&other, &bytes).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { .. }));
    type Change = fn(&mut ParametersLiteral);
    let changes: [(&str, Change); 5] = [
        ("number of slots", |it| it.slots = 129),
        ("log2 of a prime of levels", |it| {
            it.levels = vec![30.0, 40.0, 30.0, 45.0, 30.0, 49.0, 30.0];
        }),
        ("number of levels", |it| it.levels.clear()),
        ("scale of a matrix", |it| {
            it.bootstrapping.as_mut().unwrap().coeffs_to_slots.stages = vec![4, 3];
        }),
        ("primes of the odd function", |it| it.bootstrapping.as_mut().unwrap().sines.clear()),
    ];
    for (name, change) in changes {
        let mut literal = parameters.literal().clone();
        change(&mut literal);
        let Err(error) = Parameters::new(literal) else { panic!("{name} was accepted") };
        let error = error.to_string();
        assert!(error.contains(name), "{error}");
    }
}
