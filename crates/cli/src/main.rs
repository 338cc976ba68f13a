//! The program `cryptable`, with the commands that this build's features enable.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// The allocator of the program. If the system refuses an allocation, the current work fails, but the process goes on.
#[global_allocator]
static ALLOCATOR: cryptable_cli::WithReserve = cryptable_cli::WithReserve;

fn main() -> ExitCode {
    cryptable_cli::run()
}
