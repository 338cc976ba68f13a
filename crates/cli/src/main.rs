//! `cryptable`: lookup tables on encrypted data, from the command line.
#![deny(unsafe_code)]

mod args;
mod atomic_file;
mod commands;
mod container;
mod formats;
mod guard;
mod input_file;
mod interrupt;
mod mapped_file;
mod mode;
mod progress;
mod report;

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
        Err(error) => error.exit(),
    };
    let json = cli.global.json;
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(error) if atomic_file::stdout_is_taken() && is_of(&error, ErrorKind::BrokenPipe) => {
            ExitCode::from(PIPE_CLOSED)
        }
        Err(error) => {
            let is_io = error.chain().any(|cause| cause.is::<io::Error>());
            report::error(json, if is_io { "io" } else { "invalid" }, &format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Whether an error is due to an I/O error of a kind.
fn is_of(error: &anyhow::Error, kind: ErrorKind) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == kind)
}
