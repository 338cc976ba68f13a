//! The client's side: encryption and decryption of columns.

use cryptable_lattice::Result;
use cryptable_lattice::error::Error;

use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::Digit;
use crate::digit_arithmetic::DigitEncryption;
use crate::integer::{Integer, Radix};

fn radix_of<T: Integer, S: DigitEncryption>(secret: &S) -> Result<(Radix, i64)> {
    let modulus = secret.modulus();
    if !modulus.is_power_of_two() || modulus < 4 {
        let limit = "it must be a power of two from 4 on".into();
        return Err(Error::Parameter { name: "modulus of digits", value: modulus as f64, limit });
    }
    Ok((Radix::of::<T>(modulus.ilog2() / 2), modulus as i64))
}

/// Encrypts integers: a ciphertext of the engine for every digit.
///
/// # Errors
/// If there are more than a ciphertext holds, or the engine's modulus is no power of two.
pub fn encrypt<T: Integer, S: DigitEncryption>(
    secret: &S,
    values: &[T],
) -> Result<IntegerColumn<T, S::Ciphertext>> {
    let (radix, _) = radix_of::<T, S>(secret)?;
    let digit = |index: usize| {
        let digits: Vec<u64> =
            values.iter().map(|value| radix.digit(value.to_word(), index) as u64).collect();
        Ok(Digit::encrypted(secret.encrypt(&digits)?, 0, radix.base(index) - 1))
    };
    Ok(IntegerColumn::new((0..radix.digits()).map(digit).collect::<Result<_>>()?))
}

/// Encrypts booleans: one ciphertext.
///
/// # Errors
/// If there are more than a ciphertext holds.
pub fn encrypt_booleans<S: DigitEncryption>(
    secret: &S,
    values: &[bool],
) -> Result<BooleanColumn<S::Ciphertext>> {
    let bits: Vec<u64> = values.iter().map(|&value| value.into()).collect();
    Ok(BooleanColumn::new(Digit::encrypted(secret.encrypt(&bits)?, 0, 1)))
}

/// Decrypts integers; a column that is public is one integer.
///
/// # Errors
/// If they are of another client.
pub fn decrypt<T: Integer, S: DigitEncryption>(
    secret: &S,
    column: &IntegerColumn<T, S::Ciphertext>,
) -> Result<Vec<T>> {
    let (radix, _) = radix_of::<T, S>(secret)?;
    let digits = column.digits().iter().map(|digit| decrypt_digit(secret, digit));
    let digits = digits.collect::<Result<Vec<_>>>()?;
    let encrypted = digits.iter().zip(column.digits()).filter(|(_, x)| x.ciphertext().is_some());
    let count = encrypted.map(|(values, _)| values.len()).max().unwrap_or(1);
    // Public digits are the same for all values.
    let value = |i: usize| {
        T::from_word(radix.word(digits.iter().map(|digit| digit[i.min(digit.len() - 1)])))
    };
    Ok((0..count).map(value).collect())
}

/// Decrypts booleans; a public one is one boolean.
///
/// # Errors
/// If they are of another client.
pub fn decrypt_booleans<S: DigitEncryption>(
    secret: &S,
    column: &BooleanColumn<S::Ciphertext>,
) -> Result<Vec<bool>> {
    Ok(decrypt_digit(secret, column.digit())?.into_iter().map(|value| value != 0).collect())
}

/// The values of a digit: the numbers within its bounds.
fn decrypt_digit<S: DigitEncryption>(secret: &S, digit: &Digit<S::Ciphertext>) -> Result<Vec<i64>> {
    let (low, modulus) = (digit.low(), secret.modulus() as i64);
    let Some(ciphertext) = digit.ciphertext() else { return Ok(vec![low]) };
    let values = secret.decrypt(ciphertext)?.into_iter();
    Ok(values.map(|residue| low + (residue as i64 - low).rem_euclid(modulus)).collect())
}
