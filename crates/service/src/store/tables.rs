//! Tables that the operator offers, in files that are named by their content.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use super::sql::{Connection, OptionalExtension, Row, params};
use cryptable::Table;
use cryptable_files::{Access, AtomicFile};
use cryptable_wire::hex;

use super::Store;
use super::clients::check_name;
use super::recovery::{begin_file, remove_file, unfinished};
use super::table_use::is_needed;
use crate::messages::TableInfo;
use crate::{Error, Result};

impl Store {
    /// Offers a table. It replaces a table with the same name, except for jobs that were ordered before.
    ///
    /// ```
    /// use cryptable::Table;
    /// let folder = tempfile::tempdir()?;
    /// let store = cryptable_service::Store::open(folder.path())?;
    /// store.add_table("square", &Table::from_fn(16, 16, |x| x * x % 16)?)?;
    /// assert_eq!(store.tables()?[0].name, "square");
    /// # Ok::<(), cryptable_service::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the name is invalid, or if the table cannot be written.
    pub fn add_table(&self, name: &str, table: &Table) -> Result<TableInfo> {
        check_name(name)?;
        let (signed_inputs, signed_outputs) = (table.signed_inputs(), table.signed_outputs());
        let bytes = to_bytes(table);
        let digest = hex(blake3::hash(&bytes).as_bytes());
        let path = self.table_file(&digest);
        let (input_modulus, output_modulus) = (table.input_modulus(), table.output_modulus());
        let replaced = {
            // All of this is one transaction, so that no other command finds the file without its row and removes it.
            let mut rows = self.rows();
            let transaction = rows.transaction()?;
            begin_file(&path)?;
            let mut file = AtomicFile::create(&path, Access::Private)?;
            file.write_all(&bytes)?;
            file.commit(true)?;
            self.keep(&digest)?;
            let replaced = digest_of(&transaction, name)?;
            transaction.execute(
                "INSERT INTO lookup_table VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(name) DO UPDATE SET
                 digest = excluded.digest, input_modulus = excluded.input_modulus,
                 output_modulus = excluded.output_modulus, signed_inputs = excluded.signed_inputs,
                 signed_outputs = excluded.signed_outputs",
                params![name, digest, input_modulus, output_modulus, signed_inputs, signed_outputs],
            )?;
            transaction.commit()?;
            let _ = fs::remove_file(unfinished(&path));
            replaced
        };
        if let Some(replaced) = replaced.filter(|replaced| *replaced != digest) {
            self.remove_unused_table(&replaced)?;
        }
        let name = name.to_owned();
        Ok(TableInfo { name, input_modulus, output_modulus, signed_inputs, signed_outputs, digest })
    }

    /// Returns all tables.
    ///
    /// # Errors
    /// If the database fails.
    pub fn tables(&self) -> Result<Vec<TableInfo>> {
        let rows = self.reader();
        let mut query = rows.prepare("SELECT * FROM lookup_table ORDER BY name")?;
        let tables = query.query_map([], info)?;
        tables.collect()
    }

    /// Withdraws a table. Jobs that were ordered with it still use it.
    ///
    /// # Errors
    /// If there is no table of this name.
    pub fn remove_table(&self, name: &str) -> Result<()> {
        let digest = {
            let mut rows = self.rows();
            let transaction = rows.transaction()?;
            let digest = digest_of(&transaction, name)?;
            transaction.execute("DELETE FROM lookup_table WHERE name = ?1", [name])?;
            transaction.commit()?;
            digest
        };
        let digest = digest.ok_or_else(|| Error::Operator(format!("there is no table {name}")))?;
        self.remove_unused_table(&digest)
    }

    /// Removes the file of a table that is no longer needed.
    fn remove_unused_table(&self, digest: &str) -> Result<()> {
        let mut rows = self.rows();
        // During the transaction, nobody can name the file in a row.
        let transaction = rows.transaction()?;
        if !is_needed(&transaction, digest)? {
            self.remove_one_kept(digest)?;
            remove_file(&self.table_file(digest))?;
        }
        transaction.commit()
    }

    pub(crate) fn table(&self, name: &str) -> Result<Option<TableInfo>> {
        let rows = self.reader();
        let mut query = rows.prepare("SELECT * FROM lookup_table WHERE name = ?1")?;
        query.query_row([name], info).optional()
    }

    /// Reads a table and verifies its digest.
    pub(crate) fn read_table(&self, digest: &str) -> Result<Table> {
        let bytes = fs::read(self.fetch(digest)?)?;
        if hex(blake3::hash(&bytes).as_bytes()) != digest || bytes.len() < 16 {
            return Err(Error::Operator(format!("table {digest} is damaged")));
        }
        let (words, signs) = bytes.as_chunks::<8>();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or(0);
        let (input, output) = (next(), next());
        let signs = signs.first().copied().unwrap_or(0);
        let table = Table::new(input, output, words.collect())?;
        Ok(table.with_signs(signs & SIGNED_INPUTS > 0, signs & SIGNED_OUTPUTS > 0))
    }

    pub(super) fn table_file(&self, digest: &str) -> PathBuf {
        self.folder.join("tables").join(digest)
    }
}

/// Bits of the last byte of a table's file, which files of unsigned tables do not have.
const SIGNED_INPUTS: u8 = 1;
const SIGNED_OUTPUTS: u8 = 2;

/// Encodes a table for its file: moduli and outputs as 64-bit words and, if inputs or outputs are signed, a byte that
/// tells which of them are.
fn to_bytes(table: &Table) -> Vec<u8> {
    let moduli = [table.input_modulus(), table.output_modulus()];
    let words = moduli.iter().chain(table.values());
    let mut bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    let signs = SIGNED_INPUTS * u8::from(table.signed_inputs())
        + SIGNED_OUTPUTS * u8::from(table.signed_outputs());
    bytes.extend((signs > 0).then_some(signs));
    bytes
}

/// Returns the digest of the table with a name.
fn digest_of(rows: &Connection, name: &str) -> Result<Option<String>> {
    let query = "SELECT digest FROM lookup_table WHERE name = ?1";
    rows.query_row(query, [name], |row| row.get(0)).optional()
}

fn info(row: &Row) -> Result<TableInfo> {
    Ok(TableInfo {
        name: row.get(0)?,
        digest: row.get(1)?,
        input_modulus: row.get(2)?,
        output_modulus: row.get(3)?,
        signed_inputs: row.get(4)?,
        signed_outputs: row.get(5)?,
    })
}
