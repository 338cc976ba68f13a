//! The encoded matrices of the homomorphic DFTs of bits.

use std::sync::OnceLock;

use cryptable_ckks::LinearTransform;

use crate::circuit::MAX_MODULUS;

/// The matrices of one parameter set. The matrices of SlotsToCoeffs are made when they are first used.
#[derive(Debug)]
pub(crate) struct BitMatrices {
    coeffs_to_slots: Vec<LinearTransform>,
    /// Matrices for fractions of 2, 3, …, [`MAX_MODULUS`].
    slots_to_coeffs: Vec<OnceLock<Vec<LinearTransform>>>,
}

impl BitMatrices {
    /// Stores the matrices of CoeffsToSlots. There are no matrices of SlotsToCoeffs yet.
    pub(crate) fn new(coeffs_to_slots: Vec<LinearTransform>) -> Self {
        let slots_to_coeffs = (2..=MAX_MODULUS).map(|_| OnceLock::new()).collect();
        Self { coeffs_to_slots, slots_to_coeffs }
    }

    /// The matrices of CoeffsToSlots.
    pub(crate) fn coeffs_to_slots(&self) -> &[LinearTransform] {
        &self.coeffs_to_slots
    }

    /// Returns the matrices of SlotsToCoeffs for fractions of m. `make` computes them when they are first used.
    ///
    /// # Panics
    /// If m is not from 2 to [`MAX_MODULUS`].
    pub(crate) fn slots_to_coeffs(
        &self,
        m: u64,
        make: impl FnOnce() -> Vec<LinearTransform>,
    ) -> &[LinearTransform] {
        self.slots_to_coeffs[m as usize - 2].get_or_init(make)
    }

    /// Bytes in memory of all matrices made so far.
    pub(crate) fn memory_bytes(&self) -> usize {
        let made = self.slots_to_coeffs.iter().filter_map(OnceLock::get).flatten();
        made.chain(&self.coeffs_to_slots).map(LinearTransform::memory_bytes).sum()
    }
}
