//! LWE key switching, from the ring secret's coefficients to the LWE secret (Sec. 2.3.3 of Ma et al., TCHES 2024).
//!
//! Digits multiply key rows instead of naming one of B precomputed multiples: the key is B times smaller, and
//! for digits of a few bits the larger noise (second moment B²/12 instead of 1) is cheaper than the traffic.

use cryptable_ring::gadget::Gadget;
use cryptable_ring::random::Seed;
use cryptable_ring::word_sums::{Word, Words24, add_multiples};
use cryptable_rlwe::lwe::LweCiphertext;
use cryptable_rlwe::security::SecretDistribution;
use rayon::prelude::*;

use crate::seeded_rows::RowDomain;

/// Bodies of a key switching key, whose masks are drawn from a seed: row `i·ℓ + k` encrypts z_i·weight(k).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeededKeySwitchingKey {
    bodies: Vec<u64>,
}

impl SeededKeySwitchingKey {
    /// From bodies below the modulus, ℓ for each coefficient of the ring secret.
    #[must_use]
    pub fn new(bodies: Vec<u64>) -> Self {
        Self { bodies }
    }

    /// The bodies.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }
}

/// Rows in words as narrow as the modulus allows.
#[derive(Debug)]
enum Rows {
    Short(Vec<u16>),
    Medium(Words24),
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

/// A key that switches LWE ciphertexts of dimension N to dimension n.
#[derive(Debug)]
pub struct LweKeySwitchingKey {
    gadget: Gadget,
    dimension: usize,
    rows: Rows,
    /// What rounding digits away adds to phases on average: the mean of a rounding times that of the secret's sum.
    offset: u64,
}

impl LweKeySwitchingKey {
    /// Draws the masks of a key of LWE dimension n.
    #[must_use]
    pub fn expand(
        key: &SeededKeySwitchingKey,
        seed: &Seed,
        gadget: Gadget,
        dimension: usize,
        source: SecretDistribution,
    ) -> Self {
        let modulus = gadget.modulus();
        let rows = match (modulus - 1).checked_ilog2().map_or(1, |log2| log2 + 1) {
            ..=16 => Rows::Short(expand_rows(key, seed, modulus, dimension)),
            17..=24 => {
                let rows: Vec<u32> = expand_rows(key, seed, modulus, dimension);
                Rows::Medium(rows.into_iter().collect())
            }
            25..=32 => Rows::Narrow(expand_rows(key, seed, modulus, dimension)),
            _ => Rows::Wide(expand_rows(key, seed, modulus, dimension)),
        };
        let mean = if source == SecretDistribution::Binary { 0.5 } else { 0.0 };
        let coefficients = (key.bodies.len() / gadget.length()) as f64;
        let offset = (gadget.rounding_mean() * mean * coefficients).round() as u64;
        Self { gadget, dimension, rows, offset }
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.rows {
            Rows::Short(rows) => 2 * rows.len(),
            Rows::Medium(rows) => rows.bytes(),
            Rows::Narrow(rows) => 4 * rows.len(),
            Rows::Wide(rows) => 8 * rows.len(),
        }
    }

    /// The same phase under the LWE secret, with the noise of [`crate::noise::NoiseModel::key_switching`].
    ///
    /// # Panics
    /// If the ciphertext's modulus is not the key's, or its dimension not N.
    #[must_use]
    pub fn switch(&self, lwe: &LweCiphertext) -> LweCiphertext {
        assert_eq!(lwe.modulus(), self.gadget.modulus(), "modulus of a key switch");
        let factors = self.gadget.mask_digits(lwe.mask());
        match &self.rows {
            Rows::Short(rows) => self.sum(lwe, |sum| add_multiples(sum, rows, &factors)),
            Rows::Medium(rows) => self.sum(lwe, |sum| rows.add_multiples(sum, &factors)),
            Rows::Narrow(rows) => self.sum(lwe, |sum| add_multiples(sum, rows, &factors)),
            Rows::Wide(rows) => self.sum(lwe, |sum| add_multiples(sum, rows, &factors)),
        }
    }

    fn sum<W: Word>(&self, lwe: &LweCiphertext, add_rows: impl Fn(&mut [W])) -> LweCiphertext {
        let mut sum = vec![W::from_u64(0); self.dimension + 1];
        sum[self.dimension] = W::from_u64(lwe.body().wrapping_sub(self.offset));
        add_rows(&mut sum);
        let mask = self.gadget.modulus() - 1;
        let words = sum.into_iter().map(|word| word.to_u64() & mask).collect();
        LweCiphertext::from_words(words, self.gadget.modulus())
    }
}

/// Rows of n mask words and a body.
fn expand_rows<W: Word>(
    key: &SeededKeySwitchingKey,
    seed: &Seed,
    modulus: u64,
    dimension: usize,
) -> Vec<W> {
    let mut rows = vec![W::from_u64(0); key.bodies.len() * (dimension + 1)];
    let numbered = rows.par_chunks_exact_mut(dimension + 1).zip(&key.bodies).enumerate();
    numbered.for_each(|(row, (out, &body))| {
        let mut mask = vec![0; dimension];
        RowDomain::KeySwitching.mask_stream(seed, row).uniform_assign(&mut mask, modulus);
        for (word, &value) in out.iter_mut().zip(mask.iter().chain([&body])) {
            *word = W::from_u64(value);
        }
    });
    rows
}
