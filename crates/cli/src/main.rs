//! `cryptable`: lookup tables on encrypted data, from the command line.
//!
//! Without the feature `client` it is a server's program, which cannot touch a secret: `plan`, `lookup`,
//! `aes transcipher`, `inspect`.
#![forbid(unsafe_code)]

mod args;
mod atomic_file;
mod ciphertext_file;
mod cleared_writer;
mod commands;
#[cfg(feature = "client")]
mod core_dumps;
mod formats;
mod guard;
mod input_file;
mod interrupt;
mod key_input;
mod memory_limit;
mod printable;
mod progress;
mod report;
mod unnamed_file;

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use clap::Parser;

/// The exit status of a program that writes to a pipe without a reader.
const PIPE_CLOSED: u8 = 141;

fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && std::env::args_os().any(|word| word == "--json") => {
            report::error(true, "usage", error.to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(error) => return report::usage(&error),
    };
    let json = cli.global.json;
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(error) if atomic_file::stdout_is_taken() && is_of(&error, ErrorKind::BrokenPipe) => {
            ExitCode::from(PIPE_CLOSED)
        }
        Err(error) => {
            let (kind, status) = kind_and_status(&error);
            report::error(json, kind, &format!("{error:#}"));
            ExitCode::from(status)
        }
    }
}

/// What kind of error it is, for programs, and the status to exit with.
fn kind_and_status(error: &anyhow::Error) -> (&'static str, u8) {
    #[cfg(feature = "remote")]
    if let Some(found) = commands::remote::kind_and_status(error) {
        return found;
    }
    let is_io = error.chain().any(|cause| io_error(cause).is_some());
    (if is_io { "io" } else { "invalid" }, 1)
}

/// Whether an error is due to an I/O error of a kind.
fn is_of(error: &anyhow::Error, kind: ErrorKind) -> bool {
    error.chain().filter_map(io_error).any(|cause| cause.kind() == kind)
}

/// The I/O error that a cause is, by itself or as the library passes it on.
fn io_error<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a io::Error> {
    match cause.downcast_ref() {
        Some(cryptable::Error::Io(error)) => Some(error),
        _ => cause.downcast_ref(),
    }
}
