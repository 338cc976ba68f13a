//! Errors of schemas, columns, frames and pipelines.

use std::fmt;
use std::io;

use cryptable::WireError;

/// The result of an operation on frames.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a schema, a file of columns, a frame or a pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A column of a schema is not valid, or does not fit a key.
    #[error("column \"{column}\": {problem}")]
    Column {
        /// Name of the column.
        column: String,
        /// Its problem.
        problem: ColumnProblem,
    },
    /// A value does not fit its column.
    #[error("column \"{column}\", row {row}: {value} {problem}")]
    Cell {
        /// Name of the column.
        column: String,
        /// Row of the value, counted from 1 without a header.
        row: usize,
        /// The value, shortened.
        value: String,
        /// Its problem.
        problem: CellProblem,
    },
    /// No column has this name.
    #[error("no column \"{name}\"; there are {}", listed(known))]
    NoColumn {
        /// The requested name.
        name: String,
        /// The names of all columns.
        known: Vec<String>,
    },
    /// Two columns have the same name.
    #[error("two columns are called \"{0}\"")]
    TwoColumns(String),
    /// A column has no name, or a very long one.
    #[error("a column name has {bytes} bytes, but must have 1 to {limit}")]
    Name {
        /// Length of the name.
        bytes: usize,
        /// The longest name that is read.
        limit: usize,
    },
    /// A frame has too few or too many columns.
    #[error("{columns} columns; a frame has 1 to {limit}")]
    Columns {
        /// Number of columns.
        columns: usize,
        /// The largest number of columns of a frame.
        limit: usize,
    },
    /// Two columns have different numbers of rows.
    #[error("column \"{column}\" has {found} rows, but the frame has {expected}")]
    Rows {
        /// Name of the column.
        column: String,
        /// Its number of rows.
        found: usize,
        /// The number of rows of the frame.
        expected: usize,
    },
    /// A step of a pipeline cannot be run.
    #[error("step {step}: {problem}")]
    Step {
        /// Number of the step, counted from 1.
        step: usize,
        /// Its problem.
        problem: PipelineProblem,
    },
    /// Columns of a schema cannot be those of a program.
    #[error(transparent)]
    Program(#[from] PipelineProblem),
    /// A mapping, from which a table is made, is not valid.
    #[error("line {line}: {text}")]
    Mapping {
        /// Line of the file.
        line: u64,
        /// The problem: a value, or the rule that it breaks.
        text: String,
    },
    /// A mapping has no output for an input.
    #[error("no line for {input}; add one, or give a default for inputs without a line")]
    Unmapped {
        /// The first input without an output.
        input: String,
    },
    /// A file of columns is not of its stated kind.
    #[error("it is not {kind}: {text}")]
    File {
        /// The kind of file.
        kind: &'static str,
        /// The error of its reader or writer.
        text: String,
    },
    /// A compressed file has more text than is plausible for its size.
    #[error(
        "{compressed} compressed bytes expand to more than {limit} bytes of text; decompress the file first"
    )]
    Decompressed {
        /// Bytes of the file.
        compressed: usize,
        /// Largest number of bytes of text that are read from it.
        limit: usize,
    },
    /// A file has no rows.
    #[error("it has no rows")]
    Empty,
    /// JSON is not a schema, or TOML not a pipeline.
    #[error("{what}: {text}")]
    Syntax {
        /// Kind of text that was expected.
        what: &'static str,
        /// The error of its parser.
        text: String,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An error of the library.
    #[error(transparent)]
    Library(#[from] cryptable::Error),
    /// Bytes are not a frame.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// A problem of a column in a schema.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// A field does not belong to columns of this type.
    #[error("`{field}` is not for columns of type {kind}")]
    Foreign {
        /// Name of the field.
        field: &'static str,
        /// Type of the column.
        kind: &'static str,
    },
    /// A field is required.
    #[error("columns of type {kind} need `{field}`")]
    Missing {
        /// Name of the field.
        field: &'static str,
        /// Type of the column.
        kind: &'static str,
    },
    /// A field has a value that no column of this type may have.
    #[error("`{field}` is {found}, but must be {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        found: String,
        /// The values that it may have.
        expected: &'static str,
    },
    /// The least value is above the greatest.
    #[error("`minimum` is above `maximum`")]
    Reversed,
    /// A word is in the list twice.
    #[error("the word {word} is in `words` twice")]
    RepeatedWord {
        /// The word.
        word: String,
    },
    /// Keys have fewer values than the column needs.
    #[error(
        "it needs {needed} values, but values of the key are below {modulus}; use bins, a larger scale or keys of \
         `keygen --bits {bits}`"
    )]
    TooWide {
        /// The number of values that it needs.
        needed: u64,
        /// The modulus of the key.
        modulus: u64,
        /// Bits of a key with that number of values.
        bits: u32,
    },
    /// The file's column has a type that no encoding supports.
    #[error(
        "values of type {0} cannot be encrypted; booleans, integers, floats, decimals, dates, times, texts and dictionaries of them can"
    )]
    Unsupported(String),
    /// Units or gaps are stated for sums by groups.
    #[error("its values are sums by groups, which are integers without units and gaps")]
    Sums,
    /// Some columns are sums by groups and others are not, or they have other groups.
    #[error(
        "its groups are not those of the first column; `output` names columns that go together"
    )]
    Mixed,
    /// Encrypted values are signed but those of the schema are not, or vice versa.
    #[error("its encrypted values are {}, but those of the schema are not", sign(*signed))]
    Signs {
        /// Whether the encrypted values are signed.
        signed: bool,
    },
}

/// A problem of one value, which messages state after the value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CellProblem {
    /// The value is of another type.
    #[error("is not {0}")]
    Type(&'static str),
    /// The value is outside of the range.
    #[error("is not within {range}; `clip` takes the nearest end")]
    Outside {
        /// The range that the schema states.
        range: String,
    },
    /// The value lies between two steps.
    #[error("is not a multiple of {step} from {offset} on; `round` takes {nearest}")]
    Between {
        /// Distance of two values.
        step: String,
        /// The value that is represented by 0.
        offset: String,
        /// The value that rounding would choose.
        nearest: &'static str,
    },
    /// The word is not in the list.
    #[error("is not in `words`; `other` names a word that stands for it")]
    Unknown,
    /// A missing value has no representation.
    #[error(
        "is a missing value; `nulls` says what becomes of them: \"validity\" or {{\"value\": …}}"
    )]
    Missing,
    /// A decrypted number represents nothing.
    #[error("is not a value of the schema")]
    NoCode,
    /// A decrypted number is outside of the range that the frame states, such as a first sort key in a row whose key
    /// was too large.
    #[error(
        "is not within {low} to {high}, the range that the frame states; in a sorted frame, a sort key of this row \
         was too large"
    )]
    Beyond {
        /// The least value.
        low: i64,
        /// The largest value.
        high: i64,
    },
}

/// A problem of a step in a pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineProblem {
    /// A step has no kind, or several.
    #[error(
        "it must have either `lookup` and `table`, or `join` and `table`, or `sum`, or `compare`, `is` and `than`, or `program` and `inputs`, or `largest` and `count`, or `argmax`, or `select`"
    )]
    Kind,
    /// A step does not name its results.
    #[error("it needs `into`: the names of its results")]
    NoNames,
    /// The numbers of columns and of names differ.
    #[error("{columns} columns and {names} names; each column has a name in `into`, or none has")]
    Names {
        /// Number of columns.
        columns: usize,
        /// Number of names.
        names: usize,
    },
    /// The key of a join has gaps, but gaps of the result would mean rows without a match.
    #[error(
        "\"{0}\" has gaps, which would be mixed with those of rows without a match; set a `default` for such rows, or \
         fill the gaps with `nulls`"
    )]
    KeyWithGaps(String),
    /// A field belongs to another kind of step.
    #[error("`{0}` is not for such a step")]
    Foreign(&'static str),
    /// A column does not exist, or not yet.
    #[error("no column \"{name}\" before it; there are {}", listed(known))]
    NoColumn {
        /// The requested name.
        name: String,
        /// The names of all columns.
        known: Vec<String>,
    },
    /// A column with the name of the result exists.
    #[error("a column \"{0}\" exists already")]
    Exists(String),
    /// The numbers of terms and factors differ.
    #[error("{terms} terms and {factors} factors; each term has a factor, or none has")]
    Factors {
        /// Number of terms.
        terms: usize,
        /// Number of factors.
        factors: usize,
    },
    /// Terms have different gaps.
    #[error(
        "\"{first}\" and \"{second}\" have different gaps, which a sum would mix; `nulls` with a value fills them"
    )]
    Gaps {
        /// The first column with gaps.
        first: String,
        /// Another column with other gaps.
        second: String,
    },
    /// A column with gaps is to be added up by groups, or searched.
    #[error("\"{0}\" has gaps, which would count as 0; `nulls` with a value fills them")]
    GapsAsZero(String),
    /// Sums by groups are the input of a step.
    #[error("\"{0}\" has sums by groups, one result for many rows, which no step takes")]
    SumsAsInput(String),
    /// An input of a program has negative values.
    #[error(
        "\"{0}\" is signed, but programs take columns without negative values; set its `minimum` as `offset` in the \
         schema of the frame"
    )]
    SignedInput(String),
    /// Rows are to be sorted by a column whose values may be too large.
    #[error(
        "rows are sorted by values below {limit}, but those of \"{column}\" are only known to be below {found}; set a \
         smaller `maximum` in the schema of the frame, or use digits of fewer bits or keys for a larger modulus"
    )]
    WideKey {
        /// Name of the column.
        column: String,
        /// Known bound: all values are below this number.
        found: u64,
        /// Required bound, a quarter of the modulus: all values must be below this number.
        limit: u64,
    },
    /// A column of groups may have values that are not groups.
    #[error(
        "\"{column}\" has values below {found}, but there are only {groups} groups; use more `groups` in the program, \
         or a `maximum` or fewer `words` in the schema"
    )]
    NoGroup {
        /// Name of the column.
        column: String,
        /// Known bound: all values are below this number.
        found: u64,
        /// Number of groups.
        groups: u64,
    },
    /// A sum that is compared may exceed the integers that residues represent.
    #[error(
        "\"{column}\" is a sum from {low} to {high} modulo {modulus}, which is too small to tell all of its values \
         apart; make it signed by a negative `minimum` of its units in `results`, use keys for values modulo {needed}, \
         or set a smaller `maximum` for its terms in the schema of the frame"
    )]
    Wraps {
        /// Name of the sum.
        column: String,
        /// The least value that the sum may have.
        low: i64,
        /// The largest value that the sum may have.
        high: i64,
        /// The modulus of the sum.
        modulus: u64,
        /// The least power of two modulo which all values differ.
        needed: u64,
    },
    /// No table was given for a lookup.
    #[error("it has no table")]
    NoTable,
    /// No program was given for a step that evaluates one.
    #[error("it has no program")]
    NoProgram,
    /// The library refuses the step.
    #[error(transparent)]
    Library(#[from] cryptable::Error),
}

impl Error {
    /// Returns the error about a decrypted value, in a row that is counted from 0.
    #[cfg(feature = "client")]
    pub(crate) fn cell(column: &str, row: usize, value: i64, problem: CellProblem) -> Self {
        Self::Cell { column: column.into(), row: row + 1, value: value.to_string(), problem }
    }

    /// Returns the error about a column.
    pub(crate) fn of_column(column: &str, problem: ColumnProblem) -> Self {
        Self::Column { column: column.into(), problem }
    }
}

/// Lists names for a message.
fn listed(names: &[String]) -> impl fmt::Display {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn sign(signed: bool) -> &'static str {
    if signed { "signed" } else { "unsigned" }
}
