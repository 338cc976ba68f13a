//! Masks of many LWE ciphertexts: those of fresh ones are a seed.

use std::borrow::Cow;

use cryptable_ring::Buffer;
use cryptable_ring::columns::Columns;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_wire::PackedWords;

/// Masks of LWE ciphertexts of one dimension and modulus.
#[derive(Clone, Debug)]
pub enum Masks {
    /// Masks of fresh ciphertexts: mask i is stream i of a seed ([`fresh_mask`]).
    Seed(Seed),
    /// A word for every dimension, ciphertext after ciphertext: tens of megabytes of many, in recycled pages.
    Words(Buffer),
    /// The same, word i of all ciphertexts in column i: what is computed of whole lists, for moduli up to 2^32. Half the
    /// memory, and the next method on whole lists reads columns, too.
    Columns(Columns),
    /// Masks as packed in a file: reading them takes the memory of their bytes, not up to ten times as much.
    Packed(PackedWords),
}

/// Words are compared, however they lie in memory.
impl PartialEq for Masks {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Seed(seed), Self::Seed(other)) => seed == other,
            (Self::Packed(words), Self::Packed(other)) => words == other,
            _ => self.words().is_some_and(|words| other.words() == Some(words)),
        }
    }
}

impl Eq for Masks {}

impl Masks {
    /// The mask of ciphertext `index`.
    ///
    /// # Panics
    /// If there are words, but not of this ciphertext.
    #[must_use]
    pub fn mask(&self, index: usize, dimension: usize, modulus: u64) -> Vec<u64> {
        match self {
            Self::Seed(seed) => fresh_mask(seed, index, dimension, modulus),
            Self::Words(words) => words[index * dimension..][..dimension].to_vec(),
            Self::Columns(columns) => {
                (0..dimension).map(|column| columns.column(column)[index].into()).collect()
            }
            Self::Packed(packed) => {
                let mut words = Vec::with_capacity(dimension + 1);
                packed.unpack_into(index * dimension..(index + 1) * dimension, &mut words);
                words
            }
        }
    }

    /// All words, ciphertext after ciphertext, unless the masks are a seed.
    #[must_use]
    pub fn words(&self) -> Option<Cow<'_, [u64]>> {
        match self {
            Self::Seed(_) => None,
            Self::Words(words) => Some(Cow::Borrowed(words)),
            Self::Columns(columns) => Some(Cow::Owned(columns.to_rows().to_vec())),
            Self::Packed(packed) => {
                let mut words = Vec::with_capacity(packed.len());
                packed.unpack_into(0..packed.len(), &mut words);
                Some(Cow::Owned(words))
            }
        }
    }

    /// Whether the masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn are_fresh(&self) -> bool {
        matches!(self, Self::Seed(_))
    }
}

/// The mask of a fresh ciphertext.
#[must_use]
pub fn fresh_mask(seed: &Seed, index: usize, dimension: usize, modulus: u64) -> Vec<u64> {
    let mut mask = vec![0; dimension];
    fill_fresh_mask(&mut mask, seed, index, modulus);
    mask
}

/// Writes the mask of a fresh ciphertext.
pub fn fill_fresh_mask(mask: &mut [u64], seed: &Seed, index: usize, modulus: u64) {
    RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, index as u64)
        .uniform_assign(mask, modulus);
}
