//! The subcommands.

mod aes;
#[cfg(feature = "client")]
mod decrypt;
#[cfg(feature = "client")]
mod demo;
#[cfg(feature = "client")]
mod encrypt;
mod explain;
#[cfg(feature = "client")]
mod gelu;
mod inspect;
#[cfg(feature = "client")]
mod key_files;
#[cfg(feature = "client")]
mod keygen;
mod lookup;
mod parameter_list;
mod parameters;
mod plan;
mod resume;

use std::io::Write;

use anyhow::{Context, Result};
use clap::CommandFactory;

#[cfg(feature = "client")]
use crate::args::Demonstration;
use crate::args::{Cli, Command, CompletionsArgs, Global};
use crate::interrupt;

/// Runs the program.
///
/// # Errors
/// Whatever keeps the subcommand from its work.
pub fn run(cli: Cli) -> Result<()> {
    let global = cli.global;
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(global.threads.unwrap_or(0)))
        .build_global()
        .context("cannot start the worker threads")?;
    interrupt::install()?;
    cli.files().check()?;
    match cli.command {
        Command::Plan(mut args) => plan::run(global, &mut args),
        #[cfg(feature = "client")]
        Command::Keygen(mut args) => keygen::run(global, &mut args),
        #[cfg(feature = "client")]
        Command::Encrypt(args) => encrypt::run(global, &args),
        Command::Lookup(args) => lookup::run(global, &args),
        #[cfg(feature = "client")]
        Command::Decrypt(args) => decrypt::run(global, &args),
        Command::Aes(args) => aes::run(global, &args.command),
        Command::Inspect(args) => inspect::run(global, &args),
        #[cfg(feature = "client")]
        Command::Demo(args) => match args.what {
            Demonstration::Scan => demo::run(global, &args),
            Demonstration::Gelu => gelu::run(global, &args),
        },
        Command::Completions(args) => completions(&args),
        #[cfg(feature = "bench")]
        Command::Bench(args) => cryptable_bench::run(&args.command, threads(global), global.json),
    }
}

/// Prints a script for a shell.
fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cryptable", &mut script);
    std::io::stdout().write_all(&script).context("cannot write to standard output")
}

/// The number of threads that work.
fn threads(global: Global) -> usize {
    global.threads.map_or_else(rayon::current_num_threads, usize::from)
}
