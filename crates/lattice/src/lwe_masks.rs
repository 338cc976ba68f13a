//! Masks of many LWE ciphertexts, which are a seed for fresh ones.

use std::borrow::Cow;

use cryptable_ring::Buffer;
use cryptable_ring::columns::Columns;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_wire::{BodyReader, PackedWords, WireError};

/// Masks of LWE ciphertexts of one dimension and modulus.
#[derive(Clone, Debug)]
pub enum Masks {
    /// Masks of fresh ciphertexts: mask i is stream i of a seed ([`fresh_mask`]).
    Seed(Seed),
    /// The words of every mask, ciphertext after ciphertext: tens of megabytes for many ciphertexts, in recycled pages.
    Words(Buffer),
    /// The same words, with word i of all ciphertexts in column i: results of operations on whole lists, for moduli up
    /// to 2^32. Columns take half the memory, and the next method on whole lists reads columns, too.
    Columns(Columns),
    /// Masks of the coefficients of RLWE ciphertexts under a secret of this dimension: ring element i, which has n
    /// words, determines masks `i·n` to `i·n + n - 1` ([`extracted_mask`]).
    Ring(Vec<u64>),
    /// The same for results that a server packed into ring elements.
    Results(Vec<u64>),
    /// Masks as they are packed in a file: they take the memory of their bytes, and not up to ten times as much.
    Packed(PackedWords),
}

/// Compares words, whatever their form in memory.
impl PartialEq for Masks {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Seed(seed), Self::Seed(other)) => seed == other,
            (Self::Ring(words), Self::Ring(other)) => words == other,
            (Self::Results(words), Self::Results(other)) => words == other,
            (Self::Packed(words), Self::Packed(other)) => words == other,
            _ => self.words().is_some_and(|words| other.words() == Some(words)),
        }
    }
}

impl Eq for Masks {}

impl Masks {
    /// Returns the mask of ciphertext `index`.
    ///
    /// # Panics
    /// If there are words, but none for this ciphertext.
    #[must_use]
    pub fn mask(&self, index: usize, dimension: usize, modulus: u64) -> Vec<u64> {
        match self {
            Self::Seed(seed) => fresh_mask(seed, index, dimension, modulus),
            Self::Words(words) => words[index * dimension..][..dimension].to_vec(),
            Self::Columns(columns) => {
                (0..dimension).map(|column| columns.column(column)[index].into()).collect()
            }
            Self::Ring(words) | Self::Results(words) => {
                let element = &words[index / dimension * dimension..][..dimension];
                extracted_mask(element, index % dimension, modulus)
            }
            Self::Packed(packed) => {
                let mut words = Vec::with_capacity(dimension + 1);
                packed.unpack_into(index * dimension..(index + 1) * dimension, &mut words);
                words
            }
        }
    }

    /// Returns all words, ciphertext after ciphertext, unless masks are a seed or ring elements.
    #[must_use]
    pub fn words(&self) -> Option<Cow<'_, [u64]>> {
        match self {
            Self::Seed(_) | Self::Ring(_) | Self::Results(_) => None,
            Self::Words(words) => Some(Cow::Borrowed(words)),
            Self::Columns(columns) => Some(Cow::Owned(columns.to_rows().to_vec())),
            Self::Packed(packed) => {
                let mut words = Vec::with_capacity(packed.len());
                packed.unpack_into(0..packed.len(), &mut words);
                Some(Cow::Owned(words))
            }
        }
    }

    /// Returns how masks are stored.
    #[must_use]
    pub fn kind(&self) -> MaskKind {
        match self {
            Self::Seed(_) => MaskKind::Seed,
            Self::Ring(_) => MaskKind::Ring,
            Self::Results(_) => MaskKind::Results,
            Self::Words(_) | Self::Columns(_) | Self::Packed(_) => MaskKind::Words,
        }
    }
}

/// The form in which files store masks. Discriminants are part of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskKind {
    /// Words of every mask, for ciphertexts that were computed.
    Words = 0,
    /// A seed, for ciphertexts that the secret key encrypted.
    Seed = 1,
    /// Ring elements, for ciphertexts that a public key encrypted.
    Ring = 2,
    /// Ring elements, for results that a server packed into them and that can only be decrypted.
    Results = 3,
}

impl MaskKind {
    /// Reads a kind that `writer.u32(kind as u32)` wrote.
    ///
    /// # Errors
    /// If bytes are missing, or if the number is none of these.
    pub fn read(reader: &mut BodyReader<'_>) -> Result<Self, WireError> {
        match reader.u32("kind of masks")? {
            0 => Ok(Self::Words),
            1 => Ok(Self::Seed),
            2 => Ok(Self::Ring),
            3 => Ok(Self::Results),
            other => Err(WireError::invalid("kind of masks", other, "0, 1, 2 or 3")),
        }
    }
}

/// Returns the mask of coefficient `position` of an RLWE ciphertext with this mask, modulo `X^n + 1`: coefficient k of
/// the secret is multiplied by `a_{position-k}`, with its sign changed where it passes `X^n`.
///
/// ```
/// use cryptable_lattice::lwe_masks::extracted_mask;
/// assert_eq!(extracted_mask(&[1, 2, 3, 4], 1, 64), [2, 1, 60, 61]);
/// ```
#[must_use]
pub fn extracted_mask(element: &[u64], position: usize, modulus: u64) -> Vec<u64> {
    let negated = |&word: &u64| if word == 0 { 0 } else { modulus - word };
    let (low, high) = element.split_at(position + 1);
    let mut mask = Vec::with_capacity(element.len() + 1);
    mask.extend(low.iter().rev());
    mask.extend(high.iter().rev().map(negated));
    mask
}

/// Returns the mask of a fresh ciphertext.
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
