//! Switching keys: what hybrid key switching multiplies by.

use std::sync::Arc;

use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_ring::{Basis, Buffer, Evaluations, Poly, Ring};
use rayon::prelude::*;

/// The shape of a hybrid switching key (Han, Ki 2020): at which level it works and how it splits.
///
/// A polynomial of l limbs, at most those of `basis`, is cut into `ceil(l / digit_limbs)` digits
/// of `digit_limbs` consecutive limbs each. The product of the special primes is to be at least as
/// large as that of a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SwitchingKeyShape {
    /// The primes the key is given by: the highest level it serves, and its special primes.
    pub basis: Basis,
    /// Limbs of chain primes a digit.
    pub digit_limbs: usize,
}

impl SwitchingKeyShape {
    /// The basis of a polynomial of the first `main` primes that was raised to the modulus Q·P.
    #[must_use]
    pub const fn raised(self, main: usize) -> Basis {
        self.basis.lowered(main)
    }

    /// Whether it serves polynomials of this basis: those of its chain, up to its level.
    #[must_use]
    pub const fn serves(self, basis: Basis) -> bool {
        self.basis.chain == basis.chain && basis.main <= self.basis.main
    }

    /// The number of digits of a polynomial of the first `main` primes.
    #[must_use]
    pub const fn digits_at(self, main: usize) -> usize {
        self.raised(main).main_limbs().div_ceil(self.digit_limbs)
    }

    /// The limbs of one digit of a polynomial of the first `main` primes.
    #[must_use]
    pub const fn digit_range(self, digit: usize, main: usize) -> std::ops::Range<usize> {
        let limbs = self.raised(main).main_limbs();
        let (start, end) = (digit * self.digit_limbs, (digit + 1) * self.digit_limbs);
        start..if end < limbs { end } else { limbs }
    }

    /// The number of digits (dnum) of the key itself.
    #[must_use]
    pub const fn digits(self) -> usize {
        self.digits_at(self.basis.main)
    }

    /// NTTs of one key switch of a polynomial of the first `main` primes: `(d + 2)(l + k)` for l limbs.
    #[must_use]
    pub const fn transforms_at(self, main: usize) -> usize {
        (self.digits_at(main) + 2) * self.raised(main).limbs()
    }

    /// Words of one half of the key.
    #[must_use]
    pub const fn half_words(self, degree: usize) -> usize {
        self.digits() * self.basis.limbs() * degree
    }

    /// Bytes of the key in memory, both halves.
    #[must_use]
    pub const fn memory_bytes(self, degree: usize) -> usize {
        2 * 8 * self.half_words(degree)
    }

    /// Bytes of the key on disk: one half and a seed.
    #[must_use]
    pub const fn stored_bytes(self, degree: usize) -> usize {
        8 * self.half_words(degree) + Seed::BYTES
    }
}

/// Bytes that a key may borrow its words from: a memory-mapped file, say.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The stored half of a key: owned words on cache lines of their own, or words within shared bytes.
#[derive(Clone)]
enum Words {
    Owned(Buffer),
    Shared { bytes: SharedBytes, offset: usize, words: usize },
}

impl Words {
    fn as_slice(&self) -> &[u64] {
        match self {
            Self::Owned(words) => words,
            Self::Shared { bytes, offset, words } => {
                let bytes: &[u8] = (**bytes).as_ref();
                bytemuck::cast_slice(&bytes[*offset..offset + 8 * words])
            }
        }
    }
}

/// A key that switches ciphertexts from one secret s' to another s.
///
/// Digit i is `(b_i, a_i)` with `b_i = -a_i·s + e_i + P·g_i·s'` modulo `Q·P`, in evaluations, where
/// `g_i` is 1 modulo the primes of digit i and 0 modulo the other chain primes, and P the product of
/// the special primes. The uniform half is expanded from a seed; only b is stored and sent.
pub struct SwitchingKey {
    shape: SwitchingKeyShape,
    degree: usize,
    seed: Seed,
    b: Words,
    a: Buffer,
}

impl std::fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SwitchingKey").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl SwitchingKey {
    /// A key from its stored half and seed; expands the uniform half.
    ///
    /// # Panics
    /// If the number of words does not fit the shape.
    #[must_use]
    pub fn from_owned(ring: &Ring, shape: SwitchingKeyShape, seed: Seed, b: Buffer) -> Self {
        assert_eq!(b.len(), shape.half_words(ring.degree()));
        Self::new(ring, shape, seed, Words::Owned(b))
    }

    /// A key whose stored half stays where it is, at byte `offset` of `bytes`.
    ///
    /// Returns `None` if the words are not 8-byte aligned, not wholly inside, or not reduced modulo
    /// their primes.
    #[must_use]
    pub fn from_shared(
        ring: &Ring,
        shape: SwitchingKeyShape,
        seed: Seed,
        bytes: SharedBytes,
        offset: usize,
    ) -> Option<Self> {
        let words = shape.half_words(ring.degree());
        {
            let all: &[u8] = (*bytes).as_ref();
            let part = all.get(offset..offset.checked_add(words.checked_mul(8)?)?)?;
            let part: &[u64] = bytemuck::try_cast_slice(part).ok()?;
            if !words_are_reduced(ring, shape.basis, part) {
                return None;
            }
        }
        Some(Self::new(ring, shape, seed, Words::Shared { bytes, offset, words }))
    }

    fn new(ring: &Ring, shape: SwitchingKeyShape, seed: Seed, b: Words) -> Self {
        let a = expand_mask(ring, shape, &seed);
        Self { shape, degree: ring.degree(), seed, b, a }
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> SwitchingKeyShape {
        self.shape
    }

    /// The seed of the uniform half.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The stored half: all limbs of all digits.
    #[must_use]
    pub fn stored_words(&self) -> &[u64] {
        self.b.as_slice()
    }

    /// Limb `limb` of the pair `(b_i, a_i)`, for a polynomial given by `basis`: modulo [`SwitchingKey::prime_index`].
    ///
    /// # Panics
    /// If the key does not hold that basis.
    #[must_use]
    pub fn limb(&self, digit: usize, basis: Basis, limb: usize) -> (&[u64], &[u64]) {
        let start = (digit * self.shape.basis.limbs() + self.own_limb(basis, limb)) * self.degree;
        let range = start..start + self.degree;
        (&self.b.as_slice()[range.clone()], &self.a[range])
    }

    /// The number of the modulus of [`SwitchingKey::limb`]: a multiple of the modulus of that limb in `basis`, where the
    /// polynomial has dropped the second prime of a limb.
    #[must_use]
    pub fn prime_index(&self, ring: &Ring, basis: Basis, limb: usize) -> usize {
        ring.prime_index(self.shape.basis, self.own_limb(basis, limb))
    }

    /// Where the key has limb `limb` of `basis`.
    fn own_limb(&self, basis: Basis, limb: usize) -> usize {
        let own = self.shape.basis;
        assert!(basis.main <= own.main && own.lowered(basis.main) == basis, "{basis:?}");
        let main_limbs = basis.main_limbs();
        if limb < main_limbs { limb } else { limb - main_limbs + own.main_limbs() }
    }
}

/// The uniform half of a key: one stream of the seed a digit and prime, so that limbs expand in
/// parallel and a limb does not depend on which others are stored.
pub(crate) fn expand_mask(ring: &Ring, shape: SwitchingKeyShape, seed: &Seed) -> Buffer {
    let mut mask = Buffer::unspecified(shape.half_words(ring.degree()));
    mask.par_chunks_mut(ring.degree()).enumerate().for_each(|(index, words)| {
        let (digit, limb) = (index / shape.basis.limbs(), index % shape.basis.limbs());
        let prime = ring.prime_index(shape.basis, limb);
        let stream = (digit as u64) << 32 | prime as u64;
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, stream)
            .uniform_assign(words, ring.modulus(prime).value());
    });
    mask
}

/// Whether every word of a sequence of limb-major polynomials is below its prime.
#[must_use]
pub fn words_are_reduced(ring: &Ring, basis: Basis, words: &[u64]) -> bool {
    words.par_chunks(ring.degree()).enumerate().all(|(index, limb)| {
        let q = ring.modulus(ring.prime_index(basis, index % basis.limbs())).value();
        limb.iter().all(|&word| word < q)
    })
}

/// A ciphertext pair under one secret, `c0 + c1·s`, in evaluations.
#[derive(Clone, Debug)]
pub struct RlweCiphertext {
    /// The part that is not multiplied by the secret.
    pub c0: Poly<Evaluations>,
    /// The part that is.
    pub c1: Poly<Evaluations>,
}
