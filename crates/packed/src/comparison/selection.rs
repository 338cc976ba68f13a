//! Maximum, minimum, ReLU, absolute value and clamping of packed integers.
//!
//! With parameters that process values as a whole, these are tables of the value or of the difference:
//! `max(x, y) = y + ReLU(x - y)`. With parameters that process digits, signs select digits in slots
//! (`selection_in_slots.rs`).
//!
//! | operation on k digits | bootstraps |
//! |---|---|
//! | digits, ReLU | k |
//! | absolute value | 2k |
//! | maximum, minimum, clamping | 3k |

use std::ops::RangeInclusive;

use cryptable_lattice::Progress;
use cryptable_lattice::error::{Error, Result, check_equal};

use crate::ciphertext::Ciphertext;
use crate::comparison::digit_list::DigitList;
use crate::comparison::selection_in_slots::Selecting;
use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::circuit::Circuit;

impl EvaluationKey {
    /// Returns the digits of values, without the bit of headroom. Every digit is looked up in a table, modulo the size
    /// of the largest digit, in one pass.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, Signedness::Signed};
    /// let parameters = Parameters::insecure_toy_comparisons(8)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let values = Signed.encode(&[-128, -1, 100], parameters.input_modulus())?;
    /// let digits = key.digit_list(&secret.encrypt(&values)?, Progress::silent())?;
    /// let values = secret.decrypt_digits(&digits)?;
    /// assert_eq!(Signed.decode(&values, digits.modulus()), [-128, -1, 100]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::maximum`].
    pub fn digit_list(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<DigitList> {
        let Circuit::MultiPrecision(circuit) = self.parameters().circuit() else {
            self.selecting()?;
            return self.in_one(self.whole(x, |value| value, progress)?);
        };
        self.check_whole(x)?;
        let (largest, tables) = (circuit.largest(), self.tables_of_digits(circuit)?);
        let functions = tables.into_iter().map(|table| vec![(table, largest)]).collect();
        let digits = self.functions_of_digits(circuit, x, functions, progress)?;
        self.in_digits(digits.into_iter().flatten().collect())
    }

    /// Returns the larger of x and y, value by value.
    ///
    /// Integers have a bit of headroom, as for [`EvaluationKey::less_than`]. The result has none: it is modulo M/2.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, Signedness::Unsigned};
    /// // `Parameters::for_comparisons(32, &request)` has 128 bits of security.
    /// let parameters = Parameters::insecure_toy_comparisons(8)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = (secret.encrypt(&[200, 17, 5])?, secret.encrypt(&[199, 255, 5])?);
    /// let maxima = key.maximum(&x, &y, Progress::silent())?;
    /// assert_eq!(secret.decrypt_digits(&maxima)?, [200, 255, 5]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a ciphertext belongs to another client, has other parameters or has another modulus, or ciphertexts differ in
    /// their numbers of values; if the parameters process values as a whole and their output modulus is not the input
    /// modulus, or process digits but have no primes for products in slots; [`Error::NoiseTooLarge`];
    /// [`Error::Cancelled`].
    pub fn maximum(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        self.larger([x, y], true, progress)
    }

    /// Returns the smaller of x and y, value by value.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::maximum`].
    pub fn minimum(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        self.larger([x, y], false, progress)
    }

    /// Returns the larger of two values, `y + ReLU(x - y)`, or the smaller, `x - ReLU(x - y)`.
    fn larger(
        &self,
        [x, y]: [&Ciphertext; 2],
        wants_larger: bool,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        if let Some(selecting) = self.selecting()? {
            let digits = self.larger_in_slots(selecting, x, y, wants_larger, progress)?;
            return self.in_digits(digits);
        }
        let excess = self.relu_of_whole(&self.sub(x, y)?, progress)?;
        self.in_one(if wants_larger { self.add(y, &excess)? } else { self.sub(x, &excess)? })
    }

    /// Returns x where it is positive, else 0.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::maximum`].
    pub fn relu(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<DigitList> {
        match self.selecting()? {
            None => self.in_one(self.relu_of_whole(x, progress)?),
            Some(selecting) => self.in_digits(self.relu_in_slots(selecting, x, progress)?),
        }
    }

    /// Returns `|x|` as an unsigned integer from 0 to M/4, since the absolute value of the least signed integer is not
    /// a signed integer.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::maximum`].
    pub fn absolute_value(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<DigitList> {
        let modulus = self.parameters().input_modulus();
        let half = modulus.div_ceil(2);
        let absolute = |value| if value < half { value } else { modulus - value };
        match self.selecting()? {
            None => self.in_one(self.whole(x, absolute, progress)?),
            Some(selecting) => self.in_digits(self.absolute_in_slots(selecting, x, progress)?),
        }
    }

    /// Returns x where it is within the bounds, else the nearest bound. Bounds may be any integers that values can
    /// represent.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::maximum`]; if the bounds are not in order, or one is below -M/4 or not below M/2.
    pub fn clamp(
        &self,
        x: &Ciphertext,
        bounds: RangeInclusive<i64>,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        let modulus = self.parameters().input_modulus();
        let (low, high) = (*bounds.start(), *bounds.end());
        let residues = check_bounds(low, high, modulus)?;
        let Some(selecting) = self.selecting()? else {
            let half = modulus.div_ceil(2) as i64;
            let clamped = |value: u64| {
                let value = value as i64;
                let value = if value < half { value } else { value - modulus as i64 };
                value.clamp(low, high).rem_euclid(modulus as i64) as u64
            };
            return self.in_one(self.whole(x, clamped, progress)?);
        };
        let [from_low, to_high] = [modulus - residues[0], residues[1]];
        let shifted = |x: &Ciphertext, by: u64| self.add_plain(x, &vec![by % modulus; x.count()]);
        let (from_low, to_high) = (shifted(x, from_low)?, shifted(&self.negate(x)?, to_high)?);
        let [low, high] =
            residues.map(|bound| digits_of(&self.parameters().integer_digits(), bound));
        let (distances, bounds) = ([&from_low, &to_high], [&low[..], &high[..]]);
        self.in_digits(self.clamp_in_slots(selecting, x, distances, bounds, progress)?)
    }

    /// Returns the circuit and the products of selections in slots if parameters process digits; none if they process
    /// values as a whole.
    fn selecting(&self) -> Result<Option<Selecting<'_>>> {
        let parameters = self.parameters();
        let Circuit::MultiPrecision(circuit) = parameters.circuit() else {
            let (input, output) = (parameters.input_modulus(), parameters.output_modulus());
            check_equal("output modulus of the parameters", output, input)?;
            return Ok(None);
        };
        let Some(selection) = parameters.selection() else {
            let name = &parameters.literal().name;
            let what = format!("maxima and similar: {name} has no primes for products in slots");
            return Err(Error::Unsupported(what));
        };
        Ok(Some(Selecting { circuit, selection }))
    }

    /// Makes a result of one ciphertext.
    fn in_one(&self, value: Ciphertext) -> Result<DigitList> {
        self.in_digits(vec![value])
    }

    /// Makes a result of several digits.
    fn in_digits(&self, digits: Vec<Ciphertext>) -> Result<DigitList> {
        DigitList::new(self.parameters().integer_digits(), digits)
    }

    /// Checks that a value has all its digits.
    pub(crate) fn check_whole(&self, x: &Ciphertext) -> Result<()> {
        x.check(self.parameters(), self.binding(), Some(self.parameters().input_modulus()))
    }

    fn relu_of_whole(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<Ciphertext> {
        let half = self.parameters().input_modulus().div_ceil(2);
        self.whole(x, |value| if value < half { value } else { 0 }, progress)
    }
}

/// Returns the digits of a public value, the last one without the sign.
fn digits_of(sizes: &[u64], mut value: u64) -> Vec<u64> {
    let digit = |&size: &u64| {
        let digit = value % size;
        value /= size;
        digit
    };
    sizes.iter().map(digit).collect()
}

/// Checks bounds, and returns them modulo M.
fn check_bounds(low: i64, high: i64, modulus: u64) -> Result<[u64; 2]> {
    let (least, most) = (-((modulus / 4) as i64), (modulus / 2) as i64 - 1);
    for (name, bound) in [("lower bound", low), ("upper bound", high)] {
        if !(least..=most).contains(&bound) {
            let limit = format!("it must be from {least} to {most}");
            return Err(Error::Parameter { name, value: bound as f64, limit });
        }
    }
    if low > high {
        let limit = format!("it must be at most the upper bound, {high}");
        return Err(Error::Parameter { name: "lower bound", value: low as f64, limit });
    }
    Ok([low, high].map(|bound| bound.rem_euclid(modulus as i64) as u64))
}
