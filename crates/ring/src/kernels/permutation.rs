//! Index lists, which are checked once: automorphisms on evaluations.

use std::ops::Range;

/// The number of words in the blocks of [`BlockMove`]s: one vector of AVX-512.
const BLOCK: usize = 8;

/// An index list that has been checked once: every index is below the list's length. (This is all that kernels need; an
/// index may repeat.)
///
/// Automorphisms, on evaluations in bit-reversed order, map aligned blocks of 8 words to such blocks: exponents whose
/// indices differ in the low 3 bits differ by multiples of `N/4`, and multiplication by an odd number preserves this.
/// The constructor detects it, and kernels then move whole vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    indices: Vec<u32>,
    /// One move per block, if all blocks are moved whole.
    moves: Option<Vec<BlockMove>>,
}

/// The source of the words of an aligned block of 8: an aligned block, in an order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockMove {
    /// The index of the block that words come from.
    pub(super) source: u32,
    /// The position in that block, below 8, of each word.
    pub(super) lanes: [u8; BLOCK],
}

impl BlockMove {
    /// Returns the move that fetches these words, or `None` if they lie in different blocks.
    fn new(indices: &[u32; BLOCK]) -> Option<Self> {
        let source = indices[0] / BLOCK as u32;
        let lanes = indices.map(|i| (i % BLOCK as u32) as u8);
        indices.iter().all(|i| i / BLOCK as u32 == source).then_some(Self { source, lanes })
    }
}

impl Permutation {
    /// Returns the permutation of an index list, and detects whether it moves whole blocks.
    ///
    /// # Panics
    /// If an index is not below the length.
    #[must_use]
    pub fn new(indices: Vec<u32>) -> Self {
        let len = indices.len();
        assert!(indices.iter().all(|&i| (i as usize) < len), "an index is not below {len}");
        let moves = match indices.as_chunks::<BLOCK>() {
            (blocks, []) => blocks.iter().map(BlockMove::new).collect(),
            _ => None,
        };
        Self { indices, moves }
    }

    /// Returns one move per block, if all blocks are moved whole.
    #[cfg(test)]
    pub(super) fn moves(&self) -> Option<&[BlockMove]> {
        self.moves.as_deref()
    }

    /// Returns the whole permutation as a part.
    #[must_use]
    pub fn whole(&self) -> PermutationPart<'_> {
        PermutationPart { first: 0, indices: &self.indices, moves: self.moves.as_deref() }
    }

    /// Returns the part that fills an aligned block of `2^k` words from another such block, as automorphisms do on
    /// evaluations in bit-reversed order: the exponents of positions in the block have their low bits in common, and so
    /// do the exponents times an odd number. If the words are not all from one block, kernels will panic.
    ///
    /// ```
    /// use cryptable_ring::kernels::{Permutation, permute};
    /// let permutation = Permutation::new(vec![3, 2, 0, 1]);
    /// let part = permutation.part(0..2);
    /// assert_eq!(part.source(), 2..4);
    /// let mut out = [0; 2];
    /// permute(&mut out, &[7, 8], part);
    /// assert_eq!(out, [8, 7]);
    /// ```
    ///
    /// # Panics
    /// If the range is not an aligned block.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> PermutationPart<'_> {
        let len = range.len();
        assert!(len.is_power_of_two() && range.start.is_multiple_of(len), "block {range:?}");
        let first = self.indices[range.start] as usize / len * len;
        let moves = self.moves.as_ref().filter(|_| len.is_multiple_of(BLOCK));
        let moves = moves.map(|moves| &moves[range.start / BLOCK..range.end / BLOCK]);
        PermutationPart { first, indices: &self.indices[range], moves }
    }

    /// Returns the index list: the source of each word.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the number of words that are permuted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }
}

/// Contiguous positions of a [`Permutation`], and the contiguous words that they are filled from.
#[derive(Clone, Copy, Debug)]
pub struct PermutationPart<'a> {
    /// The first of the words that the positions are filled from.
    first: usize,
    indices: &'a [u32],
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "only vector kernels move whole blocks")
    )]
    moves: Option<&'a [BlockMove]>,
}

impl<'a> PermutationPart<'a> {
    /// Returns the range of words that kernels read.
    #[must_use]
    pub fn source(self) -> Range<usize> {
        self.first..self.first + self.indices.len()
    }

    /// Returns the places in the source that words come from.
    pub(super) fn places(self) -> impl Iterator<Item = usize> + 'a {
        self.indices.iter().map(move |&index| index as usize - self.first)
    }

    /// If all blocks are moved whole, returns the place of each one among the source's blocks, and the positions of its
    /// words in it.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn moves(self) -> Option<impl Iterator<Item = (usize, [u8; BLOCK])> + 'a> {
        let first = self.first / BLOCK;
        let moves = self.moves?.iter();
        Some(moves.map(move |step| (step.source as usize - first, step.lanes)))
    }
}

#[cfg(test)]
mod tests {
    use crate::kernels::tests::for_each_case;
    use crate::kernels::{Permutation, permute, permute_add_assign};

    #[test]
    fn permutations() {
        for_each_case(|m, len, random| {
            let (input, acc) = (random.vector(len, m.value()), random.vector(len, m.value()));
            let blocks = (len / 8).max(1) as u64;
            let anywhere = (0..len).map(|_| (random.word() % len as u64) as u32).collect();
            // Whole blocks from random places, with their words in random order.
            let places: Vec<u64> = (0..len.div_ceil(8)).map(|_| random.word() % blocks).collect();
            let by_blocks = (0..len)
                .map(|i| (places[i / 8] * 8 + random.word() % 8).min(len as u64 - 1) as u32)
                .collect();
            for indices in [anywhere, by_blocks] {
                let permutation = Permutation::new(indices);
                let (mut out, mut sum) = (vec![0; len], acc.clone());
                permute(&mut out, &input, permutation.whole());
                permute_add_assign(m, &mut sum, &input, permutation.whole());
                for (i, &index) in permutation.indices().iter().enumerate() {
                    assert_eq!(out[i], input[index as usize]);
                    assert_eq!(sum[i], m.add(acc[i], input[index as usize]), "{m:?}");
                }
            }
        });
    }

    /// Checks the positions block by block, each with the block that fills it.
    fn parts_are_the_whole(permutation: &Permutation, block: usize) {
        let input: Vec<u64> = (0..permutation.len() as u64).map(|i| i * i + 1).collect();
        let (mut expected, mut found) = (vec![0; input.len()], vec![0; input.len()]);
        permute(&mut expected, &input, permutation.whole());
        for (index, out) in found.chunks_mut(block).enumerate() {
            let part = permutation.part(index * block..(index + 1) * block);
            permute(out, &input[part.source()], part);
        }
        assert_eq!(found, expected, "blocks of {block}");
    }

    #[test]
    fn automorphisms_move_whole_blocks() {
        let (degree, bits) = (1024u32, 10);
        let reverse = |i: u32| i.reverse_bits() >> (32 - bits);
        for element in [3, 5, 25, 2 * degree - 1] {
            let image = |i| reverse(((2 * reverse(i) + 1) * element % (2 * degree)) / 2);
            let permutation = Permutation::new((0..degree).map(image).collect());
            assert!(permutation.moves().is_some());
            for block in [1, 4, 8, 256, 1024] {
                parts_are_the_whole(&permutation, block);
            }
        }
        assert!(Permutation::new((0..degree).map(reverse).collect()).moves().is_none());
    }

    #[test]
    #[should_panic(expected = "an index is not below 3")]
    fn permutation_checks_indices() {
        let _ = Permutation::new(vec![0, 3, 1]);
    }
}
