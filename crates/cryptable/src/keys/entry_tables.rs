//! Lookups with one table per value, or with encrypted tables. Their keys are those of [`crate::Request::entries`].

use cryptable_packed::{EncryptedTables, SlotTables};

use super::packed_parts::{each_part, parts_of};
use crate::{Ciphertext, Error, EvaluationKey, Execution, Result};

impl EvaluationKey {
    /// Maps every value through a table of its own: value k through table k.
    ///
    /// Keys must be for such tables ([`Request::entries`](crate::Request::entries)).
    ///
    /// ```
    /// use cryptable::engines::packed::{self, SlotTables};
    /// use cryptable::{Execution, SecretKey, Table};
    /// // In production, use parameters of `Request::new(16, 16).entries(EntryKind::Plain)`.
    /// let parameters = packed::Parameters::insecure_toy_entries(16, 16)?;
    /// let secret = SecretKey::generate(cryptable::Parameters::from(parameters));
    /// let server = secret.evaluation_key();
    /// let multiples = |k| Table::from_fn(16, 16, |x| k * x % 16);
    /// let tables = SlotTables::new((0..3).map(multiples).collect::<Result<_, _>>()?)?;
    /// let found = server.lookup_per_value(&secret.encrypt(&[5, 5, 6])?, &tables, Execution::default())?;
    /// assert_eq!(secret.decrypt(&found)?, [0, 5, 12]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the key is not for such tables, if their number is not that of the values, or if one has other moduli;
    /// [`Error::Cancelled`].
    pub fn lookup_per_value(
        &self,
        input: &Ciphertext,
        tables: &SlotTables,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        let key = self.packed()?;
        if let Some(count) = tables.count()
            && count != input.count()
        {
            return Err(Error::mismatch("number of tables", count, input.count()));
        }
        let mut before = 0;
        let mut outputs = each_part(input, execution, |part, progress| {
            let start = before;
            before += part.count();
            let output = match tables.count() {
                Some(count) if count > part.count() => {
                    let tables = tables_of(tables, start..before)?;
                    key.lookup_slots(part, &tables, progress)
                }
                _ => key.lookup_slots(part, tables, progress),
            };
            Ok(vec![output?])
        })?;
        Ok(outputs.swap_remove(0))
    }

    /// Maps values that are split over several ciphertexts, least significant digits first, each through a table of its
    /// own. Such a table has several variables, as in [`EvaluationKey::lookup_digits`].
    ///
    /// ```
    /// use cryptable::engines::packed::{self, SlotTables};
    /// use cryptable::{Execution, SecretKey, Table};
    /// // In production, use parameters of `Request::new(16, 16).entries(EntryKind::Plain)`.
    /// let parameters = packed::Parameters::insecure_toy_entries(16, 16)?;
    /// let secret = SecretKey::generate(cryptable::Parameters::from(parameters));
    /// let server = secret.evaluation_key();
    /// // Entry x + 4·y of table k is k + x·y.
    /// let of_slot = |k| Table::from_fn(16, 16, |m| (k + (m % 4) * (m / 4)) % 16);
    /// let tables = SlotTables::new((0..3).map(of_slot).collect::<Result<_, _>>()?)?;
    /// let (x, y) = (secret.encrypt_digits(&[3, 2, 0], 4)?, secret.encrypt_digits(&[3, 1, 2], 4)?);
    /// let found = server.lookup_per_value_digits(&[x, y], &tables, Execution::default())?;
    /// assert_eq!(secret.decrypt(&found)?, [9, 3, 2]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::lookup_per_value`] and [`EvaluationKey::lookup_digits`]; [`Error::Mismatch`] if the
    /// values have more than one part.
    pub fn lookup_per_value_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &SlotTables,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        let key = self.packed()?;
        let parts: Vec<_> = parts_of(inputs, 1)?.into_iter().flatten().cloned().collect();
        let mut outputs = each_part(&inputs[0], execution, |_, progress| {
            Ok(vec![key.lookup_slots_digits(&parts, tables, progress)?])
        })?;
        Ok(outputs.swap_remove(0))
    }

    /// Maps every value through one table that the client encrypted, or value k through encrypted table k.
    ///
    /// [`encrypt_tables`](crate::engines::packed::SecretKey::encrypt_tables) encrypts tables. Keys must be for such
    /// tables ([`Request::entries`](crate::Request::entries)).
    ///
    /// ```
    /// use cryptable::engines::packed::{self, SlotTables};
    /// use cryptable::{Execution, SecretKey, Table};
    /// // In production, use parameters of `Request::new(16, 16).entries(EntryKind::Encrypted)`.
    /// let parameters = packed::Parameters::insecure_toy_entries(16, 16)?;
    /// let secret = SecretKey::generate(cryptable::Parameters::from(parameters));
    /// let multiples = |k| Table::from_fn(16, 16, |x| k * x % 16);
    /// let tables = SlotTables::new((0..3).map(multiples).collect::<Result<_, _>>()?)?;
    /// let encrypted = secret.packed()?.encrypt_tables(&tables)?;
    /// // The server sees neither tables nor values.
    /// let server = secret.evaluation_key();
    /// let found = server.lookup_encrypted(&secret.encrypt(&[5, 5, 6])?, &encrypted, Execution::default())?;
    /// assert_eq!(secret.decrypt(&found)?, [0, 5, 12]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the key is not for such tables, or if the tables have another client or other parameters, or are fewer than
    /// the values; [`Error::Mismatch`] if there is one table per value, and the values have more than one part;
    /// [`Error::Cancelled`].
    pub fn lookup_encrypted(
        &self,
        input: &Ciphertext,
        tables: &EncryptedTables,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        self.lookup_encrypted_digits(std::slice::from_ref(input), tables, execution)
    }

    /// Maps values that are split over several ciphertexts, least significant digits first, through encrypted tables of
    /// several variables: entry x + X·y for x below X, as in [`EvaluationKey::lookup_digits`]. Time and memory are
    /// those of an encrypted table of one variable with the same number of entries.
    ///
    /// ```
    /// use cryptable::engines::packed::{self, SlotTables};
    /// use cryptable::{Execution, SecretKey, Table};
    /// // In production, use parameters of `Request::new(16, 16).entries(EntryKind::Encrypted)`.
    /// let parameters = packed::Parameters::insecure_toy_entries(16, 16)?;
    /// let secret = SecretKey::generate(cryptable::Parameters::from(parameters));
    /// let product = SlotTables::shared(&Table::from_fn(16, 16, |m| (m % 4) * (m / 4))?)?;
    /// let encrypted = secret.packed()?.encrypt_tables(&product)?;
    /// let server = secret.evaluation_key();
    /// let (x, y) = (secret.encrypt_digits(&[3, 2, 0], 4)?, secret.encrypt_digits(&[3, 1, 2], 4)?);
    /// let found = server.lookup_encrypted_digits(&[x, y], &encrypted, Execution::default())?;
    /// assert_eq!(secret.decrypt(&found)?, [9, 2, 0]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`EvaluationKey::lookup_encrypted`] and [`EvaluationKey::lookup_digits`].
    pub fn lookup_encrypted_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &EncryptedTables,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        let key = self.packed()?;
        let most = if tables.count().is_some() { 1 } else { usize::MAX };
        let parts = parts_of(inputs, most)?;
        let mut index = 0;
        let mut outputs = each_part(&inputs[0], execution, |_, progress| {
            let inputs: Vec<_> = parts.iter().map(|input| input[index].clone()).collect();
            index += 1;
            Ok(vec![key.lookup_encrypted_digits(&inputs, tables, progress)?])
        })?;
        Ok(outputs.swap_remove(0))
    }
}

/// Returns the tables of a range of values.
fn tables_of(tables: &SlotTables, values: std::ops::Range<usize>) -> Result<SlotTables> {
    let inputs = tables.input_modulus();
    let outputs = |k: usize| (0..inputs).map(move |x| tables.output(k, x) as u32);
    let outputs = values.flat_map(outputs).collect();
    SlotTables::from_outputs(inputs, tables.output_modulus(), outputs)
}
