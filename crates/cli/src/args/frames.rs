//! The grammar of `run`, `schema` and jobs of programs.

use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "client")]
use clap::Subcommand;

use super::common::{ComputationArgs, JobLimits};

/// Requirements for keys of programs.
#[derive(Args, Clone, Debug)]
pub struct ProgramJobArgs {
    /// Program in JSON, as Python's `cryptable.ml` writes it
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Schema of the client's columns, to refuse now what `run` would refuse later, such as columns with values too
    /// large to sort by
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Number of rows; few rows need smaller keys and less time [default: a full ciphertext]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub rows: Option<u64>,
    #[command(flatten)]
    pub limits: JobLimits,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Pipeline in TOML: steps of lookups, comparisons, joins, sums, searches and programs on named columns; paths of
    /// its files are relative to its folder
    #[arg(value_name = "PIPELINE")]
    pub pipeline: PathBuf,
    /// Encrypted frame, as `encrypt --schema` or `run` writes it
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub server: ComputationArgs,
}

/// Subcommands of `schema`.
#[cfg(feature = "client")]
#[derive(Debug, Subcommand)]
pub enum SchemaCommand {
    /// Write a schema for the columns of a file, as a draft for people to edit
    #[command(after_help = SUGGEST)]
    Suggest(SuggestArgs),
}

/// Arguments of `schema suggest`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct SuggestArgs {
    /// File in Parquet, Arrow, CSV, JSON lines or npy; CSV and JSON lines also compressed (.gz or .zst)
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// Width in bits of the values of the key, as in `keygen --bits`
    #[arg(long, value_name = "B", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=24))]
    pub bits: u32,
    /// File for the schema, readable by its owner only, since it reveals ranges and words of the data
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite the output even if it is a key or read-only
    #[arg(long)]
    pub force: bool,
}

/// Help of `run`.
pub const RUN: &str = "\
Examples:
  cryptable run pipeline.toml --evaluation server.key --input people.frame --output scored.frame

A pipeline loads the key once, for all of its steps:
  schema = \"schema.json\"        # optional: units of columns, in which tables state inputs
  results = \"results.json\"      # optional: units of results, in which tables state outputs
  output = [\"score\"]            # optional: columns that are kept; all results by default

  [[step]]
  lookup = \"age\"
  table = \"risk.csv\"
  into = \"risk\"

  [[step]]
  sum = [\"risk\", \"region\"]      # modulo the modulus of their values
  factors = [2, 1]              # optional
  into = \"score\"

  [[step]]
  join = \"region\"               # columns of a table by a key
  table = \"regions.csv\"         # region,rate,seat,...: one line per key
  into = [\"rate\", \"seat\"]       # columns of the table; rows without a line have gaps

  [[step]]
  compare = \"age\"               # 1 in the rows where it holds, 0 in all others
  is = \">=\"                     # or <, <=, =, !=, >
  than = 18                     # in the units of the column
  into = \"adult\"

  [[step]]
  largest = [\"high\", \"low\"]     # digits, with a key of `keygen integers --search`
  count = 10                    # 1 in the rows of the ten largest values
  into = \"top\"

  [[step]]
  argmax = [\"high\", \"low\"]      # 1 in the first row of the largest value
  into = \"first\"

  [[step]]
  select = [\"age\"]              # columns that go to the output unchanged; `into` renames them

  [[step]]
  program = \"forest.json\"       # a forest, a sort or the like, with a key of `keygen program`
  inputs = [\"age\", \"income\"]    # in the order of the program's columns
  into = [\"probability\"]

Without units, tables are those of `lookup`. With units, a table has a header: `age,risk` for single
inputs, `from,to,risk` for ranges that include both ends, or `from,below,risk` for ranges that
exclude the upper end; `default = \"...\"` in the step is the output of all other inputs. Rows with
gaps in a column have gaps in its lookup results. Lookups of one column are done together, which
takes less time.";

/// Help of jobs of programs.
pub const JOB: &str = "\
Examples:
  cryptable plan program forest.json
  cryptable plan program forest.json --rows 5000 --memory 8GB
  cryptable keygen program forest.json --secret client.key --evaluation server.key
  cryptable keygen program sort.json --schema schema.json --secret client.key \\
    --evaluation server.key

Keys serve every program on columns with the same modulus whose results are no larger and whose
choices are nested no deeper. `run` evaluates programs as steps of pipelines.";

/// Help of `schema`.
#[cfg(feature = "client")]
pub const SCHEMA: &str = "\
Examples:
  cryptable schema suggest people.parquet --output schema.json
  cryptable encrypt --schema schema.json --secret client.key --input people.parquet \\
    --output people.frame

A schema lists columns and how integers represent their values: types integer, boolean, number,
date, datetime, time and words; minimum, maximum, scale, offset, bins, unit, words; and what becomes
of missing values. The schema belongs to the client: it reveals ranges and words of the data, and
stays with the client unless you give it to others.";

/// Help of `schema suggest`.
#[cfg(feature = "client")]
pub const SUGGEST: &str = "\
Examples:
  cryptable schema suggest people.parquet --output schema.json
  cryptable schema suggest people.csv.gz --bits 12 --output schema.json

Scales are the finest that the bits allow; where values have to be rounded, the schema says so.
Columns that are not in the schema are not encrypted.";
