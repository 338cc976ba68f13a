//! `cryptable aes`: from bytes of AES-128 in counter mode to homomorphic ciphertexts.

mod client;
mod transcipher;

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use crate::args::Global;
use crate::args::aes::AesCommand;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::report::{bytes, seconds};

/// Runs a subcommand.
///
/// # Errors
/// Whatever keeps it from its work.
pub fn run(global: Global, command: &AesCommand) -> Result<()> {
    match command {
        AesCommand::Keygen(args) => client::keygen(global, args),
        AesCommand::EncryptKey(args) => client::encrypt_key(global, args),
        AesCommand::Encrypt(args) => client::encrypt(global, args),
        AesCommand::Transcipher(args) => transcipher::run(global, args),
        AesCommand::Decrypt(args) => client::decrypt(global, args),
    }
}

/// Writes a whole file, and returns its size.
fn write(path: &Path, content: &[u8]) -> Result<u64> {
    let mut file = AtomicFile::create(path, Access::Public)?;
    file.write_all(content)?;
    file.commit(true)
}

/// What a command that writes one file did.
#[derive(Serialize)]
struct Report {
    output: PathBuf,
    /// What is in the file.
    #[serde(rename = "type")]
    kind: &'static str,
    message_bytes: u64,
    output_bytes: u64,
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} of {}, {}, {}",
            atomic_file::shown(&self.output).display(),
            self.kind,
            bytes(self.message_bytes),
            bytes(self.output_bytes),
            seconds(self.seconds)
        )
    }
}
