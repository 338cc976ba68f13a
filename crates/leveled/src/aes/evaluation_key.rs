//! The server's key for AES-128 and for tables on bytes.

use cryptable_lattice::error::check_parameters;
use cryptable_lattice::{Progress, Result, Table};

use super::encrypted_bytes::{BITS, EncryptedBytes};
use super::parameters::Parameters;
use crate::keys::ServerKey;
use crate::tree::CmuxTree;

/// Number of values of a byte.
const BYTE_VALUES: u64 = 1 << BITS;

/// Computes on encrypted bytes, without the secret. The key is `Sync`, so all threads can share it.
pub type EvaluationKey = ServerKey<Parameters>;

impl EvaluationKey {
    /// Encodes a table of bytes as polynomials, for any number of lookups with keys of the same parameters.
    ///
    /// # Errors
    /// If the table does not map 256 values to 256 values.
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        table.check_moduli(BYTE_VALUES, BYTE_VALUES)?;
        let circuit = self.parameters().circuit_bootstrapping();
        let tree = CmuxTree::new(circuit, table.values(), BITS)?;
        Ok(PreparedTable { parameter_digest: self.parameters().digest(), tree })
    }

    /// Looks every byte up in several tables: eight circuit bootstraps per byte, and a CMUX tree per byte and table. A step
    /// of progress is a byte.
    ///
    /// # Errors
    /// If bytes or tables belong to another client or other parameters; [`cryptable_lattice::Error::Cancelled`].
    pub fn lookup_many(
        &self,
        input: &EncryptedBytes,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<EncryptedBytes>> {
        input.check(self.parameters(), self.binding())?;
        tables.iter().try_for_each(|table| table.check(self.parameters()))?;
        let trees: Vec<&CmuxTree> = tables.iter().map(|table| &table.tree).collect();
        let input = input.switched(self.parameters());
        let outputs = self.lookup_lists(input.list(), &trees, progress)?;
        let bytes = |list| EncryptedBytes::new(*self.binding(), list);
        Ok(outputs.into_iter().map(bytes).collect())
    }
}

/// A table of bytes encoded as polynomials.
#[derive(Debug)]
pub struct PreparedTable {
    parameter_digest: [u8; 32],
    tree: CmuxTree,
}

impl PreparedTable {
    /// Returns the bytes of memory that the polynomials occupy.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.tree.shape().bytes()
    }

    /// Checks that the table was prepared for these parameters.
    pub(super) fn check(&self, parameters: &Parameters) -> Result<()> {
        check_parameters("table", parameters.digest(), self.parameter_digest)
    }
}
