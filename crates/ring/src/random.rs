//! One CSPRNG, ChaCha20, in domain-separated streams, and the samplers.
//!
//! A stream is named by a seed, a purpose and an index. Purpose and index form ChaCha's 64-bit stream
//! number, so streams of one seed never overlap and each can be expanded on its own, in parallel.

use rand::rngs::OsRng;
use rand::{RngCore, SeedableRng, TryRngCore};
use rand_chacha::ChaCha20Rng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A public seed of uniform masks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed([u8; Self::BYTES]);

impl Seed {
    /// Length of a seed.
    pub const BYTES: usize = 32;

    /// A fresh seed from the operating system.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0; Self::BYTES];
        OsRng.try_fill_bytes(&mut bytes).expect("the operating system gives randomness");
        Self(bytes)
    }

    /// A seed read from a file.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

/// What a stream is for: streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPurpose {
    /// Secrets.
    Secret = 1,
    /// Errors.
    Error = 2,
    /// Public uniform masks.
    Mask = 3,
}

/// Largest index of a stream: eight bits of the stream number are the purpose.
const MAX_INDEX: u64 = (1 << 56) - 1;

/// Words drawn at once, so that ChaCha runs on whole blocks.
const BATCH: usize = 1024;

/// A random stream. Its state is zeroized on drop and redacted in Debug.
pub struct RandomStream(ChaCha20Rng);

impl std::fmt::Debug for RandomStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RandomStream(redacted)")
    }
}

impl Drop for RandomStream {
    fn drop(&mut self) {
        // rand_chacha keeps its state private: overwrite it with that of a public seed.
        self.0 = ChaCha20Rng::from_seed([0; 32]);
    }
}

impl ZeroizeOnDrop for RandomStream {}

impl RandomStream {
    /// Stream `index` of a seed for one purpose.
    ///
    /// # Panics
    /// If the index needs more than 56 bits.
    #[must_use]
    pub fn new(seed: &[u8; 32], purpose: StreamPurpose, index: u64) -> Self {
        assert!(index <= MAX_INDEX, "stream index {index}");
        let mut generator = ChaCha20Rng::from_seed(*seed);
        generator.set_stream((purpose as u64) << 56 | index);
        Self(generator)
    }

    /// A stream of a fresh seed from the operating system.
    #[must_use]
    pub fn from_os() -> Self {
        let mut seed = Seed::random();
        let stream = Self(ChaCha20Rng::from_seed(seed.0));
        seed.0.zeroize();
        stream
    }

    /// Uniform words in `[0, q)`, by rejection of words of `bits(q)` bits.
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
            self.0.fill_bytes(&mut batch[..8 * wanted]);
            for bytes in batch[..8 * wanted].chunks_exact(8) {
                let word = u64::from_le_bytes(bytes.try_into().expect("8 bytes")) & mask;
                // Written always, kept only if in range: no branch on the value.
                out[filled.min(out.len() - 1)] = word;
                filled += usize::from(word < q);
                if filled == out.len() {
                    break;
                }
            }
        }
    }

    /// Coefficients uniform in {-1, 0, 1}, by rejection of 3 among two-bit pieces.
    #[must_use]
    pub fn uniform_ternary(&mut self, count: usize) -> Zeroizing<Vec<i8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(count));
        while out.len() < count {
            let mut word = self.0.next_u64();
            for _ in 0..32 {
                if word & 3 < 3 && out.len() < count {
                    out.push((word & 3) as i8 - 1);
                }
                word >>= 2;
            }
        }
        out
    }

    /// Exactly `weight` coefficients of ±1 at uniform positions, the others 0 (Floyd's sampling).
    ///
    /// # Panics
    /// If the weight exceeds the count.
    #[must_use]
    pub fn fixed_weight_ternary(&mut self, count: usize, weight: usize) -> Zeroizing<Vec<i8>> {
        assert!(weight <= count, "weight {weight} of {count}");
        let mut out = Zeroizing::new(vec![0i8; count]);
        let mut draw = [0u64];
        for last in count - weight..count {
            self.uniform_assign(&mut draw, last as u64 + 1);
            let sign = if self.0.next_u32() & 1 == 0 { 1 } else { -1 };
            let position = if out[draw[0] as usize] == 0 { draw[0] as usize } else { last };
            out[position] = sign;
        }
        draw.zeroize();
        out
    }

    /// Centred binomial errors: the difference of two sums of 21 coins, of variance 10.5.
    #[must_use]
    pub fn centered_binomial(&mut self, count: usize) -> Zeroizing<Vec<i8>> {
        let coins = (1u64 << 21) - 1;
        let mut draw = || {
            let word = self.0.next_u64();
            (word & coins).count_ones() as i8 - (word >> 21 & coins).count_ones() as i8
        };
        Zeroizing::new((0..count).map(|_| draw()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_fixed_by_its_name() {
        let draw = |purpose, index| {
            let mut words = [0u64; 4];
            RandomStream::new(&[7; 32], purpose, index).uniform_assign(&mut words, 1 << 62);
            words
        };
        assert_eq!(draw(StreamPurpose::Mask, 3), draw(StreamPurpose::Mask, 3));
        assert_ne!(draw(StreamPurpose::Mask, 3), draw(StreamPurpose::Mask, 4));
        assert_ne!(draw(StreamPurpose::Mask, 3), draw(StreamPurpose::Error, 3));
    }

    #[test]
    fn uniform_words_fill_the_range_evenly() {
        for q in [1u64, 2, 3, 97, (1 << 20) + 7, (1 << 49) - 111] {
            let mut words = vec![0u64; 60_000];
            RandomStream::from_os().uniform_assign(&mut words, q);
            assert!(words.iter().all(|&w| w < q));
            // Ten cells: chi-square of 9 degrees of freedom, within 2^-40 both ways.
            let mut cells = [0f64; 10];
            if q < 10 {
                continue;
            }
            for &word in &words {
                cells[(u128::from(word) * 10 / u128::from(q)) as usize] += 1.0;
            }
            let expected = |c: usize| {
                let (c, q) = (c as u128, u128::from(q));
                (((c + 1) * q).div_ceil(10) - (c * q).div_ceil(10)) as f64 / q as f64 * 60_000.0
            };
            let chi: f64 =
                (0..10).map(|c| (cells[c] - expected(c)).powi(2) / expected(c)).sum();
            assert!((0.05..70.0).contains(&chi), "q = {q}: chi-square {chi}");
        }
    }

    #[test]
    fn small_samplers_have_their_moments() {
        let mut stream = RandomStream::from_os();
        let count = 200_000;
        let moments = |values: &[i8]| {
            let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / count as f64;
            let square = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
            (mean, square / count as f64)
        };
        let (mean, square) = moments(&stream.uniform_ternary(count));
        assert!(mean.abs() < 0.02 && (square - 2.0 / 3.0).abs() < 0.02, "{mean} {square}");
        let (mean, square) = moments(&stream.centered_binomial(count));
        assert!(mean.abs() < 0.08 && (square - 10.5).abs() < 0.4, "{mean} {square}");
    }

    #[test]
    fn fixed_weight_is_exact_and_spread_out() {
        let mut hits = [0u32; 64];
        for _ in 0..4000 {
            let secret = RandomStream::from_os().fixed_weight_ternary(64, 8);
            assert_eq!(secret.iter().filter(|&&c| c != 0).count(), 8);
            secret.iter().zip(&mut hits).for_each(|(&c, hit)| *hit += u32::from(c != 0));
        }
        // 500 expected at each position, standard deviation 21.
        assert!(hits.iter().all(|hit| (340..660).contains(hit)), "{hits:?}");
    }
}
