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

#[cfg(feature = "client")]
pub use self::client::{decrypt, encrypt};
pub use self::plan::plan;

/// Runs a subcommand.
pub fn run(global: Global, command: &CircuitCommand) -> Result<()> {
    match command {
        #[cfg(feature = "client")]
        CircuitCommand::Test(args) => test::run(global, args),
        CircuitCommand::Run(args) => run::run(global, args),
    }
}
