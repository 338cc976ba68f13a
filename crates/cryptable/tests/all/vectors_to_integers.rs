//! Tests of real numbers in slots that are extracted as single integers with exact signs and digits: CKKS, packed
//! values and large values with keys of one client.
#![cfg(feature = "client")]

use cryptable::bridges::{Function, IntegerParameters, Integers};
use cryptable::ckks::{self, KeySet, PackedKey, Polynomial};
use cryptable::engines::packed;
use cryptable::{Progress, Request, SecretKey, large_values};

const SILENT: Progress<'static> = Progress::silent();

/// Bits of the integers.
const BITS: u32 = 8;

/// Evaluates 64x² - 32 on vectors, and extracts some slots: signs, digits and the values themselves.
fn check(vectors: &ckks::Parameters, bridge: &IntegerParameters, places: usize) {
    // The client has one secret for vectors and packed values, and one for single integers.
    let secret = SecretKey::generate(bridge);
    let integers = secret.integer_bridge().unwrap();
    let reals = ckks::SecretKey::sharing(vectors, integers.packed()).unwrap();
    let shared = reals.shared_secret(integers.packed()).unwrap();
    let server = secret.evaluation_key();
    let keys = server.integer_bridge().unwrap();
    let server = reals.evaluation_key_for(&KeySet::new().lookups(), SILENT).unwrap();
    let x: Vec<f64> = (0..vectors.slots()).map(|j| (j % 17) as f64 / 8.0 - 1.0).collect();
    let input = reals.encrypt_reals(&x).unwrap();

    // The server computes numbers with errors, then integers without.
    let squares = Polynomial::interpolate(|x| 64.0 * x * x - 32.0, 1.0, 2).unwrap();
    let y = server.polynomial(&input, &squares).unwrap();
    let (packed_key, functions) = keys.ends();
    let packed = PackedKey { key: packed_key, shared };
    let values = server.to_packed(&y, 1 << BITS, packed).unwrap();
    let some = keys.bridge().to_integers(keys.ends(), &values, 0..places).unwrap();
    let signs = functions.sign(&some, SILENT).unwrap();
    let digits = functions.to_radix(&some, SILENT).unwrap();

    // The client again. Packed value t is that of the slot whose bit-reversed number is t.
    let expected: Vec<i64> = (0..places)
        .map(|t| (64.0 * x[vectors.packed_index(t)].powi(2) - 32.0).round() as i64)
        .collect();
    let single = integers.single();
    assert_eq!(single.decrypt(&some).unwrap(), expected);
    let negative: Vec<u64> = expected.iter().map(|&y| u64::from(y < 0)).collect();
    assert_eq!(single.decrypt_small(&signs).unwrap(), negative);
    for (digits, y) in digits.iter().zip(&expected) {
        let found = single.decrypt_radix(digits).unwrap();
        assert_eq!(found, y.rem_euclid(1 << BITS) as u64);
    }
}

#[test]
fn slots_of_toys_become_exact_integers() {
    let (degree, slots) = (2048, 1024);
    let mut literal = ckks::Parameters::insecure_toy_bootstrapping().unwrap().literal().clone();
    (literal.ring_degree, literal.slots) = (degree, slots);
    let bootstrapping = literal.bootstrapping.as_mut().expect("a set with bootstrapping");
    // The toy's ring is half as large.
    bootstrapping.slots_to_coeffs.stages[0] += 1;
    bootstrapping.coeffs_to_slots.stages[0] += 1;
    let vectors = ckks::Parameters::new(literal).unwrap();
    let packed = packed::Parameters::insecure_toy_of(16, 1 << BITS, degree, 2 * slots).unwrap();
    let single = large_values::Parameters::insecure_toy(BITS).unwrap();
    check(&vectors, &IntegerParameters::new(packed, single).unwrap(), 6);
}

/// Returns 128-bit parameters that fit each other.
fn full_size() -> (ckks::Parameters, IntegerParameters) {
    let vectors = ckks::Parameters::bootstrapping_128().unwrap();
    let next = Integers { bits: BITS, function: Function::ToRadix };
    let plan = Request::bridge(16, next).taken_out(64).plan().unwrap();
    (vectors, plan.parameters().clone())
}

#[test]
fn full_size_parameters_fit_each_other() {
    let (vectors, bridge) = full_size();
    let literal = bridge.packed().literal();
    assert_eq!(literal.ring_degree, vectors.literal().ring_degree);
    assert_eq!(literal.slots, 2 * vectors.slots());
    assert!(vectors.security_bits() >= 128.0 && bridge.packed().security_bits() >= 128.0);
}

/// Needs 5.6 GB of memory.
#[test]
#[ignore = "slow: run by make test-all"]
fn slots_become_exact_integers_at_full_size() {
    let (vectors, bridge) = full_size();
    check(&vectors, &bridge, 64);
}
