//! The matrices of a bootstrap, encoded.

use cryptable_ckks::LinearTransform;
use cryptable_ring::Ring;

use crate::bootstrap_circuit::BootstrapCircuit;

/// The matrices of a bootstrap, encoded.
#[derive(Debug)]
pub(crate) struct BootstrapMatrices {
    pub slots_to_coeffs: Vec<LinearTransform>,
    pub coeffs_to_slots: Vec<LinearTransform>,
}

impl BootstrapMatrices {
    pub(crate) fn encode(circuit: &BootstrapCircuit, ring: &Ring) -> Self {
        let slots_to_coeffs = circuit.slots_to_coeffs.encode(ring);
        Self { slots_to_coeffs, coeffs_to_slots: circuit.coeffs_to_slots.encode(ring) }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let all = self.slots_to_coeffs.iter().chain(&self.coeffs_to_slots);
        all.map(LinearTransform::memory_bytes).sum()
    }
}
