//! `cryptable aes`: conversion of AES-128 counter-mode ciphertexts into homomorphic ones.

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod counter_record;
#[cfg(feature = "client")]
mod message;
mod transcipher;

use anyhow::Result;
use cryptable::transciphering::Parameters;

#[cfg(feature = "client")]
pub use self::client::decrypt;
use super::planned_job::PlannedJob;
use crate::args::Global;
use crate::args::aes::{AesCommand, AesJobArgs};

/// Runs a subcommand.
pub fn run(global: Global, command: &AesCommand) -> Result<()> {
    match command {
        #[cfg(feature = "client")]
        AesCommand::EncryptKey(args) => client::encrypt_key(global, args),
        #[cfg(feature = "client")]
        AesCommand::Encrypt(args) => message::encrypt(global, args),
        #[cfg(feature = "client")]
        AesCommand::Open(args) => message::open(global, args),
        AesCommand::Transcipher(args) => transcipher::run(global, args),
    }
}

/// Plans keys of transciphering.
pub fn plan(args: &AesJobArgs) -> Result<PlannedJob> {
    let parameters = match args.log2_fail {
        _ if args.insecure_toy => Parameters::insecure_toy(),
        Some(log2_fail) => Parameters::with_log2_fail(log2_fail)?,
        None => Parameters::default_128(),
    };
    Ok(PlannedJob::of(parameters, "for messages by AES-128"))
}
