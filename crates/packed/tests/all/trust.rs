//! Refusals: other clients, other parameters, insecure and absurd literals; and cancellation.

use crate::common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{allowed, reports, stopped_after};
use cryptable_packed::{
    EncryptedTables, Error, EvaluationKey, Method, MultiplexerLiteral, Parameters,
    ParametersLiteral, Progress, ReadOptions, RealDecryption, Request, SecretKey, SecurityLevel,
    SlotTables, Table, TraceHalvings,
};

fn tree(digits: &[u64], entry_levels: u32) -> MultiplexerLiteral {
    let selectors = vec![1; digits.len()];
    MultiplexerLiteral { digits: digits.to_vec(), selectors, entry_levels, ..Default::default() }
}

/// Makes the keys of two clients with the same parameters.
fn clients(parameters: &Parameters) -> [(SecretKey, EvaluationKey); 2] {
    [(), ()].map(|()| common::keys(parameters))
}

#[test]
fn other_clients_are_refused_everywhere() {
    let parameters = Parameters::insecure_toy_tree(16, 1024, 16, tree(&[4, 4], 1), 0).unwrap();
    let [(ann, ann_key), (bob, bob_key)] = clients(&parameters);
    let input = ann.encrypt(&[1, 2, 3]).unwrap();
    assert_eq!((input.key_id(), ann_key.key_id()), (ann.id(), ann.id()));
    assert_ne!(ann.id(), bob.id());
    let is_other = |error: &Error| {
        matches!(error, Error::OtherClient { expected, found, .. }
            if *expected == bob.id() && *found == ann.id())
    };
    let table = Table::from_fn(16, 16, |x| 15 - x).unwrap();
    let identity = Table::from_fn(4, 4, |x| x).unwrap();
    let prepared = bob_key.prepare(&table).unwrap();
    let tables = SlotTables::new(vec![table; 3]).unwrap();
    let silent = Progress::silent();
    let ann_tables = ann.encrypt_tables(&tables).unwrap();
    let bob_tables = bob.encrypt_tables(&tables).unwrap();
    let digit_tables = vec![vec![identity]; 2];
    let own = bob.encrypt(&[1, 2, 3]).unwrap();
    for error in [
        bob.decrypt(&input).unwrap_err(),
        bob.decrypt_reals(&input, RealDecryption::default()).unwrap_err(),
        bob.errors(&input, &[1, 2, 3]).unwrap_err(),
        bob_key.lookup(&input, &prepared, silent).unwrap_err(),
        bob_key.lookup_many(&input, &[&prepared], silent).unwrap_err(),
        bob_key.lookup_digits(std::slice::from_ref(&input), &[&prepared], silent).unwrap_err(),
        bob_key.decompose(&input, &digit_tables, silent).unwrap_err(),
        bob_key.lookup_slots(&input, &tables, silent).unwrap_err(),
        bob_key.lookup_encrypted(&input, &bob_tables, silent).unwrap_err(),
        bob_key.lookup_encrypted(&own, &ann_tables, silent).unwrap_err(),
    ] {
        assert!(is_other(&error), "{error}");
    }
    let mut bytes = Vec::new();
    ann_tables.write(&mut bytes).unwrap();
    assert!(is_other(&EncryptedTables::from_bytes(&bob_key, &bytes).unwrap_err()));
    let read = EncryptedTables::from_bytes(&ann_key, &bytes).unwrap();
    assert_eq!(read.key_id(), ann.id());
    // Results belong to the same client as their inputs; prepared tables serve all clients.
    let output = ann_key.lookup(&input, &prepared, silent).unwrap();
    assert_eq!(output.key_id(), ann.id());
    assert_eq!(ann.decrypt(&output).unwrap(), [14, 13, 12]);
    assert!(is_other(&bob.decrypt(&output).unwrap_err()));
}

#[test]
fn tables_of_other_parameters_are_refused() {
    let toy = |(input, output)| common::keys(&Parameters::insecure_toy(input, output).unwrap());
    let keys = [(4, 4), (4, 16), (16, 4)].map(toy);
    let table = Table::from_fn(4, 4, |x| 3 - x).unwrap();
    let prepared = keys[0].1.prepare(&table).unwrap();
    assert_eq!((prepared.input_modulus(), prepared.output_modulus()), (4, 4));
    assert!(prepared.memory_bytes() > 0);
    for (secret, key) in &keys[1..] {
        let input = secret.encrypt(&[1]).unwrap();
        let error = key.lookup(&input, &prepared, Progress::silent()).unwrap_err();
        assert!(matches!(error, Error::OtherParameters { .. }), "{error}");
        assert!(matches!(key.prepare(&table).unwrap_err(), Error::Mismatch { .. }));
    }
    let (secret, key) = &keys[0];
    let input = secret.encrypt(&[1]).unwrap();
    let error = key.lookup_many(&input, &[], Progress::silent()).unwrap_err();
    assert!(matches!(error, Error::TooSmall { name: "number of tables", .. }), "{error}");
    let error = key.lookup_digits(&[input], &[&prepared], Progress::silent()).unwrap_err();
    assert!(error.to_string().contains("has no digits"), "{error}");
}

#[test]
fn prepared_tables_serve_many_lookups() {
    let toys = [
        Parameters::insecure_toy(16, 16).unwrap(),
        Parameters::insecure_toy(2, 16).unwrap(),
        Parameters::insecure_toy_tree(16, 1024, 1024, tree(&[4, 4], 0), 0).unwrap(),
    ];
    for parameters in toys {
        let p = parameters.input_modulus();
        let table = Table::from_fn(p, 16, |x| (7 * x + 3) % 16).unwrap();
        let [(ann, ann_key), (bob, bob_key)] = clients(&parameters);
        let prepared = ann_key.prepare(&table).unwrap();
        for start in 0..2 {
            for (secret, key) in [(&ann, &ann_key), (&bob, &bob_key)] {
                let values: Vec<u64> = (0..100).map(|k| (start + k) % p).collect();
                let input = secret.encrypt(&values).unwrap();
                let twice = [&prepared, &prepared];
                let outputs = key.lookup_many(&input, &twice, Progress::silent()).unwrap();
                for output in &outputs {
                    assert_eq!(secret.decrypt(output).unwrap(), common::outputs(&table, &values));
                }
            }
        }
    }
}

#[test]
fn lookups_and_key_generation_stop_when_told_to() {
    let akp = Parameters::insecure_toy(16, 16).unwrap();
    let tree = Parameters::insecure_toy_tree(64, 1024, 1024, tree(&[4, 4, 4], 1), 0).unwrap();
    for parameters in [akp, tree] {
        let (secret, key) = common::keys(&parameters);
        let (p, output) = (parameters.input_modulus(), parameters.output_modulus());
        let table = Table::from_fn(p, output, |x| x % output).unwrap();
        let prepared = key.prepare(&table).unwrap();
        let input = secret.encrypt(&[3, 2, 1]).unwrap();
        let look_up = |progress: Progress<'_>| key.lookup(&input, &prepared, progress);
        let total = reports(look_up).len() - 1;
        for steps in [0, 1, total / 2, total - 1, total] {
            match stopped_after(steps, look_up) {
                Error::Cancelled { done, total: all } => {
                    assert!((steps..=steps + 1).contains(&done) && all == total, "{done} of {all}");
                }
                error => panic!("{error}"),
            }
        }
        // A cancelled lookup leaves nothing behind that harms a later one.
        let again = look_up(Progress::silent()).unwrap();
        assert_eq!(secret.decrypt(&again).unwrap(), [3, 2, 1]);
        let error = stopped_after(3, |progress| secret.evaluation_key(progress));
        assert!(matches!(error, Error::Cancelled { done: 3, .. }), "{error}");
        let write =
            |progress: Progress<'_>| secret.write_evaluation_key(&mut std::io::sink(), progress);
        assert!(matches!(stopped_after(2, write), Error::Cancelled { done: 2, .. }));
        if parameters.literal().multiplexer.is_some() {
            let tables = SlotTables::new(vec![table; 3]).unwrap();
            let look_up = |progress: Progress<'_>| key.lookup_slots(&input, &tables, progress);
            let total = reports(look_up).len() - 1;
            let error = stopped_after(total - 4, look_up);
            assert!(matches!(error, Error::Cancelled { .. }), "{error}");
            let decompose = |progress: Progress<'_>| {
                let identity = Table::from_fn(4, 4, |x| x)?;
                key.decompose(&input, &vec![vec![identity]; 3], progress)
            };
            assert!(matches!(stopped_after(9, decompose), Error::Cancelled { done: 9, .. }));
        }
    }
}

#[test]
fn insecure_parameters_are_refused_unless_allowed() {
    let parameters = Parameters::insecure_toy(4, 4).unwrap();
    assert_eq!(parameters.security_level(), SecurityLevel::Insecure);
    assert_eq!(parameters.security_bits(), 0.0);
    assert!(parameters.to_string().contains("INSECURE"), "{parameters}");
    let secret = SecretKey::generate(&parameters);
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, Progress::silent()).unwrap();
    let strict = ReadOptions::default();
    for error in [
        Parameters::from_bytes(&parameters.to_bytes(), strict).unwrap_err(),
        SecretKey::from_bytes(&secret.to_bytes(), strict).unwrap_err(),
        EvaluationKey::from_shared(Arc::new(file), strict).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Insecure), "{error}");
    }
    let read = Parameters::from_bytes(&parameters.to_bytes(), allowed()).unwrap();
    assert_eq!(read.digest(), parameters.digest());
    assert_eq!(SecretKey::from_bytes(&secret.to_bytes(), allowed()).unwrap().id(), secret.id());
    // The claimed security is checked; the name is only a name.
    let mut literal = parameters.literal().clone();
    literal.security = SecurityLevel::Bits128;
    assert!(matches!(Parameters::new(literal).unwrap_err(), Error::Security(_)));
    let mut literal = parameters.literal().clone();
    literal.name = "secure".into();
    let bytes = serde_json::to_vec(&literal).unwrap();
    assert!(matches!(Parameters::from_bytes(&bytes, strict).unwrap_err(), Error::Insecure));
}

/// A change to a literal.
type Change = fn(&mut ParametersLiteral);

/// Replaces the digits and selectors of a tree.
fn digits(literal: &mut ParametersLiteral, digits: &[u64], selectors: &[usize]) {
    let tree = literal.multiplexer.as_mut().unwrap();
    (tree.digits, tree.selectors) = (digits.to_vec(), selectors.to_vec());
    literal.input_modulus = digits.iter().fold(1, |product, &x| product.wrapping_mul(x));
}

/// Changes to a literal that make no sense, and whether they apply to trees only.
const ABSURDITIES: &[(bool, Change)] = &[
    (true, |l| digits(l, &[2; 24], &[23, 1])),
    (true, |l| digits(l, &[2; 24], &[1, 23])),
    (true, |l| digits(l, &[u64::MAX, u64::MAX], &[1, 1])),
    (true, |l| digits(l, &[4, 4], &[usize::MAX, 3])),
    (true, |l| digits(l, &[4, 4], &[])),
    (true, |l| digits(l, &[], &[1, 1])),
    (true, |l| digits(l, &[2; 64], &[1; 64])),
    (true, |l| l.multiplexer.as_mut().unwrap().delta_cleanings = u32::MAX),
    (true, |l| l.multiplexer.as_mut().unwrap().entry_levels = u32::MAX),
    (true, |l| l.multiplexer.as_mut().unwrap().spare_bits = u32::MAX),
    (true, |l| l.multiplexer.as_mut().unwrap().table_bits = u32::MAX),
    (true, |l| l.multiplexer.as_mut().unwrap().table_bits = 1),
    (false, |l| l.log2_special = 0.5),
    (false, |l| l.log2_special = 0.0),
    (false, |l| l.log2_special = f64::NAN),
    (false, |l| l.log2_special = 1e300),
    (false, |l| l.log2_scale = 0.5),
    (false, |l| l.log2_scale = f64::INFINITY),
    (false, |l| l.log2_scale = 61.0),
    (false, |l| l.constant_bits = f64::NAN),
    (false, |l| l.constant_bits = 1000.0),
    (false, |l| l.coeffs_to_slots.primes = usize::MAX),
    (false, |l| l.coeffs_to_slots.primes = 1 << 40),
    (false, |l| l.slots_to_coeffs.primes = 0),
    (false, |l| l.slots_to_coeffs.primes = usize::MAX / 2),
    (false, |l| l.coeffs_to_slots.baby_steps = usize::MAX),
    (false, |l| l.coeffs_to_slots.keyed_babies = Some(0)),
    (false, |l| l.coeffs_to_slots.keyed_babies = Some(9)),
    (false, |l| l.slots_to_coeffs.keyed_babies = Some(usize::MAX)),
    (false, |l| l.coeffs_to_slots.matrix_babies = vec![[4, 4]; 99]),
    (false, |l| l.coeffs_to_slots.matrix_babies = vec![[0, 0]; l.coeffs_to_slots.stages.len()]),
    (false, |l| l.slots_to_coeffs.matrix_babies = vec![[4, 5]; l.slots_to_coeffs.stages.len()]),
    (false, |l| {
        l.slots_to_coeffs.matrix_babies = vec![[usize::MAX; 2]; l.slots_to_coeffs.stages.len()];
    }),
    (false, |l| l.coeffs_to_slots.stages = vec![u32::MAX, 10]),
    (false, |l| l.coeffs_to_slots.stages = vec![1 << 31, 1 << 31, 9]),
    (false, |l| l.slots_to_coeffs.stages = vec![9]),
    (false, |l| l.slots_to_coeffs.stages = vec![]),
    (false, |l| l.slots_to_coeffs.stages = vec![0; 1 << 16]),
    (false, |l| l.trace_halvings = TraceHalvings(0)),
    (false, |l| l.trace_halvings = TraceHalvings(u32::MAX)),
    (false, |l| l.output_range = Some(0)),
    (false, |l| l.output_range = Some(u64::MAX)),
    (true, |l| l.output_range = Some(1)),
    (false, |l| l.dnum = 0),
    (false, |l| l.dnum = usize::MAX),
    (false, |l| l.relinearization = vec![[1, 1]]),
    (false, |l| l.relinearization = vec![[usize::MAX, 2]]),
    (false, |l| l.relinearization = vec![[20, 0]]),
    (false, |l| l.relinearization = vec![[20, 2]; 1 << 16]),
    (false, |l| l.chebyshev_log_length = u32::MAX),
    (false, |l| l.chebyshev_left_out = u32::MAX),
    (false, |l| l.chebyshev_left_out = 1 << (l.chebyshev_log_length - 1)),
    (false, |l| l.chebyshev_log_babies = 0),
    (false, |l| l.log_babies = u32::MAX),
    (false, |l| l.doublings = u32::MAX),
    (false, |l| l.exponential_cleanings = u32::MAX),
    (false, |l| l.log2_ciphertext_modulus = 64),
    (false, |l| l.log2_ciphertext_modulus = 2),
    (false, |l| l.sparse_weight = 0),
    (false, |l| l.sparse_weight = u32::MAX),
    (false, |l| l.log2_fail = f64::NEG_INFINITY),
    (false, |l| l.log2_fail = f64::NAN),
    (false, |l| l.log2_fail = 3.0),
    (false, |l| l.ring_degree = 0),
    (false, |l| l.ring_degree = 1000),
    (false, |l| l.ring_degree = usize::MAX),
    (false, |l| l.slots = 0),
    (false, |l| l.slots = 1 << 60),
    (false, |l| l.slots = 24),
    (false, |l| l.input_modulus = 0),
    (false, |l| l.input_modulus = u64::MAX),
    (false, |l| l.output_modulus = 1),
    (false, |l| l.output_modulus = u64::MAX),
    (false, |l| l.name = "\u{1b}[2J".into()),
    (false, |l| l.name = "x".repeat(1 << 12)),
];

#[test]
fn absurd_literals_are_refused_at_once() {
    let toys = [
        Parameters::insecure_toy(16, 16).unwrap(),
        Parameters::insecure_toy_tree(16, 1024, 1024, tree(&[4, 4], 0), 0).unwrap(),
        Parameters::choose(&Request::new(16, 16)).unwrap(),
    ];
    for parameters in toys {
        for (index, &(of_tree, change)) in ABSURDITIES.iter().enumerate() {
            let mut literal = parameters.literal().clone();
            if of_tree && literal.multiplexer.is_none() {
                continue;
            }
            change(&mut literal);
            let start = Instant::now();
            let error = Parameters::new(literal.clone()).map(|_| ()).unwrap_err();
            assert!(start.elapsed() < Duration::from_secs(5), "{index}: {error}");
            assert!(error.to_string().len() < 1 << 20);
            // Readers also refuse the literal, if JSON can express it.
            if let Ok(bytes) = serde_json::to_vec(&literal) {
                assert!(Parameters::from_bytes(&bytes, allowed()).is_err(), "{index}");
            }
        }
    }
    // Unknown fields, and bytes that are not a literal.
    let text = String::from_utf8(Parameters::insecure_toy(4, 4).unwrap().to_bytes()).unwrap();
    let more = text.replacen('{', "{\"unknown\":1,", 1);
    assert!(Parameters::from_bytes(more.as_bytes(), allowed()).is_err());
    assert!(Parameters::from_bytes(b"{}", allowed()).is_err());
}

#[test]
fn absurd_requests_are_refused() {
    let base = Request::new(16, 16);
    for request in [
        Request::new(0, 2),
        Request::new(2, 0),
        Request::new(u64::MAX, 2),
        Request::new(2, u64::MAX),
        Request { log2_fail: Some(f64::NAN), ..base },
        Request { log2_fail: Some(f64::NEG_INFINITY), ..base },
        Request { log2_fail: Some(0.0), ..base },
        Request { ring_degree: Some(0), ..base },
        Request { ring_degree: Some(1 << 40), ..base },
        Request { ring_degree: Some(48), ..base },
        Request { digit_bits: Some(0), ..base },
        Request { digit_bits: Some(64), ..base },
        Request { tables: 0, ..base },
        Request { tables: usize::MAX, ..base },
        Request { memory: Some(0), ..base },
        Request { method: Some(Method::Akp), ..Request::new(1 << 15, 2) },
    ] {
        assert!(Parameters::candidates(&request).is_err(), "{request:?}");
    }
    // Any number of values can be served, by several ciphertexts.
    for count in [0, usize::MAX] {
        Parameters::choose(&Request { count: Some(count), ..base }).unwrap();
    }
}

#[test]
fn requests_say_what_is_wanted() {
    let base = Request::new(256, 256);
    let akp = Request { method: Some(Method::Akp), ..base };
    let strict = Parameters::choose(&Request { log2_fail: Some(-100.0), ..akp }).unwrap();
    assert!(strict.log2_fail() <= -100.0);
    let loose = Parameters::choose(&Request { log2_fail: Some(-20.0), ..akp }).unwrap();
    assert!(loose.log2_fail() <= -20.0);
    let many = Request { tables: 8, ..akp };
    let parameters = Parameters::choose(&many).unwrap();
    let (one, eight) = (parameters.prediction(), parameters.prediction_of(8));
    assert!(eight.work.transforms > 1.5 * one.work.transforms);
    assert!(eight.working_bytes > one.working_bytes);
    assert_eq!(eight.key_memory_bytes, one.key_memory_bytes);
    for method in Method::ALL {
        assert_eq!(method.to_string().to_lowercase().parse::<Method>().unwrap(), method);
        let found = Parameters::choose(&Request { method: Some(method), ..base }).unwrap();
        let name = found.method_name();
        assert!(name.starts_with(&method.to_string()), "{name}");
        assert!(found.to_string().contains(&name) && found.to_string().contains("256 -> 256"));
    }
    assert!("fhew".parse::<Method>().unwrap_err().to_string().contains("AKP, BMT and CMT"));
    let names: Vec<String> =
        Parameters::candidates(&base).unwrap().iter().map(Parameters::method_name).collect();
    assert!(names.iter().any(|name| name == "AKP"), "{names:?}");
    assert!(names.iter().any(|name| name == "BMT 2^8"), "{names:?}");
}
