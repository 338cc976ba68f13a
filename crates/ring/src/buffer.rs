//! Recycled buffers.
//!
//! Polynomials at full size are tens of megabytes and live for milliseconds. Given back to the
//! operating system, each would be mapped and cleared again: that took a third of a lookup. Buffers
//! go to a free list instead, and are handed out again with what they last held.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use aligned_vec::{AVec, ConstAlign};
use memmap2::{Advice, MmapMut};
use zeroize::Zeroize;

/// Words that the free list may keep, 4 GiB: beyond it the smallest buffers are freed first. A
/// quarter of that made 16-bit lookups a third slower, and saved 2 % of their memory.
const MAX_POOLED_WORDS: usize = 1 << 29;

/// Shorter buffers are left to the allocator.
const MIN_POOLED_WORDS: usize = 1 << 13;

/// Buffers from this length on are mapped, with pages of 2 MiB where the system has them: first
/// touches of pages of 4 KiB took a third of a lookup of 16 bits.
const MIN_MAPPED_WORDS: usize = 1 << 18;

/// Words on cache lines of their own: a 512-bit load that straddles two lines costs an NTT 14 %.
#[derive(Debug)]
enum Words {
    Allocated(AVec<u64, ConstAlign<64>>),
    Mapped(MmapMut),
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Allocated(words) => words,
            Self::Mapped(bytes) => bytemuck::cast_slice(bytes),
        }
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Allocated(words) => words,
            Self::Mapped(bytes) => bytemuck::cast_slice_mut(bytes),
        }
    }
}

fn zeros(length: usize) -> Words {
    if length >= MIN_MAPPED_WORDS
        && let Ok(map) = MmapMut::map_anon(8 * length)
    {
        // Large pages are a wish: without them everything works, slower.
        let _ = map.advise(Advice::HugePage);
        return Words::Mapped(map);
    }
    let mut words = AVec::with_capacity(64, length);
    words.resize(length, 0);
    Words::Allocated(words)
}

/// Free buffers by length.
#[derive(Debug, Default)]
struct Pool {
    free: BTreeMap<usize, Vec<Words>>,
    words: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { free: BTreeMap::new(), words: 0 });

impl Pool {
    /// The shortest free buffer of at least `length` words, but not of over a quarter more:
    /// selectors stay for a whole lookup, and would hold what they do not use.
    fn take(&mut self, length: usize) -> Option<Words> {
        let (&found, buffers) = self.free.range_mut(length..=length + length / 4).next()?;
        let buffer = buffers.pop().expect("empty lists are removed");
        if buffers.is_empty() {
            self.free.remove(&found);
        }
        self.words -= found;
        Some(buffer)
    }

    fn put(&mut self, buffer: Words) {
        self.words += buffer.len();
        self.free.entry(buffer.len()).or_default().push(buffer);
        while self.words > MAX_POOLED_WORDS {
            let (&length, buffers) = self.free.iter_mut().next().expect("words are counted");
            buffers.pop();
            if buffers.is_empty() {
                self.free.remove(&length);
            }
            self.words -= length;
        }
    }
}

/// Frees all recycled buffers.
pub fn release_buffers() {
    *POOL.lock().expect("no panic under lock") = Pool::default();
}

/// A recycled buffer of words.
#[derive(Debug)]
pub struct Buffer {
    /// At least `length` words, all of them initialised.
    storage: Words,
    length: usize,
}

impl Buffer {
    /// A buffer whose contents are unspecified: to be written before it is read.
    #[must_use]
    pub fn unspecified(length: usize) -> Self {
        let recycled = (length >= MIN_POOLED_WORDS)
            .then(|| POOL.lock().expect("no panic under lock").take(length))
            .flatten();
        Self { storage: recycled.unwrap_or_else(|| zeros(length)), length }
    }

    /// A buffer that holds zeros.
    #[must_use]
    pub fn zeroed(length: usize) -> Self {
        let mut buffer = Self::unspecified(length);
        buffer.fill(0);
        buffer
    }

    /// A copy of `words`.
    #[must_use]
    pub fn copied(words: &[u64]) -> Self {
        let mut buffer = Self::unspecified(words.len());
        buffer.copy_from_slice(words);
        buffer
    }

    /// Appends words. Storage at least doubles when it grows, so that many appends copy a word a few times at most.
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

/// For buffers of secrets, before they go back to the free list: also what truncation left beyond the end.
impl Zeroize for Buffer {
    fn zeroize(&mut self) {
        self.storage.zeroize();
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.storage.len() >= MIN_POOLED_WORDS {
            let storage = std::mem::replace(&mut self.storage, zeros(0));
            POOL.lock().expect("no panic under lock").put(storage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_and_hold_what_is_written() {
        let mut pool = Pool::default();
        pool.put(zeros(100));
        pool.put(zeros(60));
        assert!(pool.take(200).is_none() && pool.take(20).is_none());
        assert_eq!(pool.take(50).map(|b| b.len()), Some(60));
        assert!(pool.take(50).is_none());
        assert_eq!(pool.take(90).map(|b| b.len()), Some(100));
        assert_eq!(pool.words, 0);

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

    #[test]
    fn the_pool_is_bounded() {
        let mut pool = Pool::default();
        for _ in 0..40 {
            pool.put(zeros(MAX_POOLED_WORDS / 32));
        }
        assert!(pool.words <= MAX_POOLED_WORDS);
    }
}
