//! Encrypted integers in digits.

use crate::{Ciphertext, Error, Parameters, Result};

/// Encrypted integers in digits, least significant first, with one [`Ciphertext`] per digit.
///
/// All digits have the same modulus and number of values. Digits d_i of sizes p_i represent the integer `Σ_i (d_i mod
/// p_i)·p_0⋯p_{i-1}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    sizes: Vec<u64>,
    /// The digits, all marked as unsigned and standing alone.
    digits: Vec<Ciphertext>,
    is_signed: bool,
}

impl Digits {
    /// Joins the digits of integers, one ciphertext each. The integers are signed if the digits are marked as signed
    /// ([`Ciphertext::is_signed`]).
    ///
    /// # Errors
    /// If the number of digits is not that of the parameters, or if digits differ in engine, client, parameters,
    /// modulus or number of values.
    pub fn new(parameters: &Parameters, digits: Vec<Ciphertext>) -> Result<Self> {
        let sizes = sizes_of(parameters)?;
        if digits.len() != sizes.len() {
            let (found, expected) = (digits.len(), sizes.len());
            return Err(Error::mismatch("number of digits", found, expected));
        }
        let (first, is_signed) = (&digits[0], digits[0].is_signed());
        for digit in &digits {
            first.contents().check(&digit.contents(), "digit")?;
            let counts = [first, digit].map(|digit| digit.parts().iter().map(|p| p.count()));
            let [expected, found] = counts.map(|counts| counts.collect::<Vec<_>>());
            if found != expected {
                let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
                return Err(Error::mismatch(
                    "number of values of the parts of a digit",
                    found,
                    expected,
                ));
            }
        }
        let digits = digits.into_iter();
        let digits = digits.map(|digit| digit.with_signed(false).with_standalone(true)).collect();
        Ok(Self { sizes, digits, is_signed })
    }

    /// Splits what [`Digits::to_ciphertext`] joined.
    ///
    /// # Errors
    /// If the number of parts is not a multiple of the number of digits, or with the errors of [`Digits::new`].
    pub fn from_ciphertext(parameters: &Parameters, joined: Ciphertext) -> Result<Self> {
        let count = sizes_of(parameters)?.len();
        let is_signed = joined.is_signed();
        Ok(Self::new(parameters, joined.deinterleaved(count, "digits")?)?.with_signed(is_signed))
    }

    /// Joins all digits into one ciphertext, for a file: all digits of the first part, then all of the next.
    ///
    /// # Errors
    /// None in practice: digits have equal contents.
    pub fn to_ciphertext(&self) -> Result<Ciphertext> {
        Ok(Ciphertext::interleaved(&self.digits)?.with_signed(self.is_signed))
    }

    /// Returns the sizes p_i of the digits, least significant first.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Returns the digits, each of which can be passed to
    /// [`EvaluationKey::lookup_digit`](crate::EvaluationKey::lookup_digit).
    #[must_use]
    pub fn digits(&self) -> &[Ciphertext] {
        &self.digits
    }

    /// Returns whether the integers are signed.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.is_signed
    }

    /// Returns the same digits, read as signed or unsigned integers.
    #[must_use]
    pub fn with_signed(self, is_signed: bool) -> Self {
        Self { is_signed, ..self }
    }

    /// Returns the number of integers.
    #[must_use]
    pub fn count(&self) -> usize {
        self.digits[0].count()
    }

    /// Returns the modulus of the integers, 2^b for integers of b bits.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.sizes.iter().product()
    }
}

/// Returns the sizes of the digits of results with these parameters.
pub(super) fn sizes_of(parameters: &Parameters) -> Result<Vec<u64>> {
    Ok(parameters.packed()?.integer_digits())
}
