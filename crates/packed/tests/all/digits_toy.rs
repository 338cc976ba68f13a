//! Functions of large values, one digit after the other, on toy rings: signs and tables of the most significant digit.

use crate::common;

use common::{in_half_ring, look_up, over_bound};
use cryptable_packed::{Ciphertext, Parameters, ParametersLiteral, Progress, SecretKey, Table};
use cryptable_ring::random::replay;

/// Returns values that cover every digit, and both sides of every carry and of the sign.
fn values(modulus: u64, count: u64) -> Vec<u64> {
    let spread = (0..count / 2).map(|i| i * (modulus / 509).max(1) + i % 3);
    let edges = [0, 1, modulus / 2 - 1, modulus / 2, modulus / 2 + 1, modulus - 1];
    let carries = (0..count).map(|i| (modulus / 16) * i + modulus - (i & 1));
    edges
        .into_iter()
        .chain(spread)
        .chain(carries)
        .map(|v| v % modulus)
        .take(count as usize)
        .collect()
}

/// Checks a table of the last digit on many values, and noise from both sides.
fn check(digits: &[u64], table: &Table) {
    check_with(&Parameters::insecure_toy_digits(digits, table.output_modulus()).unwrap(), table);
}

/// Checks a table like [`check`], with these parameters.
fn check_with(parameters: &Parameters, table: &Table) {
    let digits = &parameters.literal().digits;
    let (secret, keys) = common::keys(parameters);
    let modulus = parameters.input_modulus();
    let values = values(modulus, parameters.literal().slots as u64);
    let input = secret.encrypt(&values).unwrap();
    let result = look_up(&keys, &input, table);
    let place = modulus / digits[digits.len() - 1];
    let expected: Vec<u64> = values.iter().map(|v| table.values()[(v / place) as usize]).collect();
    common::check_result(&secret, &result, table, &expected);
}

#[test]
fn tables_of_the_last_digit() {
    let _replay = replay::begin();
    for digits in [&[8, 16][..], &[4, 8, 8], &[16, 16], &[3, 6], &[2, 4, 4, 4], &[5, 5, 5]] {
        let size = digits[digits.len() - 1];
        for output in [2, size] {
            check(digits, &Table::from_fn(size, output, |d| (d * d + 3 * d + 1) % output).unwrap());
            check(digits, &Table::from_fn(size, output, |_| output - 1).unwrap());
        }
    }
}

#[test]
fn few_values_in_the_half_ring() {
    let _replay = replay::begin();
    let whole = Parameters::insecure_toy_of(16, 16, 1024, 256).unwrap();
    let (input_modulus, digits) = (256, vec![16; 2]);
    let literal = ParametersLiteral { input_modulus, digits, ..whole.literal().clone() };
    let parameters = in_half_ring(&Parameters::new(literal).unwrap());
    check_with(&parameters, &Table::from_fn(16, 16, |d| (d * d + 3 * d + 1) % 16).unwrap());
}

#[test]
fn signs_of_values_of_32_bits() {
    let _replay = replay::begin();
    // Values are next to the change of sign, so that an error of one unit would show.
    let parameters = Parameters::insecure_toy_digits(&[64, 64, 64, 128, 128], 2).unwrap();
    let (secret, keys) = common::keys(&parameters);
    let half = 1u64 << 31;
    let mut values: Vec<u64> = (0..512).flat_map(|i| [half - 1 - i, half + i]).collect();
    values[0] = 0;
    values[1] = (1 << 32) - 1;
    let signs = keys.sign(&secret.encrypt(&values).unwrap(), Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|&v| u64::from(v >= half)).collect();
    assert_eq!(secret.decrypt(&signs).unwrap(), expected);
}

#[test]
fn floors_and_digits_of_any_sizes() {
    let _replay = replay::begin();
    for digits in [&[8, 16][..], &[4, 8, 8], &[3, 9, 9], &[2, 4, 16, 16], &[5, 5, 10], &[6, 2, 12]]
    {
        let largest = *digits.iter().max().unwrap();
        let parameters = Parameters::insecure_toy_digits(digits, largest).unwrap();
        let (secret, keys) = common::keys(&parameters);
        let values = values(parameters.input_modulus(), 1024);
        let input = secret.encrypt(&values).unwrap();
        let found = keys.digits(&input, Progress::silent()).unwrap();
        let mut place = 1;
        for (index, (digit, &size)) in found.iter().zip(digits).enumerate() {
            let expected: Vec<u64> = values.iter().map(|v| v / place % size).collect();
            assert_eq!(digit.modulus(), size);
            let ratio = over_bound(&secret, digit, &expected);
            assert!((0.02..1.2).contains(&ratio), "{digits:?}, digit {index}: {ratio}");
            // Each digit can be looked up with the same key.
            let table = Table::from_fn(size, 7, |d| (d * d + 3) % 7).unwrap();
            let prepared = keys.prepare(&table).unwrap();
            let squares = keys.lookup_digit(digit, &[&prepared], Progress::silent()).unwrap();
            let expected: Vec<u64> = expected.iter().map(|&d| table[d as usize]).collect();
            let ratio = over_bound(&secret, &squares[0], &expected);
            assert!((0.02..1.2).contains(&ratio), "{digits:?}, table of digit {index}: {ratio}");
            place *= size;
        }
        let mut place = 1;
        for count in 1..digits.len() {
            place *= digits[count - 1];
            let floor = keys.floor(&input, count, Progress::silent()).unwrap();
            let expected: Vec<u64> = values.iter().map(|v| v / place).collect();
            assert_eq!(floor.modulus(), parameters.input_modulus() / place);
            let ratio = over_bound(&secret, &floor, &expected);
            assert!((0.02..1.2).contains(&ratio), "{digits:?} without {count}: {ratio}");
        }
    }
}

#[test]
fn floors_have_signs_floors_and_digits() {
    let parameters = Parameters::insecure_toy_digits(&[4, 8, 8], 2).unwrap();
    let (secret, keys) = common::keys(&parameters);
    let values: Vec<u64> = (0..256).collect();
    let rest = keys.floor(&secret.encrypt(&values).unwrap(), 1, Progress::silent()).unwrap();
    let signs = keys.sign(&rest, Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|v| v / 128).collect();
    assert_eq!(secret.decrypt(&signs).unwrap(), expected);
    let digits = keys.digits(&rest, Progress::silent()).unwrap();
    assert_eq!(digits.len(), 2);
    let expected: Vec<u64> = values.iter().map(|v| v / 4 % 8).collect();
    assert_eq!(secret.decrypt(&digits[0]).unwrap(), expected);
    let tables = [vec![], vec![Table::from_fn(8, 3, |d| d % 3).unwrap()]];
    let found = keys.decompose(&rest, &tables, Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|v| v / 32 % 3).collect();
    assert!(found[0].is_empty());
    assert_eq!(secret.decrypt(&found[1][0]).unwrap(), expected);
}

#[test]
fn tables_of_all_digits_in_one_pass() {
    let _replay = replay::begin();
    let digits = [4, 16, 8];
    let parameters = Parameters::insecure_toy_digits(&digits, 16).unwrap();
    let (secret, keys) = common::keys(&parameters);
    let values = values(parameters.input_modulus(), 1024);
    let tables = digits.map(|size| {
        let random = Table::from_fn(size, 16, |d| (d * 7 + d * d * 5 + 3) % 16).unwrap();
        vec![
            Table::from_fn(size, 16, |d| d).unwrap(),
            random,
            Table::from_fn(size, 2, |_| 1).unwrap(),
        ]
    });
    let input = secret.encrypt(&values).unwrap();
    let mut found = Vec::new();
    let seen = common::reports(|progress| {
        found = keys.decompose(&input, &tables, progress)?;
        Ok(())
    });
    let (done, total) = seen[seen.len() - 1];
    assert_eq!(done, total);
    let mut place = 1;
    for (index, results) in found.iter().enumerate() {
        for (result, table) in results.iter().zip(&tables[index]) {
            let expected = values.iter().map(|v| table[(v / place % digits[index]) as usize]);
            let expected: Vec<u64> = expected.collect();
            let ratio = over_bound(&secret, result, &expected);
            // Constants have hardly any noise.
            let is_constant = table.values().iter().all(|value| value == &table.values()[0]);
            let least = if is_constant { 0.0 } else { 0.01 };
            assert!((least..1.2).contains(&ratio), "digit {index}: {ratio}");
        }
        place *= digits[index];
    }
}

#[test]
fn values_of_more_than_32_bits() {
    let parameters = Parameters::insecure_toy_digits(&[64, 64, 128, 128, 128, 128], 2).unwrap();
    assert_eq!(parameters.input_modulus(), 1 << 40);
    let (secret, keys) = common::keys(&parameters);
    let half = 1u64 << 39;
    let values: Vec<u64> = (0..512).flat_map(|i| [half - 1 - i, half + i]).collect();
    let input = secret.encrypt(&values).unwrap();
    let input = Ciphertext::from_bytes(&input.to_bytes()).unwrap();
    let signs = keys.sign(&input, Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|&v| u64::from(v >= half)).collect();
    assert_eq!(secret.decrypt(&signs).unwrap(), expected);
    let top = keys.floor(&input, 5, Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|&v| v >> 33).collect();
    assert_eq!(secret.decrypt(&top).unwrap(), expected);
}

#[test]
fn differences_have_signs() {
    let _replay = replay::begin();
    let parameters = Parameters::insecure_toy_digits(&[16, 16, 16], 2).unwrap();
    let (secret, keys) = common::keys(&parameters);
    let x: Vec<u64> = (0..1024).map(|i| i * 7 % 2048).collect();
    let y: Vec<u64> = (0..1024).map(|i| i * i * 13 % 2048).collect();
    let difference = keys.sub(&secret.encrypt(&x).unwrap(), &secret.encrypt(&y).unwrap()).unwrap();
    let is_less = secret.decrypt(&keys.sign(&difference, Progress::silent()).unwrap()).unwrap();
    let expected: Vec<u64> = x.iter().zip(&y).map(|(x, y)| u64::from(x < y)).collect();
    assert_eq!(is_less, expected);
}

#[test]
fn keys_and_results_come_back_from_bytes() {
    let parameters = Parameters::insecure_toy_digits(&[4, 4], 2).unwrap();
    let options = common::allowed();
    assert_eq!(
        Parameters::from_bytes(&parameters.to_bytes(), options).unwrap().digest(),
        parameters.digest()
    );
    let secret = SecretKey::generate(&parameters);
    let secret = SecretKey::from_bytes(&secret.to_bytes(), options).unwrap();
    let keys = secret.evaluation_key(Progress::silent()).unwrap();
    let input =
        Ciphertext::from_bytes(&secret.encrypt(&[0, 7, 8, 15]).unwrap().to_bytes()).unwrap();
    let signs = keys.sign(&input, Progress::silent()).unwrap();
    assert_eq!(secret.decrypt(&signs).unwrap(), [0, 0, 1, 1]);
}

#[test]
fn wrong_arguments_are_named() {
    let named =
        |digits: &[u64]| Parameters::insecure_toy_digits(digits, 2).unwrap_err().to_string();
    let error = named(&[3, 4]);
    assert!(error.contains("largest digit modulo a digit"), "{error}");
    let error = named(&[8]);
    assert!(error.contains("number of digits is 1"), "{error}");
    let error = named(&[2, 2]);
    assert!(error.contains("largest digit"), "{error}");
    assert!(Parameters::insecure_toy_digits(&[4096, 4096, 4096, 4096], 2).is_err());

    let (whole, keys) = common::keys(&Parameters::insecure_toy(4, 4).unwrap());
    let input = whole.encrypt(&[1]).unwrap();
    let error = keys.sign(&input, Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("takes no digits"), "{error}");
    for error in [
        keys.digits(&input, Progress::silent()).unwrap_err().to_string(),
        keys.floor(&input, 1, Progress::silent()).unwrap_err().to_string(),
        keys.lookup_digit(&input, &[], Progress::silent()).unwrap_err().to_string(),
    ] {
        assert!(error.contains("takes no digits"), "{error}");
    }

    let (secret, keys) = common::keys(&Parameters::insecure_toy_digits(&[4, 8], 2).unwrap());
    let input = secret.encrypt(&[31]).unwrap();
    for (count, expected) in
        [(0, "is 0, but must be at least 1"), (2, "is 2, but must be at most 1")]
    {
        let error = keys.floor(&input, count, Progress::silent()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let other = secret.encrypt_digits(&[3], 4).unwrap();
    let error = keys.sign(&other, Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("modulus of the values is 4"), "{error}");
    let error = keys.prepare(&Table::from_fn(3, 2, |_| 0).unwrap()).unwrap_err().to_string();
    assert!(error.contains("a divisor of the largest digit's size, 8"), "{error}");
    let table = keys.prepare(&Table::from_fn(8, 2, |_| 0).unwrap()).unwrap();
    let error = keys.lookup_digit(&other, &[&table], Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("input modulus of the table is 8"), "{error}");
    let noisy = (0..6).fold(other, |sum, _| keys.add(&sum, &sum).unwrap());
    assert!(keys.decompose(&noisy, &[vec![]], Progress::silent()).is_err());
    // AKP has too little precision for an output modulus this large.
    let fine = keys.prepare(&Table::from_fn(8, 1 << 24, |d| d << 21).unwrap()).unwrap();
    let error = keys.lookup(&input, &fine, Progress::silent()).unwrap_err();
    assert!(matches!(error, cryptable_packed::Error::NoiseTooLarge { .. }), "{error}");
}

#[test]
fn automata_read_digits_and_pieces_of_them() {
    let _replay = replay::begin();
    // The remainder modulo 3 with states 0 to 3, a digit of 4 that has room, and one of 16 in two pieces; carries of x + 5.
    let parameters = Parameters::insecure_toy_digits(&[4, 4, 16], 16).unwrap();
    let (secret, keys) = common::keys(&parameters);
    assert_eq!(parameters.chain_pieces(4).unwrap(), [4; 4]);
    assert_eq!(parameters.chain_pieces(2).unwrap(), [4, 4, 8, 2]);
    let values: Vec<u64> = (0..256).collect();
    let input = secret.encrypt(&values).unwrap();
    // 4 is 1 modulo 3, so that digits of 4 are added.
    let sum = |m: u64| (m % 4 + m / 4) % 3;
    let tables: Vec<_> = (0..4).map(|_| Table::from_fn(16, 4, sum).unwrap()).collect();
    let found = keys.lookup_chain(&input, 4, &tables, Progress::silent()).unwrap();
    assert_eq!(found.modulus(), 4);
    let expected: Vec<u64> = values.iter().map(|x| x % 3).collect();
    assert_eq!(secret.decrypt(&found).unwrap(), expected);
    for (states, tables, text) in [
        (4, &tables[1..], "one per piece"),
        (2, &tables[..], "input modulus"),
        (8, &tables[..], "one per piece"),
        (16, &tables[..], "a divisor of 16"),
        (1, &tables[..], "states of an automaton"),
        (3, &tables[..], "a divisor of 16"),
    ] {
        let error = keys.lookup_chain(&input, states, tables, Progress::silent()).unwrap_err();
        assert!(error.to_string().contains(text), "{states}: {error}");
    }
    let mut other = tables.clone();
    other[1] = Table::from_fn(16, 8, |_| 4).unwrap();
    let error = keys.lookup_chain(&input, 4, &other, Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("4"), "{error}");
    let stop = |_: usize, _: usize| std::ops::ControlFlow::Break(());
    assert!(keys.lookup_chain(&input, 4, &tables, Progress::new(&stop)).is_err());
    // Parameters that process values as a whole have no digits.
    let whole = Parameters::insecure_toy(16, 16).unwrap();
    assert!(whole.chain_pieces(2).unwrap_err().to_string().contains("takes no digits"));
}
