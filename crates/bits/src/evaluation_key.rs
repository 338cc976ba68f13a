//! What a server holds: keys and matrices.

use std::sync::{Arc, OnceLock};

use cryptable_ckks::{Ciphertext, Evaluator, LinearTransform};
use cryptable_lattice::EvaluationKeys;
use cryptable_lattice::error::{Error, Result};
use cryptable_ring::Ring;
use cryptable_wire::KeyId;

use crate::circuit::MAX_MODULUS;
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
    coeffs_to_slots: Vec<LinearTransform>,
    /// For fractions of 2, 3, …, [`MAX_MODULUS`].
    slots_to_coeffs: Vec<OnceLock<Vec<LinearTransform>>>,
}

impl EvaluationKey {
    /// Joins switching keys with what the parameters alone determine: encodes the matrices.
    pub(crate) fn new(
        parameters: Parameters,
        key_id: KeyId,
        ring: Arc<Ring>,
        keys: EvaluationKeys,
    ) -> Self {
        let circuit = parameters.circuit();
        let coeffs_to_slots = circuit.coeffs_to_slots.encode(&ring);
        let slots_to_coeffs = (2..=MAX_MODULUS).map(|_| OnceLock::new()).collect();
        Self { parameters, key_id, ring, keys, coeffs_to_slots, slots_to_coeffs }
    }

    /// Bytes in memory: keys, and the matrices that were used so far.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let encoded = self.slots_to_coeffs.iter().filter_map(OnceLock::get).flatten();
        let matrices = encoded.chain(&self.coeffs_to_slots);
        self.keys.memory_bytes(self.ring.moduli())
            + matrices.map(LinearTransform::memory_bytes).sum::<usize>()
    }

    /// Noise of bits that are lowered to so many limbs.
    pub(crate) fn noise_at(&self, bits: &EncryptedBits, limbs: usize) -> BitNoise {
        if bits.limbs() == limbs {
            return bits.noise;
        }
        self.parameters.noise_after_lowering(bits.noise)
    }

    /// The matrices of CoeffsToSlots.
    pub(crate) fn coeffs_to_slots(&self) -> &[LinearTransform] {
        &self.coeffs_to_slots
    }

    /// The matrices of SlotsToCoeffs for fractions of m, which are encoded when they are first used.
    ///
    /// # Panics
    /// If m is not from 2 to [`MAX_MODULUS`].
    pub(crate) fn slots_to_coeffs(&self, m: u64) -> &[LinearTransform] {
        let encode = || self.parameters.circuit().slots_to_coeffs_of(m).encode(&self.ring);
        self.slots_to_coeffs[m as usize - 2].get_or_init(encode)
    }

    /// Results by parts and functions as bits, one a function.
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
            let parts = by_part.iter_mut().map(|part| part.next().expect("a result a function"));
            let parts = parts.collect();
            EncryptedBits { parts, count, noise, bottom_limbs, parameter_digest, key_id }
        };
        noises.iter().map(join).collect()
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

    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.ring, &self.keys)
    }
}
