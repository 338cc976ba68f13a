//! Sorting of rows: Batcher's odd-even network, where each exchange is a set of formulas of differences.
//!
//! **An exchange** compares places i and i + d for all i that are first of a pair. For a column x and its shift, a
//! product with a monomial that needs no key, the difference `v = X^-d·x - x` holds at i the second row minus the
//! first. The change e is v where rows are not in order, and 0 elsewhere and at all places that are not first; the
//! column becomes `x + e - X^d·e`. Rows are not in order if the difference of the first key is negative, or is 0 while
//! that of the next key is negative, and so on. So e of the first key is a table of its difference, and e of further
//! columns needs nested choices.
//!
//! **Places.** Keys are below a quarter of the modulus p. A public p/2, added to the difference of the first key,
//! therefore marks all places that are not first of a pair; differences with places beyond the last, which enter
//! negated, are marked by 3p/4. Both places of a pair hold rows: other places count as values that come last.
//!
//! **Keys that are too large** would end up in a wrong order. So keys are looked up before the first exchange: a key
//! that is not below p/4 becomes 0, and a *flag* of its row, p/4, is added to the first key after the last exchange. A
//! result of the first key is below p/4 if and only if all keys of that row of the inputs were.
//!
//! **Noise.** Each exchange adds the noise of two changes to a column, and a difference has twice the noise of a
//! column. A lookup *cleans* a column before its noise exceeds that of the noisiest column after a *span* of exchanges.
//! Changes of further keys have more noise than those of the first, so their columns are cleaned more often. The span
//! follows from the parameters, and the planner weighs the costs of both.

use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_lattice::{NoiseBound, Progress};

use crate::ciphertext::Ciphertext;
use crate::exchange::Exchange;
use crate::formulas::evaluation::steps_of;
use crate::formulas::formula::Formula;
use crate::formulas::noise::scaled;
use crate::formulas::prediction::StageNoise;
use crate::formulas::prepared::{Stage, check_modulus};
use crate::formulas::stages::PreparedFormulas;
use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::parameter_set::Parameters;

/// Least modulus of columns: keys have two values, and their differences have a sign.
const LEAST_MODULUS: u64 = 8;

/// Maximum number of keys: that of nested choices of formulas.
const MAX_KEYS: usize = 8;

/// Maximum number of columns.
const MAX_COLUMNS: usize = 64;

/// Maximum number of rows for which the failure probability is stated: the number of places of the largest ring.
const MOST_ROWS: usize = 1 << 17;

/// Numbers of exchanges before columns are cleaned, in the order in which they are tried.
pub(crate) const SPANS: [usize; 6] = [32, 16, 8, 4, 2, 1];

/// A step of a sort, and the noise of its results.
pub(crate) enum SortStep {
    /// Looks keys up before the first exchange; results are keys, and flags of rows whose keys are too large.
    Check(Vec<NoiseBound>),
    /// Cleans the columns with these numbers.
    Clean(Vec<usize>, Vec<NoiseBound>),
    /// Exchanges rows of all columns, with the noise of changes.
    Exchange(Exchange, Vec<NoiseBound>),
}

/// Formulas for the changes of an exchange.
struct Changes {
    modulus: u64,
    /// Range of differences of a key for which rows are not in order.
    wrong: [u64; 2],
}

impl Changes {
    /// The change of the first row of a pair in a column.
    fn formula(&self, keys: usize, column: usize) -> Formula {
        let is_key = column < keys;
        let [first, end] = self.wrong;
        let (mut formula, last) = match is_key {
            true => (self.table(column, |it| (first..end).contains(&it)), column),
            false => (where_within(keys - 1, self.wrong, self.table(column, |_| true)), keys - 1),
        };
        for key in (0..last).rev() {
            let base = self.modulus / 4;
            let change = self.table(column, |it| !is_key || it < base || it > self.modulus - base);
            let equal = where_within(key, [0, 1], formula);
            formula = Formula::Sum(vec![where_within(key, self.wrong, change), equal]);
        }
        formula
    }

    /// The table of differences as signed integers, and of 0 for differences that are not kept.
    fn table(&self, column: usize, is_kept: impl Fn(u64) -> bool) -> Formula {
        let signed =
            |it: u64| it as i64 - if it < self.modulus / 2 { 0 } else { self.modulus as i64 };
        let output = |it: u64| if is_kept(it) { signed(it) } else { 0 };
        Formula::Table { column, outputs: (0..self.modulus).map(output).collect() }
    }
}

/// The formulas that clean the columns with these numbers, which become columns 0, 1, … of the stage.
fn cleaning(columns: impl Iterator<Item = usize>, keys: usize, modulus: u64) -> Result<Stage> {
    Stage::prepare(&clean_formulas(columns, keys, modulus), modulus, None)
}

fn clean_formulas(columns: impl Iterator<Item = usize>, keys: usize, modulus: u64) -> Vec<Formula> {
    let clean = |(place, column): (usize, usize)| {
        let limit = if column < keys { modulus / 4 } else { modulus };
        let output = |it: u64| if it < limit { it as i64 } else { 0 };
        Formula::Table { column: place, outputs: (0..modulus).map(output).collect() }
    };
    columns.enumerate().map(clean).collect()
}

/// The formulas of keys before the first exchange: those that clean keys, and a flag, a quarter of the modulus where
/// any key is not below that quarter.
fn check_of_keys(keys: usize, modulus: u64) -> Result<Stage> {
    let quarter = modulus / 4;
    let range = [quarter, modulus];
    let output = |it: u64| if it < quarter { 0 } else { quarter as i64 };
    let outputs = (0..modulus).map(output).collect();
    let mut flag = Formula::Table { column: keys - 1, outputs };
    for column in (0..keys - 1).rev() {
        let (then, otherwise) = (Box::new(Formula::Constant(quarter as i64)), Box::new(flag));
        flag = Formula::Choice { column, within: vec![range], then, otherwise };
    }
    let mut formulas = clean_formulas(0..keys, keys, modulus);
    formulas.push(flag);
    Stage::prepare(&formulas, modulus, None)
}

/// The given formula where a column is in a range, and 0 elsewhere.
fn where_within(column: usize, range: [u64; 2], then: Formula) -> Formula {
    let (then, otherwise) = (Box::new(then), Box::new(Formula::Constant(0)));
    Formula::Choice { column, within: vec![range], then, otherwise }
}

impl PreparedFormulas {
    /// Prepares a sort of rows by their first columns, the `keys`: the smallest first or, if `descending`, the largest
    /// first. Results are all columns in that order. The first key decides, and the next one where the first is equal.
    /// Rows with equal keys are in arbitrary order.
    ///
    /// Keys must be below a quarter of the modulus, a power of two: use several columns of digits for wider keys, the
    /// most significant first. If a key is not below that quarter, the order is wrong, and results show this: results
    /// of the first key are below a quarter of the modulus in all rows if all keys are, and at least a quarter in the
    /// row of a key that is not. The remaining columns may have any values. Rows must fit one ciphertext.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, PreparedFormulas, Progress, SecretKey};
    /// // By x, with y along.
    /// let sort = PreparedFormulas::sort(2, 1, 16, false)?;
    /// // `Parameters::for_formulas` gives 128-bit parameters.
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_formulas(16, &sort)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = (secret.encrypt(&[3, 1, 2])?, secret.encrypt(&[9, 7, 15])?);
    /// let results = key.evaluate(&[&x, &y], &sort, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&results[0])?, [1, 2, 3]);
    /// assert_eq!(secret.decrypt(&results[1])?, [7, 15, 9]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no keys, more than 8, or fewer columns than keys; if there are more than 64 columns; if the modulus
    /// is not a power of two from 8 to 4,096.
    pub fn sort(columns: usize, keys: usize, modulus: u64, descending: bool) -> Result<Self> {
        if keys == 0 {
            return Err(Error::TooSmall { name: "number of keys of a sort", value: 0, limit: 1 });
        }
        for (name, value, limit) in [
            ("number of keys of a sort", keys, columns.min(MAX_KEYS)),
            ("number of columns of a sort", columns, MAX_COLUMNS),
        ] {
            if value > limit {
                let (value, limit) = (value as u64, limit as u64);
                return Err(Error::TooLarge { name, value, limit });
            }
        }
        check_modulus(modulus)?;
        if modulus < LEAST_MODULUS {
            let (name, limit) = ("modulus of columns of a sort", LEAST_MODULUS);
            return Err(Error::TooSmall { name, value: modulus, limit });
        }
        if !modulus.is_power_of_two() {
            return Err(Error::mismatch("modulus of columns of a sort", modulus, "a power of two"));
        }
        let base = modulus / 4;
        let wrong = if descending { [1, base] } else { [modulus - base + 1, modulus] };
        let changes = Changes { modulus, wrong };
        let exchange: Vec<Formula> =
            (0..columns).map(|column| changes.formula(keys, column)).collect();
        let exchange = Stage::prepare(&exchange, modulus, None)?;
        let cleaning = cleaning(0..columns, keys, modulus)?;
        Ok(Self::of_sort([exchange, check_of_keys(keys, modulus)?, cleaning], keys))
    }

    /// The stages of a sort: an exchange, the check of keys, and the cleaning of all columns.
    fn stages_of_sort(&self) -> &[Stage; 3] {
        self.stages().try_into().expect("stages of a sort")
    }

    /// The number of lookups and results of a sort in the union bound on failures.
    pub(super) fn failing_parts_of_sort(&self) -> usize {
        let [exchange, check, cleaning] =
            self.stages_of_sort().each_ref().map(|it| it.exponentials() + it.formulas());
        Exchange::of_sort(MOST_ROWS).count() * (exchange + cleaning) + check
    }
}

impl Parameters {
    /// The steps of a sort of `rows` rows, for columns with these noises, or fresh ones if `inputs` is empty. The first
    /// step cleans columns if `must_clean`. Columns are cleaned as rarely as noise allows.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if a result would be wrong with more than the stated probability.
    pub(crate) fn sort_steps(
        &self,
        formulas: &PreparedFormulas,
        inputs: &[NoiseBound],
        rows: usize,
        must_clean: bool,
    ) -> Result<Vec<SortStep>> {
        let circuit = self.circuit_of_formulas(formulas)?;
        let [exchange, check, cleaning] =
            formulas.stages_of_sort().each_ref().map(|stage| self.noise_of_stage(circuit, stage));
        let fresh = vec![self.fresh_noise(self.input_modulus()); formulas.columns()];
        let inputs = if inputs.is_empty() { &fresh } else { inputs };
        let noise = SortNoise { parameters: self, exchange, check, cleaning };
        let mut last = None;
        for span in SPANS {
            match noise.steps(inputs, rows, must_clean, span) {
                Ok(steps) => return Ok(steps),
                Err(error) => last = Some(error),
            }
        }
        Err(last.expect("a span"))
    }

    /// The number of exchanges, of checks of keys, and of cleanings of all columns, for a sort of full ciphertexts.
    pub(crate) fn times_of_sort(&self, formulas: &PreparedFormulas) -> Result<[f64; 3]> {
        let steps = self.sort_steps(formulas, &[], self.literal().slots, false)?;
        let cleaned = |step: &SortStep| match step {
            SortStep::Clean(columns, _) => columns.len(),
            SortStep::Check(..) | SortStep::Exchange(..) => 0,
        };
        let cleaned: usize = steps.iter().map(cleaned).sum();
        let exchanges = steps.iter().filter(|it| matches!(it, SortStep::Exchange(..))).count();
        Ok([exchanges as f64, 1.0, cleaned as f64 / formulas.columns() as f64])
    }
}

/// The noise that exchanges, the check of keys, and cleanings leave.
struct SortNoise<'a> {
    parameters: &'a Parameters,
    exchange: StageNoise<'a>,
    check: StageNoise<'a>,
    cleaning: StageNoise<'a>,
}

impl SortNoise<'_> {
    /// The steps of a sort in which no column has more noise than the noisiest column has `span` exchanges after its
    /// cleaning.
    fn steps(
        &self,
        inputs: &[NoiseBound],
        rows: usize,
        must_clean: bool,
        span: usize,
    ) -> Result<Vec<SortStep>> {
        let parameters = self.parameters;
        let clean = self.cleaning.results(parameters, inputs)?;
        let mut changes = self.changes(&clean)?;
        let after_span = |(&column, &change): (&NoiseBound, &NoiseBound)| {
            size(column + scaled(change, 2.0 * span as f64))
        };
        let most = clean.iter().zip(&changes).map(after_span).fold(0.0, f64::max);
        let mut columns = inputs.to_vec();
        let checked = self.check.results(parameters, inputs)?;
        let (&flag, keys) = checked.split_last().expect("the flag");
        columns[..keys.len()].copy_from_slice(keys);
        let mut steps = vec![SortStep::Check(checked.clone())];
        for (index, exchange) in Exchange::of_sort(rows).enumerate() {
            // The check has cleaned the keys.
            let others = if index == 0 && must_clean { keys.len() } else { columns.len() };
            let is_full =
                |column: usize| size(columns[column] + changes[column] + changes[column]) > most;
            let must_be_cleaned = |&it: &usize| it >= others || is_full(it);
            let cleaned: Vec<usize> = (0..columns.len()).filter(must_be_cleaned).collect();
            if !cleaned.is_empty() {
                let selected: Vec<NoiseBound> = cleaned.iter().map(|&it| columns[it]).collect();
                let found = self.cleaning.results(parameters, &selected)?;
                cleaned.iter().for_each(|&it| columns[it] = found[it]);
                let found = cleaned.iter().map(|&it| found[it]).collect();
                steps.push(SortStep::Clean(cleaned, found));
            }
            changes = self.changes(&columns)?;
            for (column, &change) in columns.iter_mut().zip(&changes) {
                *column = *column + change + change;
            }
            steps.push(SortStep::Exchange(exchange, changes.clone()));
        }
        columns[0] = columns[0] + flag;
        let (modulus, limit) = (parameters.output_modulus(), parameters.stated_log2_fail());
        let check = |it: &NoiseBound| it.check_decryption("a sorted column", modulus, limit);
        columns.iter().try_for_each(check)?;
        Ok(steps)
    }

    /// The noise of changes, for columns with these noises.
    fn changes(&self, columns: &[NoiseBound]) -> Result<Vec<NoiseBound>> {
        let differences: Vec<NoiseBound> = columns.iter().map(|&it| it + it).collect();
        self.exchange.results(self.parameters, &differences)
    }
}

/// A measure for comparing noises.
fn size(noise: NoiseBound) -> f64 {
    noise.deviation() + noise.bias()
}

impl EvaluationKey {
    /// Sorts the rows of columns, which must have been checked.
    pub(super) fn sort(
        &self,
        columns: &[&Ciphertext],
        formulas: &PreparedFormulas,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let (parameters, places) = (self.parameters(), self.parameters().literal().slots);
        let circuit = parameters.circuit_of_formulas(formulas)?;
        let [exchange_stage, check_stage, _] = formulas.stages_of_sort();
        let rows = columns[0].count();
        let inputs: Vec<NoiseBound> = columns.iter().map(|column| column.noise()).collect();
        // Results hold arbitrary values in places without rows.
        let must_clean = rows < places && columns.iter().any(|column| !column.is_fresh());
        let steps = parameters.sort_steps(formulas, &inputs, rows, must_clean)?;
        let stage = |step: &SortStep| match step {
            SortStep::Check(..) => Ok(check_stage.clone()),
            SortStep::Exchange(..) => Ok(exchange_stage.clone()),
            SortStep::Clean(cleaned, _) => {
                cleaning(cleaned.iter().copied(), formulas.sort_keys(), parameters.input_modulus())
            }
        };
        let stages = steps.iter().map(stage).collect::<Result<Vec<_>>>()?;
        let step = progress.steps(stages.iter().map(|it| steps_of(circuit, it)).sum())?;
        let done = || step.done();
        let moved = columns.iter().map(|column| self.shift(column, 0, places));
        let mut columns = moved.collect::<Result<Vec<_>>>()?;
        let mut flag = None;
        for (step, stage) in steps.into_iter().zip(&stages) {
            match step {
                SortStep::Check(noise) => {
                    let mut found = self.evaluate_stage(&columns, stage, noise, &done)?;
                    flag = found.pop();
                    columns.iter_mut().zip(found).for_each(|(column, found)| *column = found);
                }
                SortStep::Clean(cleaned, noise) => {
                    let selected: Vec<_> = cleaned.iter().map(|&it| columns[it].clone()).collect();
                    let found = self.evaluate_stage(&selected, stage, noise, &done)?;
                    cleaned.into_iter().zip(found).for_each(|(it, found)| columns[it] = found);
                }
                SortStep::Exchange(exchange, noise) => {
                    let differences = self.differences(&columns, exchange, rows)?;
                    let changes = self.evaluate_stage(&differences, stage, noise, &done)?;
                    columns = self.exchanged(&columns, &changes, exchange)?;
                }
            }
        }
        columns[0] = self.add(&columns[0], &flag.expect("keys were checked"))?;
        columns.iter().map(|column| self.shift(column, 0, rows)).collect()
    }

    /// Subtracts the first rows of pairs from the second rows. Marks in the first column which places are not first of
    /// a pair.
    fn differences(
        &self,
        columns: &[Ciphertext],
        exchange: Exchange,
        rows: usize,
    ) -> Result<Vec<Ciphertext>> {
        let (places, distance) = (self.parameters().literal().slots, exchange.distance());
        let quarter = self.parameters().input_modulus() / 4;
        let mark = |place: usize| match exchange.is_first(place, rows) {
            true => 0,
            false if place + distance < places => 2 * quarter,
            false => 3 * quarter,
        };
        let marks: Vec<u64> = (0..places).map(mark).collect();
        let difference = |(index, column): (usize, &Ciphertext)| {
            let second = self.shift(column, -(distance as i64), places)?;
            let difference = self.sub(&second, column)?;
            if index == 0 { self.add_plain(&difference, &marks) } else { Ok(difference) }
        };
        columns.iter().enumerate().map(difference).collect()
    }

    /// Adds changes to the first rows of pairs, and subtracts them from the second rows.
    fn exchanged(
        &self,
        columns: &[Ciphertext],
        changes: &[Ciphertext],
        exchange: Exchange,
    ) -> Result<Vec<Ciphertext>> {
        let places = self.parameters().literal().slots;
        let exchanged = |(column, change): (&Ciphertext, &Ciphertext)| {
            let second = self.shift(change, exchange.distance() as i64, places)?;
            self.sub(&self.add(column, change)?, &second)
        };
        check_equal("number of changes", changes.len(), columns.len())?;
        columns.iter().zip(changes).map(exchanged).collect()
    }
}
