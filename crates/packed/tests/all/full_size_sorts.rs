//! A sort of rows at 128 bits of security, with every row compared.

use std::time::Instant;

use cryptable_packed::{Ciphertext, CostModel, Parameters, PreparedFormulas, Progress, Request};

use crate::common;
use crate::common::mixed;

const ROWS: usize = 256;

/// Digits of 4 bits that values have.
const DIGITS: usize = 2;
const MODULUS: u64 = 4 << 4;

#[test]
#[ignore = "keys of full size and 72 lookups: two minutes on two cores, 3 GB of memory"]
fn rows_of_full_size_are_sorted() {
    let sort = PreparedFormulas::sort(DIGITS, DIGITS, MODULUS, false).unwrap();
    let start = Instant::now();
    let request = Request { count: Some(ROWS), ..Request::new(MODULUS, MODULUS) };
    let parameters = Parameters::for_formulas(&sort, &request).unwrap();
    println!("planned in {:?}: {parameters}", start.elapsed());
    assert!(parameters.security_bits() >= 128.0);
    assert!(parameters.formula_failure(&sort).log2() <= -64.0);
    let prediction = parameters.formula_prediction(&sort).unwrap();
    let seconds = CostModel::default().seconds(&prediction.work);
    println!(
        "{}: {} lookups, predicted {seconds:.1} s, {} MB",
        parameters.literal().name,
        parameters.formula_lookups(&sort).unwrap(),
        prediction.peak_bytes() / 1_000_000
    );

    let (secret, key) = common::keys(&parameters);
    let base = MODULUS / 4;
    let row = |row: usize| (0..DIGITS).map(move |column| mixed(column as u64, row as u64) % base);
    let mut values: Vec<Vec<u64>> = (0..ROWS).map(|index| row(index).collect()).collect();
    let column = |values: &[Vec<u64>], column: usize| -> Vec<u64> {
        values.iter().map(|row| row[column]).collect()
    };
    let encrypted: Vec<Ciphertext> =
        (0..DIGITS).map(|it| secret.encrypt(&column(&values, it)).unwrap()).collect();
    let start = Instant::now();
    let inputs: Vec<&Ciphertext> = encrypted.iter().collect();
    let found = key.evaluate(&inputs, &sort, Progress::silent()).unwrap();
    println!("sorted in {:?}", start.elapsed());
    values.sort_unstable();
    for (index, found) in found.iter().enumerate() {
        common::largest_over_bound(&secret, found, &column(&values, index));
    }
}
