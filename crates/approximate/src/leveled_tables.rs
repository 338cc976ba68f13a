//! Tables of slots without a bootstrap: polynomial Hermite interpolation (Section 3.5 of Alexandru, Kim, Polyakov, CRYPTO
//! 2025, ePrint 2024/1623) on encrypted vectors.

use cryptable_ckks::leveled_table::LeveledTable;
use cryptable_lattice::error::{Result, demand};

use crate::bootstrap_circuit::EVALUATION_MARGIN;
use crate::bounds::{LOG2_FAIL, SlotBounds};
use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;

impl EvaluationKey {
    /// Evaluates a table on every slot, for real slots that hold its points with errors. The result is
    /// [`LeveledTable::levels`] levels below.
    ///
    /// Errors e of slots become `C·e^(M+1)`, where M is the order. The result states their size as its bias, which
    /// holds except with probability 2^-80 per slot. Cleaning is the table of the identity.
    ///
    /// ```
    /// use cryptable_approximate::{KeySet, LeveledTable, Parameters, SecretKey, SlotBounds};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let server = secret.evaluation_key_for(&KeySet::new(), Progress::silent())?;
    /// let digits = [0.0, 1.0, 2.0, 3.0].map(Into::into);
    /// let x = secret.encrypt_within(&digits, SlotBounds::real(3.0))?;
    /// let table = LeveledTable::of_integers(&[0.5, -1.0, 0.25, 1.0], 1)?;
    /// let found = secret.decrypt_reals(&server.leveled_table(&x, &table)?)?;
    /// assert!((found[1] + 1.0).abs() < 1e-5 && (found[2] - 0.25).abs() < 1e-5);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters or has too few levels, its slots are not real, or their
    /// errors may reach halfway to another point.
    pub fn leveled_table(&self, a: &Ciphertext, table: &LeveledTable) -> Result<Ciphertext> {
        self.check(&[a])?;
        let (needed, level) = (table.levels(), a.level());
        let limit = format!("it must be at least {needed}, the levels of the table");
        demand(level >= needed, "level", level as f64, &limit)?;
        let imaginary = a.bounds().im;
        demand(imaginary == 0.0, "bound of imaginary parts", imaginary, "0 for a table")?;
        let error = a.error().largest(LOG2_FAIL);
        let distance = table.least_distance() / 2.0;
        let limit = format!("it must be below {distance}, half the distance of two points");
        demand(error < distance, "error of a slot", error, &limit)?;
        let (evaluator, dry_run) = self.arithmetics();
        let scale = self.parameters().level_scales().scale_at(a.inner.limbs() - needed);
        let inner = table.evaluate(&evaluator, &a.inner, scale);
        let mut shape = table.predict_exact(&dry_run, a.shape, scale);
        shape.noise = shape.noise * EVALUATION_MARGIN;
        let bias = table.largest_deviation(error);
        let values = table.polynomial().values().iter();
        let largest = values.fold(bias, |largest, f| largest.max(f.abs() + bias));
        let tags = Tags { bounds: SlotBounds::real(largest), bias, ..a.tags };
        Ok(Ciphertext::join(inner, shape, tags))
    }
}
