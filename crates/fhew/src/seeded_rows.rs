//! RLWE ciphertexts of keys with seeds instead of masks, which halves the bytes.

use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};

/// The key to which rows belong. Each domain uses streams of its own from the key's seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowDomain {
    /// Blind rotation by the coarsest decomposition.
    Rotation = 1,
    /// The first finer key of blind rotation.
    FinerRotation1 = 10,
    /// The second finer key of blind rotation.
    FinerRotation2 = 11,
    /// The third finer key of blind rotation.
    FinerRotation3 = 12,
    /// LWE key switching.
    KeySwitching = 2,
    /// Automorphisms of the trace.
    Automorphism = 3,
    /// Relinearization: a gadget ciphertext of s².
    Relinearization = 4,
    /// Switching to a ring of lower degree.
    RingDimension = 9,
    /// Automorphisms of blind rotation.
    RotationAutomorphism = 13,
    /// Ring packing: multiples of the coefficients of the LWE secret.
    RingPackingColumns = 16,
    /// Ring packing: from the secret of a block to that of the ring.
    RingPackingSwitch = 17,
    /// Extraction: from the secret of a ring to that of a block.
    ExtractionSwitch = 18,
}

impl RowDomain {
    /// The domains of the rotation keys.
    pub const ROTATIONS: [Self; 4] =
        [Self::Rotation, Self::FinerRotation1, Self::FinerRotation2, Self::FinerRotation3];

    /// Returns the stream of a row's mask.
    #[must_use]
    pub fn mask_stream(self, seed: &Seed, row: usize) -> RandomStream {
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, (self as u64) << 40 | row as u64)
    }
}

/// RLWE ciphertexts over one ring: bodies (coefficients) are stored, masks are expanded from a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededRows {
    domain: RowDomain,
    /// N words per row.
    bodies: Vec<u64>,
}

impl SeededRows {
    /// Builds rows from bodies, N words per row.
    #[must_use]
    pub fn new(domain: RowDomain, bodies: Vec<u64>) -> Self {
        Self { domain, bodies }
    }

    /// Returns the domain of the rows.
    #[must_use]
    pub fn domain(&self) -> RowDomain {
        self.domain
    }

    /// Returns the bodies of all rows, N words each.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// Writes body and mask of a row to 2N words.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn write_row(&self, ring: &PrimeRing, seed: &Seed, row: usize, out: &mut [u64]) {
        let (body, mask) = out.split_at_mut(ring.degree());
        body.copy_from_slice(&self.bodies[row * ring.degree()..][..ring.degree()]);
        self.domain.mask_stream(seed, row).uniform_assign(mask, ring.modulus().value());
    }

    /// Prepares every `rows_each` rows as one gadget ciphertext.
    ///
    /// # Panics
    /// If the number of rows is not a multiple of `rows_each`.
    #[must_use]
    pub fn prepare(&self, ring: &PrimeRing, seed: &Seed, rows_each: usize) -> PreparedRows {
        let n = ring.degree();
        assert!(self.bodies.len().is_multiple_of(rows_each * n), "{} words", self.bodies.len());
        ring.prepare_rows(self.bodies.len() / (rows_each * n), rows_each, |index, words| {
            for (k, out) in words.chunks_exact_mut(2 * n).enumerate() {
                self.write_row(ring, seed, index * rows_each + k, out);
            }
        })
    }
}
