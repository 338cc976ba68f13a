//! Comma-separated text: interpretation of fields, and summaries of what was read.

use std::cell::RefCell;
use std::fmt;
use std::io::Read;
use std::ops::Range;
#[cfg(feature = "client")]
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, anyhow, bail};
use cryptable_wire::printable;
use serde::Serialize;

use super::dictionary::Dictionary;
use super::domain::Domain;
use super::integer::{self, NoInteger};
use super::records::{Records, quoted};
use crate::input_file;

/// The interpretation of fields as values.
#[derive(Clone, Debug)]
pub enum Coding {
    /// Fields are integers.
    Integers(Domain),
    /// Fields are words of a dictionary, whose codes are values below a modulus.
    Words(Rc<RefCell<Dictionary>>, u64),
}

impl Coding {
    /// Returns the coding by a dictionary if there is one, and by integers otherwise.
    #[cfg(feature = "client")]
    pub fn open(dictionary: Option<&Path>, may_grow: bool, domain: Domain) -> Result<Self> {
        Ok(match dictionary {
            None => Self::Integers(domain),
            Some(path) => {
                let book = Dictionary::open(path, may_grow)?;
                Self::Words(
                    Rc::new(RefCell::new(book)),
                    domain.modulus.try_into().unwrap_or(u64::MAX),
                )
            }
        })
    }

    /// Returns the value of a field. `place` describes its position in messages.
    pub fn value(&self, field: &str, place: impl Fn() -> String) -> Result<u64> {
        match self {
            Self::Words(book, modulus) => book.borrow_mut().code(field, *modulus, place),
            Self::Integers(domain) => match integer::parse(field) {
                Ok(integer) if integer < 0 && !domain.signed => domain
                    .value(integer, place)
                    .map_err(|error| anyhow!("{error}; --signed allows negative values")),
                Ok(integer) => domain.value(integer, place),
                Err(error) => {
                    let is_word =
                        error == NoInteger::Other && field.chars().any(char::is_alphabetic);
                    let hint =
                        if is_word { "; --dictionary FILE --extend encodes words" } else { "" };
                    bail!("{}: {} {error}{hint}", place(), quoted(field))
                }
            },
        }
    }

    /// Returns the field that represents a value.
    #[cfg(feature = "client")]
    pub fn field(&self, value: u64) -> Result<String> {
        match self {
            Self::Words(book, _) => Ok(book.borrow().word(value)?.to_owned()),
            Self::Integers(domain) => Ok(domain.integer(value).to_string()),
        }
    }
}

/// A summary of what was read from a file, so that people can check whether it is what they meant.
#[derive(Clone, Debug, Serialize)]
pub struct ReadNote {
    /// Name of the file.
    pub file: String,
    /// Whether its first line is a header.
    pub header: bool,
    /// Separator of columns.
    pub delimiter: char,
    /// Number of columns.
    pub columns: usize,
    /// The column that was read, by name or number.
    pub column: Option<String>,
    /// Number of rows that were read.
    pub rows: u64,
    /// Number of rows whose value was missing and was replaced.
    pub missing: u64,
    /// The replacement of missing values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_as: Option<String>,
    /// Number of empty lines at the end.
    pub skipped: u64,
}

impl ReadNote {
    /// Creates the summary of a number of rows that were read from a file.
    pub fn new<R: Read>(records: &Records<R>, header: bool, rows: u64) -> Self {
        Self {
            file: input_file::shown(records.path()).to_string_lossy().into_owned(),
            header,
            delimiter: char::from(records.delimiter()),
            columns: records.width(),
            column: None,
            rows,
            missing: 0,
            missing_as: None,
            skipped: records.skipped(),
        }
    }
}

impl fmt::Display for ReadNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = if self.header { "a header line" } else { "no header line" };
        write!(f, "{}: {header}", printable(&self.file))?;
        match &self.column {
            Some(column) if self.columns > 1 => write!(f, ", {} of", printable(column))?,
            Some(column) => write!(f, ", {}", printable(column))?,
            None if self.columns > 1 => f.write_str(",")?,
            None => {}
        }
        if self.columns > 1 {
            let separator = match self.delimiter {
                '\t' => "tabs".into(),
                ',' => "commas".into(),
                ';' => "semicolons".into(),
                other => format!("'{other}'"),
            };
            write!(f, " {} columns between {separator}", self.columns)?;
        }
        let plural = |count| if count == 1 { "" } else { "s" };
        write!(f, ", {} row{}", self.rows, plural(self.rows))?;
        if let (Some(value), true) = (&self.missing_as, self.missing > 0) {
            let value = printable(value);
            write!(f, ", {} missing value{} read as {value}", self.missing, plural(self.missing))?;
        }
        match self.skipped {
            0 => Ok(()),
            lines => write!(f, ", {lines} empty line{} at the end skipped", plural(lines)),
        }
    }
}

/// Returns whether the first record is a header: as the options state or, by default, from its appearance.
///
/// # Errors
/// If the record looks like a header, but may also be data: if fields are words, or if a field in one of the columns that are
/// read, `values`, looks like a missing value.
pub fn is_header<R: Read>(
    records: &Records<R>,
    stated: Option<bool>,
    values: Range<usize>,
    words: Option<(usize, &Dictionary)>,
) -> Result<bool> {
    if let Some(stated) = stated {
        return Ok(stated);
    }
    if !records.is_header() {
        return Ok(false);
    }
    let doubtful = match words {
        Some((column, book)) => {
            let first = records.text(column)?;
            if book.knows(first) {
                return Ok(false);
            }
            Some(first.to_owned())
        }
        None => records.missing_among(values),
    };
    let Some(field) = doubtful else { return Ok(true) };
    bail!(
        "{}: cannot tell whether its first line, with {}, is a header: use --header or --no-header",
        input_file::name(records.path()),
        quoted(&field)
    )
}
