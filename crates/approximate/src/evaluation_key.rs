//! The server's key.

use std::ops::Deref;
use std::sync::Arc;

use cryptable_ckks::{DryRun, Evaluator};
use cryptable_lattice::error::Result;
use cryptable_lattice::ring_evaluation_key::{
    RingEvaluationKey, RingEvaluationParameters, RingParameters,
};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{KeyParameters, KeyRequest, ReadOptions, key_parameters};
use cryptable_ring::{Ring, RingModuli};
use cryptable_wire::{ObjectType, WireError};
use serde::{Deserialize, Serialize};

use crate::bootstrap_circuit::{BootstrapCircuit, BootstrapMatrices};
use crate::ciphertext::Ciphertext;
use crate::key_set::KeySet;
use crate::literal::ParametersLiteral;
use crate::parameters::Parameters;

/// First part of an evaluation key file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyedLiteral {
    parameters: ParametersLiteral,
    keys: KeySet,
}

/// Parameters, and a selection of the keys that they allow.
#[derive(Clone, Debug)]
pub struct KeyedParameters {
    parameters: Parameters,
    key_set: KeySet,
    requests: Vec<KeyRequest>,
}

impl KeyedParameters {
    /// Lists the keys that a key set needs.
    ///
    /// # Errors
    /// If the parameters do not support a key.
    pub(crate) fn new(parameters: Parameters, key_set: KeySet) -> Result<Self> {
        let requests = key_set.requests(&parameters)?;
        Ok(Self { parameters, key_set, requests })
    }
}

key_parameters!(Parameters);

impl KeyParameters for KeyedParameters {
    fn to_bytes(&self) -> Vec<u8> {
        let (parameters, keys) = (self.parameters.literal().clone(), self.key_set.clone());
        serde_json::to_vec(&KeyedLiteral { parameters, keys }).expect("a literal serialises")
    }

    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let KeyedLiteral { parameters, keys } = serde_json::from_slice(bytes).map_err(|error| {
            WireError::invalid("parameters", error, "a literal of vectors and keys")
        })?;
        options.check(parameters.security)?;
        Self::new(Parameters::new(parameters)?, keys)
    }

    fn digest(&self) -> [u8; 32] {
        self.parameters.digest()
    }
}

impl RingParameters for Parameters {
    fn ring(&self) -> Arc<Ring> {
        self.ring()
    }
}

impl RingParameters for KeyedParameters {
    fn ring(&self) -> Arc<Ring> {
        self.parameters.ring()
    }
}

impl RingEvaluationParameters for KeyedParameters {
    const EVALUATION_KEY: ObjectType = ObjectType::VectorEvaluationKey;

    fn moduli(&self) -> RingModuli {
        self.parameters.moduli()
    }

    fn key_requests(&self) -> Vec<KeyRequest> {
        self.requests.clone()
    }
}

impl Parameters {
    /// Reads the parameters at the beginning of an evaluation key file.
    ///
    /// # Errors
    /// The errors of [`Parameters::from_bytes`].
    pub fn from_evaluation_key_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        KeyedParameters::from_bytes(bytes, options).map(|keyed| keyed.parameters)
    }
}

/// The public evaluation key of one client. Holds no secret; `Sync`.
#[derive(Debug)]
pub struct EvaluationKey {
    keys: RingEvaluationKey<KeyedParameters>,
    matrices: Option<BootstrapMatrices>,
    automatic: bool,
}

impl Deref for EvaluationKey {
    type Target = RingEvaluationKey<KeyedParameters>;

    fn deref(&self) -> &Self::Target {
        &self.keys
    }
}

impl EvaluationKey {
    /// Encodes the matrices of bootstraps, if there are keys for them.
    pub(crate) fn new(keys: RingEvaluationKey<KeyedParameters>) -> Self {
        let KeyedParameters { parameters, key_set, .. } = keys.parameters();
        let circuit = parameters.bootstrap_circuit().filter(|_| key_set.has_bootstrapping());
        let matrices = circuit.map(|circuit| BootstrapMatrices::encode(circuit, keys.ring()));
        Self { keys, matrices, automatic: false }
    }

    /// Reads a key from its wire format, leaving its switching keys in place.
    ///
    /// # Errors
    /// The errors of [`RingEvaluationKey::from_shared`].
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        RingEvaluationKey::from_shared(bytes, options).map(Self::new)
    }

    /// Enables or disables automatic bootstraps, wherever an operation needs more levels than an operand has. Its slots
    /// must be within [-1, 1]. Without automatic bootstraps, such operations are errors.
    ///
    /// ```
    /// use cryptable_approximate::{KeySet, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_bootstrapping()?);
    /// let server = secret.evaluation_key_for(&KeySet::new().bootstrapping(), Progress::silent())?;
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

    /// Returns whether bootstraps are automatic.
    pub(crate) fn is_automatic(&self) -> bool {
        self.automatic
    }

    /// Bytes in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let matrices = self.matrices.as_ref().map_or(0, BootstrapMatrices::memory_bytes);
        self.keys.memory_bytes() + matrices
    }

    /// Returns the key set that determines the keys.
    #[must_use]
    pub fn key_set(&self) -> &KeySet {
        &self.keys.parameters().key_set
    }

    /// Returns the parameters, which are those of the client's secret key.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.keys.parameters().parameters
    }

    /// Checks that ciphertexts belong to these parameters and this client.
    ///
    /// # Errors
    /// If one does not.
    pub(crate) fn check(&self, operands: &[&Ciphertext]) -> Result<()> {
        operands.iter().try_for_each(|ct| ct.check(self.binding()))
    }

    /// Returns the circuit and matrices of bootstraps, if there are keys for them.
    pub(crate) fn bootstrap_parts(&self) -> Option<(&BootstrapCircuit, &BootstrapMatrices)> {
        self.parameters().bootstrap_circuit().zip(self.matrices.as_ref())
    }

    /// Returns the evaluator and the dry run: every operation runs on both.
    pub(crate) fn arithmetics(&self) -> (Evaluator<'_>, DryRun) {
        (Evaluator::new(self.ring(), self.keys()), self.parameters().dry_run())
    }
}
