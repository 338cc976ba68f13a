//! What a server holds.

use std::sync::Arc;

use cryptable_ckks::{DryRun, Evaluator};
use cryptable_lattice::EvaluationKeys;
use cryptable_lattice::error::Result;
use cryptable_ring::Ring;
use cryptable_wire::KeyId;

use crate::bootstrap_circuit::BootstrapCircuit;
use crate::bootstrap_matrices::BootstrapMatrices;
use crate::ciphertext::Ciphertext;
use crate::key_set::KeySet;
use crate::parameters::Parameters;

/// The public evaluation key of one client. Holds no secret; `Sync`.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    key_set: KeySet,
    key_id: KeyId,
    ring: Arc<Ring>,
    keys: EvaluationKeys,
    matrices: Option<BootstrapMatrices>,
    automatic: bool,
}

impl EvaluationKey {
    /// Joins switching keys with what the parameters alone determine.
    pub(crate) fn new(
        parameters: Parameters,
        (key_set, keys): (KeySet, EvaluationKeys),
        key_id: KeyId,
        ring: Arc<Ring>,
    ) -> Self {
        let circuit = parameters.bootstrap_circuit().filter(|_| key_set.has_bootstrapping());
        let matrices = circuit.map(|circuit| BootstrapMatrices::encode(circuit, &ring));
        Self { parameters, key_set, key_id, ring, keys, matrices, automatic: false }
    }

    /// With bootstraps wherever an operation needs more levels than an operand has: of slots within [-1, 1]. Without this,
    /// such operations are errors.
    ///
    /// ```
    /// use cryptable_approximate::{KeySet, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_bootstrapping()?);
    /// let server = secret.evaluation_key(&KeySet::new().bootstrapping(), Progress::silent())?;
    /// let server = server.bootstrapping_automatically(true);
    /// let mut x = secret.encrypt_reals(&[-1.0])?;
    /// for _ in 0..secret.parameters().levels() + 2 {
    ///     x = server.mul(&x, &x)?;
    /// }
    /// assert!((secret.decrypt_reals(&x)?[0] - 1.0).abs() < 1e-3);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn bootstrapping_automatically(mut self, automatic: bool) -> Self {
        self.automatic = automatic;
        self
    }

    /// Whether bootstraps are automatic.
    pub(crate) fn is_automatic(&self) -> bool {
        self.automatic
    }

    /// Bytes in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let matrices = self.matrices.as_ref().map_or(0, BootstrapMatrices::memory_bytes);
        self.keys.memory_bytes(self.ring.moduli()) + matrices
    }

    /// What the keys are for.
    #[must_use]
    pub fn key_set(&self) -> &KeySet {
        &self.key_set
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

    /// Demands ciphertexts of these parameters and this client.
    ///
    /// # Errors
    /// If one is not.
    pub(crate) fn check(&self, operands: &[&Ciphertext]) -> Result<()> {
        let digest = self.parameters.digest();
        operands.iter().try_for_each(|ct| ct.check(digest, self.key_id))
    }

    /// What bootstraps take, if there are keys for them.
    pub(crate) fn bootstrap_parts(&self) -> Option<(&BootstrapCircuit, &BootstrapMatrices)> {
        self.parameters.bootstrap_circuit().zip(self.matrices.as_ref())
    }

    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// What computes, and what predicts the same: every operation runs on both.
    pub(crate) fn arithmetics(&self) -> (Evaluator<'_>, DryRun) {
        (Evaluator::new(&self.ring, &self.keys), self.parameters.dry_run())
    }
}
