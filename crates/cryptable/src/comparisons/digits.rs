//! Encrypted integers in digits.

use crate::{Ciphertext, Error, Parameters, Result};

/// Encrypted integers in digits, the least significant first: one [`Ciphertext`] a digit, all of one modulus and of as many
/// values. Digits d_i of sizes p_i stand for the integer `Σ_i (d_i mod p_i)·p_0⋯p_{i-1}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    sizes: Vec<u64>,
    /// Unsigned, each of them.
    digits: Vec<Ciphertext>,
    is_signed: bool,
}

impl Digits {
    /// Joins digits that came one by one, under these parameters. Their integers are signed if they say so
    /// ([`Ciphertext::is_signed`]).
    ///
    /// # Errors
    /// If there are not as many as integers of the parameters have, or they differ in engine, client, parameters, modulus or
    /// in how many values they hold.
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
        let digits = digits.into_iter().map(|digit| digit.with_signed(false)).collect();
        Ok(Self { sizes, digits, is_signed })
    }

    /// The inverse of [`Digits::to_ciphertext`].
    ///
    /// # Errors
    /// If the number of parts is no multiple of that of digits, or digits differ as [`Digits::new`] says.
    pub fn from_ciphertext(parameters: &Parameters, joined: Ciphertext) -> Result<Self> {
        let count = sizes_of(parameters)?.len();
        let is_signed = joined.is_signed();
        Ok(Self::new(parameters, joined.deinterleaved(count, "digits")?)?.with_signed(is_signed))
    }

    /// All digits in one ciphertext, for a file: the digits of the first part, then those of the next.
    ///
    /// # Errors
    /// Never: digits are alike.
    pub fn to_ciphertext(&self) -> Result<Ciphertext> {
        Ok(Ciphertext::interleaved(&self.digits)?.with_signed(self.is_signed))
    }

    /// Sizes p_i, the least significant digit's first.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The digits, each for [`crate::engines::packed::EvaluationKey::lookup_digit`].
    #[must_use]
    pub fn digits(&self) -> &[Ciphertext] {
        &self.digits
    }

    /// Whether the integers are signed.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.is_signed
    }

    /// The same digits, read as signed or unsigned integers.
    #[must_use]
    pub fn with_signed(self, is_signed: bool) -> Self {
        Self { is_signed, ..self }
    }

    /// The number of integers.
    #[must_use]
    pub fn count(&self) -> usize {
        self.digits[0].count()
    }

    /// Modulus of the integers: 2 to their bits.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.sizes.iter().product()
    }
}

/// Sizes of the digits of results under these parameters.
pub(super) fn sizes_of(parameters: &Parameters) -> Result<Vec<u64>> {
    Ok(parameters.packed()?.integer_digits())
}
