//! Lines of CSV files whose columns have known names.

use std::fs::File;
use std::path::Path;

use anyhow::{Result, bail, ensure};

use super::domain::Domain;
use super::integer;
use super::records::{Records, is_missing, quoted};
use crate::input_file;

/// A reader of lines, each of which has a field per column.
pub struct Lines<const N: usize> {
    records: Records<File>,
    columns: [&'static str; N],
    /// Whether the current line has not been returned yet.
    pending: bool,
}

impl<const N: usize> Lines<N> {
    /// Opens a file, whose first line may be a header.
    pub fn open(path: &Path, columns: [&'static str; N]) -> Result<Self> {
        let mut records = Records::new(input_file::open(path)?, path, None)?;
        let found = records.advance()?;
        let is_header = found && records.is_header() && records.missing_among(0..N).is_none();
        Ok(Self { records, columns, pending: found && !is_header })
    }

    /// Moves to the next line, and returns whether there is one.
    pub fn advance(&mut self) -> Result<bool> {
        if !std::mem::take(&mut self.pending) && !self.records.advance()? {
            return Ok(false);
        }
        let (place, width) = (self.place(), self.records.width());
        let columns = self.columns.join(",");
        ensure!(width == N, "{place}: {width} columns; there must be `{columns}`");
        ensure!(!self.records.is_empty_line(), "{place}: an empty line");
        Ok(true)
    }

    /// Returns the number of the current line, counted from 1.
    pub fn line(&self) -> u64 {
        self.records.line()
    }

    /// Returns file and number of the current line, for messages.
    pub fn place(&self) -> String {
        format!("{} line {}", input_file::name(self.records.path()), self.line())
    }

    /// Returns the text in a column of the current line.
    pub fn text(&self, column: usize) -> Result<&str> {
        Ok(self.records.text(column)?.trim())
    }

    /// Returns the integer in a column of the current line.
    pub fn integer(&self, column: usize) -> Result<i128> {
        let (text, place) = (self.text(column)?, || self.place_of(column));
        ensure!(!is_missing(text), "{}: {} is a missing value", place(), quoted(text));
        match integer::parse(text) {
            Ok(integer) => Ok(integer),
            Err(error) => bail!("{}: {} {error}", place(), quoted(text)),
        }
    }

    /// Returns the integer in a column of the current line, which has to be from 0 to below a modulus.
    pub fn below(&self, column: usize, modulus: u128) -> Result<u64> {
        let domain = Domain { modulus, signed: false };
        domain.value(self.integer(column)?, || self.place_of(column))
    }

    fn place_of(&self, column: usize) -> String {
        format!("{}, {}", self.place(), self.columns[column])
    }
}
