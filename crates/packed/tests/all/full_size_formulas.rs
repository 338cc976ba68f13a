//! Formulas at 128 bits of security, with every result compared: a boosted forest on 65,536 rows, counts and sums of 16-bit
//! values by 64 groups, and a sort of rows.

use cryptable_packed::{Formula, PreparedFormulas, Request, group_totals};

use crate::common;
use crate::common::{mixed, tree};

const ROWS: u64 = 65_536;
const GROUPS: u64 = 64;

/// Number of digits of values that are summed, of 6, 6 and 4 bits.
const DIGITS: usize = 3;

/// Number of digits of values that are sorted, of 4 bits each, and the modulus of their columns.
const SORTED: (usize, u64) = (2, 4 << 4);

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

#[test]
#[ignore = "keys of full size and 64 groups: a minute on two cores, 5 GB of memory"]
fn groups_of_full_size_have_their_counts_and_sums() {
    let modulus = 64;
    let mut formulas = vec![Formula::Constant(1)];
    formulas.extend((1..=DIGITS).map(Formula::Column));
    let formulas = PreparedFormulas::by_group(&formulas, 0, GROUPS, modulus).unwrap();
    let parameters = common::plan_formulas(&formulas, &Request::new(modulus, 4096));
    let (secret, key) = common::keys(&parameters);
    let rows: Vec<(u64, u64)> =
        (0..ROWS).map(|row| (mixed(7, row) % GROUPS, mixed(8, row) % 65_536)).collect();
    let digits =
        |&(group, value): &(u64, u64)| vec![group, value % 64, value >> 6 & 63, value >> 12];
    let encoded: Vec<Vec<u64>> = rows.iter().map(digits).collect();
    let found = common::evaluate_rows(&secret, &key, &encoded, &formulas);
    let totals: Vec<Vec<i64>> = found
        .iter()
        .map(|sums| group_totals(&secret.decrypt(sums).unwrap(), GROUPS as usize, None))
        .collect();
    let mut expected = vec![[0i64; 2]; GROUPS as usize];
    for &(group, value) in &rows {
        expected[group as usize][0] += 1;
        expected[group as usize][1] += value as i64;
    }
    for (group, [count, sum]) in expected.into_iter().enumerate() {
        let digits = (1..=DIGITS).map(|digit| totals[digit][group] << (6 * (digit - 1)));
        assert_eq!((totals[0][group], digits.sum::<i64>()), (count, sum), "group {group}");
    }
    // Each place holds the sum of a group over the 64 rows of its block.
    for (column, found) in found.iter().enumerate().skip(1) {
        let partial = |place: usize| {
            let group = (place as u64 % GROUPS).reverse_bits() >> (64 - 6);
            let start = place - place % GROUPS as usize;
            let rows_of_place = start..start + GROUPS as usize;
            let of_group = rows_of_place.filter(|&row| encoded[row][0] == group);
            of_group.map(|row| encoded[row][column]).sum()
        };
        let partial: Vec<u64> = (0..ROWS as usize).map(partial).collect();
        common::largest_over_bound(&secret, found, &partial);
    }
}

#[test]
#[ignore = "keys of full size and 72 lookups: two minutes on two cores, 3 GB of memory"]
fn rows_of_full_size_are_sorted() {
    let (rows, (digits, modulus)) = (256, SORTED);
    let sort = PreparedFormulas::sort(digits, digits, modulus, false).unwrap();
    let request = Request { count: Some(rows), ..Request::new(modulus, modulus) };
    let parameters = common::plan_formulas(&sort, &request);
    let (secret, key) = common::keys(&parameters);
    let base = modulus / 4;
    let row = |row: usize| (0..digits).map(move |column| mixed(column as u64, row as u64) % base);
    let mut values: Vec<Vec<u64>> = (0..rows).map(|index| row(index).collect()).collect();
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
