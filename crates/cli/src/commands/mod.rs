//! The subcommands of the program.

mod aes;
mod automaton;
mod bridge;
#[cfg(feature = "client")]
mod canaries;
mod circuit;
mod compare;
#[cfg(feature = "client")]
mod decrypt;
#[cfg(feature = "client")]
mod demo;
mod digits;
#[cfg(feature = "client")]
mod encrypt;
#[cfg(feature = "client")]
mod encrypt_table;
#[cfg(feature = "serve")]
mod executor;
mod explain;
mod foreign;
mod frame;
#[cfg(feature = "client")]
mod gelu;
#[cfg(feature = "serve")]
mod health;
mod inspect;
mod integers;
#[cfg(feature = "client")]
mod key_files;
#[cfg(feature = "client")]
mod keygen;
mod large;
mod lookup;
mod owners;
mod parameter_list;
mod parameters;
mod plan;
mod planned_job;
mod rekey;
#[cfg(feature = "remote")]
pub(crate) mod remote;
pub(crate) mod resume;
#[cfg(feature = "serve")]
mod serve;
mod sum;
mod table_files;
#[cfg(any(feature = "remote", feature = "serve"))]
mod table_list;
#[cfg(feature = "client")]
mod values_report;
mod wide;

use std::io::Write;

use anyhow::{Context, Result};
use clap::CommandFactory;
use cryptable::Isa;

use crate::args::{Cli, Command, CompletionsArgs};
#[cfg(feature = "client")]
use crate::args::{
    Demonstration, aes::AesCommand, circuit::CircuitCommand, foreign::ForeignCommand,
    owners::OwnersCommand, rekey::RekeyCommand,
};
#[cfg(feature = "client")]
use crate::core_dumps;
use crate::interrupt;

/// Largest number of worker threads per core. More would wait for each other, and take seconds to start.
const MAX_THREADS_PER_CORE: usize = 4;

/// Runs the program.
pub fn run(cli: Cli) -> Result<()> {
    let Cli { mut global, command, files } = cli;
    let most = MAX_THREADS_PER_CORE * std::thread::available_parallelism().map_or(1, usize::from);
    global.threads = global.threads.map(|threads| threads.min(most.try_into().unwrap_or(u16::MAX)));
    // This must happen before any secret is read or drawn.
    #[cfg(feature = "client")]
    if handles_secrets(&command) {
        core_dumps::disable()?;
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(global.threads.unwrap_or(0)))
        .build_global()
        .context("cannot start the worker threads: too little memory, or too many threads")?;
    interrupt::install()?;
    // The library assumes that the variable is valid, and would panic.
    Isa::from_environment()?;
    files.check()?;
    match command {
        Command::Plan(args) => plan::run(global, args),
        #[cfg(feature = "client")]
        Command::Keygen(args) => keygen::run(global, args),
        #[cfg(feature = "client")]
        Command::Encrypt(args) => encrypt::run(global, &args),
        #[cfg(feature = "client")]
        Command::EncryptTable(args) => encrypt_table::run(global, &args),
        Command::Lookup(args) => lookup::run(global, &args),
        Command::Sum(args) => sum::run(global, &args),
        Command::Run(args) => frame::run(global, &args, &files),
        #[cfg(feature = "client")]
        Command::Schema(args) => frame::schema(global, &args.command),
        Command::Rekey(args) => rekey::run(global, &args.command),
        Command::Owners(args) => owners::run(global, &args.command),
        #[cfg(feature = "client")]
        Command::Decrypt(args) => decrypt::run(global, &args),
        Command::Aes(args) => aes::run(global, &args.command),
        Command::Circuit(args) => circuit::run(global, &args.command),
        Command::Foreign(args) => foreign::run(global, &args.command),
        Command::Compare(args) => compare::run(global, &args),
        Command::Digits(args) => digits::run(global, &args, &files),
        Command::Automaton(args) => automaton::run(global, &args),
        Command::Bridge(args) => bridge::run(global, &args),
        Command::Integers(args) => integers::run(global, &args),
        Command::Wide(args) => wide::run(global, &args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(global, &args),
        #[cfg(feature = "remote")]
        Command::Remote(args) => remote::run(global, &args.command),
        Command::Inspect(args) => inspect::run(global, &args),
        #[cfg(feature = "client")]
        Command::Demo(args) => match args.what {
            Demonstration::Scan => demo::run(global, &args),
            Demonstration::Gelu => gelu::run(global, &args),
        },
        Command::Completions(args) => completions(&args),
        #[cfg(feature = "bench")]
        Command::Bench(args) => cryptable_bench::run(&args.command, global.threads(), global.json),
    }
}

/// Returns whether a command reads or draws keys or values of a client.
#[cfg(feature = "client")]
fn handles_secrets(command: &Command) -> bool {
    match command {
        Command::Keygen(_)
        | Command::Encrypt(_)
        | Command::EncryptTable(_)
        | Command::Decrypt(_)
        | Command::Demo(_) => true,
        // A secret key's file is read completely, for its checksum.
        Command::Inspect(_) => true,
        Command::Aes(args) => !matches!(args.command, AesCommand::Transcipher(_)),
        Command::Rekey(args) => matches!(args.command, RekeyCommand::Keygen(_)),
        Command::Foreign(args) => matches!(args.command, ForeignCommand::Keygen(_)),
        Command::Owners(args) => {
            matches!(args.command, OwnersCommand::Share(_) | OwnersCommand::Agree(_))
        }
        Command::Circuit(args) => matches!(args.command, CircuitCommand::Test(_)),
        // Schemas are suggested from a client's data.
        Command::Schema(_) => true,
        Command::Plan(_)
        | Command::Run(_)
        | Command::Lookup(_)
        | Command::Sum(_)
        | Command::Compare(_)
        | Command::Digits(_)
        | Command::Automaton(_)
        | Command::Bridge(_)
        | Command::Integers(_)
        | Command::Wide(_)
        | Command::Completions(_) => false,
        // It handles tokens, of which it keeps no copy.
        #[cfg(feature = "serve")]
        Command::Serve(_) => true,
        #[cfg(feature = "remote")]
        Command::Remote(_) => true,
        // It handles only its own keys, and profilers need access to its memory.
        #[cfg(feature = "bench")]
        Command::Bench(_) => false,
    }
}

/// Prints a completion script for a shell.
fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cryptable", &mut script);
    std::io::stdout().write_all(&script).context("cannot write to standard output")
}
