//! The server's key: switching keys and encoded matrices.

use std::ops::Deref;
use std::sync::Arc;

use cryptable_ckks::Evaluator;
use cryptable_ckks::inner_ring::InnerRing;
use cryptable_lattice::error::Result;
use cryptable_lattice::result_key::ResultKeyShape;
use cryptable_lattice::ring_evaluation_key::{
    RingEvaluationKey, RingEvaluationParameters, RingParameters,
};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{KeyRequest, ReadOptions, key_parameters};
use cryptable_ring::{Ring, RingModuli};
use cryptable_wire::ObjectType;

use crate::keys::lookup_matrices::LookupMatrices;
use crate::parameters::parameter_set::Parameters;

key_parameters!(Parameters);

impl RingParameters for Parameters {
    fn ring(&self) -> Arc<Ring> {
        Arc::new(self.ring())
    }
}

impl RingEvaluationParameters for Parameters {
    const EVALUATION_KEY: ObjectType = ObjectType::PackedEvaluationKey;

    fn moduli(&self) -> RingModuli {
        self.moduli()
    }

    fn key_requests(&self) -> Vec<KeyRequest> {
        self.key_requests()
    }

    fn result_key(&self) -> Option<ResultKeyShape> {
        self.result_key_shape()
    }

    fn key_memory_bytes(&self, requests: &[KeyRequest]) -> u64 {
        self.memory_bytes_of(requests) as u64
    }
}

/// The public evaluation key of one client, ready for lookups: switching keys, and the matrices that the parameters
/// alone determine.
///
/// Holds no secret; `Sync`, so one key serves many threads.
#[derive(Debug)]
pub struct EvaluationKey {
    keys: RingEvaluationKey<Parameters>,
    matrices: LookupMatrices,
}

impl Deref for EvaluationKey {
    type Target = RingEvaluationKey<Parameters>;

    fn deref(&self) -> &Self::Target {
        &self.keys
    }
}

impl EvaluationKey {
    /// Makes an evaluation key from switching keys, and encodes the matrices.
    pub(crate) fn new(keys: RingEvaluationKey<Parameters>) -> Self {
        let matrices = LookupMatrices::encode(keys.parameters(), keys.ring());
        Self { keys, matrices }
    }

    /// Reads a key from its wire format, without copying the switching keys.
    ///
    /// # Errors
    /// The errors of [`RingEvaluationKey::from_shared`].
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        RingEvaluationKey::from_shared(bytes, options).map(Self::new)
    }

    /// The size in memory, in bytes: keys and matrices.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.keys.memory_bytes() + self.matrices.memory_bytes()
    }

    /// The evaluator with these keys.
    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        let evaluator = Evaluator::new(self.ring(), self.keys.keys());
        let is_half = self.parameters().literal().half_digits > 0;
        let real = self.matrices.real_slots.as_ref().map(InnerRing::Real);
        evaluator.with_inner(real.or(is_half.then_some(InnerRing::Half)))
    }

    /// The matrices of lookups.
    pub(crate) fn matrices(&self) -> &LookupMatrices {
        &self.matrices
    }
}
