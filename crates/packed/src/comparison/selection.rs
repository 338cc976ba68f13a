//! Maximum, minimum, ReLU, absolute value and clamping of packed integers.
//!
//! Where parameters take values as one, a table of the value or of the difference: `max(x, y) = y + ReLU(x - y)`.
//!
//! Where they take digits: tables of all digits of x, y and of the sign s of x - y, each modulo n, the size of the largest
//! digit, in one pass through each. With primes for it, digits are selected by s in slots (`selection_in_slots.rs`). Without,
//! digits are below n/2, so that digit + n/2·s modulo n is a digit with a sign. A second lookup of each makes it 0 or leaves
//! it, and `max_i = f(x_i + n/2·s) + g(y_i + n/2·s)`.
//!
//! | operation | bootstraps on k digits, selected in slots | by a second lookup |
//! |---|---|---|
//! | digits, with or without the sign | k | k |
//! | ReLU | k | 2k |
//! | absolute value | 2k | 4k, `ReLU(x) + ReLU(-x)` |
//! | maximum, minimum, clamping | 3k | 5k |
//!
//! Noise by a second lookup: that of a sum of two results of AKP; what the first lookup leaves is squared by the second.

use std::ops::RangeInclusive;

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{Progress, Table};

use crate::ciphertext::Ciphertext;
use crate::comparison::digit_list::DigitList;
use crate::comparison::operation::Operation;
use crate::comparison::passes::Passes;
use crate::comparison::selection_in_slots::Selecting;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::digit_lookup::DigitFunction;
use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::parameters::circuit::Circuit;

/// Digits of a value modulo n, and n/2 times its sign.
struct SignedDigits {
    digits: Vec<Ciphertext>,
    sign: Ciphertext,
}

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
    /// As [`EvaluationKey::maximum`].
    pub fn digit_list(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<DigitList> {
        match self.selecting_circuit()? {
            None => self.in_one(self.whole(x, |value| value, progress)?),
            Some(circuit) => self.in_digits(self.split(circuit, x, progress)?.digits),
        }
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
    /// if the parameters take values as one and have another output modulus than input modulus, or their digits leave no room
    /// for a sign; [`Error::NoiseTooLarge`]; [`Error::Cancelled`].
    pub fn maximum(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        let key = self;
        match key.selecting_circuit()? {
            // y + ReLU(x - y)
            None => key.in_one(key.add(y, &self.relu_of_whole(&key.sub(x, y)?, progress)?)?),
            Some(circuit) => self.larger(circuit, x, y, true, progress),
        }
    }

    /// The smaller of x and y, value by value.
    ///
    /// # Errors
    /// As [`EvaluationKey::maximum`].
    pub fn minimum(
        &self,
        x: &Ciphertext,
        y: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        let key = self;
        match key.selecting_circuit()? {
            // x - ReLU(x - y)
            None => key.in_one(key.sub(x, &self.relu_of_whole(&key.sub(x, y)?, progress)?)?),
            Some(circuit) => self.larger(circuit, x, y, false, progress),
        }
    }

    /// x where it is positive, else 0.
    ///
    /// # Errors
    /// As [`EvaluationKey::maximum`].
    pub fn relu(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<DigitList> {
        let Some(circuit) = self.selecting_circuit()? else {
            return self.in_one(self.relu_of_whole(x, progress)?);
        };
        if let Some(selecting) = self.selecting(circuit) {
            return self.in_digits(self.relu_in_slots(selecting, x, progress)?);
        }
        let bootstraps = self.parameters().bootstraps(Operation::Relu);
        let mut passes = Passes::new(progress, bootstraps);
        let positive = self.positive_part(circuit, x, &mut passes)?;
        self.in_digits(positive)
    }

    /// `|x|`, of which the least integer has none among signed ones: it is unsigned, from 0 to M/4.
    ///
    /// # Errors
    /// As [`EvaluationKey::maximum`].
    pub fn absolute_value(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<DigitList> {
        let modulus = self.parameters().input_modulus();
        let Some(circuit) = self.selecting_circuit()? else {
            let half = modulus.div_ceil(2);
            let absolute = |value| if value < half { value } else { modulus - value };
            return self.in_one(self.whole(x, absolute, progress)?);
        };
        if let Some(selecting) = self.selecting(circuit) {
            return self.in_digits(self.absolute_in_slots(selecting, x, progress)?);
        }
        let bootstraps = self.parameters().bootstraps(Operation::AbsoluteValue);
        let mut passes = Passes::new(progress, bootstraps);
        let positive = self.positive_part(circuit, x, &mut passes)?;
        let negative = self.positive_part(circuit, &self.negate(x)?, &mut passes)?;
        self.in_digits(self.sums(&positive, &negative)?)
    }

    /// x, but the nearest bound where x is not within them. Bounds may be any integers that values stand for.
    ///
    /// # Errors
    /// As [`EvaluationKey::maximum`]; if the bounds are not in order, or one is below -M/4 or not below M/2.
    pub fn clamp(
        &self,
        x: &Ciphertext,
        bounds: RangeInclusive<i64>,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        let modulus = self.parameters().input_modulus();
        let (low, high) = (*bounds.start(), *bounds.end());
        let residues = check_bounds(low, high, modulus)?;
        let Some(circuit) = self.selecting_circuit()? else {
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
        if let Some(selecting) = self.selecting(circuit) {
            let (distances, bounds) = ([&from_low, &to_high], [&low[..], &high[..]]);
            let clamped = self.clamp_in_slots(selecting, x, distances, bounds, progress)?;
            return self.in_digits(clamped);
        }
        let count = circuit.digits().len();
        let mut passes = Passes::new(progress, self.parameters().bootstraps(Operation::Clamp));
        let is_below = self.sign_of(circuit, &from_low, &mut passes)?;
        let is_above = self.sign_of(circuit, &to_high, &mut passes)?;
        let digits = passes.run(count, |progress| Ok(self.split(circuit, x, progress)?.digits))?;
        let raised = self.select(circuit, &digits, &is_below, &mut passes, |i, d, is_below| {
            if is_below { low[i] } else { d }
        })?;
        let clamped = self.select(circuit, &raised, &is_above, &mut passes, |i, d, is_above| {
            if is_above { high[i] } else { d }
        })?;
        self.in_digits(clamped)
    }

    /// The circuit, if it takes digits, and they leave room for a sign; none, if it takes values as one.
    fn selecting_circuit(&self) -> Result<Option<&MultiPrecisionCircuit>> {
        let parameters = self.parameters();
        let Circuit::MultiPrecision(circuit) = parameters.circuit() else {
            let (input, output) = (parameters.input_modulus(), parameters.output_modulus());
            if input == output {
                return Ok(None);
            }
            return Err(Error::mismatch("output modulus of the parameters", output, input));
        };
        let (digits, largest) = (circuit.digits(), circuit.largest());
        let last = digits.len() - 1;
        let in_slots = parameters.selection().is_some();
        let has_room = in_slots || digits[..last].iter().all(|digit| 2 * digit <= largest);
        if has_room && digits[last].is_multiple_of(2) && largest.is_multiple_of(2) {
            return Ok(Some(circuit));
        }
        let name = &parameters.literal().name;
        Err(Error::Unsupported(format!(
            "maxima and their like: digits of {name}, {digits:?}, leave no room for a sign, as at most {} values but for the \
             last digit would",
            largest / 2
        )))
    }

    /// Returns the constants for selecting in slots, if the parameters have them.
    fn selecting<'a>(&'a self, circuit: &'a MultiPrecisionCircuit) -> Option<Selecting<'a>> {
        let selection = self.parameters().selection();
        selection.map(|selection| Selecting { circuit, selection })
    }

    /// A result in one ciphertext.
    fn in_one(&self, value: Ciphertext) -> Result<DigitList> {
        self.in_digits(vec![value])
    }

    /// A result in digits.
    fn in_digits(&self, digits: Vec<Ciphertext>) -> Result<DigitList> {
        DigitList::new(self.parameters().integer_digits(), digits)
    }

    /// Sums digit by digit.
    fn sums(&self, x: &[Ciphertext], y: &[Ciphertext]) -> Result<Vec<Ciphertext>> {
        x.iter().zip(y).map(|(x, y)| self.add(x, y)).collect()
    }

    /// Checks that a value has all its digits.
    pub(crate) fn check_whole(&self, x: &Ciphertext) -> Result<()> {
        x.check(self.parameters(), self.binding(), Some(self.parameters().input_modulus()))
    }

    /// The digits of the larger or the smaller of two values.
    fn larger(
        &self,
        circuit: &MultiPrecisionCircuit,
        x: &Ciphertext,
        y: &Ciphertext,
        wants_larger: bool,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        let Some(selecting) = self.selecting(circuit) else {
            return self.larger_digits(circuit, x, y, wants_larger, progress);
        };
        self.in_digits(self.larger_in_slots(selecting, x, y, wants_larger, progress)?)
    }

    fn relu_of_whole(&self, x: &Ciphertext, progress: Progress<'_>) -> Result<Ciphertext> {
        let half = self.parameters().input_modulus().div_ceil(2);
        self.whole(x, |value| if value < half { value } else { 0 }, progress)
    }

    /// Digits of the larger or the smaller of two values.
    fn larger_digits(
        &self,
        circuit: &MultiPrecisionCircuit,
        x: &Ciphertext,
        y: &Ciphertext,
        wants_larger: bool,
        progress: Progress<'_>,
    ) -> Result<DigitList> {
        let count = circuit.digits().len();
        let mut passes = Passes::new(progress, self.parameters().bootstraps(Operation::Maximum));
        let is_less = self.sign_of(circuit, &self.sub(x, y)?, &mut passes)?;
        let [x, y] = [(x, !wants_larger), (y, wants_larger)].map(|(value, kept)| {
            let split = |progress: Progress<'_>| Ok(self.split(circuit, value, progress)?.digits);
            let digits = passes.run(count, split)?;
            self.select(circuit, &digits, &is_less, &mut passes, |_, digit, is_less| {
                if is_less == kept { digit } else { 0 }
            })
        });
        self.in_digits(self.sums(&x?, &y?)?)
    }

    /// Digits of a value where it is positive, else of 0.
    fn positive_part(
        &self,
        circuit: &MultiPrecisionCircuit,
        x: &Ciphertext,
        passes: &mut Passes<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let count = circuit.digits().len();
        let SignedDigits { digits, sign } =
            passes.run(count, |progress| self.split(circuit, x, progress))?;
        self.select(
            circuit,
            &digits,
            &sign,
            passes,
            |_, digit, is_negative| {
                if is_negative { 0 } else { digit }
            },
        )
    }

    /// All digits modulo n, the last one without the sign, and the sign times n/2: one pass.
    fn split(
        &self,
        circuit: &MultiPrecisionCircuit,
        x: &Ciphertext,
        progress: Progress<'_>,
    ) -> Result<SignedDigits> {
        self.check_whole(x)?;
        let (largest, sizes) = (circuit.largest(), self.parameters().integer_digits());
        let digit = |(&modulus, &size): (&u64, &u64)| {
            let table = Table::from_fn(modulus, largest, |digit| digit % size)?;
            Ok(vec![(circuit.digit_table(&table), largest)])
        };
        let functions = circuit.digits().iter().zip(&sizes).map(digit);
        let mut functions = functions.collect::<Result<Vec<Vec<DigitFunction>>>>()?;
        let step = circuit.step([0, largest / 2], largest)?;
        functions.last_mut().expect("a digit").push((step, largest));
        let results = self.functions_of_digits(circuit, x, functions, progress)?;
        let mut all: Vec<Ciphertext> = results.into_iter().flatten().collect();
        let sign = all.pop().expect("the sign");
        Ok(SignedDigits { digits: all, sign })
    }

    /// n/2 where a value is negative, else 0, modulo n.
    fn sign_of(
        &self,
        circuit: &MultiPrecisionCircuit,
        x: &Ciphertext,
        passes: &mut Passes<'_>,
    ) -> Result<Ciphertext> {
        self.check_whole(x)?;
        let largest = circuit.largest();
        let step = [(circuit.step([0, largest / 2], largest)?, largest)];
        let signs = |progress: Progress<'_>| self.last_digit_functions(circuit, x, &step, progress);
        Ok(passes.run(circuit.digits().len(), signs)?.swap_remove(0))
    }

    /// A function of every digit, which is below n/2, and of a sign: `f(i, digit, is_negative)`.
    fn select(
        &self,
        circuit: &MultiPrecisionCircuit,
        digits: &[Ciphertext],
        sign: &Ciphertext,
        passes: &mut Passes<'_>,
        f: impl Fn(usize, u64, bool) -> u64,
    ) -> Result<Vec<Ciphertext>> {
        let largest = circuit.largest();
        let half = largest / 2;
        let select = |(index, digit): (usize, &Ciphertext)| {
            let table = Table::from_fn(largest, largest, |v| f(index, v % half, v >= half))?;
            let function = [(circuit.digit_table(&table), largest)];
            let joined = self.add(digit, sign)?;
            let selected = passes.run(1, |progress| {
                let step = progress.steps(Self::function_steps(circuit, &function))?;
                self.digit_functions(circuit, &joined, &function, &|| step.done())
            })?;
            Ok(selected.into_iter().next().expect("a result"))
        };
        digits.iter().enumerate().map(select).collect()
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
