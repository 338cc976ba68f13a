//! The grammar of `cryptable wide`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[cfg(feature = "client")]
use super::client::{DecryptArgs, EncryptArgs};
use super::memory::MemoryArgs;
use super::memory::memory_size;
use super::parameters::log2_fail;

/// Dictionaries, and tables of wide values that have structure.
#[derive(Debug, Subcommand)]
pub enum WideCommand {
    /// Say what dictionaries and structured tables take: lookups, time, memory, failure probability
    #[command(after_help = PLAN)]
    Plan(WideArgs),
    /// Generate the client's secret key and the server's evaluation key
    #[cfg(feature = "client")]
    #[command(after_help = KEYGEN)]
    Keygen(WideKeygenArgs),
    /// Encrypt a file of wide values with the client's key, in words of 16 bits
    #[cfg(feature = "client")]
    #[command(after_help = ENCRYPT)]
    Encrypt(WideEncryptArgs),
    /// Map every encrypted value through a dictionary or a structured table; needs no secret
    #[command(after_help = LOOKUP)]
    Lookup(WideLookupArgs),
    /// Decrypt results, or wide values, with the client's key
    #[cfg(feature = "client")]
    #[command(after_help = DECRYPT)]
    Decrypt(WideDecryptArgs),
}

/// What values, and what it may take.
#[derive(Args, Clone, Copy, Debug)]
pub struct WideArgs {
    /// Bits of the values that are looked up: 16 a word
    #[arg(long, value_name = "B", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
    /// Bits of the values of a dictionary [default: 14, which are looked up fastest]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub value_bits: Option<u32>,
    /// Values at a time; few make smaller keys and faster lookups [default: as many as a ciphertext holds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub values: Option<u32>,
    /// The most memory that a lookup may take, keys included, as `6GB`
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory: Option<usize>,
    /// log2 of the largest probability that any value of a ciphertext comes out wrong
    #[arg(long, value_name = "L", allow_hyphen_values = true, default_value = "-64", value_parser = log2_fail)]
    pub log2_fail: f64,
    /// INSECURE parameters of small rings and words of 4 bits, for tests of this program
    #[arg(long, hide = true)]
    pub insecure_toy: bool,
}

/// Arguments of `wide keygen`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct WideKeygenArgs {
    /// What for.
    #[command(flatten)]
    pub values: WideArgs,
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

/// Arguments of `wide encrypt`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct WideEncryptArgs {
    /// What is encrypted.
    #[command(flatten)]
    pub files: EncryptArgs,
    /// Bits of the values
    #[arg(long, value_name = "B", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
}

/// Arguments of `wide decrypt`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct WideDecryptArgs {
    /// What is decrypted.
    #[command(flatten)]
    pub files: DecryptArgs,
    /// Bits of the values, as `wide lookup` says them
    #[arg(long, value_name = "B", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
}

/// Arguments of `wide lookup`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("table").required(true))]
pub struct WideLookupArgs {
    /// The server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// A dictionary: CSV of lines `key,value`; all other keys have the value of --default
    #[arg(long, value_name = "FILE", group = "table", requires = "default")]
    pub dictionary: Option<PathBuf>,
    /// Value of keys that are not in the dictionary
    #[arg(long, value_name = "VALUE", requires = "dictionary")]
    pub default: Option<u64>,
    /// A function that changes at few places: CSV of lines `start,value`, sorted, the first start 0
    #[arg(long, value_name = "FILE", group = "table")]
    pub pieces: Option<PathBuf>,
    /// A sum g(low half) + h(high half): CSV of lines `g,h`, one for each value of a half
    #[arg(long, value_name = "FILE", group = "table")]
    pub sum: Option<PathBuf>,
    /// A product a(low half)·b(high half) of factors below 2^15, modulo 2^16: CSV of lines `a,b`, one for each value of
    /// a half; several are added
    #[arg(long = "product", value_name = "FILE", group = "table")]
    pub products: Vec<PathBuf>,
    /// Bits of keys of a dictionary; other tables are of two words, 32 bits
    #[arg(long, value_name = "B", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: u32,
    /// Bits of the outputs [default: 16, or what values of a dictionary have]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub value_bits: Option<u32>,
    /// The encrypted values
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// What memory it may take.
    #[command(flatten)]
    pub memory: MemoryArgs,
    /// File for the encrypted results
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Examples of the whole.
pub const OVERVIEW: &str = "\
Examples:
  cryptable wide plan --bits 32
  cryptable wide keygen --bits 32 --secret client.key --evaluation server.key
  cryptable wide encrypt --bits 32 --secret client.key --input ids.csv --output ids.ct
  cryptable wide lookup --bits 32 --evaluation server.key --dictionary risks.csv --default 0 --input ids.ct --output risks.ct
  cryptable wide decrypt --secret client.key --input risks.ct --output risks.csv

Dictionaries of up to 65,536 keys of 32 or 64 bits, and tables of 2^32 entries that have structure, on
65,536 encrypted values at once, which are words of 16 bits. A dictionary is looked up by a perfect hash of
its keys; what is found is compared with the whole key, so that absent keys have the default for certain.";

const PLAN: &str = "\
Examples:
  cryptable wide plan --bits 64 --value-bits 16
  cryptable --json wide plan --bits 32 --memory 8GB --log2-fail -80";

#[cfg(feature = "client")]
const KEYGEN: &str = "\
Examples:
  cryptable wide keygen --bits 32 --secret client.key --evaluation server.key

Keys are those of packed values with 16 bits: lookup, sum, decrypt and inspect take them, too.";

#[cfg(feature = "client")]
const ENCRYPT: &str = "\
Examples:
  cryptable wide encrypt --secret client.key --input people.csv --column id --output ids.ct
  cryptable wide encrypt --bits 64 --secret client.key --input hashes.npy --output hashes.ct";

const LOOKUP: &str = "\
Examples:
  cryptable wide lookup --evaluation server.key --dictionary d.csv --default 0 --input a.ct --output b.ct
  cryptable wide lookup --evaluation server.key --pieces brackets.csv --input income.ct --output rate.ct
  cryptable wide lookup --evaluation server.key --sum halves.csv --value-bits 32 --input a.ct --output b.ct
  cryptable wide lookup --evaluation server.key --product ab.csv --input a.ct --output b.ct";

#[cfg(feature = "client")]
const DECRYPT: &str = "\
Examples:
  cryptable wide decrypt --secret client.key --input risks.ct --output risks.csv
  cryptable wide decrypt --bits 32 --secret client.key --input b.ct --output b.npy";
