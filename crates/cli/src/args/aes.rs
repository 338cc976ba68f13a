//! The grammar of `cryptable aes`.

use std::fmt;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use zeroize::Zeroizing;

/// Bytes of a block of AES, and of a key of AES-128.
pub const BLOCK_BYTES: usize = 16;

/// Transciphering with AES-128.
#[derive(Debug, Subcommand)]
pub enum AesCommand {
    /// Generate the client's secret key and the server's evaluation key
    #[command(after_help = KEYGEN)]
    Keygen(AesKeygenArgs),
    /// Encrypt an AES-128 key homomorphically, for the server
    #[command(after_help = ENCRYPT_KEY)]
    EncryptKey(AesEncryptKeyArgs),
    /// Encrypt or decrypt a file by AES-128 in counter mode: as many bytes as it has
    #[command(after_help = ENCRYPT)]
    Encrypt(AesEncryptArgs),
    /// Turn bytes of AES in counter mode into homomorphic ciphertexts; needs no secret
    #[command(after_help = TRANSCIPHER)]
    Transcipher(AesTranscipherArgs),
    /// Decrypt homomorphic ciphertexts of bytes
    #[command(after_help = DECRYPT)]
    Decrypt(AesDecryptArgs),
}

/// 16 bytes in hexadecimal.
fn block(text: &str) -> Result<[u8; BLOCK_BYTES], String> {
    let digits = text.as_bytes();
    if digits.len() != 2 * BLOCK_BYTES || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(format!("it must be {} hexadecimal digits", 2 * BLOCK_BYTES));
    }
    let digit = |i: usize| char::from(digits[i]).to_digit(16).unwrap_or(0) as u8;
    Ok(core::array::from_fn(|i| digit(2 * i) << 4 | digit(2 * i + 1)))
}

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

/// A first counter block.
#[derive(Clone, Copy, Debug)]
pub struct Counter(pub [u8; BLOCK_BYTES]);

fn counter(text: &str) -> Result<Counter, String> {
    block(text).map(Counter)
}

/// Where an AES key comes from.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub struct AesKeySource {
    /// The AES-128 key in hexadecimal; other users of this machine may see it
    #[arg(long, value_name = "HEX", value_parser = aes_key)]
    pub key: Option<AesKey>,
    /// A file of the 16 bytes of the AES-128 key
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// Arguments of `aes keygen`.
#[derive(Args, Debug)]
pub struct AesKeygenArgs {
    /// File for the secret key, which stays with the client
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// File for the evaluation key, which goes to the server
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Replace existing key files
    #[arg(long)]
    pub force: bool,
    /// INSECURE parameters, for tests of this program
    #[arg(long, hide = true)]
    pub insecure_toy: bool,
}

/// Arguments of `aes encrypt-key`.
#[derive(Args, Debug)]
pub struct AesEncryptKeyArgs {
    /// The client's secret key
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// The AES key.
    #[command(flatten)]
    pub source: AesKeySource,
    /// File for the encrypted key
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `aes encrypt`.
#[derive(Args, Debug)]
pub struct AesEncryptArgs {
    /// The AES key.
    #[command(flatten)]
    pub source: AesKeySource,
    /// The first counter block in hexadecimal, 16 bytes: no two messages may share a block
    #[arg(long, value_name = "HEX", value_parser = counter)]
    pub counter: Counter,
    /// The bytes
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// File for as many bytes
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `aes transcipher`.
#[derive(Args, Debug)]
pub struct AesTranscipherArgs {
    /// The server's evaluation key
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// The encrypted AES key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub encrypted_key: PathBuf,
    /// The first counter block in hexadecimal, 16 bytes
    #[arg(long, value_name = "HEX", value_parser = counter)]
    pub counter: Counter,
    /// Bytes of AES-128 in counter mode
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// A table of 256 outputs below 256 (.csv or .npy) to map every byte through
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// File for the homomorphic ciphertexts
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `aes decrypt`.
#[derive(Args, Debug)]
pub struct AesDecryptArgs {
    /// The client's secret key
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// The homomorphic ciphertexts
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// File for the bytes, for its owner only
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Examples of the whole.
pub const OVERVIEW: &str = "\
Examples:
  cryptable aes keygen --secret aes.secret --evaluation aes.server
  cryptable aes encrypt-key --secret aes.secret --key-file key.bin --output key.ct
  cryptable aes encrypt --key-file key.bin --counter 00000000000000000000000000000000 \\
    --input plain.bin --output cipher.bin
  cryptable aes transcipher --evaluation aes.server --encrypted-key key.ct \\
    --counter 00000000000000000000000000000000 --input cipher.bin --output message.ct
  cryptable aes decrypt --secret aes.secret --input message.ct --output out.bin

The client sends an encrypted key once, and from then on as many bytes as its messages have; the
server turns them into homomorphic ciphertexts by itself.";

const KEYGEN: &str = "\
Examples:
  cryptable aes keygen --secret aes.secret --evaluation aes.server

The secret key file is readable by its owner only.";

const ENCRYPT_KEY: &str = "\
Examples:
  cryptable aes encrypt-key --secret aes.secret --key-file key.bin --output key.ct
  cryptable aes encrypt-key --secret aes.secret --key 000102030405060708090a0b0c0d0e0f \\
    --output key.ct";

const ENCRYPT: &str = "\
Examples:
  cryptable aes encrypt --key-file key.bin --counter 00000000000000000000000000000000 \\
    --input plain.bin --output cipher.bin
  cryptable aes encrypt --key 000102030405060708090a0b0c0d0e0f \\
    --counter 0000000000000000000000000000002a --input plain.bin --output cipher.bin

The counter goes up by one every 16 bytes. Two messages under one key whose counters overlap
betray each other. Any program of AES-128-CTR makes the same bytes; none protects them against
changes.";

const TRANSCIPHER: &str = "\
Examples:
  cryptable aes transcipher --evaluation aes.server --encrypted-key key.ct \\
    --counter 00000000000000000000000000000000 --input cipher.bin --output message.ct
  cryptable aes transcipher --evaluation aes.server --encrypted-key key.ct --table table.csv \\
    --counter 00000000000000000000000000000000 --input cipher.bin --output result.ct

Takes seconds for every 16 bytes, and 96 kB of output for every byte; memory does not grow with the
file. The counter goes up by one every 16 bytes. A wrong counter or AES key shows only when the
result is decrypted.";

const DECRYPT: &str = "\
Examples:
  cryptable aes decrypt --secret aes.secret --input message.ct --output out.bin";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_32_digits() {
        assert_eq!(block("000102030405060708090a0B0c0d0e0F").unwrap()[..3], [0, 1, 2]);
        assert_eq!(block("000102030405060708090a0B0c0d0e0F").unwrap()[11..], [11, 12, 13, 14, 15]);
        for text in ["", "00", "+00102030405060708090a0b0c0d0e0f", "é00102030405060708090a0b0c0d0e"]
        {
            assert!(block(text).unwrap_err().contains("32 hexadecimal digits"), "{text}");
        }
        assert_eq!(format!("{:?}", aes_key(&"7".repeat(32)).unwrap()), "AesKey(redacted)");
    }
}
