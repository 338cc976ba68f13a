//! The grammar of the client's commands for transciphering.

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use zeroize::Zeroizing;

use super::block::{BLOCK_BYTES, block};
use crate::args::common::OutputArgs;

/// An AES-128 key. Zeroized on drop, redacted in Debug.
#[derive(Clone)]
pub struct AesKey(pub Zeroizing<[u8; BLOCK_BYTES]>);

impl fmt::Debug for AesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AesKey(redacted)")
    }
}

fn aes_key(text: &str) -> Result<AesKey, String> {
    // Not the text itself in the message: it may be most of a key.
    block(text).map(|bytes| AesKey(Zeroizing::new(bytes)))
}

/// Source of an AES key.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub struct AesKeySource {
    /// The AES-128 key in hexadecimal; other users of this machine may see it
    #[arg(long, value_name = "HEX", value_parser = aes_key)]
    pub key: Option<AesKey>,
    /// File with the 16 bytes of the AES-128 key
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// Arguments of `aes encrypt-key`.
#[derive(Args, Debug)]
pub struct AesEncryptKeyArgs {
    /// Client's secret key
    #[arg(long, value_name = "FILE", required_unless_present = "public")]
    pub secret: Option<PathBuf>,
    /// Client's public key, instead of the secret key, for messages that only this client can decrypt
    #[arg(long, value_name = "FILE", conflicts_with = "secret")]
    pub public: Option<PathBuf>,
    #[command(flatten)]
    pub source: AesKeySource,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Arguments of `aes encrypt`.
#[derive(Args, Debug)]
pub struct AesEncryptArgs {
    #[command(flatten)]
    pub source: AesKeySource,
    /// File of the message's bytes
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// First counter block in hexadecimal, 16 bytes, instead of a random one; no two messages may share a block
    #[arg(long, value_name = "HEX", value_parser = block)]
    pub counter: Option<[u8; BLOCK_BYTES]>,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Arguments of `aes open`.
#[derive(Args, Debug)]
pub struct AesOpenArgs {
    #[command(flatten)]
    pub source: AesKeySource,
    /// File of the encrypted message
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// File for the message's bytes, readable by its owner only
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Help of `aes encrypt-key`.
pub const ENCRYPT_KEY: &str = "\
Examples:
  cryptable aes encrypt-key --secret aes.secret --key-file key.bin --output key.ct
  cryptable aes encrypt-key --secret aes.secret --key 000102030405060708090a0b0c0d0e0f \\
    --output key.ct
  cryptable aes encrypt-key --public aes.public --key-file key.bin --output key.ct

With --public, a contributor encrypts an AES key of its own and sends messages under it.";

/// Help of `aes encrypt`.
pub const ENCRYPT: &str = "\
Examples:
  cryptable aes encrypt --key-file key.bin --input plain.bin --output cipher.aes
  cryptable aes encrypt --key-file key.bin --counter 5c1e0f9a7d3b4486a2f0c9d100000000 \\
    --input plain.bin --output cipher.aes

Two messages under one key whose counters overlap reveal each other. The first 12 bytes of the
counter are random, and a file beside the key, named after it with `.counters`, records used
counters, which are refused. No record is kept for --key, for a key from a pipe, or for one with
several names (hard links), and --counter is refused for these.
A message has at most 64 GiB, and contains the counter and a tag by which `aes open` detects
changes.";

/// Help of `aes open`.
pub const OPEN: &str = "\
Examples:
  cryptable aes open --key-file key.bin --input cipher.aes --output plain.bin

Nothing is written unless the whole message is authentic.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_shown() {
        assert_eq!(format!("{:?}", aes_key(&"7".repeat(32)).unwrap()), "AesKey(redacted)");
    }
}
