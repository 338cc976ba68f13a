//! The program `cryptable-server`: the commands of `cryptable` that need no secret, and the HTTP service.
//!
//! If built by itself, it contains no code that generates keys, encrypts or decrypts, which `make server-build` checks.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// If the system refuses an allocation, the current task ends, but not the process.
#[global_allocator]
static ALLOCATOR: cryptable_cli::WithReserve = cryptable_cli::WithReserve;

fn main() -> ExitCode {
    cryptable_cli::run()
}
