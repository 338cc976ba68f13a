//! CKKS ciphertexts with exact scales: complete ones, products before relinearization, and fresh ones with the seed of
//! their mask.

use cryptable_lattice::RlweCiphertext;
use cryptable_ring::combination::Tensor;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_ring::{Evaluations, Poly, Ring};

/// A CKKS ciphertext: encrypts slots times `scale`, plus noise, modulo `q_0 … q_{limbs-1}`.
///
/// The scale is exact: every operation multiplies and divides it by the actual factors (primes included), so it never
/// drifts from the meaning of the coefficients.
#[derive(Clone, Debug)]
pub struct Ciphertext {
    /// The pair `(c0, c1)` with `c0 + c1·s` = scale · slots.
    pub parts: RlweCiphertext,
    /// The factor between slots and the encrypted values.
    pub scale: f64,
}

impl Ciphertext {
    /// Returns the number of primes of the modulus: the level plus one.
    #[must_use]
    pub fn limbs(&self) -> usize {
        self.parts.c0.basis().main
    }

    /// Reduces to fewer limbs; slots and scale are unchanged.
    pub fn drop_to(&mut self, ring: &Ring, limbs: usize) {
        self.parts.c0.drop_to(ring, limbs);
        self.parts.c1.drop_to(ring, limbs);
    }
}

/// A product before relinearization. Products can be added first, so that one key switch serves all of them.
#[derive(Clone, Debug)]
pub struct Product {
    /// `d0 + d1·s + d2·s²`.
    pub tensor: Tensor,
    /// The factor between slots and the encrypted values.
    pub scale: f64,
}

/// A fresh ciphertext with the seed of its mask, which halves the memory.
#[derive(Clone, Debug)]
pub struct SeededCiphertext {
    /// The part that depends on the slots.
    pub c0: Poly<Evaluations>,
    /// The seed of the other part.
    pub seed: Seed,
    /// The factor between slots and the encrypted values.
    pub scale: f64,
}

impl SeededCiphertext {
    /// Returns the number of limbs.
    #[must_use]
    pub fn limbs(&self) -> usize {
        self.c0.basis().main
    }

    /// Returns the expanded ciphertext.
    #[must_use]
    pub fn expand(&self, ring: &Ring) -> Ciphertext {
        let c1 = mask_of_seed(ring, &self.seed, self.limbs());
        Ciphertext { parts: RlweCiphertext { c0: self.c0.clone(), c1 }, scale: self.scale }
    }
}

/// The mask of a fresh ciphertext: one stream of its seed per limb.
pub(crate) fn mask_of_seed(ring: &Ring, seed: &Seed, limbs: usize) -> Poly<Evaluations> {
    let basis = ring.main_basis(limbs);
    let mut mask = Poly::unspecified(ring, basis);
    for (limb, words) in mask.words_mut().chunks_mut(ring.degree()).enumerate() {
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, limb as u64)
            .uniform_assign(words, ring.modulus(ring.prime_index(basis, limb)).value());
    }
    mask
}
