//! What a server holds: switching keys and encoded matrices.

use std::sync::Arc;

use cryptable_ckks::{Evaluator, LinearTransform};
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{EvaluationKeys, KeyRequest};
use cryptable_ring::Ring;
use cryptable_wire::KeyId;

use crate::parameters::parameter_set::Parameters;

/// The public evaluation key of one client, ready to look tables up.
///
/// Holds no secret; `Sync`, so one key serves many threads.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    key_id: KeyId,
    ring: Arc<Ring>,
    keys: EvaluationKeys,
    coeffs_to_slots: Vec<LinearTransform>,
    slots_to_coeffs: Vec<LinearTransform>,
    /// Of every digit that is cleared.
    clearing: Vec<Vec<LinearTransform>>,
    /// Of digits that are selected by signs; none where they are not.
    selection: Vec<LinearTransform>,
}

impl EvaluationKey {
    /// Joins switching keys with what the parameters alone determine: encodes the matrices.
    ///
    /// # Errors
    /// If a key that the circuit needs is missing.
    pub(crate) fn new(
        parameters: Parameters,
        key_id: KeyId,
        ring: Arc<Ring>,
        keys: EvaluationKeys,
    ) -> Result<Self> {
        for KeyRequest { purpose, shape } in parameters.key_requests() {
            if keys.find_shape(purpose, shape.basis).is_none() {
                return Err(Error::Mismatch {
                    name: "evaluation key",
                    found: "a set without it".into(),
                    expected: format!("a key for {purpose:?} at {:?}", shape.basis),
                });
            }
        }
        let circuit = parameters.circuit();
        let coeffs_to_slots = circuit.phase_exponential().coeffs_to_slots.encode(&ring);
        let slots_to_coeffs = circuit.slots_to_coeffs().encode(&ring);
        let clearing = circuit.clearing_plans().map(|plan| plan.encode(&ring)).collect();
        let selection = parameters.selection();
        let selection = selection.map(|it| it.slots_to_coeffs.encode(&ring)).unwrap_or_default();
        Ok(Self {
            parameters,
            key_id,
            ring,
            keys,
            coeffs_to_slots,
            slots_to_coeffs,
            clearing,
            selection,
        })
    }

    /// The parameters of the client.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secret key that it was generated from.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Bytes in memory: keys and matrices.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let matrices = self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs);
        let matrices = matrices.chain(self.clearing.iter().flatten()).chain(&self.selection);
        self.keys.memory_bytes(self.ring.moduli())
            + matrices.map(LinearTransform::memory_bytes).sum::<usize>()
    }

    /// The ring of the parameters, with its tables.
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Evaluates with these keys.
    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.ring, &self.keys)
    }

    /// The encoded matrices of CoeffsToSlots.
    pub(crate) fn coeffs_to_slots(&self) -> &[LinearTransform] {
        &self.coeffs_to_slots
    }

    /// The encoded matrices of SlotsToCoeffs, of every digit that is cleared.
    pub(crate) fn clearing(&self) -> &[Vec<LinearTransform>] {
        &self.clearing
    }

    /// The encoded matrices of SlotsToCoeffs, of digits that are selected by signs.
    pub(crate) fn selection(&self) -> &[LinearTransform] {
        &self.selection
    }

    /// The encoded matrices of SlotsToCoeffs.
    pub(crate) fn slots_to_coeffs(&self) -> &[LinearTransform] {
        &self.slots_to_coeffs
    }
}
