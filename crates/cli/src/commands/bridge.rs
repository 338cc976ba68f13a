//! `cryptable bridge`: packed lookups whose results go on one by one.

#[cfg(feature = "client")]
mod decrypt;
#[cfg(feature = "client")]
mod keygen;
mod keys;
mod plan;
mod run;
mod tables;

use anyhow::Result;
#[cfg(feature = "client")]
use cryptable::SecretKey;

use crate::args::Global;
use crate::args::bridge::BridgeCommand;
#[cfg(feature = "client")]
use crate::commands::encrypt;

/// Runs a subcommand.
///
/// # Errors
/// Whatever keeps it from its work.
pub fn run(global: Global, command: &BridgeCommand) -> Result<()> {
    match command {
        BridgeCommand::Plan(args) => plan::run(global, args),
        #[cfg(feature = "client")]
        BridgeCommand::Keygen(args) => keygen::run(global, args),
        #[cfg(feature = "client")]
        BridgeCommand::Encrypt(args) => {
            let packed = keys::read_secrets(global, &args.secret)?.into_packed();
            encrypt::run_with(global, args, SecretKey::Packed(Box::new(packed)))
        }
        BridgeCommand::Run(args) => run::run(global, args),
        #[cfg(feature = "client")]
        BridgeCommand::Decrypt(args) => decrypt::run(global, args),
    }
}
