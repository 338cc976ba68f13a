//! Blind rotation by CMUXes (Chillotti, Gama, Georgieva, Izabachène, J. Cryptology 2020).
//!
//! For each coefficient s_i of the LWE secret, an RGSW ciphertext of s_i chooses whether the accumulator stays or is
//! multiplied by X^(-a_i). A ternary s_i needs two RGSW ciphertexts in one step, one for s_i = 1 and one for s_i = -1.
//! A step has one forward transform per row of an RGSW ciphertext and 2 inverse ones.
//!
//! A secret of blocks needs one step per block (Lee, Min, Seo, Song, "Faster TFHE Bootstrapping with Block Binary Keys",
//! ASIA CCS 2023, ePrint 2023/958). Exactly one of a block's coefficients s_0 to s_k is 1, so that
//!
//! `X^(-Σ a_i·s_i) = X^(-a_0)·(1 + Σ_{i > 0} (X^(a_0 - a_i) - 1)·s_i)`.
//!
//! The first factor is public. The sum needs the transforms of only one step, since monomials are multiplied between them.
//! The paper has no s_0: its blocks of all zeros correspond to s_0 = 1, and its masks, without a_0, are differences of ours.

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
    /// One per coefficient of a binary secret, two per coefficient of a ternary secret; for a secret of blocks, one per
    /// coefficient except the first of each block.
    rgsw: PreparedRows,
    steps: Steps,
}

/// The number of steps of a rotation, and of RGSW ciphertexts per step.
#[derive(Clone, Copy, Debug)]
struct Steps {
    secret: SecretDistribution,
    count: usize,
    rgsw_each: usize,
}

impl Steps {
    fn new(dimension: usize, secret: SecretDistribution) -> Self {
        let (count, rgsw_each) = match secret {
            SecretDistribution::Binary => (dimension, 1),
            SecretDistribution::Blocks(blocks) => {
                let blocks = blocks as usize;
                (blocks, dimension / blocks - 1)
            }
            _ => (dimension, 2),
        };
        Self { secret, count, rgsw_each }
    }
}

/// Returns the number of steps of a blind rotation by CMUXes: one per coefficient, or per block, of the secret.
#[must_use]
pub fn cmux_steps(dimension: usize, secret: SecretDistribution) -> usize {
    Steps::new(dimension, secret).count
}

/// Returns the number of RGSW ciphertexts of the key of a blind rotation by CMUXes.
///
/// ```
/// use cryptable_fhew::rotation::cmux_rgsw_count;
/// use cryptable_lattice::security::SecretDistribution::*;
/// assert_eq!([Binary, UniformTernary, Blocks(100)].map(|s| cmux_rgsw_count(500, s)), [500, 1000, 400]);
/// ```
#[must_use]
pub fn cmux_rgsw_count(dimension: usize, secret: SecretDistribution) -> usize {
    let steps = Steps::new(dimension, secret);
    steps.count * steps.rgsw_each
}

impl CmuxRotationKey {
    /// Makes a key from prepared RGSW ciphertexts for a secret of this dimension, with those of one step side by side.
    ///
    /// # Panics
    /// If the number of RGSW ciphertexts is not [`cmux_rgsw_count`].
    #[must_use]
    pub fn new(
        gadget: RgswGadget,
        rgsw: PreparedRows,
        dimension: usize,
        secret: SecretDistribution,
    ) -> Self {
        let expected = cmux_rgsw_count(dimension, secret);
        assert_eq!(rgsw.count(), expected, "RGSW ciphertexts for dimension {dimension}");
        Self { gadget, rgsw, steps: Steps::new(dimension, secret) }
    }

    /// Returns the bytes of memory that the prepared RGSW ciphertexts occupy.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rgsw.bytes()
    }

    /// Computes `accumulator *= X^(-⟨mask, s⟩)`.
    ///
    /// # Panics
    /// If the mask's length is not the dimension, or a word of it is not below 2N.
    pub fn rotate_assign(&self, ring: &PrimeRing, accumulator: &mut RlweCiphertext, mask: &[u64]) {
        self.rotate_many_assign(ring, &mut [accumulator], &[mask]);
    }

    /// Rotates each accumulator by its mask. The keys, tens of megabytes, are read once for all.
    ///
    /// # Panics
    /// Same as [`CmuxRotationKey::rotate_assign`], or if the numbers of masks and accumulators differ.
    pub fn rotate_many_assign(
        &self,
        ring: &PrimeRing,
        accumulators: &mut [&mut RlweCiphertext],
        masks: &[&[u64]],
    ) {
        let coefficients = match self.steps.secret {
            SecretDistribution::Blocks(_) => self.rgsw.count() + self.steps.count,
            _ => self.steps.count,
        };
        assert!(masks.iter().all(|m| m.len() == coefficients), "LWE dimension {coefficients}");
        assert_eq!(accumulators.len(), masks.len(), "masks");
        let m = ring.modulus();
        let mut fractions = Buffer::unspecified(2 * ring.degree() * masks.len());
        let each = 2 * ring.degree();
        for (out, accumulator) in fractions.chunks_exact_mut(each).zip(accumulators.iter()) {
            torus::from_residues(m, out, accumulator.words());
        }
        match self.steps.secret {
            SecretDistribution::Blocks(_) => self.rotate_by_blocks(ring, &mut fractions, masks),
            _ => self.rotate_by_coefficients(ring, &mut fractions, masks),
        }
        for (fractions, accumulator) in fractions.chunks_exact(each).zip(accumulators) {
            torus::to_residues(m, accumulator.words_mut(), fractions);
        }
    }

    fn rotate_by_coefficients(&self, ring: &PrimeRing, fractions: &mut [u64], masks: &[&[u64]]) {
        let product = ExternalProduct { ring, gadget: self.gadget };
        let mut scratch = Scratch::new(ring, self.gadget.rows());
        let two_n = 2 * ring.degree();
        for i in 0..self.steps.count {
            // One rotation of the batch prefetches the keys that all need next.
            let mut fetched = false;
            for (fractions, mask) in fractions.chunks_exact_mut(two_n).zip(masks) {
                let exponent = (two_n - mask[i] as usize) % two_n;
                if exponent == 0 {
                    continue;
                }
                let key = |index| {
                    let key = self.rgsw.key(index);
                    if fetched { key.alone() } else { key }
                };
                if self.steps.rgsw_each == 1 {
                    product.rotate_if_assign(fractions, exponent, key(i), &mut scratch);
                } else {
                    let keys = [key(2 * i), key(2 * i + 1)];
                    product.rotate_ternary_assign(fractions, exponent, keys, &mut scratch);
                }
                fetched = true;
            }
        }
    }

    fn rotate_by_blocks(&self, ring: &PrimeRing, fractions: &mut [u64], masks: &[&[u64]]) {
        let product = ExternalProduct { ring, gadget: self.gadget };
        let mut scratch = Scratch::of_batch(ring, self.gadget.rows(), masks.len());
        let (n, rgsw_each) = (ring.degree(), self.steps.rgsw_each);
        let size = rgsw_each + 1;
        let difference = |a: u64, b: u64| (a as usize + 2 * n - b as usize) % (2 * n);
        for (fractions, mask) in fractions.chunks_exact_mut(2 * n).zip(masks) {
            let first: u64 = mask.iter().step_by(size).sum();
            let source = Buffer::copied(fractions);
            let exponent = difference(0, first % (2 * n as u64));
            for (out, source) in fractions.chunks_exact_mut(n).zip(source.chunks_exact(n)) {
                torus::add_rotation_difference(out, source, exponent);
            }
        }
        let mut exponents = Vec::with_capacity(masks.len() * rgsw_each);
        for block in 0..self.steps.count {
            exponents.clear();
            for mask in masks {
                let mask = &mask[block * size..][..size];
                exponents.extend(mask[1..].iter().map(|&word| difference(mask[0], word)));
            }
            let keys = self.rgsw.keys(block * rgsw_each, rgsw_each);
            product.rotate_by_one_assign(fractions, &exponents, keys, &mut scratch);
        }
    }
}

/// Returns σ_acc². Every CMUX adds the noise of the digit products of body and mask (each digit times an error
/// polynomial) and, where the RGSW ciphertext encrypts 1, the noise of rounding the rotated difference,
/// `rounding_b + rounding_a·N·E[s²]`.
pub(crate) fn noise(
    ring: &RingNumbers,
    gadget: RgswGadget,
    dimension: usize,
    secret: SecretDistribution,
) -> Variance {
    let products = ring.rgsw_digits(gadget) * cmux_rgsw_count(dimension, secret) as f64;
    // Steps with several RGSW ciphertexts multiply the noise of each by X^e - 1, which doubles it. Steps of ternary secrets
    // decompose for each RGSW ciphertext, and add two such products per digit.
    let products = if secret == SecretDistribution::Binary { products } else { 2.0 * products };
    let roundings = cmux_roundings(dimension, secret);
    ring.units(products + ring.rgsw_rounding(gadget) * roundings)
}

/// Returns the variance of all roundings in a rotation by CMUXes, on average over secrets, in units of the variance of
/// rounding an accumulator. Each coefficient of a binary secret that is 1 rounds a rotated difference; in other steps a
/// rounding is multiplied by X^e - 1, which doubles it.
#[must_use]
pub fn cmux_roundings(dimension: usize, secret: SecretDistribution) -> f64 {
    match secret {
        SecretDistribution::Binary => dimension as f64 * second_moment(secret),
        SecretDistribution::Blocks(blocks) => {
            2.0 * f64::from(blocks) * (1.0 - f64::from(blocks) / dimension as f64)
        }
        _ => 2.0 * dimension as f64 * second_moment(secret),
    }
}
