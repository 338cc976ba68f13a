//! Sorts of rows on toy rings: every row, its noise, columns that are cleaned, and refusals.

use cryptable_packed::{
    Ciphertext, EvaluationKey, Parameters, PreparedFormulas, Progress, SecretKey,
};
use cryptable_ring::random::replay;

use crate::common;
use crate::common::mixed;

const MODULUS: u64 = 16;

struct Setting {
    sort: PreparedFormulas,
    secret: SecretKey,
    key: EvaluationKey,
    columns: usize,
    keys: usize,
}

impl Setting {
    fn new(columns: usize, keys: usize, descending: bool) -> Self {
        let sort = PreparedFormulas::sort(columns, keys, MODULUS, descending).unwrap();
        let parameters = Parameters::insecure_toy_formulas(MODULUS, &sort).unwrap();
        let (secret, key) = common::keys(&parameters);
        Self { sort, secret, key, columns, keys }
    }

    /// Returns rows of keys below a quarter of the modulus, and of other columns.
    fn rows(&self, count: u64) -> Vec<Vec<u64>> {
        let value = |row: u64, column: usize| {
            let limit = if column < self.keys { MODULUS / 4 } else { MODULUS };
            mixed(column as u64, row) % limit
        };
        (0..count).map(|row| (0..self.columns).map(|column| value(row, column)).collect()).collect()
    }

    fn encrypt(&self, rows: &[Vec<u64>]) -> Vec<Ciphertext> {
        common::encrypt_columns(&self.secret, rows)
    }

    fn sort(&self, columns: &[Ciphertext]) -> Vec<Ciphertext> {
        let columns: Vec<&Ciphertext> = columns.iter().collect();
        self.key.evaluate(&columns, &self.sort, Progress::silent()).unwrap()
    }

    fn decrypt(&self, columns: &[Ciphertext]) -> Vec<Vec<u64>> {
        let columns: Vec<_> = columns.iter().map(|it| self.secret.decrypt(it).unwrap()).collect();
        (0..columns[0].len()).map(|row| columns.iter().map(|it| it[row]).collect()).collect()
    }
}

/// Checks that rows are in the order of their keys, and that no row is missing.
fn check_order(found: &[Vec<u64>], rows: &[Vec<u64>], keys: usize) {
    assert!(found.is_sorted_by_key(|row| row[..keys].to_vec()), "{found:?}");
    let sorted = |rows: &[Vec<u64>]| {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows
    };
    assert_eq!(sorted(found), sorted(rows));
}

#[test]
fn rows_are_sorted_by_their_keys_with_other_columns_along() {
    let _replay = replay::begin();
    let setting = Setting::new(3, 2, false);
    for count in [20, 2, 1] {
        let rows = setting.rows(count);
        let results = setting.sort(&setting.encrypt(&rows));
        check_order(&setting.decrypt(&results), &rows, 2);
        // Columns that are results hold arbitrary values in places without rows.
        let rows = setting.decrypt(&results);
        check_order(&setting.decrypt(&setting.sort(&results)), &rows, 2);
    }
}

#[test]
fn rows_of_keys_that_are_too_large_show_it() {
    let _replay = replay::begin();
    let limit = MODULUS / 4;
    for (descending, rows) in [(false, 12), (true, 5)] {
        let setting = Setting::new(2, 2, descending);
        let mut rows = setting.rows(rows);
        (rows[1][0], rows[4][1]) = (limit, MODULUS - 1);
        rows[3] = vec![2 * limit, 3 * limit];
        let found = setting.decrypt(&setting.sort(&setting.encrypt(&rows)));
        let clamped = |it: &u64| if *it < limit { *it } else { 0 };
        let mut expected: Vec<Vec<u64>> =
            rows.iter().map(|row| row.iter().map(clamped).collect()).collect();
        expected.sort_unstable();
        if descending {
            expected.reverse();
        }
        [1, 3, 4].into_iter().for_each(|row: usize| expected[row][0] += limit);
        assert_eq!(found, expected);
    }
}

#[test]
fn columns_are_cleaned_and_noise_is_within_its_bound() {
    let _replay = replay::begin();
    let setting = Setting::new(1, 1, true);
    let rows = setting.rows(150);
    let results = setting.sort(&setting.encrypt(&rows));
    let mut found = setting.decrypt(&results);
    let values: Vec<u64> = found.iter().map(|row| row[0]).collect();
    found.reverse();
    check_order(&found, &rows, 1);
    common::largest_over_bound(&setting.secret, &results[0], &values);
}

#[test]
fn sorts_that_do_not_fit_are_refused() {
    let refused = |columns, keys, modulus| {
        PreparedFormulas::sort(columns, keys, modulus, false).unwrap_err().to_string()
    };
    assert!(refused(2, 0, 16).contains("number of keys of a sort"));
    assert!(refused(2, 3, 16).contains("number of keys of a sort"));
    assert!(refused(9, 9, 64).contains("number of keys of a sort"));
    assert!(refused(65, 1, 64).contains("number of columns of a sort"));
    assert!(refused(2, 1, 1 << 62).contains("modulus of columns"));
    assert!(refused(2, 1, 4).contains("modulus of columns of a sort"));
    assert!(refused(2, 1, 24).contains("a power of two"));
    assert!(refused(2, 1, 1 << 13).contains("modulus of columns"));
    let sort = PreparedFormulas::sort(2, 1, 16, false).unwrap();
    assert!(Parameters::insecure_toy_formulas(32, &sort).is_err());
}
