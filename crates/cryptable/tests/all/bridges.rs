//! Tests of bridges between packed values and those of other engines, on toys: inspection of key files, and files of
//! earlier versions.
#![cfg(feature = "client")]

use std::path::{Path, PathBuf};

use cryptable::bridges::{
    Bridge, ClientKey, IntegerBridge, IntegerParameters, LeveledBridge, LeveledParameters,
    Parameters, Target,
};
use cryptable::engines::{leveled, packed};
use cryptable::{
    Error, Execution, Inspection, KeyParameters, Progress, Result, SecretKey, SecurityLevel,
    WireError, inspect, large_values,
};
use cryptable_ring::random::replay;
use cryptable_wire::FORMAT_VERSION;

use crate::toys;

const SILENT: Progress<'static> = Progress::silent();

/// Number of bytes of a bridge key that are kept.
const HEAD_BYTES: usize = 4000;

fn key_file<T: Target>(
    parameters: &Parameters<T>,
    packed: &packed::SecretKey,
    single: &ClientKey<T>,
) -> Vec<u8> {
    let mut file = Vec::new();
    parameters.write_key(packed, single, &mut file, SILENT).unwrap();
    file
}

/// Checks the common part of all bridge keys' inspections.
fn check_common(found: &Inspection, bytes: &[u8]) {
    let parameters = found.parameters.as_ref().unwrap();
    assert_eq!(parameters.security_level(), SecurityLevel::Insecure);
    assert!(parameters.log2_fail() < -40.0, "{}", parameters.log2_fail());
    assert_eq!((found.bytes, found.engine), (bytes.len() as u64, None));
}

#[test]
fn keys_tell_their_parameters_and_client() -> Result<()> {
    let parameters = IntegerParameters::insecure_toy(4, 8)?;
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = large_values::SecretKey::generate(parameters.single());
    let bytes = key_file(&parameters, &packed, &single);
    let found = inspect(&bytes)?;
    check_common(&found, &bytes);
    assert_eq!(found.object, "a bridge key between packed values and integers");
    assert_eq!(found.key_id, Some(single.id()));
    assert!(
        matches!(&found.parameters, Some(KeyParameters::IntegerBridge(it)) if it.single().bits() == 8)
    );
    // Keys for other secret keys are not generated.
    let other = large_values::SecretKey::generate(&large_values::Parameters::insecure_toy(9)?);
    let error = Bridge::generate(&parameters, &packed, &other).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { .. }), "{error}");

    let parameters = LeveledParameters::insecure_toy(4, 16)?;
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = leveled::SecretKey::generate(parameters.single());
    let bytes = key_file(&parameters, &packed, &single);
    let found = inspect(&bytes)?;
    check_common(&found, &bytes);
    assert_eq!(found.object, "a bridge key between packed values and leveled ones");
    assert_eq!(found.key_id, Some(single.id()));
    assert!(matches!(found.parameters, Some(KeyParameters::LeveledBridge(_))));
    Ok(())
}

#[test]
fn keys_of_both_ends_in_one_tell_the_same() -> Result<()> {
    let parameters = IntegerParameters::insecure_toy(4, 8)?;
    let secrets = SecretKey::generate(&parameters);
    let mut file = Vec::new();
    secrets.write_evaluation_key(&mut file, Execution::default())?;
    for (bytes, what) in [
        (secrets.to_bytes().to_vec(), "secret keys for packed values and integers"),
        (file, "evaluation keys for packed values and integers"),
    ] {
        let found = inspect(&bytes)?;
        check_common(&found, &bytes);
        assert_eq!((found.object.as_str(), found.key_id), (what, Some(secrets.id())));
        assert!(matches!(found.parameters, Some(KeyParameters::IntegerBridge(_))));
    }
    let secrets = SecretKey::generate(LeveledParameters::insecure_toy(4, 16)?);
    let found = inspect(&secrets.to_bytes())?;
    assert_eq!(found.object, "secret keys for packed values and leveled ones");
    assert!(matches!(found.parameters, Some(KeyParameters::LeveledBridge(_))));
    Ok(())
}

fn kept(kind: &str) -> PathBuf {
    let folder = format!("tests/known_answers/v{FORMAT_VERSION}/bridges.{kind}");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn file(kind: &str) -> Vec<u8> {
    std::fs::read(kept(kind)).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

/// Tests files of bridges as `known_answers.rs` tests those of engines.
#[test]
fn files_of_this_version_hold_what_they_held() {
    let secret = large_values::SecretKey::from_bytes(&file("integers.key"), toys()).unwrap();
    let values = large_values::EncryptedIntegers::from_bytes(&file("integers.ct")).unwrap();
    assert_eq!(secret.decrypt(&values).unwrap(), [-3]);
    assert_eq!(values.to_bytes(), file("integers.ct"));
    let truncated = |error: Error| {
        assert!(matches!(error, Error::Wire(WireError::Truncated { .. })), "{error}");
    };
    truncated(IntegerBridge::from_bytes(&file("integers.head"), toys()).unwrap_err());
    truncated(LeveledBridge::from_bytes(&file("leveled.head"), toys()).unwrap_err());
}

/// `CRYPTABLE_TEST_SEED=1 RAYON_NUM_THREADS=1 cargo test -p cryptable --test all bridges -- --ignored`
#[test]
#[ignore = "writes the files of the current version, once"]
fn write_the_files_of_the_current_version() {
    if kept("integers.key").exists() {
        return;
    }
    let _replay = replay::begin();
    let parameters = IntegerParameters::insecure_toy(4, 8).unwrap();
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = large_values::SecretKey::generate(parameters.single());
    let bridge = Bridge::generate(&parameters, &packed, &single).unwrap();
    let (server, functions) =
        (packed.evaluation_key(SILENT).unwrap(), single.evaluation_key(SILENT).unwrap());
    let table = cryptable::Table::new(4, 256, vec![1, 2, 253, 4]).unwrap();
    let table = server.prepare(&table).unwrap();
    let results = server.lookup(&packed.encrypt(&[2]).unwrap(), &table, SILENT).unwrap();
    let values = bridge.to_integers((&server, &functions), &results, 0..1).unwrap();
    let key = key_file(&parameters, &packed, &single);
    std::fs::write(kept("integers.key"), &single.to_bytes()[..]).unwrap();
    std::fs::write(kept("integers.ct"), values.to_bytes()).unwrap();
    std::fs::write(kept("integers.head"), &key[..HEAD_BYTES]).unwrap();
    let parameters = LeveledParameters::insecure_toy(4, 16).unwrap();
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = leveled::SecretKey::generate(parameters.single());
    let key = key_file(&parameters, &packed, &single);
    std::fs::write(kept("leveled.head"), &key[..HEAD_BYTES]).unwrap();
}
