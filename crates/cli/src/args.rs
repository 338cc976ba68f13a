//! The command line's grammar.

pub mod aes;
pub mod automaton;
pub mod bridge;
pub mod circuit;
#[cfg(feature = "client")]
mod client;
pub mod common;
pub mod compare;
pub mod digits;
#[cfg(feature = "client")]
mod encrypt_table;
mod files;
pub mod foreign;
pub mod frames;
pub mod integers;
pub mod jobs;
mod lookup;
pub mod owners;
mod parameters;
pub mod rekey;
#[cfg(feature = "remote")]
pub mod remote;
#[cfg(feature = "serve")]
pub mod serve;
mod sum;
pub mod wide;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use cryptable::{FailureProbability, ReadOptions};

#[cfg(feature = "client")]
pub use self::client::{
    CanaryArgs, CanaryInputs, CircuitInputArgs, CsvArgs, DecryptArgs, DemoArgs, Demonstration,
    EncryptArgs, Format, KeygenArgs, LayoutArg,
};
#[cfg(feature = "client")]
pub use self::encrypt_table::EncryptTableArgs;
use self::jobs::{Job, PlanFileArgs};
pub use self::lookup::{LookupArgs, TableArgs};
pub use self::parameters::ParameterArgs;
pub use self::sum::SumArgs;
use crate::guard::FileArgs;

/// Lookup tables on encrypted data.
///
/// A client encrypts integers, a server without any secret maps each of them through a table, and the client decrypts
/// exact integers.
#[derive(Debug, Parser)]
#[command(name = "cryptable", version, after_help = OVERVIEW)]
pub struct Cli {
    /// Options common to all subcommands.
    #[command(flatten)]
    pub global: Global,
    /// Subcommand.
    #[command(subcommand)]
    pub command: Command,
    /// Files that the options name.
    #[arg(skip)]
    pub files: FileArgs,
}

/// Options of every subcommand.
#[derive(Args, Clone, Copy, Debug)]
pub struct Global {
    /// Worker threads, at most four per core [default: all cores]
    #[arg(long, global = true, help_heading = "Global options", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write machine-readable JSON to standard output, one object per line, and errors as objects to standard error
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// Hide progress bars and summaries; only `plan` and `inspect` still print their reports
    #[arg(long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Seconds between lines of progress where there is no terminal, for tests of this program
    #[arg(long, global = true, hide = true, default_value_t = 10.0, value_parser = interval)]
    pub progress_seconds: f64,
    /// Use keys of INSECURE toy parameters, for tests of this program
    #[arg(long, global = true, hide = true)]
    pub allow_insecure: bool,
    /// Accept keys whose values fail with a probability of up to 2^L [default: -40]
    #[arg(long, global = true, help_heading = "Global options", value_name = "L", allow_hyphen_values = true, value_parser = common::log2_fail)]
    pub allow_log2_fail: Option<f64>,
    /// Refuse evaluation keys and ciphertexts that need more memory than this, such as 6GB [default: 16GiB, or what the
    /// limit of a container or ulimit still allows]
    #[arg(long, global = true, help_heading = "Global options", value_name = "SIZE", value_parser = common::memory_size)]
    pub max_key_memory: Option<usize>,
}

impl Global {
    /// Returns the number of worker threads.
    pub fn threads(self) -> usize {
        self.threads.map_or_else(rayon::current_num_threads, usize::from)
    }

    /// Returns the options for reading keys.
    pub fn read_options(self) -> ReadOptions {
        let mut options = ReadOptions::default();
        if let Some(most) = self.max_key_memory {
            options = options.max_memory(most as u64);
        }
        if self.allow_insecure {
            options = options.allow_insecure();
        }
        match self.allow_log2_fail {
            Some(limit) => options.allow_failures(FailureProbability::from_log2(limit)),
            None => options,
        }
    }
}

/// Parses a positive number of seconds.
fn interval(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..1e6).contains(seconds));
    seconds.ok_or_else(|| "it must be a number from 0.001 to 1000000".into())
}

/// The subcommands.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "a process has one")]
pub enum Command {
    /// Compare all methods of looking up a table: security, failure probability, predicted memory and time
    #[command(after_help = PLAN)]
    Plan(PlanArgs),
    /// Generate the client's secret key and the server's evaluation key
    #[cfg(feature = "client")]
    #[command(after_help = client::KEYGEN)]
    Keygen(KeygenArgs),
    /// Encrypt a file of integers with the client's key
    #[cfg(feature = "client")]
    #[command(after_help = client::ENCRYPT)]
    Encrypt(EncryptArgs),
    /// Encrypt a table, so that the server can apply it without reading it
    #[cfg(feature = "client")]
    #[command(after_help = encrypt_table::ENCRYPT_TABLE)]
    EncryptTable(EncryptTableArgs),
    /// Map every encrypted value through one or more tables; needs no secret
    #[command(after_help = lookup::LOOKUP)]
    Lookup(LookupArgs),
    /// Add encrypted values, or multiples of them; needs no secret
    #[command(after_help = sum::SUM)]
    Sum(SumArgs),
    /// Run a pipeline of lookups and sums on the columns of an encrypted frame; needs no secret
    #[command(after_help = frames::RUN)]
    Run(frames::RunArgs),
    /// Suggest a schema for encrypting columns of numbers, dates and words
    #[cfg(feature = "client")]
    #[command(after_help = frames::SCHEMA)]
    Schema(GroupArgs<frames::SchemaCommand>),
    /// Hand one client's ciphertexts and results over to another client
    #[command(after_help = rekey::OVERVIEW)]
    Rekey(GroupArgs<rekey::RekeyCommand>),
    /// Generate joint keys of several owners, none of whom has the whole secret key, and look up values under them
    #[command(after_help = owners::OVERVIEW)]
    Owners(GroupArgs<owners::OwnersCommand>),
    /// Decrypt a file of ciphertexts with the client's key, or with the keys of all owners together
    #[cfg(feature = "client")]
    #[command(after_help = client::DECRYPT)]
    Decrypt(DecryptArgs),
    /// Convert bytes encrypted with AES-128 into homomorphic ciphertexts, without the AES key
    #[command(after_help = aes::OVERVIEW)]
    Aes(GroupArgs<aes::AesCommand>),
    /// Run binary circuits, given as netlists, on encrypted words
    #[command(after_help = circuit::OVERVIEW)]
    Circuit(GroupArgs<circuit::CircuitCommand>),
    /// Evaluate gates on thousands of bits that OpenFHE or tfhe-rs encrypted, with results under the same secret
    #[command(after_help = foreign::OVERVIEW)]
    Foreign(GroupArgs<foreign::ForeignCommand>),
    /// Compare encrypted integers, or compute their maximum, ReLU and similar functions
    #[command(after_help = compare::COMPARE)]
    Compare(compare::CompareArgs),
    /// Split encrypted values into digits, map each digit through a table, or drop low bits; needs no secret
    #[command(after_help = digits::DIGITS)]
    Digits(digits::DigitsArgs),
    /// Run an automaton on words of encrypted values, to count a pattern in a text or check a format; needs no secret
    #[command(after_help = automaton::AUTOMATON)]
    Automaton(automaton::AutomatonArgs),
    /// Look up packed values and process the results one by one: comparison, maximum, a second table
    #[command(after_help = bridge::BRIDGE)]
    Bridge(bridge::BridgeRunArgs),
    /// Compute on columns of encrypted integers: sums, products, comparisons, selection, tax tables
    #[command(after_help = integers::INTEGERS)]
    Integers(integers::IntegersArgs),
    /// Look up wide values: dictionaries with 32- and 64-bit keys, structured tables of 2^32 entries
    #[command(after_help = wide::WIDE)]
    Wide(wide::WideLookupArgs),
    /// Serve lookups over HTTP: clients register keys, send ciphertexts and fetch results; needs no secret
    #[cfg(feature = "serve")]
    #[command(after_help = serve::SERVE)]
    Serve(serve::ServeArgs),
    /// Use a server started with `serve`: send keys, look up ciphertexts, fetch results; needs no secret
    #[cfg(feature = "remote")]
    #[command(after_help = remote::OVERVIEW)]
    Remote(GroupArgs<remote::RemoteCommand>),
    /// Describe files: type, engine, parameters, key and sizes
    #[command(after_help = INSPECT)]
    Inspect(InspectArgs),
    /// Apply a table to the pixels of an encrypted picture and check the result
    #[cfg(feature = "client")]
    #[command(after_help = client::DEMO)]
    Demo(DemoArgs),
    /// Measure speed and memory
    #[cfg(feature = "bench")]
    #[command(after_help = BENCH)]
    Bench(GroupArgs<cryptable_bench::BenchCommand>),
    /// Print a shell completion script for this program
    #[command(after_help = COMPLETIONS)]
    Completions(CompletionsArgs),
}

/// Arguments of `plan`, for lookups in tables unless there is a job.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group = clap::ArgGroup::new("input").required(true))]
pub struct PlanArgs {
    /// Job other than lookups.
    #[command(subcommand)]
    pub job: Option<Job<PlanFileArgs>>,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    #[command(flatten)]
    pub file: PlanFileArgs,
    /// List every shipped parameter set instead, with the dimension, modulus, distribution, error and security level of
    /// each of its secrets; takes half a minute
    #[arg(long, group = "input")]
    pub list_parameters: bool,
    /// Print the list as CSV, one line per secret, as input for attack estimators
    #[arg(long, requires = "list_parameters")]
    pub csv: bool,
}

/// Arguments of a group of subcommands.
#[derive(Args, Debug)]
pub struct GroupArgs<C: Subcommand> {
    /// Subcommand.
    #[command(subcommand)]
    pub command: C,
}

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// Keys and ciphertexts
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[cfg(feature = "client")]
const OVERVIEW: &str = "\
Examples:
  cryptable demo
  cryptable keygen --table table.csv --secret client.key --evaluation server.key
  cryptable encrypt --secret client.key --input values.csv --output values.ct
  cryptable lookup --evaluation server.key --table table.csv --input values.ct --output result.ct
  cryptable decrypt --secret client.key --input result.ct --output result.csv

Every FILE may be - (standard input or output) or a pipe.

For one value at a time, use keygen --mode single with tables of at most 64 inputs, or keygen --mode
leveled with tables of up to 24 bits; all other commands stay the same.";

#[cfg(not(feature = "client"))]
const OVERVIEW: &str = "\
Examples:
  cryptable lookup --evaluation server.key --table table.csv --input values.ct --output result.ct
  cryptable inspect server.key values.ct

Every FILE may be - (standard input or output) or a pipe.

This is a server's program: it generates no keys, and neither encrypts nor decrypts.";

const PLAN: &str = "\
Examples:
  cryptable plan --bits 8
  cryptable plan --modulus 100 --output-modulus 1000 --values 500
  cryptable plan --bits 16 --memory 9GB
  cryptable plan --bits 12 --method cmt --digit-bits 4
  cryptable plan --bits 4 --goal latency --log2-fail -128
  cryptable plan --bits 8 --table-kind encrypted
  cryptable --json --threads 2 plan --table table.csv
  cryptable plan --mode leveled --bits 16
  cryptable plan --inputs single --bits 4 --values 1000
  cryptable plan --list-parameters --csv

Lists all methods side by side, the best first, and shows the best one in full. The best one is the
fastest for this number of values or, with --goal latency, the one with the earliest first result.";

const INSPECT: &str = "\
Examples:
  cryptable inspect client.key server.key values.ct
  cryptable --json inspect values.ct

Shows nothing secret.";

const COMPLETIONS: &str = "\
Examples:
  cryptable completions bash > ~/.local/share/bash-completion/completions/cryptable
  cryptable completions zsh > ~/.zfunc/_cryptable
  cryptable completions fish > ~/.config/fish/completions/cryptable.fish";

#[cfg(feature = "bench")]
const BENCH: &str = "\
Examples:
  cryptable --threads 1 bench akp --bits 8
  cryptable --threads 2 --json bench cmt --bits 16
  cryptable bench plot --out plots results.jsonl
  cryptable --threads 1 --json bench primitives";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_input_width_is_required_once() {
        let parse = |line: &str| Cli::try_parse_from(line.split(' '));
        assert!(parse("cryptable plan").is_err());
        assert!(parse("cryptable plan --bits 8 --modulus 4").is_err());
        assert!(parse("cryptable plan --bits 8 --output-bits 3 --output-modulus 8").is_err());
        assert!(parse("cryptable plan --bits 8 --output-bits 3 --threads 2").is_ok());
    }

    #[test]
    fn every_subcommand_shows_examples() {
        let cli = Cli::command();
        let nested = ["plan", "keygen", "rekey", "owners", "aes", "circuit", "foreign", "remote"];
        let nested = nested.into_iter().filter_map(|name| cli.find_subcommand(name));
        let nested = nested.flat_map(clap::Command::get_subcommands);
        for command in cli.get_subcommands().chain(nested) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("cryptable"), "{}", command.get_name());
        }
    }

    /// Checks that help can be copied: examples are whole commands, and no line is wrapped.
    fn assert_examples_work(command: &clap::Command) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{} wraps: {line}", command.get_name());
        }
        for example in help.replace("\\\n", " ").lines().filter(|line| line.starts_with("  ")) {
            let commands = example.split(['|', '>']).map(str::trim);
            for words in commands.filter(|words| words.starts_with("cryptable ")) {
                let parsed = Cli::try_parse_from(words.split_whitespace());
                assert!(parsed.is_ok(), "{words}: {}", parsed.unwrap_err());
            }
        }
        command.get_subcommands().for_each(assert_examples_work);
    }

    #[test]
    fn examples_of_help_can_be_copied() {
        assert_examples_work(&Cli::command());
    }
}
