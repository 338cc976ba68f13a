//! Lookups with parameters that process inputs digit by digit: HomFloor, digits as results, tables of the most
//! significant digit (above all the sign), and tables of digits that are results.
//!
//! Algorithms 2, 3 and 6 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623). Inputs have the parameters' input
//! modulus M = p_0⋯p_{k-1}, or are results of [`EvaluationKey::floor`], modulo p_i⋯p_{k-1}. Every digit that is cleared
//! or has tables needs one bootstrap, regardless of the number of tables.

use std::ops::Range;

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{NoiseBound, Progress};

use crate::akp::STEPS_BEFORE_TABLES;
use crate::akp::interpolation::Interpolation;
use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::prepared_table::PreparedTable;
use crate::lookup::table_lookup::STEPS_AFTER_TABLE;
use crate::multi_precision::circuit::{MultiPrecisionCircuit, check_cleared};
use crate::multi_precision::digit_clearing::DigitClearingEvaluator;
use crate::parameters::circuit::Circuit;

/// An interpolation of a digit, and the modulus of its outputs.
pub(crate) type DigitFunction = (Interpolation, u64);

impl EvaluationKey {
    /// Computes the signs of values: 1 for values in the upper half of their modulus M, which are negative as signed
    /// integers, and 0 for others. This is HomSign, Algorithm 3 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint
    /// 2024/1623).
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_digits(&[4, 8, 8], 2)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let signs = key.sign(&secret.encrypt(&[0, 100, 128, 255])?, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&signs)?, [0, 0, 1, 1]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::lookup`]; if the parameters process inputs as a whole, or the size of the last
    /// digit is odd.
    pub fn sign(&self, input: &Ciphertext, progress: Progress<'_>) -> Result<Ciphertext> {
        let circuit = self.digit_circuit("the sign of values")?;
        let modulus = self.parameters().output_modulus();
        let step = (circuit.step([0, 1], modulus)?, modulus);
        Ok(self.last_digit_functions(circuit, input, &[step], progress)?.swap_remove(0))
    }

    /// Computes `⌊m/(p_0⋯p_{count-1})⌋`: clears the `count` lowest digits, so that values become multiples of
    /// p_0⋯p_{count-1}, and divides by that, which leaves values modulo `p_count⋯p_{k-1}`. This is HomFloor, Algorithm
    /// 2 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623), applied to one digit after the other, and line 4
    /// of Algorithm 3. Uses `count` bootstraps.
    ///
    /// The result may be looked up like an input, by [`EvaluationKey::sign`], [`EvaluationKey::floor`] and similar
    /// methods. For its noise, see [`EvaluationKey::digits`].
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_digits(&[4, 8, 8], 8)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let input = secret.encrypt(&[0, 100, 131, 255])?;
    /// let quarters = key.floor(&input, 1, Progress::silent())?;
    /// assert_eq!(quarters.modulus(), 64);
    /// assert_eq!(secret.decrypt(&quarters)?, [0, 25, 32, 63]);
    /// let tops = key.floor(&quarters, 1, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&tops)?, [0, 3, 4, 7]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::digits`]; if `count` is 0 or not less than the number of the input's digits.
    pub fn floor(
        &self,
        input: &Ciphertext,
        count: usize,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let circuit = self.digit_circuit("floors of values")?;
        let all = self.digits_of(circuit, input)?;
        check_cleared(count, all.len() - 1)?;
        let cleared = all.start..all.start + count;
        let noise = self.parameters().failure_model();
        let noise = noise.noise_of_rests(circuit, input.noise(), cleared.clone())[count];
        let modulus = circuit.digits()[cleared.end..].iter().product();
        noise.check_decryption("a floor", modulus, self.parameters().stated_log2_fail())?;
        let evaluator = self.clearing_evaluator(circuit);
        let step = progress.steps(evaluator.steps(cleared.clone(), &[]))?;
        let done = || step.done();
        let mut rest = evaluator.clear(input.body(), cleared, &[], &done, |_, _| Ok(()))?;
        rest.plaintext_modulus = modulus;
        Ok(self.result(rest, noise))
    }

    /// Returns all digits of values, the least significant first, each modulo its size. This is digit decomposition,
    /// Algorithm 6 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623, App. D), for sizes that may differ. Uses
    /// one bootstrap per digit except the last.
    ///
    /// Digit i is the ciphertext that HomFloor computes before it clears the digit. The values of its phase are 1/p_i
    /// apart, and the noise of its phase is that of the rest of the input at this place, times p_{i+1}⋯p_{k-1}: for i =
    /// 0 that of the input, and further up the noise that clearing digit i - 1 leaves, divided by p_i. Every result
    /// carries its bound ([`Ciphertext::noise`]), and may be looked up if the bound admits it:
    /// [`EvaluationKey::lookup_digit`]. For digits whose noise does not depend on that of the input, use functions of
    /// digits: [`EvaluationKey::decompose`].
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, Table};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_digits(&[3, 9, 9], 9)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let digits = key.digits(&secret.encrypt(&[0, 100, 242])?, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&digits[0])?, [0, 1, 2]);
    /// assert_eq!(secret.decrypt(&digits[1])?, [0, 6, 8]);
    /// assert_eq!(secret.decrypt(&digits[2])?, [0, 3, 8]);
    /// let square = key.prepare(&Table::from_fn(9, 100, |d| d * d)?)?;
    /// let squares = key.lookup_digit(&digits[1], &[&square], Progress::silent())?;
    /// assert_eq!(secret.decrypt(&squares[0])?, [0, 36, 64]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the parameters process inputs as a whole; if the ciphertext belongs to another client, has other parameters,
    /// or has a modulus that is not the product of all digits from some digit on; [`Error::NoiseTooLarge`] if a result
    /// would decrypt wrong with more than the stated probability; [`Error::Cancelled`].
    pub fn digits(&self, input: &Ciphertext, progress: Progress<'_>) -> Result<Vec<Ciphertext>> {
        let circuit = self.digit_circuit("digits of values")?;
        let all = self.digits_of(circuit, input)?;
        let noise = self.parameters().noise_of_digits(input.noise(), all.clone());
        for (digit, noise) in all.clone().zip(&noise) {
            let (size, limit) = (circuit.digits()[digit], self.parameters().stated_log2_fail());
            noise.check_decryption("a digit", size, limit)?;
        }
        let (cleared, last) = (all.start..all.end - 1, all.end - 1);
        let evaluator = self.clearing_evaluator(circuit);
        let step = progress.steps(evaluator.steps(cleared.clone(), &[]))?;
        let mut bodies = Vec::with_capacity(all.len());
        let rest = evaluator.clear(input.body(), cleared, &[], &|| step.done(), |digit, _| {
            bodies.push(digit);
            Ok(())
        })?;
        bodies.push(evaluator.digit(&rest, last));
        Ok(bodies.into_iter().zip(noise).map(|(body, noise)| self.result(body, noise)).collect())
    }

    /// Maps a digit through tables. The digit is a result of [`EvaluationKey::digits`], [`EvaluationKey::decompose`] or
    /// this method, or a sum of such results. Its modulus n is the size of a digit, or any other divisor of the size of
    /// the largest digit; outputs have the tables' output moduli. Uses one bootstrap for all tables.
    ///
    /// # Errors
    /// If the parameters process inputs as a whole; if the ciphertext belongs to another client, has other parameters,
    /// or has a modulus that does not divide the largest digit's size; if a table has another modulus;
    /// [`Error::NoiseTooLarge`] if the lookup would fail with more than the stated probability; [`Error::Cancelled`].
    pub fn lookup_digit(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let circuit = self.digit_circuit("lookups of digits")?;
        input.check(self.parameters(), self.binding(), None)?;
        let (modulus, largest) = (input.modulus(), circuit.largest());
        if !largest.is_multiple_of(modulus) {
            let expected = format!("a divisor of the largest digit's size, {largest}");
            return Err(Error::mismatch("modulus of the digit", modulus, expected));
        }
        let functions = self.functions_of(tables, modulus)?;
        let step = progress.steps(Self::function_steps(circuit, &functions))?;
        self.digit_functions(circuit, input, &functions, &|| step.done())
    }

    /// Returns the circuit if it processes inputs digit by digit.
    pub(crate) fn digit_circuit(&self, wanted: &str) -> Result<&MultiPrecisionCircuit> {
        match self.parameters().circuit() {
            Circuit::MultiPrecision(circuit) => Ok(circuit),
            Circuit::Akp(_) | Circuit::Multiplexer(_) => {
                let name = &self.parameters().literal().name;
                Err(Error::Unsupported(format!("{wanted}: {name} takes no digits")))
            }
        }
    }

    /// The indices of an input's digits: all digits from the first that its modulus includes.
    pub(crate) fn digits_of(
        &self,
        circuit: &MultiPrecisionCircuit,
        input: &Ciphertext,
    ) -> Result<Range<usize>> {
        input.check(self.parameters(), self.binding(), None)?;
        let digits = circuit.digits();
        let first = circuit.first_digit(input.modulus()).ok_or_else(|| {
            let expected = format!("the product of the digits {digits:?}, or of the last of them");
            Error::mismatch("modulus of the values", input.modulus(), expected)
        })?;
        Ok(first..digits.len())
    }

    /// The noise of functions of a digit with this noise.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if a result would be wrong with more than the stated probability.
    pub(crate) fn noise_of_functions(
        &self,
        circuit: &MultiPrecisionCircuit,
        digit: NoiseBound,
        functions: &[DigitFunction],
    ) -> Result<NoiseBound> {
        for (_, modulus) in functions {
            self.parameters().checked_digit_noise(digit, *modulus)?;
        }
        Ok(self.parameters().failure_model().noise_of_digit_table(circuit, digit))
    }

    /// The prepared functions of tables on digits of this size.
    pub(crate) fn functions_of(
        &self,
        tables: &[&PreparedTable],
        size: u64,
    ) -> Result<Vec<DigitFunction>> {
        let interpolations = self.forms(tables, PreparedTable::interpolation)?;
        let interpolations = interpolations.into_iter().cloned();
        tables.iter().try_for_each(|table| {
            let (name, found) = ("input modulus of the table", table.input_modulus());
            if found == size { Ok(()) } else { Err(Error::mismatch(name, found, size)) }
        })?;
        Ok(interpolations.zip(tables.iter().map(|table| table.output_modulus())).collect())
    }

    /// Evaluates functions of a digit of any size, with one bootstrap.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::lookup_digit`]; those of `step`, which is called [`EvaluationKey::function_steps`] times.
    pub(crate) fn digit_functions(
        &self,
        circuit: &MultiPrecisionCircuit,
        digit: &Ciphertext,
        functions: &[DigitFunction],
        step: crate::step::Step<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let noise = self.noise_of_functions(circuit, digit.noise(), functions)?;
        let interpolations: Vec<&Interpolation> = functions.iter().map(|(f, _)| f).collect();
        let evaluator = self.clearing_evaluator(circuit);
        let outputs = evaluator.look_up(digit.body(), &interpolations, step)?;
        let finish = |(output, (_, modulus)): (_, &DigitFunction)| {
            let layout = digit.body().layout;
            let body = self.finish_akp(&circuit.akp, output, *modulus, layout, step)?;
            Ok(self.result(body, noise))
        };
        outputs.into_iter().zip(functions).map(finish).collect()
    }

    /// Number of progress steps of [`EvaluationKey::digit_functions`].
    pub(crate) fn function_steps(
        circuit: &MultiPrecisionCircuit,
        functions: &[DigitFunction],
    ) -> usize {
        let interpolations: Vec<&Interpolation> = functions.iter().map(|(f, _)| f).collect();
        let after = STEPS_AFTER_TABLE * functions.len();
        STEPS_BEFORE_TABLES + circuit.akp.table_steps(&interpolations) + after
    }

    /// Evaluates functions of the most significant digit.
    pub(crate) fn last_digit_functions(
        &self,
        circuit: &MultiPrecisionCircuit,
        input: &Ciphertext,
        functions: &[DigitFunction],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let all = self.digits_of(circuit, input)?;
        let last = all.end - 1;
        let noise = self.parameters().noise_of_digits(input.noise(), all.clone());
        let noise = *noise.last().expect("a digit");
        // Checks the noise before anything is computed.
        self.noise_of_functions(circuit, noise, functions)?;
        let (cleared, evaluator) = (all.start..last, self.clearing_evaluator(circuit));
        let steps = evaluator.steps(cleared.clone(), &[]);
        let step = progress.steps(steps + Self::function_steps(circuit, functions))?;
        let done = || step.done();
        let rest = evaluator.clear(input.body(), cleared, &[], &done, |_, _| Ok(()))?;
        let digit = self.result(evaluator.digit(&rest, last), noise);
        self.digit_functions(circuit, &digit, functions, &done)
    }

    /// Returns the evaluator that clears digits of ciphertexts with these keys.
    pub(crate) fn clearing_evaluator<'a>(
        &'a self,
        circuit: &'a MultiPrecisionCircuit,
    ) -> DigitClearingEvaluator<'a> {
        DigitClearingEvaluator { circuit, evaluator: self.evaluator(), matrices: self.matrices() }
    }
}
