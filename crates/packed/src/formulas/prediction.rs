//! Noise, failure probability and costs of formulas, predicted by their dry run.

use cryptable_ckks::DryRun;
use cryptable_ckks::bootstrapping::homomorphic_dft::HomomorphicDft;
use cryptable_ckks::dry_run::{PlainShape, Shape, SlotNoise};
use cryptable_ckks::paterson_stockmeyer::Steps;
use cryptable_lattice::cost::{Prediction, Work};
use cryptable_lattice::error::{Error, Result, check_equal, check_within};
use cryptable_lattice::noise_bound::check_log2_fail;
use cryptable_lattice::{FailureProbability, NoiseBound};

use crate::akp::AkpCircuit;
use crate::formulas::circuit::FormulaCircuit;
use crate::formulas::group_sums::Half;
use crate::formulas::groups::Groups;
use crate::formulas::prepared::{Chunk, Stage};
use crate::formulas::stages::PreparedFormulas;
use crate::parameters::circuit::Circuit;
use crate::parameters::failure::bound_of_result;
use crate::parameters::parameter_set::Parameters;

/// log2 of the share of the stated failure probability with which an error of a table may exceed the bound that is used
/// for products of errors.
const LOG2_SHARE: f64 = -4.0;

/// Noise that a stage adds.
pub(super) struct StageNoise<'a> {
    stage: &'a Stage,
    /// Noise that interpolation adds to a table.
    of_tables: NoiseBound,
    /// Noise that products and SlotsToCoeffs add to each result.
    of_results: Vec<NoiseBound>,
}

impl StageNoise<'_> {
    /// The noise of each result, for columns with these noises.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if a result would be wrong with more than the stated probability.
    pub(super) fn results(
        &self,
        parameters: &Parameters,
        inputs: &[NoiseBound],
    ) -> Result<Vec<NoiseBound>> {
        let formulas = self.stage;
        let fresh = parameters.fresh_noise(parameters.input_modulus());
        let input = inputs.iter().copied().fold(fresh, NoiseBound::max);
        let input = formulas.grouping().map_or(input, |groups| {
            let of_groups = inputs.get(groups.column()).map_or(fresh, |&noise| noise.max(fresh));
            input.max(parameters.noise_of_groups(of_groups, groups))
        });
        let limit = parameters.stated_log2_fail();
        check_log2_fail("a table of a formula", parameters.lookup_log2_fail(input), limit)?;
        let table = parameters.result_noise(input).with_independent(self.of_tables);
        let log2_rows = formulas.groups().map_or(0.0, |groups| (groups as f64).log2());
        let largest = table.largest(limit + LOG2_SHARE - log2_rows);
        let modulus = parameters.output_modulus();
        let of_tables = formulas.noise(modulus, table, largest).into_iter();
        let noise = |(of_tables, &added): (NoiseBound, &NoiseBound)| {
            let noise = of_tables.with_independent(added);
            noise.check_decryption("a formula", modulus, limit).map(|()| noise)
        };
        of_tables.zip(&self.of_results).map(noise).collect()
    }
}

impl FormulaCircuit {
    /// Predicts results of formulas on tables without noise: the results have the noise of products and SlotsToCoeffs
    /// only. The dry run then contains all operations and keys.
    pub(crate) fn predict(
        &self,
        akp: &AkpCircuit,
        formulas: &Stage,
        dry_run: &DryRun,
    ) -> Vec<Shape> {
        akp.literal().request_raising(dry_run);
        let columns = formulas.columns_in_use();
        let exponentials: Vec<Shape> =
            columns.iter().map(|_| akp.predict_exponentials(dry_run)[0]).collect();
        let done = || Ok(());
        let tables = |chunk: &Chunk, _| {
            let mut found = self.tables(dry_run, formulas, chunk, |_| &exponentials[0], &done)?;
            found.iter_mut().flatten().for_each(|table| table.noise = SlotNoise::ZERO);
            Ok(found)
        };
        let outputs = match formulas.groups() {
            None => self.evaluate(dry_run, formulas, tables),
            Some(_) => {
                let exponentials = akp.predict_exponentials(dry_run);
                let rows = self.plain_shape_of_rows();
                let half = |exponential| Half { exponential, rows };
                let halves: Vec<Half<DryRun>> = exponentials.into_iter().map(half).collect();
                let deltas = |powers: &Steps<Shape>, turns: &[usize]| {
                    let found = self.deltas(dry_run, powers, turns).into_iter();
                    found.map(|delta| Shape { noise: SlotNoise::ZERO, ..delta }).collect()
                };
                self.sums_by_group(dry_run, formulas, &halves, tables, deltas, &done)
            }
        };
        let outputs = outputs.expect("steps of a dry run do not fail");
        let matrices = self.slots_to_coeffs.plans();
        outputs.into_iter().map(|output| self.finish(dry_run, &matrices, output)).collect()
    }

    fn plain_shape_of_rows(&self) -> PlainShape {
        let ((_, scale), slots) = (self.shape_of_rows(), self.slots_of_rows());
        PlainShape { scale, mean_square: 1.0, slots }
    }
}

impl Parameters {
    /// Returns the maximum number of nested choices that formulas may have, or `None` if these parameters are not for
    /// formulas.
    #[must_use]
    pub fn choices_in_a_row(&self) -> Option<usize> {
        self.formula_circuit().map(FormulaCircuit::height)
    }

    /// Returns the circuit if it serves these formulas.
    ///
    /// # Errors
    /// If the parameters are not for formulas, for another modulus of columns, or for fewer nested choices; if two
    /// results would have the same residue.
    pub(crate) fn circuit_of_formulas(
        &self,
        formulas: &PreparedFormulas,
    ) -> Result<&FormulaCircuit> {
        let Some(circuit) = self.formula_circuit() else {
            let name = &self.literal().name;
            let what = format!("formulas: {name} has no primes for products in slots");
            return Err(Error::Unsupported(what));
        };
        check_equal("modulus of columns", formulas.input_modulus(), self.input_modulus())?;
        if let Some(groups) = formulas.groups() {
            check_equal("number of groups", groups as u64, self.literal().groups as u64)?;
        }
        formulas.check_output_modulus(self.output_modulus())?;
        check_within(
            "number of nested choices",
            formulas.choices_in_a_row() as u64,
            ..=circuit.height() as u64,
        )?;
        Ok(circuit)
    }

    /// The noise of the columns that formulas look up first, for input columns with these noises, or fresh ones if
    /// `inputs` is empty.
    pub(crate) fn noise_of_sums(
        &self,
        formulas: &PreparedFormulas,
        inputs: &[NoiseBound],
    ) -> Vec<NoiseBound> {
        let Some(sums) = formulas.sums() else {
            return inputs.to_vec();
        };
        let modulus = self.input_modulus();
        let fresh = vec![self.fresh_noise(modulus); formulas.columns()];
        let whole = f64::from(self.literal().log2_ciphertext_modulus).exp2();
        let columns = if inputs.is_empty() { &fresh } else { inputs };
        sums.noise(columns, NoiseBound::encoding(whole, modulus))
    }

    /// The noise of the results of each stage, for columns with these noises, or fresh ones if `inputs` is empty. The
    /// noise of a sort is only checked.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if a result would be wrong with more than the stated probability.
    pub(crate) fn checked_formula_noise(
        &self,
        formulas: &PreparedFormulas,
        inputs: &[NoiseBound],
    ) -> Result<Vec<Vec<NoiseBound>>> {
        let circuit = self.circuit_of_formulas(formulas)?;
        if formulas.is_sort() {
            return self
                .sort_steps(formulas, inputs, self.literal().slots, false)
                .map(|_| Vec::new());
        }
        let mut columns = self.noise_of_sums(formulas, inputs);
        let mut found = Vec::with_capacity(formulas.stages().len());
        for stage in formulas.stages() {
            columns = self.noise_of_stage(circuit, stage).results(self, &columns)?;
            found.push(columns.clone());
        }
        Ok(found)
    }

    /// Computes the noise that a stage adds, independently of that of its columns.
    pub(super) fn noise_of_stage<'a>(
        &self,
        circuit: &FormulaCircuit,
        stage: &'a Stage,
    ) -> StageNoise<'a> {
        let akp = self.akp_circuit();
        let of_tables = self.literal().coefficient_bound(circuit.noise_of_tables(), 1);
        let found = circuit.predict(akp, stage, &akp.dry_run()).into_iter();
        let of_results =
            found.map(|result| bound_of_result(self.literal(), result.noise)).collect();
        StageNoise { stage, of_tables, of_results }
    }

    /// The number of columns that formulas on full ciphertexts look up. Each takes as long as a lookup without its
    /// tables.
    ///
    /// # Errors
    /// If the parameters do not serve these formulas.
    pub fn formula_lookups(&self, formulas: &PreparedFormulas) -> Result<usize> {
        let times = self.times_of_stages(formulas)?;
        let lookups = times.iter().map(|(stage, times)| stage.exponentials() as f64 * times);
        Ok(lookups.sum::<f64>().round() as usize)
    }

    /// The number of times that each stage is evaluated on full ciphertexts; a fraction if only some of its columns
    /// are.
    fn times_of_stages<'a>(&self, formulas: &'a PreparedFormulas) -> Result<Vec<(&'a Stage, f64)>> {
        if formulas.is_sort() {
            let times = self.times_of_sort(formulas)?;
            return Ok(formulas.stages().iter().zip(times).collect());
        }
        Ok(formulas.stages().iter().map(|stage| (stage, 1.0)).collect())
    }

    /// Noise of the differences between a column of groups and public classes, scaled to the full range of phases.
    fn noise_of_groups(&self, column: NoiseBound, groups: Groups) -> NoiseBound {
        let (modulus, whole) = (self.input_modulus(), self.literal().log2_ciphertext_modulus);
        let encoding = NoiseBound::encoding(f64::from(whole).exp2(), modulus);
        column.times(modulus / groups.count() as u64) + encoding
    }

    /// The probability that a formula returns any wrong value for a full ciphertext: each column, and the result (for
    /// sums by groups, each result), fails with at most [`Parameters::stated_log2_fail`] per value.
    #[must_use]
    pub fn formula_failure(&self, formulas: &PreparedFormulas) -> FailureProbability {
        let parts = formulas.failing_parts() as f64;
        let of_value = FailureProbability::from_log2(self.stated_log2_fail() + parts.log2());
        of_value.of_any(self.literal().slots)
    }

    /// Predicts the evaluation of formulas on columns of full ciphertexts.
    ///
    /// ```
    /// use cryptable_packed::{CostModel, Formula, Parameters, PreparedFormulas};
    /// let table = |column| Formula::Table { column, outputs: vec![0, 1, 3, 2] };
    /// let sum = Formula::Sum((0..3).map(table).collect());
    /// let [one, sum] = [table(0), sum].map(|formula| PreparedFormulas::new(&[formula], 4).unwrap());
    /// let parameters = Parameters::insecure_toy_formulas(16, &sum)?;
    /// let work = |formulas| parameters.formula_prediction(formulas).map(|it| it.work.transforms);
    /// assert!(work(&sum)? > 2.0 * work(&one)?);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the parameters do not serve these formulas.
    pub fn formula_prediction(&self, formulas: &PreparedFormulas) -> Result<Prediction> {
        let (circuit, akp) = (self.circuit_of_formulas(formulas)?, self.akp_circuit());
        let mut prediction = self.prediction();
        let mut work = Work::default();
        for (stage, times) in self.times_of_stages(formulas)? {
            let dry_run = akp.dry_run();
            circuit.predict(akp, stage, &dry_run);
            work += self.work(&dry_run.counts()) * times;
        }
        prediction.work = work;
        [prediction.working_bytes, prediction.second_thread_bytes] =
            self.bytes_of_formulas(formulas);
        Ok(prediction)
    }

    /// Returns the plan of SlotsToCoeffs for products in slots, if these parameters have primes for them.
    pub(crate) fn product_slots_to_coeffs(&self) -> Option<&HomomorphicDft> {
        let of_selection = self.selection().map(|it| &it.slots_to_coeffs);
        of_selection.or_else(|| self.formula_circuit().map(|it| &it.slots_to_coeffs))
    }

    pub(crate) fn akp_circuit(&self) -> &AkpCircuit {
        match self.circuit() {
            Circuit::Akp(circuit) => circuit,
            Circuit::MultiPrecision(_) | Circuit::Multiplexer(_) => {
                unreachable!("formulas are evaluated by AKP")
            }
        }
    }
}
