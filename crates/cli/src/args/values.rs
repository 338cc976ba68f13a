//! The grammar of `encrypt`, `lookup` and `decrypt`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How a file of values is laid out.
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

/// How a CSV file is read.
#[derive(Args, Clone, Debug, Default)]
pub struct CsvArgs {
    /// The first line of a CSV file is a header [default: if it has words instead of numbers]
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first line of a CSV file is none
    #[arg(long)]
    pub no_header: bool,
    /// What separates the columns of a CSV file: one character, or `tab` [default: comma, semicolon
    /// or tab, whichever the first line has most of]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// What stands for missing values of a CSV file: empty lines and fields, NA, null and nan
    /// [default: they are errors]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub missing: Option<String>,
}

impl CsvArgs {
    /// Whether there is a header, where it is stated.
    pub fn stated_header(&self) -> Option<bool> {
        (self.header || self.no_header).then_some(self.header)
    }
}

/// One ASCII character.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if matches!(text, "tab" | "\\t") => Ok(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err("it must be one ASCII character other than a quote, or `tab`".into()),
    }
}

/// Arguments of `encrypt`.
#[derive(Args, Debug)]
pub struct EncryptArgs {
    /// The client's secret key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub secret: PathBuf,
    /// The values: .csv, .npy or .bin (raw words of the narrowest width that holds the modulus)
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// Column of a CSV file, by name, or by number from 1 where no column has that name; needed
    /// where there are several
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// How a CSV file is read.
    #[command(flatten)]
    pub csv: CsvArgs,
    /// Format of the input [default: by the file's extension; csv for pipes]
    #[arg(long)]
    pub format: Option<Format>,
    /// Values are -P/2 .. P/2 - 1 instead of 0 .. P - 1, for an input modulus P
    #[arg(long)]
    pub signed: bool,
    /// Values are words of this code book (.json or .csv), which numbers them
    #[arg(long, value_name = "FILE", conflicts_with = "signed")]
    pub dictionary: Option<PathBuf>,
    /// Add new words to the dictionary, or start one
    #[arg(long, requires = "dictionary")]
    pub extend: bool,
    /// File for the ciphertexts
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// How a table is read.
#[derive(Args, Clone, Debug, Default)]
pub struct TableArgs {
    /// Output for all inputs that a table of lines `input,output` leaves out [default: they are
    /// errors]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub default: Option<String>,
    /// Inputs and outputs of the table are -P/2 .. P/2 - 1 instead of 0 .. P - 1, for moduli P
    #[arg(long, conflicts_with_all = ["dictionary", "output_dictionary"])]
    pub signed: bool,
    /// The first line of a table in CSV is a header [default: if it has words instead of numbers]
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first line of a table in CSV is none
    #[arg(long)]
    pub no_header: bool,
    /// Inputs of the table are words of this code book (.json or .csv)
    #[arg(long, value_name = "FILE")]
    pub dictionary: Option<PathBuf>,
    /// Outputs of the table are words of this code book, which may be the same
    #[arg(long, value_name = "FILE")]
    pub output_dictionary: Option<PathBuf>,
    /// Add new words of the outputs to the output dictionary, or start one
    #[arg(long, requires = "output_dictionary")]
    pub extend: bool,
}

/// Arguments of `lookup`.
#[derive(Args, Debug)]
pub struct LookupArgs {
    /// The server's evaluation key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub evaluation: PathBuf,
    /// The table: .csv with one output a line or lines `input,output`, or .npy
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,
    /// How it is read.
    #[command(flatten)]
    pub reading: TableArgs,
    /// The ciphertexts
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// File for the results
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Keep finished ciphertexts in OUTPUT.partial until all are, and go on where an interrupted
    /// lookup ended
    #[arg(long)]
    pub resume: bool,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `decrypt`.
#[derive(Args, Debug)]
pub struct DecryptArgs {
    /// The client's secret key
    #[arg(long, alias = "key", value_name = "FILE")]
    pub secret: PathBuf,
    /// The ciphertexts
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// Header line of a CSV file, or of the column that --join adds [default: no header]
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Write this CSV file with the results as one more column; it must have as many rows
    #[arg(long, value_name = "FILE")]
    pub join: Option<PathBuf>,
    /// The first line of the file that --join names is a header [default: if it has words instead of
    /// numbers]
    #[arg(long, requires = "join", conflicts_with = "no_header")]
    pub header: bool,
    /// The first line of the file that --join names is none
    #[arg(long, requires = "join")]
    pub no_header: bool,
    /// What separates the columns of the file that --join names [default: found in its first line]
    #[arg(long, requires = "join", value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// Format of the output [default: by the file's extension; csv for pipes]
    #[arg(long)]
    pub format: Option<Format>,
    /// Values are -P/2 .. P/2 - 1 instead of 0 .. P - 1, for a modulus P of the results
    #[arg(long)]
    pub signed: bool,
    /// Write the words that values stand for in this code book (.json or .csv)
    #[arg(long, value_name = "FILE", conflicts_with = "signed")]
    pub dictionary: Option<PathBuf>,
    /// File for the values, for its owner only: .csv, .npy or .bin (raw words of the narrowest width
    /// that holds the modulus)
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an output that exists and is a key or read-only
    #[arg(long)]
    pub force: bool,
}

pub const ENCRYPT: &str = "\
Examples:
  cryptable encrypt --secret client.key --input values.npy --output values.ct
  cryptable encrypt --secret client.key --input people.csv --column age --output age.ct
  cryptable encrypt --secret client.key --input people.csv --column age --missing 0 --output age.ct
  cryptable encrypt --secret client.key --input pixels.dat --format raw8 --output pixels.ct
  cryptable encrypt --secret client.key --input people.csv --column job --dictionary jobs.json \\
    --extend --output job.ct
  seq 0 15 | cryptable encrypt --secret client.key --input - --output values.ct

A key of keygen --mode single or --mode bits encrypts every value by itself.

What was read of a CSV file is told: header, column, rows, lines that were skipped. Missing values
are errors unless --missing says what stands for them. An array of several dimensions is read in C
order, and decrypts to one dimension.";

pub const LOOKUP: &str = "\
Examples:
  cryptable lookup --evaluation server.key --table table.csv --input values.ct --output result.ct
  cryptable lookup --threads 8 --evaluation server.key --table table.npy --input a.ct --output b.ct
  cryptable lookup --evaluation server.key --table risks.csv --default 0 --input a.ct --output b.ct
  cryptable lookup --resume --evaluation server.key --table t.csv --input many.ct --output r.ct

A table has one output for every input 0, 1, ... below the input modulus. In a CSV file, either
each line is an output, in the order of the inputs, or each line is `input,output`, in any order.";

pub const DECRYPT: &str = "\
Examples:
  cryptable decrypt --secret client.key --input result.ct --output result.csv --column squared
  cryptable decrypt --secret client.key --input result.ct --output result.npy
  cryptable decrypt --secret client.key --input result.ct --output pixels.dat --format raw8
  cryptable decrypt --secret client.key --input risk.ct --join people.csv --column risk \\
    --output people-risk.csv
  cryptable decrypt --secret client.key --input result.ct --output - | sort -n";
