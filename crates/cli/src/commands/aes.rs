//! `cryptable aes`: from bytes of AES-128 in counter mode to homomorphic ciphertexts.

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod counter_record;
#[cfg(feature = "client")]
mod message;
mod transcipher;

use anyhow::Result;

use crate::args::Global;
use crate::args::aes::AesCommand;

/// Runs a subcommand.
///
/// # Errors
/// Whatever keeps it from its work.
pub fn run(global: Global, command: &AesCommand) -> Result<()> {
    match command {
        #[cfg(feature = "client")]
        AesCommand::Keygen(args) => client::keygen(global, args),
        #[cfg(feature = "client")]
        AesCommand::EncryptKey(args) => client::encrypt_key(global, args),
        #[cfg(feature = "client")]
        AesCommand::Encrypt(args) => message::encrypt(global, args),
        #[cfg(feature = "client")]
        AesCommand::Open(args) => message::open(global, args),
        AesCommand::Transcipher(args) => transcipher::run(global, args),
        #[cfg(feature = "client")]
        AesCommand::Decrypt(args) => client::decrypt(global, args),
    }
}
