//! Files of values, for reading.

use std::fs::File;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use zeroize::Zeroizing;

use super::column::{Column, ColumnOptions};
use super::csv::{Coding, ReadNote};
use super::domain::Domain;
use super::raw::{WordFormat, Words};
use super::{extension, npy};
use crate::args::{CsvArgs, Format};
use crate::input_file;

/// An iterator over values, which ends at the first error.
pub trait ValueSource: Iterator<Item = Result<u64>> {
    /// Returns a summary of what was read so far, if there is something to report.
    fn note(&self) -> Option<&ReadNote> {
        None
    }
}

impl ValueSource for Column<File> {
    fn note(&self) -> Option<&ReadNote> {
        Some(Column::note(self))
    }
}

impl ValueSource for Words<File> {}

/// A file of values that is being read.
pub type Values = Box<dyn ValueSource>;

/// Number of values that are read at a time when all values of a file are needed.
const CHUNK: usize = 1 << 16;

/// Reads the next values, at most `most` of them; none after the last.
pub fn next_values(
    values: &mut dyn Iterator<Item = Result<u64>>,
    most: usize,
) -> Result<Zeroizing<Vec<u64>>> {
    // Reserve space for everything at once, since growing would leave copies behind.
    let mut chunk = Zeroizing::new(Vec::with_capacity(most));
    for value in values.take(most) {
        chunk.push(value?);
    }
    Ok(chunk)
}

/// Reads all values.
pub fn all_values(values: &mut dyn Iterator<Item = Result<u64>>) -> Result<Zeroizing<Vec<u64>>> {
    let mut chunks = Vec::new();
    while let chunk = next_values(values, CHUNK)?
        && !chunk.is_empty()
    {
        chunks.push(chunk);
    }
    let count = chunks.iter().map(|chunk| chunk.len()).sum();
    let mut all = Zeroizing::new(Vec::with_capacity(count));
    chunks.iter().for_each(|chunk| all.extend_from_slice(chunk));
    Ok(all)
}

/// Options for reading a file of values.
#[derive(Clone, Debug)]
pub struct ValueOptions<'a> {
    /// The format, if stated.
    pub format: Option<Format>,
    /// The column of a CSV file.
    pub column: Option<&'a str>,
    /// Options for reading a CSV file.
    pub csv: &'a CsvArgs,
    /// Interpretation of fields as values.
    pub coding: Coding,
}

/// Opens a file of values. Each value is checked when it is read.
pub fn open_values(path: &Path, options: &ValueOptions<'_>) -> Result<Values> {
    let file = input_file::open(path)?;
    input_file::refuse_own(&file, path, "a file of values")?;
    let is_stream = !file.metadata().is_ok_and(|metadata| metadata.is_file());
    let is_stream = is_stream || input_file::is_stdin(path);
    let encoding = Encoding::of(path, options.format, is_stream, &options.coding)?;
    if !matches!(encoding, Encoding::Text) {
        options.refuse_options_of_text(path)?;
    }
    Ok(match (encoding, &options.coding) {
        (Encoding::Array, Coding::Integers(domain)) => {
            let (_, words) = npy::open(file, path, *domain)?;
            Box::new(words)
        }
        (Encoding::Raw(word), Coding::Integers(domain)) => {
            // Words of a stated width are signed if values are.
            let word = WordFormat { signed: domain.signed, ..word };
            Box::new(Words::new(file, path, word, None, *domain))
        }
        _ => {
            let ValueOptions { column, csv, coding, .. } = options.clone();
            Box::new(Column::new(file, path, &ColumnOptions { column, csv, coding })?)
        }
    })
}

impl ValueOptions<'_> {
    fn refuse_options_of_text(&self, path: &Path) -> Result<()> {
        let name = input_file::name(path);
        if let Some(column) = self.column {
            bail!("{name}: only CSV files have columns, not \"{column}\"");
        }
        let CsvArgs { header, no_header, delimiter, missing } = self.csv;
        let given = [
            ("--header", *header),
            ("--no-header", *no_header),
            ("--delimiter", delimiter.is_some()),
            ("--missing", missing.is_some()),
        ];
        let given = given.into_iter().find(|(_, is_given)| *is_given);
        ensure!(given.is_none(), "{name}: {} is for CSV files only", given.unwrap_or_default().0);
        Ok(())
    }
}

/// The form of values in a file.
pub enum Encoding {
    /// Lines of text.
    Text,
    /// The elements of a NumPy array.
    Array,
    /// Words and nothing else.
    Raw(WordFormat),
}

impl Encoding {
    /// Returns the encoding as stated, or by the file's name; text for a pipe.
    pub fn of(
        path: &Path,
        format: Option<Format>,
        is_stream: bool,
        coding: &Coding,
    ) -> Result<Self> {
        let name = input_file::name(path);
        let narrowest = match coding {
            Coding::Integers(domain) => WordFormat::of(*domain),
            Coding::Words(_, modulus) => WordFormat::of(Domain::unsigned(*modulus)),
        };
        let encoding = match (format, extension(path).as_str()) {
            (Some(Format::Csv), _) | (None, "csv") => Self::Text,
            (Some(Format::Npy), _) | (None, "npy") => Self::Array,
            (Some(Format::Raw), _) | (None, "bin") => Self::Raw(narrowest),
            (Some(Format::Raw8), _) => Self::Raw(WordFormat::unsigned(1)),
            (Some(Format::Raw16), _) => Self::Raw(WordFormat::unsigned(2)),
            (Some(Format::Raw32), _) => Self::Raw(WordFormat::unsigned(4)),
            (Some(Format::Raw64), _) => Self::Raw(WordFormat::unsigned(8)),
            (None, _) if is_stream => Self::Text,
            (None, _) => bail!(
                "{name}: its extension is not .csv, .npy or .bin; \
                 use --format csv, npy, raw, raw8, raw16, raw32 or raw64"
            ),
        };
        let is_words = matches!(coding, Coding::Words(..));
        let is_text = matches!(encoding, Self::Text);
        ensure!(is_text || !is_words, "{name}: only CSV files have words of a dictionary");
        Ok(encoding)
    }
}
