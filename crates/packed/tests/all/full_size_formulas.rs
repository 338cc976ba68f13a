//! A boosted forest on 65,536 rows at 128 bits of security, with every result compared.

use cryptable_packed::{Formula, PreparedFormulas, Request};

use crate::common;
use crate::common::{mixed, tree};

const ROWS: u64 = 65_536;

#[test]
#[ignore = "keys of full size and 80 tables of 5 bits: a minute on two cores, 4.5 GB of memory"]
fn forests_of_full_size_give_the_sum_of_their_trees_on_every_row() {
    let (columns, modulus) = (6, 32);
    let trees = (1..=12).map(|seed| tree(1000 * seed, 3, columns, modulus, 80));
    let formula = Formula::Sum(trees.collect());
    let formulas = PreparedFormulas::new(std::slice::from_ref(&formula), modulus).unwrap();
    let parameters = common::plan_formulas(&formulas, &Request::new(modulus, 2048));
    let (secret, key) = common::keys(&parameters);
    let row = |index: u64| -> Vec<u64> {
        (0..columns as u64).map(|column| mixed(column + 50, index) % modulus).collect()
    };
    let rows: Vec<Vec<u64>> = (0..ROWS).map(row).collect();
    let found = common::evaluate_rows(&secret, &key, &rows, &formulas);
    let expected = rows.iter().map(|row| formula.value(row).rem_euclid(2048) as u64);
    let expected: Vec<u64> = expected.collect();
    common::largest_over_bound(&secret, &found[0], &expected);
}
