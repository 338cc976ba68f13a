//! Tests of failure probabilities in every engine: 2^-128 on request, and refusals by readers of keys and parameters.
#![cfg(feature = "client")]

use std::time::{Duration, Instant};

use cryptable::engines::{leveled, packed, single};
use cryptable::{
    Engine, Error, FailureProbability, Parameters, ReadOptions, Request, SecretKey, gates, inspect,
    large_values, transciphering,
};

/// Longest time that reading parameters may take, whatever they are. The largest trees take about a second on an idle
/// machine; this is many times longer, for busy ones.
const MOST_TIME: Duration = Duration::from_secs(30);

/// Returns log2 of the failure probability of a ciphertext under the best parameters for a request.
fn reached(engine: Engine, bits: u32, log2_fail: f64) -> f64 {
    let request = Request::new(1 << bits, 1 << bits).engine(engine).log2_fail(log2_fail);
    let plan = request.cost_model(Default::default()).plan().unwrap();
    plan.best().parameters().failure_probability().log2()
}

#[test]
fn every_engine_reaches_2_to_the_minus_128() {
    for (engine, widths) in [
        (Engine::Packed, &[1, 4][..]),
        (Engine::Single, &[1, 2, 3, 4]),
        (Engine::Leveled, &[1, 2, 8, 16, 24]),
    ] {
        for &bits in widths {
            let found = reached(engine, bits, -128.0);
            assert!(found <= -128.0, "{engine}, {bits} bits: 2^{found}");
        }
    }
    let gates = gates::Parameters::with_log2_fail(-128.0).unwrap();
    assert!(gates.log2_fail() <= -128.0 && gates.security_bits() >= 128.0);
    let aes = transciphering::Parameters::with_log2_fail(-128.0).unwrap();
    assert!(aes.log2_fail() <= -128.0 && aes.security_bits() >= 128.0);
    for bits in 4..=24 {
        let numbers = large_values::Parameters::with_log2_fail(bits, -128.0).unwrap();
        assert!(numbers.log2_fail() <= -128.0 && numbers.security_bits() >= 128.0, "{bits}");
        let read =
            large_values::Parameters::from_bytes(&numbers.to_bytes(), ReadOptions::default());
        let read = read.unwrap();
        assert_eq!((read.digest(), read.log2_fail()), (numbers.digest(), numbers.log2_fail()));
    }
}

#[test]
#[ignore = "slow: run by make test-all"]
fn packed_tables_of_any_width_reach_2_to_the_minus_128() {
    for bits in [8, 12, 16, 20, 24] {
        let found = reached(Engine::Packed, bits, -128.0);
        assert!(found <= -128.0, "{bits} bits: 2^{found}");
    }
}

#[test]
fn defaults_are_2_to_the_minus_64_a_ciphertext() {
    for (engine, bits) in [(Engine::Packed, 4), (Engine::Single, 4), (Engine::Leveled, 4)] {
        let request = Request::new(1 << bits, 1 << bits).engine(engine);
        let plan = request.cost_model(Default::default()).plan().unwrap();
        let parameters = plan.best().parameters();
        let [value, ciphertext] =
            [parameters.value_failure_probability(), parameters.failure_probability()];
        assert!(ciphertext <= FailureProbability::DEFAULT, "{engine}: {ciphertext}");
        assert_eq!(value.of_any(parameters.values_per_ciphertext()), ciphertext);
    }
}

#[test]
fn what_cannot_be_reached_is_refused_with_what_can() {
    let message = |engine| {
        let request = Request::new(64, 64).engine(engine).log2_fail(-900.0);
        request.cost_model(Default::default()).plan().unwrap_err().to_string()
    };
    for engine in [Engine::Single, Engine::Leveled] {
        let message = message(engine);
        assert!(message.contains("2^-"), "{message}");
    }
    let method = Some(packed::Method::Akp);
    let twelve_bits = packed::Request { method, ..packed::Request::new(4096, 4096) };
    let error = packed::Parameters::choose(&twelve_bits).map(drop).unwrap_err();
    let Error::FailureUnreachable { found, limit, .. } = error else { panic!("{error}") };
    assert!(limit == -64.0 && (-64.0..0.0).contains(&found), "{found}");
    for error in [
        gates::Parameters::with_log2_fail(-1e6).unwrap_err(),
        large_values::Parameters::with_log2_fail(24, -900.0).unwrap_err(),
        transciphering::Parameters::with_log2_fail(-900.0).unwrap_err(),
    ] {
        assert!(
            matches!(error, Error::FailureUnreachable { found, .. } if found < -128.0),
            "{error}"
        );
    }
}

/// Returns 128-bit parameters of every engine whose values fail with a probability between 2^-40 and 2^-5.
fn often_failing() -> [Parameters; 3] {
    let often = Some(-8.0);
    let packed = packed::Request { log2_fail: often, ..packed::Request::new(2, 2) };
    let single = single::Request { log2_fail: often, ..single::Request::new(16, 16) };
    let shallow = Some("cmux-depth-2".parse().unwrap());
    let leveled =
        leveled::Request { log2_fail: often, method: shallow, ..leveled::Request::new(1 << 24, 2) };
    [
        packed::Parameters::choose(&packed).unwrap().into(),
        single::Parameters::choose(&single).unwrap().into(),
        leveled::Parameters::candidates(&leveled).unwrap().swap_remove(0).into(),
    ]
}

#[test]
fn keys_whose_values_fail_often_are_refused() {
    for parameters in often_failing() {
        let (engine, found) = (parameters.engine(), parameters.value_failure_probability());
        assert!(parameters.security_bits() >= 128.0);
        assert!((-40.0..-5.0).contains(&found.log2()), "{engine}: {found}");
        let strict = ReadOptions::default();
        let told = strict.allow_failures(found);
        let secret = SecretKey::generate(&parameters);
        for error in [
            Parameters::from_bytes(engine, &parameters.to_bytes(), strict).unwrap_err(),
            SecretKey::from_bytes(&secret.to_bytes(), strict).unwrap_err(),
            // Toys have to keep the limit, too.
            SecretKey::from_bytes(&secret.to_bytes(), strict.allow_insecure()).unwrap_err(),
        ] {
            let message = error.to_string();
            assert!(matches!(error, Error::WeakFailureProbability { .. }), "{engine}: {error}");
            assert!(message.contains(&found.to_string()) && message.contains("2^-40"), "{message}");
        }
        assert_eq!(SecretKey::from_bytes(&secret.to_bytes(), told).unwrap().id(), secret.id());
        // The contents of the file can still be inspected.
        let seen = inspect(&secret.to_bytes()).unwrap().parameters.unwrap();
        assert_eq!(seen.value_failure_probability(), found);
        assert_eq!(seen.failure_probability(), parameters.failure_probability());
    }
}

/// Returns the bytes of parameters with one text replaced by another.
fn forged(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    text.replacen(from, to, 1).into_bytes()
}

#[test]
fn gates_integers_and_aes_that_fail_often_are_refused() {
    let strict = ReadOptions::default();
    // Key switching drops most of the phase: the parameters are as secure as before, but produce mostly noise.
    let digits = r#""key_switching":{"base_log2":3,"length":4}"#;
    let coarse = r#""key_switching":{"base_log2":3,"length":2}"#;
    let gates = forged(&gates::Parameters::default_128().to_bytes(), digits, coarse);
    let error = gates::Parameters::from_bytes(&gates, strict).unwrap_err();
    assert!(matches!(error, Error::WeakFailureProbability { .. }), "{error}");
    let certain = strict.allow_failures(FailureProbability::from_log2(0.0));
    let read = gates::Parameters::from_bytes(&gates, certain).unwrap();
    assert!(read.log2_fail() > -40.0 && read.security_bits() >= 128.0);

    let digits = r#""key_switching":{"base_log2":2,"length":8}"#;
    let numbers = large_values::Parameters::new(8).unwrap().to_bytes();
    let coarse = forged(&numbers, digits, r#""key_switching":{"base_log2":2,"length":7}"#);
    // The parameters state the planned probability, but do not reach it.
    let error = large_values::Parameters::from_bytes(&coarse, strict).unwrap_err();
    assert!(matches!(error, Error::FailureUnreachable { .. }), "{error}");
    // If they state the actual probability, it is above what readers accept.
    let mut often = coarse;
    assert_eq!(often.pop(), Some(b'}'));
    often.extend_from_slice(br#","log2_fail":-1.0}"#);
    let error = large_values::Parameters::from_bytes(&often, strict).unwrap_err();
    assert!(matches!(error, Error::WeakFailureProbability { .. }), "{error}");
    assert!(large_values::Parameters::from_bytes(&often, certain).is_ok());

    // A block of AES has its own limit, whatever the reader allows.
    let one_bit = leveled::Request {
        method: Some("cmux-depth-2".parse().unwrap()),
        ..leveled::Request::new(2, 2)
    };
    let one_bit = leveled::Parameters::candidates(&one_bit).unwrap().swap_remove(0);
    let block = one_bit.circuit_bootstrapping().to_bytes();
    let error = transciphering::Parameters::from_bytes(&block, certain).unwrap_err();
    assert!(matches!(error, Error::FailureProbability { .. }), "{error}");
}

/// Checks that security is computed for every secret: of LWE, of the ring, and of the ring between them.
#[test]
fn claims_of_security_are_checked_of_every_secret() {
    let strict = ReadOptions::default();
    let request = single::Request::new(16, 16);
    let values = single::Parameters::choose(&request).unwrap().to_bytes();
    let small = r#""intermediate":{"degree":1024,"log2_prime":24.9"#;
    let weak = r#""intermediate":{"degree":1024,"log2_prime":29.0"#;
    let error = single::Parameters::from_bytes(&forged(&values, small, weak), strict).unwrap_err();
    assert!(matches!(error, Error::Security(_)), "{error}");
    let gates = gates::Parameters::default_128().to_bytes();
    for (from, to) in [
        (r#""lwe_dimension":662"#, r#""lwe_dimension":600"#),
        (r#""log2_prime":24.9"#, r#""log2_prime":29.0"#),
    ] {
        let error = gates::Parameters::from_bytes(&forged(&gates, from, to), strict).unwrap_err();
        assert!(matches!(error, Error::Security(_)), "{error}");
    }
    let numbers = large_values::Parameters::new(8).unwrap().to_bytes();
    let error =
        large_values::Parameters::from_bytes(&forged(&numbers, small, weak), strict).unwrap_err();
    assert!(matches!(error, Error::Security(_)), "{error}");
    let aes = transciphering::Parameters::default_128().to_bytes();
    let error = transciphering::Parameters::from_bytes(&forged(&aes, small, weak), strict);
    assert!(matches!(error.unwrap_err(), Error::Security(_)));
    let toy = packed::Parameters::insecure_toy(4, 4).unwrap().to_bytes();
    let claim = forged(&toy, r#""security":"insecure""#, r#""security":"bits128""#);
    let error = packed::Parameters::from_bytes(&claim, strict).unwrap_err();
    assert!(matches!(error, Error::Security(_)), "{error}");
}

#[test]
fn a_stated_probability_is_not_believed() {
    let often = &often_failing()[0];
    let bytes = forged(&often.to_bytes(), r#""log2_fail":-23.0"#, r#""log2_fail":-80.0"#);
    let error = Parameters::from_bytes(Engine::Packed, &bytes, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::FailureProbability { .. }), "{error}");
}

#[test]
fn parameters_of_any_numbers_are_read_in_bounded_time() {
    let all = ReadOptions::default()
        .allow_insecure()
        .allow_failures(FailureProbability::from_log2(f64::INFINITY));
    let single = single::Parameters::insecure_toy(4, 4).unwrap().to_bytes();
    // All of these have the largest allowed value: degree, dimension, primes, and automorphisms.
    let mut largest = serde_json::from_slice::<serde_json::Value>(&single).unwrap();
    let numbers = &mut largest["numbers"];
    numbers["ring_degree"] = 8192.into();
    numbers["lwe_dimension"] = 4096.into();
    numbers["log2_prime"] = 49.9.into();
    numbers["log2_lwe_modulus"] = 35.into();
    for window in [1, 7, 4095] {
        let digits = serde_json::json!({ "base_log2": 9, "length": 5 });
        let method = serde_json::json!({ "Automorphism": { "window": window, "digits": digits } });
        largest["numbers"]["rotation_method"] = method;
        let bytes = serde_json::to_vec(&largest).unwrap();
        let start = Instant::now();
        let read = single::Parameters::from_bytes(&bytes, all);
        assert!(read.is_ok(), "window {window}");
        assert!(start.elapsed() < MOST_TIME, "window {window}: {:?}", start.elapsed());
    }
    // Trees over the largest number of digits on the largest ring, with few selectors and with many.
    let tree = |count| packed::MultiplexerLiteral {
        digits: vec![2; count],
        selectors: vec![1; count],
        ..Default::default()
    };
    let toy = packed::Parameters::insecure_toy_tree(4, 1024, 1024, tree(2), 0).unwrap();
    for selectors in [vec![12, 12], vec![4; 6]] {
        let mut literal = toy.literal().clone();
        literal.input_modulus = 1 << 24;
        literal.multiplexer = Some(packed::MultiplexerLiteral { selectors, ..tree(24) });
        (literal.ring_degree, literal.slots) = (1 << 17, 1 << 17);
        literal.log2_ciphertext_modulus = 44;
        for dft in [&mut literal.coeffs_to_slots, &mut literal.slots_to_coeffs] {
            dft.stages = vec![6, 5, 5];
        }
        let bytes = serde_json::to_vec(&literal).unwrap();
        let start = Instant::now();
        let read = packed::Parameters::from_bytes(&bytes, all);
        // Only a dry run shows whether the parameters are good.
        let is_run = matches!(read, Ok(_) | Err(Error::FailureProbability { .. }));
        assert!(is_run, "{read:?}");
        assert!(start.elapsed() < MOST_TIME, "{:?}", start.elapsed());
    }
}
