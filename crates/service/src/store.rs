//! The store of a server: rows in SQLite or PostgreSQL, and files in folders.
//!
//! ```text
//! FOLDER/cryptable-service  marks the folder as a server's
//!        service.sqlite     rows; a file that no row names does not count
//!        database-url       address of the database, if rows are in PostgreSQL
//!        files/ID           uploads, keys, ciphertexts, results
//!        tables/DIGEST      tables
//!        copies/            copies of files in an object store, if there is one
//!        lost/              files that the database did not know, moved there at the operator's request
//!        server.lock        held by the running server; workers beside it need no lock
//! ```
//! A file is first written and synchronised, and then named by a row in a transaction, so a server that is killed at
//! any moment loses nothing that it confirmed. When a server starts, it removes files whose writing or removal was
//! interrupted. If it finds any other file that no row names, it reports this and does not start (`recovery`).

mod clients;
mod contributions;
mod copies;
mod disk;
mod expiry;
mod folder;
mod jobs;
mod leases;
mod moving;
mod objects;
mod parts;
mod recovery;
#[cfg(feature = "s3")]
mod remote;
#[cfg(not(feature = "s3"))]
#[path = "store/remote/absent.rs"]
mod remote;
mod running;
mod schema;
mod sql;
mod table_use;
mod tables;
mod uploads;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::TransactionBehavior;

pub(crate) use self::expiry::Expired;
use self::folder::{CONTENT, Condition, DATABASE, create_private};
pub(crate) use self::jobs::{NewJob, Reservation};
pub(crate) use self::leases::{Beats, IN_SERVER};
pub(crate) use self::objects::StoredObject;
pub(crate) use self::parts::Part;
use self::remote::Remote;
pub(crate) use self::running::{QueuedJob, Turn, Whole};
use self::schema::Owner;
use self::sql::Connection;
pub(crate) use self::uploads::StoredUpload;
use crate::clock::Clock;
use crate::error::is_locked;
use crate::limits::Limits;
use crate::{Error, Result};

/// Pause before retrying a call that the database refused at once.
const PAUSE: Duration = Duration::from_millis(5);

/// The rows and files of a server. The operator's commands open the same folder while the server runs.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Address of the database, if it is not in the folder.
    url: Option<String>,
    clock: Clock,
    lock_wait: Duration,
    /// Whether files that the database does not know are moved away.
    recover: bool,
    /// Largest identifier in the table `removed` whose file was removed.
    swept: AtomicI64,
    /// Time of the last search for expired rows, by the steady clock.
    looked: Mutex<Option<u64>>,
    /// The object store that keeps whole files, if it is not the folder alone.
    remote: Option<Remote>,
    /// The connection for all writes.
    database: Mutex<Connection>,
    /// The connection for reads, which wait for neither the disk nor locks of others.
    reader: Mutex<Connection>,
}

impl Store {
    /// Opens the folder of a server, or turns a new or empty folder into one.
    ///
    /// # Errors
    /// If the folder cannot be written, is not a server's, has lost its database, or was written by a later version of
    /// this program.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder, Clock::system(), Limits::default().lock_wait)
    }

    /// Opens a folder whose database is PostgreSQL, at an address such as `postgres://user:password@host/database`. The
    /// folder stores the address.
    ///
    /// # Errors
    /// Errors of [`Self::open`]; also if the folder has another database, if the database cannot be reached or belongs to
    /// another program, or if this is a build without the feature `postgres`.
    pub fn open_at(folder: &Path, database: &str) -> Result<Self> {
        let limits = Limits::default();
        Self::open_to_serve(folder, Clock::system(), limits.lock_wait, false, Some(database))
    }

    /// Opens a folder. Waits at most `lock_wait` for another process that writes to it.
    pub(crate) fn open_with(folder: &Path, clock: Clock, lock_wait: Duration) -> Result<Self> {
        Self::open_to_serve(folder, clock, lock_wait, false, None)
    }

    /// Opens a folder for a server. If `recover` is set, the server will move away files that the database does not
    /// know. `database` is the address of a database that is not in the folder.
    pub(crate) fn open_to_serve(
        folder: &Path,
        clock: Clock,
        lock_wait: Duration,
        recover: bool,
        database: Option<&str>,
    ) -> Result<Self> {
        let url = folder::database_url(folder, database)?;
        let condition = Condition::of(folder, recover, url.is_some())?;
        create_private(folder)?;
        for name in CONTENT {
            create_private(&folder.join(name))?;
        }
        let [database, reader] = match &url {
            Some(url) => open_server(folder, url, lock_wait)?,
            None => open_file(&condition, folder, lock_wait, clock.now())?,
        };
        condition.mark()?;
        for suffix in ["", "-wal", "-shm"] {
            folder::tighten(&folder.join(format!("{DATABASE}{suffix}")))?;
        }
        let (folder, swept) = (folder.to_owned(), AtomicI64::new(0));
        let (looked, database, reader) =
            (Mutex::default(), Mutex::new(database), Mutex::new(reader));
        let remote = None;
        Self { folder, url, clock, lock_wait, recover, swept, looked, remote, database, reader }
            .with_remote()
    }

    /// Makes this process the only server of the folder. Reconciles files with rows, and queues interrupted jobs again.
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
        let connection =
            self.url.as_ref().map(|url| lock_server(url, self.lock_wait)).transpose()?;
        let moved = self.recover_files()?;
        self.recover_jobs()?;
        Ok(Serving { moved, _lock: lock, _connection: connection })
    }

    /// Opens another read-only connection.
    fn connect(&self) -> Result<Connection> {
        match &self.url {
            Some(url) => connect_server(url, self.lock_wait, false),
            None => connect(&self.folder.join(DATABASE), self.lock_wait),
        }
    }

    /// Keeps the database from growing, as a full disk would.
    #[cfg(test)]
    pub(crate) fn hold_size(&self, is_held: bool) {
        let rows = self.rows();
        #[allow(irrefutable_let_patterns, reason = "builds without PostgreSQL have one kind")]
        let Connection::Sqlite { database: rows, .. } = &*rows else { return };
        let pages: u32 = rows.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        let most = if is_held { pages } else { u32::MAX - 1 };
        rows.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(())).unwrap();
    }

    /// Returns the address of the database, if it is not in the folder.
    pub(crate) fn database(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns a number that changes when another process, or another connection of this one, has changed rows.
    pub(crate) fn version(&self) -> Result<i64> {
        self.reader().version()
    }

    /// Returns the path of a file.
    pub(crate) fn file(&self, id: &str) -> PathBuf {
        self.folder.join("files").join(id)
    }

    /// Synchronises the folder of files, so that their names are durable.
    pub(crate) fn sync_files(&self) -> Result<()> {
        Ok(cryptable_files::sync_folder(&self.folder.join("files"))?)
    }

    /// Locks the connection for writes.
    fn rows(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the connection for reads, which sees everything that was confirmed.
    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The requested part of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// Number of the row after which the part begins.
    pub(crate) after: i64,
    pub(crate) limit: usize,
}

/// A part of a list.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    pub(crate) items: Vec<T>,
    /// Number of the last row of this part, if more rows follow.
    pub(crate) next: Option<i64>,
}

impl Page {
    /// Builds the part from rows and their numbers. There is one row more than the limit if others follow.
    fn of<T>(self, mut rows: Vec<(i64, T)>) -> Listed<T> {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next = rows.last().map(|(number, _)| *number).filter(|_| has_more);
        Listed { items: rows.into_iter().map(|(_, item)| item).collect(), next }
    }
}

/// The state in which this process is the only server of the folder, for as long as the value lives.
#[derive(Debug)]
pub(crate) struct Serving {
    /// New paths of files that the database did not know.
    pub(crate) moved: Vec<PathBuf>,
    _lock: File,
    /// The connection to a database's server that holds its lock.
    _connection: Option<Connection>,
}

/// Opens the connections to the database in the folder, for writes and for reads.
fn open_file(
    condition: &Condition<'_>,
    folder: &Path,
    lock_wait: Duration,
    now: u64,
) -> Result<[Connection; 2]> {
    let path = folder.join(DATABASE);
    folder::create_database(&path)?;
    let mut database = rusqlite::Connection::open(&path)?;
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
    // If several processes start a folder, one switches the mode. SQLite refuses the others at once, whatever the
    // timeout is.
    patiently(lock_wait, || database.pragma_update(None, "journal_mode", "WAL"))?;
    database.pragma_update(None, "synchronous", "FULL")?;
    database.pragma_update(None, "foreign_keys", true)?;
    database.set_transaction_behavior(TransactionBehavior::Immediate);
    schema::prepare(&mut database, now)?;
    let writer = Connection::Sqlite { database, writes: true };
    Ok([writer, connect(&path, lock_wait)?])
}

fn connect(path: &Path, lock_wait: Duration) -> Result<Connection> {
    let database = rusqlite::Connection::open(path)?;
    database.busy_timeout(lock_wait)?;
    database.pragma_update(None, "query_only", true)?;
    Ok(Connection::Sqlite { database, writes: false })
}

/// Opens the connections to a database's server, for writes and for reads, and records its address.
fn open_server(folder: &Path, url: &str, lock_wait: Duration) -> Result<[Connection; 2]> {
    let writer = connect_server(url, lock_wait, true)?;
    schema::prepare_server(&writer)?;
    folder::keep_database_url(folder, url)?;
    Ok([writer, connect_server(url, lock_wait, false)?])
}

#[cfg(feature = "postgres")]
fn connect_server(url: &str, lock_wait: Duration, writes: bool) -> Result<Connection> {
    Ok(Connection::Postgres(Box::new(sql::Postgres::open(url, lock_wait, writes)?)))
}

#[cfg(not(feature = "postgres"))]
fn connect_server(_: &str, _: Duration, _: bool) -> Result<Connection> {
    let text = "this program was built without PostgreSQL: build it with `--features postgres`";
    Err(Error::Operator(text.into()))
}

/// Makes this process the only server of a database, for as long as the connection lives.
fn lock_server(url: &str, lock_wait: Duration) -> Result<Connection> {
    let connection = connect_server(url, lock_wait, false)?;
    match connection.start_serving()? {
        true => Ok(connection),
        false => Err(Error::Operator("another server runs on this database".into())),
    }
}

/// Repeats a call for up to `wait` while another process holds a lock.
fn patiently<T>(
    wait: Duration,
    mut call: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let start = Instant::now();
    loop {
        match call() {
            Err(error) if is_locked(&error) && start.elapsed() < wait => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
}
