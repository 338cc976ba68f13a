//! RLWE rows of level 1 on the 32-bit torus: masks of a seed, rounded Gaussian errors.
//!
//! Drawing Gaussians takes a time that depends on them, so these keys are for measurements only.

use cryptable_fhew::seeded_rows::RowDomain;
use cryptable_ring::prime_ring::{Multiplicand, PrimeRing};
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use zeroize::Zeroizing;

use super::parameters::TORUS;

/// Encrypts rows under the secret of level 1.
pub(super) struct TorusRows<'a> {
    pub(super) ring: &'a PrimeRing,
    pub(super) secret: &'a Multiplicand,
    /// Deviation of errors, in words.
    pub(super) deviation: f64,
    pub(super) masks: Seed,
    pub(super) errors: SecretSeed,
}

impl TorusRows<'_> {
    /// Adds a fresh encryption of zero to a row of 2N words, body and mask, whose body holds the message.
    pub(super) fn encrypt(&self, domain: RowDomain, row: usize, out: &mut [u32]) {
        let n = self.ring.degree();
        let mut words = Zeroizing::new(vec![0; n]);
        domain.mask_stream(&self.masks, row).uniform_assign(&mut words, TORUS);
        let (body, mask) = out.split_at_mut(n);
        for (mask, &word) in mask.iter_mut().zip(words.iter()) {
            *mask = word as u32;
        }
        multiply_by_secret(self.ring, &mut words, self.secret);
        let index = (domain as u64) << 40 | row as u64;
        let mut stream = RandomStream::new(self.errors.as_bytes(), StreamPurpose::Error, index);
        let errors = stream.gaussian(n, self.deviation);
        for ((body, &product), &error) in body.iter_mut().zip(words.iter()).zip(errors.iter()) {
            *body = body.wrapping_sub(product as u32).wrapping_add(torus_error(error));
        }
    }
}

/// The word of an error that was drawn.
pub(super) fn torus_error(error: f64) -> u32 {
    (error.round() as i64) as u32
}

/// `words *= secret` modulo X^N + 1, exactly: of words below 2^32 and a binary secret, sums have at most 32 + log2 N bits
/// and a sign, fewer than the prime. The low 32 bits of what is left are those of the product.
pub(super) fn multiply_by_secret(ring: &PrimeRing, words: &mut [u64], secret: &Multiplicand) {
    ring.multiply_assign(words, secret);
    for word in words {
        *word = ring.modulus().center(*word) as u64;
    }
}
