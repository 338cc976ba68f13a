//! Tables with complex outputs, with one result for both parts, on toy rings.

use crate::common::{in_half_ring, keys, number};

use cryptable_packed::{
    ComplexTable, EntryKind, Method, MultiplexerLiteral, Parameters, Progress, RealDecryption,
    Request, Table,
};
use cryptable_ring::random::replay;
use num_complex::Complex64;

fn table(p: u64, modulus: u64, seed: u64) -> ComplexTable {
    let value = |x| Complex64::new(number(2 * x + seed), number(2 * x + 1 + seed));
    ComplexTable::new(p, &(0..p).map(value).collect::<Vec<_>>(), modulus).unwrap()
}

/// Looks values up in all tables at once by AKP; checks every value, and the noise of all.
fn check(p: u64, modulus: u64, slots: usize, tables: &[ComplexTable]) {
    check_with(&Parameters::insecure_toy_complex(p, modulus, slots).unwrap(), tables);
}

#[test]
fn few_values_in_the_half_ring() {
    let whole = Parameters::insecure_toy_complex(16, 64, 256).unwrap();
    check_with(&in_half_ring(&whole), &[table(16, 64, 5)]);
}

/// Looks values up like [`check`], with these parameters.
fn check_with(parameters: &Parameters, tables: &[ComplexTable]) {
    let _replay = replay::begin();
    let (secret, key) = keys(parameters);
    let (p, modulus) = (parameters.input_modulus(), parameters.output_modulus());
    let slots = parameters.literal().slots;
    let values: Vec<u64> = (0..slots as u64).map(|i| (i * 7 + i / p) % p).collect();
    let prepared: Vec<_> = tables.iter().map(|table| key.prepare_complex(table).unwrap()).collect();
    let prepared: Vec<_> = prepared.iter().collect();
    let input = secret.encrypt(&values).unwrap();
    let results = key.lookup_complex(&input, &prepared, Progress::silent()).unwrap();
    assert_eq!(results.len(), tables.len());
    let mut squares = (0.0, 0);
    for (table, result) in tables.iter().zip(&results) {
        let found = secret.decrypt_complex(result, RealDecryption::default()).unwrap();
        let rounded = table.rounded();
        let expected: Vec<_> = values.iter().map(|&x| rounded[x as usize]).collect();
        assert!(found == expected, "{p} to {modulus}, {slots} values");
        let [re, im] = table.tables();
        let residues: Vec<[u64; 2]> =
            values.iter().map(|&x| [re, im].map(|part| part.values()[x as usize])).collect();
        let errors = secret.complex_errors(result, &residues).unwrap();
        squares = (squares.0 + errors.iter().map(|e| e * e).sum::<f64>(), squares.1 + errors.len());
        // A result is one ciphertext, and cannot be an input.
        assert!(secret.decrypt(result).is_err());
        assert!(key.lookup_complex(result, &prepared, Progress::silent()).is_err());
    }
    let deviation = (squares.0 / squares.1 as f64).sqrt();
    let typical = parameters.failure().typical_ratio;
    let ratio = deviation / typical;
    println!("{p} to {modulus}, {slots} values: {ratio:.2} times the predicted noise");
    // The noise is smaller where the ring is not full: coefficients between values have a part of it.
    let least = if slots == 512 { 0.4 } else { 0.1 };
    assert!((least..2.0).contains(&ratio), "{p} to {modulus}, {slots} values: {ratio}");
}

#[test]
fn random_tables_on_full_and_sparse_ciphertexts() {
    for slots in [512, 128, 8] {
        check(16, 256, slots, &[table(16, 256, 1), table(16, 256, 99)]);
    }
    check(8, 1 << 12, 512, &[table(8, 1 << 12, 5)]);
    check(10, 100, 512, &[table(10, 100, 6)]);
}

#[test]
fn bits_and_extreme_tables() {
    check(2, 64, 512, &[table(2, 64, 3)]);
    let constant = |z: Complex64| ComplexTable::new(16, &[z; 16], 64).unwrap();
    let (low, high) = (Complex64::new(-0.5, -0.5), Complex64::new(0.49, -0.5));
    let alternating: Vec<_> = (0..16).map(|x| if x % 2 == 0 { low } else { high }).collect();
    let alternating = ComplexTable::new(16, &alternating, 64).unwrap();
    check(16, 64, 512, &[constant(low), constant(Complex64::ZERO), alternating]);
}

/// Returns a toy of a tree over these digits.
fn tree(digits: &[u64], selectors: &[usize], output_modulus: u64) -> Parameters {
    let (digits, selectors) = (digits.to_vec(), selectors.to_vec());
    let tree = MultiplexerLiteral { digits, selectors, ..MultiplexerLiteral::default() };
    Parameters::insecure_toy_complex_tree(output_modulus, 1024, tree).unwrap()
}

#[test]
fn trees_have_complex_outputs() {
    check_with(&tree(&[4, 4, 4], &[1, 2], 64), &[table(64, 64, 1), table(64, 64, 99)]);
    check_with(&tree(&[8, 4], &[1, 1], 256), &[table(32, 256, 3)]);
    check_with(&tree(&[2; 4], &[1, 1, 2], 16), &[table(16, 16, 5)]);
    let constant = |z: Complex64| ComplexTable::new(16, &[z; 16], 64).unwrap();
    let corners = [(-0.5, -0.5), (0.49, -0.5), (0.0, 0.0)];
    let corners = corners.map(|(re, im)| constant(Complex64::new(re, im)));
    check_with(&tree(&[4, 4], &[1, 1], 64), &corners);
}

#[test]
fn fewer_values_than_slots() {
    for parameters in
        [Parameters::insecure_toy_complex(16, 64, 512).unwrap(), tree(&[4, 4], &[1, 1], 64)]
    {
        let (secret, key) = keys(&parameters);
        let table = table(16, 64, 1);
        let prepared = key.prepare_complex(&table).unwrap();
        let values = [3, 15, 0];
        let input = secret.encrypt(&values).unwrap();
        assert_eq!(secret.decrypt(&input).unwrap(), values);
        let result = key.lookup_complex(&input, &[&prepared], Progress::silent()).unwrap();
        let result = cryptable_packed::Ciphertext::from_bytes(&result[0].to_bytes()).unwrap();
        let found = secret.decrypt_complex(&result, RealDecryption::default()).unwrap();
        assert_eq!(found, values.map(|x| table.rounded()[x as usize]));
        // Results cannot be inputs, and inputs cannot be results.
        assert!(secret.decrypt_complex(&input, RealDecryption::default()).is_err());
        assert!(secret.decrypt(&result).is_err());
        assert!(key.compress(&result).is_err() && key.add(&result, &result).is_err());
        assert!(key.lookup_complex(&result, &[&prepared], Progress::silent()).is_err());
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let complex = Request { complex_outputs: true, ..Request::new(16, 16) };
    for (request, text) in [
        (Request { entries: EntryKind::Plain, ..complex }, "every value"),
        (Request { lookups_in_a_row: 2, ..complex }, "further lookups"),
    ] {
        let error = Parameters::choose(&request).unwrap_err().to_string();
        assert!(error.contains("complex outputs") && error.contains(text), "{error}");
    }
    // Trees always fill the ring.
    let few = Request { count: Some(1000), method: Some(Method::Cmt), ..complex };
    assert_eq!(Parameters::choose(&few).unwrap().literal().slots, 1 << 15);
    let parameters = Parameters::insecure_toy_complex(16, 64, 512).unwrap();
    let (secret, key) = keys(&parameters);
    let prepared = key.prepare(&Table::from_fn(16, 64, |x| x).unwrap()).unwrap();
    let input = secret.encrypt(&[1]).unwrap();
    let error = key.lookup(&input, &prepared, Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("has complex outputs"), "{error}");
    let (secret, key) = keys(&tree(&[4, 4], &[1, 1], 64));
    let input = secret.encrypt(&[1]).unwrap();
    let prepared = key.prepare(&Table::from_fn(16, 64, |x| x).unwrap()).unwrap();
    let error = key.lookup_digits(&[input], &[&prepared], Progress::silent()).unwrap_err();
    assert!(error.to_string().contains("has complex outputs"), "{error}");
    let values: Vec<u64> = vec![0; 513];
    assert!(secret.encrypt(&values).unwrap_err().to_string().contains("512"));
    let (_, real) = keys(&Parameters::insecure_toy(16, 64).unwrap());
    let error = real.prepare_complex(&table(16, 64, 1)).unwrap_err().to_string();
    assert!(error.contains("has real outputs"), "{error}");
}

#[test]
fn full_size_parameters() {
    for (bits, output_bits) in [(4, 16), (8, 8), (12, 8), (13, 8), (16, 16)] {
        let request =
            Request { complex_outputs: true, ..Request::new(1 << bits, 1 << output_bits) };
        let parameters = Parameters::choose(&request).unwrap();
        let is_tree = parameters.literal().multiplexer.is_some();
        assert!(is_tree || bits <= 12, "{bits} bits: {parameters}");
        assert_eq!(parameters.literal().slots, 1 << 15);
        assert!(parameters.security_bits() >= 128.0);
        assert!(parameters.failure_probability().log2() <= -64.0);
    }
}

#[test]
fn thirteen_bits_by_akp_take_ring_degree_2_to_17() {
    let request = Request { method: Some(Method::Akp), ..Request::new(1 << 13, 1 << 13) };
    let parameters = Parameters::choose(&request).unwrap();
    println!("{parameters}: {:?}", parameters.literal());
    let prediction = parameters.prediction();
    println!("{} GB, {:?}", prediction.peak_bytes() as f64 / 1e9, prediction.work);
    assert_eq!(parameters.ring_degree(), 1 << 17);
    assert!(parameters.security_bits() >= 128.0);
    assert!(parameters.failure_probability().log2() <= -64.0);
    // If no method is stated, only trees are tried, at the usual degree.
    let parameters = Parameters::choose(&Request::new(1 << 13, 1 << 13)).unwrap();
    assert!(parameters.method_name().starts_with("CMT") && parameters.ring_degree() == 1 << 16);
}
