//! Keys by the names of their files.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use cryptable::{
    CIPHERTEXT_FILE_MAGIC, EvaluationKey, EvaluationKeyHeader, ReadOptions, SharedBytes, WireError,
};
#[cfg(feature = "client")]
use cryptable::{FailureProbability, SecretKey};
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
    map_file(&input_file::open_seekable(path)?, path)
}

/// Maps a file of this name that is open, as [`map`] does.
///
/// # Errors
/// As there.
pub fn map_file(file: &File, path: &Path) -> Result<MappedFile> {
    MappedFile::of(file)
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
    let file = input_file::open_seekable(path)?;
    keep(&file, &input_file::shown(path).printable(), read)
}

fn keep<T>(
    file: &File,
    name: &str,
    read: impl FnOnce(&Arc<MappedFile>) -> cryptable::Result<T>,
) -> Result<(T, Arc<MappedFile>)> {
    let failed = || format!("cannot read {name}");
    let file = Arc::new(MappedFile::of(file).with_context(failed)?);
    let found = read(&file).map_err(with_option).with_context(failed)?;
    file.check_unchanged().with_context(failed)?;
    Ok((found, file))
}

/// Says why a key of another kind does not serve a job.
pub fn of_keygen(path: &Path, job: &str) -> String {
    format!("{}: {job} takes keys of keygen {job}", input_file::shown(path).printable())
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

/// A server's evaluation key that is not read yet but for its header: what does not go with it is refused before.
pub struct KeyFile {
    file: File,
    name: String,
    options: ReadOptions,
    /// What the key says of itself.
    pub header: EvaluationKeyHeader,
}

impl KeyFile {
    /// Opens a key and reads its header.
    ///
    /// # Errors
    /// If the file cannot be read or is no evaluation key, or an insecure one that is not allowed.
    pub fn open(global: Global, path: &Path) -> Result<Self> {
        let (options, name) = (global.read_options(), input_file::shown(path).printable());
        let file = input_file::open_seekable(path)?;
        let start = first_bytes(&file).with_context(|| format!("cannot read {name}"))?;
        ensure!(
            !start.starts_with(&CIPHERTEXT_FILE_MAGIC),
            "{name}: is a file of ciphertexts; --evaluation wants an evaluation key"
        );
        let header = match EvaluationKeyHeader::read(&start, options) {
            Ok(header) => header,
            Err(error) => {
                if !is_final(&error) {
                    // Only reading all of the key tells whether it is damaged.
                    read_key(&file, name.clone(), options)?;
                }
                return Err(with_option(error)).with_context(|| format!("cannot read {name}"));
            }
        };
        Ok(Self { file, name, options, header })
    }

    /// Reads all of it where it lies.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn read(self) -> Result<MappedKey> {
        read_key(&self.file, self.name, self.options)
    }
}

/// Reads the first bytes of a file, up to the longest header of a key.
pub fn first_bytes(mut file: &File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.take(EvaluationKeyHeader::BYTES as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start)
}

/// Tells whether reading the whole key would fail with the same error as reading its header did.
fn is_final(error: &cryptable::Error) -> bool {
    use cryptable::Error as E;
    match error {
        E::Insecure | E::WeakFailureProbability { .. } | E::ReadingMemory { .. } => true,
        E::Wire(error) => matches!(
            error,
            WireError::WrongKind { .. }
                | WireError::BadMagic { .. }
                | WireError::UnsupportedVersion { .. }
                | WireError::UnknownType { .. }
        ),
        _ => false,
    }
}

fn read_key(file: &File, name: String, options: ReadOptions) -> Result<MappedKey> {
    let read = |file: &Arc<MappedFile>| {
        let shared: SharedBytes = file.clone();
        EvaluationKey::from_shared(shared, options)
    };
    let (key, file) = keep(file, &name, read)?;
    // Other keys are expanded when they are read.
    let is_used_in_place = key.packed().is_ok() || key.bits().is_ok() || key.ckks().is_ok();
    let file = is_used_in_place.then_some(file);
    Ok(MappedKey { key, file, name })
}

/// Reads a client's secret key of any kind.
///
/// # Errors
/// If the file cannot be read or is no secret key, or an insecure one that is not allowed.
#[cfg(feature = "client")]
pub fn read_secret_key(global: Global, path: &Path) -> Result<SecretKey> {
    let check = |start: &[u8]| guard::check_secret_key("--secret", start);
    let bytes = input_file::read_secret(path, MAX_SECRET_KEY_BYTES, "a secret key", check)?;
    let failed = || format!("cannot read {}", input_file::shown(path).printable());
    let key = SecretKey::from_bytes(&bytes, global.read_options()).with_context(failed)?;
    // Now that it is one.
    report::note(global, input_file::exposure(path).as_ref());
    Ok(key)
}

/// Tells people where a key has no security at all, or its values fail too often.
#[cfg(feature = "client")]
pub fn warn_of_insecurity(global: Global, key: &SecretKey, path: &Path) {
    let name = input_file::shown(path).printable();
    let parameters = key.parameters();
    let (failures, limit) =
        (parameters.value_failure_probability(), FailureProbability::READ_LIMIT);
    let warning = if parameters.security_level().is_insecure() {
        Some(format!("INSECURE: {name} is of toy parameters, for tests only"))
    } else {
        (failures > limit).then(|| {
            format!("INSECURE: values of {name} fail with probability {failures}, above {limit}")
        })
    };
    report::note(global, warning.as_ref());
}
