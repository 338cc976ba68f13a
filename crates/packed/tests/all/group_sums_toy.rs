//! Sums of formulas by groups on toy rings: every partial sum, totals, noise from both sides, and refusals.

use cryptable_packed::{
    Error, EvaluationKey, Formula, Parameters, PreparedFormulas, Progress, SecretKey, group_totals,
};
use cryptable_ring::random::replay;

use crate::common;
use crate::common::mixed;

const MODULUS: u64 = 16;

/// Formulas of the number of rows, of a value, and of signed values of some rows.
fn formulas() -> Vec<Formula> {
    let outputs = (0..MODULUS as i64).map(|x| 5 - x).collect();
    let some = Formula::Choice {
        column: 2,
        within: vec![[3, 5], [9, 12]],
        then: Box::new(Formula::Table { column: 1, outputs }),
        otherwise: Box::new(Formula::Constant(0)),
    };
    vec![Formula::Constant(1), Formula::Column(1), some]
}

struct Setting {
    prepared: PreparedFormulas,
    secret: SecretKey,
    key: EvaluationKey,
}

impl Setting {
    fn new(groups: u64) -> Self {
        let prepared = PreparedFormulas::by_group(&formulas(), 0, groups, MODULUS).unwrap();
        let parameters = Parameters::insecure_toy_formulas(512, &prepared).unwrap();
        let (secret, key) = common::keys(&parameters);
        Self { prepared, secret, key }
    }

    fn evaluate(&self, rows: &[[u64; 3]], progress: Progress<'_>) -> Vec<Vec<u64>> {
        self.sums(rows, progress)
            .unwrap()
            .iter()
            .map(|sums| self.secret.decrypt(sums).unwrap())
            .collect()
    }

    fn sums(
        &self,
        rows: &[[u64; 3]],
        progress: Progress<'_>,
    ) -> cryptable_packed::Result<Vec<cryptable_packed::Ciphertext>> {
        let column = |k: usize| {
            let values: Vec<u64> = rows.iter().map(|row| row[k]).collect();
            self.secret.encrypt(&values).unwrap()
        };
        let columns = [0, 1, 2].map(column);
        self.key.evaluate(&columns.each_ref(), &self.prepared, progress)
    }
}

fn rows(count: u64, groups: u64) -> Vec<[u64; 3]> {
    let row = |k| [mixed(1, k) % groups, mixed(2, k) % MODULUS, mixed(3, k) % MODULUS];
    (0..count).map(row).collect()
}

/// Returns the sum of a formula over the rows of each group.
fn expected(formula: &Formula, rows: &[[u64; 3]], groups: usize) -> Vec<i64> {
    let mut sums = vec![0; groups];
    rows.iter().for_each(|row| sums[row[0] as usize] += formula.value(row));
    sums
}

#[test]
fn every_group_has_its_sums() {
    let _replay = replay::begin();
    for (groups, count) in [(16, 1024), (5, 1024), (8, 700), (2, 1)] {
        let setting = Setting::new(groups);
        let rows = rows(count, groups);
        let found = setting.evaluate(&rows, Progress::silent());
        for ((found, formula), (low, _)) in
            found.iter().zip(&formulas()).zip(setting.prepared.ranges())
        {
            let modulus = (low < 0).then_some(512);
            let totals = group_totals(found, groups as usize, modulus);
            assert_eq!(totals, expected(formula, &rows, groups as usize), "{groups}, {formula:?}");
        }
    }
}

#[test]
fn each_place_has_the_sum_of_a_group_over_neighbours_within_the_noise_that_is_stated() {
    let _replay = replay::begin();
    let groups = 8;
    let setting = Setting::new(groups as u64);
    let rows = rows(1024, groups as u64);
    let found = setting.sums(&rows, Progress::silent()).unwrap();
    for (found, formula) in found.iter().zip(&formulas()) {
        let place = |place: usize| {
            let group = (place % groups).reverse_bits() >> (usize::BITS - 3);
            let start = place / groups * groups;
            let of_group =
                rows[start..start + groups].iter().filter(|row| row[0] as usize == group);
            of_group.map(|row| formula.value(row)).sum::<i64>().rem_euclid(512) as u64
        };
        let partial: Vec<u64> = (0..rows.len()).map(place).collect();
        let ratio = common::over_bound(&setting.secret, found, &partial);
        assert!((0.001..1.0).contains(&ratio), "{ratio}");
        common::largest_over_bound(&setting.secret, found, &partial);
    }
}

#[test]
fn the_column_of_groups_may_be_read_by_formulas_and_progress_is_told() {
    let formulas = [Formula::Sum(vec![Formula::Column(0), Formula::Column(1)])];
    let prepared = PreparedFormulas::by_group(&formulas, 0, 4, MODULUS).unwrap();
    let parameters = Parameters::insecure_toy_formulas(512, &prepared).unwrap();
    let (secret, key) = common::keys(&parameters);
    let (x, y) = (secret.encrypt(&[3, 1, 3]).unwrap(), secret.encrypt(&[9, 8, 7]).unwrap());
    let reports = common::reports(|progress| key.evaluate(&[&x, &y], &prepared, progress));
    let total = reports[0].1;
    let expected: Vec<_> = (0..=total).map(|done| (done, total)).collect();
    let mut sorted = reports;
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let found = key.evaluate(&[&x, &y], &prepared, Progress::silent()).unwrap();
    assert_eq!(group_totals(&secret.decrypt(&found[0]).unwrap(), 4, None), [0, 9, 0, 22]);
    // The same keys evaluate formulas row by row.
    let by_row = PreparedFormulas::new(&formulas, MODULUS).unwrap();
    let found = key.evaluate(&[&x, &y], &by_row, Progress::silent()).unwrap();
    assert_eq!(secret.decrypt(&found[0]).unwrap(), [12, 9, 10]);
    // Another number of groups needs another key.
    let more = PreparedFormulas::by_group(&formulas, 0, 5, MODULUS).unwrap();
    let error = key.evaluate(&[&x, &y], &more, Progress::silent()).unwrap_err();
    assert!(error.to_string().contains("number of groups"), "{error}");
}

#[test]
fn groups_that_do_not_fit_are_refused() {
    let count = [Formula::Constant(1)];
    let refused = |groups, modulus| {
        PreparedFormulas::by_group(&count, 0, groups, modulus).unwrap_err().to_string()
    };
    assert!(refused(17, 16).contains("a multiple of 32, for 17 groups"));
    assert!(refused(3, 6).contains("a multiple of 4"));
    assert!(refused(2000, 4096).contains("1024"));
    assert!(PreparedFormulas::by_group(&[], 0, 4, 16).is_err());
    // Sums of 4 rows are up to 60, and cannot be distinguished modulo 32.
    let sum = PreparedFormulas::by_group(&[Formula::Column(1)], 0, 4, 16).unwrap();
    let error = Parameters::insecure_toy_formulas(32, &sum).unwrap_err();
    assert!(matches!(error, Error::TooLarge { value: 60, limit: 31, .. }), "{error}");
}
