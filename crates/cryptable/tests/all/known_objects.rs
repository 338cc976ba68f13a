//! Tests of files of other objects, first written by format version 5: public keys, rekeying keys and compressed
//! results. Each is read as intended.
//!
//! They belong to the secret keys of `known_answers`. This command writes the files of new objects:
//!
//! ```sh
//! cargo test -p cryptable --test all known_objects -- --ignored
//! ```
//! Existing files are not changed.
#![cfg(feature = "client")]

use std::fs;
use std::path::{Path, PathBuf};

use cryptable::{Ciphertext, Engine, PublicKey, RekeyingKey, SecretKey, Table, ckks};

use crate::toys;

const INPUTS: [u64; 2] = [3, 0];
const TABLE: [u64; 4] = [1, 2, 3, 0];
const OUTPUTS: [u64; 2] = [0, 1];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/known_answers/v5")
}

fn object(name: &str) -> Vec<u8> {
    let path = folder().join("objects").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the secret key of an engine, as version 5 first wrote it.
fn secret(engine: Engine) -> SecretKey {
    let file = fs::read(folder().join(format!("{}.key", engine.name()))).unwrap();
    SecretKey::from_bytes(&file, toys()).unwrap()
}

fn vectors() -> ckks::SecretKey {
    let file = fs::read(folder().join("kinds/ckks.key")).unwrap();
    ckks::SecretKey::from_bytes(&file, toys()).unwrap()
}

#[test]
fn public_keys_encrypt_for_the_secret_keys_of_then() {
    for engine in Engine::ALL {
        let file = object(&format!("{}.public", engine.name()));
        let public = PublicKey::from_bytes(&file, toys()).unwrap();
        assert_eq!(public.to_bytes(), file, "{engine}");
        let values = public.encrypt(&INPUTS).unwrap();
        assert_eq!(secret(engine).decrypt(&values).unwrap(), INPUTS, "{engine}");
    }
    let file = object("ckks.public");
    let public = ckks::PublicKey::from_bytes(&file, toys()).unwrap();
    assert_eq!(public.to_bytes(), file);
    let slots = vectors().decrypt_reals(&public.encrypt_reals(&[0.5]).unwrap()).unwrap();
    assert!((slots[0] - 0.5).abs() < 1e-4, "{}", slots[0]);
}

#[test]
fn rekeying_keys_hand_the_ciphertexts_of_then_over() {
    for engine in Engine::ALL {
        let file = object(&format!("{}.rekeying", engine.name()));
        let key = RekeyingKey::from_bytes(&file, toys()).unwrap();
        assert_eq!(key.to_bytes(), file, "{engine}");
        let new_owner = object(&format!("{}.second.key", engine.name()));
        let new_owner = SecretKey::from_bytes(&new_owner, toys()).unwrap();
        for (name, expected) in [("ct", INPUTS), ("result.ct", OUTPUTS)] {
            let file = fs::read(folder().join(format!("{}.{name}", engine.name()))).unwrap();
            let handed_over = key.apply(&Ciphertext::from_bytes(&file).unwrap()).unwrap();
            assert_eq!(new_owner.decrypt(&handed_over).unwrap(), expected, "{engine} {name}");
        }
    }
}

#[test]
fn compressed_results_decrypt() {
    for engine in [Engine::Packed, Engine::Leveled] {
        let file = object(&format!("{}.compressed.ct", engine.name()));
        let results = Ciphertext::from_bytes(&file).unwrap();
        assert_eq!(results.to_bytes(), file, "{engine}");
        assert_eq!(secret(engine).decrypt(&results).unwrap(), OUTPUTS, "{engine}");
    }
}

#[test]
#[ignore = "writes the files of objects that have none"]
fn write_the_files_that_are_missing() {
    let folder = folder().join("objects");
    fs::create_dir_all(&folder).unwrap();
    let write = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        if !path.exists() {
            fs::write(path, bytes).unwrap();
        }
    };
    let table = Table::new(4, 4, TABLE.to_vec()).unwrap();
    for engine in Engine::ALL {
        let name = |what: &str| format!("{}.{what}", engine.name());
        let secret = secret(engine);
        write(name("public"), &secret.public_key().unwrap().to_bytes());
        // The files of a rekeying key are written all at once, or not at all.
        if !folder.join(name("rekeying")).exists() {
            let new_owner = SecretKey::generate(secret.parameters());
            let key = secret.rekey_to(&new_owner.public_key().unwrap()).unwrap();
            write(name("second.key"), &new_owner.to_bytes());
            write(name("rekeying"), &key.to_bytes());
        }
        if engine != Engine::Single {
            let server = secret.evaluation_key();
            let input = secret.encrypt(&INPUTS).unwrap();
            let result = server.lookup(&input, &server.prepare(&table).unwrap()).unwrap();
            write(name("compressed.ct"), &server.compress(&result).unwrap().to_bytes());
        }
    }
    write("ckks.public".to_owned(), &vectors().public_key().unwrap().to_bytes());
}
