//! The grammar of `cryptable aes`.

mod block;
#[cfg(feature = "client")]
mod client;

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub use self::block::{BLOCK_BYTES, block};
#[cfg(feature = "client")]
pub use self::client::{AesEncryptArgs, AesEncryptKeyArgs, AesKeySource, AesOpenArgs};
use super::common::{MemoryArgs, OutputArgs, log2_fail};

/// Transciphering with AES-128.
#[derive(Debug, Subcommand)]
pub enum AesCommand {
    /// Encrypt an AES-128 key homomorphically, for the server
    #[cfg(feature = "client")]
    #[command(after_help = client::ENCRYPT_KEY)]
    EncryptKey(AesEncryptKeyArgs),
    /// Encrypt a message with AES-128 in counter mode, starting from a random counter
    #[cfg(feature = "client")]
    #[command(after_help = client::ENCRYPT)]
    Encrypt(AesEncryptArgs),
    /// Check that a message was not changed, and decrypt it with the AES key
    #[cfg(feature = "client")]
    #[command(after_help = client::OPEN)]
    Open(AesOpenArgs),
    /// Convert an AES message into homomorphic ciphertexts; needs no secret
    #[command(after_help = TRANSCIPHER)]
    Transcipher(AesTranscipherArgs),
}

/// Requirements for keys of transciphering.
#[derive(Args, Clone, Copy, Debug)]
pub struct AesJobArgs {
    /// log2 of the maximum failure probability per block, at least -128 [default: -64]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = log2_fail)]
    pub log2_fail: Option<f64>,
    /// INSECURE parameters, for tests of this program
    #[arg(long, hide = true, conflicts_with = "log2_fail")]
    pub insecure_toy: bool,
}

/// Arguments of `aes transcipher`.
#[derive(Args, Debug)]
pub struct AesTranscipherArgs {
    /// Server's evaluation key
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// File of the encrypted AES key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub encrypted_key: PathBuf,
    /// Read the input as bytes that another program encrypted with AES-128 in counter mode, starting from this counter
    /// block: 16 bytes in hexadecimal
    #[arg(long, value_name = "HEX", value_parser = block)]
    pub counter: Option<[u8; BLOCK_BYTES]>,
    /// Table of 256 outputs below 256 (.csv or .npy) that is applied to every byte
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// The message, as written by `aes encrypt`
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Help of the group.
pub const OVERVIEW: &str = "\
Examples:
  cryptable keygen aes --secret aes.secret --evaluation aes.server
  cryptable aes encrypt-key --secret aes.secret --key-file key.bin --output key.ct
  cryptable aes encrypt --key-file key.bin --input plain.bin --output cipher.aes
  cryptable aes transcipher --evaluation aes.server --encrypted-key key.ct --input cipher.aes \\
    --output message.ct
  cryptable decrypt --secret aes.secret --input message.ct --output out.bin

The client sends an encrypted key once, and then only its messages, each with 172 additional bytes;
the server converts them into homomorphic ciphertexts by itself.";

/// Help of `plan aes` and `keygen aes`.
pub const JOB: &str = "\
Examples:
  cryptable plan aes
  cryptable keygen aes --secret aes.secret --evaluation aes.server
  cryptable keygen aes --log2-fail -128 --secret aes.secret --evaluation aes.server";

const TRANSCIPHER: &str = "\
Examples:
  cryptable aes transcipher --evaluation aes.server --encrypted-key key.ct --input cipher.aes \\
    --output message.ct
  cryptable aes transcipher --evaluation aes.server --encrypted-key key.ct --table table.csv \\
    --input cipher.aes --output result.ct
  cryptable aes transcipher --evaluation aes.server --encrypted-key key.ct \\
    --counter 5c1e0f9a7d3b4486a2f0c9d100000000 --input bytes.bin --output message.ct

Every 16 bytes take seconds, and every byte produces 96 kB of output; memory use does not grow with
the file. A message under another AES key is refused. Changes to a message cannot be detected
without a key, so send it over an authenticated channel. With --counter, a wrong counter or AES key
only shows when the result is decrypted.";
