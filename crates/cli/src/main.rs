//! `cryptable`: lookup tables on encrypted data, from the command line.
#![deny(unsafe_code)]

mod args;
mod atomic_file;
mod commands;
mod container;
mod formats;
mod mapped_file;
mod mode;
mod progress;
mod report;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match commands::run(args::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
