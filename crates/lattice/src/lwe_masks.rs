//! Masks of many LWE ciphertexts: those of fresh ones are a seed.

use cryptable_ring::Buffer;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};

/// Masks of LWE ciphertexts of one dimension and modulus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Masks {
    /// Those of fresh ciphertexts: mask i is stream i of a seed ([`fresh_mask`]).
    Seed(Seed),
    /// A word for every dimension, ciphertext after ciphertext: tens of megabytes of many, in recycled pages.
    Words(Buffer),
}

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
    RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, index as u64)
        .uniform_assign(&mut mask, modulus);
    mask
}
