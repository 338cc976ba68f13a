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
mod expiry;
mod jobs;
mod objects;
mod running;
mod schema;
mod tables;
mod uploads;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

pub(crate) use self::expiry::Expired;
pub(crate) use self::jobs::Reservation;
pub(crate) use self::objects::StoredObject;
pub(crate) use self::running::{QueuedJob, Turn};
pub(crate) use self::uploads::StoredUpload;
use crate::clock::Clock;
use crate::error::is_busy;
use crate::limits::Limits;
use crate::{Error, Result};

/// Before something is tried again that the database refuses at once.
const PAUSE: Duration = Duration::from_millis(5);

/// Rows and files of a server. Commands of the operator open the same folder while the server runs.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    clock: Clock,
    /// Writes, one after the other.
    database: Mutex<Connection>,
    /// Reads, which wait neither for the disk nor for locks of others.
    reader: Mutex<Connection>,
}

impl Store {
    /// Opens a folder, or starts it.
    ///
    /// # Errors
    /// If it cannot be written, or a later version of this program wrote it.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Clock::system(), Limits::default().lock_wait)
    }

    /// Opens a folder; waits at most so long for another process that writes to it.
    pub(crate) fn open_with(folder: &Path, clock: Clock, lock_wait: Duration) -> Result<Self> {
        create_private(folder)?;
        for name in ["files", "tables"] {
            create_private(&folder.join(name))?;
        }
        let path = folder.join("service.sqlite");
        let mut database = Connection::open(&path)?;
        database.busy_timeout(lock_wait)?;
        // Of several that start a folder, one switches; SQLite refuses the others at once, whatever it was told to wait.
        patiently(lock_wait, || database.pragma_update(None, "journal_mode", "WAL"))?;
        database.pragma_update(None, "synchronous", "FULL")?;
        database.pragma_update(None, "foreign_keys", true)?;
        // Commands of the operator may come at the same time: a transaction that reads first and then writes would be refused
        // at once, without waiting, if one wrote between.
        database.set_transaction_behavior(TransactionBehavior::Immediate);
        schema::prepare(&mut database, clock.now())?;
        let reader = Connection::open(&path)?;
        reader.busy_timeout(lock_wait)?;
        reader.pragma_update(None, "query_only", true)?;
        let (database, reader) = (Mutex::new(database), Mutex::new(reader));
        Ok(Self { folder: folder.to_owned(), clock, database, reader })
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
        self.recover_jobs()?;
        for entry in fs::read_dir(self.folder.join("files"))? {
            let entry = entry?;
            let id = entry.file_name().to_string_lossy().into_owned();
            let known: bool = self.reader().query_row(
                "SELECT EXISTS(SELECT 1 FROM upload WHERE id = ?1) OR EXISTS(SELECT 1 FROM object WHERE id = ?1)
                 OR EXISTS(SELECT 1 FROM result WHERE file = ?1)",
                [&id],
                |row| row.get(0),
            )?;
            if !known {
                fs::remove_file(entry.path())?;
            }
        }
        self.remove_unused_tables()?;
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

    /// Rows that change.
    fn rows(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rows as they are now, with all that was confirmed.
    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes files whose rows are gone. One that is left is removed when a server starts.
    fn remove_files(&self, ids: &[String]) {
        for id in ids {
            let _ = fs::remove_file(self.file(id));
        }
    }
}

/// Calls again what fails as another process holds a lock, for so long.
fn patiently(
    wait: Duration,
    mut call: impl FnMut() -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match call() {
            Err(error) if is_busy(&error) && start.elapsed() < wait => std::thread::sleep(PAUSE),
            outcome => return outcome,
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
