//! Dry runs: operations without ciphertexts, which count their lookups.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use cryptable_lattice::error::{Result, check_equal};
use cryptable_lattice::noise_bound::log2_of_sum;
use cryptable_lattice::{FailureProbability, NoiseBound, Progress, Table};

use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::Digit;
use crate::digit_arithmetic::{DigitArithmetic, LookupModel, Places};
use crate::integer::{ColumnKind, Integer, IntegerType, Radix};

/// Runs operations on noise bounds alone and counts their lookups, with the parameters of an engine.
///
/// ```
/// use cryptable_integers::{DryRun, Evaluator, insecure_packed_toy};
/// let parameters = insecure_packed_toy(2, 1024)?;
/// let dry_run = DryRun::new(&parameters, 1024);
/// let server = Evaluator::new(&dry_run)?;
/// let (x, y) = (dry_run.fresh::<u8>(&server), dry_run.fresh::<u8>(&server));
/// server.lt(&x, &y)?;
/// assert_eq!(dry_run.lookups(), [1, 1, 1, 1]); // four digits of two bits, one table each
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
pub struct DryRun<'a> {
    model: &'a (dyn LookupModel + Sync),
    count: usize,
    lookups: Mutex<Vec<usize>>,
    /// Number of outputs of all tables for all values.
    outputs: AtomicUsize,
}

/// A ciphertext of a dry run: its noise, and whether it is fresh.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    noise: NoiseBound,
    count: usize,
    is_fresh: bool,
}

impl std::fmt::Debug for DryRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DryRun").field("lookups", &self.lookups()).finish_non_exhaustive()
    }
}

impl<'a> DryRun<'a> {
    /// Makes a dry run with an engine's parameters, on columns of `count` values.
    #[must_use]
    pub fn new(model: &'a (dyn LookupModel + Sync), count: usize) -> Self {
        Self { model, count, lookups: Mutex::new(Vec::new()), outputs: AtomicUsize::new(0) }
    }

    /// Returns a fresh column.
    #[must_use]
    pub fn fresh<T: Integer>(
        &self,
        evaluator: &crate::Evaluator<'_, Self>,
    ) -> IntegerColumn<T, Outline> {
        self.fresh_part(evaluator, self.count)
    }

    /// Returns a fresh column with fewer values than there are places, for [`crate::Evaluator::concatenate`].
    ///
    /// ```
    /// use cryptable_integers::{DryRun, Evaluator, insecure_packed_toy};
    /// let parameters = insecure_packed_toy(2, 1024)?;
    /// let dry_run = DryRun::new(&parameters, 1024);
    /// let server = Evaluator::new(&dry_run)?;
    /// let [x, y] = [1000, 24].map(|count| dry_run.fresh_part::<u8>(&server, count));
    /// let both = server.concatenate(&x, &y)?;
    /// server.lt(&both, &both)?;
    /// assert!(server.concatenate(&x, &x).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    #[must_use]
    pub fn fresh_part<T: Integer>(
        &self,
        evaluator: &crate::Evaluator<'_, Self>,
        count: usize,
    ) -> IntegerColumn<T, Outline> {
        self.fresh_column(ColumnKind::of::<T>(), evaluator.digit_bits(), count)
    }

    /// Returns a fresh column of a kind that the type can hold.
    pub(crate) fn fresh_column<T: IntegerType>(
        &self,
        kind: ColumnKind,
        digit_bits: u32,
        count: usize,
    ) -> IntegerColumn<T, Outline> {
        let radix = Radix::new(digit_bits, kind.bits());
        let outline = Outline { noise: self.model.fresh_noise(), count, is_fresh: true };
        let digit = |index| Digit::encrypted(outline, 0, radix.base(index) - 1);
        IntegerColumn::new(kind, (0..radix.digits()).map(digit).collect())
    }

    /// The number of values of the dry run's columns.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the outline of freshly encrypted booleans.
    #[must_use]
    pub fn fresh_booleans(&self) -> BooleanColumn<Outline> {
        let noise = self.model.fresh_noise();
        let outline = Outline { noise, count: self.count, is_fresh: true };
        BooleanColumn::new(Digit::encrypted(outline, 0, 1))
    }

    /// Number of tables of every lookup so far, in order.
    #[must_use]
    pub fn lookups(&self) -> Vec<usize> {
        self.lookups.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Probability that any value goes wrong in any of the tables looked up so far, or in the decryption of these
    /// results: the union bound over all of them. The lookup of a value fails with the probability that the parameters
    /// state; the decryption of a result fails with a probability that follows from its noise.
    ///
    /// ```
    /// use cryptable_integers::{DryRun, Evaluator, insecure_packed_toy};
    /// let parameters = insecure_packed_toy(2, 1024)?;
    /// let dry_run = DryRun::new(&parameters, 1024);
    /// let server = Evaluator::new(&dry_run)?;
    /// let fresh = dry_run.fresh::<u8>(&server);
    /// let sum = server.add(&fresh, &fresh)?;
    /// assert!(dry_run.lookups().is_empty());
    /// let decryption = dry_run.failure_probability(sum.ciphertexts())?;
    /// server.lt(&fresh, &fresh)?;
    /// assert!(dry_run.failure_probability(sum.ciphertexts())? >= decryption);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the engine's tables do not go from p to p.
    pub fn failure_probability<'c>(
        &self,
        results: impl IntoIterator<Item = &'c Outline>,
    ) -> Result<FailureProbability> {
        let modulus = self.model.modulus()?;
        let outputs = self.outputs.load(Ordering::Relaxed) as f64;
        let lookups = self.model.stated_log2_fail() + outputs.log2();
        let decryption =
            |result: &Outline| result.noise.log2_fail(modulus) + (result.count as f64).log2();
        let all = results.into_iter().map(decryption).fold(lookups, log2_of_sum);
        Ok(FailureProbability::from_log2(all.min(0.0)))
    }
}

impl DigitArithmetic for DryRun<'_> {
    type Ciphertext = Outline;
    /// The largest difference of two outputs.
    type Table = u64;

    fn model(&self) -> &dyn LookupModel {
        self.model
    }

    fn noise(&self, x: &Outline) -> NoiseBound {
        x.noise
    }

    fn count(&self, x: &Outline) -> usize {
        x.count
    }

    fn add(&self, x: &Outline, y: &Outline) -> Result<Outline> {
        check_equal("number of values of the second operand", y.count as u64, x.count as u64)?;
        Ok(Outline { noise: x.noise + y.noise, is_fresh: false, ..*x })
    }

    fn mul_scalar(&self, x: &Outline, factor: i64) -> Result<Outline> {
        Ok(Outline { noise: x.noise.times(factor.unsigned_abs()), is_fresh: false, ..*x })
    }

    fn add_plain(&self, x: &Outline, constants: &[u64]) -> Result<Outline> {
        check_equal("number of constants", constants.len() as u64, x.count as u64)?;
        Ok(*x)
    }

    fn prepare(&self, table: &Table) -> Result<u64> {
        Ok(table.output_range())
    }

    fn look_up(&self, x: &Outline, tables: &[u64], _: Progress<'_>) -> Result<Vec<Outline>> {
        self.lookups.lock().unwrap_or_else(PoisonError::into_inner).push(tables.len());
        self.outputs.fetch_add(tables.len() * x.count, Ordering::Relaxed);
        let result = |&range: &u64| {
            let noise = self.model.result_noise(x.noise, range);
            Outline { noise, is_fresh: false, ..*x }
        };
        Ok(tables.iter().map(result).collect())
    }
}

impl Places for DryRun<'_> {
    fn places(&self) -> usize {
        self.model.places().unwrap_or(self.count)
    }

    fn is_fresh(&self, x: &Outline) -> bool {
        x.is_fresh
    }

    fn shift(&self, x: &Outline, _offset: i64, count: usize) -> Result<Outline> {
        Ok(Outline { count, is_fresh: false, ..*x })
    }
}
