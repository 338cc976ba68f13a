//! Block secrets, under which phases of few values are exponentiated in slots.
//!
//! A secret of dimension d has h blocks of d/h coefficients. Each block has a single 1, at a uniformly random place.
//! Hence `e^{2πi·phase}` is a product of h factors, one per block, and each factor is a sum of d/h public numbers of
//! which the secret selects one (the idea of SHIP, Cheon, Hanrot, Kim, Stehlé, EUROCRYPT 2025). These numbers and the
//! bits of the secret are in slots of a larger ring: slot `v + n·c` has value v of n and the blocks of copy c.

use cryptable_ring::{Basis, Ring};

use crate::evaluation_keys::{KeyPurpose, KeyRequest};
use crate::switching_key::SwitchingKeyShape;

/// The layout of a block secret in the slots of a ring.
///
/// ```
/// use cryptable_lattice::block_secret::BlockSecretShape;
/// let shape = BlockSecretShape { ring_degree: 1 << 15, dimension: 2048, blocks: 64, slots: 1024, limbs: 17, log2_scale: 40.0 };
/// assert_eq!((shape.block_size(), shape.copies(), shape.groups()), (32, 16, 4));
/// assert_eq!(shape.encrypted_bits(), 128);
/// // Blocks that lie in different copies are bits of one ciphertext.
/// assert_eq!((shape.block(0, 1), shape.block(1, 0)), (1, 16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockSecretShape {
    /// Ring degree N.
    pub ring_degree: usize,
    /// Dimension d of the secret, a power of two of at most N, and the degree of its ring.
    pub dimension: usize,
    /// The number of blocks h, a power of two.
    pub blocks: usize,
    /// The number of values n, a power of two of at most d and N/2.
    pub slots: usize,
    /// Limbs of the first chain at which bits of the secret are encrypted.
    pub limbs: usize,
    /// log2 of the scale of these ciphertexts.
    pub log2_scale: f64,
}

impl BlockSecretShape {
    /// Returns the number of coefficients of a block.
    #[must_use]
    pub const fn block_size(self) -> usize {
        self.dimension / self.blocks
    }

    /// Returns the number of blocks that lie side by side in the slots of one ciphertext.
    #[must_use]
    pub const fn copies(self) -> usize {
        let room = self.ring_degree / 2 / self.slots;
        if room < self.blocks { room } else { self.blocks }
    }

    /// Returns the number of ciphertexts that all blocks need together.
    #[must_use]
    pub const fn groups(self) -> usize {
        self.blocks / self.copies()
    }

    /// Returns the number of ciphertexts of bits of the secret: for every group, one per coefficient of a block.
    #[must_use]
    pub const fn encrypted_bits(self) -> usize {
        self.groups() * self.block_size()
    }

    /// Returns the number of a block.
    #[must_use]
    pub const fn block(self, group: usize, copy: usize) -> usize {
        group * self.copies() + copy
    }

    /// Returns requests for the keys to the block secret, modulo a prime of `prime_bits` bits, the only one of the
    /// ring's second chain, followed by requests for the encrypted bits.
    pub fn key_requests(self, prime_bits: u32) -> impl Iterator<Item = KeyRequest> {
        let single = |purpose, basis: Basis| {
            let digit_limbs = basis.main;
            KeyRequest { purpose, shape: SwitchingKeyShape { basis, digit_limbs } }
        };
        let bottom = Basis { chain: 1, ..Basis::main(1) };
        let top = Basis::main(self.limbs);
        let digits = (0..signed_bits(prime_bits))
            .map(move |digit| single(KeyPurpose::DenseToBlocks(digit), bottom));
        let bits = (0..self.encrypted_bits() as u32)
            .map(move |index| single(KeyPurpose::BlockBits(index), top));
        digits.chain(bits)
    }
}

/// Returns the number of digits of -1, 0 and 1 that words of `bits` bits have.
#[must_use]
pub const fn signed_bits(bits: u32) -> u32 {
    bits + 1
}

/// Returns the digits of -1, 0 and 1 of public words, the least significant first. No two neighbouring digits of a word
/// are both nonzero, and a third of the digits are nonzero on average.
///
/// ```
/// use cryptable_lattice::block_secret::signed_digits;
/// // 7 = 8 - 1
/// assert_eq!(signed_digits(&[7, 5], 3), [[-1, 1], [0, 0], [0, 1], [1, 0]]);
/// ```
#[must_use]
pub fn signed_digits(words: &[u64], bits: u32) -> Vec<Vec<i64>> {
    let digit = |word: u64, place: u32| {
        let bit = |word: u64| (word >> (place + 1) & 1) as i64;
        bit(3 * word) - bit(word)
    };
    let of_place = |place| words.iter().map(|&word| digit(word, place)).collect();
    (0..signed_bits(bits)).map(of_place).collect()
}

/// Returns the index of the modulus of the ring's second chain, which is that of the block secret.
///
/// # Panics
/// If there is no such chain.
#[must_use]
pub fn bottom_prime(ring: &Ring) -> usize {
    ring.prime_index(ring.chain_basis(1, 1), 0)
}

#[cfg(feature = "client")]
pub(crate) use client::BlockSecret;
#[cfg(feature = "client")]
pub use client::block_coefficients;

#[cfg(feature = "client")]
mod client {
    use cryptable_ring::random::RandomStream;
    use cryptable_ring::rounding::nearest_integer;
    use cryptable_ring::{Embedding, SecretSlots};
    use num_complex::Complex64;
    use zeroize::Zeroizing;

    use super::BlockSecretShape;

    /// Draws the coefficients of a block secret, with blocks of equal length.
    ///
    /// # Panics
    /// If the blocks do not divide the dimension.
    #[must_use]
    pub fn block_coefficients(
        dimension: usize,
        blocks: usize,
        stream: &mut RandomStream,
    ) -> Zeroizing<Vec<i8>> {
        assert!(dimension.is_multiple_of(blocks), "{blocks} blocks of {dimension} coefficients");
        let size = dimension / blocks;
        let mut places = Zeroizing::new(vec![0; blocks]);
        stream.uniform_assign(&mut places, size as u64);
        let coefficient = |index| equal(places[index / size], (index % size) as u64) as i8;
        Zeroizing::new((0..dimension).map(coefficient).collect())
    }

    /// A block secret. Zeroized on drop, redacted in Debug, and not `Clone`.
    pub(crate) struct BlockSecret {
        shape: BlockSecretShape,
        /// The place of the 1 in each block.
        places: Zeroizing<Vec<u64>>,
        embedding: Embedding,
    }

    impl std::fmt::Debug for BlockSecret {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "BlockSecret({:?}, redacted)", self.shape)
        }
    }

    /// Returns 1 if both are equal, and 0 otherwise, without a branch.
    fn equal(a: u64, b: u64) -> u64 {
        let difference = a ^ b;
        1 - ((difference | difference.wrapping_neg()) >> 63)
    }

    impl BlockSecret {
        /// Draws a secret.
        pub(crate) fn sample(shape: BlockSecretShape) -> Self {
            let mut places = Zeroizing::new(vec![0; shape.blocks]);
            RandomStream::from_os().uniform_assign(&mut places, shape.block_size() as u64);
            let embedding = Embedding::new(shape.slots * shape.copies());
            Self { shape, places, embedding }
        }

        /// Returns the coefficients in the ring of degree N, at multiples of N/d.
        pub(crate) fn coefficients(&self) -> Zeroizing<Vec<i64>> {
            let BlockSecretShape { ring_degree, dimension, .. } = self.shape;
            let (gap, size) = (ring_degree / dimension, self.shape.block_size());
            let mut coefficients = Zeroizing::new(vec![0; ring_degree]);
            for (index, coefficient) in coefficients.iter_mut().step_by(gap).enumerate() {
                *coefficient = equal(self.places[index / size], (index % size) as u64) as i64;
            }
            coefficients
        }

        /// Returns the coefficients of the polynomial whose slots hold bits of the secret, times the scale.
        pub(crate) fn encoded_bits(&self, index: usize) -> Zeroizing<Vec<i64>> {
            let BlockSecretShape { ring_degree, slots, log2_scale, .. } = self.shape;
            let (size, count) = (self.shape.block_size(), slots * self.shape.copies());
            let (group, place) = (index / size, (index % size) as u64);
            let bit = |slot: usize| {
                let block = self.shape.block(group, slot / slots);
                Complex64::from(equal(self.places[block], place) as f64)
            };
            let mut values = SecretSlots::from_fn(count, bit);
            self.embedding.coefficients_from_slots(&mut values);
            let (gap, scale) = (ring_degree / (2 * count), log2_scale.exp2());
            let mut coefficients = Zeroizing::new(vec![0; ring_degree]);
            for (k, value) in values.iter().enumerate() {
                coefficients[k * gap] = nearest_integer(value.re * scale);
                coefficients[(k + count) * gap] = nearest_integer(value.im * scale);
            }
            coefficients
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_block_has_one_one_and_slots_have_its_bits() {
            let shape = BlockSecretShape {
                ring_degree: 256,
                dimension: 64,
                blocks: 8,
                slots: 32,
                limbs: 1,
                log2_scale: 30.0,
            };
            let secret = BlockSecret::sample(shape);
            let coefficients = secret.coefficients();
            assert_eq!(coefficients.iter().sum::<i64>(), 8);
            for (block, block_coefficients) in coefficients.chunks(32).enumerate() {
                let place = secret.places[block] as usize;
                assert_eq!(block_coefficients[4 * place], 1, "block {block}");
            }
            assert_eq!((shape.copies(), shape.groups(), shape.encrypted_bits()), (4, 2, 16));
            for index in 0..shape.encrypted_bits() {
                let encoded = secret.encoded_bits(index);
                let mut slots: Vec<_> = (0..128)
                    .map(|k| Complex64::new(encoded[k] as f64, encoded[k + 128] as f64))
                    .collect();
                Embedding::new(128).slots_from_coefficients(&mut slots);
                for (slot, value) in slots.iter().enumerate() {
                    let block = shape.block(index / 8, slot / 32);
                    let bit = f64::from(secret.places[block] == index as u64 % 8);
                    assert!((value / 30f64.exp2() - bit).norm() < 1e-6, "{index}, slot {slot}");
                }
            }
        }
    }
}
