//! The matrices of the homomorphic DFTs of bits, in the form that arithmetic multiplies by.

use std::sync::OnceLock;

use crate::circuit::MAX_MODULUS;

/// The matrices of one parameter set. Those of SlotsToCoeffs are made when they are first used.
#[derive(Debug)]
pub struct BitMatrices<M> {
    coeffs_to_slots: Vec<M>,
    /// For fractions of 2, 3, …, [`MAX_MODULUS`].
    slots_to_coeffs: Vec<OnceLock<Vec<M>>>,
}

impl<M> BitMatrices<M> {
    /// Those of CoeffsToSlots, and none of SlotsToCoeffs yet.
    pub(crate) fn new(coeffs_to_slots: Vec<M>) -> Self {
        let slots_to_coeffs = (2..=MAX_MODULUS).map(|_| OnceLock::new()).collect();
        Self { coeffs_to_slots, slots_to_coeffs }
    }

    /// The matrices of CoeffsToSlots.
    pub(crate) fn coeffs_to_slots(&self) -> &[M] {
        &self.coeffs_to_slots
    }

    /// The matrices of SlotsToCoeffs for fractions of m, which `make` gives when they are first used.
    ///
    /// # Panics
    /// If m is not from 2 to [`MAX_MODULUS`].
    pub(crate) fn slots_to_coeffs(&self, m: u64, make: impl FnOnce() -> Vec<M>) -> &[M] {
        self.slots_to_coeffs[m as usize - 2].get_or_init(make)
    }

    /// All that there are so far.
    pub(crate) fn all(&self) -> impl Iterator<Item = &M> {
        let made = self.slots_to_coeffs.iter().filter_map(OnceLock::get).flatten();
        made.chain(&self.coeffs_to_slots)
    }
}
