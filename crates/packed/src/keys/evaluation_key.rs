//! What a server holds: switching keys and encoded matrices.

use std::sync::Arc;

use cryptable_ckks::Evaluator;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{EvaluationKeys, KeyRequest};
use cryptable_ring::Ring;
use cryptable_wire::KeyId;

use crate::keys::lookup_matrices::LookupMatrices;
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
    matrices: LookupMatrices,
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
        let matrices = LookupMatrices::encode(&parameters, &ring);
        Ok(Self { parameters, key_id, ring, keys, matrices })
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
        self.keys.memory_bytes(self.ring.moduli()) + self.matrices.memory_bytes()
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

    /// The matrices of lookups.
    pub(crate) fn matrices(&self) -> &LookupMatrices {
        &self.matrices
    }
}
