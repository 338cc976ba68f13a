//! A boosted forest on 65,536 rows at 128 bits of security, with every result compared.

use std::time::Instant;

use cryptable_packed::{Ciphertext, CostModel, Parameters, PreparedFormulas, Progress, Request};

use crate::common;
use crate::common::{mixed, tree};
use cryptable_packed::Formula;

const ROWS: u64 = 65_536;

#[test]
#[ignore = "keys of full size and 80 tables of 5 bits: a minute on two cores, 4.5 GB of memory"]
fn forests_of_full_size_give_the_sum_of_their_trees_on_every_row() {
    let (columns, modulus) = (6, 32);
    let trees = (1..=12).map(|seed| tree(1000 * seed, 3, columns, modulus, 80));
    let formula = Formula::Sum(trees.collect());
    let formulas = PreparedFormulas::new(std::slice::from_ref(&formula), modulus).unwrap();
    let parameters = Parameters::for_formulas(&formulas, &Request::new(modulus, 2048)).unwrap();
    assert!(parameters.security_bits() >= 128.0);
    assert!(parameters.formula_failure(&formulas).log2() <= -64.0);
    let prediction = parameters.formula_prediction(&formulas).unwrap();
    let seconds = CostModel::default().seconds(&prediction.work);
    println!(
        "{} tables, predicted {seconds:.1} s, {} MB",
        formulas.tables(),
        prediction.peak_bytes() / 1_000_000
    );

    let (secret, key) = common::keys(&parameters);
    let row = |index: u64| -> Vec<u64> {
        (0..columns as u64).map(|column| mixed(column + 50, index) % modulus).collect()
    };
    let rows: Vec<Vec<u64>> = (0..ROWS).map(row).collect();
    let column = |number: usize| {
        let values: Vec<u64> = rows.iter().map(|row| row[number]).collect();
        secret.encrypt(&values).unwrap()
    };
    let encrypted: Vec<Ciphertext> = (0..columns).map(column).collect();
    let start = Instant::now();
    let inputs: Vec<&Ciphertext> = encrypted.iter().collect();
    let found = key.evaluate(&inputs, &formulas, Progress::silent()).unwrap();
    println!("evaluated in {:?}", start.elapsed());
    let expected = rows.iter().map(|row| formula.value(row).rem_euclid(2048) as u64);
    let expected: Vec<u64> = expected.collect();
    common::largest_over_bound(&secret, &found[0], &expected);
}
