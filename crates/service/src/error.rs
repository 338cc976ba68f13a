//! What keeps the service from its work.

use std::io;

use rusqlite::ErrorCode;

use crate::Problem;

/// Why something failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk or the network.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database.
    #[error("database: {0}")]
    Database(#[from] rusqlite::Error),
    /// The library refuses an object, or objects that do not go together.
    #[error(transparent)]
    Library(#[from] cryptable::Error),
    /// A request is refused.
    #[error(transparent)]
    Refused(#[from] Problem),
    /// What the operator asks for.
    #[error("{0}")]
    Operator(String),
}

/// The result of the service's calls.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// What a client hears of it; what is the server's own goes to its log.
    #[must_use]
    pub fn problem(self) -> Problem {
        match self {
            Self::Refused(problem) => problem,
            Self::Library(cryptable::Error::ReadingMemory { needed, limit, .. }) => {
                Problem::too_large("memory", needed, limit)
            }
            Self::Library(cryptable::Error::Io(error)) => logged(&error),
            Self::Library(error) => Problem::unusable(error.to_string()),
            Self::Io(error) => logged(&error),
            Self::Database(error) if is_busy(&error) => {
                tracing::error!(%error, "another process holds the database");
                Problem::unavailable(
                    "another process writes to the server's folder; try again later",
                )
            }
            Self::Database(error) => logged(&error),
            Self::Operator(text) => logged(&io::Error::other(text)),
        }
    }
}

/// Whether another process held a lock of the database for longer than was waited: the same may go well later.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn logged(error: &dyn std::error::Error) -> Problem {
    tracing::error!(%error, "the server failed");
    Problem::internal()
}
