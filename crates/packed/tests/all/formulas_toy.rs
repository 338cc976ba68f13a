//! Formulas over columns on toy rings: every result of trees, sums and filters, their noise from both sides, and
//! refusals.

use cryptable_packed::{
    Ciphertext, Error, EvaluationKey, Formula, Parameters, PreparedFormulas, Progress, SecretKey,
};
use cryptable_ring::random::replay;

use crate::common;
use crate::common::{mixed, tree};

fn constant(value: i64) -> Box<Formula> {
    Box::new(Formula::Constant(value))
}

/// Keys of a client, and columns that contain every pair of values at least once if there is room.
struct Setting {
    secret: SecretKey,
    key: EvaluationKey,
    rows: Vec<Vec<u64>>,
    columns: Vec<Ciphertext>,
    formulas: Vec<Formula>,
    prepared: PreparedFormulas,
}

impl Setting {
    fn new(formulas: Vec<Formula>, modulus: u64, output_modulus: u64) -> Self {
        let prepared = PreparedFormulas::new(&formulas, modulus).unwrap();
        let parameters = Parameters::insecure_toy_formulas(output_modulus, &prepared).unwrap();
        let (secret, key) = common::keys(&parameters);
        let row = |index: u64| -> Vec<u64> {
            let value = |column: u64| match column {
                0 => index % modulus,
                1 => index / modulus % modulus,
                _ => mixed(column, index) % modulus,
            };
            (0..prepared.columns() as u64).map(value).collect()
        };
        let rows: Vec<_> = (0..parameters.literal().slots as u64).map(row).collect();
        let columns = common::encrypt_columns(&secret, &rows);
        Self { secret, key, rows, columns, formulas, prepared }
    }

    fn evaluate(&self, progress: Progress<'_>) -> cryptable_packed::Result<Vec<Ciphertext>> {
        let columns: Vec<&Ciphertext> = self.columns.iter().collect();
        self.key.evaluate(&columns, &self.prepared, progress)
    }

    /// Checks every result, and that noise is within its bound and not far below it. Returns the largest ratio of a
    /// standard deviation to its bound.
    fn check(&self) -> f64 {
        let _part = replay::part(1);
        let found = self.evaluate(Progress::silent()).unwrap();
        assert_eq!(found.len(), self.formulas.len());
        let mut largest: f64 = 0.0;
        for (found, formula) in found.iter().zip(&self.formulas) {
            let modulus = found.modulus();
            let value = |row: &Vec<u64>| formula.value(row).rem_euclid(modulus as i64) as u64;
            let expected: Vec<u64> = self.rows.iter().map(value).collect();
            let ratio = common::over_bound(&self.secret, found, &expected);
            assert!((0.001..1.1).contains(&ratio), "{ratio}");
            common::largest_over_bound(&self.secret, found, &expected);
            largest = largest.max(ratio);
        }
        largest
    }
}

#[test]
fn forests_give_the_sum_of_their_trees() {
    let _replay = replay::begin();
    for depth in 1..=4 {
        let trees = (1..=6).map(|seed| tree(seed, depth, 5, 16, 9));
        let forest = Formula::Sum(trees.collect());
        let one = tree(17, depth.min(2), 5, 16, 30);
        Setting::new(vec![forest, one], 16, 128).check();
    }
}

#[test]
fn sums_of_tables_need_no_choices() {
    let _replay = replay::begin();
    let table = |column| {
        let output = |x: u64| (mixed(column as u64, x) % 41) as i64 - 20;
        Formula::Table { column, outputs: (0..32).map(output).collect() }
    };
    let sum = Formula::Sum(vec![table(0), table(1), table(2), Formula::Constant(5)]);
    let setting = Setting::new(vec![sum, table(1)], 32, 256);
    assert_eq!(setting.key.parameters().choices_in_a_row(), Some(0));
    setting.check();
}

#[test]
fn filters_and_odd_moduli_are_served() {
    let _replay = replay::begin();
    // The value of column 1 where column 0 is 3 or from 7 to 9; a tree of choices between tables.
    let identity = |column| Box::new(Formula::Table { column, outputs: (0..11).collect() });
    let within = vec![[3, 4], [7, 10]];
    let filter = Formula::Choice { column: 0, within, then: identity(1), otherwise: constant(0) };
    let between = Formula::Choice {
        column: 1,
        within: vec![[0, 5]],
        then: Box::new(filter.clone()),
        otherwise: Box::new(Formula::Sum(vec![*identity(0), *identity(1)])),
    };
    // The condition always holds.
    let always = Formula::Choice {
        column: 0,
        within: vec![[0, 11]],
        then: identity(0),
        otherwise: Box::new(filter.clone()),
    };
    Setting::new(vec![filter, between, always], 11, 100).check();
}

#[test]
fn many_tables_are_evaluated_in_chunks() {
    let _replay = replay::begin();
    let trees = (100..460).map(|seed| tree(seed, 2, 16, 64, 2));
    let setting = Setting::new(vec![Formula::Sum(trees.collect())], 64, 2048);
    assert!(setting.prepared.tables() > 512, "{}", setting.prepared.tables());
    setting.check();
}

#[test]
fn predictions_count_what_is_done_and_progress_is_told() {
    let setting = Setting::new(vec![tree(3, 3, 3, 16, 9)], 16, 64);
    let reports = common::reports(|progress| setting.evaluate(progress));
    let total = reports[0].1;
    let expected: Vec<_> = (0..=total).map(|done| (done, total)).collect();
    let mut sorted = reports;
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let error = common::stopped_after(total / 2, |progress| setting.evaluate(progress));
    assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    let parameters = setting.key.parameters();
    let all = parameters.formula_prediction(&setting.prepared).unwrap();
    assert!(all.work.transforms > 2.0 * parameters.prediction().work.transforms);
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let setting = Setting::new(vec![tree(3, 2, 2, 16, 9)], 16, 64);
    let (key, formulas) = (&setting.key, &setting.prepared);
    let [x, y] = [&setting.columns[0], &setting.columns[1]];
    let quiet = Progress::silent();
    assert!(key.evaluate(&[x], formulas, quiet).is_err());
    let short = setting.secret.encrypt(&[1, 2]).unwrap();
    assert!(key.evaluate(&[x, &short], formulas, quiet).is_err());
    let result = &key.evaluate(&[x, y], formulas, quiet).unwrap()[0];
    assert!(key.evaluate(&[x, result], formulas, quiet).is_err());
    let deep = PreparedFormulas::new(&[tree(3, 4, 2, 16, 2)], 16).unwrap();
    let error = key.evaluate(&[x, y], &deep, quiet).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 1, .. }), "{error}");
    let wide = PreparedFormulas::new(&[tree(3, 1, 2, 16, 900)], 16).unwrap();
    assert!(key.evaluate(&[x, y], &wide, quiet).is_err());
    let other = PreparedFormulas::new(&[tree(3, 1, 2, 8, 9)], 8).unwrap();
    assert!(key.evaluate(&[x, y], &other, quiet).is_err());
    // Large multiples of a column are too noisy.
    let mut loud = x.clone();
    let error = loop {
        match key.evaluate(&[&loud, y], formulas, quiet) {
            Ok(_) => loud = key.mul_scalar(&loud, 7).unwrap(),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
    // Keys of lookups have no primes for formulas.
    let lookups = Parameters::insecure_toy(16, 64).unwrap();
    assert_eq!(lookups.choices_in_a_row(), None);
    assert!(lookups.formula_prediction(formulas).is_err());
}

#[test]
fn formulas_are_checked_before_they_are_prepared() {
    let new = |formula: Formula| PreparedFormulas::new(&[formula], 16);
    assert!(new(Formula::Constant(3)).is_err());
    assert!(new(Formula::Table { column: 0, outputs: vec![1; 15] }).is_err());
    assert!(new(Formula::Table { column: 0, outputs: vec![1; 16] }).is_err());
    let within = vec![[5, 3]];
    let turned = Formula::Choice { column: 0, within, then: constant(1), otherwise: constant(0) };
    assert!(new(turned).is_err());
    assert!(new(tree(1, 9, 2, 16, 5)).is_err());
    assert!(PreparedFormulas::new(&[], 16).is_err());
    // Formulas are read from text in files.
    let text = r#"{"choice": {"column": 1, "within": [[0, 4]], "then": {"constant": 2}, "otherwise": {"sum": []}}}"#;
    let formula: Formula = serde_json::from_str(text).unwrap();
    assert_eq!((formula.value(&[9, 3]), formula.value(&[0, 4])), (2, 0));
    assert!(serde_json::from_str::<Formula>(r#"{"constant": 1.5}"#).is_err());
}
