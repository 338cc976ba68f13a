//! All that a server keeps: rows in SQLite, files in folders beside it.
//!
//! ```text
//! FOLDER/cryptable-service  says whose the folder is
//!        service.sqlite     rows; what is in no row is not there
//!        files/ID           uploads, keys, ciphertexts, results
//!        tables/DIGEST      tables
//!        lost/              files that the database did not know, moved there when the operator asked for it
//!        server.lock        held by the server that runs
//! ```
//! A file is written and synchronised first, and then named by a row, in one transaction: a server that is killed at any
//! moment has lost nothing that it confirmed. Files that were being written or removed then go when a server starts; of
//! any other file that is in no row it says so, and does not start (`recovery`).

mod clients;
mod disk;
mod expiry;
mod folder;
mod jobs;
mod objects;
mod recovery;
mod running;
mod schema;
mod table_use;
mod tables;
mod uploads;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

pub(crate) use self::expiry::Expired;
use self::folder::{CONTENT, Condition, DATABASE, create_private};
pub(crate) use self::jobs::Reservation;
pub(crate) use self::objects::StoredObject;
pub(crate) use self::running::{QueuedJob, Turn};
use self::schema::Owner;
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
    lock_wait: Duration,
    /// Whether files that the database does not know are moved out of the way.
    recover: bool,
    /// Files that went up to here are removed.
    swept: AtomicI64,
    /// By the steady clock, when was last looked for what expires.
    looked: Mutex<Option<u64>>,
    /// Writes, one after the other.
    database: Mutex<Connection>,
    /// Reads, which wait neither for the disk nor for locks of others.
    reader: Mutex<Connection>,
}

impl Store {
    /// Opens the folder of a server, or makes one of a folder that is new or empty.
    ///
    /// # Errors
    /// If it cannot be written, is not a server's, has lost its database, or a later version of this program wrote it.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Clock::system(), Limits::default().lock_wait)
    }

    /// Opens a folder; waits at most so long for another process that writes to it.
    pub(crate) fn open_with(folder: &Path, clock: Clock, lock_wait: Duration) -> Result<Self> {
        Self::open_to_serve(folder, clock, lock_wait, false)
    }

    /// Opens a folder for a server that moves files out of the way which its database does not know, if it is told to.
    pub(crate) fn open_to_serve(
        folder: &Path,
        clock: Clock,
        lock_wait: Duration,
        recover: bool,
    ) -> Result<Self> {
        let condition = Condition::of(folder, recover)?;
        create_private(folder)?;
        for name in CONTENT {
            create_private(&folder.join(name))?;
        }
        let path = folder.join(DATABASE);
        folder::create_database(&path)?;
        let mut database = Connection::open(&path)?;
        database.busy_timeout(lock_wait)?;
        match patiently(lock_wait, || schema::owner(&database))? {
            Owner::Server => {}
            Owner::Nobody => condition.allow_new()?,
            Owner::AnotherProgram => {
                let path = path.display();
                let text = format!("{path} is another program's database: choose another folder");
                return Err(Error::Operator(text));
            }
        }
        // Of several that start a folder, one switches; SQLite refuses the others at once, whatever it was told to wait.
        patiently(lock_wait, || database.pragma_update(None, "journal_mode", "WAL"))?;
        database.pragma_update(None, "synchronous", "FULL")?;
        database.pragma_update(None, "foreign_keys", true)?;
        // Commands of the operator may come at the same time: a transaction that reads first and then writes would be refused
        // at once, without waiting, if one wrote between.
        database.set_transaction_behavior(TransactionBehavior::Immediate);
        schema::prepare(&mut database, clock.now())?;
        condition.mark()?;
        for suffix in ["", "-wal", "-shm"] {
            folder::tighten(&folder.join(format!("{DATABASE}{suffix}")))?;
        }
        let reader = connect(&path, lock_wait)?;
        let (folder, swept) = (folder.to_owned(), AtomicI64::new(0));
        let (looked, database, reader) =
            (Mutex::default(), Mutex::new(database), Mutex::new(reader));
        Ok(Self { folder, clock, lock_wait, recover, swept, looked, database, reader })
    }

    /// Makes this process the folder's one server: files and rows are brought together, jobs that ran wait again.
    pub(crate) fn start_serving(&self) -> Result<Serving> {
        let lock = folder::create_file(&self.folder.join("server.lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let folder = self.folder.display();
                return Err(Error::Operator(format!("another server runs on {folder}")));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let moved = self.recover_files()?;
        self.recover_jobs()?;
        Ok(Serving { moved, _lock: lock })
    }

    /// Another connection that only reads.
    fn connect(&self) -> Result<Connection> {
        connect(&self.folder.join(DATABASE), self.lock_wait)
    }

    /// Keeps the database from growing, as a full disk does.
    #[cfg(test)]
    pub(crate) fn hold_size(&self, is_held: bool) {
        let rows = self.rows();
        let pages: u32 = rows.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        let most = if is_held { pages } else { u32::MAX - 1 };
        rows.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(())).unwrap();
    }

    /// Where a file lies.
    pub(crate) fn file(&self, id: &str) -> PathBuf {
        self.folder.join("files").join(id)
    }

    /// Makes names of files durable.
    pub(crate) fn sync_files(&self) -> Result<()> {
        Ok(cryptable_files::sync_folder(&self.folder.join("files"))?)
    }

    /// Rows that change.
    fn rows(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rows as they are now, with all that was confirmed.
    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which part of a list is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// What follows the row of this number.
    pub(crate) after: i64,
    pub(crate) limit: usize,
}

/// A part of a list.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    pub(crate) items: Vec<T>,
    /// Where the next part begins, if there is one.
    pub(crate) next: Option<i64>,
}

impl Page {
    /// The part of these rows and their numbers, of which there is one too many if more follow.
    fn of<T>(self, mut rows: Vec<(i64, T)>) -> Listed<T> {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next = rows.last().map(|(number, _)| *number).filter(|_| has_more);
        Listed { items: rows.into_iter().map(|(_, item)| item).collect(), next }
    }
}

/// That this process is the folder's one server, as long as it lives.
#[derive(Debug)]
pub(crate) struct Serving {
    /// Where files went that the database did not know.
    pub(crate) moved: Vec<PathBuf>,
    _lock: File,
}

fn connect(path: &Path, lock_wait: Duration) -> Result<Connection> {
    let reader = Connection::open(path)?;
    reader.busy_timeout(lock_wait)?;
    reader.pragma_update(None, "query_only", true)?;
    Ok(reader)
}

/// Calls again what fails as another process holds a lock, for so long.
fn patiently<T>(
    wait: Duration,
    mut call: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let start = Instant::now();
    loop {
        match call() {
            Err(error) if is_busy(&error) && start.elapsed() < wait => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
}
