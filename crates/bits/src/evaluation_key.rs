//! The server's key: switching keys and matrices.

use std::ops::Deref;
use std::sync::Arc;

use cryptable_ckks::{Ciphertext, Evaluator, LinearTransform};
use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_lattice::ring_evaluation_key::{
    RingEvaluationKey, RingEvaluationParameters, RingParameters,
};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{KeyRequest, ReadOptions, key_parameters};
use cryptable_ring::{Ring, RingModuli};
use cryptable_wire::ObjectType;

use crate::bit_matrices::BitMatrices;
use crate::encrypted_bits::EncryptedBits;
use crate::noise::BitNoise;
use crate::parameters::Parameters;

key_parameters!(Parameters);

impl RingParameters for Parameters {
    fn ring(&self) -> Arc<Ring> {
        self.ring()
    }
}

impl RingEvaluationParameters for Parameters {
    const EVALUATION_KEY: ObjectType = ObjectType::SlotBitsEvaluationKey;

    fn moduli(&self) -> RingModuli {
        self.moduli()
    }

    fn key_requests(&self) -> Vec<KeyRequest> {
        self.circuit().key_requests()
    }
}

/// The public evaluation key of one client: switching keys, and the matrices that the parameters alone determine. Holds
/// no secret; `Sync`.
#[derive(Debug)]
pub struct EvaluationKey {
    keys: RingEvaluationKey<Parameters>,
    matrices: BitMatrices,
}

impl Deref for EvaluationKey {
    type Target = RingEvaluationKey<Parameters>;

    fn deref(&self) -> &Self::Target {
        &self.keys
    }
}

impl EvaluationKey {
    /// Encodes the matrices.
    pub(crate) fn new(keys: RingEvaluationKey<Parameters>) -> Self {
        let circuit = keys.parameters().circuit();
        let matrices = BitMatrices::new(circuit.coeffs_to_slots.encode(keys.ring()));
        Self { keys, matrices }
    }

    /// Reads a key from its wire format, leaving its switching keys in place.
    ///
    /// # Errors
    /// The errors of [`RingEvaluationKey::from_shared`].
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        RingEvaluationKey::from_shared(bytes, options).map(Self::new)
    }

    /// Bytes in memory: keys, and the matrices used so far.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.keys.memory_bytes() + self.matrices.memory_bytes()
    }

    /// Returns the noise of bits that are lowered to `limbs` limbs.
    pub(crate) fn noise_at(&self, bits: &EncryptedBits, limbs: usize) -> BitNoise {
        if bits.limbs() == limbs {
            return bits.noise;
        }
        self.parameters().noise_after_lowering(bits.noise)
    }

    /// Checks that bits belong to this client and its parameters, and that their numbers are equal.
    ///
    /// # Errors
    /// If there are none, or one of them differs.
    pub(crate) fn check(&self, bits: &[&EncryptedBits]) -> Result<()> {
        let Some(first) = bits.first() else {
            return Err(Error::TooSmall { name: "number of operands", value: 0, limit: 1 });
        };
        for bits in bits {
            bits.check(self.binding())?;
            check_equal("number of bits", bits.count, first.count)?;
        }
        Ok(())
    }

    /// The evaluator with these keys.
    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(self.ring(), self.keys.keys())
    }

    /// The matrices of CoeffsToSlots.
    pub(crate) fn coeffs_to_slots(&self) -> &[LinearTransform] {
        self.matrices.coeffs_to_slots()
    }

    /// The matrices of SlotsToCoeffs for fractions of m.
    pub(crate) fn slots_to_coeffs(&self, m: u64) -> &[LinearTransform] {
        let encode = || self.parameters().circuit().slots_to_coeffs_of(m).encode(self.ring());
        self.matrices.slots_to_coeffs(m, encode)
    }

    /// Lowers a part of bits to `limbs` limbs.
    pub(crate) fn lowered(&self, part: &Ciphertext, limbs: usize) -> Ciphertext {
        self.parameters().circuit().lower(&self.evaluator(), part, limbs)
    }

    /// Joins results, indexed as `by_part[part][function]`, to bits for each function.
    pub(crate) fn join_parts(
        &self,
        by_part: Vec<Vec<Ciphertext>>,
        count: usize,
        noises: &[BitNoise],
    ) -> Vec<EncryptedBits> {
        let binding = *self.binding();
        let bottom_limbs = self.parameters().literal().input_limbs();
        let mut by_part: Vec<_> = by_part.into_iter().map(Vec::into_iter).collect();
        let join = |&noise: &BitNoise| {
            let parts = by_part.iter_mut().map(|part| part.next().expect("a result per function"));
            let parts = parts.collect();
            EncryptedBits { parts, count, noise, bottom_limbs, binding }
        };
        noises.iter().map(join).collect()
    }
}
