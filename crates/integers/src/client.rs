//! The client's side: encryption and decryption of columns.

use cryptable_lattice::Result;
use cryptable_lattice::error::Error;
use zeroize::Zeroizing;

use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::Digit;
use crate::digit_arithmetic::{DigitDecryption, DigitEncryption};
use crate::integer::{AnyInteger, ColumnKind, Integer, IntegerType, Radix, digit_bits};

fn radix_of<S: DigitEncryption>(key: &S, kind: ColumnKind) -> Result<Radix> {
    let modulus = key.modulus();
    if !modulus.is_power_of_two() || modulus < 4 {
        let limit = "it must be a power of two from 4 on".into();
        return Err(Error::Parameter { name: "modulus of digits", value: modulus as f64, limit });
    }
    Ok(Radix::new(digit_bits(modulus), kind.bits()))
}

/// Encrypts integers, with one ciphertext of the engine per digit.
///
/// # Errors
/// If there are more integers than a ciphertext holds, or the engine's modulus is not a power of two.
pub fn encrypt<T: Integer, S: DigitEncryption>(
    key: &S,
    values: &[T],
) -> Result<IntegerColumn<T, S::Ciphertext>> {
    let words: Zeroizing<Vec<u64>> = Zeroizing::new(values.iter().map(|v| v.to_word()).collect());
    encrypt_column(key, ColumnKind::of::<T>(), &words)
}

/// Encrypts integers of a kind that the type can hold, given as words.
fn encrypt_column<T: IntegerType, S: DigitEncryption>(
    key: &S,
    kind: ColumnKind,
    words: &[u64],
) -> Result<IntegerColumn<T, S::Ciphertext>> {
    let radix = radix_of(key, kind)?;
    let digit = |index: usize| {
        let digits = words.iter().map(|&word| radix.digit(word, index) as u64);
        let digits: Zeroizing<Vec<u64>> = Zeroizing::new(digits.collect());
        Ok(Digit::encrypted(key.encrypt(&digits)?, 0, radix.base(index) - 1))
    };
    Ok(IntegerColumn::new(kind, (0..radix.digits()).map(digit).collect::<Result<_>>()?))
}

/// Encrypts integers of a kind, each given as a word in two's complement: like [`encrypt`], for types that are known
/// only at run time.
///
/// ```
/// use cryptable_integers::{ColumnKind, decrypt_words, encrypt_words, insecure_packed_toy};
/// use cryptable_packed::SecretKey;
/// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
/// let column = encrypt_words(&secret, ColumnKind::of::<i8>(), &[0xfb, 7])?;
/// assert_eq!((column.kind().to_string().as_str(), decrypt_words(&secret, &column)?), ("i8", vec![0xfb, 7]));
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
///
/// # Errors
/// The errors of [`encrypt`]; also if there are no such integers, or a word has more bits.
pub fn encrypt_words<S: DigitEncryption>(
    key: &S,
    kind: ColumnKind,
    words: &[u64],
) -> Result<IntegerColumn<AnyInteger, S::Ciphertext>> {
    kind.check_integers()?;
    if let Some(index) = words.iter().position(|&word| kind.truncated(word) != word) {
        let limit = kind.truncated(u64::MAX).saturating_add(1);
        return Err(Error::ValueOutOfRange { index, value: words[index], limit });
    }
    encrypt_column(key, kind, words)
}

/// Encrypts booleans in one ciphertext.
///
/// # Errors
/// If there are more booleans than a ciphertext holds.
pub fn encrypt_booleans<S: DigitEncryption>(
    key: &S,
    values: &[bool],
) -> Result<BooleanColumn<S::Ciphertext>> {
    let bits: Vec<u64> = values.iter().map(|&value| value.into()).collect();
    Ok(BooleanColumn::new(Digit::encrypted(key.encrypt(&bits)?, 0, 1)))
}

/// Decrypts integers; a public column is one integer.
///
/// # Errors
/// If they belong to another client.
pub fn decrypt<T: Integer, S: DigitDecryption>(
    secret: &S,
    column: &IntegerColumn<T, S::Ciphertext>,
) -> Result<Vec<T>> {
    let words = Zeroizing::new(decrypt_words(secret, column)?);
    Ok(words.iter().map(|&word| T::from_word(word)).collect())
}

/// Decrypts integers of any type as words in two's complement; a public column is one word.
///
/// # Errors
/// If they belong to another client.
pub fn decrypt_words<T: IntegerType, S: DigitDecryption>(
    secret: &S,
    column: &IntegerColumn<T, S::Ciphertext>,
) -> Result<Vec<u64>> {
    let radix = radix_of(secret, column.kind())?;
    let digits = column.digits().iter().map(|digit| decrypt_digit(secret, digit));
    let digits = digits.collect::<Result<Vec<_>>>()?;
    let encrypted = digits.iter().zip(column.digits()).filter(|(_, x)| x.ciphertext().is_some());
    let count = encrypted.map(|(values, _)| values.len()).max().unwrap_or(1);
    // Public digits are the same for all values.
    let value = |i: usize| {
        let word = radix.word(digits.iter().map(|digit| digit[i.min(digit.len() - 1)]));
        column.kind().truncated(word)
    };
    Ok((0..count).map(value).collect())
}

/// Decrypts booleans; a public column is one boolean.
///
/// # Errors
/// If they belong to another client.
pub fn decrypt_booleans<S: DigitDecryption>(
    secret: &S,
    column: &BooleanColumn<S::Ciphertext>,
) -> Result<Vec<bool>> {
    Ok(decrypt_digit(secret, column.digit())?.into_iter().map(|value| value != 0).collect())
}

/// The values of a digit, as numbers within its bounds.
fn decrypt_digit<S: DigitDecryption>(secret: &S, digit: &Digit<S::Ciphertext>) -> Result<Vec<i64>> {
    let (low, modulus) = (digit.low(), secret.modulus() as i64);
    let Some(ciphertext) = digit.ciphertext() else { return Ok(vec![low]) };
    let values = secret.decrypt(ciphertext)?.into_iter();
    // Uses masks, because the time of divisions depends on the value.
    let shift = (-low).rem_euclid(modulus);
    let value = |residue: u64| {
        let shifted = residue as i64 + shift - modulus;
        low + shifted + (modulus & (shifted >> 63))
    };
    Ok(values.map(value).collect())
}
