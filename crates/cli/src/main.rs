//! The program `cryptable`, which has the commands that this build's features bring.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// An allocation that the system refuses ends the work in hand, not the process.
#[global_allocator]
static ALLOCATOR: cryptable_cli::WithReserve = cryptable_cli::WithReserve;

fn main() -> ExitCode {
    cryptable_cli::run()
}
