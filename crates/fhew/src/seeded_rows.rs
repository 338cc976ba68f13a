//! RLWE ciphertexts of keys, with seeds in place of masks: half the bytes.

use cryptable_ring::Buffer;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use rayon::prelude::*;

/// Which key rows belong to: each takes streams of its own of the key's seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowDomain {
    /// Blind rotation.
    Rotation = 1,
    /// LWE key switching.
    KeySwitching = 2,
    /// Automorphisms.
    Automorphism = 3,
    /// Relinearization.
    Relinearization = 4,
    /// Packing key switching, to the constant coefficient.
    PackingConstant = 5,
    /// Packing key switching, to the lower half of the coefficients.
    PackingHalf = 6,
    /// Packing key switching, to all coefficients.
    PackingAll = 7,
    /// Switching to a ring of lower degree.
    RingDimension = 9,
}

impl RowDomain {
    /// The stream of a row's mask.
    #[must_use]
    pub fn mask_stream(self, seed: &Seed, row: usize) -> RandomStream {
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, (self as u64) << 40 | row as u64)
    }
}

/// RLWE ciphertexts over one ring: bodies (coefficients) stored, masks drawn from a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededRows {
    domain: RowDomain,
    /// N words a row.
    bodies: Vec<u64>,
}

impl SeededRows {
    /// From bodies, N words a row.
    #[must_use]
    pub fn new(domain: RowDomain, bodies: Vec<u64>) -> Self {
        Self { domain, bodies }
    }

    /// What the rows are for.
    #[must_use]
    pub fn domain(&self) -> RowDomain {
        self.domain
    }

    /// All bodies.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// Body and mask of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, ring: &PrimeRing, seed: &Seed, row: usize) -> Buffer {
        let n = ring.degree();
        let mut words = Buffer::unspecified(2 * n);
        words[..n].copy_from_slice(&self.bodies[row * n..][..n]);
        self.domain.mask_stream(seed, row).uniform_assign(&mut words[n..], ring.modulus().value());
        words
    }

    /// Every `rows_each` rows prepared together.
    ///
    /// # Panics
    /// If the rows cannot be shared out so.
    #[must_use]
    pub fn prepare(&self, ring: &PrimeRing, seed: &Seed, rows_each: usize) -> Vec<PreparedRows> {
        let n = ring.degree();
        assert!(self.bodies.len().is_multiple_of(rows_each * n), "{} words", self.bodies.len());
        (0..self.bodies.len() / (rows_each * n))
            .into_par_iter()
            .map(|index| {
                let mut words = Buffer::unspecified(2 * rows_each * n);
                for (k, out) in words.chunks_exact_mut(2 * n).enumerate() {
                    out.copy_from_slice(&self.row(ring, seed, index * rows_each + k));
                }
                ring.prepare_rows(&words)
            })
            .collect()
    }
}
