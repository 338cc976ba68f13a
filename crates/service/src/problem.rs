//! What is refused, as clients hear it: problem objects of RFC 9457.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What types of problems begin with.
const TYPE_PREFIX: &str = "urn:cryptable:problem:";

/// A limit that a request exceeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exceeded {
    /// Name of the limit, that of the operator's option.
    pub name: String,
    /// Its value.
    pub limit: u64,
    /// What was asked for.
    pub found: u64,
}

/// A problem object: why a request is refused.
///
/// ```
/// use cryptable_service::Problem;
/// let problem = Problem::not_found("job");
/// assert_eq!((problem.status, problem.detail.as_str()), (404, "there is no such job"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Its kind, a URN that ends in a word for programs.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its kind for people.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What is wrong with this request.
    pub detail: String,
    /// The limit that was exceeded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exceeded: Option<Box<Exceeded>>,
    /// Bytes of an upload that are there.
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
    /// A problem of a kind: its word for programs, a status, and what is wrong.
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

    /// There is no such thing, or it is another client's.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new("not-found", 404, format!("there is no such {what}"))
    }

    /// The request is not what the interface says.
    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new("bad-request", 400, detail)
    }

    /// What was sent is not usable: damaged, of the wrong kind, insecure, or does not go together.
    #[must_use]
    pub fn unusable(detail: impl Into<String>) -> Self {
        Self::new("unusable", 422, detail)
    }

    /// The state of things does not allow it now.
    #[must_use]
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new("conflict", 409, detail)
    }

    /// An upload stands elsewhere.
    #[must_use]
    pub fn wrong_offset(found: u64, offset: u64) -> Self {
        let detail = format!("the part begins at {found}, but {offset} bytes are there");
        Self { offset: Some(offset), ..Self::conflict(detail) }
    }

    /// Too large, or too many: names the limit.
    #[must_use]
    pub fn too_large(name: &str, found: u64, limit: u64) -> Self {
        let detail = format!("{name} is {found}, but must be at most {limit}");
        Self::new("too-large", 413, detail).exceeds(name, found, limit)
    }

    /// Come back later: names the limit.
    #[must_use]
    pub fn too_many(name: &str, found: u64, limit: u64) -> Self {
        let detail = format!("{name} would be {found}, but is at most {limit}; try again later");
        Self::new("too-many", 429, detail).exceeds(name, found, limit)
    }

    /// The server's disk is full, or all that it may hold is there: names the limit.
    #[must_use]
    pub fn no_room(name: &str, found: u64, limit: u64) -> Self {
        let detail = format!(
            "the server has no room: {name} is {limit}, found {found}; remove what you no longer need, or ask its \
             operator"
        );
        Self::new("no-room", 507, detail).exceeds(name, found, limit)
    }

    /// Come back later: the server cannot do it now.
    #[must_use]
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new("unavailable", 503, detail)
    }

    /// What went wrong is not the client's fault, nor its business.
    #[must_use]
    pub fn internal() -> Self {
        let detail = "the server failed; its operator finds the reason in its log";
        Self::new("server-error", 500, detail)
    }

    pub(crate) fn exceeds(mut self, name: &str, found: u64, limit: u64) -> Self {
        self.exceeded = Some(Box::new(Exceeded { name: name.to_owned(), limit, found }));
        self
    }

    /// The word for programs at the end of its type.
    #[must_use]
    pub fn word(&self) -> &str {
        self.kind.strip_prefix(TYPE_PREFIX).unwrap_or(&self.kind)
    }
}
