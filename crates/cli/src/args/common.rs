//! Options that many commands share, and parsers of their values.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use cryptable::{Engine, Limits};

use super::Global;

/// Memory limit of a run.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct MemoryArgs {
    /// Refuse a run that is predicted to need more memory than this, including keys, such as 6GB [default: the
    /// machine's free memory]
    #[arg(long = "memory", value_name = "SIZE", value_parser = memory_size)]
    pub limit: Option<usize>,
}

/// A computation of a server: its key, its memory, and the file of its results.
#[derive(Args, Debug)]
pub struct ComputationArgs {
    /// Server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// A file that a command writes.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// File for the results
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Limits of the parameters for a job.
#[derive(Args, Clone, Copy, Debug)]
pub struct JobLimits {
    /// Maximum memory of an operation, including keys, such as 6GB
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// log2 of the maximum probability that an operation gets any value of a ciphertext wrong [default: -64]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = log2_fail)]
    pub log2_fail: Option<f64>,
    /// INSECURE parameters of small rings, for tests of this program
    #[arg(long, hide = true)]
    pub insecure_toy: bool,
}

impl JobLimits {
    /// Returns the limits of a plan for this number of values, on the threads of this program.
    pub fn of(self, global: Global, values: Option<u64>) -> Limits {
        let Self { memory, log2_fail, insecure_toy } = self;
        let threads = Some(global.threads());
        Limits { values, memory, log2_fail, threads, insecure_toy, ..Limits::default() }
    }
}

/// Returns a parser of names, which lists the names with their help and returns the value of a name.
pub fn choice<T: Clone + Send + Sync + 'static, const N: usize>(
    choices: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let shown = choices.each_ref().map(|(name, help, _)| match *help {
        "" => PossibleValue::new(*name),
        help => PossibleValue::new(*name).help(help),
    });
    PossibleValuesParser::new(shown).map(move |name| {
        let found = choices.iter().find(|(known, ..)| *known == name);
        found.map(|(.., value)| value.clone()).expect("a name of the list")
    })
}

/// Returns a parser of names of engines.
pub fn engine() -> impl TypedValueParser<Value = Engine> {
    choice(Engine::ALL.map(|engine| (engine.name(), engine.summary(), engine)))
}

/// Returns the name of a value on the command line.
pub fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Parses the base-2 logarithm of a failure probability.
pub fn log2_fail(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|log2| (-1000.0..=-1.0).contains(log2));
    number.ok_or_else(|| "it must be a number from -1000 to -1".into())
}

/// Parses bytes, with an optional suffix of thousands (kB, MB, GB) or of powers of two (KiB, MiB, GiB).
pub fn memory_size(text: &str) -> Result<usize, String> {
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
    let number: f64 =
        number.parse().map_err(|_| format!("\"{number}\" is not a number of bytes"))?;
    let bytes = number * unit;
    if suffix.trim().is_empty() && bytes < LEAST_BARE_MEMORY {
        return Err(format!(
            "{text} is a number of bytes without a unit: write {text}GB, {text}MB or {text}B"
        ));
    }
    Ok(bytes as usize)
}

/// Smallest number of bytes without a unit that is accepted: below it, the unit was probably forgotten.
const LEAST_BARE_MEMORY: f64 = 1e6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_memory_have_suffixes() {
        assert_eq!(memory_size("6GB"), Ok(6_000_000_000));
        assert_eq!(memory_size("6000000000"), Ok(6_000_000_000));
        assert_eq!(memory_size("8B"), Ok(8));
        for bare in ["8", "1.5", "0"] {
            assert!(memory_size(bare).unwrap_err().contains(&format!("{bare}GB")), "{bare}");
        }
        assert_eq!(memory_size("1.5 GiB"), Ok(3 << 29));
        assert_eq!(memory_size("4096B"), Ok(4096));
        assert!(memory_size("6 parsecs").unwrap_err().contains("parsecs"));
        assert!(memory_size("GB").unwrap_err().contains("not a number"));
    }

    #[test]
    fn failures_are_rare() {
        assert_eq!(log2_fail("-128"), Ok(-128.0));
        assert!(log2_fail("64").is_err() && log2_fail("-0.5").is_err() && log2_fail("x").is_err());
    }
}
