//! `cryptable bridge`: packed lookups whose results go on one by one.

#[cfg(feature = "client")]
mod decrypt;
#[cfg(feature = "client")]
mod keygen;
mod plan;
mod run;
mod tables;

use anyhow::Result;
#[cfg(feature = "client")]
use anyhow::ensure;
#[cfg(feature = "client")]
use cryptable::SecretKey;

use crate::args::Global;
use crate::args::bridge::BridgeCommand;
#[cfg(feature = "client")]
use crate::commands::encrypt;
#[cfg(feature = "client")]
use crate::key_input;

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
            encrypt::run_with(global, args, read_secret_key(global, &args.secret)?)
        }
        BridgeCommand::Run(args) => run::run(global, args),
        #[cfg(feature = "client")]
        BridgeCommand::Decrypt(args) => decrypt::run(global, args),
    }
}

/// Reads a client's key of both ends.
#[cfg(feature = "client")]
fn read_secret_key(global: Global, path: &std::path::Path) -> Result<SecretKey> {
    let key = key_input::read_secret_key(global, path)?;
    let is_bridge = matches!(key, SecretKey::IntegerBridge(_) | SecretKey::LeveledBridge(_));
    ensure!(is_bridge, "{}", key_input::of_keygen(path, "bridge"));
    Ok(key)
}
