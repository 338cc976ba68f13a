//! Counts and sums of 16-bit values by 64 groups, of 65,536 rows at 128 bits of security, with every group compared.

use cryptable_packed::{Formula, PreparedFormulas, Request, group_totals};

use crate::common;
use crate::common::mixed;

const ROWS: u64 = 65_536;
const GROUPS: u64 = 64;

/// Digits of values, of 6, 6 and 4 bits.
const DIGITS: usize = 3;

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
    // Place r has the sum of a group over the 64 rows around it.
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
