//! BMT, CMT and functional digit decomposition on toy rings: every input value, many kinds of tables.

use crate::common;

use common::{in_half_ring, look_up, look_up_many, outputs, prepare, reports, tables};
use cryptable_packed::{
    EvaluationKey, Method, MultiplexerLiteral, Parameters, Progress, Request, SecretKey, Table,
};
use cryptable_ring::random::replay;

fn literal(digits: &[u64], selectors: &[usize]) -> MultiplexerLiteral {
    MultiplexerLiteral {
        digits: digits.to_vec(),
        selectors: selectors.to_vec(),
        ..MultiplexerLiteral::default()
    }
}

fn toy(
    output: u64,
    slots: usize,
    multiplexer: MultiplexerLiteral,
    exponential_cleanings: u32,
) -> Parameters {
    Parameters::insecure_toy_tree(output, 1024, slots, multiplexer, exponential_cleanings).unwrap()
}

/// Returns every value of the input modulus, repeated over all slots.
fn every_value(parameters: &Parameters) -> Vec<u64> {
    let (p, slots) = (parameters.literal().input_modulus, parameters.literal().slots as u64);
    (0..slots).map(|i| (i + i / p) % p).collect()
}

/// Looks up every value in each table. Checks all results, and that the measured noise is neither above nor far below
/// the prediction.
fn check(parameters: &Parameters, tables: &[Table]) -> (SecretKey, EvaluationKey) {
    let (secret, keys) = common::keys(parameters);
    let values = every_value(parameters);
    let input = secret.encrypt(&values).unwrap();
    let results = look_up_many(&keys, &input, tables);
    for (table, result) in tables.iter().zip(&results) {
        common::check_result(&secret, result, table, &outputs(table, &values));
    }
    (secret, keys)
}

#[test]
fn two_digits() {
    let _replay = replay::begin();
    for (digits, output) in [([4, 4], 16), ([4, 8], 32), ([16, 16], 256)] {
        let literal = literal(&digits, &[1, 1]);
        let parameters = toy(output, 1024, literal, 0);
        check(&parameters, &tables(digits.iter().product(), output));
    }
}

#[test]
fn moduli_that_are_no_powers_of_two() {
    let _replay = replay::begin();
    for (digits, output) in [([3, 5], 15), ([10, 6], 7), ([6, 10], 100)] {
        let literal = literal(&digits, &[1, 1]);
        let parameters = toy(output, 1024, literal, 0);
        check(&parameters, &tables(digits.iter().product(), output));
    }
}

#[test]
fn many_selectors_and_kronecker_products() {
    let _replay = replay::begin();
    let groupings: [(&[u64], &[usize]); 5] = [
        (&[4, 4, 4], &[1, 1, 1]),
        (&[4, 4, 4], &[2, 1]),
        (&[4, 4, 4], &[1, 2]),
        (&[2, 4, 2, 4], &[1, 1, 1, 1]),
        (&[4, 2, 4, 2, 2], &[1, 1, 3]),
    ];
    for (digits, selectors) in groupings {
        let p = digits.iter().product();
        let parameters = toy(p, 1024, literal(digits, selectors), 0);
        check(&parameters, &tables(p, p)[..2]);
    }
}

#[test]
fn binary_trees() {
    let _replay = replay::begin();
    for (bits, selectors) in [(4, vec![2, 2]), (6, vec![3, 3]), (6, vec![2, 1, 3])] {
        let literal = literal(&vec![2; bits], &selectors);
        let parameters = toy(1 << bits, 1024, literal, 0);
        check(&parameters, &tables(1 << bits, 1 << bits));
    }
}

#[test]
fn real_slots() {
    let _replay = replay::begin();
    let trees: [(&[u64], &[usize], u32, u32); 4] = [
        (&[16, 16], &[1, 1], 0, 0),
        (&[3, 12], &[1, 1], 1, 0),
        (&[4, 2, 4], &[1, 2], 0, 0),
        (&[4, 2, 4], &[1, 1, 1], 0, 1),
    ];
    for (digits, selectors, exponential_cleanings, delta_cleanings) in trees {
        let multiplexer = MultiplexerLiteral { delta_cleanings, ..literal(digits, selectors) };
        let p = digits.iter().product();
        let parameters =
            Parameters::insecure_toy_real_tree(p, 1024, multiplexer, exponential_cleanings);
        check(&parameters.unwrap(), &tables(p, p));
    }
}

#[test]
fn sparse_packings() {
    let _replay = replay::begin();
    for slots in [8, 64, 512] {
        let parameters = toy(16, slots, literal(&[4, 4], &[1, 1]), 0);
        check(&parameters, &tables(16, 16)[..2]);
    }
}

#[test]
fn few_values_in_the_half_ring() {
    let _replay = replay::begin();
    let trees: [(&[u64], &[usize], u32); 3] =
        [(&[16, 16], &[1, 1], 0), (&[3, 4, 4], &[1, 2], 1), (&[2; 4], &[2, 2], 0)];
    for (digits, selectors, delta_cleanings) in trees {
        let multiplexer = MultiplexerLiteral { delta_cleanings, ..literal(digits, selectors) };
        let p = digits.iter().product();
        check(&in_half_ring(&toy(p, 128, multiplexer, 0)), &tables(p, p)[..2]);
    }
}

/// Checks selectors whose scale stays below their prime, of one digit and of several, in complex slots, real slots and
/// the half ring.
#[test]
fn selectors_spare_bits() {
    let _replay = replay::begin();
    let trees: [(&[u64], &[usize], u32); 3] =
        [(&[16, 16], &[1, 1], 6), (&[4, 4, 4], &[2, 1], 4), (&[3, 4, 4], &[1, 2], 5)];
    for (digits, selectors, spare_bits) in trees {
        let multiplexer = MultiplexerLiteral { spare_bits, ..literal(digits, selectors) };
        let p = digits.iter().product();
        let complex = toy(p, 1024, multiplexer.clone(), 0);
        let half = in_half_ring(&toy(p, 128, multiplexer.clone(), 0));
        let real = Parameters::insecure_toy_real_tree(p, 1024, multiplexer, 0).unwrap();
        for parameters in [complex, half, real] {
            check(&parameters, &tables(p, p)[..2]);
            check(&with_fewer_table_bits(&parameters, 2.0), &tables(p, p)[..1]);
        }
    }
    let refused = [
        MultiplexerLiteral { delta_cleanings: 1, ..literal(&[4, 4], &[1, 1]) },
        MultiplexerLiteral { entry_levels: 1, ..literal(&[4, 4], &[1, 1]) },
        literal(&[4, 2, 2], &[1, 2]),
    ];
    for of in refused {
        let of = MultiplexerLiteral { spare_bits: 1, ..of };
        let table_bits = MultiplexerLiteral { spare_bits: 0, table_bits: 100, ..of.clone() };
        for of in [of, table_bits] {
            let error = Parameters::insecure_toy_tree(16, 1024, 1024, of, 0).unwrap_err();
            assert!(error.to_string().contains("spare bits"), "{error}");
        }
    }
}

/// Returns the same parameters with primes of the table step, except q_0, that are `less` bits smaller.
fn with_fewer_table_bits(parameters: &Parameters, less: f64) -> Parameters {
    let mut literal = parameters.literal().clone();
    let tree = literal.multiplexer.as_mut().unwrap();
    let limbs = (literal.slots_to_coeffs.primes + tree.selectors.len()) as f64;
    tree.table_bits = (limbs * literal.log2_scale - (limbs - 1.0) * less) as u32;
    Parameters::new(literal).unwrap()
}

#[test]
fn every_kind_of_cleaning_gains_precision() {
    let _replay = replay::begin();
    // Outputs have 20 bits, so that the noise of deltas dominates.
    let noise = |multiplexer, exponential_cleanings| {
        let parameters = toy(1 << 20, 1024, multiplexer, exponential_cleanings);
        check(&parameters, &tables(64, 1 << 20)[..1]);
        parameters.failure().noise_ratio
    };
    let plain = literal(&[8, 8], &[1, 1]);
    let uncleaned = noise(plain.clone(), 0);
    assert!(noise(plain.clone(), 1) < uncleaned / 8.0);
    let once = MultiplexerLiteral { delta_cleanings: 1, ..plain.clone() };
    assert!(noise(once, 0) < uncleaned / 8.0);
    let twice = MultiplexerLiteral { delta_cleanings: 2, ..plain };
    assert!(noise(twice, 0) < uncleaned / 8.0);
    let and = MultiplexerLiteral { cleaning_and: true, ..literal(&[2; 6], &[2, 4]) };
    let error = Parameters::insecure_toy_tree(64, 1024, 1024, and, 0).unwrap_err().to_string();
    assert!(error.contains("cleaning_and"), "{error}");
}

#[test]
fn digits_and_functions_of_digits() {
    // Digits are unequal, the last is not the largest, and one is not a power of two.
    for spare_bits in [0, 6] {
        check_digits(MultiplexerLiteral { spare_bits, ..literal(&[8, 3, 4], &[1, 1, 1]) });
    }
}

fn check_digits(multiplexer: MultiplexerLiteral) {
    let sizes = multiplexer.digits.clone();
    let parameters = toy(96, 1024, multiplexer, 0);
    let (secret, keys) = common::keys(&parameters);
    let values = every_value(&parameters);
    let input = secret.encrypt(&values).unwrap();
    let tables: Vec<Vec<Table>> = sizes
        .iter()
        .map(|&p| {
            let identity = Table::from_fn(p, p, |d| d).unwrap();
            vec![identity, Table::from_fn(p, 5, |d| (d * d + 1) % 5).unwrap()]
        })
        .collect();
    let results = keys.decompose(&input, &tables, Progress::silent()).unwrap();
    let mut place = 1;
    for ((size, tables), results) in sizes.iter().zip(&tables).zip(&results) {
        for (table, result) in tables.iter().zip(results) {
            let expected: Vec<u64> =
                values.iter().map(|&v| table.values()[(v / place % size) as usize]).collect();
            assert_eq!(secret.decrypt(result).unwrap(), expected, "digit of size {size}");
        }
        place *= size;
    }
    let error = keys.decompose(&input, &tables[..2], Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("number of digits is 2") && error.contains('3'), "{error}");
    let error = keys.decompose(
        &input,
        &tables.clone().into_iter().rev().collect::<Vec<_>>(),
        Progress::silent(),
    );
    assert!(error.unwrap_err().to_string().contains("input modulus is 4"));
}

#[test]
fn inputs_in_several_ciphertexts() {
    let parameters = toy(64, 1024, literal(&[4, 4, 4], &[1, 1, 1]), 0);
    let (secret, keys) = common::keys(&parameters);
    let values = every_value(&parameters);
    for split in [4, 16] {
        let low: Vec<u64> = values.iter().map(|v| v % split).collect();
        let high: Vec<u64> = values.iter().map(|v| v / split).collect();
        let inputs = [
            secret.encrypt_digits(&low, split).unwrap(),
            secret.encrypt_digits(&high, 64 / split).unwrap(),
        ];
        let tables = tables(64, 64);
        let prepared = prepare(&keys, &tables);
        let prepared: Vec<_> = prepared.iter().collect();
        let results = keys.lookup_digits(&inputs, &prepared, Progress::silent()).unwrap();
        for (table, result) in tables.iter().zip(&results) {
            assert_eq!(secret.decrypt(result).unwrap(), outputs(table, &values));
        }
        let error = keys
            .lookup_digits(&inputs[..1], &prepared, Progress::silent())
            .unwrap_err()
            .to_string();
        assert!(error.contains("64") && error.contains(&split.to_string()), "{error}");
    }
    let error = secret.encrypt_digits(&[1, 4], 4).unwrap_err().to_string();
    assert!(error.contains("value 4 at position 1"), "{error}");
    let odd = secret.encrypt_digits(&[1], 5).unwrap();
    let table = keys.prepare(&tables(64, 64)[0]).unwrap();
    assert!(keys.lookup_digits(&[odd], &[&table], Progress::silent()).is_err());
}

#[test]
fn outputs_in_halves() {
    let whole = Table::from_fn(64, 1 << 16, |x| (x * 40_503 + 12_345) % (1 << 16)).unwrap();
    let halves = whole.halves().unwrap();
    let parameters = toy(256, 1024, literal(&[8, 8], &[1, 1]), 0);
    let (secret, keys) = common::keys(&parameters);
    let values = every_value(&parameters);
    let input = secret.encrypt(&values).unwrap();
    let results = look_up_many(&keys, &input, &halves);
    let [low, high] = [0, 1].map(|half| secret.decrypt(&results[half]).unwrap());
    for ((value, low), high) in values.iter().zip(low).zip(high) {
        assert_eq!(low + 256 * high, whole.values()[*value as usize]);
    }
}

#[test]
fn results_are_inputs_of_further_lookups() {
    let _replay = replay::begin();
    let parameters = toy(16, 1024, literal(&[4, 4], &[1, 1]), 0);
    let reverse = Table::from_fn(16, 16, |x| 15 - x).unwrap();
    let (secret, keys) = check(&parameters, std::slice::from_ref(&reverse));
    let values = every_value(&parameters);
    let once = look_up(&keys, &secret.encrypt(&values).unwrap(), &reverse);
    let twice = look_up(&keys, &once, &reverse);
    assert_eq!(secret.decrypt(&twice).unwrap(), values);
}

#[test]
fn progress_counts_every_step() {
    let parameters = toy(64, 64, literal(&[4, 4, 4], &[1, 1, 1]), 0);
    let (secret, keys) = common::keys(&parameters);
    let input = secret.encrypt(&[1, 2, 3]).unwrap();
    let tables = prepare(&keys, &tables(64, 64)[..2]);
    let tables: Vec<_> = tables.iter().collect();
    let seen = reports(|progress| keys.lookup_many(&input, &tables, progress));
    let total = seen[0].1;
    assert_eq!(seen, (0..=total).map(|done| (done, total)).collect::<Vec<_>>());
}

#[test]
fn full_size_parameters_exist_for_large_tables() {
    for (bits, memory) in
        [(8, 6), (10, 6), (11, 6), (12, 6), (13, 9), (14, 9), (16, 9), (18, 12), (20, 20)]
    {
        let request = Request {
            method: Some(Method::Cmt),
            memory: Some(memory * 1_000_000_000),
            ..Request::new(1 << bits, 1 << bits)
        };
        let parameters = Parameters::choose(&request).unwrap();
        assert!(parameters.security_bits() >= 128.0);
        // A ciphertext has 2^16 values.
        assert!(parameters.failure().value_log2_fail() <= -80.0, "{bits} bits");
    }
}

#[test]
fn literals_that_make_no_sense_are_refused() {
    let refused = |digits: &[u64], selectors: &[usize]| {
        Parameters::insecure_toy_tree(4, 1024, 1024, literal(digits, selectors), 0).is_err()
    };
    assert!(refused(&[4, 4], &[2]), "no rows");
    assert!(refused(&[4, 4], &[1, 2]), "more digits than there are");
    assert!(refused(&[4, 4], &[1, 0, 1]), "an empty selector");
    assert!(refused(&[4, 1], &[1, 1]), "a digit of one value");
    assert!(refused(&[4, 1024], &[1, 1]), "a digit too large");
}
