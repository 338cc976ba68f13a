//! Tables with one per value, in files: one line per value, or one row of a NumPy array.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use cryptable::engines::packed::SlotTables;

use super::csv::{Coding, ReadNote, is_header};
use super::domain::Domain;
use super::npy;
use super::raw::Words;
use super::records::{Records, is_missing, quoted};
use super::table::{FileKind, file_kind};
use crate::input_file;

/// A reader of tables in the order of the values.
pub struct ValueTables {
    source: Source,
    path: PathBuf,
    /// Input and output modulus.
    moduli: (u64, u64),
    outputs: Domain,
    /// Number of tables read so far.
    read: u64,
}

enum Source {
    /// Lines, and whether the current one has not been used yet.
    Csv(Box<Records<BufReader<File>>>, bool),
    Npy(Box<Words<BufReader<File>>>, u64),
}

/// Options for reading one table per value.
#[derive(Clone, Copy, Debug)]
pub struct ValueTableOptions {
    /// Input and output modulus.
    pub moduli: (u64, u64),
    /// Whether outputs are signed values.
    pub signed: bool,
    /// Whether the first line is a header, if stated.
    pub header: Option<bool>,
}

impl ValueTables {
    /// Opens a file: CSV where each line has the outputs of one table, or `.npy` with one row per value and one column
    /// per input.
    pub fn open(path: &Path, options: ValueTableOptions) -> Result<Self> {
        let (inputs, modulus) = options.moduli;
        let outputs = Domain { modulus: modulus.into(), signed: options.signed };
        let mut reader = BufReader::with_capacity(1 << 20, input_file::open(path)?);
        let kind = file_kind(&mut reader, path)?;
        let path = path.to_path_buf();
        let source = match kind {
            FileKind::Csv => {
                let mut records = Records::new(reader, &path, None)?;
                let mut waits = records.advance()?;
                if waits {
                    check_width(records.width() as u64, inputs, &path)?;
                }
                if waits && is_header(&records, options.header, 0..records.width(), None)? {
                    waits = records.advance()?;
                }
                Source::Csv(Box::new(records), waits)
            }
            FileKind::Npy => {
                let (shape, words) = npy::open(reader, &path, outputs)?;
                let [rows, columns] = shape[..] else {
                    bail!(
                        "{}: its shape is {shape:?}; tables for each value are the rows of a two-dimensional array",
                        input_file::name(&path)
                    )
                };
                check_width(columns, inputs, &path)?;
                Source::Npy(Box::new(words), rows)
            }
        };
        Ok(Self { source, path, moduli: options.moduli, outputs, read: 0 })
    }

    /// Reads the next tables, at most `most` of them; `None` if there are none left.
    pub fn next_tables(&mut self, most: usize) -> Result<Option<SlotTables>> {
        let inputs = self.moduli.0 as usize;
        let mut outputs = Vec::new();
        for _ in 0..most {
            match &mut self.source {
                Source::Csv(_, false) => break,
                Source::Csv(records, waits) => {
                    read_line(records, self.outputs, &mut outputs)?;
                    *waits = records.advance()?;
                }
                Source::Npy(_, rows) if self.read == *rows => break,
                Source::Npy(words, _) => {
                    for word in words.by_ref().take(inputs) {
                        outputs.push(word? as u32);
                    }
                }
            }
            self.read += 1;
        }
        if let (Source::Npy(words, rows), true) = (&mut self.source, outputs.is_empty()) {
            // The array has to end after its last row.
            if self.read == *rows {
                words.next().transpose()?;
            }
        }
        if outputs.is_empty() {
            return Ok(None);
        }
        let (inputs, modulus) = self.moduli;
        let tables = SlotTables::from_outputs(inputs, modulus, outputs);
        Ok(Some(tables.with_context(|| input_file::name(&self.path))?))
    }

    /// Reads the tables of the next `count` values.
    pub fn of_values(&mut self, count: usize) -> Result<SlotTables> {
        let before = self.read;
        let tables = self.next_tables(count)?;
        let found = self.read - before;
        let name = input_file::name(&self.path);
        tables
            .filter(|_| found == count as u64)
            .with_context(|| format!("{name}: {} tables, but there are more values", self.read))
    }

    /// Checks that every table was read.
    pub fn finish(&mut self) -> Result<()> {
        let (read, name) = (self.read, input_file::name(&self.path));
        ensure!(self.next_tables(1)?.is_none(), "{name}: more tables than the {read} values");
        Ok(())
    }

    /// Returns a summary of what was read from a CSV file.
    pub fn note(&self) -> Option<ReadNote> {
        let Source::Csv(records, _) = &self.source else { return None };
        Some(ReadNote::new(records, false, self.read))
    }
}

/// Checks that there is one column per input.
fn check_width(columns: u64, inputs: u64, path: &Path) -> Result<()> {
    ensure!(
        columns == inputs,
        "{}: {columns} columns; a table per value has one for each of the {inputs} inputs",
        input_file::name(path)
    );
    Ok(())
}

/// Appends the outputs of a line.
fn read_line(
    records: &Records<BufReader<File>>,
    domain: Domain,
    outputs: &mut Vec<u32>,
) -> Result<()> {
    let (name, line) = (input_file::name(records.path()), records.line());
    ensure!(!records.is_empty_line(), "{name} line {line}: an empty line");
    let coding = Coding::Integers(domain);
    for column in 0..records.width() {
        let place = || format!("{name} line {line}, input {column}");
        let text = records.text(column)?;
        ensure!(!is_missing(text), "{}: {} is a missing value", place(), quoted(text));
        outputs.push(coding.value(text, place)? as u32);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(name: &str, content: &[u8]) -> Result<ValueTables> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        ValueTables::open(&path, ValueTableOptions { moduli: (2, 8), signed: false, header: None })
    }

    #[test]
    fn lines_and_rows_are_tables() {
        let mut array = b"\x93NUMPY\x01\x00".to_vec();
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }\n";
        array.extend((header.len() as u16).to_le_bytes());
        array.extend(header.bytes());
        array.extend([1, 2, 3, 4, 5, 6]);
        for (name, content) in [("a.csv", b"one,two\n1,2\n3,4\n5,6\n".to_vec()), ("a.npy", array)] {
            let mut file = open(name, &content).unwrap();
            let tables = file.of_values(2).unwrap();
            assert_eq!((tables.count(), tables.output(1, 0), tables.output(0, 1)), (Some(2), 3, 2));
            let error = file.finish().unwrap_err().to_string();
            assert!(error.contains("more tables than the 2 values"), "{error}");
            let mut file = open(name, &content).unwrap();
            assert_eq!(file.next_tables(7).unwrap().unwrap().count(), Some(3));
            file.finish().unwrap();
            let mut file = open(name, &content).unwrap();
            let error = file.of_values(4).unwrap_err().to_string();
            assert!(error.contains("3 tables, but there are more values"), "{error}");
        }
    }

    #[test]
    fn what_is_no_table_is_named() {
        let error = |content: &str| {
            let read = open("a.csv", content.as_bytes()).and_then(|mut file| file.next_tables(9));
            format!("{:#}", read.unwrap_err())
        };
        assert!(
            error("1,2,3\n").contains("3 columns; a table per value has one for each of the 2")
        );
        assert!(error("1,8\n").contains("a.csv line 1, input 1: 8 is not below the modulus 8"));
        assert!(error("1,2\n\n3,4\n").contains("line 2: an empty line"));
        assert!(error("1,NA\n").contains("\"NA\" is a missing value"));
    }
}
