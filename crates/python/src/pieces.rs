//! Files that are written piece by piece, and appear when they are complete.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;

use crate::errors::Result;
use crate::files::{self, Access, AtomicFile};

/// State of a file.
enum State<W> {
    /// Not begun: the first piece may determine what all pieces share.
    Empty,
    Begun(Box<W>),
    Ended,
}

/// A file of pieces, written by a writer of the library with one piece in memory.
pub(crate) struct Pieces<W> {
    path: PathBuf,
    replace: bool,
    state: Mutex<State<W>>,
}

impl<W> Pieces<W> {
    pub(crate) fn new(path: PathBuf, replace: bool) -> Self {
        Self { path, replace, state: Mutex::new(State::Empty) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn state(&self) -> MutexGuard<'_, State<W>> {
        // A file that a panic leaves half-written never replaces the old one: writers end with a digest or a mark.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a piece; `begin` makes the writer for the first one.
    pub(crate) fn write(
        &self,
        begin: impl FnOnce(AtomicFile) -> Result<W>,
        write: impl FnOnce(&mut W) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.state();
        if let State::Empty = *state {
            let file = files::create(&self.path, Access::Public, self.replace)?;
            *state = State::Begun(Box::new(begin(file)?));
        }
        match &mut *state {
            State::Begun(writer) => write(writer),
            State::Empty | State::Ended => Err(PyValueError::new_err("the writer is closed")),
        }
    }

    /// Completes the file; a second call does nothing.
    pub(crate) fn close(&self, finish: impl FnOnce(W) -> Result<AtomicFile>) -> Result<()> {
        match std::mem::replace(&mut *self.state(), State::Ended) {
            State::Begun(writer) => Ok(finish(*writer)?.commit(self.replace).map(drop)?),
            State::Empty => Err(PyValueError::new_err("a file needs at least one piece")),
            State::Ended => Ok(()),
        }
    }

    /// Discards the file.
    pub(crate) fn abandon(&self) {
        *self.state() = State::Ended;
    }
}

/// Adds the common methods of writers of files in pieces: creation, completion, `with` blocks, and a text.
///
/// The class has one field, `pieces`; `finish` completes its writer and returns the file.
macro_rules! writer_of_pieces {
    ($class:ident, $finish:expr) => {
        #[pyo3::pymethods]
        impl $class {
            /// Makes a writer of a new file; an existing file is replaced only with `replace=True`.
            #[new]
            #[pyo3(signature = (path, *, replace = false))]
            fn new(path: std::path::PathBuf, replace: bool) -> Self {
                Self { pieces: $crate::pieces::Pieces::new(path, replace) }
            }

            /// Completes the file.
            fn close(&self, py: pyo3::Python<'_>) -> $crate::errors::Result<()> {
                $crate::call::detach(py, || self.pieces.close($finish))
            }

            fn __enter__(slf: pyo3::Py<Self>) -> pyo3::Py<Self> {
                slf
            }

            #[pyo3(signature = (kind: "type[BaseException] | None", *_error: "object"))]
            fn __exit__(
                &self,
                py: pyo3::Python<'_>,
                kind: &pyo3::Bound<'_, pyo3::PyAny>,
                _error: &pyo3::Bound<'_, pyo3::types::PyTuple>,
            ) -> $crate::errors::Result<()> {
                if kind.is_none() {
                    return self.close(py);
                }
                self.pieces.abandon();
                Ok(())
            }

            fn __repr__(&self) -> String {
                format!(concat!(stringify!($class), "({})"), self.pieces.path().display())
            }
        }
    };
}

/// Adds the common methods of readers of such files: iteration and `with` blocks.
macro_rules! reader_of_pieces {
    ($class:ident) => {
        #[pyo3::pymethods]
        impl $class {
            fn __enter__(slf: pyo3::Py<Self>) -> pyo3::Py<Self> {
                slf
            }

            /// Does nothing, since files are closed when their readers are deleted.
            #[pyo3(signature = (*_error: "object"))]
            fn __exit__(&self, _error: &pyo3::Bound<'_, pyo3::types::PyTuple>) {}

            fn __iter__(slf: pyo3::Py<Self>) -> pyo3::Py<Self> {
                slf
            }
        }
    };
}

pub(crate) use {reader_of_pieces, writer_of_pieces};
