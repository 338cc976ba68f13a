//! Tests of files that earlier versions wrote: each is read as intended, or refused with the name of its version.
//!
//! `known_answers/vN` holds files of format version N, of every engine, for toy parameters from 2 bits to 2 bits: a
//! secret key, the values [`INPUTS`] as encrypted, the results of a lookup in [`TABLE`], and the start of the
//! evaluation key, which as a whole is too large to keep. When the format changes, this command writes the files of the
//! new version:
//!
//! ```sh
//! CRYPTABLE_TEST_SEED=1 RAYON_NUM_THREADS=1 \
//!     cargo test -p cryptable --test all known_answers -- --ignored --test-threads=1
//! ```
#![cfg(feature = "client")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cryptable::{
    Ciphertext, Engine, Error, EvaluationKey, Execution, Parameters, SecretKey, Table, WireError,
    inspect,
};
use cryptable_ring::random::replay;
use cryptable_wire::FORMAT_VERSION;

use crate::toys;

const INPUTS: [u64; 2] = [3, 0];
const TABLE: [u64; 4] = [1, 2, 3, 0];
const OUTPUTS: [u64; 2] = [0, 1];

/// Number of bytes of an evaluation key that are kept.
const HEAD_BYTES: usize = 1500;

/// The first version that all later versions can read.
const FIRST: u16 = 5;

/// Versions that this one can read: all from [`FIRST`] on. Older ones are refused.
const READ: std::ops::RangeInclusive<u16> = FIRST..=FORMAT_VERSION;

fn folder(version: u16) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/known_answers/v{version}"))
}

fn file(version: u16, engine: Engine, kind: &str) -> Vec<u8> {
    let path = folder(version).join(format!("{}.{kind}", engine.name()));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn files_of_versions_that_are_read_hold_what_they_held() {
    for (version, engine) in READ.flat_map(|v| Engine::ALL.map(|e| (v, e))) {
        let key = file(version, engine, "key");
        let secret = SecretKey::from_bytes(&key, toys()).unwrap();
        assert_eq!(secret.kind().engine(), Some(engine));
        for (kind, values) in [("ct", INPUTS), ("result.ct", OUTPUTS)] {
            let bytes = file(version, engine, kind);
            let ciphertext = Ciphertext::from_bytes(&bytes).unwrap();
            assert_eq!(secret.decrypt(&ciphertext).unwrap(), values, "v{version} {engine} {kind}");
            // The same bytes are written again.
            assert!(version != FORMAT_VERSION || ciphertext.to_bytes() == bytes, "{engine} {kind}");
        }
        assert!(version != FORMAT_VERSION || *secret.to_bytes() == key, "{engine}");
        // The header of an evaluation key is read, and the rest is reported as missing.
        let head = file(version, engine, "eval.head");
        let error = EvaluationKey::from_shared(Arc::new(head), toys()).unwrap_err();
        assert!(matches!(error, Error::Wire(WireError::Truncated { .. })), "{error}");
    }
}

#[test]
fn files_of_all_other_versions_are_refused_by_name() {
    let others = (1..FORMAT_VERSION).filter(|version| !READ.contains(version));
    for (version, engine) in others.flat_map(|version| Engine::ALL.map(|engine| (version, engine)))
    {
        let refused = |what: &str, error: Error| {
            let message = error.to_string();
            let of_version = WireError::UnsupportedVersion { found: version };
            assert!(matches!(&error, Error::Wire(e) if *e == of_version), "{what}: {message}");
            let (found, supported) =
                (format!("format version {version} "), format!("version {FORMAT_VERSION} only"));
            assert!(message.contains(&found) && message.contains(&supported), "{message}");
        };
        let key = file(version, engine, "key");
        refused("key", SecretKey::from_bytes(&key, toys()).unwrap_err());
        let head = Arc::new(file(version, engine, "eval.head"));
        refused("head", EvaluationKey::from_shared(head.clone(), toys()).unwrap_err());
        refused("inspected head", inspect(&head).unwrap_err());
        for kind in ["ct", "result.ct"] {
            let bytes = file(version, engine, kind);
            refused(kind, Ciphertext::from_bytes(&bytes).unwrap_err());
            refused(kind, inspect(&bytes).unwrap_err());
        }
    }
}

#[test]
fn a_version_to_come_is_refused_by_name() {
    let next = FORMAT_VERSION + 1;
    for kind in ["key", "ct"] {
        let mut bytes = file(FORMAT_VERSION, Engine::Single, kind);
        bytes[8..10].copy_from_slice(&next.to_le_bytes());
        let message = inspect(&bytes).unwrap_err().to_string();
        assert!(message.contains(&format!("format version {next} is newer")), "{message}");
    }
}

#[test]
#[ignore = "writes the files of the current version, once"]
fn write_the_files_of_the_current_version() {
    let folder = folder(FORMAT_VERSION);
    if folder.exists() {
        return;
    }
    std::fs::create_dir(&folder).unwrap();
    let _replay = replay::begin();
    let table = Table::new(4, 4, TABLE.to_vec()).unwrap();
    for engine in Engine::ALL {
        let secret = SecretKey::generate(Parameters::insecure_toy(engine, 4, 4).unwrap());
        let mut key = Vec::new();
        secret.write_evaluation_key(&mut key, Execution::default()).unwrap();
        let server = EvaluationKey::from_shared(Arc::new(key.clone()), toys()).unwrap();
        let input = secret.encrypt(&INPUTS).unwrap();
        let result = server.lookup(&input, &server.prepare(&table).unwrap()).unwrap();
        for (kind, bytes) in [
            ("key", &secret.to_bytes()[..]),
            ("eval.head", &key[..HEAD_BYTES]),
            ("ct", &input.to_bytes()),
            ("result.ct", &result.to_bytes()),
        ] {
            std::fs::write(folder.join(format!("{}.{kind}", engine.name())), bytes).unwrap();
        }
    }
}
