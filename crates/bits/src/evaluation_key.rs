//! What a server holds: keys and matrices.

use std::sync::Arc;

use cryptable_ckks::LinearTransform;
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
    matrices: BitMatrices<LinearTransform>,
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
        let matrices = self.matrices.all().map(LinearTransform::memory_bytes);
        self.keys.memory_bytes(self.ring.moduli()) + matrices.sum::<usize>()
    }

    /// Noise of bits that are lowered to so many limbs.
    pub(crate) fn noise_at<C>(&self, bits: &EncryptedBits<C>, limbs: usize) -> BitNoise {
        if bits.limbs() == limbs {
            return bits.noise;
        }
        self.parameters.noise_after_lowering(bits.noise)
    }

    /// Demands bits, all of these parameters and this client, and of one number.
    ///
    /// # Errors
    /// If there are none, or one differs.
    pub(crate) fn check<C>(&self, bits: &[&EncryptedBits<C>]) -> Result<()> {
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

    /// The switching keys.
    #[must_use]
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// The matrices, as the processor multiplies by them.
    pub(crate) fn matrices(&self) -> &BitMatrices<LinearTransform> {
        &self.matrices
    }
}
