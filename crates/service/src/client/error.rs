//! Why a call of a client fails.

use std::io;

use crate::Problem;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refuses.
    #[error(transparent)]
    Refused(#[from] Problem),
    /// The server cannot be reached, and could not for as long as was waited.
    #[error("cannot reach the server: {0}")]
    Unreachable(Box<ureq::Error>),
    /// No address of a server, or one that this build cannot use.
    #[error("{}: {reason}", cryptable_wire::printable(url))]
    Address {
        /// The address.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The server answers what is not in its interface.
    #[error("the server's answer is wrong: {0}")]
    Answer(String),
    /// A file, or the result of a job, cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The library refuses what arrived.
    #[error(transparent)]
    Library(#[from] cryptable::Error),
    /// The job failed.
    #[error("the job failed: {0}")]
    Failed(String),
    /// The caller does not want to wait.
    #[error("cancelled")]
    Cancelled,
}

pub(super) type Result<T> = std::result::Result<T, ClientError>;
