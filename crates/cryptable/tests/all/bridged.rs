//! Tests of single values that a server may pack, on toys: calls of the library, files, and refusals.
#![cfg(feature = "client")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use cryptable::{
    Ciphertext, CostModel, Engine, Error, EvaluationKey, Execution, KeyParameters, Parameters,
    PublicKey, Request, SecretKey, Table, WireError, inspect,
};
use cryptable_ring::random::replay;
use cryptable_wire::FORMAT_VERSION;

use crate::toys;

const TABLE: [u64; 4] = [1, 2, 3, 0];

static TOY: LazyLock<(SecretKey, EvaluationKey)> = LazyLock::new(|| {
    let secret = SecretKey::generate(Parameters::insecure_bridged_toy(4, 4).unwrap());
    let server = secret.evaluation_key();
    (secret, server)
});

fn table() -> Table {
    Table::new(4, 4, TABLE.to_vec()).unwrap()
}

fn values(count: u64) -> Vec<u64> {
    (0..count).map(|i| i * i * 7 % 101 % 4).collect()
}

fn looked_up(values: &[u64]) -> Vec<u64> {
    values.iter().map(|&x| TABLE[x as usize]).collect()
}

/// Checks that values encrypted with a public key are single ones, which the server may pack.
#[test]
fn values_of_contributors_are_packed() {
    let (secret, server) = &*TOY;
    let file = secret.public_key().unwrap().to_bytes();
    let public = PublicKey::from_bytes(&file, toys()).unwrap();
    let prepared = server.prepare(&table()).unwrap();
    for count in [1, 2000] {
        let input = values(count);
        let encrypted = public.encrypt(&input).unwrap();
        assert_eq!((encrypted.engine(), encrypted.key_id()), (Engine::Single, secret.id()));
        let output = server.lookup(&encrypted, &prepared).unwrap();
        assert_eq!(secret.decrypt(&output).unwrap(), looked_up(&input));
    }
}

#[test]
fn single_values_go_through_packed_lookups_and_sums() {
    let (secret, server) = &*TOY;
    let prepared = server.prepare(&table()).unwrap();
    let input = values(2000);
    let single = secret.encrypt(&input).unwrap();
    assert_eq!((single.engine(), single.key_id()), (Engine::Single, secret.id()));
    let packed = server.pack(&single).unwrap();
    assert_eq!((packed.engine(), packed.count()), (Engine::Packed, 2000));
    assert_eq!(packed.key_id(), secret.packed().unwrap().id());
    // x + x before and after packing.
    let doubled = server.add(&packed, &packed).unwrap();
    let also = server.pack(&server.mul_scalar(&single, 2).unwrap()).unwrap();
    let expected = looked_up(&input.iter().map(|x| 2 * x % 4).collect::<Vec<_>>());
    for sum in [doubled, also] {
        let output = server.unpack(&server.lookup(&sum, &prepared).unwrap()).unwrap();
        assert_eq!(secret.decrypt(&output).unwrap(), expected);
    }
    // The server decides on its own, for any number of values.
    for count in [1, 2000] {
        let input = values(count);
        let output = server.lookup(&secret.encrypt(&input).unwrap(), &prepared).unwrap();
        assert_eq!(secret.decrypt(&output).unwrap(), looked_up(&input));
        assert_eq!(output.engine(), Engine::Single);
    }
}

#[test]
fn a_key_of_single_values_goes_on_from_results() {
    let (secret, server) = &*TOY;
    // Another server has only the key for single values.
    let alone = secret.single().unwrap();
    let other = alone.evaluation_key(cryptable::Progress::silent()).unwrap();
    let other = EvaluationKey::Single(Box::new(other));
    let input = values(1000);
    let result =
        server.lookup(&secret.encrypt(&input).unwrap(), &server.prepare(&table()).unwrap());
    let again = other.lookup(&result.unwrap(), &other.prepare(&table()).unwrap()).unwrap();
    assert_eq!(secret.decrypt(&again).unwrap(), looked_up(&looked_up(&input)));
}

#[test]
fn keys_without_packing_say_so_and_foreign_values_are_refused() {
    let (secret, server) = &*TOY;
    for engine in Engine::ALL {
        let plain = SecretKey::generate(Parameters::insecure_toy(engine, 4, 4).unwrap());
        let error = plain.evaluation_key().pack(&plain.encrypt(&[1]).unwrap()).unwrap_err();
        assert!(matches!(error, Error::UnsupportedOperation { .. }), "{error}");
        assert!(error.to_string().contains("inputs(Engine::Single)"), "{error}");
        // The values belong to another client or another engine.
        let foreign = plain.encrypt(&[1]).unwrap();
        assert!(server.pack(&foreign).is_err() && server.unpack(&foreign).is_err());
        assert!(secret.decrypt(&foreign).is_err());
    }
    let other = SecretKey::generate(secret.parameters());
    let packed = other.evaluation_key().pack(&other.encrypt(&[1]).unwrap()).unwrap();
    for error in [
        server.pack(&other.encrypt(&[1]).unwrap()).unwrap_err(),
        server.unpack(&packed).unwrap_err(),
        secret.decrypt(&packed).unwrap_err(),
    ] {
        assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    }
}

#[test]
fn lookups_are_cancelled_and_tell_progress() {
    let (secret, server) = &*TOY;
    let prepared = server.prepare(&table()).unwrap();
    let input = secret.encrypt(&values(2000)).unwrap();
    let steps = std::sync::Mutex::new(Vec::new());
    let told = |done: usize, total: usize| {
        steps.lock().unwrap().push(done as f64 / total as f64);
        ControlFlow::Continue(())
    };
    server.lookup_with(&input, &prepared, Execution::default().progress(&told)).unwrap();
    let steps = steps.into_inner().unwrap();
    assert!(steps.is_sorted() && steps.len() > 8 && steps.last() == Some(&1.0), "{steps:?}");
    let stop = |done: usize, total: usize| {
        if 4 * done > total { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let error = server.lookup_with(&input, &prepared, Execution::default().progress(&stop));
    assert!(matches!(error.unwrap_err(), Error::Cancelled { .. }));
}

#[test]
fn files_are_inspected_and_memory_is_limited() {
    let (secret, _) = &*TOY;
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, Execution::default()).unwrap();
    for bytes in [&secret.to_bytes()[..], &file] {
        let found = inspect(bytes).unwrap();
        assert_eq!((found.engine, found.key_id), (Some(Engine::Single), Some(secret.id())));
        assert_eq!(found.parameter_digest, secret.parameters().digest());
        let Some(KeyParameters::Lookups(parameters)) = found.parameters else { panic!() };
        assert_eq!(parameters, secret.lookup_parameters().unwrap());
        assert_ne!(parameters, secret.single().unwrap().parameters().clone().into());
    }
    let file = Arc::new(file);
    let read = |limit| EvaluationKey::from_shared(file.clone(), toys().max_memory(limit));
    let Err(Error::ReadingMemory { needed, limit: 1, .. }) = read(1) else { panic!("one byte") };
    assert!(read(needed - 1).is_err());
    let found = read(needed).unwrap().memory_bytes() as u64;
    assert!(found <= needed && needed < 2 * found, "{found} of {needed}");
}

#[test]
fn plans_choose_by_the_number_of_values() {
    let request = Request::new(4, 4).inputs(Engine::Single).cost_model(CostModel::default());
    let request = request.threads(1);
    let plan = request.clone().values(4096).plan().unwrap();
    assert!(matches!(plan.best().parameters(), Parameters::Bridged(_)), "{plan}");
    assert!(plan.best().parameters().log2_fail() <= -64.0);
    assert!(plan.best().parameters().security_bits() >= 128.0);
    let crossing = plan.crossing().unwrap();
    assert!(plan.to_string().contains(&format!("faster from {crossing} values on")), "{plan}");
    let few = request.clone().values(crossing / 4).plan().unwrap();
    assert!(matches!(few.best().parameters(), Parameters::Single(_)), "{few}");
    // Without single inputs there is nothing to pack.
    let all = Request::new(4, 4).cost_model(CostModel::default()).plan().unwrap();
    assert!(all.crossing().is_none() && all.best_of(Engine::Packed).is_some());
    let error = request.engine(Engine::Leveled).plan().unwrap_err().to_string();
    assert!(
        error.contains("lookups by the engine leveled of values of the engine single"),
        "{error}"
    );
}

fn kept(kind: &str) -> PathBuf {
    let folder = format!("tests/known_answers/v{FORMAT_VERSION}/bridged.{kind}");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn file(kind: &str) -> Vec<u8> {
    std::fs::read(kept(kind)).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

/// Tests files of bridges as `known_answers.rs` tests those of engines.
#[test]
fn files_of_this_version_hold_what_they_held() {
    let key = file("key");
    let secret = SecretKey::from_bytes(&key, toys()).unwrap();
    assert_eq!(*secret.to_bytes(), key);
    for (kind, values) in [("ct", [3, 0]), ("result.ct", [0, 1])] {
        let ciphertext = Ciphertext::from_bytes(&file(kind)).unwrap();
        assert_eq!(secret.decrypt(&ciphertext).unwrap(), values, "{kind}");
        assert_eq!(ciphertext.to_bytes(), file(kind), "{kind}");
    }
    let head = Arc::new(file("eval.head"));
    let error = EvaluationKey::from_shared(head, toys()).unwrap_err();
    assert!(matches!(error, Error::Wire(WireError::Truncated { .. })), "{error}");
}

/// `CRYPTABLE_TEST_SEED=1 RAYON_NUM_THREADS=1 cargo test -p cryptable --test all bridged -- --ignored`
#[test]
#[ignore = "writes the files of the current version, once"]
fn write_the_files_of_the_current_version() {
    if kept("key").exists() {
        return;
    }
    let _replay = replay::begin();
    let secret = SecretKey::generate(Parameters::insecure_bridged_toy(4, 4).unwrap());
    let mut key = Vec::new();
    secret.write_evaluation_key(&mut key, Execution::default()).unwrap();
    let server = secret.evaluation_key();
    let input = secret.encrypt(&[3, 0]).unwrap();
    let output = server.lookup(&server.pack(&input).unwrap(), &server.prepare(&table()).unwrap());
    let result = server.unpack(&output.unwrap()).unwrap();
    std::fs::write(kept("key"), &secret.to_bytes()[..]).unwrap();
    std::fs::write(kept("eval.head"), &key[..3000]).unwrap();
    std::fs::write(kept("ct"), input.to_bytes()).unwrap();
    std::fs::write(kept("result.ct"), result.to_bytes()).unwrap();
}
