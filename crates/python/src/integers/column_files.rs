//! Files of columns, written and read part by part.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use cryptable::engines::{packed, single};
use cryptable::integers::{
    AnyColumn, ColumnReader as LibraryReader, ColumnWriter as LibraryWriter, DigitCiphertext,
};
use pyo3::prelude::*;

use super::column::{Column, EngineColumn, each_engine};
use super::parts::{Parts, count_of};
use crate::errors::{Result, raise};
use crate::files::{AtomicFile, open};
use crate::pieces::{Pieces, reader_of_pieces, writer_of_pieces};

/// Writes a file of a column part by part, with one part in memory. The file appears when it is complete: at `close`,
/// or at the end of a `with` block unless that ends with an exception.
#[pyclass(frozen, module = "cryptable.integers")]
pub(crate) struct ColumnWriter {
    pieces: Pieces<LibraryWriter<AtomicFile>>,
}

#[pymethods]
impl ColumnWriter {
    /// Appends the values of a column of the same key and type as the first.
    fn write(&self, py: Python<'_>, column: &Column) -> Result<()> {
        crate::call::detach(py, || {
            self.pieces.write(
                |file| Ok(LibraryWriter::new(file)),
                |writer| {
                    each_engine!(&*column.inner, parts => {
                        parts.parts.iter().try_for_each(|(_, part)| writer.push(part))
                    })
                    .map_err(raise)
                },
            )
        })
    }
}

/// A reader of columns, for one of the engines.
enum EngineReader {
    Packed(LibraryReader<BufReader<File>, packed::Ciphertext>),
    Single(LibraryReader<BufReader<File>, single::Ciphertext>),
}

writer_of_pieces!(ColumnWriter, |writer| writer.finish().map_err(raise));

/// Reads a file of a column part by part, with two parts in memory, and checks each before it is returned. Iteration
/// yields columns of one dimension.
#[pyclass(frozen, module = "cryptable.integers")]
pub(crate) struct ColumnReader {
    path: PathBuf,
    reader: Mutex<EngineReader>,
}

/// Reads the next part of a file.
fn next<C: DigitCiphertext>(
    reader: &mut LibraryReader<BufReader<File>, C>,
) -> cryptable::Result<Option<Parts<C>>> {
    let part = reader.next_part::<AnyColumn<C>>()?;
    // In a file, every part has at least one encrypted digit.
    part.map(|part| Parts::new(vec![(count_of(&part).unwrap_or(1), part)])).transpose()
}

#[pymethods]
impl ColumnReader {
    /// Opens a file and checks its first part.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> Result<Self> {
        let reader = crate::call::detach(py, || match LibraryReader::new(open(&path)?) {
            Ok(reader) => Ok(EngineReader::Packed(reader)),
            // Files state their engine; a file of neither engine is refused by both readers.
            Err(error) => match LibraryReader::new(open(&path)?) {
                Ok(reader) => Ok(EngineReader::Single(reader)),
                Err(_) => Err(raise(error)),
            },
        })?;
        Ok(Self { path, reader: Mutex::new(reader) })
    }

    fn __next__(&self, py: Python<'_>) -> Result<Option<Column>> {
        let found = crate::call::detach(py, || {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(match &mut *reader {
                EngineReader::Packed(reader) => next(reader)?.map(EngineColumn::Packed),
                EngineReader::Single(reader) => next(reader)?.map(EngineColumn::Single),
            })
        });
        let found = found.map_err(raise)?;
        Ok(found.map(|column| {
            let shape = vec![each_engine!(&column, parts => parts.count())];
            Column::new(column, shape)
        }))
    }

    fn __repr__(&self) -> String {
        format!("ColumnReader({})", self.path.display())
    }
}

reader_of_pieces!(ColumnReader);
