//! Tests of single values at full size: small input moduli and moduli that are not powers of two, several tables on one
//! input.

use cryptable::engines::single::{Parameters, Request, SecretKey};
use cryptable::{Progress, SecurityLevel, Table};

/// Looks up values in two tables at once, and a result in the first table again.
fn check(p: u64, values: &[u64]) {
    let parameters = Parameters::choose(&Request::new(p, p)).unwrap();
    assert!(parameters.log2_fail() <= -64.0 && parameters.security_bits() >= 128.0);
    assert_eq!(parameters.security_level(), SecurityLevel::Bits128);
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let tables = [
        Table::from_fn(p, p, |x| (x * x * 2_654_435_761 + 7) / 5 % p).unwrap(),
        Table::from_fn(p, p, |x| (p - 1) * (x % 2)).unwrap(),
    ];
    let prepared = tables.each_ref().map(|table| key.prepare(table).unwrap());
    let input = secret.encrypt(values).unwrap();
    let both = [&prepared[0], &prepared[1]];
    let outputs = key.lookup_many(&input, &both, Progress::silent()).unwrap();
    let look_up = |table: &Table, values: &[u64]| -> Vec<u64> {
        values.iter().map(|&value| table.values()[value as usize]).collect()
    };
    for (output, table) in outputs.iter().zip(&tables) {
        let found = secret.decrypt(output).unwrap();
        assert_eq!(found, look_up(table, values), "p = {p}, {}", parameters.method_name());
    }
    let again = key.lookup_many(&outputs[0], &both[..1], Progress::silent()).unwrap();
    let expected = look_up(&tables[0], &look_up(&tables[0], values));
    assert_eq!(secret.decrypt(&again[0]).unwrap(), expected, "p = {p}");
}

#[test]
fn odd_moduli() {
    for p in [3, 5, 15] {
        check(p, &(0..p).collect::<Vec<_>>());
    }
}

#[test]
fn six_bits() {
    check(64, &[0, 1, 31, 32, 33, 63]);
}
