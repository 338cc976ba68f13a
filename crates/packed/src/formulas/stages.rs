//! Formulas as keys evaluate them: of columns, or of integer sums of columns, and of their results in turn.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_lattice::noise_bound::least_factor;

use crate::formulas::formula::Formula;
use crate::formulas::prepared::Stage;

/// log2 of the rounding of ciphertexts that differences of sorts add up: two columns, and two changes of each per exchange.
const BITS_OF_SORTS: u32 = 5;

/// Formulas whose tables are collected, each once.
///
/// Prepared for one modulus of columns, they serve every key whose parameters have as many choices within each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedFormulas {
    /// The sums that the first stage takes as columns; columns as they are, if there are none.
    sums: Option<Sums>,
    /// Formulas of columns, formulas of their results, and so on: at least one stage.
    stages: Vec<Stage>,
    /// Number of keys, where rows are sorted: by the first stage, exchange after exchange, with columns that the last one cleans;
    /// else 0.
    sort_keys: usize,
}

/// Sums of integer multiples of columns, modulo the modulus of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    /// For each sum a factor per column.
    pub weights: Vec<Vec<i64>>,
    /// Constants that sums begin with, below the modulus.
    pub constants: Vec<u64>,
}

impl Sums {
    /// The noise of each sum, of columns with these noises: sums of deviations, whatever columns have in common.
    pub(crate) fn noise(&self, columns: &[NoiseBound], encoding: NoiseBound) -> Vec<NoiseBound> {
        let term = |(&weight, noise): (&i64, &NoiseBound)| noise.times(weight.unsigned_abs());
        let noise = |weights: &Vec<i64>| {
            let terms = weights.iter().zip(columns).filter(|(weight, _)| **weight != 0).map(term);
            terms.fold(encoding, |sum, noise| sum + noise)
        };
        self.weights.iter().map(noise).collect()
    }
}

impl From<Stage> for PreparedFormulas {
    fn from(stage: Stage) -> Self {
        Self { sums: None, stages: vec![stage], sort_keys: 0 }
    }
}

impl PreparedFormulas {
    /// Prepares formulas for columns of a modulus.
    ///
    /// ```
    /// use cryptable_packed::{Formula, PreparedFormulas};
    /// let leaf = |value| Box::new(Formula::Constant(value));
    /// let stump = Formula::Choice { column: 0, within: vec![[0, 4]], then: leaf(1), otherwise: leaf(0) };
    /// let prepared = PreparedFormulas::new(&[stump.clone(), Formula::Sum(vec![stump.clone(), stump])], 16)?;
    /// assert_eq!((prepared.tables(), prepared.choices_in_a_row()), (1, 0));
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are none, or a table or a range does not fit the modulus.
    pub fn new(formulas: &[Formula], input_modulus: u64) -> Result<Self> {
        Stage::prepare(formulas, input_modulus, None).map(Self::from)
    }

    /// Formulas of sums, followed by formulas of their results.
    pub(super) fn of_sums(sums: Sums, stages: Vec<Stage>) -> Self {
        Self { sums: Some(sums), stages, sort_keys: 0 }
    }

    /// A sort: the formulas of exchanges, those that check keys, and those that clean columns.
    pub(super) fn of_sort(stages: [Stage; 3], sort_keys: usize) -> Self {
        Self { sums: None, stages: stages.into(), sort_keys }
    }

    /// The number of keys, where rows are sorted.
    pub(super) fn sort_keys(&self) -> usize {
        self.sort_keys
    }

    /// Returns whether rows are sorted, so that all have to be in one ciphertext.
    #[must_use]
    pub fn is_sort(&self) -> bool {
        self.sort_keys > 0
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.sums.as_ref().map_or(self.stages[0].columns(), |sums| sums.weights[0].len())
    }

    /// Returns the modulus of columns.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.stages[0].input_modulus()
    }

    /// Returns the number of formulas: of those whose results are not looked up again.
    #[must_use]
    pub fn formulas(&self) -> usize {
        self.last().formulas()
    }

    /// Returns the number of different tables and conditions of all formulas, one for each group included.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.stages.iter().map(Stage::tables).sum()
    }

    /// Returns the most choices within each other that take a product: those between two constants are tables. Sums by groups
    /// count as two more.
    #[must_use]
    pub fn choices_in_a_row(&self) -> usize {
        self.stages.iter().map(Stage::choices_in_a_row).max().unwrap_or(0)
    }

    /// Returns the least and the largest result that each formula may have, of a row or of the sum of as many rows as there are
    /// groups.
    #[must_use]
    pub fn ranges(&self) -> Vec<(i64, i64)> {
        self.last().ranges()
    }

    /// Returns the number of groups, a power of two, if results are sums by groups.
    #[must_use]
    pub fn groups(&self) -> Option<usize> {
        self.last().groups()
    }

    /// Returns the number of columns that are looked up, by all stages, of a sort once each: each takes as long as a lookup up to its
    /// tables.
    #[must_use]
    pub fn lookups(&self) -> usize {
        self.stages.iter().map(Stage::exponentials).sum()
    }

    /// Checks that results have residues of their own modulo the output modulus, and that it is that of columns if results are
    /// columns again.
    ///
    /// # Errors
    /// If they do not.
    pub(crate) fn check_output_modulus(&self, modulus: u64) -> Result<()> {
        if self.stages.len() > 1 {
            let name = "modulus of results that are columns of further formulas";
            check_equal(name, modulus, self.input_modulus())?;
        }
        self.last().check_range(modulus)
    }

    /// The sums that the first stage takes as columns, if it does.
    pub(crate) fn sums(&self) -> Option<&Sums> {
        self.sums.as_ref()
    }

    /// Formulas in the order in which they are evaluated.
    pub(crate) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    fn last(&self) -> &Stage {
        self.stages.last().expect("a stage")
    }

    /// The number of ciphertexts whose values fail alike: of all columns, and of a result, or of all sums by groups.
    pub(crate) fn failing_parts(&self) -> usize {
        if self.is_sort() {
            return self.failing_parts_of_sort();
        }
        self.stages.iter().map(Stage::failing_parts).sum()
    }

    /// log2 of the largest factor by which sums of columns raise their noise, rounded up.
    pub(crate) fn sum_bits(&self) -> u32 {
        if self.is_sort() {
            return BITS_OF_SORTS;
        }
        let size = |weights: &Vec<i64>| -> u64 {
            weights.iter().fold(0, |sum: u64, weight| sum.saturating_add(weight.unsigned_abs()))
        };
        let sizes = self.sums.iter().flat_map(|sums| sums.weights.iter().map(size));
        sizes.max().map_or(0, |largest| u64::BITS - largest.saturating_sub(1).leading_zeros())
    }
}

impl Sums {
    /// Sums by factors and constants, which are brought below the modulus.
    ///
    /// # Errors
    /// If there are none, if numbers of factors differ, or if a sum has no column.
    pub(super) fn new(weights: &[Vec<i64>], constants: &[i64], modulus: u64) -> Result<Self> {
        check_equal("number of constants of sums", constants.len(), weights.len())?;
        let Some(first) = weights.first() else {
            return Err(Error::TooSmall { name: "number of sums", value: 0, limit: 1 });
        };
        for row in weights {
            check_equal("number of factors of a sum", row.len(), first.len())?;
            if row.iter().all(|&weight| weight.rem_euclid(modulus as i64) == 0) {
                let name = "number of columns that a sum depends on";
                return Err(Error::TooSmall { name, value: 0, limit: 1 });
            }
        }
        let residue = |&constant: &i64| constant.rem_euclid(modulus as i64) as u64;
        let least =
            |row: &Vec<i64>| row.iter().map(|&weight| least_factor(weight, modulus)).collect();
        let (weights, constants) =
            (weights.iter().map(least).collect(), constants.iter().map(residue).collect());
        Ok(Self { weights, constants })
    }
}
