//! `cryptable wide`: dictionaries, and tables of wide values that have structure.

mod lookup;
mod plan;

use anyhow::Result;

use crate::args::Global;
use crate::args::wide::WideCommand;
#[cfg(feature = "client")]
use crate::args::wide::WideKeygenArgs;
#[cfg(feature = "client")]
use crate::commands::{decrypt, encrypt, key_files::KeyFiles, keygen};

/// Runs a subcommand.
///
/// # Errors
/// Whatever keeps it from its work.
pub fn run(global: Global, command: &WideCommand) -> Result<()> {
    match command {
        WideCommand::Plan(args) => plan::run(global, args),
        #[cfg(feature = "client")]
        WideCommand::Keygen(args) => generate(global, args),
        #[cfg(feature = "client")]
        WideCommand::Encrypt(args) => encrypt::run_words(global, &args.files, args.bits),
        WideCommand::Lookup(args) => lookup::run(global, args),
        #[cfg(feature = "client")]
        WideCommand::Decrypt(args) => decrypt::run_words(global, &args.files, args.bits),
    }
}

/// Generates both keys.
#[cfg(feature = "client")]
fn generate(global: Global, args: &WideKeygenArgs) -> Result<()> {
    let files = KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
    let parameters = plan::choose(global, &args.values)?.parameters().clone();
    let reason = format!("for dictionaries of keys of {} bits", args.values.bits);
    keygen::generate(global, files, parameters, reason)
}
