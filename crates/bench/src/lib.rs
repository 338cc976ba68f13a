//! Every benchmark of `cryptable`: one JSON object a line, the headline last.
#![forbid(unsafe_code)]

mod auto;
mod circuit;
mod cost_model;
mod decomposition;
mod fdd;
mod fhew;
mod gates;
mod lookup;
mod measurement;
mod memory;
mod plot;
mod primitives;
mod single;

use clap::Subcommand;
use cryptable::Method;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// AKP functional bootstrapping: a random table on a full ciphertext of random values.
    Akp(lookup::LookupArguments),
    /// Multiplexer tree over bits.
    Bmt(lookup::LookupArguments),
    /// Multiplexer tree over larger digits.
    Cmt(lookup::LookupArguments),
    /// Multi-value bootstrapping: several tables on one input, by the fastest method.
    Mvb(lookup::LookupArguments),
    /// Functional digit decomposition, digits back as RLWE ciphertexts.
    Fdd(fdd::FddArguments),
    /// Functional bootstraps of single values: every full-domain method, the fastest last.
    Fhew(fhew::FhewArguments),
    /// Homomorphic digit decomposition of single values: every algorithm over the width of moduli.
    Decomposition(decomposition::DecompositionArguments),
    /// Boolean gates on single bits.
    Gates(gates::GatesArguments),
    /// Functional bootstraps by automorphisms: Algorithm 5 beside LMKCDEY and CMUXes.
    Auto(auto::AutoArguments),
    /// Circuit bootstrapping of a bit.
    Cbs(circuit::CbsArguments),
    /// A table on one value by a tree of CMUXes, from its bits.
    CmuxTree(circuit::CmuxTreeArguments),
    /// AES-128 under an encrypted key.
    Aes(circuit::AesArguments),
    /// Pictures of time and memory over the width of tables, from the lines of other benchmarks.
    Plot(plot::PlotArguments),
    /// NTT, base conversion, key switch, rotation and multiplication, with their counts; the cost model's fields.
    Primitives(primitives::PrimitivesArguments),
}

/// Runs a benchmark on `threads` threads; prints JSON lines if `json`, else a short table.
///
/// # Errors
/// If parameters do not exist for the arguments, or output fails.
pub fn run(command: &BenchCommand, threads: usize, json: bool) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let lookup = |name, method, arguments: &lookup::LookupArguments| {
        lookup::run(lookup::Benchmark { name, method }, arguments, threads, json)
    };
    pool.install(|| match command {
        BenchCommand::Akp(arguments) => lookup("akp", Some(Method::Akp), arguments),
        BenchCommand::Bmt(arguments) => lookup("bmt", Some(Method::Bmt), arguments),
        BenchCommand::Cmt(arguments) => lookup("cmt", Some(Method::Cmt), arguments),
        BenchCommand::Mvb(arguments) => lookup("mvb", None, arguments),
        BenchCommand::Fdd(arguments) => fdd::run(arguments, threads, json),
        BenchCommand::Fhew(arguments) => fhew::run(arguments, threads, json),
        BenchCommand::Decomposition(arguments) => decomposition::run(arguments, threads, json),
        BenchCommand::Gates(arguments) => gates::run(arguments, threads, json),
        BenchCommand::Auto(arguments) => auto::run(arguments, threads, json),
        BenchCommand::Cbs(arguments) => circuit::run_bootstrap(arguments, threads, json),
        BenchCommand::CmuxTree(arguments) => circuit::run_tree(arguments, threads, json),
        BenchCommand::Aes(arguments) => circuit::run_aes(arguments, threads, json),
        BenchCommand::Plot(arguments) => plot::run(arguments),
        BenchCommand::Primitives(arguments) => primitives::run(arguments, threads, json),
    })
}
