//! What the client does: keys, AES in the clear, decryption.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable_circuit::aes::plain::counter_mode;
use cryptable_circuit::encrypted_bytes::{Content, EncryptedBytes};
use cryptable_circuit::parameters::{CircuitParameters, LOG2_FAIL};
use cryptable_circuit::secret_key::CircuitSecretKey;
use serde::Serialize;
use zeroize::Zeroizing;

use super::{Report, read, write};
use crate::args::Global;
use crate::args::aes::{
    AesDecryptArgs, AesEncryptArgs, AesEncryptKeyArgs, AesKeySource, AesKeygenArgs, BLOCK_BYTES,
};
use crate::atomic_file::{Access, AtomicFile};
use crate::commands::keygen::refuse_existing;
use crate::commands::warning;
use crate::mapped_file::MappedFile;
use crate::progress;
use crate::report::{self, bytes, seconds};

/// Longest secret key file that is read.
const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

/// Longest file that is encrypted in the clear.
const MAX_PLAIN_BYTES: u64 = 1 << 30;

/// Generates both keys.
///
/// # Errors
/// If a key file exists and is not to be replaced, or writing fails: there is then no new file.
pub fn keygen(global: Global, args: &AesKeygenArgs) -> Result<()> {
    ensure!(
        args.secret != args.evaluation,
        "the secret key and the evaluation key cannot both be {}",
        args.secret.display()
    );
    for path in [&args.secret, &args.evaluation] {
        refuse_existing(path, args.force)?;
    }
    let start = Instant::now();
    let parameters = if args.insecure_toy {
        CircuitParameters::insecure_toy()
    } else {
        CircuitParameters::aes_128()
    };
    let mut secret_file = AtomicFile::create(&args.secret, Access::Private)?;
    let mut evaluation_file = AtomicFile::create(&args.evaluation, Access::Public)?;
    let secret = CircuitSecretKey::generate(&parameters);
    secret_file.write_all(&secret.to_bytes())?;
    let spinner = progress::spinner(global, "evaluation key");
    secret
        .write_evaluation_key(&mut evaluation_file)
        .with_context(|| format!("generating {}", args.evaluation.display()))?;
    spinner.finish_and_clear();
    // The large file first: if the disk is full, the secret key's file is not there yet.
    let evaluation_bytes = evaluation_file.commit(args.force)?;
    let secret_bytes = secret_file.commit(args.force).inspect_err(|_| {
        // Without its secret key, the evaluation key is of no use.
        let _ = std::fs::remove_file(&args.evaluation);
    })?;
    let report = KeygenReport {
        security_bits: parameters.security_bits(),
        log2_fail: LOG2_FAIL,
        secret: args.secret.clone(),
        secret_bytes,
        evaluation: args.evaluation.clone(),
        evaluation_bytes,
        keygen_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Encrypts the round keys of an AES key.
///
/// # Errors
/// If a file cannot be read or written, or the AES key has not 16 bytes.
pub fn encrypt_key(global: Global, args: &AesEncryptKeyArgs) -> Result<()> {
    let start = Instant::now();
    let secret = read_secret(&args.secret)?;
    let keys = secret.encrypt_aes_key(&*aes_key(&args.source)?);
    let report = Report {
        output_bytes: write(&args.output, &keys.to_bytes())?,
        output: args.output.clone(),
        kind: "encrypted AES-128 key",
        message_bytes: BLOCK_BYTES,
        seconds: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Encrypts or decrypts bytes by AES in counter mode, in the clear.
///
/// # Errors
/// If a file cannot be read or written, or the AES key has not 16 bytes.
pub fn encrypt(global: Global, args: &AesEncryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = aes_key(&args.source)?;
    let input = read(&args.input, MAX_PLAIN_BYTES)?;
    let output = counter_mode(&key, args.counter.0, &input);
    let report = Report {
        output_bytes: write(&args.output, &output)?,
        output: args.output.clone(),
        kind: "AES-128 in counter mode",
        message_bytes: input.len(),
        seconds: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Decrypts homomorphic ciphertexts.
///
/// # Errors
/// If a file cannot be read or written, or key and ciphertexts do not belong together.
pub fn decrypt(global: Global, args: &AesDecryptArgs) -> Result<()> {
    let start = Instant::now();
    let secret = read_secret(&args.secret)?;
    let file = MappedFile::open(&args.input)?;
    let message = EncryptedBytes::from_bytes(Content::Message, file.as_ref())
        .and_then(|encrypted| secret.decrypt(&encrypted))
        .with_context(|| args.input.display().to_string())?;
    let report = Report {
        output_bytes: write(&args.output, &message)?,
        output: args.output.clone(),
        kind: "message",
        message_bytes: message.len(),
        seconds: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

fn read_secret(path: &Path) -> Result<CircuitSecretKey> {
    let file = read(path, MAX_SECRET_KEY_BYTES)?;
    CircuitSecretKey::from_bytes(&file).with_context(|| format!("cannot read {}", path.display()))
}

fn aes_key(source: &AesKeySource) -> Result<Zeroizing<[u8; BLOCK_BYTES]>> {
    match (&source.key, &source.key_file) {
        (Some(key), _) => Ok(key.0.clone()),
        (None, Some(path)) => {
            let file = read(path, MAX_SECRET_KEY_BYTES)?;
            let name = path.display();
            let key = <[u8; BLOCK_BYTES]>::try_from(file.as_slice()).ok().with_context(|| {
                format!("{name}: {} bytes; an AES-128 key has {BLOCK_BYTES}", file.len())
            })?;
            Ok(Zeroizing::new(key))
        }
        (None, None) => unreachable!("the grammar demands one of key and key file"),
    }
}

#[derive(Serialize)]
struct KeygenReport {
    security_bits: f64,
    log2_fail: f64,
    secret: PathBuf,
    secret_bytes: u64,
    evaluation: PathBuf,
    evaluation_bytes: u64,
    keygen_s: f64,
}

impl fmt::Display for KeygenReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "keys for AES-128: {}{:.1} bits of security, failures below 2^{:.0} a circuit bootstrap, {}",
            warning(self.security_bits),
            self.security_bits,
            self.log2_fail,
            seconds(self.keygen_s)
        )?;
        let (secret, evaluation) = (self.secret.display(), self.evaluation.display());
        writeln!(f, "  {secret}: secret key, {}; keep it", bytes(self.secret_bytes))?;
        writeln!(f, "  {evaluation}: evaluation key, {}", bytes(self.evaluation_bytes))
    }
}
