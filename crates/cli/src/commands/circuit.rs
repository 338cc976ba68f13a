//! `cryptable circuit`: binary circuits on encrypted words.

#[cfg(feature = "client")]
mod client;
mod netlist_file;
mod plan;
mod run;
#[cfg(feature = "client")]
mod test;
#[cfg(feature = "client")]
mod words;

use anyhow::Result;
use cryptable::Request;
use cryptable::bits::NamedSet;
use cryptable::circuits::{Circuit, InputSupply};
use cryptable::jobs::Circuits;

use crate::args::Global;
use crate::args::circuit::{CircuitCommand, ScheduleArgs};

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

/// Builds the library's request for a circuit: with one set, all sets, or toy parameters.
fn request(
    circuits: &[Circuit],
    set: Option<NamedSet>,
    schedule: ScheduleArgs,
    insecure_toy: bool,
) -> Request<Circuits> {
    // Bits are read from their file, or encrypted, when they are needed.
    let request = Request::circuit(circuits).supply(InputSupply::WhenNeeded);
    let request = request.parallel(schedule.parallel.into()).log2_fail(schedule.log2_fail);
    let request = schedule.memory.into_iter().fold(request, Request::memory);
    let request = set.into_iter().fold(request, Request::set);
    if insecure_toy { request.insecure_toy() } else { request }
}
