//! Every benchmark of `cryptable`. Benchmarks print one JSON object per line, with the headline last.
//!
//! | module | content |
//! |---|---|
//! | `contract`, `origin` | fields that every line has; machine, kernels and commit |
//! | `measurement`, `memory` | seconds, the unit u over a run, peak memory |
//! | `packed` | lookups, tables per value, dictionaries, digit decomposition and signs of packed values; orders of interpolations |
//! | `single` | keys and lines of single values, for `fhew`, `decomposition`, `large_values`, `gates`, `auto` |
//! | `bits` | BinBoot and GateBoot |
//! | `vectors`, `slot_lookup` | bootstrapping of real and complex vectors; tables in slots |
//! | `public_keys`, `owners` | encryption with public keys; joint keys of several owners |
//! | `packing`, `fhew_gates`, `foreign_gates` | ring packing and extraction; gates of FHEW and others between |
//! | `bridges`, `crossing` | packed values to single ones and back; the number of values from which packing pays |
//! | `integers`, `integers::single` | operations on integers in digits, packed and single |
//! | `circuit` | circuits on packed bits |
//! | `leveled` | circuit bootstrapping, CMUX trees, automata, AES |
//! | `tails` | counts of large errors beside the law of noise |
//! | `primitives`, `cost_model` | the operations that all methods use, and the planner's model of their costs |
//! | `commands` | seconds of whole commands beside the predictions of plans |
//! | `json_lines` | reading lines |
//! | `plot`, `report` | pictures of lines; the standard set, and its page |
#![forbid(unsafe_code)]

mod auto;
mod bits;
mod bridges;
mod circuit;
mod circuit_words;
mod commands;
mod contract;
mod cost_model;
mod crossing;
mod decomposition;
mod fhew;
mod fhew_gates;
mod foreign_gates;
mod gates;
mod instruction_sets;
mod integers;
mod json_lines;
mod large_values;
mod leveled;
mod measurement;
mod memory;
mod origin;
mod owners;
mod packed;
mod packing;
mod plot;
mod primitive_lines;
mod primitives;
mod public_keys;
mod report;
mod single;
mod slot_lookup;
mod tails;
mod vectors;

use clap::Subcommand;
use cryptable::engines::packed::Method;
use leveled::{aes, automaton, circuit_bootstrapping, cmux_chain, cmux_tree};
use packed::{entries, fdd, groups, hermite, lookup, reals, sign, words};

/// The benchmarks, one per method or kind of work; `--json` prints one line of the JSON contract per measurement.
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
    /// One table per value, in the clear or encrypted.
    Entries(entries::EntriesArguments),
    /// Tables of real numbers in fixed point, or of complex ones.
    Reals(reals::RealsArguments),
    /// Dictionaries of keys in words, and tables of two words that have structure.
    Words(words::WordsArguments),
    /// Counts and sums of values by group.
    Groups(groups::GroupsArguments),
    /// Functional digit decomposition, with digits returned as RLWE ciphertexts.
    Fdd(fdd::FddArguments),
    /// Sign of packed integers, computed digit by digit.
    Sign(sign::SignArguments),
    /// Operations on integers of 8 to 64 bits in digits: sum, product, comparison, maximum and others.
    Integers(integers::IntegersArguments),
    /// Trigonometric Hermite interpolations of first to third order: errors of inputs, and the errors that remain in
    /// outputs.
    Hermite(hermite::HermiteArguments),
    /// Functional bootstraps of single values: every full-domain method, the fastest last.
    Fhew(fhew::FhewArguments),
    /// Homomorphic digit decomposition of single values: every algorithm, for moduli of all widths.
    Decomposition(decomposition::DecompositionArguments),
    /// Sign, comparison, absolute value, ReLU and maximum of single integers of many bits.
    LargeValues(large_values::LargeValuesArguments),
    /// Boolean gates on single bits.
    Gates(gates::GatesArguments),
    /// BinBoot: bits in CKKS slots, bootstrapped.
    Binboot(bits::BitsArguments),
    /// GateBoot: a gate on bits in CKKS slots, evaluated within a bootstrap.
    Gateboot(bits::BitsArguments),
    /// CKKS bootstrapping of 32,768 complex slots, or of real slots through a smooth function: time, and precision of
    /// the mean and the worst slot.
    CkksBootstrap(vectors::BootstrapArguments),
    /// Tables of integers in CKKS slots, by functional bootstrapping with levels left.
    SlotLookup(slot_lookup::SlotLookupArguments),
    /// Ring packing: sums of two lists of LWE ciphertexts into one RLWE ciphertext, and extraction back.
    Packing(packing::PackingArguments),
    /// Encryption by public keys, of each engine.
    PublicKeys(public_keys::PublicKeysArguments),
    /// Joint keys of several owners, compared with those of one owner.
    Owners(owners::OwnersArguments),
    /// Gates on FHEW ciphertexts, all at once: packing, GateBoot, extraction.
    FhewGates(fhew_gates::FhewGatesArguments),
    /// Gates on ciphertexts of OpenFHE or tfhe-rs, all at once, with results under the same secret.
    ForeignGates(foreign_gates::ForeignGatesArguments),
    /// Extraction of packed values as integers and leveled values, and packing of the results.
    Bridges(bridges::BridgesArguments),
    /// Number of single values from which packed lookups are faster than lookups one by one.
    Crossing(crossing::CrossingArguments),
    /// A circuit on thousands of encrypted words at once: sum, comparison, product, AES-128.
    Circuit(circuit::CircuitArguments),
    /// Functional bootstraps by automorphisms: Algorithm 5, compared with LMKCDEY and CMUXes.
    Auto(auto::AutoArguments),
    /// Circuit bootstrapping of a bit.
    Cbs(circuit_bootstrapping::CbsArguments),
    /// A circuit bootstrap and a chain of CMUXes, for several depths.
    CmuxChain(cmux_chain::CmuxChainArguments),
    /// A table on one value, evaluated from its bits by a tree of CMUXes.
    CmuxTree(cmux_tree::CmuxTreeArguments),
    /// An automaton that counts a pattern in an encrypted text.
    Automaton(automaton::AutomatonArguments),
    /// AES-128 under an encrypted key.
    Aes(aes::AesArguments),
    /// Tails of noise: how often errors exceed 3 to 6 standard deviations, and their kurtosis, compared with the
    /// predictions of the law of noise.
    Tails(tails::TailArguments),
    /// Whole commands, key generation and lookups in processes of their own, compared with the predictions of plans.
    Commands(commands::CommandsArguments),
    /// Pictures of time and memory over the width of tables, from the lines of other benchmarks.
    Plot(plot::PlotArguments),
    /// The standard set of benchmarks: runs them, and writes their lines and a page with tables and pictures.
    Report(report::ReportArguments),
    /// NTT, base conversion, key switch, rotation and multiplication, with their counts, and the fields of the cost
    /// model.
    Primitives(primitives::PrimitivesArguments),
}

/// Runs a benchmark on `threads` threads. Prints JSON lines if `json` is set, and human-readable text otherwise.
///
/// # Errors
/// If no parameters exist for the arguments, output fails, or a value is wrong.
pub fn run(command: &BenchCommand, threads: usize, json: bool) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let lookup = |name, method, arguments: &lookup::LookupArguments| {
        lookup::run(lookup::Benchmark { name, method }, arguments, json)
    };
    pool.install(|| match command {
        BenchCommand::Akp(arguments) => lookup("akp", Some(Method::Akp), arguments),
        BenchCommand::Bmt(arguments) => lookup("bmt", Some(Method::Bmt), arguments),
        BenchCommand::Cmt(arguments) => lookup("cmt", Some(Method::Cmt), arguments),
        BenchCommand::Mvb(arguments) => lookup("mvb", None, arguments),
        BenchCommand::Entries(arguments) => entries::run(arguments, json),
        BenchCommand::Reals(arguments) => reals::run(arguments, json),
        BenchCommand::Words(arguments) => words::run(arguments, json),
        BenchCommand::Groups(arguments) => groups::run(arguments, json),
        BenchCommand::Fdd(arguments) => fdd::run(arguments, json),
        BenchCommand::Sign(arguments) => sign::run(arguments, json),
        BenchCommand::Integers(arguments) => integers::run(arguments, json),
        BenchCommand::Hermite(arguments) => hermite::run(arguments, json),
        BenchCommand::Fhew(arguments) => fhew::run(arguments, json),
        BenchCommand::Decomposition(arguments) => decomposition::run(arguments, json),
        BenchCommand::LargeValues(arguments) => large_values::run(arguments, json),
        BenchCommand::Gates(arguments) => gates::run(arguments, json),
        BenchCommand::Binboot(arguments) => bits::run(bits::Benchmark::BinBoot, arguments, json),
        BenchCommand::Gateboot(arguments) => bits::run(bits::Benchmark::GateBoot, arguments, json),
        BenchCommand::CkksBootstrap(arguments) => vectors::run(arguments, json),
        BenchCommand::SlotLookup(arguments) => slot_lookup::run(arguments, json),
        BenchCommand::Packing(arguments) => packing::run(arguments, json),
        BenchCommand::PublicKeys(arguments) => public_keys::run(arguments, json),
        BenchCommand::Owners(arguments) => owners::run(arguments, json),
        BenchCommand::FhewGates(arguments) => fhew_gates::run(arguments, json),
        BenchCommand::ForeignGates(arguments) => foreign_gates::run(arguments, json),
        BenchCommand::Bridges(arguments) => bridges::run(arguments, json),
        BenchCommand::Crossing(arguments) => crossing::run(arguments, json),
        BenchCommand::Circuit(arguments) => circuit::run(arguments, json),
        BenchCommand::Auto(arguments) => auto::run(arguments, json),
        BenchCommand::Cbs(arguments) => circuit_bootstrapping::run(arguments, json),
        BenchCommand::CmuxChain(arguments) => cmux_chain::run(arguments, json),
        BenchCommand::CmuxTree(arguments) => cmux_tree::run(arguments, json),
        BenchCommand::Automaton(arguments) => automaton::run(arguments, json),
        BenchCommand::Aes(arguments) => aes::run(arguments, json),
        BenchCommand::Tails(arguments) => tails::run(arguments, json),
        BenchCommand::Commands(arguments) => commands::run(arguments, threads, json),
        BenchCommand::Plot(arguments) => plot::run(arguments),
        BenchCommand::Report(arguments) => report::run(arguments, threads),
        BenchCommand::Primitives(arguments) => primitives::run(arguments, json),
    })
}
