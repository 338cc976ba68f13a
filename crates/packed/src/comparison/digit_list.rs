//! Values as lists of encrypted digits: results that are too large for one ciphertext.

use cryptable_lattice::error::{Error, Result, check_equal};

use crate::ciphertext::Ciphertext;

/// Encrypted values as lists of digits, the least significant first: `Σ_i (d_i mod p_i)·p_0⋯p_{i-1}` modulo
/// `p_0⋯p_{k-1}`.
///
/// All digits are modulo the same n, the size of the largest digit of the parameters, so that each may be looked up
/// again ([`crate::EvaluationKey::lookup_digit`]) and there is room for carries. The noise of a digit is that of a
/// result, see [`Ciphertext::noise`]. Parameters that process values as a whole have a single digit, modulo M, of size
/// M/2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitList {
    sizes: Vec<u64>,
    digits: Vec<Ciphertext>,
}

impl DigitList {
    /// Makes a list of digits of these sizes.
    ///
    /// # Errors
    /// If there are no digits, there is not one ciphertext per size, or ciphertexts differ in their numbers of values.
    pub fn new(sizes: Vec<u64>, digits: Vec<Ciphertext>) -> Result<Self> {
        let Some(first) = digits.first() else {
            return Err(Error::TooSmall { name: "number of digits", value: 0, limit: 1 });
        };
        check_equal("number of digits", digits.len(), sizes.len())?;
        for digit in &digits {
            check_equal("number of values", digit.count(), first.count())?;
        }
        Ok(Self { sizes, digits })
    }

    /// Sizes p_i, the least significant digit's first.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The digits, one ciphertext each.
    #[must_use]
    pub fn digits(&self) -> &[Ciphertext] {
        &self.digits
    }

    /// Returns the digits, one ciphertext each.
    #[must_use]
    pub fn into_digits(self) -> Vec<Ciphertext> {
        self.digits
    }

    /// The modulus of the values, the product of all sizes.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.sizes.iter().product()
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.digits[0].count()
    }
}

/// Joins digits to values. A digit may exceed its size: it is reduced modulo its size.
///
/// ```
/// use cryptable_packed::join_digits;
/// assert_eq!(join_digits(&[4, 8], &[vec![1, 3], vec![2, 7]]), [9, 31]);
/// ```
///
/// # Panics
/// If there is not one list per size, or lists differ in length.
#[must_use]
pub fn join_digits(sizes: &[u64], digits: &[Vec<u64>]) -> Vec<u64> {
    assert_eq!(sizes.len(), digits.len(), "one list per size");
    let count = digits.first().map_or(0, Vec::len);
    assert!(digits.iter().all(|digit| digit.len() == count), "digits of the same number of values");
    let value = |index: usize| {
        let mut place = 1;
        let digit = |(size, digit): (&u64, &Vec<u64>)| {
            let value = digit[index] % size * place;
            place *= size;
            value
        };
        sizes.iter().zip(digits).map(digit).sum()
    };
    (0..count).map(value).collect()
}

#[cfg(feature = "client")]
impl crate::SecretKey {
    /// Decrypts values in digits.
    ///
    /// # Errors
    /// If a digit has other parameters or belongs to another client.
    pub fn decrypt_digits(&self, list: &DigitList) -> Result<Vec<u64>> {
        let digits = list.digits().iter().map(|digit| self.decrypt(digit));
        Ok(join_digits(list.sizes(), &digits.collect::<Result<Vec<_>>>()?))
    }
}
