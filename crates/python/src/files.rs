//! Files that are never left half-written.

use std::io::{BufWriter, Write};
use std::path::Path;

use pyo3::exceptions::{PyFileExistsError, PyOSError};
use tempfile::NamedTempFile;

use crate::errors::Result;

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Whoever the umask lets.
    Public,
    /// The owner.
    Owner,
}

/// What a file is written to.
pub(crate) type Out<'a> = &'a mut (dyn Write + Send);

/// Writes a file beside its place and moves it there when it is complete and on the disk.
///
/// # Errors
/// `FileExistsError` if there is a file and `replace` is not set; those of `write` and of the disk.
pub(crate) fn write_file<E: Into<pyo3::PyErr>>(
    path: &Path,
    access: Access,
    replace: bool,
    write: impl FnOnce(Out<'_>) -> std::result::Result<(), E>,
) -> Result<()> {
    if !replace && path.exists() {
        let message = format!("{}: exists; replace=True replaces it", path.display());
        return Err(PyFileExistsError::new_err(message));
    }
    let failed = |error: std::io::Error| PyOSError::new_err(format!("{}: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    // Owner only, as temporary files are made.
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    if access == Access::Public {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file: NamedTempFile = builder.tempfile_in(folder).map_err(failed)?;
    let mut out = BufWriter::new(file);
    write(&mut out).map_err(Into::into)?;
    let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
    file.as_file().sync_all().map_err(failed)?;
    if replace {
        file.persist(path).map_err(|error| failed(error.error))?;
    } else {
        file.persist_noclobber(path).map_err(|error| failed(error.error))?;
    }
    Ok(())
}

/// Reads a file.
///
/// # Errors
/// `OSError` that names it.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))
}
