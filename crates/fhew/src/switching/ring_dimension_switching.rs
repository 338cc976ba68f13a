//! The switch from the ring secret to that of a ring of lower degree, on the way to the LWE secret (after Chen, Dai, Kim,
//! Song, ACNS 2021, whose conversions of LWE go through RLWE key switching).
//!
//! An LWE key switch from dimension N reads N·ℓ rows of n words: tens of megabytes per bootstrap. A gadget product reads a
//! thousandth of that, but both its secrets live in rings. The mask is therefore cut into N/N' blocks. Block i is a
//! polynomial modulo X^N' + 1 whose product with block i of the secret has the block's part of the phase as its constant
//! coefficient; gadget products bring all blocks to one secret of degree N'. The LWE key switch then starts from dimension
//! N': at N' = N/2 it reads half, and adds half the noise.

use std::sync::Arc;

use cryptable_lattice::external_product::{GadgetProduct, Scratch};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::Seed;
use cryptable_ring::{Buffer, torus};

use crate::rlwe::RlweCiphertext;
use crate::seeded_rows::SeededRows;
use crate::switching::intermediate_ring::IntermediateRing;
use crate::variance::{SecretNorms, Variance, gadget_product_noise, second_moment};

/// A ring built from a literal.
#[derive(Clone, Debug)]
pub struct SmallRing {
    /// Degree, prime and decomposition of the parameters.
    pub literal: IntermediateRing,
    /// The ring of degree N' modulo that prime, with its transforms.
    pub ring: Arc<PrimeRing>,
}

impl SmallRing {
    /// Builds the ring.
    ///
    /// # Panics
    /// If the degree is not a power of two from 32 on, or the prime has 50 bits or more.
    #[must_use]
    pub fn new(literal: IntermediateRing) -> Self {
        let prime = ntt_primes(literal.degree, literal.log2_prime, 1, &[])[0];
        Self { literal, ring: Arc::new(PrimeRing::new(literal.degree, prime)) }
    }

    /// Returns the prime modulus of the ring of lower degree.
    #[must_use]
    pub fn prime(&self) -> u64 {
        self.ring.modulus().value()
    }

    /// Returns the decomposition of gadget products to this ring's secret.
    #[must_use]
    pub fn gadget(&self) -> Gadget {
        Gadget::new(self.prime(), self.literal.digits.base_log2, self.literal.digits.length)
    }
}

/// Gadget ciphertexts of all blocks of the ring secret under the secret of lower degree.
#[derive(Debug)]
pub struct RingDimensionSwitchingKey {
    small: SmallRing,
    blocks: PreparedRows,
}

impl RingDimensionSwitchingKey {
    /// Expands the masks, with ℓ rows per block.
    #[must_use]
    pub fn expand(small: &SmallRing, rows: &SeededRows, seed: &Seed) -> Self {
        let blocks = rows.prepare(&small.ring, seed, small.literal.digits.length);
        Self { small: small.clone(), blocks }
    }

    /// Returns the bytes of memory that the prepared blocks occupy.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.blocks.bytes()
    }

    /// Returns the same phase under the secret of lower degree, modulo its prime in and out.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::ring_dimension_switching`].
    ///
    /// # Panics
    /// If the ciphertext's modulus is not that prime, or its dimension is not N.
    #[must_use]
    pub fn switch(&self, lwe: &LweCiphertext) -> LweCiphertext {
        let ring = &self.small.ring;
        let n = ring.degree();
        assert_eq!(lwe.dimension(), n * self.blocks.count(), "LWE dimension");
        let product = GadgetProduct { ring, gadget: self.small.gadget() };
        let mut scratch = Scratch::new(ring, self.small.literal.digits.length);
        let m = ring.modulus();
        let mut sum = RlweCiphertext::zero(ring);
        sum.words_mut()[0] = lwe.body();
        let mut fractions = Buffer::unspecified(2 * n);
        torus::from_residues(m, &mut fractions, sum.words());
        let mut source = Buffer::unspecified(n);
        for (i, mask) in lwe.mask().chunks_exact(n).enumerate() {
            let words = mask.iter().copied().chain([0]).collect();
            let embedded =
                RlweCiphertext::embed(ring, &LweCiphertext::from_words(words, lwe.modulus()));
            torus::from_residues(m, &mut source, embedded.mask());
            product.add(&mut fractions, &source, self.blocks.key(i), &mut scratch);
        }
        torus::to_residues(m, sum.words_mut(), &fractions);
        sum.extract(ring, 0)
    }
}

/// Returns the variance of the switch alone, as a fraction of the small prime squared: N/N' gadget products from a ring of
/// degree `degree`.
pub(crate) fn noise(small: &SmallRing, degree: usize, secret: SecretDistribution) -> Variance {
    let IntermediateRing { degree: small_degree, secret: target, .. } = small.literal;
    let norm = |degree: usize, secret| degree as f64 * second_moment(secret);
    let secrets = SecretNorms { source: norm(degree, secret), target: norm(small_degree, target) };
    gadget_product_noise(small.gadget(), degree as f64, secrets)
}
