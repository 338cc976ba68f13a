//! Public keys that clients publish, and files of ciphertexts that others contribute to them.

use super::sql::{OptionalExtension, params};

use super::objects::{SELECT, object};
use super::{Listed, Page, Store};
use crate::messages::{About, Kind, Object, PublishedKey};
use crate::{Problem, Result};

impl Store {
    /// Returns one page of the public keys of all clients, in the order in which they arrived.
    pub(crate) fn public_keys(&self, client: i64, page: Page) -> Result<Listed<PublishedKey>> {
        let rows = self.reader();
        let mut query = rows.prepare(&format!(
            "{SELECT} WHERE kind = 'public-key' AND object.rowid > ?2 ORDER BY object.rowid LIMIT ?3"
        ))?;
        let values = params![client, page.after, page.limit + 1];
        let found = query.query_map(values, |row| {
            let stored = object(row)?;
            let owner = stored.owner.clone();
            let key = Object { contributor: None, ..stored.into() };
            Ok((row.get(8)?, PublishedKey { owner, key }))
        })?;
        Ok(page.of(found.collect::<Result<_>>()?))
    }

    /// Returns the file and the length of a public key, whoever publishes it.
    pub(crate) fn public_key(&self, sha256: &str) -> Result<(String, u64)> {
        let rows = self.reader();
        let mut query = rows.prepare(
            "SELECT id, bytes FROM object WHERE kind = 'public-key' AND sha256 = ?1 LIMIT 1",
        )?;
        let found = query.query_row([sha256], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.ok_or_else(|| Problem::not_found(Kind::PublicKey.noun()).into())
    }

    /// Returns the recipient of a contribution: the client who publishes a public key under this name.
    pub(crate) fn recipient(&self, name: &str) -> Result<i64> {
        let rows = self.reader();
        let mut query = rows.prepare(
            "SELECT id FROM client WHERE name = ?1
             AND EXISTS(SELECT 1 FROM object WHERE client = client.id AND kind = 'public-key')",
        )?;
        let found = query.query_row([name], |row| row.get(0)).optional()?;
        // The message does not reveal whether the client exists.
        let what = format!("client {name:?} who publishes a public key");
        found.ok_or_else(|| Problem::not_found(&what).into())
    }

    /// Checks that a recipient publishes the public key with which a file was encrypted, or another public key of the
    /// same secret key.
    pub(crate) fn check_recipient(&self, recipient: i64, file: &About) -> Result<()> {
        let rows = self.reader();
        let mut query = rows.prepare(
            "SELECT about FROM object WHERE client = ?1 AND kind = 'public-key' ORDER BY rowid",
        )?;
        let keys = query.query_map([recipient], |row| row.get::<String>(0))?;
        for key in keys {
            let key: About = serde_json::from_str(&key?).map_err(std::io::Error::other)?;
            if (&key.key_id, &key.parameters) == (&file.key_id, &file.parameters) {
                return Ok(());
            }
        }
        let text = format!(
            "the file is encrypted for the key {}, but the recipient publishes no public key for it",
            file.key_id
        );
        Err(Problem::unusable(text).into())
    }

    /// Also gives one of a client's own files to a recipient.
    pub(crate) fn contribute(&self, client: i64, sha256: &str, recipient: i64) -> Result<()> {
        let found = self.object(client, Kind::Ciphertext, sha256)?;
        self.check_recipient(recipient, &found.about)?;
        let changed = self.rows().execute(
            "UPDATE object SET recipient = ?2
             WHERE id = ?1 AND (recipient IS NULL OR recipient = ?2)",
            params![found.id, recipient],
        )?;
        match (changed, found.recipient) {
            (0, Some(other)) => {
                let text = format!("the file is for {other} already: remove it first");
                Err(Problem::conflict(text).into())
            }
            (0, None) => Err(Problem::not_found(Kind::Ciphertext.noun()).into()),
            _ => Ok(()),
        }
    }
}
