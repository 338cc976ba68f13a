//! Tests of the same calls with every engine, on toy parameters: every value, several tables, files, refusals,
//! cancellation.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cryptable::{
    Ciphertext, CiphertextReader, CiphertextWriter, Engine, Error, EvaluationKey, Execution,
    Parameters, ReadOptions, SecretKey, SharedBytes, Table,
};

use crate::{forged, toys};

const P: u64 = 4;

fn toy(engine: Engine) -> SecretKey {
    SecretKey::generate(Parameters::insecure_toy(engine, P, P).unwrap())
}

fn tables() -> Vec<Table> {
    let functions: [fn(u64) -> u64; 4] = [|x| (7 * x * x + 3 * x + 1) % P, |_| 2, |x| x, |_| P - 1];
    functions.into_iter().map(|f| Table::from_fn(P, P, f).unwrap()).collect()
}

#[test]
fn every_value_through_several_tables() {
    for engine in Engine::ALL {
        let secret = toy(engine);
        let server = secret.evaluation_key();
        let values: Vec<u64> = (0..P).chain([3, 3, 0]).collect();
        let input = secret.encrypt(&values).unwrap();
        let prepared: Vec<_> = tables().iter().map(|t| server.prepare(t).unwrap()).collect();
        let references: Vec<_> = prepared.iter().collect();
        let outputs = server.lookup_many(&input, &references).unwrap();
        assert_eq!(outputs.len(), prepared.len());
        for ((output, table), prepared) in outputs.iter().zip(tables()).zip(&prepared) {
            let expected: Vec<u64> = values.iter().map(|&x| table.values()[x as usize]).collect();
            assert_eq!(secret.decrypt(output).unwrap(), expected, "{engine}");
            let alone = server.lookup(&input, prepared).unwrap();
            assert_eq!(secret.decrypt(&alone).unwrap(), expected, "{engine}");
            assert!(!output.is_fresh() && input.is_fresh());
        }
    }
}

#[test]
fn signs_are_set_carried_and_checked() {
    let signs = |error: Error| match error {
        Error::Signs { found, expected, .. } => (found, expected),
        other => panic!("{other}"),
    };
    for engine in Engine::ALL {
        let secret = toy(engine);
        let server = secret.evaluation_key();
        let values = [-2, -1, 0, 1];
        let x = secret.encrypt_signed(&values).unwrap();
        let y = secret.encrypt(&[2, 3, 0, 1]).unwrap();
        assert!(x.is_signed() && !y.is_signed());
        assert_eq!(secret.decrypt(&x).unwrap(), [2, 3, 0, 1], "{engine}");
        assert_eq!(secret.decrypt_signed(&x).unwrap(), values, "{engine}");
        assert_eq!(signs(secret.decrypt_signed(&y).unwrap_err()), (false, true));
        let prepare = |inputs, outputs| {
            let halves = Table::from_signed_fn(P, P, |x| x / 2).unwrap();
            server.prepare(&halves.with_signs(inputs, outputs)).unwrap()
        };
        // The table determines the signs of outputs, and inputs must match its signs.
        let found = server.lookup(&x, &prepare(true, true)).unwrap();
        assert_eq!(secret.decrypt_signed(&found).unwrap(), [-1, 0, 0, 0], "{engine}");
        assert!(!server.lookup(&x, &prepare(true, false)).unwrap().is_signed());
        assert!(server.lookup(&y, &prepare(false, true)).unwrap().is_signed());
        let (signed, unsigned) = (prepare(true, true), prepare(false, false));
        assert_eq!(signs(server.lookup(&y, &signed).unwrap_err()), (false, true));
        assert_eq!(
            signs(server.lookup_many(&x, &[&signed, &unsigned]).unwrap_err()),
            (true, false)
        );
        // Files and parts preserve the signs.
        let read = Ciphertext::from_bytes(&x.to_bytes()).unwrap();
        assert_eq!(read, x);
        assert!(read.clone().into_parts().chain(read.into_pieces(1, 2)).all(|it| it.is_signed()));
        assert_eq!(signs(Ciphertext::join([y.clone(), x.clone()]).unwrap_err()), (true, false));
        let alone = x.clone().with_standalone(true);
        assert_eq!((x.to_bytes()[14], alone.to_bytes()[14]), (1, 3));
        assert_eq!(Ciphertext::from_bytes(&alone.to_bytes()).unwrap(), alone);
        assert!(alone.clone().into_pieces(1, 2).all(|it| it.is_standalone()));
        assert!(!Ciphertext::join([alone, x.clone()]).unwrap().is_standalone());
        let mut writer = CiphertextWriter::new(Vec::new(), x.contents()).unwrap();
        assert_eq!(signs(writer.push(&y).unwrap_err()), (false, true));
        let mut bytes = x.to_bytes();
        bytes[14] = 4;
        let error = Ciphertext::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains("marks of the values"), "{error}");
        let error = secret.encrypt_signed(&[1, 2]).unwrap_err();
        assert_eq!(error.to_string(), "value 2 at position 1 is not from -2 to 1");
        if engine != Engine::Leveled {
            let sum = server.add(&x, &x).unwrap();
            assert_eq!(secret.decrypt_signed(&sum).unwrap(), [0, -2, 0, -2], "{engine}");
            assert!(server.negate(&server.mul_scalar(&x, 3).unwrap()).unwrap().is_signed());
            assert!(server.add_plain(&x, &[1; 4]).unwrap().is_signed());
            assert_eq!(signs(server.sub(&x, &y).unwrap_err()), (false, true));
        }
    }
}

#[test]
fn more_values_than_a_part_holds() {
    for engine in Engine::ALL {
        let secret = toy(engine);
        let count = secret.values_per_part().unwrap() + 3;
        let values: Vec<u64> = (0..count as u64).map(|i| (i * i + i / 3) % P).collect();
        let input = secret.encrypt(&values).unwrap();
        assert_eq!((input.count(), input.clone().into_parts().len()), (count, 2), "{engine}");
        assert_eq!(secret.decrypt(&input).unwrap(), values, "{engine}");
        let joined = Ciphertext::join(input.clone().into_parts()).unwrap();
        assert_eq!(joined, input);
    }
}

#[test]
fn keys_and_ciphertexts_come_back_from_bytes() {
    let options = toys();
    for engine in Engine::ALL {
        let secret = toy(engine);
        let read = SecretKey::from_bytes(&secret.to_bytes(), options).unwrap();
        assert_eq!(read.to_bytes(), secret.to_bytes());
        assert_eq!((read.kind().engine(), read.id()), (Some(engine), secret.id()));
        assert_eq!(read.lookup_parameters().unwrap(), secret.lookup_parameters().unwrap());
        let mut bytes = Vec::new();
        secret.write_evaluation_key(&mut bytes, Execution::default()).unwrap();
        let shared = |bytes: &[u8]| -> SharedBytes { Arc::new(bytes.to_vec()) };
        let server = EvaluationKey::from_shared(shared(&bytes), options).unwrap();
        assert_eq!((server.kind().engine(), server.key_id()), (Some(engine), secret.id()));
        assert_eq!(server.lookup_parameters().unwrap(), secret.lookup_parameters().unwrap());
        let input = Ciphertext::from_bytes(&secret.encrypt(&[0, 1, 2, 3]).unwrap().to_bytes());
        let table = Table::from_fn(P, P, |x| P - 1 - x).unwrap();
        let output = server.lookup(&input.unwrap(), &server.prepare(&table).unwrap()).unwrap();
        let output = Ciphertext::from_bytes(&output.to_bytes()).unwrap();
        assert_eq!(read.decrypt(&output).unwrap(), [3, 2, 1, 0], "{engine}");
        // Errors name the wrong kind of key, and insecure parameters.
        let error = SecretKey::from_bytes(&bytes, options).unwrap_err().to_string();
        assert!(error.contains("an evaluation key"), "{error}");
        let error = EvaluationKey::from_shared(shared(&secret.to_bytes()), options).unwrap_err();
        assert!(error.to_string().contains("a secret key"), "{error}");
        let strict = ReadOptions::default();
        let insecure = |error| matches!(error, Error::Insecure);
        assert!(insecure(SecretKey::from_bytes(&secret.to_bytes(), strict).unwrap_err()));
        assert!(insecure(EvaluationKey::from_shared(shared(&bytes), strict).unwrap_err()));
    }
}

#[test]
fn other_clients_engines_and_tables_are_refused() {
    let keys = Engine::ALL.map(toy);
    for (secret, other_engine) in keys.iter().zip(keys.iter().cycle().skip(1)) {
        let engine = secret.kind().engine().unwrap();
        let server = secret.evaluation_key();
        let table = server.prepare(&tables()[0]).unwrap();
        let other_client = toy(engine);
        let stranger = other_client.encrypt(&[1]).unwrap();
        let is_other_client = |error| match error {
            Error::OtherClient { expected, found, .. } => {
                (expected, found) == (secret.id(), other_client.id())
            }
            _ => false,
        };
        assert!(is_other_client(server.lookup(&stranger, &table).unwrap_err()), "{engine}");
        assert!(is_other_client(secret.decrypt(&stranger).unwrap_err()), "{engine}");
        // A result belongs to its client, too. A table belongs to parameters, not to a client.
        let result = other_client.evaluation_key().lookup(&stranger, &table).unwrap();
        assert_eq!(other_client.decrypt(&result).unwrap(), tables()[0].values()[1..2], "{engine}");
        assert!(is_other_client(secret.decrypt(&result).unwrap_err()), "{engine}");
        let read = Ciphertext::from_bytes(&result.to_bytes()).unwrap();
        assert!(is_other_client(secret.decrypt(&read).unwrap_err()), "{engine}");
        let foreign = other_engine.encrypt(&[1]).unwrap();
        let is_other_engine = |error| matches!(error, Error::OtherKind { .. });
        assert!(is_other_engine(server.lookup(&foreign, &table).unwrap_err()), "{engine}");
        assert!(is_other_engine(secret.decrypt(&foreign).unwrap_err()), "{engine}");
        let foreign_table = other_engine.evaluation_key().prepare(&tables()[0]).unwrap();
        let own = secret.encrypt(&[1]).unwrap();
        assert!(is_other_engine(server.lookup(&own, &foreign_table).unwrap_err()), "{engine}");
        assert!(server.lookup_many(&own, &[]).is_err());
        let parameters = Parameters::insecure_toy(engine, P, 2).unwrap();
        let other_parameters = SecretKey::generate(parameters).encrypt(&[1]).unwrap();
        let refused = server.lookup(&other_parameters, &table).unwrap_err();
        assert!(matches!(refused, Error::OtherParameters { .. }), "{engine}: {refused}");
        let too_large = secret.encrypt(&[0, P]).unwrap_err();
        assert!(matches!(too_large, Error::ValueOutOfRange { index: 1, value: P, limit: P }));
        assert!(secret.encrypt(&[]).is_err());
    }
}

#[test]
fn the_first_value_out_of_range_is_named_in_any_part() {
    let secret = toy(Engine::Packed);
    let mut values = vec![0; 2 * secret.values_per_part().unwrap()];
    let index = secret.values_per_part().unwrap() + 7;
    values[index] = 9;
    let error = secret.encrypt(&values).unwrap_err();
    assert!(matches!(error, Error::ValueOutOfRange { index: found, .. } if found == index));
}

#[test]
fn progress_is_told_and_may_cancel() {
    for engine in Engine::ALL {
        let secret = toy(engine);
        let server = secret.evaluation_key();
        let table = server.prepare(&tables()[0]).unwrap();
        let input = secret.encrypt(&vec![1; secret.values_per_part().unwrap() + 1]).unwrap();
        let calls = AtomicUsize::new(0);
        let last = AtomicUsize::new(0);
        let count = |done: usize, total: usize| {
            assert!(done <= total);
            calls.fetch_add(1, Ordering::Relaxed);
            last.fetch_max((done * 1000).checked_div(total).unwrap_or(0), Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        server.lookup_with(&input, &table, Execution::default().progress(&count)).unwrap();
        assert!(calls.load(Ordering::Relaxed) > 3, "{engine}");
        assert_eq!(last.load(Ordering::Relaxed), 1000, "{engine}: the end is told");
        let stop = |done: usize, _total: usize| match done {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        let execution = Execution::default().threads(2).progress(&stop);
        let error = server.lookup_with(&input, &table, execution).unwrap_err();
        assert!(matches!(error, Error::Cancelled { .. }), "{engine}: {error}");
        let error = secret.evaluation_key_with(Execution::default().progress(&stop)).unwrap_err();
        assert!(matches!(error, Error::Cancelled { .. }), "{engine}: {error}");
    }
}

/// Returns a file of three ciphertexts.
fn file(secret: &SecretKey) -> Vec<u8> {
    let contents = secret.encrypt(&[0]).unwrap().contents();
    let mut writer = CiphertextWriter::new(Vec::new(), contents).unwrap();
    for values in [vec![1, 2, 3], vec![0; 9], vec![2]] {
        writer.push(&secret.encrypt(&values).unwrap()).unwrap();
    }
    let (file, summary) = writer.finish().unwrap();
    assert_eq!((summary.values, summary.ciphertexts), (13, 3));
    assert_eq!(summary.bytes, file.len() as u64);
    file
}

fn read(file: &[u8]) -> cryptable::Result<Vec<Ciphertext>> {
    let mut reader = CiphertextReader::new(Cursor::new(file))?;
    let mut found = Vec::new();
    while let Some(ciphertext) = reader.next_ciphertext()? {
        found.push(ciphertext);
    }
    Ok(found)
}

#[test]
fn files_of_ciphertexts_come_back() {
    for engine in Engine::ALL {
        let secret = toy(engine);
        let file = file(&secret);
        let counts: Vec<usize> = read(&file).unwrap().iter().map(Ciphertext::count).collect();
        assert_eq!(counts, [3, 9, 1]);
        let whole = Ciphertext::from_bytes(&file).unwrap();
        let expected: Vec<u64> = [vec![1, 2, 3], vec![0; 9], vec![2]].concat();
        assert_eq!(secret.decrypt(&whole).unwrap(), expected);
        assert_eq!(whole.to_bytes(), file);
    }
}

#[test]
fn damaged_files_are_refused_before_any_ciphertext() {
    let secret = toy(Engine::Single);
    let file = file(&secret);
    for position in 0..file.len() {
        let mut damaged = file.clone();
        damaged[position] ^= 0x10;
        assert!(CiphertextReader::new(Cursor::new(&damaged)).is_err(), "byte {position}");
        assert!(CiphertextReader::new(Cursor::new(&file[..position])).is_err(), "{position} bytes");
    }
    assert!(read(&[&file[..], b"x"].concat()).is_err());
}

#[test]
fn lies_under_valid_digests_are_found() {
    let secret = toy(Engine::Single);
    let file = file(&secret);
    let end = file.len();
    let forged = |file: &[u8], position: usize, bytes: &[u8]| {
        read(&forged(file, position, bytes)).unwrap_err().to_string()
    };
    assert!(forged(&file, 0, b"X").contains("not a cryptable file"));
    for version in [1, 2] {
        let name = format!("format version {version} was written by an older cryptable");
        assert!(forged(&file, 8, &[version]).contains(&name));
    }
    assert!(forged(&file, 8, &[9]).contains("newer"));
    assert!(forged(&file, 12, &[7]).contains("engine is 7"));
    assert!(!forged(&file, 12, &[0]).is_empty());
    assert!(forged(&file, 16, &[0; 32]).contains("other parameters"));
    assert!(forged(&file, 48, &[0; 16]).contains("client key"));
    assert!(forged(&file, 64, &[9]).contains("modulus of the values"));
    assert!(forged(&file, 72, &[0xff; 8]).contains("above the limit"));
    assert!(forged(&file, 72, &[0, 0, 0, 0x10]).contains("cut short"));
    assert!(forged(&file, end - 48, &[12]).contains("values"));
    assert!(forged(&file, end - 48, &[14]).contains("what follows the last ciphertext"));
    assert!(forged(&file, end - 40, &[2]).contains("what follows"));
    assert!(forged(&file, end - 40, &[4]).contains("cut short"));
    assert!(forged(&file, end - 40, &[0]).contains("at least 1"));
}

#[test]
fn keys_of_gates_and_integers_say_what_they_are() {
    use cryptable::{KeyParameters, gates, inspect, large_values};
    let gates = SecretKey::generate(gates::Parameters::insecure_toy());
    let mut server = Vec::new();
    gates.write_evaluation_key(&mut server, Execution::default()).unwrap();
    for bytes in [gates.to_bytes().to_vec(), server] {
        let found = inspect(&bytes).unwrap();
        assert_eq!(found.key_id, Some(gates.id()), "{}", found.object);
        let Some(KeyParameters::Gates(parameters)) = found.parameters else {
            panic!("{}", found.object)
        };
        assert!(parameters.security_level().is_insecure());
        assert_eq!(parameters.digest(), found.parameter_digest);
    }
    let large = SecretKey::generate(large_values::Parameters::insecure_toy(8).unwrap());
    let found = inspect(&large.to_bytes()).unwrap();
    assert_eq!(found.key_id, Some(large.id()));
    assert!(matches!(found.parameters, Some(KeyParameters::LargeValues(_))));
}
