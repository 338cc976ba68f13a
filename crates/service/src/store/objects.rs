//! Keys and files of ciphertexts that were checked.

use super::sql::{OptionalExtension, Row, params};

use super::{Listed, Page, Store, StoredUpload};
use crate::messages::{About, Kind, Object};
use crate::{Problem, Result};

/// A key or a file of ciphertexts.
#[derive(Clone, Debug)]
pub(crate) struct StoredObject {
    /// Identifier, which is also the name of the file.
    pub(crate) id: String,
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) about: About,
    /// Canonical bytes of the parameters; empty for ciphertexts.
    pub(crate) parameters: Vec<u8>,
    /// Name of the client who sent the file.
    pub(crate) owner: String,
    /// Whether the requesting client is the one who sent it.
    pub(crate) is_own: bool,
    /// Name of the recipient, if another client sent the file.
    pub(crate) recipient: Option<String>,
}

/// Columns of an object as client ?1 sees it.
pub(super) const SELECT: &str = "SELECT object.id, sha256, bytes, about, parameters,
    owner.name, object.client = ?1, other.name, object.rowid FROM object
    JOIN client AS owner ON owner.id = object.client LEFT JOIN client AS other ON other.id = object.recipient";

impl From<StoredObject> for Object {
    fn from(stored: StoredObject) -> Self {
        let StoredObject { sha256, bytes, about, owner, is_own, recipient, .. } = stored;
        let (contributor, recipient) = if is_own { (None, recipient) } else { (Some(owner), None) };
        Self { sha256, bytes, about, contributor, recipient }
    }
}

impl Store {
    /// Turns a checked upload into an object. From this moment on, it exists for its client.
    pub(crate) fn finish_upload(
        &self,
        upload: &StoredUpload,
        about: &About,
        parameters: &[u8],
    ) -> Result<StoredObject> {
        let text = serde_json::to_string(about).map_err(std::io::Error::other)?;
        self.keep(&upload.id)?;
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let (id, client, kind) = (&upload.id, upload.client, upload.kind.word());
        let (bytes, now) = (upload.length, self.clock.now());
        let (digest, recipient) = (&upload.sha256, upload.recipient);
        let values = params![id, client, kind, digest, bytes, text, parameters, now, recipient];
        transaction.execute(
            "INSERT INTO object(id, client, kind, sha256, bytes, about, parameters, used, recipient)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            values,
        )?;
        transaction.execute("DELETE FROM upload WHERE id = ?1", [id])?;
        transaction.commit()?;
        drop(rows);
        self.make_copy(id);
        self.object(client, upload.kind, digest)
    }

    /// Returns a client's own object, or one that another client contributed.
    pub(crate) fn find_object(
        &self,
        client: i64,
        kind: Kind,
        sha256: &str,
    ) -> Result<Option<StoredObject>> {
        let rows = self.reader();
        let mut query = rows.prepare(&format!(
            "{SELECT} WHERE (client = ?1 OR recipient = ?1) AND kind = ?2 AND sha256 = ?3
             ORDER BY client <> ?1, object.rowid LIMIT 1"
        ))?;
        query.query_row(params![client, kind.word(), sha256], object).optional()
    }

    pub(crate) fn object(&self, client: i64, kind: Kind, sha256: &str) -> Result<StoredObject> {
        let found = self.find_object(client, kind, sha256)?;
        found.ok_or_else(|| Problem::not_found(kind.noun()).into())
    }

    /// Returns one page of a client's keys or files, and of those that others contributed, in the order in which they
    /// arrived.
    pub(crate) fn objects(&self, client: i64, kind: Kind, page: Page) -> Result<Listed<Object>> {
        let rows = self.reader();
        let mut query = rows.prepare(&format!(
            "{SELECT} WHERE (client = ?1 OR recipient = ?1) AND kind = ?2 AND object.rowid > ?3
             ORDER BY object.rowid LIMIT ?4"
        ))?;
        let values = params![client, kind.word(), page.after, page.limit + 1];
        let found = query.query_map(values, |row| Ok((row.get(8)?, object(row)?.into())))?;
        Ok(page.of(found.collect::<Result<_>>()?))
    }

    /// Returns whether a key or a file still exists.
    pub(crate) fn has_object(&self, id: &str) -> Result<bool> {
        let query = "SELECT EXISTS(SELECT 1 FROM object WHERE id = ?1)";
        self.reader().query_row(query, [id], |row| row.get(0))
    }

    /// Removes a key or a file, unless a job needs it.
    pub(crate) fn remove_object(&self, client: i64, kind: Kind, sha256: &str) -> Result<()> {
        let id = self.object(client, kind, sha256)?.id;
        let removed = self.rows().execute(
            "DELETE FROM object WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM job
             WHERE state IN ('queued', 'running') AND (key = ?1 OR ciphertext = ?1
             OR (job.client = object.client AND instr(sent_order, ?2) > 0)))",
            params![id, sha256],
        )?;
        if removed == 0 {
            return Err(Problem::conflict("a queued or running job needs it").into());
        }
        self.remove_files()
    }
}

pub(super) fn object(row: &Row) -> Result<StoredObject> {
    let about: String = row.get(3)?;
    let unreadable = |error: serde_json::Error| {
        rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, error.into())
    };
    Ok(StoredObject {
        id: row.get(0)?,
        sha256: row.get(1)?,
        bytes: row.get(2)?,
        about: serde_json::from_str(&about).map_err(unreadable)?,
        parameters: row.get(4)?,
        owner: row.get(5)?,
        is_own: row.get(6)?,
        recipient: row.get(7)?,
    })
}
