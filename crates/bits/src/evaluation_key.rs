//! What a server holds: keys and matrices.

use std::sync::Arc;

use cryptable_ckks::{Ciphertext, Evaluator, LinearTransform};
use cryptable_lattice::EvaluationKeys;
use cryptable_lattice::error::{Error, Result};
use cryptable_ring::Ring;
use cryptable_wire::KeyId;

use crate::bit_matrices::BitMatrices;
use crate::encrypted_bits::EncryptedBits;
use crate::noise::BitNoise;
use crate::parameters::Parameters;

/// The public evaluation key of one client. Holds no secret; `Sync`.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    key_id: KeyId,
    ring: Arc<Ring>,
    keys: EvaluationKeys,
    matrices: BitMatrices,
}

impl EvaluationKey {
    /// Joins switching keys with what the parameters alone determine: encodes the matrices.
    pub(crate) fn new(
        parameters: Parameters,
        key_id: KeyId,
        ring: Arc<Ring>,
        keys: EvaluationKeys,
    ) -> Self {
        let matrices = BitMatrices::new(parameters.circuit().coeffs_to_slots.encode(&ring));
        Self { parameters, key_id, ring, keys, matrices }
    }

    /// Bytes in memory: keys, and the matrices that were used so far.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.keys.memory_bytes(self.ring.moduli()) + self.matrices.memory_bytes()
    }

    /// Noise of bits that are lowered to so many limbs.
    pub(crate) fn noise_at(&self, bits: &EncryptedBits, limbs: usize) -> BitNoise {
        if bits.limbs() == limbs {
            return bits.noise;
        }
        self.parameters.noise_after_lowering(bits.noise)
    }

    /// Demands bits, all of these parameters and this client, and of one number.
    ///
    /// # Errors
    /// If there are none, or one differs.
    pub(crate) fn check(&self, bits: &[&EncryptedBits]) -> Result<()> {
        let Some(first) = bits.first() else {
            return Err(Error::TooSmall { name: "number of operands", value: 0, limit: 1 });
        };
        for bits in bits {
            bits.check(&self.parameters, self.key_id)?;
            if bits.count != first.count {
                return Err(Error::mismatch("number of bits", bits.count, first.count));
            }
        }
        Ok(())
    }

    /// The secret key that it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The parameters, those of the client's secret key.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The ring of the parameters, with its tables.
    #[must_use]
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The evaluator with these keys.
    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.ring, &self.keys)
    }

    /// The matrices of CoeffsToSlots.
    pub(crate) fn coeffs_to_slots(&self) -> &[LinearTransform] {
        self.matrices.coeffs_to_slots()
    }

    /// The matrices of SlotsToCoeffs for fractions of m.
    pub(crate) fn slots_to_coeffs(&self, m: u64) -> &[LinearTransform] {
        let encode = || self.parameters.circuit().slots_to_coeffs_of(m).encode(&self.ring);
        self.matrices.slots_to_coeffs(m, encode)
    }

    /// Lowers a part of bits to so few limbs.
    pub(crate) fn lowered(&self, part: &Ciphertext, limbs: usize) -> Ciphertext {
        self.parameters.circuit().lower(&self.evaluator(), part, limbs)
    }

    /// Joins results, `by_part[part][function]`, to bits of each function.
    pub(crate) fn join_parts(
        &self,
        by_part: Vec<Vec<Ciphertext>>,
        count: usize,
        noises: &[BitNoise],
    ) -> Vec<EncryptedBits> {
        let (parameter_digest, key_id) = (self.parameters.digest(), self.key_id);
        let bottom_limbs = self.parameters.literal().input_limbs();
        let mut by_part: Vec<_> = by_part.into_iter().map(Vec::into_iter).collect();
        let join = |&noise: &BitNoise| {
            let parts = by_part.iter_mut().map(|part| part.next().expect("a result per function"));
            let parts = parts.collect();
            EncryptedBits { parts, count, noise, bottom_limbs, parameter_digest, key_id }
        };
        noises.iter().map(join).collect()
    }
}
