//! Lookups, and other methods of evaluation keys.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use cryptable_lattice::error::check_signs;
use cryptable_wire::{KeyId, MappedFile};

use super::kind::each_kind;
use crate::ciphertext::Part;
use crate::prepared_table::{Prepared, PreparedTable};
use crate::{
    Ciphertext, Engine, Error, EvaluationKey, Execution, KeyParameters, Parameters, Progress,
    ReadOptions, Result, Table,
};

/// Shows the key's parameters and client.
impl fmt::Debug for EvaluationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvaluationKey({}; of client key {})", self.parameters(), self.key_id())
    }
}

impl EvaluationKey {
    /// Returns the parameters that the key was generated for.
    #[must_use]
    pub fn parameters(&self) -> KeyParameters {
        each_kind!(self, it => it.parameters().into())
    }

    /// Returns the parameters of lookups with this key.
    ///
    /// # Errors
    /// [`Error::OtherKind`] if keys of this kind are not for lookups.
    pub fn lookup_parameters(&self) -> Result<Parameters> {
        self.parameters().lookups()
    }

    /// Returns the identifier of the secret key that this key was generated from.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        each_kind!(self, it => it.key_id())
    }

    /// Returns the number of bytes of memory that the key uses.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        each_kind!(self, it => it.memory_bytes())
    }

    /// Encodes a table for any number of lookups with this key or any other key of the same parameters.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if a modulus of the table is not that of the key's parameters; [`Error::OtherKind`] if keys
    /// of this kind are not for lookups.
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        let prepared = match (self, self.lookup_parameters()?.engine()) {
            (Self::Bridged(key), _) => Prepared::Bridged(Box::new(key.prepare(table)?)),
            (_, Engine::Packed) => Prepared::Packed(Box::new(self.packed()?.prepare(table)?)),
            (_, Engine::Single) => Prepared::Single(Box::new(self.single()?.prepare(table)?)),
            (_, Engine::Leveled) => Prepared::Leveled(Box::new(self.leveled()?.prepare(table)?)),
        };
        Ok(PreparedTable::new(prepared, table.signed_inputs(), table.signed_outputs()))
    }

    /// Maps every value through a table: value k of the result is f(x_k), for the table f.
    ///
    /// The result has the table's output modulus and is under the same client's key. The server learns neither inputs
    /// nor outputs.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
    /// let server = secret.evaluation_key();
    /// let squares = server.prepare(&Table::from_fn(4, 4, |x| x * x % 4)?)?;
    /// let output = server.lookup(&secret.encrypt(&[3, 2])?, &squares)?;
    /// assert_eq!(secret.decrypt(&output)?, [1, 0]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext or the table belongs to another engine or parameter set, or the ciphertext to another client
    /// or modulus; [`Error::Signs`] if the values are signed and the table's inputs are not, or vice versa;
    /// [`Error::NoiseTooLarge`] if the lookup would fail with more than the stated probability, since the ciphertext is
    /// a sum of too many values.
    pub fn lookup(&self, input: &Ciphertext, table: &PreparedTable) -> Result<Ciphertext> {
        Ok(self.lookup_many_with(input, &[table], Execution::default())?.swap_remove(0))
    }

    /// Same as [`EvaluationKey::lookup`], with a choice of threads, progress and cancellation.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::lookup`], and [`Error::Cancelled`].
    pub fn lookup_with(
        &self,
        input: &Ciphertext,
        table: &PreparedTable,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        Ok(self.lookup_many_with(input, &[table], execution)?.swap_remove(0))
    }

    /// Maps every value through each of several tables, which is faster than separate lookups: steps that do not depend
    /// on the table are done once.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Leveled, 10, 10)?);
    /// let server = secret.evaluation_key();
    /// let tens = server.prepare(&Table::from_fn(10, 10, |x| x * x / 10)?)?;
    /// let ones = server.prepare(&Table::from_fn(10, 10, |x| x * x % 10)?)?;
    /// let outputs = server.lookup_many(&secret.encrypt(&[7])?, &[&tens, &ones])?;
    /// assert_eq!((secret.decrypt(&outputs[0])?, secret.decrypt(&outputs[1])?), (vec![4], vec![9]));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::lookup`], and [`Error::TooSmall`] if there is no table.
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
    ) -> Result<Vec<Ciphertext>> {
        self.lookup_many_with(input, tables, Execution::default())
    }

    /// Same as [`EvaluationKey::lookup_many`], with a choice of threads, progress and cancellation.
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::lookup_many`], and [`Error::Cancelled`].
    pub fn lookup_many_with(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
        execution: Execution<'_>,
    ) -> Result<Vec<Ciphertext>> {
        if tables.is_empty() {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        }
        for table in tables {
            let name = "values to be looked up";
            let (found, expected) = (input.is_signed(), table.signed_inputs());
            check_signs(name, found, expected, "the inputs of the table")?;
        }
        let parts = input.parts().len();
        execution.run(|whole| {
            let mut outputs: Vec<Vec<Part>> = tables.iter().map(|_| Vec::new()).collect();
            for (index, part) in input.parts().iter().enumerate() {
                let share = whole.part(index..index + 1, parts);
                let results = self.lookup_part(part, tables, Progress::new(&share))?;
                outputs.iter_mut().zip(results).for_each(|(output, part)| output.push(part));
            }
            let signed = |(parts, table): (Vec<Part>, &&PreparedTable)| {
                let output = Ciphertext::new(parts)?.with_signed(table.signed_outputs());
                Ok(output.with_standalone(input.is_standalone()))
            };
            outputs.into_iter().zip(tables).map(signed).collect()
        })
    }

    fn lookup_part(
        &self,
        input: &Part,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Part>> {
        match (self, input) {
            (Self::Bridged(key), Part::Single(input)) => {
                let look_up = |tables: &[_]| key.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::bridged, look_up)
            }
            (_, Part::Packed(input)) => {
                let look_up = |tables: &[_]| self.packed()?.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::packed, look_up)
            }
            (_, Part::Single(input)) => {
                let look_up = |tables: &[_]| self.single()?.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::single, look_up)
            }
            (_, Part::Leveled(input)) => {
                let look_up = |tables: &[_]| self.leveled()?.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::leveled, look_up)
            }
        }
    }

    /// Maps a key file into memory and checks all of it.
    /// [`SecretKey::write_evaluation_key`](crate::SecretKey::write_evaluation_key) writes such files.
    ///
    /// A packed key is not copied out of the file, so processes that open the same file share the memory. The file must
    /// not change while the key is in use: replace such files, do not overwrite them.
    ///
    /// ```no_run
    /// use cryptable::{EvaluationKey, ReadOptions};
    /// let server = EvaluationKey::open("client.eval".as_ref(), ReadOptions::default())?;
    /// println!("{}", server.parameters());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be read or is not exactly one undamaged evaluation key, or if `options` refuse its
    /// parameters.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Self> {
        Self::from_shared(Arc::new(MappedFile::open(path)?), options)
    }
}

/// Looks up a part in the tables of one engine, which `table` borrows from prepared tables.
fn of_engine<'t, T: 't, C: Into<Part>>(
    tables: &[&'t PreparedTable],
    table: impl Fn(&'t Prepared) -> Result<&'t T>,
    look_up: impl FnOnce(&[&'t T]) -> Result<Vec<C>>,
) -> Result<Vec<Part>> {
    let tables =
        tables.iter().map(|prepared| table(prepared.of_engine())).collect::<Result<Vec<_>>>()?;
    Ok(look_up(&tables)?.into_iter().map(Into::into).collect())
}
