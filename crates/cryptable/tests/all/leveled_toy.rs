//! Tests of leveled values on toy parameters: every value, chains, bad input, the wire format.

use std::ops::ControlFlow;
use std::sync::Arc;

use cryptable::engines::leveled::{Ciphertext, EvaluationKey, Parameters, Request, SecretKey};
use cryptable::{Error, KeyParameters, Result, Table, inspect};
use cryptable_lattice::{Progress, SecurityLevel};
use cryptable_wire::ObjectType;
use proptest::prelude::*;

use crate::{check_damage, forged, forged_object, toys};

fn evaluation_key(secret: &SecretKey) -> EvaluationKey {
    secret.evaluation_key(Progress::silent()).unwrap()
}

fn read_evaluation_key(bytes: &[u8]) -> Result<EvaluationKey> {
    EvaluationKey::from_shared(Arc::new(bytes.to_vec()), toys())
}

fn lookup(key: &EvaluationKey, input: &Ciphertext, table: &Table) -> Result<Ciphertext> {
    let prepared = key.prepare(table)?;
    Ok(key.lookup_many(input, &[&prepared], Progress::silent())?.remove(0))
}

fn table(p: u64, output_modulus: u64, f: impl Fn(u64) -> u64) -> Table {
    Table::from_fn(p, output_modulus, |x| f(x) % output_modulus).unwrap()
}

/// Returns values without symmetry.
fn random(x: u64) -> u64 {
    (x + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) >> 20
}

/// Returns tables: random, constant, identity, extremes.
fn tables(p: u64, output_modulus: u64) -> Vec<Table> {
    vec![
        table(p, output_modulus, random),
        table(p, output_modulus, |_| 1),
        table(p, output_modulus, |x| x),
        table(p, output_modulus, |_| output_modulus - 1),
        table(p, output_modulus, |x| if x + 1 == p { output_modulus - 1 } else { 0 }),
    ]
}

#[test]
fn every_value_of_several_tables() {
    for (p, output_modulus) in [(2, 2), (16, 16), (6, 10), (100, 3), (33, 128), (128, 20)] {
        let secret = SecretKey::generate(&Parameters::insecure_toy(p, output_modulus).unwrap());
        let key = evaluation_key(&secret);
        let input = secret.encrypt(&(0..p).collect::<Vec<_>>()).unwrap();
        let tables = tables(p, output_modulus);
        let prepared: Vec<_> = tables.iter().map(|table| key.prepare(table).unwrap()).collect();
        let all: Vec<_> = prepared.iter().collect();
        let outputs = key.lookup_many(&input, &all, Progress::silent()).unwrap();
        assert_eq!(outputs.len(), tables.len());
        for (output, table) in outputs.iter().zip(&tables) {
            assert_eq!(secret.decrypt(output).unwrap(), table.values(), "{p} -> {output_modulus}");
            assert_eq!((output.modulus(), output.is_fresh()), (output_modulus, false));
        }
        let one = lookup(&key, &input, &tables[0]).unwrap();
        assert_eq!(secret.decrypt(&one).unwrap(), tables[0].values());
    }
}

#[test]
fn larger_tables_than_a_polynomial_holds() {
    let (p, output_modulus) = (12_345, 1000);
    let secret = SecretKey::generate(&Parameters::insecure_toy(p, output_modulus).unwrap());
    let table = table(p, output_modulus, random);
    let values = [0, 1, 2047, 2048, 4095, 8191, 8192, 10_240, 12_344];
    let input = secret.encrypt(&values).unwrap();
    let output = lookup(&evaluation_key(&secret), &input, &table).unwrap();
    let expected = values.map(|x| table.values()[x as usize]);
    assert_eq!(secret.decrypt(&output).unwrap(), expected);
}

#[test]
fn results_are_inputs() {
    let secret = SecretKey::generate(&Parameters::insecure_toy(20, 7).unwrap());
    let key = evaluation_key(&secret);
    // 20 -> 7 -> 30 -> 20, three times: moduli have at most 5 bits all the way.
    let steps = [table(20, 7, random), table(7, 30, random), table(30, 20, random)];
    let mut values: Vec<u64> = (0..20).collect();
    let mut ciphertext = secret.encrypt(&values).unwrap();
    let prepared = steps.each_ref().map(|step| key.prepare(step).unwrap());
    for (step, prepared) in steps.iter().zip(&prepared).cycle().take(9) {
        let outputs = key.lookup_many(&ciphertext, &[prepared], Progress::silent());
        ciphertext = outputs.unwrap().remove(0);
        values.iter_mut().for_each(|x| *x = step.values()[*x as usize]);
        assert_eq!(secret.decrypt(&ciphertext).unwrap(), values);
    }
}

#[test]
fn progress_is_of_values_and_can_be_cancelled() {
    use std::sync::Mutex;
    let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4).unwrap());
    let input = secret.encrypt(&[1; 200]).unwrap();
    let calls = Mutex::new(Vec::new());
    let table = table(4, 4, |x| x);
    let key = evaluation_key(&secret);
    let prepared = key.prepare(&table).unwrap();
    let step = |done, total| {
        calls.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    key.lookup_many(&input, &[&prepared], Progress::new(&step)).unwrap();
    let calls = calls.lock().unwrap().clone();
    assert!(calls.len() > 2 && calls.is_sorted(), "{calls:?}");
    assert_eq!((calls[0], calls[calls.len() - 1]), ((0, 200), (200, 200)));
    let stop = |done: usize, _| {
        if done > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let error = key.lookup_many(&input, &[&prepared], Progress::new(&stop)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { total: 200, .. }), "{error}");
    let never = |_, _| ControlFlow::Break(());
    let error = secret.evaluation_key(Progress::new(&never)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { done: 0, .. }), "{error}");
    let mut file = Vec::new();
    let error = secret.write_evaluation_key(&mut file, Progress::new(&never)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { done: 0, .. }) && file.is_empty(), "{error}");
}

#[test]
fn a_fresh_value_is_small_and_empty_ones_are_fine() {
    let secret = SecretKey::generate(&Parameters::insecure_toy(1 << 16, 4).unwrap());
    let input = secret.encrypt(&[12_345]).unwrap();
    assert!(input.is_fresh());
    // 8 words of 47 bits, a seed, header, checksum and sizes.
    assert!((47 + 32 + 96..256).contains(&input.to_bytes().len()), "{}", input.to_bytes().len());
    let empty = secret.encrypt(&[]).unwrap();
    let table = table(1 << 16, 4, random);
    let output = lookup(&evaluation_key(&secret), &empty, &table).unwrap();
    assert_eq!(secret.decrypt(&output).unwrap(), [0; 0]);
    let read = Ciphertext::from_bytes(&output.to_bytes()).unwrap();
    assert_eq!((read.count(), read == output), (0, true));
}

#[test]
fn predictions_are_of_what_is_made() {
    for parameters in [
        Parameters::insecure_toy(32, 32).unwrap(),
        Parameters::candidates(&Request::new(1 << 10, 1 << 10)).unwrap().swap_remove(0),
    ] {
        let secret = SecretKey::generate(&parameters);
        let mut file = Vec::new();
        secret.write_evaluation_key(&mut file, Progress::silent()).unwrap();
        let (prediction, key) = (parameters.prediction(), read_evaluation_key(&file).unwrap());
        let near = |found: usize, predicted: usize, what: &str| {
            let ratio = found as f64 / predicted as f64;
            assert!((0.9..1.1).contains(&ratio), "{what}: {found}, predicted {predicted}");
        };
        near(file.len(), prediction.key_file_bytes, "file");
        near(key.memory_bytes(), prediction.key_memory_bytes, "memory");
        let table = table(parameters.input_modulus(), parameters.output_modulus(), random);
        let input = secret.encrypt(&[7]).unwrap();
        let prepared = key.prepare(&table).unwrap();
        let lists = 2 * (size_of::<u64>() << table.values().len().ilog2());
        assert_eq!(prepared.memory_bytes() + lists, parameters.table_bytes());
        let output = lookup(&key, &input, &table).unwrap();
        assert_eq!(secret.decrypt(&output).unwrap(), [table.values()[7]]);
        near(output.to_bytes().len(), prediction.result_bytes, "result");
        // For a fresh value, the headers are the larger part.
        let around = input.to_bytes().len() - prediction.ciphertext_bytes;
        assert_eq!(around, output.to_bytes().len() - prediction.result_bytes);
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let secret = SecretKey::generate(&Parameters::insecure_toy(10, 10).unwrap());
    let key = evaluation_key(&secret);
    let error = secret.encrypt(&[1, 10]).unwrap_err();
    assert!(matches!(error, Error::ValueOutOfRange { index: 1, value: 10, limit: 10 }), "{error}");
    let input = secret.encrypt(&[1]).unwrap();
    let message =
        |input: &Ciphertext, table: &Table| lookup(&key, input, table).unwrap_err().to_string();
    let text = message(&input, &table(11, 10, |x| x));
    assert!(text.contains("input modulus of the table is 11") && text.contains("10"), "{text}");
    let text = message(&input, &table(10, 17, |x| x));
    assert!(text.contains("outputs is 5") && text.contains("at most 4"), "{text}");
    let table_of_5_bits = table(17, 2, |x| x);
    assert!(key.prepare(&table_of_5_bits).unwrap_err().to_string().contains("inputs is 5"));
    let same = SecretKey::generate(secret.parameters());
    let text = message(&same.encrypt(&[1]).unwrap(), &table(10, 10, |x| x));
    assert!(text.contains("ciphertext belongs to the client key"), "{text}");
    let theirs = lookup(&key, &same.encrypt(&[1]).unwrap(), &table(10, 10, |x| x)).unwrap_err();
    assert!(matches!(theirs, Error::OtherClient { .. }), "{theirs}");
    // A table prepared with another client's key of the same parameters works, too; one of other parameters does not.
    let prepared = evaluation_key(&same).prepare(&table(10, 10, |x| 9 - x)).unwrap();
    let output = key.lookup_many(&input, &[&prepared], Progress::silent()).unwrap().remove(0);
    assert_eq!(secret.decrypt(&output).unwrap(), [8]);
    let larger = SecretKey::generate(&Parameters::insecure_toy(10, 11).unwrap());
    let prepared = evaluation_key(&larger).prepare(&table(10, 10, |x| x)).unwrap();
    let error = key.lookup_many(&input, &[&prepared], Progress::silent()).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { object: "table", .. }), "{error}");
    let other = SecretKey::generate(&Parameters::insecure_toy(8, 8).unwrap());
    let text = message(&other.encrypt(&[1]).unwrap(), &table(8, 8, |x| x));
    assert!(text.contains("parameters"), "{text}");
    assert!(secret.decrypt(&same.encrypt(&[1]).unwrap()).is_err());
    assert!(secret.decrypt(&other.encrypt(&[1]).unwrap()).is_err());
}

/// Returns a secret key, and the bytes of it, of an evaluation key, and of a fresh and a computed ciphertext.
fn objects() -> (SecretKey, [Vec<u8>; 4]) {
    let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4).unwrap());
    let mut evaluation = Vec::new();
    secret.write_evaluation_key(&mut evaluation, Progress::silent()).unwrap();
    let input = secret.encrypt(&[3, 0]).unwrap();
    let key = read_evaluation_key(&evaluation).unwrap();
    let output = lookup(&key, &input, &table(4, 4, |x| 3 - x)).unwrap();
    let bytes = [secret.to_bytes().to_vec(), evaluation, input.to_bytes(), output.to_bytes()];
    (secret, bytes)
}

#[test]
fn objects_come_back_and_say_what_they_are() {
    let (secret, [key, evaluation, input, output]) = objects();
    let read = SecretKey::from_bytes(&key, toys()).unwrap();
    assert_eq!((read.id(), read.to_bytes().to_vec()), (secret.id(), key.clone()));
    let server = read_evaluation_key(&evaluation).unwrap();
    assert_eq!(server.key_id(), secret.id());
    assert_eq!(server.parameters().digest(), secret.parameters().digest());
    for (bytes, values, fresh) in [(&input, [3, 0], true), (&output, [0, 3], false)] {
        let ciphertext = Ciphertext::from_bytes(bytes).unwrap();
        assert_eq!(read.decrypt(&ciphertext).unwrap(), values);
        assert_eq!(ciphertext.to_bytes(), *bytes);
        let found = inspect(bytes).unwrap();
        assert_eq!((found.values, found.fresh), (Some((2, 4)), Some(fresh)));
        assert_eq!(found.key_id, Some(secret.id()));
        assert_eq!(found.object, "a ciphertext of leveled values");
    }
    for (bytes, name) in [(&key, "a secret key"), (&evaluation, "an evaluation key")] {
        let found = inspect(bytes).unwrap();
        assert_eq!(found.object, format!("{name} for leveled values"));
        let Some(KeyParameters::Lookups(parameters)) = found.parameters else { panic!("{name}") };
        assert_eq!(parameters.digest(), secret.parameters().digest());
        assert_eq!(parameters.method_name(), "CMUX tree, 2 bits per rotation, insecure toy");
        assert_eq!(parameters.security_level(), SecurityLevel::Insecure);
        assert_eq!(parameters.security_bits(), 0.0);
    }
    // Each error names the object that was found and the expected one.
    let error = SecretKey::from_bytes(&evaluation, toys()).unwrap_err().to_string();
    assert!(error.contains("an evaluation key for leveled values, not a secret key"), "{error}");
    let error = read_evaluation_key(&input).unwrap_err().to_string();
    assert!(error.contains("a ciphertext of leveled values, not an evaluation key"), "{error}");
}

#[test]
fn files_of_transciphering_are_recognised() {
    use cryptable_leveled::aes::{AesKey, MessageEncryptor, Parameters, SecretKey};
    let secret = SecretKey::generate(&Parameters::insecure_toy());
    let mut evaluation = Vec::new();
    secret.write_evaluation_key(&mut evaluation, Progress::silent()).unwrap();
    for bytes in [secret.to_bytes().to_vec(), evaluation] {
        let found = inspect(&bytes).unwrap();
        let Some(KeyParameters::Transciphering(parameters)) = found.parameters else {
            panic!("{}", found.object)
        };
        assert_eq!(parameters.digest(), found.parameter_digest);
    }
    let mut encryptor = MessageEncryptor::new(AesKey::generate());
    let encrypted_key = secret.encrypt_key(encryptor.key()).to_bytes();
    let message = encryptor.encrypt(b"abcd").unwrap().to_bytes();
    for (bytes, count) in [(&encrypted_key, 176), (&message, 4)] {
        let found = inspect(bytes).unwrap();
        assert_eq!(found.values, Some((count, 256)));
        assert_eq!(found.aes_key_id, Some(encryptor.key().id().0));
    }
    for (bytes, count) in [(secret.encrypt(b"abc").to_bytes(), 3), (encrypted_key, 176)] {
        let found = inspect(&bytes).unwrap();
        assert_eq!((found.values, found.fresh), (Some((count, 256)), Some(true)));
        assert_eq!(found.key_id, Some(secret.id()));
    }
}

#[test]
fn damage_is_found() {
    let (_, [key, evaluation, input, output]) = objects();
    check_damage(&key, |bytes| SecretKey::from_bytes(bytes, toys()).map(drop));
    check_damage(&evaluation, |bytes| read_evaluation_key(bytes).map(drop));
    check_damage(&input, |bytes| Ciphertext::from_bytes(bytes).map(drop));
    check_damage(&output, |bytes| Ciphertext::from_bytes(bytes).map(drop));
}

#[test]
fn lies_under_valid_checksums_are_found() {
    let (secret, [key, _, input, _]) = objects();
    let read_key = |position, bytes: &[u8]| {
        SecretKey::from_bytes(&forged(&key, position, bytes), toys()).unwrap_err().to_string()
    };
    assert!(read_key(16, &[0x5a]).contains("other parameters"));
    let text = read_key(64, &[0xff]);
    assert!(text.contains("trailing") || text.contains("bytes"), "{text}");
    assert!(read_key(72, &[0]).contains("modulus"));
    assert!(read_key(72, &[5]).contains("other parameters"));
    // The only checksum matches, but coefficients are outside the secret's distribution.
    let text = read_key(key.len() - 100, &[1, 2, 3]);
    assert!(text.contains("coefficients") || text.contains("secret"), "{text}");
    let read = |position, bytes: &[u8]| Ciphertext::from_bytes(&forged(&input, position, bytes));
    let message = |position, bytes: &[u8]| read(position, bytes).unwrap_err().to_string();
    assert!(message(64, &[0; 8]).contains("modulus of the values"));
    assert!(message(64, &[255; 8]).contains("modulus of the values"));
    assert!(message(64 + 8, &[0]).contains("number of a ciphertext's bits"));
    assert!(message(64 + 8, &[3]).contains("number of a ciphertext's bits"));
    // With one bit each, there would be two ciphertexts per value.
    assert!(message(64 + 8, &[1]).contains("bodies"));
    // Modulus, bits of a ciphertext, client, dimension, modulus of ciphertexts, count.
    assert!(message(64 + 8 + 4 + 16 + 4 + 8, &[255; 8]).contains("number of values"));
    assert!(message(64 + 8 + 4 + 16 + 4 + 8, &[3]).contains("bodies"));
    assert!(message(64, &[5]).contains("bodies"));
    // The objects are well-formed, but do not fit the keys.
    let narrow = read(64, &[3]).unwrap();
    let message = secret.decrypt(&narrow).unwrap_err().to_string();
    assert!(message.contains("value 3") && message.contains('3'), "{message}");
    let foreign = read(64 + 8 + 4, &[1, 2, 3, 4]).unwrap();
    assert!(secret.decrypt(&foreign).is_err());
}

proptest! {
    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Ciphertext::from_bytes(&bytes).is_err());
        prop_assert!(SecretKey::from_bytes(&bytes, toys()).is_err());
        prop_assert!(read_evaluation_key(&bytes).is_err());
        for object_type in [
            ObjectType::TranscipheringSecretKey,
            ObjectType::TranscipheringEvaluationKey,
            ObjectType::EncryptedBytes,
            ObjectType::EncryptedRoundKeys,
            ObjectType::LeveledSecretKey,
            ObjectType::LeveledEvaluationKey,
            ObjectType::LeveledCiphertext,
        ] {
            let file = forged_object(object_type, &bytes);
            prop_assert!(SecretKey::from_bytes(&file, toys()).is_err());
            prop_assert!(read_evaluation_key(&file).is_err());
            // If the sizes happen to fit, the result is a ciphertext of parameters that nobody has.
            let _ = Ciphertext::from_bytes(&file);
            let _ = inspect(&file);
        }
    }
}
