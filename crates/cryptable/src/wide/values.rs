//! Encrypted values in words, and their lookups.

use cryptable_lattice::error::check_equal;
use cryptable_packed::PreparedWords;

use crate::ciphertext::Part;
use crate::{Ciphertext, Error, EvaluationKey, Execution, Progress, Result};

/// Encrypted values of up to 64 bits in words, least significant first, with one [`Ciphertext`] per word. All words
/// have the same number of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WideValues {
    words: Vec<Ciphertext>,
}

impl WideValues {
    /// Joins the words of values, one ciphertext each.
    ///
    /// # Errors
    /// If there is no word, or if words differ in engine, client, parameters, modulus or number of values.
    pub fn new(words: Vec<Ciphertext>) -> Result<Self> {
        let Some(first) = words.first() else {
            return Err(Error::TooSmall { name: "number of words", value: 0, limit: 1 });
        };
        for word in &words {
            first.contents().check(&word.contents(), "word")?;
            check_equal("number of values of a word", word.count(), first.count())?;
            check_equal("number of parts of a word", word.parts().len(), first.parts().len())?;
        }
        Ok(Self { words })
    }

    /// Splits what [`WideValues::to_ciphertext`] joined into `words` words.
    ///
    /// # Errors
    /// If the number of parts is not a multiple of `words`, or with the errors of [`WideValues::new`].
    pub fn from_ciphertext(joined: Ciphertext, words: usize) -> Result<Self> {
        Self::new(joined.deinterleaved(words, "words")?)
    }

    /// Joins all words into one ciphertext, for a file: all words of the first part, then all of the next.
    ///
    /// # Errors
    /// None in practice: words have equal contents.
    pub fn to_ciphertext(&self) -> Result<Ciphertext> {
        Ciphertext::interleaved(&self.words)
    }

    /// Returns the words, least significant first.
    #[must_use]
    pub fn words(&self) -> &[Ciphertext] {
        &self.words
    }

    /// Returns the number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words[0].count()
    }
}

impl EvaluationKey {
    /// Looks up every value in a dictionary or a structured table that
    /// [`prepare_words`](crate::engines::packed::EvaluationKey::prepare_words) encoded. [`crate::wide`] has an example.
    ///
    /// # Errors
    /// If the values belong to another engine, client or parameter set, or have another number of words than the table;
    /// [`Error::NoiseTooLarge`] if a lookup would fail with more than the stated probability; [`Error::Cancelled`].
    pub fn lookup_wide(
        &self,
        values: &WideValues,
        prepared: &PreparedWords,
        execution: Execution<'_>,
    ) -> Result<WideValues> {
        let key = self.packed()?;
        let words = values.words.iter().map(Ciphertext::packed).collect::<Result<Vec<_>>>()?;
        let parts = words[0].len();
        let outputs = execution.run(|whole| {
            let look_up = |index: usize| {
                let share = whole.part(index..index + 1, parts);
                let input: Vec<_> = words.iter().map(|word| word[index].clone()).collect();
                key.lookup_words(&input, prepared, Progress::new(&share))
            };
            (0..parts).map(look_up).collect::<Result<Vec<_>>>()
        })?;
        let mut results: Vec<Vec<Part>> = vec![Vec::new(); prepared.circuit().output_words()];
        for words in outputs {
            results.iter_mut().zip(words).for_each(|(parts, word)| parts.push(word.into()));
        }
        WideValues::new(results.into_iter().map(Ciphertext::new).collect::<Result<_>>()?)
    }
}

#[cfg(feature = "client")]
impl crate::SecretKey {
    /// Encrypts values below `2^bits`, of at most 64 bits, in words of the key's input modulus.
    ///
    /// # Errors
    /// If there is no value, if one is not below `2^bits` (the error names it), or if the key belongs to another
    /// engine.
    pub fn encrypt_wide(&self, values: &[u64], bits: u32) -> Result<WideValues> {
        let key = self.packed()?;
        if values.is_empty() {
            return Err(Error::TooSmall { name: "number of values", value: 0, limit: 1 });
        }
        let limit = 1u64.checked_shl(bits).unwrap_or(u64::MAX);
        if let Some(index) = values.iter().position(|&value| bits < u64::BITS && value >= limit) {
            return Err(Error::ValueOutOfRange { index, value: values[index], limit });
        }
        let count = super::words_of_bits(bits, key.parameters().input_modulus());
        let mut words: Vec<Vec<Part>> = vec![Vec::new(); count];
        for values in values.chunks(key.values_per_ciphertext()) {
            let parts = key.encrypt_words(values, count)?;
            words.iter_mut().zip(parts).for_each(|(word, part)| word.push(part.into()));
        }
        WideValues::new(words.into_iter().map(Ciphertext::new).collect::<Result<_>>()?)
    }

    /// Decrypts values in words to integers. The caller has to clear them from memory.
    ///
    /// # Errors
    /// If the words belong to another engine, client or parameter set, or if values do not fit in 64 bits.
    pub fn decrypt_wide(&self, values: &WideValues) -> Result<Vec<u64>> {
        let key = self.packed()?;
        let words = values.words.iter().map(Ciphertext::packed).collect::<Result<Vec<_>>>()?;
        let mut found = zeroize::Zeroizing::new(Vec::with_capacity(values.count()));
        for index in 0..words[0].len() {
            let part: Vec<_> = words.iter().map(|word| word[index].clone()).collect();
            found.extend_from_slice(&zeroize::Zeroizing::new(key.decrypt_words(&part)?));
        }
        Ok(std::mem::take(&mut *found))
    }
}
