//! LWE key switching, from the ring secret's coefficients to the LWE secret (Sec. 2.3.3 of Ma et al., TCHES 2024).
//!
//! Digits multiply key rows instead of selecting one of B precomputed multiples, so the key is B times smaller. For digits
//! of a few bits, the larger noise (second moment B²/12 instead of 1) is cheaper than the memory traffic.

use cryptable_lattice::lwe::{LweCiphertext, modulus_switch_variance};
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::random::Seed;
use cryptable_ring::word_sums::{Word, Words24, add_multiples};
use rayon::prelude::*;

use crate::seeded_rows::RowDomain;
use crate::variance::{Variance, digit_noise, second_moment};

/// The bodies of a key switching key whose masks are expanded from a seed: row `i·ℓ + k` encrypts z_i·weight(k).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeededKeySwitchingKey {
    bodies: Vec<u64>,
}

impl SeededKeySwitchingKey {
    /// Makes a key from bodies below the modulus, ℓ per coefficient of the ring secret.
    #[must_use]
    pub fn new(bodies: Vec<u64>) -> Self {
        Self { bodies }
    }

    /// Returns the bodies of all rows, ℓ per coefficient of the secret that the switch starts from.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }
}

/// Rows in words as narrow as the modulus allows, in blocks of [`BLOCK_ROWS`].
#[derive(Debug)]
enum Rows {
    Short(Vec<Vec<u16>>),
    Medium(Vec<Words24>),
    Narrow(Vec<Vec<u32>>),
    Wide(Vec<Vec<u64>>),
}

/// Returns the bytes of a word of a key in memory: as narrow as a modulus of this many bits allows.
pub(crate) const fn word_bytes(log2_modulus: u32) -> usize {
    match log2_modulus {
        ..=16 => 2,
        17..=24 => 3,
        25..=32 => 4,
        _ => 8,
    }
}

/// Number of rows in a block, which is added to one ciphertext after the other: some 100 kB, which stay in the second-level
/// cache.
const BLOCK_ROWS: usize = 64;

/// A key that switches LWE ciphertexts of dimension N to dimension n.
#[derive(Debug)]
pub struct LweKeySwitchingKey {
    gadget: Gadget,
    dimension: usize,
    rows: Rows,
    /// Mean error that the rounding of digits adds to phases: the mean of a rounding times that of the secret's sum.
    offset: u64,
}

impl LweKeySwitchingKey {
    /// Expands the masks of a key of LWE dimension n.
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
                let blocks = expand_rows::<u32>(key, seed, modulus, dimension);
                Rows::Medium(blocks.into_iter().map(Words24::from_iter).collect())
            }
            25..=32 => Rows::Narrow(expand_rows(key, seed, modulus, dimension)),
            _ => Rows::Wide(expand_rows(key, seed, modulus, dimension)),
        };
        let mean = if source == SecretDistribution::Binary { 0.5 } else { 0.0 };
        let coefficients = (key.bodies.len() / gadget.length()) as f64;
        let offset = (gadget.rounding_mean() * mean * coefficients).round() as u64;
        Self { gadget, dimension, rows, offset }
    }

    /// Returns the bytes of memory that the rows occupy.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.rows {
            Rows::Short(blocks) => blocks.iter().map(|rows| 2 * rows.len()).sum(),
            Rows::Medium(blocks) => blocks.iter().map(Words24::bytes).sum(),
            Rows::Narrow(blocks) => blocks.iter().map(|rows| 4 * rows.len()).sum(),
            Rows::Wide(blocks) => blocks.iter().map(|rows| 8 * rows.len()).sum(),
        }
    }

    /// Returns the same phase under the LWE secret, with the noise of [`crate::noise::NoiseModel::key_switching`].
    ///
    /// # Panics
    /// If the ciphertext's modulus is not the key's, or its dimension is not N.
    #[must_use]
    pub fn switch(&self, lwe: &LweCiphertext) -> LweCiphertext {
        self.switch_many(std::slice::from_ref(lwe)).remove(0)
    }

    /// Switches several ciphertexts like [`LweKeySwitchingKey::switch`]. The key, megabytes, is read only once.
    ///
    /// # Panics
    /// Same as [`LweKeySwitchingKey::switch`].
    #[must_use]
    pub fn switch_many(&self, many: &[LweCiphertext]) -> Vec<LweCiphertext> {
        match &self.rows {
            Rows::Short(blocks) => {
                self.sums(many, blocks, |sum, rows, f| add_multiples(sum, rows, f))
            }
            Rows::Medium(blocks) => {
                self.sums(many, blocks, |sum, rows, f| rows.add_multiples(sum, f))
            }
            Rows::Narrow(blocks) => {
                self.sums(many, blocks, |sum, rows, f| add_multiples(sum, rows, f))
            }
            Rows::Wide(blocks) => {
                self.sums(many, blocks, |sum, rows, f| add_multiples(sum, rows, f))
            }
        }
    }

    /// Computes the sums of all ciphertexts; `add(sum, rows, factors)` adds multiples of a block's rows.
    fn sums<W: Word, Block>(
        &self,
        many: &[LweCiphertext],
        blocks: &[Block],
        add: impl Fn(&mut [W], &Block, &[i32]),
    ) -> Vec<LweCiphertext> {
        let modulus = self.gadget.modulus();
        let start = |lwe: &LweCiphertext| {
            assert_eq!(lwe.modulus(), modulus, "modulus of a key switch");
            let factors = self.gadget.digits_of_each(lwe.mask());
            assert_eq!(factors.len().div_ceil(BLOCK_ROWS), blocks.len(), "dimension");
            let mut sum = vec![W::from_u64(0); self.dimension + 1];
            sum[self.dimension] = W::from_u64(lwe.body().wrapping_sub(self.offset));
            (factors, sum)
        };
        let mut sums: Vec<(Vec<i32>, Vec<W>)> = many.iter().map(start).collect();
        for (index, block) in blocks.iter().enumerate() {
            for (factors, sum) in &mut sums {
                let factors = &factors[index * BLOCK_ROWS..];
                add(sum, block, &factors[..factors.len().min(BLOCK_ROWS)]);
            }
        }
        let reduced = |sum: Vec<W>| {
            let words = sum.into_iter().map(|word| word.to_u64() & (modulus - 1)).collect();
            LweCiphertext::from_words(words, modulus)
        };
        sums.into_iter().map(|(_, sum)| reduced(sum)).collect()
    }
}

/// Returns rows of n mask words and a body, in blocks.
fn expand_rows<W: Word>(
    key: &SeededKeySwitchingKey,
    seed: &Seed,
    modulus: u64,
    dimension: usize,
) -> Vec<Vec<W>> {
    let block = |(index, bodies): (usize, &[u64])| {
        let mut rows = Vec::with_capacity(bodies.len() * (dimension + 1));
        let mut mask = vec![0; dimension];
        for (row, &body) in (index * BLOCK_ROWS..).zip(bodies) {
            RowDomain::KeySwitching.mask_stream(seed, row).uniform_assign(&mut mask, modulus);
            rows.extend(mask.iter().chain([&body]).map(|&word| W::from_u64(word)));
        }
        rows
    };
    key.bodies.par_chunks(BLOCK_ROWS).enumerate().map(block).collect()
}

/// Returns σ_ks² of the switch alone, as a fraction of the LWE modulus squared: the noise of digits, of their rounding, and
/// of the preceding switch of modulus.
#[must_use]
pub fn noise(gadget: Gadget, dimension: usize, source: SecretDistribution) -> Variance {
    let terms = dimension as f64;
    let rounding = gadget.rounding_variance() * terms * second_moment(source);
    let switch = modulus_switch_variance(dimension, source);
    // There are no transforms, and none are counted for a modulus this small.
    Variance::of_units(digit_noise(gadget, terms, 0.0) + rounding + switch, gadget.modulus() as f64)
}
