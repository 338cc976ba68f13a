//! Maximum, minimum, ReLU, absolute value and clamping of packed integers.
//!
//! Where parameters take values as one, a table of the value or of the difference: `max(x, y) = y + ReLU(x - y)`. Where they
//! take digits, digits are selected by signs in slots (`selection_in_slots.rs`).
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
    /// Values in digits, without the bit of headroom: tables of every digit, all modulo the size of the largest. One pass.
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

    /// The larger of x and y, value by value.
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
    /// If a ciphertext is of another client, other parameters or another modulus, or they differ in their numbers of values;
    /// if the parameters take values as one and have another output modulus than input modulus, or take digits without primes for
    /// products in slots; [`Error::NoiseTooLarge`]; [`Error::Cancelled`].
    pub fn maximum(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        self.larger([x, y], true, progress)
    }

    /// The smaller of x and y, value by value.
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

    /// The larger of two values, `y + ReLU(x - y)`, or the smaller, `x - ReLU(x - y)`.
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

    /// x where it is positive, else 0.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::maximum`].
    pub fn relu(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<DigitList> {
        match self.selecting()? {
            None => self.in_one(self.relu_of_whole(x, progress)?),
            Some(selecting) => self.in_digits(self.relu_in_slots(selecting, x, progress)?),
        }
    }

    /// `|x|`, of which the least integer has none among signed ones: it is unsigned, from 0 to M/4.
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

    /// x, but the nearest bound where x is not within them. Bounds may be any integers that values stand for.
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

    /// Returns the parts of selections in slots, if parameters take digits; none, if they take values as one.
    fn selecting(&self) -> Result<Option<Selecting<'_>>> {
        let parameters = self.parameters();
        let Circuit::MultiPrecision(circuit) = parameters.circuit() else {
            let (input, output) = (parameters.input_modulus(), parameters.output_modulus());
            check_equal("output modulus of the parameters", output, input)?;
            return Ok(None);
        };
        let Some(selection) = parameters.selection() else {
            let name = &parameters.literal().name;
            let what = format!("maxima and their like: {name} has no primes for products in slots");
            return Err(Error::Unsupported(what));
        };
        Ok(Some(Selecting { circuit, selection }))
    }

    /// A result in one ciphertext.
    fn in_one(&self, value: Ciphertext) -> Result<DigitList> {
        self.in_digits(vec![value])
    }

    /// A result in digits.
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

/// Digits of a public value, the last one without the sign.
fn digits_of(sizes: &[u64], mut value: u64) -> Vec<u64> {
    let digit = |&size: &u64| {
        let digit = value % size;
        value /= size;
        digit
    };
    sizes.iter().map(digit).collect()
}

/// Bounds as values modulo M.
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
