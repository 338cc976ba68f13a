//! The server's key for single values.

use cryptable_lattice::{Progress, Result, Table};

use super::ciphertext::Ciphertext;
use super::parameters::Parameters;
use super::prepared_table::PreparedTable;
use crate::keys::ServerKey;
use crate::tree::CmuxTree;

/// Looks values up in tables, without the secret. The key is `Sync`, so all threads can share it.
pub type EvaluationKey = ServerKey<Parameters>;

impl EvaluationKey {
    /// Encodes a table as polynomials, for any number of lookups with keys of the same parameters.
    ///
    /// # Errors
    /// If inputs or outputs have more bits than [`Parameters::max_bits`].
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        PreparedTable::new(self.parameters(), table)
    }

    /// Looks every value up in several tables by one set of circuit bootstraps, which are most of the work.
    ///
    /// Values, and the ciphertexts of a value, are distributed over the threads. A step of progress is a value.
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
    /// If the ciphertext or a table belongs to another client or other parameters, or their moduli differ;
    /// [`cryptable_lattice::Error::Cancelled`].
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let input = self.switched(input)?;
        tables.iter().try_for_each(|table| table.check(self.parameters(), input.modulus()))?;
        let trees: Vec<&CmuxTree> = tables.iter().map(|table| table.tree()).collect();
        let outputs = self.lookup_lists(input.list(), &trees, progress)?;
        let ciphertext = |(table, list): (&&PreparedTable, _)| {
            Ciphertext::new(self.parameters(), table.output_modulus(), *self.binding(), list)
        };
        Ok(tables.iter().zip(outputs).map(ciphertext).collect())
    }
}
