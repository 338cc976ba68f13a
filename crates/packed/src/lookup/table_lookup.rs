//! Lookups of tables that all values share.

use std::ops::Range;

use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_ckks::{Arithmetic, Ciphertext as SlotCiphertext};
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, CoefficientLayout};
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{NoiseBound, Progress};
use cryptable_ring::selected_product::TableMatrix;

use crate::akp::interpolation::Interpolation;
use crate::akp::{AkpCircuit, STEPS_BEFORE_TABLES};
use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::prepared_table::PreparedTable;
use crate::multiplexer::circuit::MultiplexerCircuit;
use crate::multiplexer::functional_digit_decomposition::{
    FunctionalDigitDecomposition, STEPS_PER_DIGIT,
};
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;
use crate::step::Step;

/// Number of progress steps of [`EvaluationKey::finish_akp`]: SlotsToCoeffs, and the switch to the client's modulus.
pub(crate) const STEPS_AFTER_TABLE: usize = 2;

/// An input, and the range of the circuit's digits that it holds.
pub(crate) type InputDigits<'c> = (&'c Ciphertext, Range<usize>);

impl EvaluationKey {
    /// Maps every value of `input` through a table, under encryption. If parameters process inputs digit by digit
    /// ([`Parameters::for_digits`](crate::Parameters::for_digits)), maps its most significant digit.
    ///
    /// Progress is reported before the first step and after each step; a callback that cancels ends the lookup there.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client, or has other parameters or another modulus; if the table was
    /// prepared for other parameters; [`Error::NoiseTooLarge`] if the lookup would fail with more than the stated
    /// probability; [`Error::Cancelled`].
    pub fn lookup(
        &self,
        input: &Ciphertext,
        table: &PreparedTable,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        Ok(self.lookup_many(input, &[table], progress)?.swap_remove(0))
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
    /// The errors of [`EvaluationKey::lookup`], for any of the tables; or if there are none.
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let parameters = self.parameters();
        match parameters.circuit() {
            Circuit::Akp(circuit) => {
                self.check_integer_outputs()?;
                let noises = tables.iter().map(|it| self.checked_noise(input, it.output_range()));
                let noises = noises.collect::<Result<Vec<_>>>()?;
                let tables = self.forms(tables, PreparedTable::interpolation)?;
                let layout = input.body().layout;
                let bodies = self.lookup_akp(circuit, input.body(), &tables, layout, progress)?;
                let results = bodies.into_iter().zip(noises);
                Ok(results.map(|(body, noise)| self.result(body, noise)).collect())
            }
            Circuit::MultiPrecision(circuit) => {
                let functions = self.functions_of(tables, parameters.table_modulus())?;
                self.last_digit_functions(circuit, input, &functions, progress)
            }
            Circuit::Multiplexer(circuit) => {
                let noise = self.checked_noise(input, u64::MAX)?;
                let tables = self.forms(tables, PreparedTable::matrices)?;
                let inputs = [(input, 0..circuit.digits().len())];
                let bodies = self.lookup_tree(circuit, &inputs, &tables, progress)?;
                Ok(self.results(bodies, noise))
            }
        }
    }

    /// Maps inputs that are spread over several ciphertexts, the least significant first, through tables on the joint
    /// value: a large value that is already decomposed. `x = x_0 + M_0·(x_1 + M_1·(…))`, where each M_i is the product
    /// of some of the digits of the parameters, in their order.
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
    /// The errors of [`EvaluationKey::lookup_many`]; if the parameters have no digits, if the ciphertexts' moduli are
    /// not products of the digits, or if the ciphertexts differ in their numbers of values.
    pub fn lookup_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let circuit = self.tree()?;
        let (ranges, noise) = self.checked_digits(circuit, inputs)?;
        let tables = self.forms(tables, PreparedTable::matrices)?;
        self.check_integer_outputs()?;
        let bodies = self.lookup_tree(circuit, &ranges, &tables, progress)?;
        Ok(self.results(bodies, noise))
    }

    /// Checks inputs that are spread over several ciphertexts. Returns the digits of each, and the noise of the result.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::lookup_digits`].
    pub(crate) fn checked_digits<'c>(
        &self,
        circuit: &MultiplexerCircuit,
        inputs: &'c [Ciphertext],
    ) -> Result<(Vec<InputDigits<'c>>, NoiseBound)> {
        let mut start = 0;
        let mut ranges = Vec::with_capacity(inputs.len());
        for input in inputs {
            input.check(self.parameters(), self.binding(), None)?;
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
            let input_modulus = self.parameters().input_modulus();
            return Err(Error::Mismatch {
                name: "product of the inputs' moduli",
                found: (input_modulus / rest).to_string(),
                expected: input_modulus.to_string(),
            });
        }
        let inputs: Vec<_> = ranges.iter().map(|(x, digits)| (x.noise(), digits.len())).collect();
        let noise = self.parameters().checked_result_noise(&inputs, u64::MAX)?;
        Ok((ranges, noise))
    }

    /// Returns the circuit if it is a multiplexer tree.
    pub(crate) fn tree(&self) -> Result<&MultiplexerCircuit> {
        match self.parameters().circuit() {
            Circuit::Multiplexer(circuit) => Ok(circuit),
            Circuit::Akp(_) | Circuit::MultiPrecision(_) => {
                let name = &self.parameters().literal().name;
                Err(Error::Unsupported(format!("digits of values: {name} has no digits")))
            }
        }
    }

    /// Returns the prepared form of every table that lookups with these parameters use.
    ///
    /// # Errors
    /// If there are no tables, or one was prepared for other parameters.
    pub(crate) fn forms<'t, F: ?Sized>(
        &self,
        tables: &[&'t PreparedTable],
        form: impl Fn(&'t PreparedTable, &Parameters) -> Result<&'t F>,
    ) -> Result<Vec<&'t F>> {
        if tables.is_empty() {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        }
        tables.iter().map(|table| form(table, self.parameters())).collect()
    }

    /// Checks that outputs are integers.
    fn check_integer_outputs(&self) -> Result<()> {
        let literal = self.parameters().literal();
        if literal.complex_outputs {
            let what = format!("tables of integers: {} has complex outputs", literal.name);
            return Err(Error::Unsupported(what));
        }
        Ok(())
    }

    /// Checks an input with all digits, and returns the noise of its result for a table whose outputs differ by at most
    /// `range`.
    ///
    /// # Errors
    /// If it belongs to another client, or has other parameters or another modulus; [`Error::NoiseTooLarge`] if the
    /// lookup would fail too often.
    pub(crate) fn checked_noise(&self, input: &Ciphertext, range: u64) -> Result<NoiseBound> {
        let parameters = self.parameters();
        input.check(parameters, self.binding(), Some(parameters.input_modulus()))?;
        self.result_noise(input, range)
    }

    /// The noise of a lookup's result, for an input with all digits and a table whose outputs differ by at most
    /// `range`.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if the lookup would fail too often.
    pub(crate) fn result_noise(&self, input: &Ciphertext, range: u64) -> Result<NoiseBound> {
        let parameters = self.parameters();
        parameters.checked_result_noise(&[(input.noise(), parameters.circuit().digits())], range)
    }

    /// Makes a result ciphertext that belongs to this key.
    pub(crate) fn result(&self, body: CoefficientCiphertext, noise: NoiseBound) -> Ciphertext {
        Ciphertext::new(*self.binding(), noise, body)
    }

    pub(crate) fn results(
        &self,
        bodies: Vec<CoefficientCiphertext>,
        noise: NoiseBound,
    ) -> Vec<Ciphertext> {
        bodies.into_iter().map(|body| self.result(body, noise)).collect()
    }

    /// Looks tables up by AKP. Returns results in coefficients of this layout.
    pub(crate) fn lookup_akp(
        &self,
        circuit: &AkpCircuit,
        input: &CoefficientCiphertext,
        tables: &[&Interpolation],
        layout: CoefficientLayout,
        progress: Progress<'_>,
    ) -> Result<Vec<CoefficientCiphertext>> {
        let results = tables.len() / circuit.literal().tables_of_output();
        let count = STEPS_BEFORE_TABLES + circuit.table_steps(tables) + STEPS_AFTER_TABLE * results;
        let step = progress.steps(count)?;
        let done = || step.done();
        let matrices = &self.matrices().coeffs_to_slots;
        let outputs = circuit.look_up_in(&self.evaluator(), matrices, input, tables, &done)?;
        let modulus = self.parameters().output_modulus();
        let finish = |output| self.finish_akp(circuit, output, modulus, layout, &done);
        outputs.into_iter().map(finish).collect()
    }

    /// Turns outputs in slots into results in coefficients, modulo `plaintext_modulus`.
    ///
    /// # Errors
    /// The errors of `step`, which is called [`STEPS_AFTER_TABLE`] times.
    pub(crate) fn finish_akp(
        &self,
        circuit: &AkpCircuit,
        outputs: SlotCiphertext,
        plaintext_modulus: u64,
        layout: CoefficientLayout,
        step: Step<'_>,
    ) -> Result<CoefficientCiphertext> {
        let log2_modulus = self.parameters().literal().log2_ciphertext_modulus;
        let shape = CoefficientShape { log2_modulus, plaintext_modulus, layout };
        let evaluator = self.evaluator();
        let result = circuit.finish(&evaluator, &self.matrices().slots_to_coeffs, outputs);
        step()?;
        evaluator.begin_stage("modulus_switch");
        let body = switch_to_power_of_two(self.ring(), result.parts, shape);
        step()?;
        Ok(body)
    }

    /// Looks tables up by a multiplexer tree. Returns one result per table, or per two tables if outputs are complex.
    pub(crate) fn lookup_tree(
        &self,
        circuit: &MultiplexerCircuit,
        inputs: &[InputDigits<'_>],
        tables: &[&[TableMatrix]],
        progress: Progress<'_>,
    ) -> Result<Vec<CoefficientCiphertext>> {
        let tables_of_output = self.parameters().literal().tables_of_output();
        let results = tables.len() / tables_of_output;
        let digits = circuit.digits().len();
        let of_tables = tables.len() * circuit.table_steps() + results;
        let step = progress.steps(digits * STEPS_PER_DIGIT + 1 + of_tables)?;
        let done = || step.done();
        let decomposition = self.decomposition(circuit);
        let deltas = decomposition.deltas(inputs, &done)?;
        let evaluator = &self.evaluator();
        let selectors = circuit.selectors(evaluator, deltas);
        step.done()?;
        let output_modulus = self.parameters().output_modulus();
        let look_up = |tables: &[&[TableMatrix]]| {
            let outputs = circuit.look_up(evaluator, &selectors, tables, &done)?;
            let body = decomposition.to_coefficients(outputs, inputs[0].0.body(), output_modulus);
            step.done()?;
            Ok(body)
        };
        tables.chunks(tables_of_output).map(look_up).collect()
    }

    /// Returns the evaluator that decomposes values into digits with these keys.
    pub(crate) fn decomposition<'a>(
        &'a self,
        circuit: &'a MultiplexerCircuit,
    ) -> FunctionalDigitDecomposition<'a> {
        FunctionalDigitDecomposition {
            circuit,
            evaluator: self.evaluator(),
            matrices: self.matrices(),
        }
    }
}

/// Returns the number of the next digits whose product is a modulus.
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
