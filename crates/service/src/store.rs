//! All that a server keeps: rows in SQLite, files in folders beside it.
//!
//! ```text
//! FOLDER/service.sqlite   rows; what is in no row is not there
//!        files/ID         uploads, keys, ciphertexts, results
//!        tables/DIGEST    tables
//!        server.lock      held by the server that runs
//! ```
//! A file is written and synchronised first, and then named by a row, in one transaction: a server that is killed at any
//! moment has lost nothing that it confirmed. Files without a row go when a server starts.

mod clients;
mod jobs;
mod objects;
mod tables;
mod uploads;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::TryRngCore;
use rand::rngs::OsRng;
use rusqlite::Connection;

pub(crate) use self::jobs::{QueuedJob, Reservation};
pub(crate) use self::objects::StoredObject;
pub(crate) use self::uploads::StoredUpload;
use crate::{Error, Result};

/// Waiting for another process that writes.
const BUSY_MS: u32 = 10_000;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS client(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, token_hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS lookup_table(
  name TEXT PRIMARY KEY, digest TEXT NOT NULL, input_modulus INTEGER NOT NULL, output_modulus INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS upload(
  id TEXT PRIMARY KEY, client INTEGER NOT NULL REFERENCES client ON DELETE CASCADE, kind TEXT NOT NULL,
  sha256 TEXT NOT NULL, length INTEGER NOT NULL, offset INTEGER NOT NULL, UNIQUE(client, kind, sha256));
CREATE TABLE IF NOT EXISTS object(
  id TEXT PRIMARY KEY, client INTEGER NOT NULL REFERENCES client ON DELETE CASCADE, kind TEXT NOT NULL,
  sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, about TEXT NOT NULL, parameters BLOB NOT NULL,
  UNIQUE(client, kind, sha256));
CREATE TABLE IF NOT EXISTS job(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  client INTEGER NOT NULL REFERENCES client ON DELETE CASCADE, request TEXT, state TEXT NOT NULL,
  sent_order TEXT NOT NULL, key TEXT NOT NULL, ciphertext TEXT NOT NULL, tables TEXT NOT NULL,
  estimate_s REAL NOT NULL, reserved INTEGER NOT NULL, reason TEXT, UNIQUE(client, request));
CREATE TABLE IF NOT EXISTS result(
  job TEXT NOT NULL REFERENCES job(id) ON DELETE CASCADE, place INTEGER NOT NULL, file TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL, PRIMARY KEY(job, place));
";

/// Rows and files of a server. Commands of the operator open the same folder while the server runs.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    database: Mutex<Connection>,
}

impl Store {
    /// Opens a folder, or starts it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(folder: &Path) -> Result<Self> {
        create_private(folder)?;
        for name in ["files", "tables"] {
            create_private(&folder.join(name))?;
        }
        let database = Connection::open(folder.join("service.sqlite"))?;
        database.busy_timeout(std::time::Duration::from_millis(u64::from(BUSY_MS)))?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        database.pragma_update(None, "synchronous", "FULL")?;
        database.pragma_update(None, "foreign_keys", true)?;
        database.execute_batch(SCHEMA)?;
        Ok(Self { folder: folder.to_owned(), database: Mutex::new(database) })
    }

    /// Makes this process the folder's one server: jobs that ran wait again, files without a row go. The lock lasts as
    /// long as the file that is returned.
    pub(crate) fn start_serving(&self) -> Result<File> {
        let lock = File::create(self.folder.join("server.lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let folder = self.folder.display();
                return Err(Error::Operator(format!("another server runs on {folder}")));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        self.rows().execute("UPDATE job SET state = 'queued' WHERE state = 'running'", [])?;
        for entry in fs::read_dir(self.folder.join("files"))? {
            let entry = entry?;
            let id = entry.file_name().to_string_lossy().into_owned();
            let known: bool = self.rows().query_row(
                "SELECT EXISTS(SELECT 1 FROM upload WHERE id = ?1) OR EXISTS(SELECT 1 FROM object WHERE id = ?1)
                 OR EXISTS(SELECT 1 FROM result WHERE file = ?1)",
                [&id],
                |row| row.get(0),
            )?;
            if !known {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(lock)
    }

    /// Where a file lies.
    pub(crate) fn file(&self, id: &str) -> PathBuf {
        self.folder.join("files").join(id)
    }

    /// Makes names of files durable.
    pub(crate) fn sync_files(&self) -> Result<()> {
        Ok(File::open(self.folder.join("files"))?.sync_all()?)
    }

    fn rows(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes files whose rows are gone. One that is left is removed when a server starts.
    fn remove_files(&self, ids: &[String]) {
        for id in ids {
            let _ = fs::remove_file(self.file(id));
        }
    }
}

/// A folder that only this user reads.
fn create_private(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder)?)
}

/// So many random bytes in hexadecimal digits.
fn random_hex<const BYTES: usize>() -> Result<String> {
    let mut bytes = [0; BYTES];
    OsRng.try_fill_bytes(&mut bytes).map_err(|error| Error::Operator(error.to_string()))?;
    Ok(hex(&bytes))
}

/// A new identifier, which nobody guesses.
pub(crate) fn new_id() -> Result<String> {
    random_hex::<16>()
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
