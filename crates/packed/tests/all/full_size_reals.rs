//! Complex and fixed-point tables, and AKP of 13 bits at ring degree 2^17, at full size: parameters of the planner.

use crate::common;
use crate::common::number;

use std::time::Instant;

use cryptable_packed::{
    ComplexTable, EvaluationKey, Method, Progress, RealDecryption, RealTable, Request, SecretKey,
    Table,
};
use num_complex::Complex64;

/// Makes keys for parameters that keep what requests promise, and values for all slots.
fn client(request: &Request) -> (SecretKey, EvaluationKey, Vec<u64>) {
    let parameters = common::choose(request);
    let (secret, key) = common::keys(&parameters);
    let p = request.input_modulus;
    let values = (0..parameters.literal().slots as u64).map(|i| (i * 31 + i / p) % p).collect();
    (secret, key, values)
}

#[test]
#[ignore = "half a minute and 3 GB"]
fn complex_outputs_of_eight_bits_by_akp() {
    complex_outputs(256, 256, Method::Akp);
}

#[test]
#[ignore = "a minute and 5 GB"]
fn complex_outputs_of_sixteen_bits_by_cmt() {
    complex_outputs(1 << 16, 1 << 16, Method::Cmt);
}

/// Looks up 32,768 values in a complex table; checks every value, and the noise from both sides.
fn complex_outputs(p: u64, modulus: u64, method: Method) {
    let request =
        Request { complex_outputs: true, method: Some(method), ..Request::new(p, modulus) };
    let (secret, key, values) = client(&request);
    let numbers: Vec<_> = (0..p).map(|x| Complex64::new(number(x), number(x + p + 7))).collect();
    let table = ComplexTable::new(p, &numbers, modulus).unwrap();
    let prepared = key.prepare_complex(&table).unwrap();
    let input = secret.encrypt(&values).unwrap();
    let start = Instant::now();
    let result = key.lookup_complex(&input, &[&prepared], Progress::silent()).unwrap();
    println!("{} values in {:.1} s", values.len(), start.elapsed().as_secs_f64());
    let found = secret.decrypt_complex(&result[0], RealDecryption::default()).unwrap();
    let rounded = table.rounded();
    let expected: Vec<_> = values.iter().map(|&x| rounded[x as usize]).collect();
    assert!(found == expected);
    assert_eq!(found.len(), 32_768);
    let [re, im] = table.tables();
    let residues: Vec<_> =
        values.iter().map(|&x| [re, im].map(|part| part.values()[x as usize])).collect();
    let errors = secret.complex_errors(&result[0], &residues).unwrap();
    let deviation = common::root_mean_square(&errors);
    let ratio = deviation / key.parameters().failure().typical_ratio;
    println!("{ratio:.2} times the predicted noise");
    assert!((0.4..1.1).contains(&ratio), "{ratio}");
}

#[test]
#[ignore = "half a minute and 3 GB"]
fn fixed_point_outputs_of_sixteen_bits() {
    let modulus = RealTable::modulus_for(1e-5).unwrap();
    let (secret, key, values) = client(&Request::new(256, modulus));
    let numbers: Vec<_> = (0..256).map(number).collect();
    let table = RealTable::new(256, &numbers, modulus).unwrap();
    let prepared = key.prepare(table.table()).unwrap();
    let input = secret.encrypt(&values).unwrap();
    let result = key.lookup(&input, &prepared, Progress::silent()).unwrap();
    let found = secret.decrypt_reals(&result, RealDecryption::default()).unwrap();
    assert!(values.iter().zip(&found).all(|(&x, y)| (numbers[x as usize] - y).abs() <= 1e-5));
    assert_eq!(found.len(), 65_536);
}

#[test]
#[ignore = "minutes and some 16 GB"]
fn thirteen_bits_by_one_interpolation() {
    let p = 1 << 13;
    let (secret, key, values) =
        client(&Request { method: Some(Method::Akp), ..Request::new(p, p) });
    assert_eq!(values.len(), 1 << 17);
    let table = Table::from_fn(p, p, |x| ((number(x) + 0.5) * p as f64) as u64).unwrap();
    let prepared = key.prepare(&table).unwrap();
    let input = secret.encrypt(&values).unwrap();
    let start = Instant::now();
    let result = key.lookup(&input, &prepared, Progress::silent()).unwrap();
    println!("{} values in {:.1} s", values.len(), start.elapsed().as_secs_f64());
    assert!(secret.decrypt(&result).unwrap() == common::outputs(&table, &values));
}
