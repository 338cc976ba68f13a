//! `cryptable compare`: comparison, maximum and their like of packed integers.

mod plan;
mod run;

use anyhow::Result;
#[cfg(feature = "client")]
use cryptable::Parameters;

use crate::args::Global;
use crate::args::compare::CompareCommand;
#[cfg(feature = "client")]
use crate::args::compare::CompareKeygenArgs;
#[cfg(feature = "client")]
use crate::commands::{decrypt, encrypt, key_files::KeyFiles, keygen};

/// Runs a subcommand.
///
/// # Errors
/// Whatever keeps it from its work.
pub fn run(global: Global, command: &CompareCommand) -> Result<()> {
    match command {
        CompareCommand::Plan(args) => plan::run(global, args),
        #[cfg(feature = "client")]
        CompareCommand::Keygen(args) => generate(global, args),
        #[cfg(feature = "client")]
        CompareCommand::Encrypt(args) => encrypt::run_integers(global, args),
        CompareCommand::Run(args) => run::run(global, args),
        #[cfg(feature = "client")]
        CompareCommand::Decrypt(args) => decrypt::run_integers(global, args),
    }
}

/// Generates both keys.
#[cfg(feature = "client")]
fn generate(global: Global, args: &CompareKeygenArgs) -> Result<()> {
    let files = KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
    let plan = plan::request(&args.integers).plan()?;
    let reason = format!("for integers of {} bits, with one bit of headroom", plan.bits());
    let parameters: Parameters = plan.parameters().clone();
    keygen::generate(global, files, parameters, reason)
}
