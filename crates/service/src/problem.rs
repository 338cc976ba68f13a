//! Refusals as clients receive them: problem objects of RFC 9457.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Prefix of all problem types.
const TYPE_PREFIX: &str = "urn:cryptable:problem:";

/// A limit that a request exceeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exceeded {
    /// Name of the limit, like the operator's option.
    pub name: String,
    /// Value of the limit.
    pub limit: u64,
    /// The requested value.
    pub found: u64,
}

/// A problem object, which states why a request is refused.
///
/// ```
/// use cryptable_service::Problem;
/// let problem = Problem::not_found("job");
/// assert_eq!((problem.status, problem.detail.as_str()), (404, "there is no such job"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Type of the problem: a URN whose last part is a word for programs.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title of the type, for people.
    pub title: String,
    /// HTTP status of the answer.
    pub status: u16,
    /// The reason for this request, for people.
    pub detail: String,
    /// The limit that was exceeded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exceeded: Option<Box<Exceeded>>,
    /// Number of bytes of an upload that the server has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub offset: Option<u64>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.title, self.status, self.detail)
    }
}

impl std::error::Error for Problem {}

impl Problem {
    /// Creates a problem from its word for programs, the HTTP status, and the reason.
    #[must_use]
    pub fn new(word: &str, status: u16, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("{TYPE_PREFIX}{word}"),
            title: word.replace('-', " "),
            status,
            detail: detail.into(),
            exceeded: None,
            offset: None,
        }
    }

    /// Creates the problem of something that does not exist or belongs to another client.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new("not-found", 404, format!("there is no such {what}"))
    }

    /// Creates the problem of a request that does not follow the interface.
    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new("bad-request", 400, detail)
    }

    /// Creates the problem of an unusable file: damaged, of the wrong kind, insecure, or not matching another.
    #[must_use]
    pub fn unusable(detail: impl Into<String>) -> Self {
        Self::new("unusable", 422, detail)
    }

    /// Creates the problem of a request that the current state does not allow.
    #[must_use]
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new("conflict", 409, detail)
    }

    /// Creates the problem of a part of an upload that begins at the wrong offset.
    #[must_use]
    pub fn wrong_offset(found: u64, offset: u64) -> Self {
        let detail = format!("the part begins at {found}, but {offset} bytes are there");
        Self { offset: Some(offset), ..Self::conflict(detail) }
    }

    /// Creates the problem of something that is too large or too many. It names the limit.
    #[must_use]
    pub fn too_large(name: &str, found: u64, limit: u64) -> Self {
        let detail = format!("{name} is {found}, but must be at most {limit}");
        Self::new("too-large", 413, detail).exceeds(name, found, limit)
    }

    /// Creates the problem of a request that exceeds a limit for now. It names the limit and asks to try again later.
    #[must_use]
    pub fn too_many(name: &str, found: u64, limit: u64) -> Self {
        let detail = format!("{name} would be {found}, but is at most {limit}; try again later");
        Self::new("too-many", 429, detail).exceeds(name, found, limit)
    }

    /// Creates the problem of a full disk, or of a server that already holds all that it may hold. It names the limit.
    #[must_use]
    pub fn no_room(name: &str, found: u64, limit: u64) -> Self {
        let detail = format!(
            "the server has no room: {name} is {limit}, found {found}; remove what you no longer need, or ask its \
             operator"
        );
        Self::new("no-room", 507, detail).exceeds(name, found, limit)
    }

    /// Creates the problem of a request that the server cannot serve at the moment.
    #[must_use]
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new("unavailable", 503, detail)
    }

    /// Creates the problem of a failure of the server, whose reason is only in its log.
    #[must_use]
    pub fn internal() -> Self {
        let detail = "the server failed; its operator finds the reason in its log";
        Self::new("server-error", 500, detail)
    }

    pub(crate) fn exceeds(mut self, name: &str, found: u64, limit: u64) -> Self {
        self.exceeded = Some(Box::new(Exceeded { name: name.to_owned(), limit, found }));
        self
    }

    /// Returns the last part of the type, a word for programs.
    #[must_use]
    pub fn word(&self) -> &str {
        self.kind.strip_prefix(TYPE_PREFIX).unwrap_or(&self.kind)
    }
}
