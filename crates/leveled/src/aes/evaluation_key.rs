//! The server's key for AES-128 and for tables on bytes.

use cryptable_lattice::error::check_parameters;
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{Progress, ReadOptions, Result, Table};
use cryptable_wire::{KeyId, ObjectType, open_with_parameters};

use super::encrypted_bytes::{BITS, EncryptedBytes};
use super::parameters::Parameters;
use crate::bootstrapping::CircuitBootstrapping;
use crate::keys::{CircuitBootstrappingEvaluationKey, MAX_EVALUATION_KEY_BYTES};
use crate::tree::CmuxTree;

/// Values of a byte.
const BYTE_VALUES: u64 = 1 << BITS;

/// Computes on encrypted bytes, without the secret. `Sync`: one key serves all threads.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    key: CircuitBootstrappingEvaluationKey,
}

impl EvaluationKey {
    /// Keys of circuit bootstrapping of these parameters.
    pub(super) fn new(parameters: Parameters, key: CircuitBootstrappingEvaluationKey) -> Self {
        assert_eq!(key.parameters(), parameters.circuit_bootstrapping(), "parameters of the key");
        Self { parameters, key }
    }

    /// A key from its wire format, which may be a memory map: masks are drawn from its seed, and nothing of the bytes
    /// is kept.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for transciphering, or its parameters insecure and
    /// the options do not allow that.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let (parameters, reader) = open_with_parameters(
            (*bytes).as_ref(),
            ObjectType::TranscipheringEvaluationKey,
            MAX_EVALUATION_KEY_BYTES,
            |bytes| Parameters::from_bytes(bytes, options),
            Parameters::digest,
        )?;
        let circuit = parameters.circuit_bootstrapping();
        let key = CircuitBootstrappingEvaluationKey::read(circuit, reader, options)?;
        Ok(Self::new(parameters, key))
    }

    /// The parameters that the key is of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identifier of the client's secret key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key.key_id()
    }

    /// Bytes of memory that the key takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key.memory_bytes()
    }

    /// Circuit bootstraps by this key.
    #[must_use]
    pub fn circuit_bootstrapping(&self) -> CircuitBootstrapping<'_> {
        self.key.circuit_bootstrapping()
    }

    /// A table of bytes as polynomials, for any number of lookups by keys of the same parameters.
    ///
    /// # Errors
    /// If it is not from 256 values to 256.
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        table.check_moduli(BYTE_VALUES, BYTE_VALUES)?;
        let circuit = self.parameters.circuit_bootstrapping();
        let tree = CmuxTree::new(circuit, table.values(), BITS)?;
        Ok(PreparedTable { parameter_digest: self.parameters.digest(), tree })
    }

    /// Maps every byte through several tables: eight circuit bootstraps a byte, and a CMUX tree for each table. A step
    /// of progress is a byte.
    ///
    /// # Errors
    /// If bytes or tables are of another client or other parameters; [`cryptable_lattice::Error::Cancelled`].
    pub fn lookup_many(
        &self,
        input: &EncryptedBytes,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<EncryptedBytes>> {
        input.check(&self.parameters, self.key_id())?;
        tables.iter().try_for_each(|table| table.check(&self.parameters))?;
        let trees: Vec<&CmuxTree> = tables.iter().map(|table| &table.tree).collect();
        let outputs = self.key.lookup_many(input.list(), &trees, progress)?;
        let digest = self.parameters.digest();
        let bytes = |list| EncryptedBytes::new(digest, self.key_id(), list);
        Ok(outputs.into_iter().map(bytes).collect())
    }
}

/// A table of bytes as polynomials.
#[derive(Debug)]
pub struct PreparedTable {
    parameter_digest: [u8; 32],
    tree: CmuxTree,
}

impl PreparedTable {
    /// Bytes of memory that the polynomials take.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.tree.shape().bytes()
    }

    /// Demands that it is of these parameters.
    pub(super) fn check(&self, parameters: &Parameters) -> Result<()> {
        check_parameters("table", parameters.digest(), self.parameter_digest)
    }
}
