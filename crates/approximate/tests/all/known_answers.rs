//! Files of this format version, in their original bytes: a secret key and a product of two vectors. When the format
//! changes, `cargo test -p cryptable-approximate --test all known_answers -- --ignored` writes the files of the new
//! version.

use std::path::{Path, PathBuf};

use cryptable_approximate::{Ciphertext, KeySet, Parameters, ParametersLiteral, SecretKey};
use cryptable_lattice::{Progress, ReadOptions, SecurityLevel};
use cryptable_wire::FORMAT_VERSION;

const X: [f64; 3] = [0.5, -0.25, 1.0];
const PRODUCT: [f64; 3] = [0.25, 0.0625, 1.0];

fn file(kind: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/known_answers");
    folder.join(format!("v{FORMAT_VERSION}")).join(format!("vector.{kind}"))
}

#[test]
fn files_hold_what_they_held() {
    let [key, product] = ["key", "ct"].map(|kind| std::fs::read(file(kind)).unwrap());
    let secret = SecretKey::from_bytes(&key, ReadOptions::default().allow_insecure()).unwrap();
    let found = Ciphertext::from_bytes(secret.parameters(), &product).unwrap();
    assert_eq!((found.level(), found.slots(), found.bounds().re), (1, 8, 1.0));
    let slots = secret.decrypt_reals(&found).unwrap();
    assert!(slots.iter().zip(PRODUCT).all(|(x, expected)| (x - expected).abs() < 1e-6));
    // Writing the vector again yields the same bytes.
    assert_eq!(found.to_bytes(secret.parameters()).unwrap(), product);
    assert_eq!(*secret.to_bytes(), key);
}

#[test]
#[ignore = "writes files"]
fn write_files() {
    let parameters = Parameters::new(ParametersLiteral {
        name: "known answers".into(),
        security: SecurityLevel::Insecure,
        ring_degree: 64,
        slots: 8,
        base: 49.0,
        levels: vec![40.0; 2],
        special: vec![49.5],
        digit_limbs: 1,
        bootstrapping: None,
    });
    let secret = SecretKey::generate(&parameters.unwrap());
    let server = secret.evaluation_key_for(&KeySet::new(), Progress::silent()).unwrap();
    let x = secret.encrypt_reals(&X).unwrap();
    let product = server.mul(&x, &x).unwrap().to_bytes(secret.parameters()).unwrap();
    std::fs::create_dir_all(file("ct").parent().unwrap()).unwrap();
    std::fs::write(file("key"), &*secret.to_bytes()).unwrap();
    std::fs::write(file("ct"), product).unwrap();
}
