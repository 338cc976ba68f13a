//! Recycled buffers.
//!
//! Polynomials at full size take tens of megabytes and live for milliseconds. If their memory went back to the
//! operating system, each would be mapped and cleared again, which took a third of a lookup. It goes back to the arena
//! instead, which hands it out again with its last contents.

use std::ops::{Deref, DerefMut};

use aligned_vec::{AVec, ConstAlign};
use zeroize::Zeroize;

use crate::arena::Block;
use crate::reserve::refuse;

/// Shorter buffers are left to the allocator.
const MIN_POOLED_WORDS: usize = 1 << 13;

/// Words on cache lines of their own: a 512-bit load that straddles two lines costs an NTT 14 %.
#[derive(Debug)]
enum Words {
    Allocated(AVec<u64, ConstAlign<64>>),
    Recycled(Block),
}

impl Words {
    fn unspecified(length: usize) -> Self {
        let block = (length >= MIN_POOLED_WORDS).then(|| Block::take(length)).flatten();
        block.map_or_else(|| Self::zeros(length), Self::Recycled)
    }

    fn zeros(length: usize) -> Self {
        let mut words = AVec::new(64);
        if words.try_reserve_exact(length).is_err() {
            refuse(length.saturating_mul(size_of::<u64>()));
        }
        words.resize(length, 0);
        Self::Allocated(words)
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Allocated(words) => words,
            Self::Recycled(block) => block.words(),
        }
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Allocated(words) => words,
            Self::Recycled(block) => block.words_mut(),
        }
    }
}

/// A recycled buffer of words.
#[derive(Debug)]
pub struct Buffer {
    /// At least `length` words, all of them initialised.
    storage: Words,
    length: usize,
}

impl Buffer {
    /// Returns a buffer with unspecified contents: every word must be written before it is read.
    #[must_use]
    pub fn unspecified(length: usize) -> Self {
        Self { storage: Words::unspecified(length), length }
    }

    /// Returns a buffer of zeros.
    #[must_use]
    pub fn zeroed(length: usize) -> Self {
        let mut buffer = Self::unspecified(length);
        buffer.fill(0);
        buffer
    }

    /// Returns a copy of `words`.
    #[must_use]
    pub fn copied(words: &[u64]) -> Self {
        let mut buffer = Self::unspecified(words.len());
        buffer.copy_from_slice(words);
        buffer
    }

    /// Appends words. Storage at least doubles when it grows, so that a word is copied only a few times over many
    /// appends.
    pub fn extend_from_slice(&mut self, words: &[u64]) {
        let (old, length) = (self.length, self.length + words.len());
        if length > self.storage.len() {
            let mut grown = Self::unspecified(length.max(2 * old));
            grown[..old].copy_from_slice(self);
            *self = grown;
        }
        self.length = length;
        self[old..].copy_from_slice(words);
    }

    /// Keeps the first `length` words.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

impl From<Vec<u64>> for Buffer {
    fn from(words: Vec<u64>) -> Self {
        Self::copied(&words)
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        Self::copied(self)
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Buffer {}

impl Deref for Buffer {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.storage[..self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.storage[..self.length]
    }
}

/// Clears buffers of secrets before they go back to the free list, including what truncation left beyond the end.
impl Zeroize for Buffer {
    fn zeroize(&mut self) {
        self.storage.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_and_hold_what_is_written() {
        let mut buffer = Buffer::zeroed(20_000);
        assert!(buffer.iter().all(|&w| w == 0));
        buffer.fill(7);
        let copy = buffer.clone();
        buffer.extend_from_slice(&[8; 30_000]);
        assert!(buffer[..20_000].iter().all(|&w| w == 7) && buffer[20_000..] == [8; 30_000]);
        buffer.truncate(10);
        buffer.extend_from_slice(&[9]);
        assert_eq!(buffer[9..], [7, 9]);
        buffer.truncate(10);
        assert_eq!((buffer.len(), copy.len()), (10, 20_000));
        assert!(copy.iter().all(|&w| w == 7));
        buffer.zeroize();
        assert!(buffer.storage.iter().all(|&w| w == 0));
    }
}
