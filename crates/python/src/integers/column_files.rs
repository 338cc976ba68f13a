//! Files of columns, written and read part after part.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use cryptable::engines::{packed, single};
use cryptable::integers::{
    AnyColumn, ColumnReader as LibraryReader, ColumnWriter as LibraryWriter, DigitCiphertext,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::column::{Column, EngineColumn, each_engine};
use super::parts::{Parts, count_of};
use crate::errors::{Result, raise};
use crate::files::{AtomicFile, open};
use crate::pieces::Pieces;

/// Writes a file of a column part after part, in the memory of one. It appears when it is whole: at `close`, or at the end of
/// a `with` block, but not if that ends by an exception.
#[pyclass(frozen, module = "cryptable.integers")]
pub(crate) struct ColumnWriter {
    pieces: Pieces<LibraryWriter<AtomicFile>>,
}

#[pymethods]
impl ColumnWriter {
    /// A writer of a new file; an existing one is replaced only if told so.
    #[new]
    #[pyo3(signature = (path, *, replace = false))]
    fn new(path: PathBuf, replace: bool) -> Self {
        Self { pieces: Pieces::new(path, replace) }
    }

    /// Appends the values of a column: of the same key and type as the first.
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

    /// Completes the file.
    fn close(&self, py: Python<'_>) -> Result<()> {
        crate::call::detach(py, || self.pieces.close(|writer| writer.finish().map_err(raise)))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (kind: "type[BaseException] | None", *_error: "object"))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyTuple>,
    ) -> Result<()> {
        if kind.is_none() {
            return self.close(py);
        }
        self.pieces.abandon();
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("ColumnWriter({})", self.pieces.path().display())
    }
}

/// A reader of columns of one of the engines.
enum EngineReader {
    Packed(LibraryReader<BufReader<File>, packed::Ciphertext>),
    Single(LibraryReader<BufReader<File>, single::Ciphertext>),
}

/// Reads a file of a column part after part, in the memory of two, each of which is checked before it is given. Iterates over
/// columns of one dimension.
#[pyclass(frozen, module = "cryptable.integers")]
pub(crate) struct ColumnReader {
    path: PathBuf,
    reader: Mutex<EngineReader>,
}

/// The next part of a file.
fn next<C: DigitCiphertext>(
    reader: &mut LibraryReader<BufReader<File>, C>,
) -> cryptable::Result<Option<Parts<C>>> {
    let part = reader.next_part::<AnyColumn<C>>()?;
    // Of a file, some digit of every part is encrypted.
    part.map(|part| Parts::new(vec![(count_of(&part).unwrap_or(1), part)])).transpose()
}

#[pymethods]
impl ColumnReader {
    /// Opens a file and checks its first part.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> Result<Self> {
        let reader = crate::call::detach(py, || match LibraryReader::new(open(&path)?) {
            Ok(reader) => Ok(EngineReader::Packed(reader)),
            // Files say which engine they are of; what is neither is refused by both.
            Err(error) => match LibraryReader::new(open(&path)?) {
                Ok(reader) => Ok(EngineReader::Single(reader)),
                Err(_) => Err(raise(error)),
            },
        })?;
        Ok(Self { path, reader: Mutex::new(reader) })
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Nothing is left to do: files are closed with their readers.
    #[pyo3(signature = (*_error: "object"))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {}

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
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
