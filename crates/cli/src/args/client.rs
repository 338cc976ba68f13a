//! The grammar of the client's commands: `keygen`, `encrypt`, `decrypt`, `demo`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cryptable::circuits::aes::SBox;

use super::circuit::s_box;
use super::jobs::{Job, KeyFileArgs};
use super::owners::FloodingArgs;
use super::parameters::ParameterArgs;
use crate::guard::{FileArg, Role};

/// Format of a file of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated text
    Csv,
    /// NumPy array of integers
    Npy,
    /// Little-endian words of the narrowest width that holds the modulus
    Raw,
    /// Bytes
    Raw8,
    /// Little-endian 16-bit words
    Raw16,
    /// Little-endian 32-bit words
    Raw32,
    /// Little-endian 64-bit words
    Raw64,
}

/// Reading options of a CSV file.
#[derive(Args, Clone, Debug, Default)]
pub struct CsvArgs {
    /// Treat the first line of a CSV file as a header [default: if it has words instead of numbers]
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// Read the first line of a CSV file as data
    #[arg(long)]
    pub no_header: bool,
    /// Column separator of the CSV file: one character, or `tab` [default: comma, semicolon or tab, whichever occurs
    /// most often in the first line]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Value for missing entries of a CSV file: empty lines and fields, NA, null and nan [default: they are errors]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub missing: Option<String>,
}

impl CsvArgs {
    /// Returns whether there is a header, if stated.
    pub fn stated_header(&self) -> Option<bool> {
        (self.header || self.no_header).then_some(self.header)
    }
}

/// Parses one ASCII character.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if matches!(text, "tab" | "\\t") => Ok(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err("it must be one ASCII character other than a quote, or `tab`".into()),
    }
}

/// Arguments of `keygen`, for lookups in tables unless there is a job.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group = clap::ArgGroup::new("input").required(true))]
pub struct KeygenArgs {
    /// Job other than lookups.
    #[command(subcommand)]
    pub job: Option<Job<KeyFileArgs>>,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    /// Plan written by `plan --output`, with the parameters of the keys
    #[arg(long, value_name = "FILE", group = "input")]
    pub plan: Option<PathBuf>,
    /// File for the secret key, which stays with the client
    #[arg(long, value_name = "FILE", required = true)]
    secret: Option<PathBuf>,
    /// File for the evaluation key, which goes to the server
    #[arg(long, value_name = "FILE", required = true)]
    evaluation: Option<PathBuf>,
    /// File for a public key, with which anyone can encrypt values for this client; for lookup keys
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Overwrite existing key files
    #[arg(long)]
    force: bool,
    /// INSECURE parameters of small rings, for tests of this program
    #[arg(long, hide = true, conflicts_with_all = ["ring_degree", "values", "goal", "log2_fail", "method", "digit_bits", "memory"])]
    pub insecure_toy: bool,
}

impl KeygenArgs {
    /// Returns the files that are written.
    ///
    /// # Panics
    /// Never: the grammar requires them if there is no job.
    pub fn key_files(&self) -> KeyFileArgs {
        if let Some(job) = &self.job {
            return job.files().clone();
        }
        let required = |path: &Option<PathBuf>| path.clone().expect("a required option");
        let (secret, evaluation) = (required(&self.secret), required(&self.evaluation));
        KeyFileArgs { secret, evaluation, public: self.public.clone(), force: self.force }
    }
}

/// Layout of values, if the key does not determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LayoutArg {
    /// Each value whole, for lookups
    Values,
    /// Integers that leave a bit of headroom, for `compare`
    Headroom,
    /// Columns of integers in digits, for `integers`
    Integers,
    /// Words of 16 bits, for `wide`
    Words,
}

/// Arguments of `encrypt`.
#[derive(Args, Debug)]
pub struct EncryptArgs {
    /// Client's secret key
    #[arg(long, alias = "key", value_name = "FILE", required_unless_present = "public")]
    pub secret: Option<PathBuf>,
    /// Client's public key, instead of the secret key, for values that only this client can decrypt
    #[arg(long, value_name = "FILE", conflicts_with = "secret")]
    pub public: Option<PathBuf>,
    /// File of values: .csv, .npy or .bin (raw words of the narrowest width that holds the modulus)
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// Column of a CSV file, by name, or by number from 1 if no column has that name; required if the file has several
    /// columns
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    #[command(flatten)]
    pub csv: CsvArgs,
    /// Format of the input [default: by the file's extension; csv for pipes]
    #[arg(long)]
    pub format: Option<Format>,
    /// Read values as -P/2 .. P/2 - 1 instead of 0 .. P - 1, for an input modulus P
    #[arg(long)]
    pub signed: bool,
    /// Layout of values [default: values, or headroom with keys of `keygen compare` for more than one digit]
    #[arg(long = "as", value_name = "LAYOUT")]
    pub layout: Option<LayoutArg>,
    /// Width of values in bits: with --as integers 8, 16, 32 or 64 (starting at -2^(B-1) with --signed), or 1 for
    /// booleans; with --as words 1 to 64
    #[arg(long, value_name = "B", requires = "layout", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: Option<u32>,
    /// Modulus of the values, a product of digits of the key, for values that are one of several inputs of a lookup
    /// [default: the key's input modulus]
    #[arg(long, value_name = "P", conflicts_with_all = ["public", "signed", "layout", "dictionary", "file"],
        value_parser = clap::value_parser!(u64).range(2..=1 << 24))]
    pub modulus: Option<u64>,
    /// Circuit whose inputs are the columns of the file; requires a key from `keygen circuit`
    #[command(flatten)]
    pub circuit: CircuitInputArgs,
    /// Read values as words of this code book (.json or .csv), which assigns a number to each word
    #[arg(long, value_name = "FILE", conflicts_with = "signed")]
    pub dictionary: Option<PathBuf>,
    /// Add new words to the dictionary, or create it
    #[arg(long, requires = "dictionary")]
    pub extend: bool,
    /// Encrypt the columns that this schema lists into one frame; the input is then Parquet, Arrow, CSV or JSON lines,
    /// the last two also compressed (.gz or .zst)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["column", "header", "no_header", "delimiter", "missing", "format",
        "signed", "layout", "modulus", "circuit", "dictionary", "file"])]
    pub schema: Option<PathBuf>,
    /// Canaries among the values.
    #[command(flatten)]
    pub canaries: CanaryArgs,
    /// File for the ciphertexts
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite an output that is a key, read-only, or a file of canaries
    #[arg(long)]
    pub force: bool,
}

/// Options for canaries that are encrypted among the values.
#[derive(Args, Debug)]
pub struct CanaryArgs {
    /// Hide canaries among the values, and write their positions and inputs to this secret file, for `decrypt
    /// --canaries`
    #[arg(
        long = "canaries",
        value_name = "FILE",
        requires = "canary_places",
        conflicts_with = "circuit"
    )]
    pub file: Option<PathBuf>,
    /// Number of canaries; with more canaries, a server is detected even if fewer of its results are wrong
    #[arg(long = "canary-count", value_name = "N", requires = "file", group = "canary_places")]
    pub count: Option<usize>,
    /// Hide canaries at the same positions as those in this file, for another operand of the same operation
    #[arg(long = "canaries-like", value_name = "FILE", requires_all = ["file", "secret"], group = "canary_places")]
    pub like: Option<PathBuf>,
    /// Write the inputs of canaries to this secret file, one per line, for computing the results that `decrypt
    /// --expected` compares with
    #[arg(long = "canary-values", value_name = "FILE", requires = "file")]
    pub values: Option<PathBuf>,
    /// Source of the inputs of canaries
    #[arg(
        long = "canary-inputs",
        value_name = "INPUTS",
        default_value = "uniform",
        requires = "file"
    )]
    pub inputs: CanaryInputs,
}

/// Inputs that canaries are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CanaryInputs {
    /// All inputs of tables, each with the same probability
    Uniform,
    /// The values of the file, so that wrong table entries are detected as often as values hit them; a server that sees
    /// a check fail learns something about the values
    Values,
}

impl EncryptArgs {
    /// Returns the file of the key that encrypts.
    ///
    /// # Panics
    /// Never: the grammar requires one of both keys.
    pub fn key_file(&self) -> &Path {
        self.secret.as_deref().or(self.public.as_deref()).expect("a required option")
    }
}

/// Circuit of the encrypted words.
#[derive(Args, Debug)]
pub struct CircuitInputArgs {
    /// Netlist, or built-in circuit, whose inputs are the columns of the file; requires a key from `keygen circuit`
    #[arg(long, value_name = "NETLIST", conflicts_with_all = ["column", "format", "signed", "layout", "modulus", "dictionary"])]
    pub circuit: Option<PathBuf>,
    /// Top module, if the netlist has several modules and marks none
    #[arg(long, value_name = "NAME", requires = "circuit")]
    pub top: Option<String>,
    /// Form of the S-box of AES [default: tables]
    #[arg(long, value_name = "FORM", requires = "circuit", value_parser = s_box())]
    pub s_box: Option<SBox>,
    /// Encrypt with all levels, for schedules of any memory and failure probability; files are larger
    #[arg(long, requires = "circuit")]
    pub all_levels: bool,
}

/// Arguments of `decrypt`.
#[derive(Args, Debug)]
pub struct DecryptArgs {
    /// Client's secret key, or an owner's part of a joint one; with a part, the output is that owner's part of the
    /// decryption
    #[arg(long, alias = "key", value_name = "FILE", required_unless_present = "parts")]
    pub secret: Option<PathBuf>,
    /// Parts of the decryption by all owners of a joint key, in any order, instead of a secret key
    #[arg(long = "part", value_name = "FILE", conflicts_with = "secret", num_args = 1..)]
    pub parts: Vec<PathBuf>,
    /// Flooding of an owner's part.
    #[command(flatten)]
    pub flooding: FloodingArgs,
    /// File of ciphertexts
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// Header of the CSV file, or of the column that --join adds [default: no header]
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Write a copy of this CSV file with the results as an additional column; the number of rows must be the same
    #[arg(long, value_name = "FILE")]
    pub join: Option<PathBuf>,
    /// Treat the first line of the --join file as a header [default: if it has words instead of numbers]
    #[arg(long, requires = "join", conflicts_with = "no_header")]
    pub header: bool,
    /// Read the first line of the --join file as data
    #[arg(long, requires = "join")]
    pub no_header: bool,
    /// Column separator of the --join file [default: detected from its first line]
    #[arg(long, requires = "join", value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Format of the output [default: by the file's extension; csv for pipes]
    #[arg(long)]
    pub format: Option<Format>,
    /// Require signed values, -P/2 .. P/2 - 1 for their modulus P; without this option, whole integers from `bridge`
    /// are unsigned
    #[arg(long)]
    pub signed: bool,
    /// Layout of the ciphertexts [default: as stated by the file and the key]
    #[arg(long = "as", value_name = "LAYOUT")]
    pub layout: Option<LayoutArg>,
    /// Width of values in bits, with --as words
    #[arg(long, value_name = "B", requires = "layout", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: Option<u32>,
    /// Write the words of this code book (.json or .csv) instead of their numbers
    #[arg(long, value_name = "FILE", conflicts_with = "signed")]
    pub dictionary: Option<PathBuf>,
    /// Schema for decrypting the columns of a frame [default: the units stated in the results, or integers]
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Check the results of the canaries in this file, which `encrypt --canaries` wrote, and remove them from the
    /// output; if any of them is wrong, nothing is written
    #[arg(long, value_name = "FILE", requires = "canary_results")]
    pub canaries: Option<PathBuf>,
    /// Table of the lookup, for --canaries, as given to `lookup`, with signed inputs and outputs if the results are
    /// signed; after several lookups, the table of their composition
    #[arg(long, value_name = "FILE", requires = "canaries", group = "canary_results")]
    pub table: Option<PathBuf>,
    /// Correct results of the canaries, for --canaries, one per line in the order of `encrypt --canary-values`: for
    /// columns of integers, values in words, and operations that are not lookups
    #[arg(long, value_name = "FILE", requires = "canaries", group = "canary_results")]
    pub expected: Option<PathBuf>,
    /// File for the imaginary parts of results of complex tables; --output then has the real parts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["join", "layout", "dictionary", "schema", "canaries"])]
    pub imaginary: Option<PathBuf>,
    /// File for the values, readable by its owner only: .csv, .npy or .bin (raw words of the narrowest width that holds
    /// the modulus); for frames .parquet, .arrow, .csv or .jsonl, the last two also compressed (.gz or .zst)
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
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
    /// Demonstration to run
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

impl DemoArgs {
    /// Returns the files that are not named by an option with a path.
    pub(super) fn files(&self) -> impl Iterator<Item = FileArg> {
        let file = |option: &str, path, role| FileArg { option: option.into(), path, role };
        let name = match self.what {
            Demonstration::Scan => "before-after.png",
            Demonstration::Gelu => "gelu.csv",
        };
        let table = Some(PathBuf::from(&self.table)).filter(|path| path.exists());
        let table = table.map(|path| file("--table", path, Role::Input));
        table.into_iter().chain([file("--output", self.output.join(name), Role::Text)])
    }
}

impl DecryptArgs {
    /// Returns the file of the secret key.
    ///
    /// # Panics
    /// Never if there are no parts: the grammar requires it then.
    pub fn secret(&self) -> &Path {
        self.secret.as_deref().expect("a required option")
    }
}

/// Help of `keygen`.
pub const KEYGEN: &str = "\
Examples:
  cryptable keygen --bits 8 --secret client.key --evaluation server.key
  cryptable keygen --table table.npy --secret client.key --evaluation server.key
  cryptable keygen --mode single --bits 4 --secret single.key --evaluation single-server.key
  cryptable keygen --mode leveled --bits 16 --secret leveled.key --evaluation leveled-server.key
  cryptable keygen --bits 8 --values 10 --secret client.key --evaluation server.key
  cryptable keygen --inputs single --bits 4 --secret client.key --evaluation server.key
  cryptable plan --bits 8 --output table.plan
  cryptable keygen --plan table.plan --secret client.key --evaluation server.key
  cryptable keygen compare --bits 32 --secret client.key --evaluation server.key
  cryptable keygen --bits 8 --secret client.key --evaluation server.key --public public.key

With --inputs single, values are encrypted one by one. The server looks up a few of them one by one;
it packs many of them, looks them up at once and extracts the results. plan --inputs single shows
the number of values from which packing is faster; keygen assumes a full ciphertext, or --values.

Without --mode, keys are for packed values. If packed values cannot serve the table, or if --values
or --goal is given, keys are those of the method that `plan` lists first.

The secret key file is readable by its owner only. Whoever has it can read all data; without it, the
data is lost. With the public key, others can encrypt values that only the secret key decrypts.";

/// Help of `encrypt`.
pub const ENCRYPT: &str = "\
Examples:
  cryptable encrypt --secret client.key --input values.npy --output values.ct
  cryptable encrypt --secret client.key --input people.csv --column age --output age.ct
  cryptable encrypt --secret client.key --input people.csv --column age --missing 0 \\
    --output age.ct
  cryptable encrypt --secret client.key --input pixels.dat --format raw8 --output pixels.ct
  cryptable encrypt --secret client.key --input people.csv --column job --dictionary jobs.json \\
    --extend --output job.ct
  cryptable encrypt --as headroom --secret client.key --input balance.npy --signed \\
    --output balance.ct
  cryptable encrypt --as integers --bits 32 --secret client.key --input people.csv \\
    --column income --output income.ct
  cryptable encrypt --circuit adder.blif --secret bits.secret --input words.csv --output words.ct
  cryptable encrypt --circuit adder.blif --public bits.public --input words.csv --output words.ct
  cryptable encrypt --public public.key --input values.csv --output values.ct
  cryptable encrypt --modulus 16 --secret client.key --input hours.csv --output hours.ct
  cryptable encrypt --secret client.key --input people.csv --column age --canaries age.canaries \\
    --canary-count 3000 --output age.ct
  cryptable encrypt --schema schema.json --secret client.key --input people.parquet \\
    --output people.frame
  seq 0 15 | cryptable encrypt --secret client.key --input - --output values.ct

Integers for comparisons need one bit of headroom: --as headroom. With --circuit, each line of the
file holds one word per input: unsigned integers, decimal or hexadecimal (0x1f). A header line names
the inputs, in any order; without a header, they are in the order of the netlist. Every bit is
encrypted with only the levels that the circuit needs, so that a file works with one circuit;
--all-levels makes files for any circuit.

Keys from keygen --mode single, --inputs single or --mode leveled encrypt every value separately.

Canaries are values whose results you know, at random positions among your values. decrypt
--canaries checks them, and so detects a server that returns many wrong results. Keep their file as
safe as the key; with --public, send it to the holder of the secret key over a channel that the
server cannot read.

A summary shows how a CSV file was read: header, column, rows, skipped lines. Missing values are
errors unless --missing replaces them. An array of several dimensions is read in C order, and
decrypts to an array of one dimension.";

/// Help of `decrypt`.
pub const DECRYPT: &str = "\
Examples:
  cryptable decrypt --secret client.key --input result.ct --output result.csv --column squared
  cryptable decrypt --secret client.key --input result.ct --output result.npy
  cryptable decrypt --secret client.key --input result.ct --output pixels.dat --format raw8
  cryptable decrypt --secret client.key --input risk.ct --join people.csv --column risk \\
    --output people-risk.csv
  cryptable decrypt --secret client.key --input risk.ct --canaries age.canaries --table risk.csv \\
    --output risks.csv
  cryptable decrypt --as words --bits 16 --secret client.key --input risks.ct --output risks.csv
  cryptable decrypt --secret client.key --input waves.ct --output re.csv --imaginary im.csv
  cryptable decrypt --secret client.key --input scored.frame --output scored.parquet
  cryptable decrypt --secret client.key --input result.ct --output - | sort -n
  cryptable decrypt --secret ann.secret --input risks.joint --output ann.part
  cryptable decrypt --part ann.part bob.part eve.part --input risks.joint --output risks.csv

Files record what they contain: values, frames, columns of integers, words of a circuit, or bytes of
transciphering.";

/// Help of `demo`.
pub const DEMO: &str = "\
Examples:
  cryptable demo
  cryptable demo --image scan.png --table gamma --output out
  cryptable demo --table my-table.csv
  cryptable demo gelu";
