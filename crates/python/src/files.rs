//! Files that are never left half-written.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::PyErr;
use pyo3::exceptions::PyFileExistsError;
use tempfile::NamedTempFile;

use crate::errors::Result;
use crate::watched_file::WatchedFile;

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

/// Where bytes of a [`PendingFile`] go.
enum Target {
    /// A file beside its place.
    Beside(NamedTempFile),
    /// A pipe or a device, which is written to and never replaced.
    InPlace(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(file) => file.write(bytes),
            Self::InPlace(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file) => file.flush(),
            Self::InPlace(file) => file.flush(),
        }
    }
}

/// A file that is written beside its place, and is moved there when it is complete. Dropped before, it is gone. Pipes and
/// devices are written to where they are.
pub(crate) struct PendingFile {
    out: BufWriter<Target>,
    path: PathBuf,
    replace: bool,
}

impl PendingFile {
    /// Begins a file.
    ///
    /// # Errors
    /// `FileExistsError` if there is one and `replace` is not set; those of the disk.
    pub(crate) fn create(path: &Path, access: Access, replace: bool) -> Result<Self> {
        let found = std::fs::metadata(path).ok();
        if found.as_ref().is_some_and(|it| !it.is_file() && !it.is_dir()) {
            let device = File::options().write(true).open(path);
            let target = Target::InPlace(device.map_err(|error| failed(path, &error))?);
            return Ok(Self { out: BufWriter::new(target), path: path.to_owned(), replace });
        }
        if !replace && found.is_some() {
            let message = format!("{}: exists; replace=True replaces it", path.display());
            return Err(PyFileExistsError::new_err(message));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        // Owner only, as temporary files are made.
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        if access == Access::Public {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|error| failed(path, &error))?;
        Ok(Self { out: BufWriter::new(Target::Beside(file)), path: path.to_owned(), replace })
    }

    /// Moves it to its place, once it is on the disk. Bytes for a pipe or a device are there.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn commit(self) -> Result<()> {
        let Self { out, path, replace } = self;
        let target = out.into_inner().map_err(|error| failed(&path, &error.into_error()))?;
        let Target::Beside(file) = target else { return Ok(()) };
        file.as_file().sync_all().map_err(|error| failed(&path, &error))?;
        let moved = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
        moved.map_err(|error| failed(&path, &error.error))?;
        Ok(())
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The `OSError` of its kind that names the file.
fn failed(path: &Path, error: &io::Error) -> PyErr {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

/// Opens a file for reading.
///
/// # Errors
/// That of the disk, with the path.
pub(crate) fn open(path: &Path) -> Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path).map_err(|error| failed(path, &error))?))
}

/// Writes a file beside its place and moves it there when it is complete and on the disk.
///
/// # Errors
/// `FileExistsError` if there is a file and `replace` is not set; those of `write` and of the disk.
pub(crate) fn write_file<E: Into<PyErr>>(
    path: &Path,
    access: Access,
    replace: bool,
    write: impl FnOnce(Out<'_>) -> std::result::Result<(), E>,
) -> Result<()> {
    let mut file = PendingFile::create(path, access, replace)?;
    write(&mut file).map_err(Into::into)?;
    file.commit()
}

/// Maps a file into memory: one that is longer than that. Calls that read it fail if somebody changes it meanwhile.
///
/// # Errors
/// `OSError` that names it.
pub(crate) fn map_file(path: &Path) -> Result<Arc<WatchedFile>> {
    Ok(WatchedFile::open(path)?)
}

/// Reads a file.
///
/// # Errors
/// `OSError` that names it.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| failed(path, &error))
}

/// Reads as much of a file as says what it is.
///
/// # Errors
/// `OSError` that names it.
pub(crate) fn read_start(path: &Path) -> Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut file = open(path)?.take(cryptable_wire::HEADER_BYTES as u64);
    file.read_to_end(&mut start).map_err(|error| failed(path, &error))?;
    Ok(start)
}
