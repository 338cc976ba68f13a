//! Counts and sums of 16-bit values by 64 groups, of 65,536 rows at 128 bits of security, with every group compared.

use std::time::Instant;

use cryptable_packed::{
    Ciphertext, CostModel, Formula, Parameters, PreparedFormulas, Progress, Request, group_totals,
};

use crate::common;
use crate::common::mixed;

const ROWS: u64 = 65_536;
const GROUPS: u64 = 64;

/// Bits of the digits that values have.
const DIGIT_BITS: [u32; 3] = [6, 6, 4];

#[test]
#[ignore = "keys of full size and 64 groups: a minute on two cores, 5 GB of memory"]
fn groups_of_full_size_have_their_counts_and_sums() {
    let modulus = 64;
    let mut formulas = vec![Formula::Constant(1)];
    formulas.extend((1..=DIGIT_BITS.len()).map(Formula::Column));
    let formulas = PreparedFormulas::by_group(&formulas, 0, GROUPS, modulus).unwrap();
    let parameters = Parameters::for_formulas(&formulas, &Request::new(modulus, 4096)).unwrap();
    assert!(parameters.security_bits() >= 128.0);
    assert!(parameters.formula_failure(&formulas).log2() <= -64.0);
    let prediction = parameters.formula_prediction(&formulas).unwrap();
    let seconds = CostModel::default().seconds(&prediction.work);
    println!(
        "{}: predicted {seconds:.1} s, {} MB",
        parameters.literal().name,
        prediction.peak_bytes() / 1_000_000
    );

    let (secret, key) = common::keys(&parameters);
    let rows: Vec<(u64, u64)> =
        (0..ROWS).map(|row| (mixed(7, row) % GROUPS, mixed(8, row) % 65_536)).collect();
    let mut columns: Vec<Vec<u64>> = vec![rows.iter().map(|row| row.0).collect()];
    let mut shift = 0;
    for bits in DIGIT_BITS {
        columns.push(rows.iter().map(|row| row.1 >> shift & ((1 << bits) - 1)).collect());
        shift += bits;
    }
    let encrypted: Vec<Ciphertext> =
        columns.iter().map(|values| secret.encrypt(values).unwrap()).collect();
    let start = Instant::now();
    let inputs: Vec<&Ciphertext> = encrypted.iter().collect();
    let found = key.evaluate(&inputs, &formulas, Progress::silent()).unwrap();
    println!("evaluated in {:?}", start.elapsed());
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
        let digits = (1..=DIGIT_BITS.len()).map(|digit| totals[digit][group] << (6 * (digit - 1)));
        assert_eq!((totals[0][group], digits.sum::<i64>()), (count, sum), "group {group}");
    }
    // Place r has the sum of a group over the 64 rows around it.
    for (column, found) in columns.iter().zip(&found).skip(1) {
        let partial = |place: usize| {
            let group = (place as u64 % GROUPS).reverse_bits() >> (64 - 6);
            let start = place - place % GROUPS as usize;
            let rows_of_place = start..start + GROUPS as usize;
            rows_of_place.filter(|&row| columns[0][row] == group).map(|row| column[row]).sum()
        };
        let partial: Vec<u64> = (0..ROWS as usize).map(partial).collect();
        common::largest_over_bound(&secret, found, &partial);
    }
}
