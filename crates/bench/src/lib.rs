//! Every benchmark of `cryptable`: one JSON object a line, the headline last.
#![forbid(unsafe_code)]

mod akp;
mod measurement;
mod memory;
mod primitives;

use clap::Subcommand;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// AKP functional bootstrapping: a random table on a full ciphertext of random values.
    Akp(akp::AkpArguments),
    /// NTT, base conversion, key switch, rotation and multiplication, with their counts.
    Primitives(primitives::PrimitivesArguments),
}

/// Runs a benchmark on `threads` threads; prints JSON lines if `json`, else a short table.
///
/// # Errors
/// If parameters do not exist for the arguments, or output fails.
pub fn run(command: &BenchCommand, threads: usize, json: bool) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| match command {
        BenchCommand::Akp(arguments) => akp::run(arguments, threads, json),
        BenchCommand::Primitives(arguments) => primitives::run(arguments, threads, json),
    })
}
