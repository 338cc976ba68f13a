//! Secret positions in a list, without accesses to memory or branches that depend on them.
//!
//! [`gather`] moves the words at chosen positions to the front of a list, and [`spread`] moves them back; both keep
//! their order. A word that is d positions away from its place moves by the bits of d: by 1, 2, 4, … positions on the
//! way to the front, in the opposite order on the way back. Words never meet, since those behind have at least as far
//! to go (Goodrich, Data-oblivious external-memory algorithms for the compaction, selection, and sorting of outsourced
//! data, SPAA 2011, Section 3). Both take about `n·log2(n)` exchanges for n positions. [`select`] reads entries of a
//! list at secret indices by passing over the whole list.

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

/// Entries of a list that are compared with all indices before the next ones: they stay in the first-level cache.
const BLOCK: usize = 2048;

/// Words with one distance each: how far to the left a word must move, or from how far it came. Words that are not
/// chosen have the distance 0.
struct Routed {
    words: Zeroizing<Vec<u64>>,
    distances: Zeroizing<Vec<u64>>,
}

impl Routed {
    /// Exchanges the words at `low` and `high` if the bit `level` is set in the distance of the word at `from`.
    fn exchange_if(&mut self, from: usize, low: usize, high: usize, level: u32) {
        let moves = Choice::from((self.distances[from] >> level & 1) as u8);
        for list in [&mut self.words, &mut self.distances] {
            let (a, b) = (list[low], list[high]);
            list[low] = u64::conditional_select(&a, &b, moves);
            list[high] = u64::conditional_select(&b, &a, moves);
        }
    }

    /// Moves every word to the left by its distance.
    fn move_to_front(&mut self) {
        for level in 0..levels(self.words.len()) {
            for high in 1 << level..self.words.len() {
                self.exchange_if(high, high - (1 << level), high, level);
            }
        }
    }

    /// Moves every word to the right by its distance.
    fn move_to_places(&mut self) {
        for level in (0..levels(self.words.len())).rev() {
            for high in (1 << level..self.words.len()).rev() {
                let low = high - (1 << level);
                self.exchange_if(low, low, high, level);
            }
        }
    }
}

/// Bits of the largest distance in a list of `count` words.
fn levels(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Returns the distance of every chosen position to its place at the front, and 0 for all others.
fn distances(chosen: &[u8]) -> Zeroizing<Vec<u64>> {
    let mut skipped = 0;
    let mut found = Zeroizing::new(Vec::with_capacity(chosen.len()));
    for &flag in chosen {
        let flag = u64::from(flag & 1);
        found.push(skipped & flag.wrapping_neg());
        skipped += 1 - flag;
    }
    found
}

/// Returns the words at the chosen positions, in their order. A position is chosen if its flag is 1; other flags are 0.
/// `count` is the number of chosen positions.
///
/// ```
/// use cryptable_ring::oblivious::gather;
/// assert_eq!(*gather(&[5, 6, 7, 8], &[0, 1, 0, 1], 2), [6, 8]);
/// ```
///
/// # Panics
/// If the lists differ in length, or `count` exceeds their length.
#[must_use]
pub fn gather(words: &[u64], chosen: &[u8], count: usize) -> Zeroizing<Vec<u64>> {
    assert_eq!(words.len(), chosen.len(), "a flag per word");
    let words = Zeroizing::new(words.to_vec());
    let mut routed = Routed { words, distances: distances(chosen) };
    routed.move_to_front();
    Zeroizing::new(routed.words[..count].to_vec())
}

/// Returns a list with `words` at the chosen positions, in their order, and unspecified words elsewhere. The number of
/// chosen positions must be the number of words.
///
/// ```
/// use cryptable_ring::oblivious::spread;
/// let list = spread(&[6, 8], &[0, 1, 0, 1]);
/// assert_eq!((list[1], list[3]), (6, 8));
/// ```
///
/// # Panics
/// If there are more words than positions.
#[must_use]
pub fn spread(words: &[u64], chosen: &[u8]) -> Zeroizing<Vec<u64>> {
    let at_places = distances(chosen);
    let mut padded = Zeroizing::new(vec![0; chosen.len()]);
    padded[..words.len()].copy_from_slice(words);
    // The distances of the places, moved to the front: distances in the order of the words.
    let mut routed = Routed { words: at_places.clone(), distances: at_places };
    routed.move_to_front();
    let mut routed = Routed { words: padded, distances: routed.words };
    routed.move_to_places();
    routed.words
}

/// Returns the entries of `list` at the given indices, and 0 for an index outside of the list.
///
/// ```
/// use cryptable_ring::oblivious::select;
/// assert_eq!(*select(&[10, 11, 12], &[2, 0, 9]), [12, 10, 0]);
/// ```
#[must_use]
pub fn select(list: &[u64], indices: &[u64]) -> Zeroizing<Vec<u64>> {
    let mut found = Zeroizing::new(vec![0; indices.len()]);
    for (block, entries) in list.chunks(BLOCK).enumerate() {
        let first = (block * BLOCK) as u64;
        for (&index, found) in indices.iter().zip(&mut *found) {
            *found |= entries.iter().zip(first..).fold(0, |sum, (&entry, position)| {
                sum | entry & u64::from(position.ct_eq(&index).unwrap_u8()).wrapping_neg()
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_of_few_positions_goes_there_and_back() {
        for count in 1..=11 {
            let words: Vec<u64> = (0..count).map(|i| 100 + i).collect();
            for bits in 0..1_u64 << count {
                let chosen: Vec<u8> = (0..count).map(|i| (bits >> i & 1) as u8).collect();
                let at = |i: &u64| chosen[(i - 100) as usize] == 1;
                let expected: Vec<u64> = words.iter().copied().filter(at).collect();
                let front = gather(&words, &chosen, expected.len());
                assert_eq!(*front, expected, "{chosen:?}");
                let list = spread(&front, &chosen);
                let back: Vec<u64> = words.iter().copied().filter(at).collect();
                let found: Vec<u64> =
                    (0..count as usize).filter(|&i| chosen[i] == 1).map(|i| list[i]).collect();
                assert_eq!(found, back, "{chosen:?}");
            }
        }
    }

    #[test]
    fn long_lists_go_there_and_back() {
        for (count, step) in [(70_000, 3), (65_536, 2), (65_537, 40_000)] {
            let chosen: Vec<u8> = (0..count).map(|i| u8::from(i * 7 % step == step - 1)).collect();
            let words: Vec<u64> = (0..count as u64).collect();
            let positions = || words.iter().copied().filter(|&i| chosen[i as usize] == 1);
            let front = gather(&words, &chosen, positions().count());
            assert!(front.iter().copied().eq(positions()));
            let list = spread(&front, &chosen);
            assert!(positions().all(|i| list[i as usize] == i));
        }
    }

    #[test]
    fn entries_are_found_in_every_block() {
        let list: Vec<u64> = (0..3 * BLOCK as u64 + 5).map(|x| x * x + 1).collect();
        let indices: Vec<u64> = (0..list.len() as u64 + 2).rev().collect();
        let found = select(&list, &indices);
        let expected = indices.iter().map(|&i| list.get(i as usize).copied().unwrap_or(0));
        assert!(found.iter().copied().eq(expected));
    }
}
