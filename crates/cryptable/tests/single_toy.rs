//! Single values on toy parameters: every value, bad input, the wire format.

use cryptable::single::{Ciphertext, Parameters, SecretKey};
use cryptable::{Error, LookupTable};
use proptest::prelude::*;

#[test]
fn every_value_of_several_tables() {
    for (p, output_modulus) in [(16, 16), (6, 10), (8, 2)] {
        let parameters = Parameters::insecure_toy(p, output_modulus).unwrap();
        let secret = SecretKey::generate(&parameters);
        let key = secret.evaluation_key();
        let values: Vec<u64> = (0..p).collect();
        let input = secret.encrypt(&values).unwrap();
        let random = |x: u64| (x * x * 2_654_435_761 + 7) / 5 % output_modulus;
        for of in [&random as &dyn Fn(u64) -> u64, &|_| 1, &|x| x % output_modulus] {
            let table = LookupTable::from_fn(p, output_modulus, of).unwrap();
            let output = key.lookup(&input, &table, &|_, _| ()).unwrap();
            assert_eq!(secret.decrypt(&output).unwrap(), table.values());
        }
    }
}

#[test]
fn bytes_come_back_and_damage_is_found() {
    let parameters = Parameters::insecure_toy(4, 4).unwrap();
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key();
    let input = secret.encrypt(&[3, 0, 1]).unwrap();
    let table = LookupTable::from_fn(4, 4, |x| 3 - x).unwrap();
    let output = key.lookup(&input, &table, &|_, _| ()).unwrap();
    for (ciphertext, values) in [(input, [3, 0, 1]), (output, [0, 3, 2])] {
        let bytes = ciphertext.to_bytes();
        let read = Ciphertext::from_bytes(&bytes).unwrap();
        assert_eq!(secret.decrypt(&read).unwrap(), values);
        for position in (0..bytes.len()).step_by(13) {
            let mut damaged = bytes.clone();
            damaged[position] ^= 4;
            assert!(Ciphertext::from_bytes(&damaged).is_err(), "byte {position}");
            assert!(Ciphertext::from_bytes(&bytes[..position]).is_err(), "cut at {position}");
        }
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let parameters = Parameters::insecure_toy(4, 4).unwrap();
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key();
    let error = secret.encrypt(&[1, 4]).unwrap_err();
    assert!(matches!(error, Error::ValueOutOfRange { index: 1, value: 4, limit: 4 }), "{error}");
    let table = LookupTable::from_fn(8, 4, |x| x % 4).unwrap();
    let input = secret.encrypt(&[1]).unwrap();
    let error = key.lookup(&input, &table, &|_, _| ()).unwrap_err().to_string();
    assert!(error.contains("input modulus") && error.contains('8'), "{error}");
    let other = Parameters::insecure_toy(8, 8).unwrap();
    let foreign = SecretKey::generate(&other).encrypt(&[1]).unwrap();
    let error = key.lookup(&foreign, &table, &|_, _| ()).unwrap_err().to_string();
    assert!(error.contains("digest"), "{error}");
}

proptest! {
    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Ciphertext::from_bytes(&bytes).is_err());
    }
}
