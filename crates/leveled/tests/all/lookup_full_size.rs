//! Single values at full size: 128-bit parameters as they are chosen by default.

use cryptable_lattice::{Progress, Table};
use cryptable_leveled::lookup::{Ciphertext, EvaluationKey, Parameters, Request, SecretKey};
use cryptable_leveled::parameters::ParameterSet;

/// The fastest parameters of a request.
fn fastest(request: &Request) -> Parameters {
    Parameters::candidates(request).unwrap().swap_remove(0)
}

fn lookup(key: &EvaluationKey, input: &Ciphertext, table: &Table) -> Ciphertext {
    let prepared = key.prepare(table).unwrap();
    key.lookup_many(input, &[&prepared], Progress::silent()).unwrap().remove(0)
}

#[test]
fn tables_of_8_bits_and_their_results() {
    let table = Table::from_fn(256, 256, |x| (x * x * 37 + 91 * x + 5) / 3 % 256).unwrap();
    let parameters = fastest(&Request::new(256, 256));
    assert!(parameters.security_bits() >= 128.0 && parameters.log2_fail() <= -64.0);
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let values: Vec<u64> = (0..256).step_by(17).collect();
    let input = secret.encrypt(&values).unwrap();
    let output = lookup(&key, &input, &table);
    let once: Vec<u64> = values.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(secret.decrypt(&output).unwrap(), once);
    let again = lookup(&key, &output, &table);
    let twice: Vec<u64> = once.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(secret.decrypt(&again).unwrap(), twice);
}

#[test]
fn small_tables_take_the_fastest_set() {
    let table = Table::from_fn(37, 50, |x| x * x % 50).unwrap();
    let parameters = fastest(&Request::new(37, 50));
    assert_eq!(parameters.parameter_set(), Some(ParameterSet::TwoBitDepth11));
    assert_eq!(parameters.circuit_bootstrapping().bits_per_ciphertext(), 2);
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let output = lookup(&key, &secret.encrypt(&[0, 5, 36]).unwrap(), &table);
    assert_eq!(secret.decrypt(&output).unwrap(), [0, 25, 46]);
}

/// Single bits, by a set for them.
#[test]
fn a_rotation_a_bit() {
    let table = Table::from_fn(7, 5, |x| x * x % 5).unwrap();
    let method = Some(ParameterSet::CmuxDepth2);
    let secret = SecretKey::generate(&fastest(&Request { method, ..Request::new(7, 5) }));
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let input = secret.encrypt(&[0, 1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(input.ciphertexts_per_value(), 3);
    let output = lookup(&key, &input, &table);
    assert_eq!(secret.decrypt(&output).unwrap(), table.values());
}
