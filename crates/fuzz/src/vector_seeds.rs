//! Small valid objects of vectors of numbers.

use std::sync::LazyLock;

use cryptable::Progress;
use cryptable::ckks::SecretKey;
use cryptable::ckks::{KeySet, Parameters};

use crate::clients::{fixed, head, toys};

/// Largest number of bytes of the key set after the parameters.
const KEY_SET_BYTES: usize = 256;

/// Returns the client of vectors.
#[must_use]
pub fn client() -> &'static SecretKey {
    static CLIENT: LazyLock<SecretKey> = LazyLock::new(|| {
        let toy = Parameters::insecure_toy_bootstrapping();
        let mut literal = toy.expect("a valid toy").literal().clone();
        (literal.ring_degree, literal.slots) = (64, 32);
        if let Some(bootstrapping) = &mut literal.bootstrapping {
            bootstrapping.slots_to_coeffs.stages = vec![3, 2];
            bootstrapping.coeffs_to_slots.stages = vec![2, 1, 1, 1];
        }
        let parameters = Parameters::new(literal).expect("valid parameters");
        let bytes = fixed(&SecretKey::generate(&parameters).to_bytes());
        SecretKey::from_bytes(&bytes, toys()).expect("a secret key")
    });
    &CLIENT
}

/// Parameters, toys and a set of full size.
#[must_use]
pub fn parameters() -> Vec<Vec<u8>> {
    let large = Parameters::bootstrapping_128().expect("a valid set");
    let small = Parameters::insecure_toy().expect("a valid toy");
    vec![client().parameters().to_bytes(), small.to_bytes(), large.to_bytes()]
}

/// A secret key.
#[must_use]
pub fn secret_key() -> Vec<Vec<u8>> {
    vec![client().to_bytes().to_vec()]
}

/// The beginnings of evaluation keys.
#[must_use]
pub fn evaluation_key() -> Vec<Vec<u8>> {
    let secret = client();
    let length = secret.parameters().to_bytes().len() + KEY_SET_BYTES;
    let sets = [KeySet::new(), KeySet::new().rotations([1, -2]).conjugation().bootstrapping()];
    let start = |keys: KeySet| {
        let mut file = Vec::new();
        let written = secret.write_evaluation_key_for(&keys, &mut file, Progress::silent());
        written.expect("memory takes all bytes");
        head(&file, length)
    };
    sets.map(start).into()
}

/// A vector.
#[must_use]
pub fn vectors() -> Vec<Vec<u8>> {
    let vector = client().encrypt_reals(&[0.5, -0.25]).expect("two numbers");
    vec![vector.to_bytes(client().parameters()).expect("of these parameters")]
}
