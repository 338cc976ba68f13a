//! Keys by the names of their files.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use cryptable::{CIPHERTEXT_FILE_MAGIC, EvaluationKey, SharedBytes};
#[cfg(feature = "client")]
use cryptable::{FailureProbability, SecretKey, SecurityLevel};
use cryptable_wire::MappedFile;

use crate::args::Global;
#[cfg(feature = "client")]
use crate::guard;
use crate::input_file;
use crate::printable::Printable as _;
#[cfg(feature = "client")]
use crate::report;
use crate::report::{bytes, bytes_at_least};

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
        .with_context(|| format!("cannot read {}", input_file::shown(path).printable()))
}

/// Reads all of an input that `read` keeps nothing of.
///
/// # Errors
/// If it cannot be read, `read` refuses it, or another program changed it meanwhile.
pub fn read_mapped<T>(
    path: &Path,
    read: impl FnOnce(&Arc<MappedFile>) -> cryptable::Result<T>,
) -> Result<T> {
    Ok(read_kept(path, read)?.0)
}

/// Reads an input that what is read of it may refer to as long as it lives: also returns the file, to check in the end that
/// nobody changed it.
///
/// # Errors
/// As [`read_mapped`].
pub fn read_kept<T>(
    path: &Path,
    read: impl FnOnce(&Arc<MappedFile>) -> cryptable::Result<T>,
) -> Result<(T, Arc<MappedFile>)> {
    let file = Arc::new(map(path)?);
    let failed = || format!("cannot read {}", input_file::shown(path).printable());
    let found = read(&file).map_err(with_option).with_context(failed)?;
    file.check_unchanged().with_context(failed)?;
    Ok((found, file))
}

/// Why a key of another engine does not serve the commands of a group.
pub fn of_keygen(path: &Path, group: &str) -> String {
    format!("{}: {group} takes keys of {group} keygen", input_file::shown(path).printable())
}

/// Says which option allows what the library refused.
pub fn with_option(error: cryptable::Error) -> anyhow::Error {
    match error {
        cryptable::Error::ReadingMemory { object, needed, limit } => {
            let (needed, limit) = (bytes_at_least(needed), bytes(limit));
            anyhow!(
                "the {object} may take {needed} of memory while it is read, above the limit of {limit}; \
                 --max-key-memory raises it"
            )
        }
        other => other.into(),
    }
}

/// A server's evaluation key, and the file that it is used from where it lies.
pub struct MappedKey {
    /// The key.
    pub key: EvaluationKey,
    /// The file, if the key reads it as long as it lives.
    file: Option<Arc<MappedFile>>,
    name: String,
}

impl MappedKey {
    /// Demands that nobody changed the key's file in place since it was checked.
    ///
    /// # Errors
    /// If somebody did.
    pub fn check_unchanged(&self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        file.check_unchanged().with_context(|| format!("{} changed while it was in use", self.name))
    }
}

/// Reads a server's evaluation key where it lies.
///
/// # Errors
/// If the file cannot be read or is no evaluation key, or an insecure one that is not allowed.
pub fn read_evaluation_key(global: Global, path: &Path) -> Result<MappedKey> {
    let file = Arc::new(map(path)?);
    let name = input_file::shown(path).printable();
    ensure!(
        !(*file).as_ref().starts_with(&CIPHERTEXT_FILE_MAGIC),
        "{name}: is a file of ciphertexts; --evaluation wants an evaluation key"
    );
    let shared: SharedBytes = file.clone();
    let key = EvaluationKey::from_shared(shared, global.read_options())
        .map_err(with_option)
        .with_context(|| format!("cannot read {name}"))?;
    file.check_unchanged().with_context(|| format!("cannot read {name}"))?;
    // Keys without packed values are expanded when they are read.
    let file = key.packed().is_ok().then_some(file);
    Ok(MappedKey { key, file, name })
}

/// Reads a client's secret key.
///
/// # Errors
/// If the file cannot be read or is no secret key, or an insecure one that is not allowed.
#[cfg(feature = "client")]
pub fn read_secret_key(global: Global, path: &Path) -> Result<SecretKey> {
    read_secret_of(global, path, |bytes| SecretKey::from_bytes(bytes, global.read_options()))
}

/// Reads a secret key of any kind.
///
/// # Errors
/// If the file cannot be read or is no secret key, or `read` refuses it.
#[cfg(feature = "client")]
pub fn read_secret_of<T>(
    global: Global,
    path: &Path,
    read: impl FnOnce(&[u8]) -> cryptable::Result<T>,
) -> Result<T> {
    let check = |start: &[u8]| guard::check_secret_key("--secret", start);
    let bytes = input_file::read_secret(path, MAX_SECRET_KEY_BYTES, "a secret key", check)?;
    let failed = || format!("cannot read {}", input_file::shown(path).printable());
    let key = read(&bytes).with_context(failed)?;
    // Now that it is one.
    report::note(global, input_file::exposure(path).as_ref());
    Ok(key)
}

/// What people must hear where a key has no security at all, or its values fail too often.
#[cfg(feature = "client")]
pub fn insecurity(
    level: SecurityLevel,
    failures: FailureProbability,
    key: &Path,
) -> Option<String> {
    let name = input_file::shown(key).printable();
    if level.is_insecure() {
        return Some(format!("INSECURE: {name} is of toy parameters, for tests only"));
    }
    let limit = FailureProbability::READ_LIMIT;
    (failures > limit).then(|| {
        format!("INSECURE: values of {name} fail with probability {failures}, above {limit}")
    })
}
