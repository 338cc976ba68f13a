//! Comparison methods of keys.

use std::ops::RangeInclusive;

use cryptable_lattice::error::{check_equal, check_signs};
use cryptable_packed::DigitList;

use super::{Digits, Operation};
use crate::ciphertext::Part;
use crate::engine::other_engine;
use crate::engines::packed;
use crate::{Ciphertext, Engine, Error, EvaluationKey, Execution, Progress, Result};

/// The result of an operation on one part.
enum Outcome {
    Bits(packed::Ciphertext),
    Digits(DigitList),
}

/// The bounds of an operation, if it has any.
type Bounds = Option<(i64, i64)>;

/// The result of [`EvaluationKey::compare`].
#[derive(Clone, Debug)]
pub enum OperationResult {
    /// Result of a comparison or sign: 0 or 1 for each integer, modulo 2.
    Bits(Ciphertext),
    /// Result of any other operation: integers.
    Digits(Digits),
}

impl EvaluationKey {
    /// Returns 1 where x < y, else 0, as values modulo 2. Integers are both signed or both unsigned.
    ///
    /// [`SecretKey::encrypt_integers`](crate::SecretKey::encrypt_integers) encrypts them; [`crate::comparisons`] has an
    /// example.
    ///
    /// # Errors
    /// If a ciphertext belongs to another engine, client or parameter set, or does not hold integers with headroom; if
    /// the two differ in sign or number of values; [`Error::NoiseTooLarge`] if a result would be wrong with more than
    /// the stated probability.
    pub fn less_than(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.bits_of(Operation::LessThan, &[x, y])
    }

    /// Returns 1 where x ≥ y, else 0, as values modulo 2.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn greater_or_equal(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.bits_of(Operation::GreaterOrEqual, &[x, y])
    }

    /// Returns 1 where x = y, else 0, as values modulo 2.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn equal(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.bits_of(Operation::Equal, &[x, y])
    }

    /// Returns 1 where x < 0, else 0, as values modulo 2.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn is_negative(&self, x: &Ciphertext) -> Result<Ciphertext> {
        self.bits_of(Operation::Sign, &[x])
    }

    /// Returns 1 where y is larger than x, else 0, as values modulo 2: the index of the larger one, the first if they
    /// are equal.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn index_of_larger(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.less_than(x, y)
    }

    /// Returns the larger of x and y.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn maximum(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Digits> {
        self.integers_of(Operation::Maximum, &[x, y])
    }

    /// Returns the smaller of x and y.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn minimum(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Digits> {
        self.integers_of(Operation::Minimum, &[x, y])
    }

    /// Returns x where it is positive, else 0.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn relu(&self, x: &Ciphertext) -> Result<Digits> {
        self.integers_of(Operation::Relu, &[x])
    }

    /// Returns `|x|` as unsigned integers, since the absolute value of the least signed integer is not a signed one.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn absolute_value(&self, x: &Ciphertext) -> Result<Digits> {
        self.integers_of(Operation::AbsoluteValue, &[x])
    }

    /// Returns x where it is within `bounds`, else the nearest bound.
    ///
    /// ```
    /// use cryptable::SecretKey;
    /// use cryptable::comparisons::Signedness::Unsigned;
    /// use cryptable::Request;
    /// let secret = SecretKey::generate(&Request::comparisons(8).insecure_toy().plan()?);
    /// let server = secret.evaluation_key();
    /// let x = secret.encrypt_integers(&[3, 99, 255], Unsigned)?;
    /// let clamped = server.clamp(&x, 10..=200)?;
    /// assert_eq!(secret.decrypt_integers(&clamped, Unsigned)?, [10, 99, 200]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`], and errors if the bounds are not in order or out of range.
    pub fn clamp(&self, x: &Ciphertext, bounds: RangeInclusive<i64>) -> Result<Digits> {
        let bounds = Some((*bounds.start(), *bounds.end()));
        match self.compare(Operation::Clamp, &[x], bounds, Execution::default())? {
            OperationResult::Digits(digits) => Ok(digits),
            OperationResult::Bits(_) => unreachable!("clamped integers are integers"),
        }
    }

    /// Returns x in digits, each of which can be looked up ([`EvaluationKey::lookup_digit`]).
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`].
    pub fn integer_digits(&self, x: &Ciphertext) -> Result<Digits> {
        self.integers_of(Operation::Digits, &[x])
    }

    /// Runs any operation, with a choice of threads, progress and cancellation.
    ///
    /// [`Operation::Clamp`] needs the least and the largest value as `bounds`; other operations need `None`.
    ///
    /// ```
    /// use cryptable::comparisons::{Operation, OperationResult, Signedness::Signed};
    /// use cryptable::Request;
    /// use cryptable::{Execution, SecretKey};
    /// let secret = SecretKey::generate(&Request::comparisons(8).insecure_toy().plan()?);
    /// let server = secret.evaluation_key();
    /// let x = secret.encrypt_integers(&[-3, 99], Signed)?;
    /// let execution = Execution::default().threads(1);
    /// let OperationResult::Bits(signs) = server.compare(Operation::Sign, &[&x], None, execution)? else {
    ///     unreachable!("signs are bits")
    /// };
    /// assert_eq!(secret.decrypt(&signs)?, [1, 0]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::less_than`]; [`Error::Mismatch`] for a wrong number of operands, for missing
    /// bounds, and for bounds of an operation that has none; [`Error::Cancelled`].
    pub fn compare(
        &self,
        operation: Operation,
        operands: &[&Ciphertext],
        bounds: Option<(i64, i64)>,
        execution: Execution<'_>,
    ) -> Result<OperationResult> {
        check_equal("number of operands", operands.len(), operation.operands())?;
        let wants_bounds = operation == Operation::Clamp;
        check_equal("number of pairs of bounds", bounds.iter().len(), usize::from(wants_bounds))?;
        let key = self.packed()?;
        let parts = operands[0].parts().len();
        for operand in operands {
            check_equal("number of values of an operand", operand.count(), operands[0].count())?;
            check_equal("number of parts of an operand", operand.parts().len(), parts)?;
            let (found, expected) = (operand.is_signed(), operands[0].is_signed());
            check_signs("integers of an operand", found, expected, "those of the first")?;
        }
        let outcomes: Vec<Outcome> = execution.run(|whole| {
            let outcome = |index: usize| {
                let share = whole.part(index..index + 1, parts);
                let operands = operands.iter().map(|operand| packed_part(&operand.parts()[index]));
                let operands = operands.collect::<Result<Vec<_>>>()?;
                operate(key, operation, &operands, bounds, Progress::new(&share))
            };
            (0..parts).map(outcome).collect()
        })?;
        Ok(match self.joined(outcomes)? {
            OperationResult::Digits(digits) => {
                let keeps_signs = operation != Operation::AbsoluteValue;
                let is_signed = keeps_signs && operands[0].is_signed();
                OperationResult::Digits(digits.with_signed(is_signed))
            }
            bits @ OperationResult::Bits(_) => bits,
        })
    }

    /// Joins the results of all parts.
    fn joined(&self, outcomes: Vec<Outcome>) -> Result<OperationResult> {
        let (mut bits, mut digits) = (Vec::new(), Vec::<Vec<Part>>::new());
        for outcome in outcomes {
            match outcome {
                Outcome::Bits(part) => bits.push(part.into()),
                Outcome::Digits(list) => {
                    digits.resize(list.sizes().len(), Vec::new());
                    let parts = list.into_digits().into_iter().map(Part::from);
                    digits.iter_mut().zip(parts).for_each(|(digit, part)| digit.push(part));
                }
            }
        }
        if digits.is_empty() {
            return Ok(OperationResult::Bits(Ciphertext::new(bits)?));
        }
        let digits = digits.into_iter().map(Ciphertext::new).collect::<Result<_>>()?;
        Ok(OperationResult::Digits(Digits::new(&self.lookup_parameters()?, digits)?))
    }

    fn bits_of(&self, operation: Operation, operands: &[&Ciphertext]) -> Result<Ciphertext> {
        match self.compare(operation, operands, None, Execution::default())? {
            OperationResult::Bits(bits) => Ok(bits),
            OperationResult::Digits(_) => unreachable!("comparisons are bits"),
        }
    }

    fn integers_of(&self, operation: Operation, operands: &[&Ciphertext]) -> Result<Digits> {
        match self.compare(operation, operands, None, Execution::default())? {
            OperationResult::Digits(digits) => Ok(digits),
            OperationResult::Bits(_) => unreachable!("integers are no bits"),
        }
    }
}

fn packed_part(part: &Part) -> Result<&packed::Ciphertext> {
    match part {
        Part::Packed(part) => Ok(part),
        other => Err(other_engine("ciphertext", Engine::Packed, other.engine())),
    }
}

/// Runs an operation on one part of each operand.
fn operate(
    key: &packed::EvaluationKey,
    operation: Operation,
    operands: &[&packed::Ciphertext],
    bounds: Bounds,
    progress: Progress<'_>,
) -> Result<Outcome> {
    let modulus = key.parameters().input_modulus();
    for operand in operands {
        check_equal("modulus of the integers", operand.modulus(), modulus)?;
    }
    let (x, y) = (operands[0], operands[operands.len() - 1]);
    let outcome = match operation {
        Operation::Sign => Outcome::Bits(key.is_negative(x, progress)?),
        Operation::LessThan => Outcome::Bits(key.less_than(x, y, progress)?),
        Operation::GreaterOrEqual => Outcome::Bits(key.greater_or_equal(x, y, progress)?),
        Operation::Equal => Outcome::Bits(key.equal(x, y, progress)?),
        Operation::Digits => Outcome::Digits(key.digit_list(x, progress)?),
        Operation::Maximum => Outcome::Digits(key.maximum(x, y, progress)?),
        Operation::Minimum => Outcome::Digits(key.minimum(x, y, progress)?),
        Operation::Relu => Outcome::Digits(key.relu(x, progress)?),
        Operation::AbsoluteValue => Outcome::Digits(key.absolute_value(x, progress)?),
        Operation::Clamp => {
            let name = "number of pairs of bounds";
            let (low, high) = bounds.ok_or(Error::TooSmall { name, value: 0, limit: 1 })?;
            Outcome::Digits(key.clamp(x, low..=high, progress)?)
        }
    };
    Ok(outcome)
}

#[cfg(feature = "client")]
impl crate::SecretKey {
    /// Encrypts integers for comparisons, with one bit of headroom. Integers of b bits are 0 to 2^b - 1, or -2^(b-1) to
    /// 2^(b-1) - 1 if signed.
    ///
    /// # Errors
    /// If there is no integer, if one is out of range (the error names it), or if the key belongs to another engine.
    pub fn encrypt_integers(
        &self,
        integers: &[i64],
        signedness: super::Signedness,
    ) -> Result<Ciphertext> {
        let modulus = self.packed()?.parameters().input_modulus();
        let values = zeroize::Zeroizing::new(signedness.encode(integers, modulus)?);
        Ok(self.encrypt(&values)?.with_signed(signedness == super::Signedness::Signed))
    }

    /// Decrypts integers in digits, which are signed or unsigned as stated ([`Digits::is_signed`]).
    ///
    /// # Errors
    /// If the digits belong to another engine, client or parameter set; [`Error::Signs`] if `signedness` is wrong.
    pub fn decrypt_integers(
        &self,
        digits: &Digits,
        signedness: super::Signedness,
    ) -> Result<Vec<i64>> {
        let signed = signedness == super::Signedness::Signed;
        check_signs("integers", digits.is_signed(), signed, "those that are decrypted here")?;
        let values = self.decrypt_digits(digits)?;
        Ok(signedness.decode(&values, digits.modulus()))
    }

    /// Decrypts integers in digits as unsigned values below [`Digits::modulus`], in memory that is cleared on drop.
    ///
    /// # Errors
    /// If the digits belong to another engine, client or parameter set.
    pub fn decrypt_digits(&self, digits: &Digits) -> Result<zeroize::Zeroizing<Vec<u64>>> {
        let values = digits.digits().iter().map(|digit| self.decrypt(digit));
        let values = zeroize::Zeroizing::new(values.collect::<Result<Vec<_>>>()?);
        Ok(zeroize::Zeroizing::new(packed::join_digits(digits.sizes(), &values)))
    }
}
