//! The program `cryptable-server`: the commands of `cryptable` that need no secret, and the service over HTTP.
//!
//! Built by itself, it has no code that generates keys, encrypts or decrypts: `make server-build` checks that.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// An allocation that the system refuses ends the work in hand, not the process.
#[global_allocator]
static ALLOCATOR: cryptable_cli::WithReserve = cryptable_cli::WithReserve;

fn main() -> ExitCode {
    cryptable_cli::run()
}
