//! Predicates: comparisons of packed integers, whose results are bits.
//!
//! `x < y` is the sign of `x - y`, which the bit of headroom keeps exact (HomSign, Algorithm 3 of Alexandru, Kim,
//! Polyakov, CRYPTO 2025, ePrint 2024/1623). Equality needs no headroom: it looks up [d ≠ 0] for every digit of the
//! difference, and [· = 0] for the sum of the results.

use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_lattice::{Progress, Table};

use crate::ciphertext::Ciphertext;
use crate::comparison::operation::Operation;
use crate::comparison::passes::Passes;
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::parameters::circuit::Circuit;

/// Modulus of bits if parameters process digits.
const BIT_MODULUS: u64 = 2;

impl EvaluationKey {
    /// Returns 1 where values are in the upper half of their modulus, that is negative, else 0. Bits are modulo 2, so
    /// that their sum is exclusive or; if parameters process values as a whole, bits are modulo the output modulus.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client, has other parameters, or has another modulus;
    /// [`Error::NoiseTooLarge`] if the result would be wrong with more than the stated probability;
    /// [`Error::Cancelled`].
    pub fn is_negative(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<Ciphertext> {
        self.step(x, [0, 1], progress)
    }

    /// Returns 1 where x is less than y, else 0, by one HomSign. Bits have the same modulus as those of
    /// [`EvaluationKey::is_negative`].
    ///
    /// Integers have a bit of headroom: their difference must lie within [-M/2, M/2) ([`crate::Signedness`]).
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, Signedness::Signed};
    /// // `Parameters::for_comparisons(32, &request)` has 128 bits of security.
    /// let parameters = Parameters::insecure_toy_comparisons(8)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let encrypt = |values| secret.encrypt(&Signed.encode(values, parameters.input_modulus())?);
    /// let (x, y) = (encrypt(&[-128, 5, 127])?, encrypt(&[127, 5, -128])?);
    /// let is_less = key.less_than(&x, &y, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&is_less)?, [1, 0, 0]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::is_negative`]; if the numbers of values differ.
    pub fn less_than(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        self.is_negative(&self.sub(x, y)?, progress)
    }

    /// Returns 1 where x is not less than y, else 0.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::less_than`].
    pub fn greater_or_equal(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        self.step(&self.sub(x, y)?, [1, 0], progress)
    }

    /// Returns the index of the larger of x and y, value by value: 0 for x, 1 for y, and 0 where they are equal.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::less_than`].
    pub fn index_of_larger(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        self.less_than(x, y, progress)
    }

    /// Returns 1 where x and y are equal, else 0. Needs no headroom.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::less_than`]; if the number of digits is not below the size of the largest digit.
    pub fn equal(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let difference = self.sub(x, y)?;
        match self.parameters().circuit() {
            Circuit::MultiPrecision(circuit) => self.is_zero(circuit, &difference, progress),
            Circuit::Akp(_) | Circuit::Multiplexer(_) => {
                self.whole(&difference, |d| u64::from(d == 0), progress)
            }
        }
    }

    /// Looks up one value for the lower half of the modulus, and another one for the upper half.
    fn step(&self, x: &Ciphertext, values: [u64; 2], progress: Progress<'_>) -> Result<Ciphertext> {
        match self.parameters().circuit() {
            Circuit::MultiPrecision(circuit) => {
                let step = (circuit.step(values, BIT_MODULUS)?, BIT_MODULUS);
                Ok(self.last_digit_functions(circuit, x, &[step], progress)?.swap_remove(0))
            }
            Circuit::Akp(_) | Circuit::Multiplexer(_) => {
                let half = self.parameters().input_modulus().div_ceil(2);
                self.whole(x, |value| values[usize::from(value >= half)], progress)
            }
        }
    }

    /// Looks up a function with parameters that process values as a whole.
    pub(super) fn whole(
        &self,
        x: &Ciphertext,
        f: impl FnMut(u64) -> u64,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let parameters = self.parameters();
        let (input, output) = (parameters.input_modulus(), parameters.output_modulus());
        self.lookup(x, &self.prepare(&Table::from_fn(input, output, f)?)?, progress)
    }

    /// Tests all digits for zero, and then the sum of the results.
    fn is_zero(
        &self,
        circuit: &MultiPrecisionCircuit,
        x: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        check_equal("modulus of the values", x.modulus(), self.parameters().input_modulus())?;
        let (digits, largest) = (circuit.digits(), circuit.largest());
        let (name, value) = ("number of digits of an equality", digits.len() as u64);
        if value >= largest {
            return Err(Error::TooLarge { name, value, limit: largest - 1 });
        }
        let is_not_zero = |&size: &u64| Table::from_fn(size, largest, |d| u64::from(d != 0));
        let tables = digits.iter().map(is_not_zero).map(|table| Ok(vec![table?]));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let mut passes = Passes::new(progress, self.parameters().bootstraps(Operation::Equal));
        let bits = passes.run(digits.len(), |progress| self.decompose(x, &tables, progress))?;
        let mut bits = bits.into_iter().flatten();
        let first = bits.next().expect("a digit");
        let sum = bits.try_fold(first, |sum, bit| self.add(&sum, &bit))?;
        let is_zero = Table::from_fn(largest, BIT_MODULUS, |sum| u64::from(sum == 0))?;
        let is_zero = self.prepare(&is_zero)?;
        let found = passes.run(1, |progress| self.lookup_digit(&sum, &[&is_zero], progress))?;
        Ok(found.into_iter().next().expect("one result per table"))
    }
}
