//! Dictionaries: values for some of p² or more keys, and a default for all others.
//!
//! A perfect hash (`perfect_hash.rs`) of the dictionary's keys costs one lookup and assigns a different place to every
//! key. One lookup at this place returns the words of the key and its value. If the words differ from those of the
//! input, the input is not a key of the dictionary: one lookup per difference tells exactly whether it is zero, and the
//! last lookup selects the value if all differences are, and else the default. Bootstraps: 4 for keys of two words, 6
//! for keys of four, and one more for every part of the value after the first.
//!
//! This is exact: an absent key has the default, whatever its hash. Only a lookup may fail, with the probability that
//! [`crate::Parameters::words_failure`] computes.

use std::collections::HashSet;

use cryptable_lattice::error::{Error, Result, check_within};

use crate::words::circuit::{Register, WordCircuit, check_words, range_of, words_of};
use crate::words::perfect_hash::PerfectHash;

/// A dictionary of keys, in words modulo p, and their values. All other keys have a default.
///
/// ```
/// use cryptable_packed::{Dictionary, Parameters, Progress, SecretKey};
/// // Keys of 8 bits in two words of 4, values below 8.
/// let dictionary = Dictionary::new(16, 2, 8, [(0x17, 3), (0xf0, 5)], 1)?;
/// let circuit = dictionary.circuit()?;
/// assert_eq!(circuit.lookups(), 4);
///
/// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let prepared = key.prepare_words(&circuit)?;
/// let input = secret.encrypt_words(&[0xf0, 0x17, 0x18], 2)?;
/// let output = key.lookup_words(&input, &prepared, Progress::silent())?;
/// assert_eq!(secret.decrypt_words(&output)?, [5, 3, 1]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dictionary {
    modulus: u64,
    words: usize,
    value_modulus: u64,
    entries: Vec<(u64, u64)>,
    default: u64,
}

impl Dictionary {
    /// Creates a dictionary with keys of `words` words modulo `modulus`, values below `value_modulus`, and a default
    /// for all absent keys.
    ///
    /// # Errors
    /// If there are more entries than the modulus, a key occurs twice or has more words, a value or the default is not
    /// below `value_modulus`, or values have more than two words.
    pub fn new(
        modulus: u64,
        words: usize,
        value_modulus: u64,
        entries: impl IntoIterator<Item = (u64, u64)>,
        default: u64,
    ) -> Result<Self> {
        check_words(words)?;
        let smallest = 2 * words as u64;
        check_within("modulus of words of keys", modulus, smallest..)?;
        check_within("modulus of the dictionary's values", value_modulus, 2..)?;
        let largest = modulus.saturating_mul(modulus);
        check_within("modulus of the dictionary's values", value_modulus, ..=largest)?;
        let entries: Vec<_> = entries.into_iter().collect();
        check_within("number of entries of the dictionary", entries.len() as u64, ..=modulus)?;
        let range = range_of(modulus, words);
        let mut seen = HashSet::with_capacity(entries.len());
        for (index, &(key, value)) in entries.iter().enumerate() {
            if u128::from(key) >= range {
                let limit = u64::try_from(range).unwrap_or(u64::MAX);
                return Err(Error::ValueOutOfRange { index, value: key, limit });
            }
            if value >= value_modulus {
                return Err(Error::ValueOutOfRange { index, value, limit: value_modulus });
            }
            if !seen.insert(key) {
                return Err(Error::Unsupported(format!("a dictionary with the key {key} twice")));
            }
        }
        if default >= value_modulus {
            let (name, limit) = ("default of the dictionary", value_modulus - 1);
            return Err(Error::TooLarge { name, value: default, limit });
        }
        Ok(Self { modulus, words, value_modulus, entries, default })
    }

    /// The number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Number of words of a key.
    #[must_use]
    pub fn key_words(&self) -> usize {
        self.words
    }

    /// The value of a key, or the default.
    #[must_use]
    pub fn get(&self, key: u64) -> u64 {
        let found = self.entries.iter().find(|entry| entry.0 == key);
        found.map_or(self.default, |entry| entry.1)
    }

    /// Returns the circuit that looks keys up. It maps the words of keys to one or two words of their values.
    ///
    /// # Errors
    /// If no perfect hash is found, which may happen if keys hardly differ. Fewer entries help.
    pub fn circuit(&self) -> Result<WordCircuit> {
        let mut circuit = WordCircuit::new(self.modulus, self.words)?;
        let outputs =
            if self.words == 1 { self.table(&mut circuit)? } else { self.hashed(&mut circuit)? };
        circuit.set_outputs(outputs);
        Ok(circuit)
    }

    /// Number of words of values.
    fn value_words(&self) -> usize {
        if self.value_modulus <= self.modulus { 1 } else { 2 }
    }

    /// Looks up keys of one word, by a table.
    fn table(&self, circuit: &mut WordCircuit) -> Result<Vec<Register>> {
        let p = self.modulus as usize;
        let tables = (0..self.value_words()).map(|word| {
            let of = |value| words_of(value, self.modulus, word + 1)[word];
            let mut table = vec![of(self.default); p];
            self.entries.iter().for_each(|&(key, value)| table[key as usize] = of(value));
            table
        });
        let tables = tables.collect();
        circuit.add_lookup(circuit.input(0), tables)
    }

    fn hashed(&self, circuit: &mut WordCircuit) -> Result<Vec<Register>> {
        let p = self.modulus;
        let keys: Vec<u64> = self.entries.iter().map(|entry| entry.0).collect();
        let hash = PerfectHash::find(p, self.words, &keys).ok_or_else(|| {
            let count = keys.len();
            Error::Unsupported(format!("a perfect hash of these {count} keys: none was found"))
        })?;
        let side = |side: usize| {
            let terms = hash.factors[side].iter().enumerate();
            terms.map(|(word, &factor)| (Register(word), factor)).collect()
        };
        let (left, right) = (circuit.add_sum(side(0)), circuit.add_sum(side(1)));
        let displaced = circuit.add_lookup(right, vec![hash.displacements.clone()])?[0];
        let place = circuit.add_sum(vec![(left, 1), (displaced, 1)]);
        // The left word need not be compared: it follows from the hash, the right word and the other words.
        let checked: Vec<usize> =
            (0..self.words).filter(|&word| !hash.pivots.contains(&word)).collect();
        let parts = self.parts();
        let stored = circuit.add_lookup(place, self.stored(&hash, &checked, &parts))?;
        let (keys, values) = stored.split_at(1 + checked.len());
        let size = p / self.words as u64;
        let is_zero = |x: u64| if x == 0 { size } else { 0 };
        let mut matches = Vec::with_capacity(keys.len());
        let inputs = std::iter::once(right).chain(checked.iter().map(|&word| Register(word)));
        for (input, &key) in inputs.zip(keys) {
            let difference = circuit.add_sum(vec![(input, 1), (key, -1)]);
            matches.push(circuit.add_lookup(difference, vec![(0..p).map(is_zero).collect()])?[0]);
        }
        let mut words = vec![Vec::new(); self.value_words()];
        for (part, &value) in parts.iter().zip(values) {
            // The sum is the value, which is below `size`, plus `size` for every word that is equal.
            let terms = std::iter::once(value).chain(matches.iter().copied());
            let joined = circuit.add_sum(terms.map(|term| (term, 1)).collect());
            let all = size * matches.len() as u64;
            let select = |x: u64| {
                let found = x.checked_sub(all).filter(|&found| found < size);
                found.unwrap_or_else(|| part.of(self.default)) * part.place % p
            };
            let table = (0..p).map(select).collect();
            words[part.word].push((circuit.add_lookup(joined, vec![table])?[0], 1));
        }
        Ok(words.into_iter().map(|parts| circuit.add_sum(parts)).collect())
    }

    /// Parts of values that are small enough to share a word with the outcome of the comparison.
    fn parts(&self) -> Vec<Part> {
        let (p, room) = (self.modulus, self.modulus / self.words as u64);
        let mut parts = Vec::new();
        for word in 0..self.value_words() {
            let before = if word == 0 { 1 } else { p };
            let range = self.value_modulus.div_ceil(before).min(p);
            let mut place = 1;
            while place < range {
                let size = room.min(range.div_ceil(place));
                parts.push(Part { word, before, modulus: p, place, size });
                place *= size;
            }
        }
        parts
    }

    /// Tables on the hash: the words of the key at each place, beginning with the right sum, and the parts of its
    /// value. A place without a key has the default as its value.
    fn stored(&self, hash: &PerfectHash, checked: &[usize], parts: &[Part]) -> Vec<Vec<u64>> {
        let p = self.modulus as usize;
        let mut keys = vec![vec![0; p]; 1 + checked.len()];
        let mut values: Vec<Vec<u64>> =
            parts.iter().map(|part| vec![part.of(self.default); p]).collect();
        for &(key, value) in &self.entries {
            let words = words_of(key, self.modulus, self.words);
            let (right, place) = hash.place(&words);
            keys[0][place as usize] = right;
            for (table, &word) in keys[1..].iter_mut().zip(checked) {
                table[place as usize] = words[word];
            }
            for (table, part) in values.iter_mut().zip(parts) {
                table[place as usize] = part.of(value);
            }
        }
        keys.into_iter().chain(values).collect()
    }
}

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// Index of the value's word that contains the part.
    word: usize,
    /// Place value of that word in the value.
    before: u64,
    /// Modulus of words.
    modulus: u64,
    /// Place value of the part in the word.
    place: u64,
    /// Number of values that the part may have.
    size: u64,
}

impl Part {
    fn of(&self, value: u64) -> u64 {
        value / self.before % self.modulus / self.place % self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(x: u64) -> u64 {
        let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7
    }

    /// A dictionary of keys that look random.
    fn random(modulus: u64, words: usize, value_modulus: u64, count: u64) -> Dictionary {
        let range = u64::try_from(range_of(modulus, words) - 1).unwrap();
        let mut keys: Vec<u64> = (0..2 * count).map(|i| mix(i + 1) % range).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.truncate(count as usize);
        let entries = keys.into_iter().map(|key| (key, mix(key) % value_modulus));
        Dictionary::new(modulus, words, value_modulus, entries, value_modulus - 1).unwrap()
    }

    fn check(dictionary: &Dictionary, key: u64, expected: u64, circuit: &WordCircuit) {
        let p = dictionary.modulus;
        let words = circuit.evaluate(&words_of(key, p, dictionary.words)).unwrap();
        let found = words.iter().rev().fold(0, |value, word| value * p + word);
        assert_eq!(found, expected, "key {key}");
    }

    #[test]
    fn every_key_of_small_dictionaries() {
        for (modulus, words) in [(16, 1), (16, 2), (15, 2), (10, 3), (16, 4)] {
            for value_modulus in [2, 3, modulus / 2, modulus - 1, modulus, modulus * modulus] {
                for count in [0, 1, modulus / 2, modulus] {
                    let dictionary = random(modulus, words, value_modulus, count);
                    let circuit = dictionary.circuit().unwrap();
                    assert_eq!(circuit.output_words(), dictionary.value_words());
                    for key in 0..u64::try_from(range_of(modulus, words)).unwrap() {
                        check(&dictionary, key, dictionary.get(key), &circuit);
                    }
                }
            }
        }
    }

    #[test]
    fn full_dictionaries_of_32_and_64_bits() {
        for (words, value_modulus, lookups) in
            [(2, 1 << 15, 4), (2, 1 << 16, 5), (4, 1 << 14, 6), (4, 1 << 32, 9)]
        {
            let dictionary = random(1 << 16, words, value_modulus, 1 << 16);
            let circuit = dictionary.circuit().unwrap();
            assert_eq!(circuit.lookups(), lookups);
            for &(key, value) in &dictionary.entries {
                check(&dictionary, key, value, &circuit);
            }
            // Absent keys that share the place of some key: neighbours in each word.
            let present: HashSet<u64> = dictionary.entries.iter().map(|entry| entry.0).collect();
            for word in 0..words {
                for &(key, _) in dictionary.entries.iter().step_by(7) {
                    let other = key ^ (1 << (16 * word + 3));
                    if !present.contains(&other) {
                        check(&dictionary, other, dictionary.default, &circuit);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_dictionary_is_named() {
        let error = |words, value_modulus, entries: &[(u64, u64)], default| {
            let entries = entries.iter().copied();
            let found = Dictionary::new(16, words, value_modulus, entries, default);
            found.unwrap_err().to_string()
        };
        assert!(error(2, 8, &[(1, 2), (1, 3)], 0).contains("the key 1 twice"));
        assert!(error(2, 8, &[(256, 2)], 0).contains("256"));
        assert!(error(2, 8, &[(1, 8)], 0).contains('8'));
        assert!(error(2, 8, &[], 8).contains("default of the dictionary is 8"));
        assert!(error(0, 8, &[], 0).contains("number of words is 0"));
        assert!(error(9, 8, &[], 0).contains("number of words is 9"));
        let error_of_words = Dictionary::new(6, 4, 2, [], 0).unwrap_err().to_string();
        assert!(error_of_words.contains("modulus of words of keys is 6"), "{error_of_words}");
        assert!(error(2, 257, &[], 0).contains("modulus of the dictionary's values is 257"));
        let entries: Vec<_> = (0..17).map(|key| (key, 0)).collect();
        assert!(error(2, 8, &entries, 0).contains("number of entries of the dictionary is 17"));
    }
}
