//! Files of all kinds of keys: secret keys only their owner may read, evaluation keys mapped into memory and pickled by
//! path.

use std::path::{Path, PathBuf};

use cryptable::{ReadOptions, SharedBytes};
use cryptable_wire::peek_header;
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::call::{self, Progress};
use crate::errors::{Result, raise, raise_of};
use crate::files::{Access, Out, read_file, read_start, write_file};
use crate::stated_types::Shape;
use crate::watched_file::WatchedFile;

/// Return value of `__reduce__` for `pickle`: a function and its arguments.
pub(crate) type Reduced<'py, A> = (Bound<'py, PyAny>, A);

/// Return value of `__reduce__` for an encrypted array: its class, its bytes and its shape.
pub(crate) type ReducedArray<'py> =
    Reduced<'py, (Bound<'py, PyAny>, Bound<'py, PyBytes>, Shape<'py>)>;

/// Return value of `__reduce__` for an opened key: its class, its path, and whether insecure ones are allowed.
pub(crate) type ReducedKey<'py> = Reduced<'py, (Bound<'py, PyAny>, PathBuf, bool)>;

/// Checks that there is room for the memory that work needs.
///
/// # Errors
/// `MemoryError`: an allocation that fails would end the interpreter.
pub(crate) fn check_memory(what: &'static str, needed: usize) -> Result<()> {
    cryptable::memory::check(what, needed).map_err(raise)
}

/// Returns the options for reading files.
pub(crate) fn read_options(allow_insecure: bool) -> ReadOptions {
    let options = ReadOptions::default();
    if allow_insecure { options.allow_insecure() } else { options }
}

/// Origin of a server's key: a file, whose path is pickled, or memory.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    path: Option<PathBuf>,
    allow_insecure: bool,
}

impl Origin {
    /// A file or folder.
    pub(crate) fn of(path: &Path, allow_insecure: bool) -> Result<Self> {
        Ok(Self { path: Some(std::path::absolute(path)?), allow_insecure })
    }

    /// Returns how to restore a key of this class from a pickle: from its file, whose pages are shared with other
    /// processes.
    ///
    /// # Errors
    /// `TypeError` for a key that has no file.
    pub(crate) fn reduce<'py, T: PyTypeInfo>(&self, py: Python<'py>) -> Result<ReducedKey<'py>> {
        let Some(path) = &self.path else {
            return Err(PyTypeError::new_err(
                "a key of a server in memory is not pickled: it may have gigabytes; write it by \
                 SecretKey.save_evaluation_key(path) or its like, and pickle EvaluationKey.open(path), which is its path",
            ));
        };
        let restore = py.import("cryptable._pickling")?.getattr("opened")?;
        let class = py.get_type::<T>().into_any();
        Ok((restore, (class, path.clone(), self.allow_insecure)))
    }
}

/// Maps a key's file into memory, reads it and checks all of it.
pub(crate) fn open_mapped<T: Send>(
    py: Python<'_>,
    path: &Path,
    allow_insecure: bool,
    read: impl FnOnce(SharedBytes, ReadOptions) -> cryptable::Result<T> + Send,
) -> Result<(T, Origin)> {
    let origin = Origin::of(path, allow_insecure)?;
    let options = read_options(allow_insecure);
    let open = || read(WatchedFile::open(path)?, options);
    let key = call::run_silently(py, || Ok(open()))?.map_err(raise_of(path))?;
    Ok((key, origin))
}

/// Reads the file of a secret key.
pub(crate) fn load_secret<T: Send>(
    py: Python<'_>,
    path: &Path,
    allow_insecure: bool,
    read: impl FnOnce(&[u8], ReadOptions) -> cryptable::Result<T> + Send,
) -> Result<T> {
    call::detach(py, || {
        // A file of another kind may be gigabytes long, but its first bytes reveal its kind.
        let start = read_start(path)?;
        let is_secret = peek_header(&start).is_ok_and(|it| it.object_type.is_secret_key());
        let bytes = Zeroizing::new(if is_secret { read_file(path)? } else { start });
        read(&bytes, read_options(allow_insecure)).map_err(raise_of(path))
    })
}

/// Reads a public file. Errors name the file.
pub(crate) fn load_public<T: Send>(
    py: Python<'_>,
    path: &Path,
    read: impl FnOnce(&[u8]) -> cryptable::Result<T> + Send,
) -> Result<T> {
    call::detach(py, || read(&read_file(path)?).map_err(raise_of(path)))
}

/// Writes a secret key to a file that only its owner may read.
pub(crate) fn save_secret(path: &Path, replace: bool, bytes: &[u8]) -> Result<()> {
    write_file(path, Access::Private, replace, |out| out.write_all(bytes))
}

/// Writes a file that everybody may read.
pub(crate) fn save_public(py: Python<'_>, path: &Path, replace: bool, bytes: &[u8]) -> Result<()> {
    call::detach(py, || write_file(path, Access::Public, replace, |out| out.write_all(bytes)))
}

/// Makes a server's key and writes it to a file without ever holding all of it in memory.
pub(crate) fn write_evaluation_key(
    py: Python<'_>,
    path: &Path,
    replace: bool,
    threads: usize,
    progress: Option<Progress<'_>>,
    write: impl FnOnce(Out<'_>, cryptable::Progress<'_>) -> cryptable::Result<()> + Send,
) -> Result<()> {
    write_file(path, Access::Public, replace, |out| {
        call::run_engine(py, threads, progress, "evaluation key", |progress| write(out, progress))
    })
}

/// Returns the error that says why secrets are not pickled.
pub(crate) fn refuse_pickle(class: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "a {class} is not pickled: it would be copied to whoever reads the pickle; save() writes a file"
    ))
}
