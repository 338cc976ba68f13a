//! The command line's grammar.

pub mod aes;
mod files;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cryptable::Method;
use cryptable_bench::BenchCommand;

pub use self::values::{CsvArgs, DecryptArgs, EncryptArgs, Format, LookupArgs};
use crate::mode::Mode;

/// Lookup tables on encrypted data.
///
/// A client encrypts integers, a server that holds no secret maps each through a table, and the
/// client decrypts exact integers.
#[derive(Debug, Parser)]
#[command(version, after_help = OVERVIEW)]
pub struct Cli {
    /// What all subcommands share.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every subcommand.
#[derive(Args, Clone, Copy, Debug)]
pub struct Global {
    /// Worker threads [default: all cores]
    #[arg(long, global = true, help_heading = "Global options", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write machine-readable JSON to standard output, one object a line, and nothing else; errors are
    /// objects, too, on standard error
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// Show no progress bars and no summaries; only `plan` and `inspect` still report
    #[arg(long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Seconds between lines of progress where there is no terminal, for tests of this program
    #[arg(long, global = true, hide = true, default_value_t = 10.0, value_parser = interval)]
    pub progress_seconds: f64,
}

/// A positive number of seconds.
fn interval(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..1e6).contains(seconds));
    seconds.ok_or_else(|| "it must be a number from 0.001 to 1000000".into())
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show parameters, security, failure probability, and predicted memory and time
    #[command(after_help = PLAN)]
    Plan(PlanArgs),
    /// Generate the client's secret key and the server's evaluation key
    #[command(after_help = KEYGEN)]
    Keygen(KeygenArgs),
    /// Encrypt a file of integers with the client's key
    #[command(after_help = values::ENCRYPT)]
    Encrypt(EncryptArgs),
    /// Map every encrypted value through a table; needs no secret
    #[command(after_help = values::LOOKUP)]
    Lookup(LookupArgs),
    /// Decrypt a file of ciphertexts with the client's key
    #[command(after_help = values::DECRYPT)]
    Decrypt(DecryptArgs),
    /// Turn bytes encrypted by AES-128 into homomorphic ciphertexts, without their key
    #[command(after_help = aes::OVERVIEW)]
    Aes(AesArgs),
    /// Say what files are: type, parameters, digest and sizes
    #[command(after_help = INSPECT)]
    Inspect(InspectArgs),
    /// Apply a table to the pixels of an encrypted picture and check the result
    #[command(after_help = DEMO)]
    Demo(DemoArgs),
    /// Measure speed and memory
    #[command(after_help = BENCH)]
    Bench(BenchArgs),
    /// Print a script that completes this program's options in a shell
    #[command(after_help = COMPLETIONS)]
    Completions(CompletionsArgs),
}

/// What parameters are chosen for.
#[derive(Args, Clone, Debug)]
pub struct ParameterArgs {
    /// How values are encrypted; files say it to all other commands [default: packed; `plan --count`
    /// shows the fastest]
    #[arg(long, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// Width of the inputs in bits: the input modulus is 2^B
    #[arg(long, value_name = "B", group = "input", value_parser = clap::value_parser!(u32).range(1..=24))]
    pub bits: Option<u32>,
    /// Input modulus: values are 0..P-1
    #[arg(long, value_name = "P", group = "input", value_parser = clap::value_parser!(u64).range(2..=1 << 32))]
    pub modulus: Option<u64>,
    /// A table (.csv or .npy) to take the moduli from: as many inputs as it has entries
    #[arg(long, value_name = "FILE", group = "input")]
    pub table: Option<PathBuf>,
    /// Width of the outputs in bits [default: as the inputs; enough for the entries of --table]
    #[arg(long, value_name = "B", conflicts_with = "output_modulus", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub output_bits: Option<u32>,
    /// Output modulus
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u64).range(2..=1 << 32))]
    pub output_modulus: Option<u64>,
    /// Values to be served at a time; few make smaller keys and faster lookups [default: as many as
    /// one ciphertext holds; for modes other than packed the prediction is for one]
    #[arg(long, alias = "values", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Ring degree of packed values: 32768 or 65536 [default: chosen]
    #[arg(long, value_name = "N")]
    pub ring_degree: Option<usize>,
    /// How tables are evaluated on packed values [default: the fastest way]
    #[arg(long)]
    pub method: Option<MethodArg>,
    /// Width of the digits of a multiplexer tree in bits [default: chosen]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub digit_bits: Option<u32>,
    /// Most memory that a lookup may take: bytes, or with a suffix, as in 6GB or 500MiB
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// Variant of the bootstrap of single values, or parameter set of --mode bits, by the name that
    /// `plan` shows [default: the fastest]
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// INSECURE parameters of small rings, for tests of this program
    #[arg(long, hide = true, conflicts_with_all = ["ring_degree", "count", "method", "digit_bits", "memory", "variant"])]
    pub insecure_toy: bool,
}

impl ParameterArgs {
    /// Options that only packed values have, and whether they are given.
    pub fn packed_options(&self) -> [(&'static str, bool); 4] {
        [
            ("ring-degree", self.ring_degree.is_some()),
            ("method", self.method.is_some()),
            ("digit-bits", self.digit_bits.is_some()),
            ("memory", self.memory.is_some()),
        ]
    }

    /// Whether an option is given that only packed values have.
    pub fn has_packed_options(&self) -> bool {
        self.packed_options().into_iter().any(|(_, is_given)| is_given)
    }
}

/// A way to evaluate tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodArg {
    /// One trigonometric interpolation of the whole table: to 12 bits
    Akp,
    /// A multiplexer tree over bits
    Bmt,
    /// A multiplexer tree over larger digits
    Cmt,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Self {
        match method {
            MethodArg::Akp => Self::Akp,
            MethodArg::Bmt => Self::Bmt,
            MethodArg::Cmt => Self::Cmt,
        }
    }
}

/// Bytes, with an optional suffix of thousands (kB, MB, GB) or of powers of two (KiB, MiB, GiB).
fn memory_size(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let unit = match suffix.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" | "k" => 1e3,
        "mb" | "m" => 1e6,
        "gb" | "g" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => {
            return Err(format!("unknown suffix \"{suffix}\": use B, kB, MB, GB, KiB, MiB or GiB"));
        }
    };
    let number: f64 = number.parse().map_err(|_| format!("\"{number}\" is no number of bytes"))?;
    Ok((number * unit) as usize)
}

/// Arguments of `plan`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("input").required(true))]
pub struct PlanArgs {
    /// What for.
    #[command(flatten)]
    pub parameters: ParameterArgs,
}

/// Arguments of `keygen`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("input").required(true))]
pub struct KeygenArgs {
    /// What for.
    #[command(flatten)]
    pub parameters: ParameterArgs,
    /// File for the secret key, which stays with the client
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// File for the evaluation key, which goes to the server
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Replace existing key files
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `aes`.
#[derive(Args, Debug)]
pub struct AesArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: aes::AesCommand,
}

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// Keys and ciphertexts
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// A demonstration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Demonstration {
    /// A table of 256 grey levels on every pixel of a scan
    Scan,
    /// GELU, exact to the last bit, on all 65,536 bfloat16 numbers
    Gelu,
}

/// Arguments of `demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// What to demonstrate
    #[arg(value_enum, default_value = "scan")]
    pub what: Demonstration,
    /// An 8-bit grey PNG of any size [default: a retina, built in]
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,
    /// `contrast`, `invert`, `gamma`, `threshold`, or a file with 256 outputs below 256
    #[arg(long, value_name = "TABLE", default_value = "contrast")]
    pub table: String,
    /// Directory for before-after.png or gelu.csv
    #[arg(long, value_name = "DIR", default_value = "demo-output")]
    pub output: PathBuf,
    /// INSECURE parameters of ring degree 1024, for tests of this program
    #[arg(long, hide = true)]
    pub insecure_toy: bool,
}

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// What to measure.
    #[command(subcommand)]
    pub command: BenchCommand,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

const OVERVIEW: &str = "\
Examples:
  cryptable demo
  cryptable keygen --table table.csv --secret client.key --evaluation server.key
  cryptable encrypt --secret client.key --input values.csv --output values.ct
  cryptable lookup --evaluation server.key --table table.csv --input values.ct --output result.ct
  cryptable decrypt --secret client.key --input result.ct --output result.csv

Every FILE that is read may be - (standard input) or a pipe, and so may every FILE that is written.

One value at a time: keygen --mode single for tables of at most 64 inputs, keygen --mode bits for
tables of up to 24 bits; and the rest as above.";

const PLAN: &str = "\
Examples:
  cryptable plan --bits 8
  cryptable plan --modulus 100 --output-modulus 1000 --count 500
  cryptable plan --bits 16 --memory 9GB
  cryptable plan --bits 12 --method cmt --digit-bits 4
  cryptable --json --threads 2 plan --table table.csv
  cryptable plan --mode single --bits 4
  cryptable plan --mode bits --bits 16
  cryptable plan --bits 16 --count 1

Shows the way that is chosen, the fastest within the memory limit, and all others side by side.
Without --mode, also how long each mode takes: for one value, or for --count of them, in which case
the fastest mode is shown in full.";

const KEYGEN: &str = "\
Examples:
  cryptable keygen --bits 8 --secret client.key --evaluation server.key
  cryptable keygen --table table.npy --secret client.key --evaluation server.key
  cryptable keygen --mode single --bits 4 --secret single.key --evaluation single-server.key
  cryptable keygen --mode bits --bits 16 --secret bits.key --evaluation bits-server.key

The secret key file is readable by its owner only. Whoever has it reads all data; whoever
loses it loses them.";

const INSPECT: &str = "\
Examples:
  cryptable inspect client.key server.key values.ct
  cryptable inspect single.key single-server.key grades.ct
  cryptable --json inspect values.ct

Shows nothing secret.";

const DEMO: &str = "\
Examples:
  cryptable demo
  cryptable demo --image scan.png --table gamma --output out
  cryptable demo --table my-table.csv
  cryptable demo gelu";

const COMPLETIONS: &str = "\
Examples:
  cryptable completions bash > ~/.local/share/bash-completion/completions/cryptable
  cryptable completions zsh > ~/.zfunc/_cryptable
  cryptable completions fish > ~/.config/fish/completions/cryptable.fish";

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
    fn sizes_of_memory_have_suffixes() {
        assert_eq!(memory_size("6GB"), Ok(6_000_000_000));
        assert_eq!(memory_size("1.5 GiB"), Ok(3 << 29));
        assert_eq!(memory_size("4096"), Ok(4096));
        assert!(memory_size("6 parsecs").unwrap_err().contains("parsecs"));
        assert!(memory_size("GB").unwrap_err().contains("no number"));
    }

    #[test]
    fn every_subcommand_shows_examples() {
        let cli = Cli::command();
        let aes = cli.find_subcommand("aes").unwrap().get_subcommands();
        for command in cli.get_subcommands().chain(aes) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("cryptable"), "{}", command.get_name());
        }
    }
}
