//! Encryption and decryption of values as words.

use cryptable_lattice::error::{Error, Result, check_equal};
use zeroize::Zeroizing;

use crate::ciphertext::Ciphertext;
use crate::keys::public_key::PublicKey;
use crate::keys::secret_key::SecretKey;
use crate::words::circuit::{check_words, range_of, words_of};

impl PublicKey {
    /// Encrypts values as words, like [`SecretKey::encrypt_words`].
    ///
    /// # Errors
    /// The errors of [`SecretKey::encrypt_words`]; [`Error::NoiseTooLarge`] like [`PublicKey::encrypt`].
    pub fn encrypt_words(&self, values: &[u64], words: usize) -> Result<Vec<Ciphertext>> {
        let modulus = self.parameters().input_modulus();
        encrypt_each_word(values, words, modulus, |word| self.encrypt(word))
    }
}

/// Encrypts the words of values modulo `modulus`, the least significant first.
fn encrypt_each_word(
    values: &[u64],
    words: usize,
    modulus: u64,
    encrypt: impl Fn(&[u64]) -> Result<Ciphertext>,
) -> Result<Vec<Ciphertext>> {
    check_words(words)?;
    let range = range_of(modulus, words);
    if let Some(index) = values.iter().position(|&value| u128::from(value) >= range) {
        let (value, limit) = (values[index], u64::try_from(range).unwrap_or(u64::MAX));
        return Err(Error::ValueOutOfRange { index, value, limit });
    }
    let word = |index: usize| {
        let of = |&value: &u64| words_of(value, modulus, index + 1)[index];
        let values: Zeroizing<Vec<u64>> = Zeroizing::new(values.iter().map(of).collect());
        encrypt(&values)
    };
    (0..words).map(word).collect()
}

impl SecretKey {
    /// Encrypts values below `p^words` as `words` words modulo the input modulus p, the least significant first, one
    /// ciphertext per word, for [`crate::EvaluationKey::lookup_words`].
    ///
    /// # Errors
    /// If there are more values than slots, or one is too large.
    pub fn encrypt_words(&self, values: &[u64], words: usize) -> Result<Vec<Ciphertext>> {
        let modulus = self.parameters().input_modulus();
        encrypt_each_word(values, words, modulus, |word| self.encrypt(word))
    }

    /// Decrypts values as words modulo the output modulus, which [`crate::EvaluationKey::lookup_words`] returns.
    ///
    /// # Errors
    /// If words belong to another key or differ in their number of values; if there are no words, or a value has more
    /// than 64 bits.
    pub fn decrypt_words(&self, words: &[Ciphertext]) -> Result<Vec<u64>> {
        check_words(words.len())?;
        let mut values = vec![0u64; words[0].count()];
        let mut place = 1u128;
        for word in words {
            check_equal("number of values", word.count(), values.len())?;
            let digits = Zeroizing::new(self.decrypt(word)?);
            for (value, &digit) in values.iter_mut().zip(digits.iter()) {
                let found = u128::from(*value) + u128::from(digit) * place;
                *value = u64::try_from(found).map_err(|_| {
                    Error::Unsupported(format!("values of {} words beyond 64 bits", words.len()))
                })?;
            }
            place = (place * u128::from(word.modulus())).min(1 << 64);
        }
        Ok(values)
    }
}
