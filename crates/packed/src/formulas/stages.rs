//! Formulas that are prepared for evaluation: on columns or integer sums of columns, and in further stages on results.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_lattice::noise_bound::least_factor;

use crate::formulas::formula::Formula;
use crate::formulas::prepared::Stage;

/// log2 of the number of roundings of ciphertexts that differences of sorts add up: those of two columns, and of two
/// changes of each per exchange.
const BITS_OF_SORTS: u32 = 5;

/// Formulas that are prepared for evaluation: their tables are collected, each once.
///
/// Formulas are prepared for one modulus of columns. They can be used with every key whose parameters admit their
/// number of nested choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedFormulas {
    /// The sums that are the columns of the first stage. If there are none, the input columns are.
    sums: Option<Sums>,
    /// Formulas of columns, formulas of their results, and so on: at least one stage.
    stages: Vec<Stage>,
    /// Number of keys of a sort, else 0. In a sort, the first stage is evaluated for every exchange, and the last one
    /// cleans columns.
    sort_keys: usize,
}

/// Sums of integer multiples of columns, modulo the modulus of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    /// For each sum, a factor per column.
    pub weights: Vec<Vec<i64>>,
    /// Constants that sums begin with, below the modulus.
    pub constants: Vec<u64>,
}

impl Sums {
    /// The noise of each sum, for columns with these noises. Standard deviations add up, since columns may share
    /// errors.
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
    /// If there are no formulas, or a table or a range does not fit the modulus.
    pub fn new(formulas: &[Formula], input_modulus: u64) -> Result<Self> {
        Stage::prepare(formulas, input_modulus, None).map(Self::from)
    }

    /// Makes formulas of sums, followed by formulas of their results.
    pub(super) fn of_sums(sums: Sums, stages: Vec<Stage>) -> Self {
        Self { sums: Some(sums), stages, sort_keys: 0 }
    }

    /// Makes a sort: the formulas of exchanges, those that check keys, and those that clean columns.
    pub(super) fn of_sort(stages: [Stage; 3], sort_keys: usize) -> Self {
        Self { sums: None, stages: stages.into(), sort_keys }
    }

    /// The number of keys of a sort, else 0.
    pub(super) fn sort_keys(&self) -> usize {
        self.sort_keys
    }

    /// Returns whether rows are sorted. All rows of a sort must be in one ciphertext.
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

    /// Returns the number of formulas whose results are not looked up again.
    #[must_use]
    pub fn formulas(&self) -> usize {
        self.last().formulas()
    }

    /// Returns the number of different tables and conditions of all formulas, including one for each group.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.stages.iter().map(Stage::tables).sum()
    }

    /// Returns the maximum number of nested choices that need a product: choices between two constants are tables. Sums
    /// by groups count as two more.
    #[must_use]
    pub fn choices_in_a_row(&self) -> usize {
        self.stages.iter().map(Stage::choices_in_a_row).max().unwrap_or(0)
    }

    /// Returns the least and the largest result that each formula may have, for a row or, with groups, for a partial
    /// sum.
    #[must_use]
    pub fn ranges(&self) -> Vec<(i64, i64)> {
        self.last().ranges()
    }

    /// Returns the number of groups, a power of two, if results are sums by groups.
    #[must_use]
    pub fn groups(&self) -> Option<usize> {
        self.last().groups()
    }

    /// Returns the number of columns that all stages look up, where stages of a sort count once. Each takes as long as
    /// a lookup without its tables.
    #[must_use]
    pub fn lookups(&self) -> usize {
        self.stages.iter().map(Stage::exponentials).sum()
    }

    /// Checks that different results have different residues modulo the output modulus, and that this is the modulus of
    /// columns if results are columns again.
    ///
    /// # Errors
    /// If a result is out of range, or the moduli differ.
    pub(crate) fn check_output_modulus(&self, modulus: u64) -> Result<()> {
        if self.stages.len() > 1 {
            let name = "modulus of results that are columns of further formulas";
            check_equal(name, modulus, self.input_modulus())?;
        }
        self.last().check_range(modulus)
    }

    /// The sums that are the columns of the first stage, if there are any.
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

    /// The number of ciphertexts in the union bound on failures: all columns, and one result, or all sums by groups.
    pub(crate) fn failing_parts(&self) -> usize {
        if self.is_sort() {
            return self.failing_parts_of_sort();
        }
        self.stages.iter().map(Stage::failing_parts).sum()
    }

    /// log2, rounded up, of the largest factor by which sums of columns increase noise.
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
    /// Makes sums of factors and constants, and reduces both by the modulus.
    ///
    /// # Errors
    /// If there are no sums, if numbers of factors differ, or if a sum depends on no column.
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
