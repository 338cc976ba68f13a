//! Tests of canaries: honest servers pass, wrong ones are caught as often as stated, and files belong to one key.
#![cfg(feature = "client")]

use cryptable::integers::{
    ColumnKind, Evaluator, decrypt_words, encrypt_words, insecure_packed_toy,
};
use cryptable::wide::{Dictionary, words_of_bits};
use cryptable::{
    Canaries, Engine, Error, Execution, Parameters, Progress, Request, SecretKey, Table, WireError,
    inspect,
};
use cryptable_ring::random::replay;

/// Returns a toy key for tables of 16 inputs and outputs.
fn toy(engine: Engine) -> SecretKey {
    SecretKey::generate(Parameters::insecure_toy(engine, 16, 16).unwrap())
}

/// Returns a table in which no two inputs have the same output.
fn table() -> Table {
    Table::from_fn(16, 16, |x| (5 * x + 3) % 16).unwrap()
}

#[test]
fn honest_servers_pass_by_every_engine() {
    for engine in Engine::ALL {
        let secret = toy(engine);
        let server = secret.evaluation_key();
        let prepared = server.prepare(&table()).unwrap();
        // One value, and more values than a packed toy holds in one part.
        let most = secret.values_per_part().unwrap().clamp(20, 2_000) + 3;
        let most = if engine == Engine::Packed { most } else { 12 };
        for count in [1, most] {
            let values: Vec<u64> = (0..count as u64).map(|i| i * i % 16).collect();
            let expected: Vec<u64> = values.iter().map(|&x| (5 * x + 3) % 16).collect();
            let few: &[u64] = &[7, 2];
            for inputs in [None, Some(few)] {
                let (encrypted, canaries) = match inputs {
                    None => secret.encrypt_with_canaries(&values, 9).unwrap(),
                    Some(inputs) => secret.encrypt_with_canaries_from(&values, 9, inputs).unwrap(),
                };
                assert_eq!((canaries.count(), canaries.places()), (9, count + 9));
                assert_eq!((encrypted.count(), encrypted.is_fresh()), (count + 9, true));
                let file = canaries.to_bytes();
                let canaries = Canaries::from_bytes(&file, &secret).unwrap();
                let results = server.lookup(&encrypted, &prepared).unwrap();
                let results = secret.decrypt(&results).unwrap();
                assert_eq!(canaries.check(&results, &table()).unwrap(), expected);
            }
        }
    }
}

/// Checks servers that are wrong in some of 40 places, with fresh canaries in thousands of ciphertexts.
#[test]
fn wrong_servers_are_missed_as_often_as_stated() {
    let _replay = replay::begin();
    let secret = toy(Engine::Single);
    let values: Vec<u64> = (0..40).map(|i| i % 16).collect();
    let runs = 4_000;
    for (canaries, wrong) in [(10, 1), (10, 5), (3, 20), (10, 12)] {
        let mut missed = 0;
        let mut stated = 0.0;
        let mut found_in_all = 0;
        for run in 0..runs {
            let (encrypted, canaries) =
                secret.encrypt_with_canaries(&values[..40 - canaries], canaries).unwrap();
            stated = canaries.missed_probability(wrong);
            let mut results = secret.decrypt(&encrypted).unwrap();
            // Wrong places are adjacent, and different in every run.
            for place in 0..wrong {
                let place = (place + 7 * run) % 40;
                results[place] = (results[place] + 1) % 16;
            }
            let identity = Table::from_fn(16, 16, |x| x).unwrap();
            match canaries.check(&results, &identity) {
                Ok(found) => {
                    missed += 1;
                    let differ = found.iter().zip(&values).filter(|(a, b)| a != b).count();
                    assert_eq!(differ, wrong, "all wrong places hold values");
                }
                Err(Error::WrongCanaries { wrong: found, canaries: all }) => {
                    assert!(all == canaries.count() && (1..=wrong.min(all)).contains(&found));
                    found_in_all += found;
                }
                Err(other) => panic!("{other}"),
            }
        }
        let runs = runs as f64;
        // Allow five deviations of a binomial distribution on both sides.
        let deviation = (runs * stated * (1.0 - stated)).sqrt();
        let difference = f64::from(missed) - runs * stated;
        assert!(difference.abs() < 5.0 * deviation + 1.0, "{missed} missed, {stated} stated");
        // The mean number of wrong canaries is wrong·canaries/places; its deviation is below that of a binomial
        // distribution.
        let mean = (wrong * canaries) as f64 / 40.0;
        let difference = found_in_all as f64 - runs * mean;
        assert!(difference.abs() < 5.0 * (runs * mean).sqrt(), "{found_in_all} wrong, mean {mean}");
    }
}

#[test]
fn other_tables_and_swapped_results_are_found_where_they_differ() {
    let secret = toy(Engine::Packed);
    let server = secret.evaluation_key();
    let lookup = |encrypted, table: &Table| {
        let results = server.lookup(encrypted, &server.prepare(table).unwrap()).unwrap();
        secret.decrypt(&results).unwrap()
    };
    // A table that is wrong only for an input that no canary has passes, as SECURITY.md says.
    let wrong_at_1 = Table::from_fn(16, 16, |x| if x == 1 { 0 } else { (5 * x + 3) % 16 }).unwrap();
    let (encrypted, canaries) = secret.encrypt_with_canaries_from(&[1, 2], 30, &[2, 3]).unwrap();
    assert_eq!(canaries.check(&lookup(&encrypted, &wrong_at_1), &table()).unwrap(), [0, 13]);
    let (encrypted, canaries) = secret.encrypt_with_canaries_from(&[1, 2], 30, &[1, 1]).unwrap();
    let error = canaries.check(&lookup(&encrypted, &wrong_at_1), &table()).unwrap_err();
    assert!(matches!(error, Error::WrongCanaries { wrong: 30, canaries: 30 }), "{error}");
    assert!(error.to_string().starts_with("30 of 30 canaries have wrong results"), "{error}");
    // Two lookups in a row are checked against the composition of their tables.
    let (encrypted, canaries) = secret.encrypt_with_canaries(&[4, 9], 30).unwrap();
    let once = server.lookup(&encrypted, &server.prepare(&table()).unwrap()).unwrap();
    let twice = Table::from_fn(16, 16, |x| (5 * ((5 * x + 3) % 16) + 3) % 16).unwrap();
    assert_eq!(canaries.check(&lookup(&once, &table()), &twice).unwrap(), [6, 3]);
}

#[test]
fn canaries_of_other_keys_and_damaged_ones_are_refused() {
    let secret = toy(Engine::Packed);
    let (_, canaries) = secret.encrypt_with_canaries(&[3, 1, 4], 20).unwrap();
    assert_eq!(format!("{canaries:?}"), "Canaries(20 of 23 places, redacted)");
    let file = canaries.to_bytes();
    let found = inspect(&file).unwrap();
    assert_eq!((found.object.as_str(), found.key_id), ("canaries", Some(secret.id())));
    let other = SecretKey::generate(secret.parameters());
    let refused = |secret: &SecretKey, file: &[u8]| Canaries::from_bytes(file, secret).unwrap_err();
    assert!(matches!(
        refused(&other, &file),
        Error::OtherClient { object: "file of canaries", .. }
    ));
    assert!(matches!(refused(&toy(Engine::Single), &file), Error::OtherClient { .. }));
    for position in 0..file.len() {
        let mut damaged = file.to_vec();
        damaged[position] ^= 1;
        assert!(Canaries::from_bytes(&damaged, &secret).is_err(), "{position}");
        assert!(Canaries::from_bytes(&file[..position], &secret).is_err(), "{position}");
    }
    let wrong_type = refused(&secret, &secret.to_bytes());
    assert!(matches!(wrong_type, Error::Wire(WireError::WrongType { .. })), "{wrong_type}");
    // Identifiers and places are drawn anew each time.
    let (_, again) = secret.encrypt_with_canaries(&[3, 1, 4], 20).unwrap();
    assert_ne!(again.id(), canaries.id());
}

#[test]
fn calls_that_cannot_be_right_are_refused() {
    let secret = toy(Engine::Packed);
    let refused = |values: &[u64], canaries, inputs: &[u64]| {
        secret.encrypt_with_canaries_from(values, canaries, inputs).unwrap_err()
    };
    assert!(matches!(refused(&[], 1, &[1]), Error::TooSmall { name: "number of values", .. }));
    assert!(matches!(refused(&[1], 0, &[1]), Error::TooSmall { name: "number of canaries", .. }));
    assert!(matches!(refused(&[1], 1, &[]), Error::TooSmall { .. }));
    assert!(matches!(refused(&[1], usize::MAX, &[1]), Error::TooLarge { .. }));
    // Positions in errors are those of the caller's list, and reveal nothing about places.
    let wrong = refused(&[1, 16], 50, &[1]);
    assert!(matches!(wrong, Error::ValueOutOfRange { index: 1, value: 16, limit: 16 }));
    assert!(matches!(refused(&[1], 1, &[3, 99]), Error::ValueOutOfRange { index: 1, .. }));
    let (_, canaries) = secret.encrypt_with_canaries(&[1, 2], 3).unwrap();
    let few = canaries.check(&[0; 4], &table()).unwrap_err();
    assert_eq!(few.to_string(), "the number of results is 4, but the parameters need 5");
    let narrow = Table::from_fn(8, 16, |x| x).unwrap();
    assert!(matches!(canaries.check(&[0; 5], &narrow), Err(Error::Mismatch { .. })));
    let gates = SecretKey::generate(cryptable::gates::Parameters::insecure_toy());
    assert!(matches!(gates.encrypt_with_canaries(&[1], 1), Err(Error::OtherKind { .. })));
}

/// Checks that the client can check results with the file of a contributor who hid canaries among its values.
#[test]
fn canaries_of_public_keys_are_checked_by_the_client() {
    for engine in [Engine::Packed, Engine::Single, Engine::Leveled] {
        let secret = toy(engine);
        let (server, public) = (secret.evaluation_key(), secret.public_key().unwrap());
        let canaries = public.draw_canaries(3, 5, None).unwrap();
        let values = public.encrypt(&canaries.hide(&[3, 1, 4]).unwrap()).unwrap();
        let canaries = Canaries::from_bytes(&canaries.to_bytes(), &secret).unwrap();
        let result = server.lookup(&values, &server.prepare(&table()).unwrap()).unwrap();
        let found = canaries.check(&secret.decrypt(&result).unwrap(), &table()).unwrap();
        let expected = [3, 1, 4].map(|x: usize| table().values()[x]);
        assert_eq!(found, expected, "{engine}");
        let wrong = canaries.check(&secret.decrypt(&values).unwrap(), &table());
        assert!(matches!(wrong, Err(Error::WrongCanaries { .. })), "{engine}");
    }
}

/// Checks columns of 64-bit integers, with two operands that have canaries at the same places.
#[test]
fn columns_have_canaries() {
    let parameters = insecure_packed_toy(2, 1024).unwrap();
    let secret = SecretKey::generate(Parameters::from(parameters));
    let (key, kind) = (secret.packed().unwrap(), ColumnKind::of::<u64>());
    let x = secret.draw_canaries(2, 40, Some(64)).unwrap();
    let x = Canaries::from_bytes(&x.to_bytes(), &secret).unwrap();
    assert!(x.inputs().iter().any(|input| input >> 60 > 0));
    let y = x.with_inputs_of(&[5, u64::MAX]).unwrap();
    assert!(x.id() != y.id() && y.inputs().iter().all(|input| [5, u64::MAX].contains(input)));
    let lists = [x.hide(&[1, u64::MAX]).unwrap(), y.hide(&[2, 3]).unwrap()];
    let [a, b] = lists.map(|list| encrypt_words(key, kind, &list).unwrap());
    let server = key.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&server).unwrap();
    let sums = decrypt_words(key, &server.add(&a, &b).unwrap()).unwrap();
    let expected = |f: fn(u64, u64) -> u64| -> Vec<u64> {
        x.inputs().iter().zip(y.inputs()).map(|(&a, &b)| f(a, b)).collect()
    };
    assert_eq!(x.check_results(&sums, &expected(u64::wrapping_add)).unwrap(), [3, 2]);
    let wrong = x.check_results(&sums, &expected(u64::wrapping_sub)).unwrap_err();
    assert!(matches!(wrong, Error::WrongCanaries { canaries: 40, .. }), "{wrong}");
    let few = x.check_results(&sums, &[0; 39]).unwrap_err();
    assert!(few.to_string().contains("expected results is 39"), "{few}");
    assert!(matches!(x.hide(&[1]), Err(Error::Mismatch { .. })));
    let bits = secret.draw_canaries(2, 4, Some(8)).unwrap();
    let large = bits.hide(&[255, 256]).unwrap_err();
    assert!(matches!(large, Error::ValueOutOfRange { index: 1, value: 256, limit: 256 }));
    assert!(matches!(secret.draw_canaries(1, 1, Some(65)), Err(Error::TooLarge { .. })));
    assert!(matches!(secret.draw_canaries(1, 1, Some(0)), Err(Error::TooSmall { .. })));
}

/// Checks values in words, looked up in a dictionary.
#[test]
fn words_have_canaries() {
    let plan = Request::words(8).value_bits(3).insecure_toy().plan().unwrap();
    let secret = SecretKey::generate(&plan);
    let canaries = secret.draw_canaries(3, 20, Some(plan.bits())).unwrap();
    let list = canaries.hide(&[0xf0, 0x17, 0x18]).unwrap();
    let values = secret.encrypt_wide(&list, plan.bits()).unwrap();
    let server = secret.evaluation_key();
    let words = words_of_bits(plan.bits(), plan.modulus());
    let entries = [(0x17, 3), (0xf0, 5)];
    let dictionary = Dictionary::new(plan.modulus(), words, 8, entries, 1).unwrap();
    let prepared = server.packed().unwrap().prepare_words(&dictionary.circuit().unwrap()).unwrap();
    let found = server.lookup_wide(&values, &prepared, Execution::default()).unwrap();
    let found = secret.decrypt_wide(&found).unwrap();
    let value = |key| entries.into_iter().find(|entry| entry.0 == key).map_or(1, |entry| entry.1);
    let expected: Vec<u64> = canaries.inputs().iter().map(|&key| value(key)).collect();
    assert_eq!(canaries.check_results(&found, &expected).unwrap(), [5, 3, 1]);
}

/// Checks a full 128-bit ciphertext with the canaries that find 1% of wrong results except with probability 2^-40.
#[test]
#[ignore = "slow: run by make test-all"]
fn full_ciphertexts_are_checked() {
    let places = 65_536;
    let wrong = 656;
    let count = Canaries::needed(places, wrong, 2f64.powi(-40)).unwrap();
    assert_eq!(count, 2_699);
    let plan = Request::new(256, 256).engine(Engine::Packed).plan().unwrap();
    let secret = SecretKey::generate(&plan);
    let server = secret.evaluation_key();
    let table = Table::from_fn(256, 256, |x| (x * 77 + 5) % 256).unwrap();
    let values: Vec<u64> = (0..(places - count) as u64).map(|i| i * 31 % 256).collect();
    let (encrypted, canaries) = secret.encrypt_with_canaries(&values, count).unwrap();
    let results = server.lookup(&encrypted, &server.prepare(&table).unwrap()).unwrap();
    let mut results = secret.decrypt(&results).unwrap();
    let expected: Vec<u64> = values.iter().map(|x| (x * 77 + 5) % 256).collect();
    assert_eq!(canaries.check(&results, &table).unwrap(), expected);
    assert!(canaries.missed_probability(wrong) <= 2f64.powi(-40));
    results.iter_mut().step_by(99).for_each(|result| *result ^= 1);
    let error = canaries.check(&results, &table).unwrap_err();
    // With 663 wrong places and 2,699 canaries among 65,536 places, the mean is 27.3 and the deviation 5.
    assert!(matches!(error, Error::WrongCanaries { wrong: 3..=60, .. }), "{error}");
}
