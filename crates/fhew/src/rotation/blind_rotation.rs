//! Blind rotation by the method that the parameters name.

use cryptable_ring::prime_ring::PrimeRing;

use crate::rlwe::RlweCiphertext;
use crate::rotation::automorphism::AutomorphismRotationKey;
use crate::rotation::cmux::CmuxRotationKey;

/// The keys of a blind rotation.
#[derive(Debug)]
pub enum BlindRotationKey {
    /// Blind rotation by CMUXes.
    Cmux(CmuxRotationKey),
    /// Blind rotation by automorphisms.
    Automorphism(AutomorphismRotationKey),
}

impl BlindRotationKey {
    /// Computes `accumulator *= X^(-⟨mask, s⟩)`, for a mask modulo 2N.
    ///
    /// # Panics
    /// If the mask's length is not the dimension, or a word of it is not below 2N.
    pub fn rotate_assign(&self, ring: &PrimeRing, accumulator: &mut RlweCiphertext, mask: &[u64]) {
        match self {
            Self::Cmux(key) => key.rotate_assign(ring, accumulator, mask),
            Self::Automorphism(key) => key.rotate_assign(ring, accumulator, mask),
        }
    }

    /// Rotates each accumulator by its mask, like [`BlindRotationKey::rotate_assign`]; CMUXes read their keys once for all.
    ///
    /// # Panics
    /// Same as [`BlindRotationKey::rotate_assign`], or if the numbers of masks and accumulators differ.
    pub fn rotate_many_assign(
        &self,
        ring: &PrimeRing,
        accumulators: &mut [&mut RlweCiphertext],
        masks: &[&[u64]],
    ) {
        match self {
            Self::Cmux(key) => key.rotate_many_assign(ring, accumulators, masks),
            Self::Automorphism(key) => {
                assert_eq!(accumulators.len(), masks.len(), "masks");
                for (accumulator, mask) in accumulators.iter_mut().zip(masks) {
                    key.rotate_assign(ring, accumulator, mask);
                }
            }
        }
    }

    /// Returns the bytes of memory, without parts that several keys share.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Cmux(key) => key.bytes(),
            Self::Automorphism(key) => key.bytes(),
        }
    }
}
