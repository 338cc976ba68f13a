//! Small valid keys of bridges, and their parameters.

use std::sync::LazyLock;

use cryptable::bridges::{IntegerParameters, LeveledParameters, Parameters};
use cryptable::engines::{leveled, packed};
use cryptable::{Engine, Execution, Progress, SecretKey};

use crate::clients;

/// Returns a packed toy with room for blocks of this degree, for results of this modulus.
fn packed_toy(block: usize, output_modulus: u64) -> packed::Parameters {
    let degree = block.max(256);
    packed::Parameters::insecure_toy_of(2, output_modulus, degree, 64).expect("a valid toy")
}

/// Returns the parameters of a bridge to integers.
fn of_integers() -> &'static IntegerParameters {
    static PARAMETERS: LazyLock<IntegerParameters> = LazyLock::new(|| {
        let target = clients::integer_client().parameters().clone();
        let packed = packed_toy(target.fhew().ring_degree(), 2);
        Parameters::new(packed, target).expect("toys that fit")
    });
    &PARAMETERS
}

/// Returns the client of leveled values.
fn leveled_client() -> &'static leveled::SecretKey {
    static CLIENT: LazyLock<cryptable::SecretKey> =
        LazyLock::new(|| clients::client(Engine::Leveled));
    CLIENT.leveled().expect("of this engine")
}

/// Returns the parameters of a bridge to leveled values.
fn of_leveled() -> &'static LeveledParameters {
    static PARAMETERS: LazyLock<LeveledParameters> = LazyLock::new(|| {
        let target = leveled_client().parameters().clone();
        let packed = packed_toy(target.ring_degree(), 4);
        Parameters::new(packed, target).expect("toys that fit")
    });
    &PARAMETERS
}

/// Parameters of bridges of both kinds.
#[must_use]
pub fn bridge_parameters() -> Vec<Vec<u8>> {
    vec![of_integers().to_bytes(), of_leveled().to_bytes()]
}

/// A complete key of a bridge to integers, since its parts have checksums of their own. A bridge to leveled values
/// would have a larger ring and keys of megabytes; its reader is the same.
#[must_use]
pub fn bridge_keys() -> Vec<Vec<u8>> {
    let packed = packed::SecretKey::generate(of_integers().packed());
    let (single, mut file) = (clients::integer_client(), Vec::new());
    let written = of_integers().write_key(&packed, single, &mut file, Progress::silent());
    written.expect("memory takes all bytes");
    vec![file]
}

/// Secret keys of bridges of both kinds.
#[must_use]
pub fn bridge_secret_keys() -> Vec<Vec<u8>> {
    vec![
        SecretKey::generate(of_integers()).to_bytes().to_vec(),
        SecretKey::generate(of_leveled()).to_bytes().to_vec(),
    ]
}

/// Complete evaluation keys of a bridge to integers, since their parts have checksums of their own.
#[must_use]
pub fn bridge_evaluation_keys() -> Vec<Vec<u8>> {
    let mut file = Vec::new();
    let written =
        SecretKey::generate(of_integers()).write_evaluation_key(&mut file, Execution::default());
    written.expect("memory takes all bytes");
    vec![file]
}
