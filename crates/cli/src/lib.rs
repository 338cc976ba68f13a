//! The programs `cryptable` and `cryptable-server`: lookup tables on encrypted data, from the command line.
//!
//! Without the feature `client`, this is a program for servers, which cannot handle secrets.
#![forbid(unsafe_code)]

mod args;
mod atomic_file;
mod ciphertext_file;
mod commands;
#[cfg(feature = "client")]
mod core_dumps;
mod formats;
mod guard;
mod input_file;
mod interrupt;
mod key_input;
mod memory_limit;
mod progress;
mod remedies;
mod report;
mod suggestion;
mod usage;

use std::io::{self, ErrorKind};
use std::process::ExitCode;

pub use cryptable::memory::WithReserve;

/// Exit status after writing to a pipe without a reader.
const PIPE_CLOSED: u8 = 141;

/// Runs the program with the arguments of the process. Returns its exit status.
#[must_use]
pub fn run() -> ExitCode {
    let cli = match args::Cli::read() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let json = cli.global.json;
    cryptable::memory::keep_reserve();
    match cryptable::memory::refusable(|| commands::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has closed the pipe.
        Err(error)
            if atomic_file::stdout_is_taken() && is_caused_by(&error, ErrorKind::BrokenPipe) =>
        {
            ExitCode::from(PIPE_CLOSED)
        }
        Err(error) => {
            let (kind, status) = kind_and_status(&error);
            report::error(json, kind, &remedies::message(&error));
            ExitCode::from(status)
        }
    }
}

/// Reports what is wrong with the arguments, or prints the help that they ask for. Returns the exit status.
fn refuse(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|word| word == "--json");
    match usage::message(error) {
        Some(message) => report::error(json, "usage", &message),
        None if json && error.use_stderr() => {
            report::error(true, "usage", error.to_string().trim_end());
        }
        None => return report::usage(error),
    }
    ExitCode::from(2)
}

/// Returns the kind of an error, for programs, and the exit status.
fn kind_and_status(error: &anyhow::Error) -> (&'static str, u8) {
    #[cfg(feature = "remote")]
    if let Some(found) = commands::remote::kind_and_status(error) {
        return found;
    }
    let is_io = error.chain().any(|cause| io_error(cause).is_some());
    (if is_io { "io" } else { "invalid" }, 1)
}

/// Returns whether an error was caused by an I/O error of this kind.
fn is_caused_by(error: &anyhow::Error, kind: ErrorKind) -> bool {
    error.chain().filter_map(io_error).any(|cause| cause.kind() == kind)
}

/// Returns the I/O error behind a cause, which may be wrapped by the library.
fn io_error<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a io::Error> {
    match remedies::library_error(cause) {
        Some(cryptable::Error::Io(error)) => Some(error),
        _ => cause.downcast_ref(),
    }
}
