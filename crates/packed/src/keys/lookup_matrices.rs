//! The encoded matrices of the homomorphic DFTs of lookups.

use cryptable_ckks::LinearTransform;
use cryptable_ckks::real_slots::RealSlots;
use cryptable_ring::Ring;

use crate::parameters::parameter_set::Parameters;

/// The matrices of all lookups with one parameter set.
#[derive(Debug)]
pub(crate) struct LookupMatrices {
    /// Matrices of CoeffsToSlots; none where a secret of blocks takes its place.
    pub coeffs_to_slots: Vec<LinearTransform>,
    /// Matrices of SlotsToCoeffs.
    pub slots_to_coeffs: Vec<LinearTransform>,
    /// Matrices of SlotsToCoeffs for every digit that is cleared; empty if values are processed as a whole.
    pub clearing: Vec<Vec<LinearTransform>>,
    /// Matrices of SlotsToCoeffs for products in slots: digits that signs select, and formulas; empty if none are planned.
    pub products: Vec<LinearTransform>,
    /// The ways to real slots and back, if there are any.
    pub real_slots: Option<RealSlots>,
}

impl LookupMatrices {
    /// Encodes the matrices of a parameter set.
    pub(crate) fn encode(parameters: &Parameters, ring: &Ring) -> Self {
        let (circuit, literal) = (parameters.circuit(), parameters.literal());
        let products = parameters.product_slots_to_coeffs();
        Self {
            coeffs_to_slots: circuit
                .phase_exponential()
                .map(|front| front.coeffs_to_slots.encode(ring))
                .unwrap_or_default(),
            slots_to_coeffs: circuit.slots_to_coeffs().encode(ring),
            clearing: circuit.clearing_plans().map(|plan| plan.encode(ring)).collect(),
            products: products.map(|plan| plan.encode(ring)).unwrap_or_default(),
            real_slots: literal.real_slots.then(|| {
                let (enter, leave) = (literal.entry_limbs(), literal.output_limbs());
                RealSlots::new(ring, literal.crossing_scale(), enter, leave)
            }),
        }
    }

    /// The size in memory, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let plain = self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs);
        let of_digits = self.clearing.iter().flatten().chain(&self.products);
        let matrices: usize = plain.chain(of_digits).map(LinearTransform::memory_bytes).sum();
        matrices + self.real_slots.as_ref().map_or(0, RealSlots::memory_bytes)
    }
}
