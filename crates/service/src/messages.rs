//! The JSON messages of requests and answers.

use serde::{Deserialize, Serialize};

/// The kinds of file that a client keeps on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An evaluation key.
    EvaluationKey,
    /// A file of ciphertexts.
    Ciphertext,
    /// A public key, which every client of the server may fetch.
    PublicKey,
}

impl Kind {
    /// Returns the word for this kind in the interface.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::EvaluationKey => "evaluation-key",
            Self::Ciphertext => "ciphertext",
            Self::PublicKey => "public-key",
        }
    }

    /// Returns the kind that a word stands for, if any.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::EvaluationKey, Self::Ciphertext, Self::PublicKey]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// Returns the name of this kind for people.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::EvaluationKey => "evaluation key",
            Self::Ciphertext => "file of ciphertexts",
            Self::PublicKey => "public key",
        }
    }

    /// Returns the folder of this kind in the interface.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::EvaluationKey => "keys",
            Self::Ciphertext => "ciphertexts",
            Self::PublicKey => "public-keys",
        }
    }
}

/// The announcement of a file that a client is going to send.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// Kind of the file.
    pub kind: Kind,
    /// Length of the file in bytes.
    pub length: u64,
    /// SHA-256 digest of the file in hexadecimal digits. It is the file's name from then on.
    pub sha256: String,
    /// Name of the recipient of a file of ciphertexts: the client whose public key encrypted it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recipient: Option<String>,
}

/// The progress of an upload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Upload {
    /// Identifier of the upload; `None` if the server has the file already.
    pub id: Option<String>,
    /// Number of bytes that the server has.
    pub offset: u64,
    /// Length of the file in bytes.
    pub length: u64,
    /// Whether the file is complete and was checked.
    pub complete: bool,
}

/// The description of a client's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// SHA-256 digest of the file, which is its name.
    pub sha256: String,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Content of the file.
    #[serde(flatten)]
    pub about: About,
    /// Name of the client who contributed the file; none for the client's own files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub contributor: Option<String>,
    /// Name of the recipient, if the client contributed the file to another one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recipient: Option<String>,
}

/// A public key that a client publishes to all clients of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedKey {
    /// Name of the client.
    pub owner: String,
    /// The key.
    #[serde(flatten)]
    pub key: Object,
}

/// The content of a key or of a file of ciphertexts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The engine.
    pub engine: String,
    /// Identifier of the client's secret key.
    pub key_id: String,
    /// Digest of the parameters.
    pub parameters: String,
    /// Modulus of the values.
    pub modulus: u64,
    /// Whether the values are signed; for ciphertexts only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signed: Option<bool>,
    /// Modulus of results; for keys only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_modulus: Option<u64>,
    /// Name of the method that evaluates tables; for keys only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// Bytes of memory that the key uses; for keys only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_bytes: Option<u64>,
    /// Number of values; for ciphertexts only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub values: Option<u64>,
    /// Number of ciphertexts; for ciphertexts only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ciphertexts: Option<u64>,
}

/// A table that the operator offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Name of the table.
    pub name: String,
    /// Number of entries, which is the modulus of inputs.
    pub input_modulus: u64,
    /// Modulus of outputs.
    pub output_modulus: u64,
    /// Whether inputs are signed values.
    #[serde(default)]
    pub signed_inputs: bool,
    /// Whether outputs are signed values.
    #[serde(default)]
    pub signed_outputs: bool,
    /// BLAKE3 digest of the moduli, the entries and the signs.
    pub digest: String,
}

/// The order of a lookup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// SHA-256 digest of an evaluation key.
    pub key: String,
    /// SHA-256 digest of a file of ciphertexts.
    pub ciphertext: String,
    /// Names of tables, each of which yields one result.
    pub tables: Vec<String>,
    /// SHA-256 digest of the evaluation key for bits of several owners, who have `key` as their key for values. The
    /// owners decrypt the results together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bits_key: Option<String>,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The job waits.
    Queued,
    /// The job runs.
    Running,
    /// The job has its results.
    Done,
    /// The job has failed and will have no results.
    Failed,
}

impl State {
    /// Returns the word for this state in the interface.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Returns the state that a word stands for, if any.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Done, Self::Failed]
            .into_iter()
            .find(|state| state.word() == word)
    }

    /// Returns whether the state is the last one of a job.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

/// A job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Identifier of the job.
    pub id: String,
    /// Current state.
    pub state: State,
    /// Share of the work that is done, 0 to 1. It may be above 0 while the job waits for its next turn.
    pub progress: f64,
    /// Predicted seconds of work, without waiting.
    pub estimate_s: f64,
    /// The order that created the job.
    pub order: Order,
    /// Length of each result in bytes, in the order of the tables; empty until the job is done.
    pub results: Vec<u64>,
    /// The reason why the job failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Time of the end, in seconds since 1970-01-01 UTC.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<u64>,
    /// Time of the automatic removal of the job and its results, in seconds since 1970-01-01 UTC; `None` if there is
    /// none. The job is removed earlier if its client has more results than the server keeps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<u64>,
}
