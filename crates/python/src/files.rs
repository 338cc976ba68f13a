//! Files that are never left half-written.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use cryptable_files::{Access, AtomicFile};
use pyo3::exceptions::PyFileExistsError;
use pyo3::prelude::*;

use crate::call;
use crate::errors::{Result, raise_of_system};
use crate::watched_file::WatchedFile;

/// Target of a file's bytes.
pub(crate) type Out<'a> = &'a mut (dyn Write + Send);

/// Begins writing a file.
///
/// # Errors
/// `FileExistsError` if the file exists and `replace` is not set; the errors of the disk.
pub(crate) fn create(path: &Path, access: Access, replace: bool) -> Result<AtomicFile> {
    if !replace && path.is_file() {
        let message = format!("{} exists; replace=True replaces it", path.display());
        return Err(PyFileExistsError::new_err(message));
    }
    Ok(AtomicFile::create(path, access)?)
}

/// Returns the `OSError` of the same kind that names the file.
fn failed(path: &Path, error: &io::Error) -> PyErr {
    raise_of_system(&io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path).map_err(|error| failed(path, &error))?))
}

/// Writes a temporary file next to the target and moves it there when it is complete and on disk.
///
/// # Errors
/// `FileExistsError` if the file exists and `replace` is not set; the errors of `write` and of the disk.
pub(crate) fn write_file<E: Into<PyErr>>(
    path: &Path,
    access: Access,
    replace: bool,
    write: impl FnOnce(Out<'_>) -> std::result::Result<(), E>,
) -> Result<()> {
    let mut file = create(path, access, replace)?;
    write(&mut file).map_err(Into::into)?;
    file.commit(replace)?;
    Ok(())
}

/// Writes a file completely or not at all, replacing an existing one.
#[pyfunction]
#[pyo3(name = "write_file")]
pub(crate) fn write_bytes(py: Python<'_>, path: PathBuf, content: &[u8]) -> Result<()> {
    call::detach(py, || write_file(&path, Access::Public, true, |out| out.write_all(content)))
}

/// Maps a file into memory. Calls that read it fail if somebody changes it meanwhile.
pub(crate) fn map_file(path: &Path) -> Result<Arc<WatchedFile>> {
    Ok(WatchedFile::open(path)?)
}

/// Reads a file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| failed(path, &error))
}

/// Reads the beginning of a file, which states its kind.
pub(crate) fn read_start(path: &Path) -> Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut file = open(path)?.take(cryptable_wire::HEADER_BYTES as u64);
    file.read_to_end(&mut start).map_err(|error| failed(path, &error))?;
    Ok(start)
}
