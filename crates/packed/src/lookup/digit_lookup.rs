//! Lookups of parameters that take inputs digit by digit: tables of the most significant digit, the sign above all, HomFloor
//! and the decomposition into digits.

use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{Progress, Table};

use crate::akp::STEPS_BEFORE_TABLES;
use crate::akp::interpolation::Interpolation;
use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::multi_precision::digit_clearing::DigitClearingEvaluator;
use crate::parameters::circuit::Circuit;

impl EvaluationKey {
    /// Whether values are in the upper half of their modulus M, that is negative as signed integers: 1, or 0.
    /// HomSign, Algorithm 3 of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623).
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
    /// As [`EvaluationKey::lookup`]; if the parameters take inputs as one, or the size of the last digit is odd.
    pub fn sign(&self, input: &Ciphertext, progress: Progress<'_>) -> Result<Ciphertext> {
        self.digit_circuit()?;
        let parameters = self.parameters();
        let (size, output) = (parameters.table_modulus(), parameters.output_modulus());
        if !size.is_multiple_of(2) {
            let limit = "its size must be even for a sign".into();
            return Err(Error::Parameter { name: "last digit", value: size as f64, limit });
        }
        let step = Table::from_fn(size, output, |digit| u64::from(digit >= size / 2))?;
        self.lookup(input, &self.prepare(&step)?, progress)
    }

    /// The circuit, if it takes inputs digit by digit.
    fn digit_circuit(&self) -> Result<&MultiPrecisionCircuit> {
        match self.parameters().circuit() {
            Circuit::MultiPrecision(circuit) => Ok(circuit),
            Circuit::Akp(_) | Circuit::Multiplexer(_) => {
                let name = &self.parameters().literal().name;
                Err(Error::Unsupported(format!("the sign of values: {name} takes no digits")))
            }
        }
    }

    /// Tables of the most significant digit, once the others are cleared.
    pub(crate) fn lookup_last_digit(
        &self,
        circuit: &MultiPrecisionCircuit,
        input: &Ciphertext,
        tables: &[&Interpolation],
        progress: Progress<'_>,
    ) -> Result<Vec<CoefficientCiphertext>> {
        let clearing = DigitClearingEvaluator {
            circuit,
            evaluator: self.evaluator(),
            coeffs_to_slots: self.coeffs_to_slots(),
            clearing: self.clearing(),
        };
        let last = circuit.digits().len() - 1;
        let steps_of_tables =
            STEPS_BEFORE_TABLES + circuit.akp.table_steps(tables) + 2 * tables.len();
        let step = progress.steps(clearing.steps(last) + steps_of_tables)?;
        let done = || step.done();
        let rest = clearing.clear(input.body(), last, &done, |_, _| ())?;
        let digit = clearing.digit(&rest, last);
        let outputs = clearing.look_up(&digit, tables, &done)?;
        self.finish_akp(&circuit.akp, outputs, input.body().layout, &done)
    }
}
