//! Index lists, checked once: automorphisms on evaluations.

/// Words of the blocks that [`BlockMove`]s take: one vector of AVX-512.
const BLOCK: usize = 8;

/// An index list that has been checked once: every index is below the list's length. (Kernels need
/// no more; an index may repeat.)
///
/// Automorphisms, on evaluations in bit-reversed order, map aligned blocks of 8 words to such
/// blocks: exponents whose indices differ in the low 3 bits differ by multiples of `N/4`, and
/// multiplication by an odd number keeps that. The constructor detects it, and kernels then move
/// whole vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    indices: Vec<u32>,
    /// One per block, if all blocks are moved whole.
    moves: Option<Vec<BlockMove>>,
}

/// Where the words of an aligned block of 8 come from: an aligned block, in an order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockMove {
    /// The index of the block that words come from.
    pub(super) source: u32,
    /// The position in that block, below 8, of each word.
    pub(super) lanes: [u8; BLOCK],
}

impl BlockMove {
    /// The move that fetches these words, unless they lie in different blocks.
    fn new(indices: &[u32; BLOCK]) -> Option<Self> {
        let source = indices[0] / BLOCK as u32;
        let lanes = indices.map(|i| (i % BLOCK as u32) as u8);
        indices.iter().all(|i| i / BLOCK as u32 == source).then_some(Self { source, lanes })
    }
}

impl Permutation {
    /// Checks an index list, and whether it moves whole blocks.
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

    /// One move per block, if all blocks are moved whole.
    #[cfg(any(target_arch = "x86_64", test))]
    pub(super) fn moves(&self) -> Option<&[BlockMove]> {
        self.moves.as_deref()
    }

    /// The index list: where each word comes from.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The number of words that are permuted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }
}
