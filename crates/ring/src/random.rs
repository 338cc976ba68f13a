//! One CSPRNG, ChaCha20, in domain-separated streams, and the samplers.
//!
//! A stream is named by a seed, a purpose and an index. The seed is ChaCha's key; purpose and index
//! form its 64-bit stream number (the nonce of Bernstein's original variant, with a 64-bit block
//! counter), `purpose·2^56 + index`. Streams of one seed thus never overlap, whatever they are for,
//! and each limb of a key can be expanded on its own, in parallel, without the limbs before it.
//!
//! Uniform words are part of the wire format, because files hold seeds in place of uniform
//! polynomials: [`RandomStream::uniform_assign`] states which bytes make which word.
//!
//! Samplers of secrets and errors neither branch on the values they draw nor access memory by them. The number of draws
//! that a sampler makes reveals which draws it rejected, and nothing about those it kept.
//!
//! Fresh seeds come from the operating system, and the environment has no influence on them. Only tests are built with
//! the feature `replay`, and only tests that request it draw repeatable seeds.

mod gaussian;
mod key_stream;
#[cfg(any(test, feature = "replay"))]
pub mod replay;
#[cfg(test)]
mod tests;
mod wide_gaussian;

use rand::rngs::OsRng;
use rand::{RngCore, TryRngCore};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::stack::clear_stack;
use key_stream::KeyStream;
pub use wide_gaussian::WideGaussian;

/// Fills a seed from the operating system, or from the stream of a test that replays.
fn fill_fresh(bytes: &mut [u8; Seed::BYTES]) {
    #[cfg(any(test, feature = "replay"))]
    if replay::fill(bytes) {
        return;
    }
    OsRng.try_fill_bytes(bytes).expect("the operating system provides randomness");
}

/// A public seed, from which uniform masks are expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed([u8; Self::BYTES]);

impl Seed {
    /// The length of a seed in bytes.
    pub const BYTES: usize = 32;

    /// Draws a fresh seed from the operating system.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0; Self::BYTES];
        fill_fresh(&mut bytes);
        Self(bytes)
    }

    /// Returns the seed of these bytes, as files hold them.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the seed, as files hold them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

/// A secret seed, from which secrets and errors are drawn. Zeroized on drop, redacted in `Debug`,
/// not `Clone`.
///
/// ```
/// use cryptable_ring::random::{RandomStream, SecretSeed, StreamPurpose};
/// let seed = SecretSeed::random();
/// let mut stream = RandomStream::new(seed.as_bytes(), StreamPurpose::Secret, 0);
/// assert!(stream.uniform_ternary(1024).iter().all(|c| (-1..=1).contains(c)));
/// ```
pub struct SecretSeed(
    /// The bytes, on the heap: where the seed is moved, only a pointer is copied.
    Box<Zeroizing<[u8; Seed::BYTES]>>,
);

impl ZeroizeOnDrop for SecretSeed {}

impl std::fmt::Debug for SecretSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretSeed(redacted)")
    }
}

impl SecretSeed {
    /// Draws a fresh seed from the operating system.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn random() -> Self {
        let mut seed = Self(Box::new(Zeroizing::new([0; Seed::BYTES])));
        fill_fresh(&mut seed.0);
        seed
    }

    /// Returns the seed of these bytes, read from a file or derived.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Seed::BYTES]) -> Self {
        let mut seed = Self(Box::new(Zeroizing::new([0; Seed::BYTES])));
        seed.0.copy_from_slice(bytes);
        seed
    }

    /// Returns the bytes of the seed, which are secret.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Seed::BYTES] {
        &self.0
    }
}

/// Purpose of a stream: streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPurpose {
    /// Secret polynomials and vectors.
    Secret = 1,
    /// Errors of fresh ciphertexts and keys.
    Error = 2,
    /// Uniform masks of ciphertexts and keys, which are public.
    Mask = 3,
    /// Choices that a client keeps to itself: the places of a list that are canaries, and their contents.
    Choice = 4,
    /// Flooding, which hides the noise of values that several owners decrypt, or of results of hidden tables.
    Flooding = 5,
}

/// The largest index of a stream: eight bits of the stream number are the purpose.
const MAX_INDEX: u64 = (1 << 56) - 1;

/// Words drawn at once, so that ChaCha runs on whole blocks.
const BATCH: usize = 256;

/// A random stream. Its state is zeroized on drop and redacted in Debug.
///
/// Streams of secrets and errors also clear the stack below the place where they are dropped, since making and running
/// a generator leaves its key there.
pub struct RandomStream {
    generator: Box<KeyStream>,
    is_public: bool,
}

impl std::fmt::Debug for RandomStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RandomStream(redacted)")
    }
}

impl Drop for RandomStream {
    fn drop(&mut self) {
        if !self.is_public {
            clear_stack();
        }
    }
}

impl ZeroizeOnDrop for RandomStream {}

impl RandomStream {
    /// Returns the stream of a seed with this purpose and index.
    ///
    /// # Panics
    /// If the index needs more than 56 bits.
    // Never inlined: copies of the seed stay below the frames of callers.
    #[must_use]
    #[inline(never)]
    pub fn new(seed: &[u8; Seed::BYTES], purpose: StreamPurpose, index: u64) -> Self {
        assert!(index <= MAX_INDEX, "stream index {index}");
        let generator = KeyStream::new(seed, (purpose as u64) << 56 | index);
        Self { generator, is_public: purpose == StreamPurpose::Mask }
    }

    /// Returns a stream of a fresh seed from the operating system, for secrets, errors and everything else.
    #[must_use]
    #[inline(never)]
    pub fn from_os() -> Self {
        let seed = SecretSeed::random();
        Self { generator: KeyStream::new(seed.as_bytes(), 0), is_public: false }
    }

    /// Draws uniform words in `[0, q)`, by rejection.
    ///
    /// Every eight bytes of the stream, little-endian, make a word, of which the low `bits(q - 1)` bits (at least one)
    /// count; words of q or more are skipped. A power of two rejects none.
    ///
    /// # Panics
    /// If q is 0.
    pub fn uniform_assign(&mut self, out: &mut [u64], q: u64) {
        assert!(q > 0, "uniform words below 0");
        let mask = u64::MAX >> (q - 1).leading_zeros().min(63);
        let mut batch = Zeroizing::new([0u8; 8 * BATCH]);
        let mut filled = 0;
        while filled < out.len() {
            let wanted = (out.len() - filled).min(BATCH);
            self.generator.fill_bytes(&mut batch[..8 * wanted]);
            for bytes in batch[..8 * wanted].chunks_exact(8) {
                let word = u64::from_le_bytes(bytes.try_into().expect("8 bytes")) & mask;
                // The word is always written, and kept only if it is in range: no branch depends on the value.
                out[filled.min(out.len() - 1)] = word;
                filled += usize::from(word < q);
                if filled == out.len() {
                    break;
                }
            }
        }
    }

    /// Draws coefficients uniform in {-1, 0, 1}, by rejection of 3 among two-bit pieces.
    #[must_use]
    pub fn uniform_ternary(&mut self, count: usize) -> Zeroizing<Vec<i8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(count));
        while out.len() < count {
            let mut word = self.generator.next_u64();
            for _ in 0..32 {
                if word & 3 < 3 && out.len() < count {
                    out.push((word & 3) as i8 - 1);
                }
                word >>= 2;
            }
        }
        out
    }

    /// Draws exactly `weight` coefficients of ±1 at uniform positions; the others are 0 (Floyd's sampling).
    ///
    /// Floyd's algorithm reads the position that it drew, and writes there or to the last one. Here each draw passes
    /// over all coefficients twice, so that addresses reveal nothing: `2·weight·count` steps.
    ///
    /// # Panics
    /// If the weight exceeds the count.
    #[must_use]
    pub fn fixed_weight_ternary(&mut self, count: usize, weight: usize) -> Zeroizing<Vec<i8>> {
        assert!(weight <= count, "weight {weight} of {count}");
        let mut out = Zeroizing::new(vec![0i8; count]);
        let mut draw = Zeroizing::new([0u64]);
        for last in count - weight..count {
            self.uniform_assign(&mut *draw, last as u64 + 1);
            // 1 for an even word, -1 for an odd one.
            let sign = 1 - 2 * (self.generator.next_u32() & 1) as i8;
            let drawn = draw[0];
            let taken = out.iter().zip(0u64..).fold(Choice::from(0), |taken, (&c, position)| {
                taken | (position.ct_eq(&drawn) & !c.ct_eq(&0))
            });
            let chosen = u64::conditional_select(&drawn, &(last as u64), taken);
            for (coefficient, position) in out.iter_mut().zip(0u64..) {
                coefficient.conditional_assign(&sign, position.ct_eq(&chosen));
            }
        }
        out
    }

    /// Draws a uniform word below `bound`, by rejection like [`RandomStream::uniform_assign`].
    fn below(&mut self, bound: u64) -> u64 {
        let mask = u64::MAX >> (bound - 1).leading_zeros().min(63);
        loop {
            let word = self.generator.next_u64() & mask;
            if word < bound {
                return word;
            }
        }
    }

    /// Draws flags of `count` positions: 1 for exactly `weight` uniform ones, 0 for the others (selection sampling,
    /// Knuth, The Art of Computer Programming 2, Section 3.4.2, Algorithm S).
    ///
    /// The probability that a position is chosen is the number of positions still to be chosen, divided by the number
    /// of positions that remain.
    ///
    /// # Panics
    /// If the weight exceeds the count.
    #[must_use]
    pub fn chosen_positions(&mut self, count: usize, weight: usize) -> Zeroizing<Vec<u8>> {
        assert!(weight <= count, "weight {weight} of {count}");
        let mut out = Zeroizing::new(Vec::with_capacity(count));
        let mut missing = weight as u64;
        for positions in (1..=count as u64).rev() {
            let chosen = missing.ct_gt(&self.below(positions)).unwrap_u8();
            missing -= u64::from(chosen);
            out.push(chosen);
        }
        out
    }

    /// Draws differences of two uniform numbers below `2^bits`: symmetric about 0, with a triangular distribution of
    /// variance `(4^bits - 1)/6`.
    ///
    /// # Panics
    /// If `bits` is above 62.
    #[must_use]
    pub fn uniform_differences(&mut self, count: usize, bits: u32) -> Zeroizing<Vec<i64>> {
        assert!(bits <= 62, "{bits} bits");
        let mut words = Zeroizing::new(vec![0; 2 * count]);
        self.uniform_assign(&mut words, 1 << bits);
        let (plus, minus) = words.split_at(count);
        let differences = plus.iter().zip(minus).map(|(&x, &y)| x as i64 - y as i64);
        let mut out = Zeroizing::new(Vec::with_capacity(count));
        out.extend(differences);
        out
    }

    /// Draws centred binomial errors: the difference of two sums of 21 coins, of variance 10.5.
    #[must_use]
    pub fn centered_binomial(&mut self, count: usize) -> Zeroizing<Vec<i8>> {
        let coins = (1u64 << 21) - 1;
        let mut draw = || {
            let word = self.generator.next_u64();
            (word & coins).count_ones() as i8 - (word >> 21 & coins).count_ones() as i8
        };
        Zeroizing::new((0..count).map(|_| draw()).collect())
    }
}
