//! Errors of a client's calls.

use std::io;

use crate::Problem;

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refused the request.
    #[error(transparent)]
    Refused(#[from] Problem),
    /// The server could not be reached for as long as the client waits.
    #[error("cannot reach the server {}: {error}", cryptable_wire::printable(url))]
    Unreachable {
        /// The server's address.
        url: String,
        /// The reason.
        error: Box<ureq::Error>,
    },
    /// The address is not valid, or this build cannot use it.
    #[error("{}: {reason}", cryptable_wire::printable(url))]
    Address {
        /// The address.
        url: String,
        /// The reason.
        reason: &'static str,
    },
    /// The server's answer does not follow the interface.
    #[error("the server's answer is wrong: {0}")]
    Answer(String),
    /// A file or the result of a job could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The library refused the data that arrived.
    #[error(transparent)]
    Library(#[from] cryptable::Error),
    /// The job failed.
    #[error("the job failed: {0}")]
    Failed(String),
    /// The caller stopped the call.
    #[error("cancelled")]
    Cancelled,
}

pub(super) type Result<T> = std::result::Result<T, ClientError>;
