//! What the client does with its secret key: keys, encrypted AES keys, decryption.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::Progress;
use cryptable::transciphering::{AesKey, Parameters};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::Global;
use crate::args::aes::{
    AesDecryptArgs, AesEncryptKeyArgs, AesKeySource, AesKeygenArgs, BLOCK_BYTES,
};
use crate::atomic_file::{self, Access};
use crate::commands::key_files::{GeneratedKeys, KeyFiles};
use crate::commands::parameters::ParameterReport;
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input};

/// Longest file of an AES key that is read.
const MAX_AES_KEY_BYTES: u64 = 1 << 20;

/// Generates both keys.
///
/// # Errors
/// If a key file exists and is not to be replaced, no parameters fail so rarely as asked for, or writing fails: there is
/// then no new file.
pub fn keygen(global: Global, args: &AesKeygenArgs) -> Result<()> {
    let files = KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
    let parameters = match args.log2_fail {
        _ if args.insecure_toy => Parameters::insecure_toy(),
        Some(log2_fail) => Parameters::with_log2_fail(log2_fail)?,
        None => Parameters::default_128(),
    };
    let keys = files.generate(global, &parameters)?;
    let report = KeygenReport { parameters: ParameterReport::of_transciphering(&parameters), keys };
    report::summary(global, &report)
}

/// Encrypts the round keys of an AES key.
///
/// # Errors
/// If a file cannot be read or written, or the AES key has not 16 bytes.
pub fn encrypt_key(global: Global, args: &AesEncryptKeyArgs) -> Result<()> {
    let start = Instant::now();
    let key = key_input::read_secret_key(global, &args.secret)?;
    let secret = key.transciphering().with_context(|| key_input::of_keygen(&args.secret, "aes"))?;
    let keys = secret.encrypt_key(&aes_key(global, &args.source)?);
    let report = Report {
        output_bytes: write(&args.output, &keys.to_bytes())?,
        output: args.output.clone(),
        kind: "encrypted AES-128 key",
        message_bytes: BLOCK_BYTES as u64,
        seconds: start.elapsed().as_secs_f64(),
    };
    key_input::warn_of_insecurity(global, &key, &args.secret);
    report::summary(global, &report)
}

/// Decrypts homomorphic ciphertexts.
///
/// # Errors
/// If a file cannot be read or written, or key and ciphertexts do not belong together.
pub fn decrypt(global: Global, args: &AesDecryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = key_input::read_secret_key(global, &args.secret)?;
    let secret = key.transciphering().with_context(|| key_input::of_keygen(&args.secret, "aes"))?;
    let file = key_input::map(&args.input)?;
    let named = || input_file::shown(&args.input).printable();
    let mut output = atomic_file::create(&args.output, Access::Private)?;
    let message_bytes = secret
        .decrypt_stream(file.as_ref(), &mut output, Progress::silent())
        .with_context(named)?;
    file.check_unchanged().with_context(named)?;
    let report = Report {
        output_bytes: output.commit(true)?,
        output: args.output.clone(),
        kind: "message",
        message_bytes,
        seconds: start.elapsed().as_secs_f64(),
    };
    key_input::warn_of_insecurity(global, &key, &args.secret);
    report::summary(global, &report)
}

/// Reads an AES key.
///
/// # Errors
/// If its file cannot be read, or has not 16 bytes.
pub(super) fn aes_key(global: Global, source: &AesKeySource) -> Result<AesKey> {
    match (&source.key, &source.key_file) {
        (Some(key), _) => Ok(AesKey::from_bytes(&key.0)),
        (None, Some(path)) => {
            report::note(global, input_file::exposure(path).as_ref());
            let file = input_file::read_secret(path, MAX_AES_KEY_BYTES, "a key", |_| Ok(()))?;
            let name = input_file::shown(path).printable();
            let found = file.len();
            ensure!(
                found == BLOCK_BYTES,
                "{name}: {found} bytes; an AES-128 key has {BLOCK_BYTES}"
            );
            let mut key = Zeroizing::new([0; BLOCK_BYTES]);
            key.copy_from_slice(&file);
            Ok(AesKey::from_bytes(&key))
        }
        (None, None) => unreachable!("the grammar demands one of key and key file"),
    }
}

/// Writes a whole file, and returns its size.
fn write(path: &Path, content: &[u8]) -> Result<u64> {
    let mut file = atomic_file::create(path, Access::Public)?;
    file.write_all(content)?;
    file.commit(true)
}

/// What a command that writes one file did.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(serialize_with = "report::path")]
    pub(super) output: PathBuf,
    /// What is in the file.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) message_bytes: u64,
    pub(super) output_bytes: u64,
    pub(super) seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} of {}, {}, {}",
            atomic_file::shown(&self.output).printable(),
            self.kind,
            bytes(self.message_bytes),
            bytes(self.output_bytes),
            seconds(self.seconds)
        )
    }
}

#[derive(Serialize)]
struct KeygenReport {
    #[serde(flatten)]
    parameters: ParameterReport,
    #[serde(flatten)]
    keys: GeneratedKeys,
}

impl fmt::Display for KeygenReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "keys {} for AES-128: {}, {}, {}",
            self.keys.key_id,
            self.parameters.security(),
            self.parameters.failures(),
            seconds(self.keys.keygen_s)
        )?;
        write!(f, "{}", self.keys.files)
    }
}
