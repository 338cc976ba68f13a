//! The matrices of a bootstrap, encoded.

use cryptable_ckks::{LinearTransform, Plaintext};
use cryptable_ring::Ring;

use crate::bootstrap_circuit::BootstrapCircuit;

/// The matrices of a bootstrap, encoded.
#[derive(Debug)]
pub(crate) struct BootstrapMatrices {
    pub slots_to_coeffs: Vec<LinearTransform>,
    pub coeffs_to_slots: Vec<LinearTransform>,
    /// Masks that join sparse slots of one part, and of two.
    masks: Option<[Plaintext; 2]>,
}

impl BootstrapMatrices {
    pub(crate) fn encode(circuit: &BootstrapCircuit, ring: &Ring) -> Self {
        let slots_to_coeffs = circuit.slots_to_coeffs.encode(ring);
        let limbs = circuit.levels.top() + 1;
        let masks = circuit.sparse.as_ref().map(|sparse| sparse.encode(ring, limbs));
        Self { slots_to_coeffs, coeffs_to_slots: circuit.coeffs_to_slots.encode(ring), masks }
    }

    /// Returns the mask for slots of `parts` parts, if they are sparse.
    pub(crate) fn mask(&self, parts: usize) -> Option<&Plaintext> {
        self.masks.as_ref().map(|masks| &masks[parts - 1])
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let all = self.slots_to_coeffs.iter().chain(&self.coeffs_to_slots);
        let masks = self.masks.iter().flatten().map(|mask| 8 * mask.poly.words().len());
        all.map(LinearTransform::memory_bytes).sum::<usize>() + masks.sum::<usize>()
    }
}
