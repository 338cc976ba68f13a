//! Clients and their tokens, of which only hashes are stored.

use super::sql::params;

use super::Store;
use crate::identifiers::random_hex;
use crate::{Error, Result};

/// Longest name of a client or a table, in bytes.
const MAX_NAME: usize = 100;

impl Store {
    /// Adds a client and returns its token, which is not stored.
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
    /// If there is already a client with this name, or if the name is empty, too long, or has characters other than A-Z
    /// a-z 0-9 - _ .
    pub fn add_client(&self, name: &str) -> Result<String> {
        check_name(name)?;
        let token = random_hex::<32>()?;
        let hash = blake3::hash(token.as_bytes());
        let added = self.rows().execute(
            "INSERT INTO client(name, token_hash) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            params![name, hash.as_bytes()],
        )?;
        match added {
            0 => Err(Error::Operator(format!("there is a client {name} already"))),
            _ => Ok(token),
        }
    }

    /// Replaces a client's token and returns the new one. The old token no longer works.
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

    /// Returns the names of all clients.
    ///
    /// # Errors
    /// If the database fails.
    pub fn clients(&self) -> Result<Vec<String>> {
        let rows = self.reader();
        let mut query = rows.prepare("SELECT name FROM client ORDER BY name")?;
        let names = query.query_map([], |row| row.get(0))?;
        names.collect()
    }

    /// Removes a client with its keys, files and jobs.
    ///
    /// # Errors
    /// If there is no client of this name.
    pub fn remove_client(&self, name: &str) -> Result<()> {
        let found = self.rows().execute("DELETE FROM client WHERE name = ?1", [name])?;
        match found {
            0 => Err(no_client(name)),
            _ => self.remove_files(),
        }
    }

    /// Returns the client that a token belongs to. Compares all hashes, each in constant time.
    pub(crate) fn client_of(&self, token: &str) -> Result<Option<StoredClient>> {
        let presented = blake3::hash(token.as_bytes());
        let rows = self.reader();
        let mut query = rows.prepare("SELECT id, name, token_hash FROM client")?;
        let mut clients = query.query([])?;
        let mut found = None;
        while let Some(row) = clients.next()? {
            // This type compares in constant time.
            if blake3::Hash::from_bytes(row.get(2)?) == presented {
                found = Some(StoredClient { id: row.get(0)?, name: row.get(1)? });
            }
        }
        Ok(found)
    }
}

/// A client whose token was presented.
#[derive(Clone, Debug)]
pub(crate) struct StoredClient {
    pub(crate) id: i64,
    pub(crate) name: String,
}

fn no_client(name: &str) -> Error {
    Error::Operator(format!("there is no client {name}"))
}

/// Checks that a name has only characters that people can type and see.
pub(super) fn check_name(name: &str) -> Result<()> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(Error::Operator(format!(
            "a name has 1 to {MAX_NAME} of A-Z a-z 0-9 - _ . and nothing else, unlike {name:?}"
        ))),
    }
}
