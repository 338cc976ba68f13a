//! What a server holds, and what it does: gates, BinBoot, GateBoot.

use std::sync::Arc;

use cryptable_ckks::bootstrapping::mod_raise::raise;
use cryptable_ckks::{Arithmetic, Evaluator, LinearTransform};
use cryptable_lattice::EvaluationKeys;
use cryptable_lattice::error::{Error, Result};
use cryptable_ring::Ring;
use cryptable_wire::KeyId;

use crate::circuit::MODULI;
use crate::encrypted_bits::EncryptedBits;
use crate::gate::{Gate, Wave};
use crate::parameters::Parameters;

/// The public evaluation key of one client. Holds no secret; `Sync`.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    key_id: KeyId,
    ring: Arc<Ring>,
    keys: EvaluationKeys,
    coeffs_to_slots: Vec<LinearTransform>,
    /// One for each of [`MODULI`].
    slots_to_coeffs: Vec<Vec<LinearTransform>>,
}

impl EvaluationKey {
    /// Joins switching keys with what the parameters alone determine: encodes the matrices.
    #[cfg(feature = "client")]
    pub(crate) fn new(
        parameters: Parameters,
        key_id: KeyId,
        ring: Arc<Ring>,
        keys: EvaluationKeys,
    ) -> Self {
        let circuit = parameters.circuit();
        let coeffs_to_slots = circuit.coeffs_to_slots.encode(&ring);
        let slots_to_coeffs = circuit.slots_to_coeffs.iter().map(|dft| dft.encode(&ring)).collect();
        // Generation and encoding leave buffers of sizes that gates have no use for.
        cryptable_ring::release_buffers();
        Self { parameters, key_id, ring, keys, coeffs_to_slots, slots_to_coeffs }
    }

    /// Bytes in memory: keys and matrices.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let matrices = self.slots_to_coeffs.iter().flatten().chain(&self.coeffs_to_slots);
        self.keys.memory_bytes(self.ring.degree())
            + matrices.map(LinearTransform::memory_bytes).sum::<usize>()
    }

    /// BinBoot: all levels back, errors squared. Algorithm 2.
    ///
    /// # Errors
    /// If the bits are of another client or other parameters.
    pub fn bin_boot(&self, bits: &EncryptedBits) -> Result<EncryptedBits> {
        bits.check(&self.parameters, self.key_id)?;
        Ok(self.bootstrap(2, &bits.parts, bits.count, &Wave::bin_boot()))
    }

    /// GateBoot: a gate of two bits, and all levels back. Algorithm 3.
    ///
    /// # Errors
    /// If the bits are of another client or other parameters, or their numbers differ.
    pub fn gate_boot(
        &self,
        gate: Gate,
        x: &EncryptedBits,
        y: &EncryptedBits,
    ) -> Result<EncryptedBits> {
        x.check(&self.parameters, self.key_id)?;
        y.check(&self.parameters, self.key_id)?;
        if x.count != y.count {
            let (found, expected) = (y.count.to_string(), x.count.to_string());
            return Err(Error::Mismatch { name: "number of bits", found, expected });
        }
        let circuit = self.parameters.circuit();
        let evaluator = self.evaluator();
        let limbs = self.parameters.literal().input_limbs();
        let sums: Vec<_> = x
            .parts
            .iter()
            .zip(&y.parts)
            .map(|(x, y)| {
                let mut sum = circuit.lower(&evaluator, x, limbs);
                evaluator.add_assign(&mut sum, &circuit.lower(&evaluator, y, limbs));
                sum
            })
            .collect();
        Ok(self.bootstrap(3, &sums, x.count, &Wave::gate_boot(gate)))
    }

    fn bootstrap(
        &self,
        m: u64,
        parts: &[cryptable_ckks::Ciphertext],
        count: usize,
        wave: &Wave,
    ) -> EncryptedBits {
        let (circuit, evaluator) = (self.parameters.circuit(), self.evaluator());
        let index = MODULI.iter().position(|&other| other == m).expect("a modulus of bits");
        let matrices = &self.slots_to_coeffs[index];
        let bottom = circuit.to_coefficients(&evaluator, matrices, m, parts);
        let raised = raise(&evaluator, &bottom.parts, self.parameters.literal().limbs());
        let parts = circuit.half_bootstrap(&evaluator, &self.coeffs_to_slots, raised, wave);
        let (parameter_digest, key_id) = (self.parameters.digest(), self.key_id);
        let bottom_limbs = self.parameters.literal().input_limbs();
        EncryptedBits { parts, count, bottom_limbs, parameter_digest, key_id }
    }

    fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.ring, &self.keys)
    }
}
