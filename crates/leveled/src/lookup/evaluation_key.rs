//! The server's key for single values.

use cryptable_lattice::{Progress, Result, Table};
use cryptable_wire::KeyId;

use super::ciphertext::Ciphertext;
use super::parameters::Parameters;
use super::prepared_table::PreparedTable;
use crate::keys::CircuitBootstrappingEvaluationKey;
use crate::tree::CmuxTree;

/// Looks values up in tables, without the secret. `Sync`: one key serves all threads.
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

    /// Keys of circuit bootstrapping.
    pub(super) fn key(&self) -> &CircuitBootstrappingEvaluationKey {
        &self.key
    }

    /// Bytes of memory that the key takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key.memory_bytes()
    }

    /// The table as polynomials, for any number of lookups by keys of the same parameters.
    ///
    /// # Errors
    /// If inputs or outputs have more bits than [`Parameters::max_bits`].
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        PreparedTable::new(&self.parameters, table)
    }

    /// Maps every value through several tables by one set of circuit bootstraps, most of the work.
    ///
    /// Ciphertexts of a value, and values, share out among the threads. A step of progress is a value.
    ///
    /// ```
    /// use cryptable_lattice::{Progress, Table};
    /// use cryptable_leveled::lookup::{Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(10, 10)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let tens = key.prepare(&Table::from_fn(10, 10, |x| x * x / 10)?)?;
    /// let ones = key.prepare(&Table::from_fn(10, 10, |x| x * x % 10)?)?;
    /// let outputs = key.lookup_many(&secret.encrypt(&[7])?, &[&tens, &ones], Progress::silent())?;
    /// assert_eq!((secret.decrypt(&outputs[0])?, secret.decrypt(&outputs[1])?), (vec![4], vec![9]));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext or a table is of another client or other parameters, or their moduli differ;
    /// [`cryptable_lattice::Error::Cancelled`].
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        input.check(&self.parameters, self.key_id())?;
        tables.iter().try_for_each(|table| table.check(&self.parameters, input.modulus()))?;
        let trees: Vec<&CmuxTree> = tables.iter().map(|table| table.tree()).collect();
        let outputs = self.key.lookup_many(input.list(), &trees, progress)?;
        let ciphertext = |(table, list): (&&PreparedTable, _)| {
            Ciphertext::new(&self.parameters, table.output_modulus(), self.key_id(), list)
        };
        Ok(tables.iter().zip(outputs).map(ciphertext).collect())
    }
}
