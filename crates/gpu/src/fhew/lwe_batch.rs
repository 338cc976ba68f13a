//! Batches of LWE ciphertexts in the memory of a card.

use cryptable_lattice::error::{Result, demand};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweShape;

use crate::device::{Device, Words};

/// LWE ciphertexts of one dimension and modulus, up to 2^32, on a card.
#[derive(Debug)]
pub struct LweBatch {
    /// Words of 32 bits, two in each: masks and bodies, each ciphertext from a whole word on.
    words: Words,
    shape: LweShape,
    count: usize,
}

impl LweBatch {
    /// A copy of ciphertexts, all of this shape.
    ///
    /// # Errors
    /// If one is of another dimension or modulus, or the modulus is above 2^32.
    pub fn upload<'a>(
        device: &Device,
        shape: LweShape,
        ciphertexts: impl ExactSizeIterator<Item = &'a LweCiphertext>,
    ) -> Result<Self> {
        let modulus = shape.modulus;
        demand(modulus <= 1 << 32, "LWE modulus", modulus as f64, "on a card it is at most 2^32")?;
        let count = ciphertexts.len();
        let mut words = Vec::with_capacity(count * Self::words_each(shape));
        for ciphertext in ciphertexts {
            shape.check(ciphertext)?;
            let pairs = ciphertext.words().chunks(2);
            words.extend(pairs.map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 32)));
        }
        Ok(Self { words: device.upload(&words), shape, count })
    }

    /// Ciphertexts of unspecified words.
    pub(crate) fn unspecified(device: &Device, shape: LweShape, count: usize) -> Self {
        Self { words: device.allocate(count * Self::words_each(shape)), shape, count }
    }

    /// A copy of the ciphertexts on the processor.
    ///
    /// # Errors
    /// The first error of the card.
    pub fn download(&self) -> Result<Vec<LweCiphertext>> {
        let mut words = vec![0; self.words.len()];
        self.words.read(0, &mut words)?;
        let of_words = |words: &[u64]| {
            let halves = words.iter().flat_map(|&pair| [pair & 0xffff_ffff, pair >> 32]);
            let words = halves.take(self.shape.dimension + 1).collect();
            LweCiphertext::from_words(words, self.shape.modulus)
        };
        Ok(words.chunks_exact(Self::words_each(self.shape)).map(of_words).collect())
    }

    fn words_each(shape: LweShape) -> usize {
        (shape.dimension + 1).div_ceil(2)
    }

    /// The device that has them.
    pub(crate) fn device(&self) -> &Device {
        self.words.device()
    }

    /// Dimension and modulus of every ciphertext.
    #[must_use]
    pub fn shape(&self) -> LweShape {
        self.shape
    }

    /// The number of ciphertexts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where the ciphertexts from `start` on are.
    pub(crate) fn address(&self, start: usize) -> u64 {
        self.words.address(start * Self::words_each(self.shape))
    }

    /// Words of 32 bits from one ciphertext to the next.
    pub(crate) fn stride(&self) -> u32 {
        2 * Self::words_each(self.shape) as u32
    }
}
