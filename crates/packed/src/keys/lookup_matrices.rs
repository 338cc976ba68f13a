//! The encoded matrices of the homomorphic DFTs of lookups.

use cryptable_ckks::LinearTransform;
use cryptable_ring::Ring;

use crate::parameters::parameter_set::Parameters;

/// The matrices of all lookups with one parameter set.
#[derive(Debug)]
pub(crate) struct LookupMatrices {
    /// Matrices of CoeffsToSlots; none where a secret of blocks takes its place.
    pub coeffs_to_slots: Vec<LinearTransform>,
    /// Matrices of SlotsToCoeffs.
    pub slots_to_coeffs: Vec<LinearTransform>,
    /// Matrices of SlotsToCoeffs for every digit that is cleared; empty if parameters take values as a whole.
    pub clearing: Vec<Vec<LinearTransform>>,
    /// Matrices of SlotsToCoeffs for products in slots: digits that signs select, and formulas; empty if none are planned.
    pub products: Vec<LinearTransform>,
}

impl LookupMatrices {
    /// Encodes the matrices of a parameter set.
    pub(crate) fn encode(parameters: &Parameters, ring: &Ring) -> Self {
        let circuit = parameters.circuit();
        let products = parameters.product_slots_to_coeffs();
        Self {
            coeffs_to_slots: circuit
                .phase_exponential()
                .map(|front| front.coeffs_to_slots.encode(ring))
                .unwrap_or_default(),
            slots_to_coeffs: circuit.slots_to_coeffs().encode(ring),
            clearing: circuit.clearing_plans().map(|plan| plan.encode(ring)).collect(),
            products: products.map(|plan| plan.encode(ring)).unwrap_or_default(),
        }
    }

    /// Bytes in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        let plain = self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs);
        let of_digits = self.clearing.iter().flatten().chain(&self.products);
        plain.chain(of_digits).map(LinearTransform::memory_bytes).sum()
    }
}
