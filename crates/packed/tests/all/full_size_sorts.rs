//! A sort of rows at 128 bits of security, with every row compared.

use cryptable_packed::{PreparedFormulas, Request};

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
    let request = Request { count: Some(ROWS), ..Request::new(MODULUS, MODULUS) };
    let parameters = common::plan_formulas(&sort, &request);
    let (secret, key) = common::keys(&parameters);
    let base = MODULUS / 4;
    let row = |row: usize| (0..DIGITS).map(move |column| mixed(column as u64, row as u64) % base);
    let mut values: Vec<Vec<u64>> = (0..ROWS).map(|index| row(index).collect()).collect();
    let found = common::evaluate_rows(&secret, &key, &values, &sort);
    values.sort_unstable();
    for (index, found) in found.iter().enumerate() {
        common::largest_over_bound(
            &secret,
            found,
            &values.iter().map(|row| row[index]).collect::<Vec<_>>(),
        );
    }
}
