//! The server's key for values bit by bit.

use crate::cmux_tree::CmuxTree;
use crate::evaluation_key::CircuitEvaluationKey;

use super::ciphertext::check_bits;
use super::{Ciphertext, Parameters, width};
use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result};
use cryptable_wire::KeyId;

/// A callback of work done and total work.
type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Looks values up in tables, bit by bit, without the secret.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    key: CircuitEvaluationKey,
}

/// A table as polynomials, made once for any number of lookups: for 20 bits a good part of the time of one.
#[derive(Debug)]
pub struct PreparedTable {
    input_modulus: u64,
    output_modulus: u64,
    tree: CmuxTree,
}

impl EvaluationKey {
    /// A key for circuits, of these parameters.
    ///
    /// # Errors
    /// If it is of others.
    pub fn new(parameters: Parameters, key: CircuitEvaluationKey) -> Result<Self> {
        if key.parameters() != parameters.circuit() {
            return Err(crate::error::Error::OtherParameters.into());
        }
        Ok(Self { parameters, key })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Whose key it is.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.key.client()
    }

    /// Bytes of memory that the key takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key.memory_bytes()
    }

    /// The key below, for all that `cryptable-leveled` does with bits.
    #[must_use]
    pub fn circuit(&self) -> &CircuitEvaluationKey {
        &self.key
    }

    /// Maps every value through a table of the same input modulus.
    ///
    /// Any table is served whose inputs and outputs have at most [`Parameters::max_bits`]. Bits of a value, and
    /// values, share out among the threads. `progress` is told the number of values done.
    ///
    /// # Errors
    /// If the ciphertext is of another client, other parameters or another modulus than the table's inputs, or the
    /// table's outputs have too many bits.
    pub fn lookup(
        &self,
        input: &Ciphertext,
        table: &Table,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let outputs = self.lookup_many(input, std::slice::from_ref(table), progress)?;
        Ok(outputs.into_iter().next().expect("as many outputs as tables"))
    }

    /// Maps every value through several tables by one set of circuit bootstraps, most of the work.
    ///
    /// ```
    /// use cryptable_lattice::Table;
    /// use cryptable_leveled::lookup::{Parameters, SecretKey};
    /// let tables = [
    ///     Table::from_fn(10, 10, |x| x * x / 10)?,
    ///     Table::from_fn(10, 10, |x| x * x % 10)?,
    /// ];
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(10, 10)?);
    /// let input = secret.encrypt(&[7])?;
    /// let outputs = secret.evaluation_key().lookup_many(&input, &tables, &|_done, _total| ())?;
    /// assert_eq!((secret.decrypt(&outputs[0])?, secret.decrypt(&outputs[1])?), (vec![4], vec![9]));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`EvaluationKey::lookup`].
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[Table],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let tables = tables.iter().map(|table| self.prepare(table)).collect::<Result<Vec<_>>>()?;
        self.lookup_prepared(input, &tables, progress)
    }

    /// A table as polynomials, with zeros where no input is.
    ///
    /// # Errors
    /// If inputs or outputs have more bits than [`Parameters::max_bits`].
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        let (input_modulus, output_modulus) = (table.input_modulus(), table.output_modulus());
        check_bits("bits of the table's inputs", input_modulus, &self.parameters)?;
        check_bits("bits of the table's outputs", output_modulus, &self.parameters)?;
        let mut entries = table.values().to_vec();
        entries.resize(1 << width(input_modulus), 0);
        let tree = CmuxTree::new(self.parameters.circuit(), &entries, width(output_modulus))?;
        Ok(PreparedTable { input_modulus, output_modulus, tree })
    }

    /// Maps every value through several tables that were prepared before.
    ///
    /// # Errors
    /// If the ciphertext or a table is of other parameters, or their moduli differ.
    pub fn lookup_prepared(
        &self,
        input: &Ciphertext,
        tables: &[PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        input.check(&self.parameters)?;
        for table in tables {
            let (found, expected) = (table.input_modulus, input.modulus());
            if found != expected {
                let name = "input modulus of the table";
                let (found, expected) = (found.to_string(), expected.to_string());
                return Err(Error::Mismatch { name, found, expected });
            }
        }
        let trees: Vec<&CmuxTree> = tables.iter().map(|table| &table.tree).collect();
        let outputs = self.key.lookup_values(input.values(), &trees, progress)?;
        let ciphertext = |(table, values): (&PreparedTable, _)| {
            Ciphertext::new(&self.parameters, table.output_modulus, values)
        };
        Ok(tables.iter().zip(outputs).map(ciphertext).collect())
    }
}
