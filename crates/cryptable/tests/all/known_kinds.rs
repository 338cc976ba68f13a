//! Tests of files of every kind of key that earlier versions wrote, and of data encrypted with them: each is read as
//! intended.
//!
//! `known_answers/vN/kinds` holds, for toy parameters of each kind: a secret key, the start of an evaluation key, and
//! an object that the key decrypts. Every version reads the files of version 5 and of all later ones. When the format
//! changes, this command writes the files of the new version:
//!
//! ```sh
//! CRYPTABLE_TEST_SEED=1 RAYON_NUM_THREADS=1 \
//!     cargo test -p cryptable --test all known_kinds -- --ignored --test-threads=1
//! ```
#![cfg(feature = "client")]

use std::path::{Path, PathBuf};

use cryptable::bits::{EncryptedBits as SlotBits, Packing};
use cryptable::bridges::{IntegerParameters, LeveledParameters};
use cryptable::engines::bridged;
use cryptable::gates::EncryptedBits;
use cryptable::large_values::EncryptedIntegers;
use cryptable::transciphering::EncryptedBytes;
use cryptable::{
    Ciphertext, Engine, EvaluationKeyHeader, Execution, KeyKind, KeyParameters, Parameters,
    SecretKey, bits, ckks, gates, large_values, transciphering,
};
use cryptable_ring::random::replay;
use cryptable_wire::FORMAT_VERSION;

use crate::toys;

/// The first version that all later versions can read.
const FIRST: u16 = 5;

/// Number of bytes of an evaluation key that are kept, besides its parameters.
const HEAD_BYTES: usize = 600;

/// Values of lookups.
const VALUES: [u64; 2] = [3, 0];
/// Bits of gates and of circuits.
const BITS: [bool; 3] = [true, false, true];
/// Integers of one ciphertext each.
const INTEGERS: [i64; 2] = [-3, 17];
/// Numbers in slots.
const NUMBERS: [f64; 2] = [0.5, -0.25];
/// A message.
const MESSAGE: &[u8] = b"bytes";

fn folder(version: u16) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/known_answers/v{version}/kinds"))
}

/// Returns the name of a kind's files.
fn name(kind: KeyKind) -> String {
    format!("{kind:?}").to_lowercase()
}

fn file(version: u16, kind: KeyKind, what: &str) -> Vec<u8> {
    let path = folder(version).join(format!("{}.{what}", name(kind)));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn toy(kind: KeyKind) -> KeyParameters {
    match kind {
        KeyKind::Packed => Parameters::insecure_toy(Engine::Packed, 4, 4).unwrap().into(),
        KeyKind::Single => Parameters::insecure_toy(Engine::Single, 4, 4).unwrap().into(),
        KeyKind::Leveled => Parameters::insecure_toy(Engine::Leveled, 4, 4).unwrap().into(),
        KeyKind::Bridged => bridged::Parameters::insecure_toy(4, 4).unwrap().into(),
        KeyKind::Gates => gates::Parameters::insecure_toy().into(),
        KeyKind::LargeValues => large_values::Parameters::insecure_toy(8).unwrap().into(),
        KeyKind::Bits => bits::Parameters::insecure_toy(Packing::Real).unwrap().into(),
        KeyKind::Ckks => ckks::Parameters::insecure_toy().unwrap().into(),
        KeyKind::Transciphering => transciphering::Parameters::insecure_toy().into(),
        KeyKind::IntegerBridge => IntegerParameters::insecure_toy(4, 8).unwrap().into(),
        KeyKind::LeveledBridge => LeveledParameters::insecure_toy(4, 16).unwrap().into(),
        other => panic!("{other}: a new kind has a toy here"),
    }
}

/// Returns an object that a key decrypts.
fn encrypted(key: &SecretKey) -> Vec<u8> {
    match key {
        SecretKey::Gates(key) => key.encrypt(&BITS).to_bytes(),
        SecretKey::LargeValues(key) => key.encrypt(&INTEGERS).unwrap().to_bytes(),
        SecretKey::Bits(key) => key.encrypt(&BITS).unwrap().to_bytes(key.parameters()).unwrap(),
        SecretKey::Ckks(key) => {
            key.encrypt_reals(&NUMBERS).unwrap().to_bytes(key.parameters()).unwrap()
        }
        SecretKey::Transciphering(key) => key.encrypt(MESSAGE).to_bytes(),
        lookups => lookups.encrypt(&VALUES).unwrap().to_bytes(),
    }
}

/// Checks that a key decrypts an object to the original data.
fn check(key: &SecretKey, object: &[u8]) {
    match key {
        SecretKey::Gates(key) => {
            assert_eq!(key.decrypt(&EncryptedBits::from_bytes(object).unwrap()).unwrap(), BITS);
        }
        SecretKey::LargeValues(key) => {
            let integers = EncryptedIntegers::from_bytes(object).unwrap();
            assert_eq!(key.decrypt(&integers).unwrap(), INTEGERS);
        }
        SecretKey::Bits(key) => {
            let found = SlotBits::from_bytes(key.parameters(), object).unwrap();
            assert_eq!(key.decrypt(&found).unwrap(), BITS);
        }
        SecretKey::Ckks(key) => {
            let vector = ckks::Ciphertext::from_bytes(key.parameters(), object).unwrap();
            let found = key.decrypt_reals(&vector).unwrap();
            let is_close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-6;
            assert!(found.iter().zip(&NUMBERS).all(is_close));
        }
        SecretKey::Transciphering(key) => {
            assert_eq!(
                *key.decrypt(&EncryptedBytes::from_bytes(object).unwrap()).unwrap(),
                MESSAGE
            );
        }
        lookups => {
            let values = Ciphertext::from_bytes(object).unwrap();
            assert_eq!(lookups.decrypt(&values).unwrap(), VALUES);
        }
    }
}

#[test]
fn every_version_from_the_fifth_on_is_read() {
    for (version, &kind) in (FIRST..=FORMAT_VERSION)
        .flat_map(|version| KeyKind::ALL.iter().map(move |kind| (version, kind)))
    {
        let bytes = file(version, kind, "key");
        let key = SecretKey::from_bytes(&bytes, toys()).unwrap();
        assert_eq!(key.kind(), kind);
        assert!(version != FORMAT_VERSION || *key.to_bytes() == bytes, "{kind}");
        check(&key, &file(version, kind, "ct"));
        let header = EvaluationKeyHeader::read(&file(version, kind, "eval.head"), toys()).unwrap();
        assert_eq!((header.kind(), header.key_id), (kind, key.id()));
        let plan = KeyParameters::from_file(&file(version, kind, "plan"), toys()).unwrap();
        assert_eq!((plan.kind(), plan.digest()), (kind, key.parameters().digest()));
    }
}

#[test]
#[ignore = "writes the files of the current version, once"]
fn write_the_files_of_the_current_version() {
    let folder = folder(FORMAT_VERSION);
    if folder.exists() {
        return;
    }
    std::fs::create_dir_all(&folder).unwrap();
    let _replay = replay::begin();
    for &kind in KeyKind::ALL {
        let key = SecretKey::generate(toy(kind));
        let mut server = Vec::new();
        key.write_evaluation_key(&mut server, Execution::default()).unwrap();
        let head = server.len().min(key.parameters().to_bytes().len() + HEAD_BYTES);
        for (what, bytes) in [
            ("key", &key.to_bytes()[..]),
            ("eval.head", &server[..head]),
            ("ct", &encrypted(&key)),
            ("plan", &key.parameters().to_file()),
        ] {
            std::fs::write(folder.join(format!("{}.{what}", name(kind))), bytes).unwrap();
        }
    }
}
