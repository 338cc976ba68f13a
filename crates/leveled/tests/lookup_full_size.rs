//! Values bit by bit at full size: 128-bit parameters as they are chosen by default.

use cryptable_lattice::Table;
use cryptable_leveled::lookup::{Parameters, Request, SecretKey};

#[test]
fn tables_of_8_bits_and_their_results() {
    let table = Table::from_fn(256, 256, |x| (x * x * 37 + 91 * x + 5) / 3 % 256).unwrap();
    let parameters = Parameters::for_table(&table).unwrap();
    assert!(parameters.security_bits() >= 128.0 && parameters.log2_fail() <= -64.0);
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key();
    let values: Vec<u64> = (0..256).step_by(17).collect();
    let input = secret.encrypt(&values).unwrap();
    let output = key.lookup(&input, &table, &|_, _| ()).unwrap();
    let once: Vec<u64> = values.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(secret.decrypt(&output).unwrap(), once);
    let again = key.lookup(&output, &table, &|_, _| ()).unwrap();
    let twice: Vec<u64> = once.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(secret.decrypt(&again).unwrap(), twice);
}

#[test]
fn small_tables_take_the_fastest_set() {
    let table = Table::from_fn(37, 50, |x| x * x % 50).unwrap();
    let parameters = Parameters::for_table(&table).unwrap();
    assert_eq!((parameters.name(), parameters.circuit().digit_bits()), ("DIGITS_1", 2));
    let secret = SecretKey::generate(&parameters);
    let input = secret.encrypt(&[0, 5, 36]).unwrap();
    let output = secret.evaluation_key().lookup(&input, &table, &|_, _| ()).unwrap();
    assert_eq!(secret.decrypt(&output).unwrap(), [0, 25, 46]);
}

/// Single bits, by a set for them.
#[test]
fn a_rotation_a_bit() {
    let table = Table::from_fn(7, 5, |x| x * x % 5).unwrap();
    let request = Request { set: Some("CMUX_1"), ..Request::new(7, 5) };
    let secret = SecretKey::generate(&Parameters::choose(&request).unwrap());
    let key = secret.evaluation_key();
    let input = secret.encrypt(&[0, 1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(input.values().width(), 3);
    let output = key.lookup(&input, &table, &|_, _| ()).unwrap();
    assert_eq!(secret.decrypt(&output).unwrap(), table.values());
}
