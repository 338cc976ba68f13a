//! RLWE ciphertexts over one prime, and sample extraction (Sec. 2.2.1 and 2.3.2 of Ma et al., TCHES 2024).

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_masks::extracted_mask;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::{Buffer, kernels};

/// An RLWE ciphertext (b, a) over `Z_Q[X]/(X^N + 1)`, of phase b + a·s, stored as coefficients, body first.
#[derive(Clone, Debug, PartialEq)]
pub struct RlweCiphertext {
    words: Buffer,
}

impl RlweCiphertext {
    /// Makes a ciphertext from the words of body and mask, side by side.
    ///
    /// # Panics
    /// If the number of words is odd.
    #[must_use]
    pub fn from_words(words: Buffer) -> Self {
        assert!(words.len().is_multiple_of(2), "{} words", words.len());
        Self { words }
    }

    /// Returns zero, without mask or noise.
    #[must_use]
    pub fn zero(ring: &PrimeRing) -> Self {
        Self { words: Buffer::zeroed(2 * ring.degree()) }
    }

    /// Returns the ring degree N.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.words.len() / 2
    }

    /// Returns the body, then the mask.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the body, then the mask, to be changed.
    #[must_use]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Returns the body b.
    #[must_use]
    pub fn body(&self) -> &[u64] {
        &self.words[..self.degree()]
    }

    /// Returns the mask a.
    #[must_use]
    pub fn mask(&self) -> &[u64] {
        &self.words[self.degree()..]
    }

    /// Adds a ciphertext: `self += other`.
    ///
    /// # Panics
    /// If degrees differ.
    pub fn add_assign(&mut self, ring: &PrimeRing, other: &Self) {
        kernels::add_assign(ring.modulus(), &mut self.words, &other.words);
    }

    /// Subtracts a ciphertext: `self -= other`.
    ///
    /// # Panics
    /// If degrees differ.
    pub fn sub_assign(&mut self, ring: &PrimeRing, other: &Self) {
        kernels::sub_assign(ring.modulus(), &mut self.words, &other.words);
    }

    /// Returns the product with a monomial, `self·X^exponent`.
    ///
    /// # Panics
    /// If degrees differ, or the exponent is 2N or more.
    #[must_use]
    pub fn times_monomial(&self, ring: &PrimeRing, exponent: usize) -> Self {
        let mut out = Self::zero(ring);
        let n = ring.degree();
        for (to, from) in out.words.chunks_exact_mut(n).zip(self.words.chunks_exact(n)) {
            ring.multiply_monomial(to, from, exponent);
        }
        out
    }

    /// SampleExtract: returns coefficient `position` of the phase as LWE modulo Q under the ring secret's coefficients.
    ///
    /// No noise is added. In `Σ_j a_{i-j}·s_j`, terms with j > i pass X^N and change their sign.
    ///
    /// # Panics
    /// If there is no such coefficient, or degrees differ.
    #[must_use]
    pub fn extract(&self, ring: &PrimeRing, position: usize) -> LweCiphertext {
        let n = self.degree();
        assert!(position < n && n == ring.degree(), "coefficient {position} of {n}");
        let modulus = ring.modulus().value();
        let mut words = extracted_mask(self.mask(), position, modulus);
        words.push(self.body()[position]);
        LweCiphertext::from_words(words, modulus)
    }

    /// Returns a ciphertext whose phase has the LWE ciphertext's phase as constant coefficient, and unknown others.
    ///
    /// # Panics
    /// If the dimension is not N, or the modulus is not Q.
    #[must_use]
    pub fn embed(ring: &PrimeRing, lwe: &LweCiphertext) -> Self {
        let n = ring.degree();
        assert_eq!(
            (lwe.dimension(), lwe.modulus()),
            (n, ring.modulus().value()),
            "dimension, modulus"
        );
        let mut out = Self::zero(ring);
        out.words[0] = lwe.body();
        // a_0 = mask_0, and mask_j = -a_{N-j}.
        out.words[n] = lwe.mask()[0];
        for (j, &word) in lwe.mask().iter().enumerate().skip(1) {
            out.words[2 * n - j] = ring.modulus().neg(word);
        }
        out
    }
}
