//! `cryptable circuit`: binary circuits on encrypted words.

#[cfg(feature = "client")]
mod client;
mod netlist_file;
mod plan;
mod run;
mod sets;
#[cfg(feature = "client")]
mod test;
#[cfg(feature = "client")]
mod words;

use anyhow::Result;

use crate::args::Global;
use crate::args::circuit::CircuitCommand;

/// Runs a subcommand.
///
/// # Errors
/// Whatever keeps it from its work.
pub fn run(global: Global, command: &CircuitCommand) -> Result<()> {
    match command {
        CircuitCommand::Plan(args) => plan::run(global, args),
        #[cfg(feature = "client")]
        CircuitCommand::Test(args) => test::run(global, args),
        #[cfg(feature = "client")]
        CircuitCommand::Keygen(args) => client::keygen(global, args),
        #[cfg(feature = "client")]
        CircuitCommand::Encrypt(args) => client::encrypt(global, args),
        CircuitCommand::Run(args) => run::run(global, args),
        #[cfg(feature = "client")]
        CircuitCommand::Decrypt(args) => client::decrypt(global, args),
    }
}
