//! Repeatable requests, and the interpretation of answers.

use std::io::{self, Read, Seek, SeekFrom, Write};

use cryptable_wire::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};
use ureq::Body;
use ureq::http::{HeaderMap, Response};

use super::error::{ClientError, Result};
use crate::Problem;

/// Bytes of a result that are read at a time.
const COPY_BYTES: usize = 1 << 18;

/// The parts of a request that may be sent more than once.
pub(super) struct RequestParts {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
}

impl RequestParts {
    pub(super) fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// Copies input to output and counts the bytes. Returns the error that ended the input early, if any; fails if writing
/// fails.
pub(super) fn copy(
    mut input: impl Read,
    output: &mut impl Write,
    done: &mut u64,
) -> io::Result<Option<io::Error>> {
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => {
                output.write_all(&buffer[..count])?;
                *done += count as u64;
            }
            Err(error) => return Ok(Some(error)),
        }
    }
}

/// Returns the path that completes an upload.
pub(super) fn complete(id: &str) -> String {
    format!("/v1/uploads/{id}/complete")
}

pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(value).map_err(io::Error::other)?)
}

/// Returns the answer, or its problem as an error.
pub(super) fn check(mut response: Response<Body>) -> Result<Response<Body>> {
    if response.status().is_success() {
        return Ok(response);
    }
    let status = response.status().as_u16();
    let text = response.body_mut().read_to_vec().unwrap_or_default();
    let problem: std::result::Result<Problem, _> = serde_json::from_slice(&text);
    Err(problem.unwrap_or_else(|_| Problem::new("unknown", status, "no reason is given")).into())
}

/// Returns the path of a list's next page, which must be on the same server.
pub(super) fn next_page(headers: &HeaderMap) -> Option<&str> {
    let link = headers.get("link")?.to_str().ok()?;
    let (path, rest) = link.strip_prefix('<')?.split_once('>')?;
    (path.starts_with("/v1/") && rest.contains("rel=\"next\"")).then_some(path)
}

/// Returns whether a status means that the server is busy, or that a proxy does not reach it.
pub(super) fn is_later(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// Returns whether the same request may succeed later, after asking the server again how far an upload is.
pub(super) fn is_passing(error: &ClientError) -> bool {
    match error {
        // An untrusted certificate, or one for another name, will not become valid.
        #[cfg(feature = "tls")]
        ClientError::Unreachable { error, .. } if matches!(**error, ureq::Error::NativeTls(_)) => {
            false
        }
        ClientError::Unreachable { error, .. } => {
            !matches!(**error, ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::Tls(_))
        }
        ClientError::Refused(problem) => {
            let word = problem.word();
            // An upload that another attempt completed no longer exists.
            let is_elsewhere = problem.offset.is_some() || problem.status == 404;
            word == "busy" || word == "slow" || is_elsewhere || is_later(problem.status)
        }
        _ => false,
    }
}

/// Returns the SHA-256 digest and the length of a file.
pub(super) fn digest(file: &mut (impl Read + Seek)) -> Result<(String, u64)> {
    file.seek(SeekFrom::Start(0))?;
    let (mut hasher, mut buffer, mut length) = (Sha256::new(), vec![0; 1 << 20], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((hex(&hasher.finalize()), length)),
            count => {
                hasher.update(&buffer[..count]);
                length += count as u64;
            }
        }
    }
}
