//! The server's key of any engine.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use cryptable_lattice::error::check_signs;
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_wire::{KeyId, MappedFile, ObjectType, WireError, peek_header};

use crate::ciphertext::Part;
use crate::engine::{each_engine, engine_accessors, other_engine};
use crate::engines::{bridged, leveled, packed, single};
use crate::execution::part_of;
use crate::prepared_table::{Prepared, PreparedTable};
use crate::{
    Ciphertext, Engine, Error, Execution, Parameters, Progress, ReadOptions, Result, Table,
};

/// A server's evaluation key: maps encrypted values through tables, without the secret. A client makes it
/// ([`SecretKey::evaluation_key`](crate::SecretKey::evaluation_key)); any number of threads may share it.
pub enum EvaluationKey {
    /// Of [`Engine::Packed`].
    Packed(Box<packed::EvaluationKey>),
    /// Of [`Engine::Single`].
    Single(Box<single::EvaluationKey>),
    /// Of [`Engine::Leveled`].
    Leveled(Box<leveled::EvaluationKey>),
    /// Of single values, which it may pack ([`crate::Request::inputs`]).
    Bridged(Box<bridged::EvaluationKey>),
}

/// What names the key: its engine, parameters and client.
impl fmt::Debug for EvaluationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvaluationKey({}; of client key {})", self.parameters(), self.key_id())
    }
}

impl EvaluationKey {
    engine_accessors!(pub EvaluationKey, "evaluation key");

    /// The parameters that it was made for.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        each_engine!(self, it => it.parameters().clone().into())
    }

    /// The identifier of the secret key that it was made from.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        each_engine!(self, it => it.key_id())
    }

    /// Bytes of memory that the key takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        each_engine!(self, it => it.memory_bytes())
    }

    /// Encodes a table once for any number of lookups, by this key or any other of the same parameters.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if a modulus of the table is not that of the key's parameters.
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        let prepared = match self {
            Self::Packed(key) => Prepared::Packed(Box::new(key.prepare(table)?)),
            Self::Single(key) => Prepared::Single(Box::new(key.prepare(table)?)),
            Self::Leveled(key) => Prepared::Leveled(Box::new(key.prepare(table)?)),
            Self::Bridged(key) => Prepared::Bridged(Box::new(key.prepare(table)?)),
        };
        Ok(PreparedTable::new(prepared, table.signed_inputs(), table.signed_outputs()))
    }

    /// Maps every value through a table: value k of the result is `table(x_k)`, modulo the table's output modulus, under the same
    /// client's key. The server learns neither.
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
    /// If the ciphertext or the table is of another engine or parameter set, or the ciphertext of another client or
    /// modulus; [`Error::Signs`] if its values are signed and the table's inputs are not, or the other way round; [`Error::NoiseTooLarge`] if the ciphertext is a sum of so many that the lookup would fail with more than the
    /// stated probability.
    pub fn lookup(&self, input: &Ciphertext, table: &PreparedTable) -> Result<Ciphertext> {
        Ok(self.lookup_many_with(input, &[table], Execution::default())?.swap_remove(0))
    }

    /// [`EvaluationKey::lookup`] with threads, progress and cancellation.
    ///
    /// # Errors
    /// As there, or [`Error::Cancelled`].
    pub fn lookup_with(
        &self,
        input: &Ciphertext,
        table: &PreparedTable,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        Ok(self.lookup_many_with(input, &[table], execution)?.swap_remove(0))
    }

    /// Maps every value through each of several tables, for less than as many lookups: what does not depend on the
    /// table is computed once.
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
    /// As [`EvaluationKey::lookup`], or if there is no table.
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
    ) -> Result<Vec<Ciphertext>> {
        self.lookup_many_with(input, tables, Execution::default())
    }

    /// [`EvaluationKey::lookup_many`] with threads, progress and cancellation.
    ///
    /// # Errors
    /// As there, or [`Error::Cancelled`].
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
                let share = part_of(&whole, index, parts);
                let results = self.lookup_part(part, tables, Progress::new(&share))?;
                outputs.iter_mut().zip(results).for_each(|(output, part)| output.push(part));
            }
            let signed = |(parts, table): (Vec<Part>, &&PreparedTable)| {
                Ok(Ciphertext::new(parts)?.with_signed(table.signed_outputs()))
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
            (Self::Packed(key), Part::Packed(input)) => {
                let look_up = |tables: &[_]| key.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::packed, look_up)
            }
            (Self::Single(key), Part::Single(input)) => {
                let look_up = |tables: &[_]| key.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::single, look_up)
            }
            (Self::Leveled(key), Part::Leveled(input)) => {
                let look_up = |tables: &[_]| key.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::leveled, look_up)
            }
            (Self::Bridged(key), Part::Single(input)) => {
                let look_up = |tables: &[_]| key.lookup_many(input, tables, progress);
                of_engine(tables, Prepared::bridged, look_up)
            }
            (Self::Bridged(key), Part::Packed(input)) => {
                let look_up = |tables: &[_]| key.packed().lookup_many(input, tables, progress);
                of_engine(tables, Prepared::packed, look_up)
            }
            _ => Err(other_engine("ciphertext", self.engine(), input.engine())),
        }
    }

    /// Maps a key file, as [`SecretKey::write_evaluation_key`](crate::SecretKey::write_evaluation_key) wrote it, into memory and
    /// checks all of it. Packed keys are used where they lie; what other processes map is shared. The file must stay as it is
    /// while the key lives: replace files, do not rewrite them.
    ///
    /// ```no_run
    /// use cryptable::{EvaluationKey, ReadOptions};
    /// let server = EvaluationKey::open("client.eval".as_ref(), ReadOptions::default())?;
    /// println!("{}", server.parameters());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be read, is not exactly one undamaged evaluation key, or `options` do not accept its parameters.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Self> {
        Self::from_shared(Arc::new(MappedFile::open(path)?), options)
    }

    /// Reads an evaluation key of any engine from bytes in memory. Packed keys are used where they lie: the key holds on to the
    /// bytes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use cryptable::{Engine, EvaluationKey, Execution, Parameters, ReadOptions, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
    /// let mut file = Vec::new();
    /// secret.write_evaluation_key(&mut file, Execution::default())?;
    /// // Toys are insecure, which a server accepts in tests only.
    /// let options = ReadOptions::default().allow_insecure();
    /// let server = EvaluationKey::from_shared(Arc::new(file), options)?;
    /// assert_eq!(server.key_id(), secret.id());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key, or `options` do not accept its parameters.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let found = peek_header((*bytes).as_ref())?.object_type;
        if found == ObjectType::BridgedEvaluationKey {
            let key = bridged::EvaluationKey::from_shared(bytes, options)?;
            return Ok(Self::Bridged(Box::new(key)));
        }
        let engine = Engine::ALL.into_iter().find(|e| e.object_types().evaluation_key == found);
        Ok(match engine {
            Some(Engine::Packed) => {
                Self::Packed(Box::new(packed::EvaluationKey::from_shared(bytes, options)?))
            }
            Some(Engine::Single) => {
                Self::Single(Box::new(single::EvaluationKey::from_shared(bytes, options)?))
            }
            Some(Engine::Leveled) => {
                Self::Leveled(Box::new(leveled::EvaluationKey::from_shared(bytes, options)?))
            }
            None => {
                return Err(WireError::WrongKind { expected: "an evaluation key", found }.into());
            }
        })
    }
}

/// Looks a part up in the tables of one engine.
fn of_engine<'t, T: 't, C: Into<Part>>(
    tables: &[&'t PreparedTable],
    table: impl Fn(&'t Prepared) -> Result<&'t T>,
    look_up: impl FnOnce(&[&'t T]) -> Result<Vec<C>>,
) -> Result<Vec<Part>> {
    let tables =
        tables.iter().map(|prepared| table(prepared.of_engine())).collect::<Result<Vec<_>>>()?;
    Ok(look_up(&tables)?.into_iter().map(Into::into).collect())
}
