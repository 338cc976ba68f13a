//! Errors of the service.

use std::io;

use rusqlite::ErrorCode;

use crate::Problem;

/// The reason why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk or the network failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database failed.
    #[error("database: {0}")]
    Database(#[from] rusqlite::Error),
    /// The server of the database failed, or cannot be reached.
    #[error("database: {text}")]
    DatabaseServer {
        /// The server's message.
        text: String,
        /// Whether the same call may succeed later.
        is_passing: bool,
    },
    /// The library refused an object, or objects that do not belong together.
    #[error(transparent)]
    Library(#[from] cryptable::Error),
    /// A request was refused.
    #[error(transparent)]
    Refused(#[from] Problem),
    /// The operator requested something impossible.
    #[error("{0}")]
    Operator(String),
}

/// The result of the service's calls.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Returns the problem that a client is told. Details of the server's own failures go to its log instead.
    #[must_use]
    pub fn problem(self) -> Problem {
        match self {
            Self::Refused(problem) => problem,
            Self::Library(cryptable::Error::ReadingMemory { needed, limit, .. }) => {
                Problem::too_large("memory", needed, limit)
            }
            Self::Library(
                error @ (cryptable::Error::Allocation { .. } | cryptable::Error::MemoryLeft { .. }),
            ) => {
                tracing::error!(%error, "too little memory");
                Problem::unavailable("the server has too little memory now; try again later")
            }
            Self::Library(cryptable::Error::Io(error)) | Self::Io(error) => match error.kind() {
                io::ErrorKind::StorageFull => full(&error),
                _ => logged(&error),
            },
            Self::Library(error) => Problem::unusable(error.to_string()),
            error if is_busy(&error) => {
                tracing::error!(%error, "another process has locked the database, or it cannot be reached");
                Problem::unavailable(
                    "another process writes to the server's folder; try again later",
                )
            }
            error @ Self::DatabaseServer { .. } => logged(&error),
            Self::Database(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => {
                full(&error)
            }
            Self::Database(error) => logged(&error),
            Self::Operator(text) => logged(&io::Error::other(text)),
        }
    }
}

/// Returns whether another process held a lock of the database for too long, or its server is unreachable, so that the
/// same operation may succeed later.
pub(crate) fn is_busy(error: &Error) -> bool {
    match error {
        Error::Database(error) => is_locked(error),
        Error::DatabaseServer { is_passing, .. } => *is_passing,
        _ => false,
    }
}

/// Returns whether another process holds a lock of SQLite.
pub(crate) fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Returns the problem of a full disk, which even the operator's reserve did not prevent.
fn full(error: &dyn std::error::Error) -> Problem {
    tracing::error!(%error, "the disk is full");
    let detail =
        "the server has no room: its disk is full; try again when its operator has made room";
    Problem::new("no-room", 507, detail)
}

fn logged(error: &dyn std::error::Error) -> Problem {
    tracing::error!(%error, "the server failed");
    Problem::internal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_disks_are_told_as_such() {
        let database = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        for error in [
            Error::Io(io::ErrorKind::StorageFull.into()),
            Error::Library(cryptable::Error::Io(io::ErrorKind::StorageFull.into())),
            Error::Database(rusqlite::Error::SqliteFailure(database, None)),
        ] {
            let problem = error.problem();
            assert_eq!((problem.status, problem.word()), (507, "no-room"));
        }
        let other = Error::Io(io::ErrorKind::PermissionDenied.into()).problem();
        assert_eq!(other.status, 500);
    }
}
