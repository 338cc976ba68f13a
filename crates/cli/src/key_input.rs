//! Keys, read by file name.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
#[cfg(feature = "client")]
use cryptable::{
    Canaries, Ciphertext, FailureProbability, KeyId, KeyParameters, PublicKey, SecretKey,
    bits::EncryptedBits, wide::words_of_bits,
};
use cryptable::{
    CiphertextFileSummary, EvaluationKey, EvaluationKeyHeader, ReadOptions, SharedBytes, WireError,
};
use cryptable_wire::MappedFile;
#[cfg(feature = "client")]
use zeroize::Zeroizing;

use crate::args::Global;
#[cfg(feature = "client")]
use crate::guard;
use crate::input_file;
#[cfg(feature = "client")]
use crate::report;

/// Longest secret key file that is read, in bytes.
#[cfg(feature = "client")]
const MAX_SECRET_KEY_BYTES: u64 = 1 << 22;

/// Maps a whole input into memory. Data from a pipe is first copied to an unnamed temporary file.
pub fn map(path: &Path) -> Result<MappedFile> {
    map_file(&input_file::open_seekable(path)?, path)
}

/// Same as [`map`], for a file that is already open. `path` is for messages.
pub fn map_file(file: &File, path: &Path) -> Result<MappedFile> {
    MappedFile::of(file).with_context(|| format!("cannot read {}", input_file::name(path)))
}

/// Maps an input and reads it with `read`, whose result must not refer to the file.
pub fn read_mapped<T>(
    path: &Path,
    read: impl FnOnce(&Arc<MappedFile>) -> cryptable::Result<T>,
) -> Result<T> {
    Ok(read_kept(path, read)?.0)
}

/// Maps an input and reads it with `read`, whose result may refer to the file. Also returns the file, so that the
/// caller can check in the end that nobody changed it.
pub fn read_kept<T>(
    path: &Path,
    read: impl FnOnce(&Arc<MappedFile>) -> cryptable::Result<T>,
) -> Result<(T, Arc<MappedFile>)> {
    let file = input_file::open_seekable(path)?;
    keep(&file, &input_file::name(path), read)
}

fn keep<T>(
    file: &File,
    name: &str,
    read: impl FnOnce(&Arc<MappedFile>) -> cryptable::Result<T>,
) -> Result<(T, Arc<MappedFile>)> {
    let failed = || format!("cannot read {name}");
    let file = Arc::new(MappedFile::of(file).with_context(failed)?);
    let found = read(&file).with_context(failed)?;
    file.check_unchanged().with_context(failed)?;
    Ok((found, file))
}

/// Returns the message for a key whose kind does not fit a job.
pub fn of_keygen(path: &Path, job: &str) -> String {
    format!("{}: {job} needs keys from keygen {job}", input_file::name(path))
}

/// An evaluation key, and the file that it uses in place.
pub struct MappedKey {
    /// The key.
    pub key: EvaluationKey,
    /// The file, if the key refers to it.
    file: Option<Arc<MappedFile>>,
    name: String,
}

impl MappedKey {
    /// Checks that nobody changed the key's file in place since it was read.
    pub fn check_unchanged(&self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        file.check_unchanged().with_context(|| format!("{} changed while it was in use", self.name))
    }
}

/// An evaluation key of which only the header was read, so that mismatches are found before gigabytes are read.
pub struct KeyFile {
    file: File,
    name: String,
    options: ReadOptions,
    /// Header of the key.
    pub header: EvaluationKeyHeader,
}

impl KeyFile {
    /// Opens a key and reads its header.
    pub fn open(global: Global, path: &Path) -> Result<Self> {
        let (options, name) = (global.read_options(), input_file::name(path));
        let file = input_file::open_seekable(path)?;
        let start =
            input_file::first_bytes(&file).with_context(|| format!("cannot read {name}"))?;
        ensure!(
            !start.starts_with(&CiphertextFileSummary::MAGIC),
            "{name}: it is a file of ciphertexts; --evaluation takes an evaluation key"
        );
        let header = match EvaluationKeyHeader::read(&start, options) {
            Ok(header) => header,
            Err(error) => {
                if !is_final(&error) {
                    // Only reading the whole key can tell whether it is damaged.
                    read_key(&file, name.clone(), options)?;
                }
                return Err(error).with_context(|| format!("cannot read {name}"));
            }
        };
        Ok(Self { file, name, options, header })
    }

    /// Reads the whole key, in place if it supports that.
    pub fn read(self) -> Result<MappedKey> {
        read_key(&self.file, self.name, self.options)
    }
}

/// Returns whether reading the whole key would fail with the same error as reading its header.
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
    // Other keys are expanded when they are read, and no longer need the file.
    let is_used_in_place = key.packed().is_ok() || key.bits().is_ok() || key.ckks().is_ok();
    let file = is_used_in_place.then_some(file);
    Ok(MappedKey { key, file, name })
}

/// Reads a client's secret key of any kind.
#[cfg(feature = "client")]
pub fn read_secret_key(global: Global, path: &Path) -> Result<SecretKey> {
    secret_key_of(global, path, &read_secret_file(path)?)
}

/// Reads the bytes of a secret key, of a client or of one of several owners.
#[cfg(feature = "client")]
pub fn read_secret_file(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let check = |start: &[u8]| guard::check_secret_key("--secret", start);
    input_file::read_secret(path, MAX_SECRET_KEY_BYTES, "a secret key", check)
}

/// Reads a client's secret key from the bytes of its file. `path` is for messages.
#[cfg(feature = "client")]
pub fn secret_key_of(global: Global, path: &Path, bytes: &[u8]) -> Result<SecretKey> {
    let failed = || format!("cannot read {}", input_file::name(path));
    let key = SecretKey::from_bytes(bytes, global.read_options()).with_context(failed)?;
    // Only a file that is a secret key deserves the warning.
    report::note(global, input_file::exposure(path).as_ref());
    Ok(key)
}

/// Reads a client's public key.
#[cfg(feature = "client")]
pub fn read_public_key(global: Global, path: &Path) -> Result<PublicKey> {
    read_mapped(path, |file| PublicKey::from_bytes((**file).as_ref(), global.read_options()))
}

/// The key that encrypts: the client's own, or its public key.
#[cfg(feature = "client")]
#[derive(Clone, Copy)]
pub enum EncryptionKey<'a> {
    /// The secret key.
    Secret(&'a SecretKey),
    /// The public key.
    Public(&'a PublicKey),
}

#[cfg(feature = "client")]
impl EncryptionKey<'_> {
    /// Returns the parameters of the key.
    pub fn parameters(self) -> KeyParameters {
        match self {
            Self::Secret(key) => key.parameters(),
            Self::Public(key) => key.parameters(),
        }
    }

    /// Returns the secret key, if it is one.
    pub fn secret(&self) -> Option<&SecretKey> {
        if let Self::Secret(key) = self { Some(key) } else { None }
    }

    /// Returns the identifier of the secret key.
    pub fn id(self) -> KeyId {
        match self {
            Self::Secret(key) => key.id(),
            Self::Public(key) => key.id(),
        }
    }

    /// Draws canaries with uniform inputs among a number of values. If values are not inputs of tables, their number of bits is
    /// given.
    pub fn draw_canaries(
        self,
        values: usize,
        count: usize,
        bits: Option<u32>,
    ) -> cryptable::Result<Canaries> {
        match self {
            Self::Secret(key) => key.draw_canaries(values, count, bits),
            Self::Public(key) => key.draw_canaries(values, count, bits),
        }
    }

    /// Encrypts a bit of every word of a circuit, with this number of levels.
    pub fn encrypt_bits(self, bits: &[bool], levels: usize) -> cryptable::Result<EncryptedBits> {
        match self {
            Self::Secret(key) => key.bits()?.encrypt_at(bits, levels),
            Self::Public(key) => key.bits()?.encrypt_at(bits, levels),
        }
    }

    /// Encrypts values.
    pub fn encrypt(self, values: &[u64]) -> cryptable::Result<Ciphertext> {
        match self {
            Self::Secret(key) => key.encrypt(values),
            Self::Public(key) => key.encrypt(values),
        }
    }

    /// Encrypts values of one variable of several.
    pub fn encrypt_variable(self, values: &[u64], modulus: u64) -> cryptable::Result<Ciphertext> {
        match self {
            Self::Secret(key) => key.encrypt_digits(values, modulus),
            Self::Public(_) => unreachable!("the grammar refuses --modulus beside --public"),
        }
    }

    /// Encrypts values as words of `bits` bits.
    pub fn encrypt_words(self, values: &[u64], bits: u32) -> cryptable::Result<Vec<Ciphertext>> {
        let words = words_of_bits(bits, self.parameters().lookups()?.input_modulus());
        let parts = match self {
            Self::Secret(key) => key.packed()?.encrypt_words(values, words),
            Self::Public(key) => key.packed()?.encrypt_words(values, words),
        }?;
        Ok(parts.into_iter().map(Ciphertext::from).collect())
    }
}

/// Warns if a key has no security, or if its values fail too often.
#[cfg(feature = "client")]
pub fn warn_of_insecurity(global: Global, parameters: &KeyParameters, path: &Path) {
    let name = input_file::name(path);
    let (failures, limit) =
        (parameters.value_failure_probability(), FailureProbability::READ_LIMIT);
    let warning = if parameters.security_level().is_insecure() {
        Some(format!("INSECURE: {name} has toy parameters, for tests only"))
    } else {
        (failures > limit).then(|| {
            format!("INSECURE: values of {name} fail with probability {failures}, above {limit}")
        })
    };
    report::note(global, warning.as_ref());
}
