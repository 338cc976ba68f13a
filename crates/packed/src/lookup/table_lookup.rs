//! Lookups of tables that are the same for all values.

use std::ops::Range;

use cryptable_ckks::bootstrapping::modulus_switch::CoefficientShape;
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, CoefficientLayout};
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{NoiseBound, Progress};

use crate::akp::interpolation::Interpolation;
use crate::akp::{AkpCircuit, STEPS_BEFORE_TABLES};
use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::lookup_arithmetic::LookupArithmetic;
use crate::lookup::lookups::Lookups;
use crate::lookup::prepared_table::{PreparedForm, PreparedTable};
use crate::multiplexer::circuit::MultiplexerCircuit;
use crate::multiplexer::functional_digit_decomposition::{
    FunctionalDigitDecomposition, STEPS_PER_DIGIT,
};
use crate::parameters::circuit::Circuit;
use crate::step::Step;

/// Steps of progress of [`Lookups::finish_akp`]: SlotsToCoeffs, and the switch to the client's modulus.
pub(crate) const STEPS_AFTER_TABLE: usize = 2;

impl EvaluationKey {
    /// Maps every value of `input` through a table, under encryption; its most significant digit where parameters take
    /// inputs digit by digit ([`Parameters::for_digits`](crate::Parameters::for_digits)).
    ///
    /// Progress is told before the first and after each step; a callback that breaks off ends the lookup there.
    ///
    /// # Errors
    /// If the ciphertext is of another client, of other parameters or another modulus, or the table of other
    /// parameters; [`Error::NoiseTooLarge`] if the lookup would fail with more than the stated probability;
    /// [`Error::Cancelled`].
    pub fn lookup(
        &self,
        input: &Ciphertext,
        table: &PreparedTable,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        self.lookups().lookup(input, table, progress)
    }

    /// Maps every value of `input` through each of `tables`: multi-value bootstrapping. Everything up to
    /// the powers (AKP) or selectors (multiplexer trees) is computed once.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, Table};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let reverse = key.prepare(&Table::from_fn(4, 4, |x| 3 - x)?)?;
    /// let square = key.prepare(&Table::from_fn(4, 4, |x| x * x % 4)?)?;
    /// let input = secret.encrypt(&[0, 1, 2, 3])?;
    /// let outputs = key.lookup_many(&input, &[&reverse, &square], Progress::silent())?;
    /// assert_eq!(secret.decrypt(&outputs[0])?, [3, 2, 1, 0]);
    /// assert_eq!(secret.decrypt(&outputs[1])?, [0, 1, 0, 1]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`EvaluationKey::lookup`], for any of the tables; or if there are none.
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        self.lookups().lookup_many(input, tables, progress)
    }

    /// Maps inputs that come in several ciphertexts, the least significant first, through tables of all of
    /// them together: decomposed large digits. `x = x_0 + M_0·(x_1 + M_1·(…))`, where each M_i is the
    /// product of some of the digits of the parameters, in their order.
    ///
    /// ```
    /// use cryptable_packed::{MultiplexerLiteral, Parameters, Progress, SecretKey, Table};
    /// let digits = vec![4, 4, 4];
    /// let tree = MultiplexerLiteral { digits, selectors: vec![1, 1, 1], ..Default::default() };
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_tree(8, 1024, 1024, tree, 0)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (low, high) = (secret.encrypt_digits(&[3, 0], 4)?, secret.encrypt_digits(&[15, 2], 16)?);
    /// let ones = key.prepare(&Table::from_fn(64, 8, |x| u64::from(x.count_ones()))?)?;
    /// let outputs = key.lookup_digits(&[low, high], &[&ones], Progress::silent())?;
    /// assert_eq!(secret.decrypt(&outputs[0])?, [6, 1]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`EvaluationKey::lookup_many`]; if the parameters have no digits, the ciphertexts' moduli are no
    /// products of them, or they differ in their numbers of values.
    pub fn lookup_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        self.lookups().lookup_digits(inputs, tables, progress)
    }

    /// The circuit, if it is a multiplexer tree.
    pub(crate) fn tree(&self) -> Result<&MultiplexerCircuit> {
        match self.parameters().circuit() {
            Circuit::Multiplexer(circuit) => Ok(circuit),
            Circuit::Akp(_) | Circuit::MultiPrecision(_) => {
                let name = &self.parameters().literal().name;
                Err(Error::Unsupported(format!("digits of values: {name} has none")))
            }
        }
    }

    /// The interpolations of tables of these parameters, at least one.
    pub(crate) fn interpolations<'t, T>(
        &self,
        tables: &[&'t PreparedTable<T>],
    ) -> Result<Vec<&'t Interpolation>> {
        let forms = self.forms(tables)?.into_iter();
        forms
            .map(|form| match form {
                PreparedForm::Interpolation(interpolation) => Ok(interpolation),
                PreparedForm::Matrices(_) => unreachable!("parameters of AKP prepare coefficients"),
            })
            .collect()
    }

    /// The matrices of tables of these parameters, at least one.
    fn matrices_of<'t, T>(&self, tables: &[&'t PreparedTable<T>]) -> Result<Vec<&'t [T]>> {
        let forms = self.forms(tables)?.into_iter();
        forms
            .map(|form| match form {
                PreparedForm::Matrices(matrices) => Ok(matrices.as_slice()),
                PreparedForm::Interpolation(_) => {
                    unreachable!("parameters of trees prepare matrices")
                }
            })
            .collect()
    }

    fn forms<'t, T>(&self, tables: &[&'t PreparedTable<T>]) -> Result<Vec<&'t PreparedForm<T>>> {
        if tables.is_empty() {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        }
        tables.iter().map(|table| table.form(self.parameters())).collect()
    }

    /// The noise of the result of a lookup of an input with all digits.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if the lookup would fail too often.
    pub(crate) fn result_noise(&self, input: &Ciphertext) -> Result<NoiseBound> {
        let parameters = self.parameters();
        parameters.checked_result_noise(&[(input.noise(), parameters.circuit().digits())])
    }

    /// A result of this key.
    pub(crate) fn result(&self, body: CoefficientCiphertext, noise: NoiseBound) -> Ciphertext {
        Ciphertext::new(*self.binding(), noise, body)
    }

    fn results(&self, bodies: Vec<CoefficientCiphertext>, noise: NoiseBound) -> Vec<Ciphertext> {
        bodies.into_iter().map(|body| self.result(body, noise)).collect()
    }
}

impl<A: LookupArithmetic> Lookups<'_, A> {
    /// As [`EvaluationKey::lookup`], on this arithmetic.
    ///
    /// # Errors
    /// As there.
    pub fn lookup(
        &self,
        input: &Ciphertext,
        table: &PreparedTable<A::Table>,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        Ok(self.lookup_many(input, &[table], progress)?.swap_remove(0))
    }

    /// As [`EvaluationKey::lookup_many`], on this arithmetic.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable<A::Table>],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let parameters = self.key.parameters();
        if let Circuit::MultiPrecision(circuit) = parameters.circuit() {
            return self.lookup_last_digit(circuit, input, tables, progress);
        }
        if parameters.literal().complex_outputs {
            let name = &parameters.literal().name;
            let what = format!("tables of integers: {name} has complex outputs");
            return Err(Error::Unsupported(what));
        }
        input.check(parameters, self.key.binding(), Some(parameters.input_modulus()))?;
        let noise = self.key.result_noise(input)?;
        let bodies = match parameters.circuit() {
            Circuit::Akp(circuit) => {
                let tables = self.key.interpolations(tables)?;
                self.lookup_akp(circuit, input, (&tables, input.body().layout), progress)
            }
            Circuit::MultiPrecision(_) => unreachable!("taken digit by digit"),
            Circuit::Multiplexer(circuit) => {
                let inputs = [(input, 0..circuit.digits().len())];
                self.lookup_tree(circuit, &inputs, &self.key.matrices_of(tables)?, progress)
            }
        }?;
        Ok(self.key.results(bodies, noise))
    }

    /// As [`EvaluationKey::lookup_digits`], on this arithmetic.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &[&PreparedTable<A::Table>],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let circuit = self.key.tree()?;
        let mut start = 0;
        let mut ranges = Vec::with_capacity(inputs.len());
        for input in inputs {
            input.check(self.key.parameters(), self.key.binding(), None)?;
            if input.count() != inputs[0].count() {
                let (found, expected) = (input.count().to_string(), inputs[0].count().to_string());
                return Err(Error::Mismatch { name: "number of values", found, expected });
            }
            let end = digits_of_modulus(&circuit.digits()[start..], input.modulus())?;
            ranges.push((input, start..start + end));
            start += end;
        }
        if start != circuit.digits().len() {
            let rest = circuit.digits()[start..].iter().product::<u64>();
            let input_modulus = self.key.parameters().input_modulus();
            return Err(Error::Mismatch {
                name: "product of the inputs' moduli",
                found: (input_modulus / rest).to_string(),
                expected: input_modulus.to_string(),
            });
        }
        let inputs: Vec<_> = ranges.iter().map(|(x, digits)| (x.noise(), digits.len())).collect();
        let noise = self.key.parameters().checked_result_noise(&inputs)?;
        let bodies =
            self.lookup_tree(circuit, &ranges, &self.key.matrices_of(tables)?, progress)?;
        Ok(self.key.results(bodies, noise))
    }

    /// Results of AKP in coefficients of this layout.
    pub(crate) fn lookup_akp(
        &self,
        circuit: &AkpCircuit,
        input: &Ciphertext,
        (tables, layout): (&[&Interpolation], CoefficientLayout),
        progress: Progress<'_>,
    ) -> Result<Vec<CoefficientCiphertext>> {
        let results = tables.len() / circuit.literal().tables_of_output();
        let count = STEPS_BEFORE_TABLES + circuit.table_steps(tables) + STEPS_AFTER_TABLE * results;
        let step = progress.steps(count)?;
        let (done, from) = (|| step.done(), (&self.matrices.coeffs_to_slots[..], input.body()));
        let outputs = circuit.look_up_in(&self.arithmetic, from, tables, &done)?;
        let modulus = self.key.parameters().output_modulus();
        let finish = |output| self.finish_akp(circuit, output, (modulus, layout), &done);
        outputs.into_iter().map(finish).collect()
    }

    /// Outputs in slots to results of a modulus in coefficients.
    ///
    /// # Errors
    /// Those of `step`, which is called [`STEPS_AFTER_TABLE`] times, and of the arithmetic.
    pub(crate) fn finish_akp(
        &self,
        circuit: &AkpCircuit,
        outputs: A::Ciphertext,
        (plaintext_modulus, layout): (u64, CoefficientLayout),
        step: Step<'_>,
    ) -> Result<CoefficientCiphertext> {
        let log2_modulus = self.key.parameters().literal().log2_ciphertext_modulus;
        let shape = CoefficientShape { log2_modulus, plaintext_modulus, layout };
        let result = circuit.finish(&self.arithmetic, &self.matrices.slots_to_coeffs, outputs);
        step()?;
        self.arithmetic.begin_stage("modulus_switch");
        let body = self.arithmetic.switch_to_power_of_two(result, shape)?;
        step()?;
        Ok(body)
    }

    fn lookup_tree(
        &self,
        circuit: &MultiplexerCircuit,
        inputs: &[(&Ciphertext, Range<usize>)],
        tables: &[&[A::Table]],
        progress: Progress<'_>,
    ) -> Result<Vec<CoefficientCiphertext>> {
        let steps_per_table = circuit.table_steps() + 1;
        let digits = circuit.digits().len();
        let step = progress.steps(digits * STEPS_PER_DIGIT + 1 + tables.len() * steps_per_table)?;
        let done = || step.done();
        let decomposition = self.decomposition(circuit);
        let mut deltas = Vec::with_capacity(digits);
        for (input, digits) in inputs {
            decomposition.decompose(input.body(), digits.clone(), &done, |_, digit| {
                deltas.push(digit);
                Ok(())
            })?;
        }
        let arithmetic = &self.arithmetic;
        let selectors = circuit.selectors(arithmetic, deltas);
        step.done()?;
        let output_modulus = self.key.parameters().output_modulus();
        let look_up = |matrices: &&[A::Table]| {
            let outputs = circuit.look_up(arithmetic, &selectors, matrices, &done)?;
            let body =
                decomposition.to_coefficients(outputs, inputs[0].0.body(), output_modulus)?;
            step.done()?;
            Ok(body)
        };
        tables.iter().map(look_up).collect()
    }

    /// A decomposition with these keys.
    pub(crate) fn decomposition<'a>(
        &'a self,
        circuit: &'a MultiplexerCircuit,
    ) -> FunctionalDigitDecomposition<'a, A> {
        FunctionalDigitDecomposition {
            circuit,
            arithmetic: &self.arithmetic,
            matrices: self.matrices,
            limbs: self.key.parameters().literal().limbs(),
        }
    }
}

/// How many of the next digits make a modulus.
fn digits_of_modulus(digits: &[u64], modulus: u64) -> Result<usize> {
    let mut product = 1;
    for (index, digit) in digits.iter().enumerate() {
        product *= digit;
        if product == modulus {
            return Ok(index + 1);
        }
    }
    Err(Error::Mismatch {
        name: "modulus of an input",
        found: modulus.to_string(),
        expected: format!("the product of the first of the digits {digits:?}"),
    })
}
