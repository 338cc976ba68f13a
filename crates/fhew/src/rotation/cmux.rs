//! Blind rotation by CMUXes (Chillotti, Gama, Georgieva, Izabachène, J. Cryptology 2020).
//!
//! For each coefficient s_i of the LWE secret the accumulator becomes itself or itself times X^(-a_i), chosen by an
//! RGSW ciphertext of s_i. A ternary s_i takes two RGSW ciphertexts, of whether it is 1 and whether it is -1, in
//! one step. A step counts a forward transform for each row of an RGSW ciphertext and 2 inverse ones.

use cryptable_lattice::external_product::{ExternalProduct, RgswGadget, Scratch};
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};
use cryptable_ring::{Buffer, torus};

use crate::rlwe::RlweCiphertext;
use crate::variance::{RingNumbers, Variance, second_moment};

/// RGSW ciphertexts of all coefficients of the LWE secret.
#[derive(Debug)]
pub struct CmuxRotationKey {
    gadget: RgswGadget,
    /// One a coefficient of a binary secret, two a coefficient of a ternary one.
    rgsw: PreparedRows,
    per_coefficient: usize,
}

/// RGSW ciphertexts a coefficient of a secret.
#[must_use]
pub fn rgsw_per_coefficient(secret: SecretDistribution) -> usize {
    if secret == SecretDistribution::Binary { 1 } else { 2 }
}

impl CmuxRotationKey {
    /// From prepared RGSW ciphertexts, those of one coefficient side by side.
    ///
    /// # Panics
    /// If they cannot be shared out among coefficients.
    #[must_use]
    pub fn new(gadget: RgswGadget, rgsw: PreparedRows, secret: SecretDistribution) -> Self {
        let per_coefficient = rgsw_per_coefficient(secret);
        assert!(rgsw.count().is_multiple_of(per_coefficient), "{} RGSW ciphertexts", rgsw.count());
        Self { gadget, rgsw, per_coefficient }
    }

    /// Returns the bytes of memory that the prepared RGSW ciphertexts take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rgsw.bytes()
    }

    /// `accumulator *= X^(-⟨mask, s⟩)`.
    ///
    /// # Panics
    /// If the mask's length is not the dimension, or a word of it is not below 2N.
    pub fn rotate_assign(&self, ring: &PrimeRing, accumulator: &mut RlweCiphertext, mask: &[u64]) {
        self.rotate_many_assign(ring, &mut [accumulator], &[mask]);
    }

    /// Rotates each accumulator by its mask, batched: keys, tens of megabytes, are read once for all.
    ///
    /// # Panics
    /// As [`CmuxRotationKey::rotate_assign`], or if there are not as many masks as accumulators.
    pub fn rotate_many_assign(
        &self,
        ring: &PrimeRing,
        accumulators: &mut [&mut RlweCiphertext],
        masks: &[&[u64]],
    ) {
        let product = ExternalProduct { ring, gadget: self.gadget };
        let mut scratch = Scratch::new(ring, self.gadget.rows());
        let dimension = self.rgsw.count() / self.per_coefficient;
        assert!(masks.iter().all(|mask| mask.len() == dimension), "LWE dimension {dimension}");
        assert_eq!(accumulators.len(), masks.len(), "masks");
        let m = ring.modulus();
        let mut fractions = Buffer::unspecified(2 * ring.degree() * masks.len());
        let each = 2 * ring.degree();
        for (out, accumulator) in fractions.chunks_exact_mut(each).zip(accumulators.iter()) {
            torus::from_residues(m, out, accumulator.words());
        }
        for i in 0..dimension {
            // One of the batch fetches what all need next.
            let mut fetched = false;
            for (fractions, mask) in fractions.chunks_exact_mut(each).zip(masks) {
                let exponent = (2 * ring.degree() - mask[i] as usize) % (2 * ring.degree());
                if exponent == 0 {
                    continue;
                }
                let key = |index| {
                    let key = self.rgsw.key(index);
                    if fetched { key.alone() } else { key }
                };
                if self.per_coefficient == 1 {
                    product.rotate_if_assign(fractions, exponent, key(i), &mut scratch);
                } else {
                    let keys = [key(2 * i), key(2 * i + 1)];
                    product.rotate_ternary_assign(fractions, exponent, keys, &mut scratch);
                }
                fetched = true;
            }
        }
        for (fractions, accumulator) in fractions.chunks_exact(each).zip(accumulators) {
            torus::to_residues(m, accumulator.words_mut(), fractions);
        }
    }
}

/// σ_acc²: every CMUX adds the noise of the digit products of body and mask (each digit times an error polynomial),
/// and what rounding the rotated difference leaves where the RGSW ciphertext is of 1: `rounding_b +
/// rounding_a·N·E[s²]`.
pub(crate) fn noise(
    ring: &RingNumbers,
    gadget: RgswGadget,
    dimension: usize,
    secret: SecretDistribution,
) -> Variance {
    let products = ring.rgsw_digits(gadget);
    // A ternary step multiplies each of two products by X^e - 1: two terms of each.
    let products = match rgsw_per_coefficient(secret) {
        1 => products,
        _ => 4.0 * products,
    };
    // Ternary steps decompose the accumulator and rotate the rounding error: X^e - 1 doubles it.
    let moved = if secret == SecretDistribution::Binary { 1.0 } else { 2.0 };
    let rounding = ring.rgsw_rounding(gadget) * second_moment(secret) * moved;
    ring.units(dimension as f64 * (products + rounding))
}
