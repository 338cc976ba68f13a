//! What requests and answers say, in JSON.

use serde::{Deserialize, Serialize};

/// What a client keeps on a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An evaluation key.
    EvaluationKey,
    /// A file of ciphertexts.
    Ciphertext,
}

impl Kind {
    /// Its word in the interface.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::EvaluationKey => "evaluation-key",
            Self::Ciphertext => "ciphertext",
        }
    }
}

/// A file that is announced.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub length: u64,
    /// Its SHA-256 digest in hexadecimal digits, by which it is named from then on.
    pub sha256: String,
}

/// How far an upload is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Upload {
    /// Its identifier; none if the file is there already.
    pub id: Option<String>,
    /// Bytes that are there.
    pub offset: u64,
    /// Bytes of the file.
    pub length: u64,
    /// Whether the file is whole and was checked.
    pub complete: bool,
}

/// What is known of a client's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// Its name: its SHA-256 digest.
    pub sha256: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its content.
    #[serde(flatten)]
    pub about: About,
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
    /// Whether the values are signed; of ciphertexts only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signed: Option<bool>,
    /// Modulus of results; of keys only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_modulus: Option<u64>,
    /// How tables are evaluated; of keys only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// Bytes of memory; of keys only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_bytes: Option<u64>,
    /// Number of values; of ciphertexts only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub values: Option<u64>,
    /// Number of ciphertexts; of ciphertexts only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ciphertexts: Option<u64>,
}

/// A table that the operator offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Its name.
    pub name: String,
    /// Number of entries, which is the modulus of inputs.
    pub input_modulus: u64,
    /// Modulus of outputs.
    pub output_modulus: u64,
    /// Whether it is for signed values.
    #[serde(default)]
    pub signed_inputs: bool,
    /// Whether its outputs are signed.
    #[serde(default)]
    pub signed_outputs: bool,
    /// BLAKE3 digest of the moduli, the entries and the signs.
    pub digest: String,
}

/// A lookup that is ordered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// SHA-256 digest of an evaluation key.
    pub key: String,
    /// SHA-256 digest of a file of ciphertexts.
    pub ciphertext: String,
    /// Names of tables; each has a result.
    pub tables: Vec<String>,
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits.
    Queued,
    /// It runs.
    Running,
    /// Its results are there.
    Done,
    /// It has none, and never will.
    Failed,
}

impl State {
    /// Its word in the interface.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// The state of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Done, Self::Failed]
            .into_iter()
            .find(|state| state.word() == word)
    }

    /// Whether it changes no more.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

/// A job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its identifier.
    pub id: String,
    /// Where it is.
    pub state: State,
    /// The share of its work that is done, 0 to 1; above 0 also while it waits for its next turn.
    pub progress: f64,
    /// Predicted seconds of its work, without waiting.
    pub estimate_s: f64,
    /// What was ordered.
    pub order: Order,
    /// Bytes of each result, in the order of the tables; none before it is done.
    pub results: Vec<u64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// When it ended, in seconds since 1970-01-01 UTC.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<u64>,
    /// When it will be removed with its results, in the same seconds; none if never. It goes sooner where its client's
    /// results are more than the server keeps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<u64>,
}
