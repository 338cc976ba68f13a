//! Evaluation of formulas on ciphertexts.

use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_ckks::{Arithmetic, Evaluator, Plaintext};
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::{Result, check_equal};
use cryptable_lattice::{NoiseBound, Progress};
use cryptable_ring::Embedding;
use num_complex::Complex64;

use crate::akp::STEPS_BEFORE_TABLES;
use crate::ciphertext::Ciphertext;
use crate::formulas::circuit::FormulaCircuit;
use crate::formulas::group_sums::Half;
use crate::formulas::groups::Groups;
use crate::formulas::prepared::{Chunk, Stage};
use crate::formulas::stages::{PreparedFormulas, Sums};
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::table_lookup::STEPS_AFTER_TABLE;
use crate::step::Step;

impl EvaluationKey {
    /// Evaluates formulas on columns. Returns, for each row of values, the result of each formula modulo the output
    /// modulus. Column k is the one with number k in formulas.
    ///
    /// ```
    /// use cryptable_packed::{Formula, Parameters, PreparedFormulas, Progress, SecretKey};
    /// // The larger of two columns' tables where the first is below 2: `Parameters::for_formulas` gives 128-bit parameters.
    /// let table = |column, outputs: [i64; 4]| Box::new(Formula::Table { column, outputs: outputs.to_vec() });
    /// let formula = Formula::Choice {
    ///     column: 0,
    ///     within: vec![[0, 2]],
    ///     then: table(1, [5, 6, 7, 8]),
    ///     otherwise: table(0, [0, 0, 1, 2]),
    /// };
    /// let formulas = PreparedFormulas::new(&[formula.clone()], 4)?;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_formulas(16, &formulas)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = ([0, 1, 2, 3], [3, 0, 3, 1]);
    /// let columns = [&secret.encrypt(&x)?, &secret.encrypt(&y)?];
    /// let results = key.evaluate(&columns, &formulas, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&results[0])?, [8, 5, 1, 2]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer columns than formulas read; if columns belong to another client, have other parameters or
    /// another modulus, or differ in their number of values; if the parameters are not for formulas, or not for that
    /// many nested choices; [`cryptable_lattice::Error::NoiseTooLarge`] if a result would be wrong with more than the
    /// stated probability; [`cryptable_lattice::Error::Cancelled`].
    pub fn evaluate(
        &self,
        columns: &[&Ciphertext],
        formulas: &PreparedFormulas,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let parameters = self.parameters();
        let circuit = parameters.circuit_of_formulas(formulas)?;
        check_equal("number of columns", columns.len(), formulas.columns())?;
        for column in columns {
            column.check(parameters, self.binding(), Some(parameters.input_modulus()))?;
            check_equal("number of values of a column", column.count(), columns[0].count())?;
        }
        if formulas.is_sort() {
            return self.sort(columns, formulas, progress);
        }
        let inputs: Vec<_> = columns.iter().map(|column| column.noise()).collect();
        let noises = parameters.checked_formula_noise(formulas, &inputs)?;
        let steps = formulas.stages().iter().map(|stage| steps_of(circuit, stage)).sum();
        let step = progress.steps(steps)?;
        let done = || step.done();
        let mut found = match formulas.sums() {
            None => columns.iter().map(|&column| column.clone()).collect(),
            Some(sums) => {
                self.sums_of_columns(columns, sums, &parameters.noise_of_sums(formulas, &inputs))?
            }
        };
        for (stage, noise) in formulas.stages().iter().zip(noises) {
            found = self.evaluate_stage(&found, stage, noise, &done)?;
        }
        Ok(found)
    }

    /// Computes sums of columns, with these noises.
    fn sums_of_columns(
        &self,
        columns: &[&Ciphertext],
        sums: &Sums,
        noises: &[NoiseBound],
    ) -> Result<Vec<Ciphertext>> {
        // Multiplication by 1 expands the masks, once for all sums.
        let columns: Vec<_> = columns.iter().map(|column| column.body().mul_scalar(1)).collect();
        let sum = |weights: &[i64], constant: u64| {
            let used = columns.iter().zip(weights).filter(|(_, weight)| **weight != 0);
            let mut terms = used.map(|(column, &weight)| column.mul_scalar(weight));
            let first = terms.next().expect("sums depend on columns");
            let sum = terms.try_fold(first, |sum, term| sum.add(&term))?;
            sum.add_plain(&vec![constant; sum.layout.count])
        };
        let all = sums.weights.iter().zip(&sums.constants).zip(noises);
        all.map(|((weights, &constant), &noise)| Ok(self.result(sum(weights, constant)?, noise)))
            .collect()
    }

    /// Computes the results of a stage, with these noises.
    pub(super) fn evaluate_stage(
        &self,
        columns: &[Ciphertext],
        formulas: &Stage,
        noise: Vec<NoiseBound>,
        done: Step<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let parameters = self.parameters();
        let circuit = parameters.formula_circuit().expect("parameters for formulas");
        let akp = parameters.akp_circuit();
        let (evaluator, matrices) = (self.evaluator(), self.matrices());
        let mut exponentials = vec![Vec::new(); columns.len()];
        for column in formulas.columns_in_use() {
            let (input, to_slots) = (columns[column].body(), &matrices.coeffs_to_slots);
            exponentials[column] = akp.start.evaluate(&evaluator, to_slots, input, done)?;
        }
        let tables = |chunk: &Chunk, half: usize| {
            let of_column = |column: usize| &exponentials[column][half];
            circuit.tables(&evaluator, formulas, chunk, of_column, done)
        };
        let mut layout = columns[0].body().layout;
        let outputs = match formulas.grouping() {
            None => circuit.evaluate(&evaluator, formulas, tables)?,
            Some(groups) => {
                let column = columns[groups.column()].body();
                let halves = self.halves_of_groups(circuit, groups, column, done)?;
                layout.count = layout.slots;
                let deltas =
                    |powers: &_, turns: &[usize]| circuit.deltas(&evaluator, powers, turns);
                circuit.sums_by_group(&evaluator, formulas, &halves, tables, deltas, done)?
            }
        };
        let shape = CoefficientShape {
            log2_modulus: parameters.literal().log2_ciphertext_modulus,
            plaintext_modulus: parameters.output_modulus(),
            layout,
        };
        let finish = |(output, noise)| {
            let found = circuit.finish(&evaluator, &matrices.products, output);
            done()?;
            evaluator.begin_stage("modulus_switch");
            let body = switch_to_power_of_two(self.ring(), found.parts, shape);
            done()?;
            Ok(self.result(body, noise))
        };
        outputs.into_iter().zip(noise).map(finish).collect()
    }

    /// Computes the exponentials of a column of groups, and the places that have rows, in each half of the slots.
    fn halves_of_groups<'a>(
        &'a self,
        circuit: &FormulaCircuit,
        groups: Groups,
        column: &CoefficientCiphertext,
        done: Step<'_>,
    ) -> Result<Vec<Half<Evaluator<'a>>>> {
        let (akp, count) = (self.parameters().akp_circuit(), column.layout.count);
        let (differences, matrices) = (groups.differences(column)?, self.matrices());
        let to_slots = &matrices.coeffs_to_slots;
        let found = akp.start.evaluate(&self.evaluator(), to_slots, &differences, done)?;
        let half = |(half, exponential)| Half {
            exponential,
            rows: self.rows_in_slots(circuit, count, half),
        };
        Ok(found.into_iter().enumerate().map(half).collect())
    }

    /// Encodes the places that have rows, the first `count` of all places: 1, or i in the second half, in the slots of
    /// this half that have rows, and 0 elsewhere.
    fn rows_in_slots(&self, circuit: &FormulaCircuit, count: usize, half: usize) -> Plaintext {
        let slots = circuit.slots_of_rows();
        let one = if half == 0 { Complex64::ONE } else { Complex64::I };
        let row = |slot| half * slots + self.parameters().literal().place_of_slot(slot);
        let slot = |slot| if row(slot) < count { one } else { Complex64::ZERO };
        let (limbs, scale) = circuit.shape_of_rows();
        let values: Vec<Complex64> = (0..slots).map(slot).collect();
        Plaintext::encode(self.ring(), &Embedding::new(slots), &values, scale, limbs)
    }
}

/// Number of progress steps of a stage.
pub(super) fn steps_of(circuit: &FormulaCircuit, formulas: &Stage) -> usize {
    STEPS_BEFORE_TABLES * formulas.exponentials()
        + circuit.steps(formulas)
        + STEPS_AFTER_TABLE * formulas.formulas()
}
