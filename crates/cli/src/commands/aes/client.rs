//! The client's commands of transciphering: keys, encrypted AES keys, decryption.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::transciphering::AesKey;
use cryptable::{Progress, SecretKey};
use serde_json::json;
use zeroize::Zeroizing;

use crate::args::aes::{AesEncryptKeyArgs, AesKeySource, BLOCK_BYTES};
use crate::args::{DecryptArgs, Global};
use crate::atomic_file::{self, Access};
use crate::commands::decrypt::no_options_of_values;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input};

/// Longest AES key file that is read, in bytes.
const MAX_AES_KEY_BYTES: u64 = 1 << 20;

/// Encrypts the round keys of an AES key.
pub fn encrypt_key(global: Global, args: &AesEncryptKeyArgs) -> Result<()> {
    let start = Instant::now();
    let aes = || aes_key(global, &args.source);
    let (path, parameters, keys) = if let Some(path) = &args.public {
        let key = key_input::read_public_key(global, path)?;
        let public = key.transciphering().with_context(|| key_input::of_keygen(path, "aes"))?;
        (path, key.parameters(), public.encrypt_key(&aes()?)?)
    } else {
        let path = args.secret.as_ref().expect("the grammar requires one of both keys");
        let key = key_input::read_secret_key(global, path)?;
        let secret = key.transciphering().with_context(|| key_input::of_keygen(path, "aes"))?;
        (path, key.parameters(), secret.encrypt_key(&aes()?))
    };
    let output_bytes =
        atomic_file::write(&args.file.output, Access::Public, &keys.to_bytes(), true)?;
    key_input::warn_of_insecurity(global, &parameters, path);
    report_message(
        global,
        "encrypted AES-128 key",
        &args.file.output,
        BLOCK_BYTES as u64,
        output_bytes,
        start,
    )
}

/// Decrypts homomorphic ciphertexts.
pub fn decrypt(global: Global, args: &DecryptArgs, key: &SecretKey, file: &File) -> Result<()> {
    no_options_of_values(args, "bytes")?;
    let start = Instant::now();
    let secret =
        key.transciphering().with_context(|| key_input::of_keygen(args.secret(), "aes"))?;
    let file = key_input::map_file(file, &args.input)?;
    let named = || input_file::name(&args.input);
    let mut output = atomic_file::create(&args.output, Access::Private)?;
    let message_bytes = secret
        .decrypt_stream(file.as_ref(), &mut output, Progress::silent())
        .with_context(named)?;
    file.check_unchanged().with_context(named)?;
    let output_bytes = output.commit(true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    report_message(global, "message", &args.output, message_bytes, output_bytes, start)
}

/// Reads an AES key.
pub(super) fn aes_key(global: Global, source: &AesKeySource) -> Result<AesKey> {
    match (&source.key, &source.key_file) {
        (Some(key), _) => Ok(AesKey::from_bytes(&key.0)),
        (None, Some(path)) => {
            let file = input_file::read_secret(path, MAX_AES_KEY_BYTES, "a key", |_| Ok(()))?;
            let name = input_file::name(path);
            let found = file.len();
            ensure!(
                found == BLOCK_BYTES,
                "{name}: {found} bytes; an AES-128 key has {BLOCK_BYTES}"
            );
            let mut key = Zeroizing::new([0; BLOCK_BYTES]);
            key.copy_from_slice(&file);
            report::note(global, input_file::exposure(path).as_ref());
            Ok(AesKey::from_bytes(&key))
        }
        (None, None) => unreachable!("clap requires one of key and key file"),
    }
}

/// Reports a file that is a message, or that was made from one.
pub(super) fn report_message(
    global: Global,
    kind: &str,
    output: &Path,
    message_bytes: u64,
    output_bytes: u64,
    start: Instant,
) -> Result<()> {
    let time = start.elapsed().as_secs_f64();
    let (message, size) = (bytes(message_bytes), bytes(output_bytes));
    let text = format!("{kind} of {message}, {size}, {}", seconds(time));
    let fields = json!({ "type": kind, "message_bytes": message_bytes, "seconds": time });
    report::written(global, output, output_bytes, fields, &text)
}
