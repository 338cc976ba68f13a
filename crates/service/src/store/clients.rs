//! Clients and their tokens, of which only a hash is kept.

use rusqlite::{OptionalExtension, params};

use super::Store;
use crate::identifiers::random_hex;
use crate::{Error, Result};

/// Longest name of a client or a table.
const MAX_NAME: usize = 100;

impl Store {
    /// Adds a client; returns its token, which is nowhere else.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let store = cryptable_service::Store::open(folder.path())?;
    /// let token = store.add_client("hospital")?;
    /// assert_eq!((token.len(), store.clients()?), (64, vec!["hospital".to_owned()]));
    /// assert!(store.add_client("hospital").is_err());
    /// # Ok::<(), cryptable_service::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is one of that name, or the name is empty, long or not printable.
    pub fn add_client(&self, name: &str) -> Result<String> {
        check_name(name)?;
        let token = random_hex::<32>()?;
        let hash = blake3::hash(token.as_bytes());
        let added = self.rows().execute(
            "INSERT OR IGNORE INTO client(name, token_hash) VALUES (?1, ?2)",
            params![name, hash.as_bytes()],
        )?;
        match added {
            0 => Err(Error::Operator(format!("there is a client {name} already"))),
            _ => Ok(token),
        }
    }

    /// Gives a client a new token and returns it; the one that it had is void.
    ///
    /// # Errors
    /// If there is no client of that name.
    pub fn renew_token(&self, name: &str) -> Result<String> {
        let token = random_hex::<32>()?;
        let hash = blake3::hash(token.as_bytes());
        let found = self.rows().execute(
            "UPDATE client SET token_hash = ?2 WHERE name = ?1",
            params![name, hash.as_bytes()],
        )?;
        match found {
            0 => Err(no_client(name)),
            _ => Ok(token),
        }
    }

    /// Names of all clients.
    ///
    /// # Errors
    /// If the database fails.
    pub fn clients(&self) -> Result<Vec<String>> {
        let rows = self.reader();
        let mut query = rows.prepare("SELECT name FROM client ORDER BY name")?;
        let names = query.query_map([], |row| row.get(0))?;
        Ok(names.collect::<rusqlite::Result<_>>()?)
    }

    /// Removes a client with its keys, files and jobs.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn remove_client(&self, name: &str) -> Result<()> {
        let files: Vec<String>;
        {
            let mut rows = self.rows();
            let transaction = rows.transaction()?;
            let id: Option<i64> = transaction
                .query_row("SELECT id FROM client WHERE name = ?1", [name], |row| row.get(0))
                .optional()?;
            let id = id.ok_or_else(|| no_client(name))?;
            let mut query = transaction.prepare(
                "SELECT id FROM upload WHERE client = ?1 UNION SELECT id FROM object WHERE client = ?1
                 UNION SELECT file FROM result JOIN job ON result.job = job.id WHERE job.client = ?1",
            )?;
            files = query.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            drop(query);
            transaction.execute("DELETE FROM client WHERE id = ?1", [id])?;
            transaction.commit()?;
        }
        self.remove_files(&files);
        Ok(())
    }

    /// The client of a token. All hashes are compared, each in constant time.
    pub(crate) fn client_of(&self, token: &str) -> Result<Option<i64>> {
        let presented = blake3::hash(token.as_bytes());
        let rows = self.reader();
        let mut query = rows.prepare("SELECT id, token_hash FROM client")?;
        let clients = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, [u8; 32]>(1)?)))?;
        let mut found = None;
        for client in clients {
            let (id, hash) = client?;
            // The comparison of this type is in constant time.
            if blake3::Hash::from_bytes(hash) == presented {
                found = Some(id);
            }
        }
        Ok(found)
    }
}

fn no_client(name: &str) -> Error {
    Error::Operator(format!("there is no client {name}"))
}

/// Demands a name that people can type and see.
pub(super) fn check_name(name: &str) -> Result<()> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(Error::Operator(format!(
            "a name has 1 to {MAX_NAME} of A-Z a-z 0-9 - _ . and nothing else, unlike {name:?}"
        ))),
    }
}
