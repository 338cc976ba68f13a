//! Keys by the names of their files.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use cryptable::{CIPHERTEXT_FILE_MAGIC, EvaluationKey, SharedBytes};
#[cfg(feature = "client")]
use cryptable::{FailureProbability, SecretKey, SecurityLevel};
use cryptable_wire::MappedFile;

use crate::args::Global;
#[cfg(feature = "client")]
use crate::guard;
use crate::input_file;

/// Longest secret key file that is read.
#[cfg(feature = "client")]
const MAX_SECRET_KEY_BYTES: u64 = 1 << 21;

/// Maps a whole input into memory; what comes from a pipe goes to an unnamed temporary file first.
///
/// # Errors
/// If it cannot be read, or is empty.
pub fn map(path: &Path) -> Result<MappedFile> {
    let file = input_file::open_seekable(path)?;
    MappedFile::of(&file)
        .with_context(|| format!("cannot read {}", input_file::shown(path).display()))
}

/// Reads a server's evaluation key where it lies.
///
/// # Errors
/// If the file cannot be read or is no evaluation key, or an insecure one that is not allowed.
pub fn read_evaluation_key(global: Global, path: &Path) -> Result<EvaluationKey> {
    let file = map(path)?;
    let name = input_file::shown(path).display();
    ensure!(
        !file.as_ref().starts_with(&CIPHERTEXT_FILE_MAGIC),
        "{name}: is a file of ciphertexts; --evaluation wants an evaluation key"
    );
    let shared: SharedBytes = Arc::new(file);
    EvaluationKey::from_shared(shared, global.read_options())
        .with_context(|| format!("cannot read {name}"))
}

/// Reads a client's secret key.
///
/// # Errors
/// If the file cannot be read or is no secret key, or an insecure one that is not allowed.
#[cfg(feature = "client")]
pub fn read_secret_key(global: Global, path: &Path) -> Result<SecretKey> {
    let check = |start: &[u8]| guard::check_secret_key("--secret", start);
    let bytes = input_file::read_secret(path, MAX_SECRET_KEY_BYTES, "a secret key", check)?;
    SecretKey::from_bytes(&bytes, global.read_options())
        .with_context(|| format!("cannot read {}", input_file::shown(path).display()))
}

/// What people must hear where a key has no security at all, or its values fail too often.
#[cfg(feature = "client")]
pub fn insecurity(
    level: SecurityLevel,
    failures: FailureProbability,
    key: &Path,
) -> Option<String> {
    let name = input_file::shown(key).display();
    if level.is_insecure() {
        return Some(format!("INSECURE: {name} is of toy parameters, for tests only"));
    }
    let limit = FailureProbability::READ_LIMIT;
    (failures > limit).then(|| {
        format!("INSECURE: values of {name} fail with probability {failures}, above {limit}")
    })
}
