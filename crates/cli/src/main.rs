//! The program `cryptable`, which has the commands that this build's features bring.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    cryptable_cli::run()
}
