//! Uploads: files that arrive in parts.

use super::sql::{OptionalExtension, Row, params};

use super::Store;
use super::disk::More;
use super::folder::create_file;
use super::recovery::{DIGEST_DIGITS, is_hex};
use crate::identifiers::new_id;
use crate::limits::Limits;
use crate::messages::{Announcement, Kind};
use crate::{Problem, Result};

/// An unfinished upload.
#[derive(Clone, Debug)]
pub(crate) struct StoredUpload {
    pub(crate) id: String,
    pub(crate) client: i64,
    pub(crate) kind: Kind,
    pub(crate) sha256: String,
    pub(crate) length: u64,
    /// Bytes that were synchronised to the disk.
    pub(crate) offset: u64,
    /// The recipient, if it is not the client who sends the file.
    pub(crate) recipient: Option<i64>,
}

const COLUMNS: &str = "SELECT id, client, kind, sha256, length, \"offset\", recipient FROM upload";

impl Store {
    /// Starts an upload, or returns the one that was started before for the same file.
    pub(crate) fn start_upload(
        &self,
        client: i64,
        announced: &Announcement,
        recipient: Option<i64>,
        limits: &Limits,
    ) -> Result<StoredUpload> {
        let (name, limit) = match announced.kind {
            Kind::EvaluationKey | Kind::PublicKey => ("key-bytes", limits.key_bytes),
            Kind::Ciphertext => ("ciphertext-bytes", limits.ciphertext_bytes),
        };
        check_digest(&announced.sha256)?;
        if announced.length == 0 {
            return Err(Problem::bad_request("length is 0, but must be at least 1").into());
        }
        if announced.length > limit {
            return Err(Problem::too_large(name, announced.length, limit).into());
        }
        if let Some(found) = self.upload_of(client, announced)? {
            self.rows().execute(
                "UPDATE upload SET recipient = ?2 WHERE id = ?1",
                params![found.id, recipient],
            )?;
            return Ok(StoredUpload { recipient, ..found });
        }
        let id = new_id()?;
        create_file(&self.file(&id))?.sync_all()?;
        self.sync_files()?;
        let added = self.add_upload(&id, client, announced, recipient, limits);
        if !matches!(added, Ok(true)) {
            // The upload was refused, or another one of the same digest exists.
            self.discard(&id);
        }
        added?;
        let found = self.upload_of(client, announced)?;
        let other = "an upload of this digest has another length, or was removed meanwhile";
        found.ok_or_else(|| Problem::conflict(other).into())
    }

    /// Records the file of an upload, unless there is another upload with the same digest.
    fn add_upload(
        &self,
        id: &str,
        client: i64,
        announced: &Announcement,
        recipient: Option<i64>,
        limits: &Limits,
    ) -> Result<bool> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let more = More { bytes: announced.length, files: 1 };
        self.check_room(&transaction, client, more, limits)?;
        let count: u64 = transaction.query_row(
            "SELECT count(*) FROM upload WHERE client = ?1",
            [client],
            |row| row.get(0),
        )?;
        if count >= limits.client_uploads {
            let limit = limits.client_uploads;
            return Err(Problem::too_many("client-uploads", count + 1, limit).into());
        }
        let (kind, now) = (announced.kind.word(), self.clock.now());
        let values = params![id, client, kind, announced.sha256, announced.length, now, recipient];
        let added = transaction.execute(
            "INSERT INTO upload(id, client, kind, sha256, length, \"offset\", touched, recipient)
             VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7) ON CONFLICT DO NOTHING",
            values,
        )?;
        transaction.commit()?;
        Ok(added == 1)
    }

    pub(crate) fn upload(&self, client: i64, id: &str) -> Result<StoredUpload> {
        let rows = self.reader();
        let mut query = rows.prepare(&format!("{COLUMNS} WHERE client = ?1 AND id = ?2"))?;
        let found = query.query_row(params![client, id], upload).optional()?;
        found.ok_or_else(|| Problem::not_found("upload").into())
    }

    fn upload_of(&self, client: i64, announced: &Announcement) -> Result<Option<StoredUpload>> {
        let rows = self.reader();
        let mut query = rows.prepare(&format!(
            "{COLUMNS} WHERE client = ?1 AND kind = ?2 AND sha256 = ?3 AND length = ?4"
        ))?;
        let (kind, length) = (announced.kind.word(), announced.length);
        query.query_row(params![client, kind, announced.sha256, length], upload).optional()
    }

    /// Records that the file is on the disk up to `offset`.
    pub(crate) fn advance_upload(&self, id: &str, offset: u64) -> Result<()> {
        self.rows().execute(
            "UPDATE upload SET \"offset\" = ?2, touched = ?3 WHERE id = ?1",
            params![id, offset, self.clock.now()],
        )?;
        Ok(())
    }

    /// Removes an upload and its file.
    pub(crate) fn remove_upload(&self, id: &str) -> Result<()> {
        self.rows().execute("DELETE FROM upload WHERE id = ?1", [id])?;
        self.remove_files()
    }
}

/// Checks that a digest is a SHA-256 digest in lower-case hexadecimal digits.
fn check_digest(digest: &str) -> Result<()> {
    match is_hex(digest, DIGEST_DIGITS) {
        true => Ok(()),
        false => Err(Problem::bad_request("a digest has 64 digits of 0-9 a-f").into()),
    }
}

fn upload(row: &Row) -> Result<StoredUpload> {
    let kind: String = row.get(2)?;
    Ok(StoredUpload {
        id: row.get(0)?,
        client: row.get(1)?,
        kind: Kind::of(&kind).unwrap_or(Kind::Ciphertext),
        sha256: row.get(3)?,
        length: row.get(4)?,
        offset: row.get(5)?,
        recipient: row.get(6)?,
    })
}
