//! Counter blocks of AES in counter mode (NIST SP 800-38A, Sec. 6.5 and Appendix B): those that a message uses, and those
//! that messages under a key have used.
//!
//! A block is a nonce of 96 bits and a number of 32 bits, the highest byte first. A message has one nonce, so it has at
//! most 2^32 blocks, 64 GiB, and its blocks never run into those of the next nonce.

use std::collections::BTreeMap;

use cryptable_lattice::Result;
use cryptable_lattice::error::out_of_range;
use cryptable_wire::hex;

use super::block::BLOCK_BYTES;
use super::message_error::{MessageError, MessageResult};

/// Number of blocks per nonce.
const BLOCKS_A_NONCE: u64 = 1 << 32;

/// Returns the counter block of a message's block `index`: the first one plus the index, as a number of 128 bits, the
/// highest byte first.
///
/// ```
/// use cryptable_leveled::aes::counter_block;
/// assert_eq!(counter_block([0; 16], 258)[14..], [1, 2]);
/// ```
#[must_use]
pub fn counter_block(first: [u8; BLOCK_BYTES], index: u64) -> [u8; BLOCK_BYTES] {
    u128::from_be_bytes(first).wrapping_add(index.into()).to_be_bytes()
}

/// The consecutive counter blocks of one message.
///
/// ```
/// use cryptable_leveled::aes::CounterRange;
/// let counters = CounterRange::of_message([0; 16], 33)?;
/// assert_eq!(counters.blocks(), 3);
/// assert!(counters.overlaps(&CounterRange::of_message([0; 16], 1)?));
/// // The last four bytes count blocks, and do not carry over.
/// assert!(CounterRange::of_message([0xff; 16], 17).is_err());
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterRange {
    first: u128,
    blocks: u64,
}

impl CounterRange {
    /// Returns the range of `blocks` blocks from `first` on.
    ///
    /// # Errors
    /// If the range exceeds the 2^32 blocks of the nonce.
    pub fn new(first: [u8; BLOCK_BYTES], blocks: u64) -> Result<Self> {
        let first = u128::from_be_bytes(first);
        let left = BLOCKS_A_NONCE - first as u64 % BLOCKS_A_NONCE;
        if blocks > left {
            let limit = format!("this first counter leaves {left} of the 2^32 counters of a nonce");
            return Err(out_of_range("number of blocks of a message", blocks, limit));
        }
        Ok(Self { first, blocks })
    }

    /// Returns the counters of a message of `length` bytes.
    ///
    /// # Errors
    /// The errors of [`CounterRange::new`].
    pub fn of_message(first: [u8; BLOCK_BYTES], length: u64) -> Result<Self> {
        Self::new(first, length.div_ceil(BLOCK_BYTES as u64))
    }

    /// Returns the first block.
    #[must_use]
    pub fn first(&self) -> [u8; BLOCK_BYTES] {
        self.first.to_be_bytes()
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns the last block; `None` if there are no blocks. (The block after the last might be 2^128.)
    fn last(&self) -> Option<u128> {
        self.blocks.checked_sub(1).map(|more| self.first + u128::from(more))
    }

    /// Returns whether the ranges have a block in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self.last(), other.last()) {
            (Some(last), Some(other_last)) => self.first <= other_last && other.first <= last,
            _ => false,
        }
    }
}

/// The counter blocks that messages under one key have used.
///
/// ```
/// use cryptable_leveled::aes::{CounterRange, UsedCounters};
/// let mut used = UsedCounters::default();
/// used.take(CounterRange::new([0; 16], 10)?)?;
/// assert!(used.take(CounterRange::new([0; 16], 1)?).is_err());
/// # Ok::<(), cryptable_leveled::aes::MessageError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct UsedCounters {
    /// Ranges by their first blocks; no two overlap.
    ranges: BTreeMap<u128, CounterRange>,
}

impl UsedCounters {
    /// Marks blocks as used.
    ///
    /// # Errors
    /// [`MessageError::CountersUsed`] if a block was used before; nothing changes then.
    pub fn take(&mut self, counters: CounterRange) -> MessageResult<()> {
        let Some(last) = counters.last() else { return Ok(()) };
        // Ranges do not overlap. If any reaches into the new one, so does the last one that begins within or before it.
        let before = self.ranges.range(..=last).next_back();
        if let Some((_, taken)) = before.filter(|(_, taken)| taken.overlaps(&counters)) {
            let first = hex(&taken.first());
            return Err(MessageError::CountersUsed { first, blocks: taken.blocks });
        }
        self.ranges.insert(counters.first, counters);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u128, blocks: u64) -> CounterRange {
        CounterRange::new(first.to_be_bytes(), blocks).unwrap()
    }

    #[test]
    fn blocks_of_a_nonce_end_with_it() {
        let last = [0xff; 16];
        assert_eq!(CounterRange::new(last, 1).unwrap().last(), Some(u128::MAX));
        let message = CounterRange::new(last, 2).unwrap_err().to_string();
        assert!(message.contains("leaves 1 of the 2^32"), "{message}");
        assert!(CounterRange::of_message([0; 16], 1 << 36).is_ok());
        assert!(CounterRange::of_message([0; 16], (1 << 36) + 1).is_err());
    }

    #[test]
    fn no_block_is_taken_twice() {
        let mut used = UsedCounters::default();
        for (first, blocks, is_free) in [
            (100, 10, true),
            (99, 1, true),
            (110, 5, true),
            (109, 1, false),
            (90, 10, false),
            (90, 100, false),
            (105, 0, true),
            (90, 9, true),
            (98, 1, false),
            (115, 1, true),
        ] {
            let counters = range(first, blocks);
            let taken = used.take(counters);
            assert_eq!(taken.is_ok(), is_free, "{first} {blocks}");
        }
        let error = used.take(range(105, 1)).unwrap_err();
        assert!(matches!(error, MessageError::CountersUsed { blocks: 10, .. }), "{error}");
    }
}
