//! Files that are written whole or not at all, and outputs that others read while they are written.

#![forbid(unsafe_code)]

mod cleared_writer;
mod temporary_name;
mod unnamed;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

pub use cleared_writer::ClearedWriter;
use temporary_name::TemporaryName;
pub use temporary_name::{Uninterrupted, target_of_temporary};

/// Folders in which the system lists a process's open files.
const OPEN_FILES: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// Largest number of links that are followed to a file that does not exist yet.
const MAX_LINKS: usize = 40;

/// Readers of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody whom the process's umask allows.
    Public,
    /// Its owner only (mode 0600 on Unix).
    Private,
}

impl Access {
    /// Returns the permissions on Unix.
    fn mode(self) -> u32 {
        match self {
            Self::Public => 0o666,
            Self::Private => 0o600,
        }
    }
}

/// Returns the regular file that a name stands for, after following links. The file need not exist yet. Returns `None`
/// for pipes, devices and files that another program opened for this one, which are written directly.
///
/// # Errors
/// If it is a directory, the links form a circle, or the name is not that of a file; errors of the disk.
pub fn target_of(path: &Path) -> io::Result<Option<PathBuf>> {
    let parent = path.parent();
    if parent.is_some_and(|parent| OPEN_FILES.iter().any(|open| parent == Path::new(open))) {
        return Ok(None);
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => fs::canonicalize(path).map(Some),
        Ok(metadata) if metadata.is_dir() => {
            return Err(explained("write", path, &ErrorKind::IsADirectory.into()));
        }
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => end_of_links(path).map(Some),
        Err(error) => Err(error),
    }
    .map_err(|error| explained("create", path, &error))
}

/// Follows links to a file that does not exist yet.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) if target.file_name().is_some() => return Ok(target),
            Err(_) => return Err(io::Error::new(ErrorKind::InvalidInput, "it names no file")),
        }
    }
    Err(io::Error::other(format!("more than {MAX_LINKS} links")))
}

/// An output being written. A regular file has no name yet, or, where the file system requires one, a temporary name in
/// the folder of its target. Other outputs are written directly, so that the other side reads at once. The buffer is
/// cleared when dropped.
///
/// [`AtomicFile::commit`] gives the file its name; a file that is dropped before vanishes.
///
/// ```
/// use std::io::Write;
///
/// use cryptable_files::{Access, AtomicFile};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("key");
/// let mut file = AtomicFile::create(&path, Access::Private)?;
/// file.write_all(b"secret")?;
/// assert!(!path.exists());
/// assert_eq!(file.commit(false)?, 6);
/// assert!(path.exists());
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    /// Path as the user wrote it, for error messages.
    name: PathBuf,
    writer: ClearedWriter<File>,
    bytes: u64,
    /// `None` if the output is written directly.
    target: Option<PathBuf>,
    /// `None` if the file has no name yet.
    temporary: Option<TemporaryName>,
}

impl AtomicFile {
    /// Starts an output.
    ///
    /// # Errors
    /// If `path` is a directory, or no file can be made in its folder.
    pub fn create(path: &Path, access: Access) -> io::Result<Self> {
        let failed = |error: io::Error| explained("create", path, &error);
        let Some(target) = target_of(path)? else {
            let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
            return Ok(Self::through(file, path));
        };
        match unnamed::create(folder_of(&target), access.mode()).map_err(failed)? {
            Some(file) => Ok(Self { target: Some(target), ..Self::through(file, path) }),
            None => Self::create_named(target, path, access).map_err(failed),
        }
    }

    /// Starts a file under a temporary name.
    fn create_named(target: PathBuf, path: &Path, access: Access) -> io::Result<Self> {
        let (file, name) = TemporaryName::create(&target, access)?;
        Ok(Self { target: Some(target), temporary: Some(name), ..Self::through(file, path) })
    }

    /// Writes directly to an open file.
    #[must_use]
    pub fn through(file: File, name: &Path) -> Self {
        let writer = ClearedWriter::new(file);
        Self { name: name.to_owned(), writer, bytes: 0, target: None, temporary: None }
    }

    /// Flushes everything to the disk, gives the file its name and returns its size in bytes.
    ///
    /// # Errors
    /// If the disk is full; `AlreadyExists` if a file of that name exists and must not be replaced. The temporary file
    /// is removed in both cases.
    pub fn commit(self, replace: bool) -> io::Result<u64> {
        Ok(Self::commit_all(vec![self], replace)?[0])
    }

    /// Flushes several files to the disk and gives them their names one after the other. Either all get their names or
    /// none does, except that files already replaced stay replaced. The process cannot be interrupted in between.
    ///
    /// # Errors
    /// The same as those of [`AtomicFile::commit`].
    pub fn commit_all(files: Vec<Self>, replace: bool) -> io::Result<Vec<u64>> {
        let sizes = files.iter().map(|file| file.bytes).collect();
        let mut written = Vec::with_capacity(files.len());
        for Self { name, writer, target, temporary, .. } in files {
            let failed = |error: io::Error| explained("write", &name, &error);
            let file = writer.into_inner().map_err(failed)?;
            let Some(target) = target else { continue };
            file.sync_all().map_err(failed)?;
            written.push((name, file, target, temporary));
        }
        let mut published = Vec::new();
        // If one fails, the remaining temporary files are removed after the lock is released.
        let mut written = written.into_iter();
        let mut uninterrupted = Uninterrupted::start();
        let outcome: io::Result<()> =
            written.by_ref().try_for_each(|(name, file, target, temporary)| {
                match temporary {
                    Some(temporary) => temporary.give(&target, replace, &mut uninterrupted),
                    None => give_name(&file, &target, replace),
                }
                .map_err(|error| explained("write", &name, &error))?;
                published.push((name, target));
                Ok(())
            });
        drop(uninterrupted);
        if outcome.is_err() {
            published.iter().for_each(|(_, path)| drop(fs::remove_file(path)));
        }
        outcome?;
        for (name, path) in published {
            sync_folder(folder_of(&path)).map_err(|error| explained("write", &name, &error))?;
        }
        Ok(sizes)
    }
}

/// Replaces the temporary path that `tempfile` adds to an error by the path of the file.
fn explained(call: &str, path: &Path, error: &io::Error) -> io::Error {
    let reason = match error.kind() {
        ErrorKind::NotFound => "no such directory",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::BrokenPipe => "its reader is gone",
        ErrorKind::AlreadyExists => "it exists",
        ErrorKind::StorageFull => "the disk is full",
        ErrorKind::IsADirectory => "it is a directory",
        _ => &error.to_string(),
    };
    io::Error::new(error.kind(), format!("cannot {call} {}: {reason}", path.display()))
}

/// Gives a file without a name its name. Links cannot replace files, so to replace one, the file first gets a temporary
/// name and is then renamed. If the program is killed in between, a complete file remains under a temporary name.
fn give_name(file: &File, target: &Path, replace: bool) -> io::Result<()> {
    match unnamed::link(file, target) {
        Err(error) if replace && error.kind() == ErrorKind::AlreadyExists => {}
        linked => return linked,
    }
    let prefix = temporary_name::prefix(target);
    let mut builder = tempfile::Builder::new();
    let link = |name: &Path| unnamed::link(file, name);
    let link = builder.prefix(&prefix).make_in(folder_of(target), link)?;
    // The error holds the temporary name, which vanishes with it.
    link.into_temp_path().persist(target).map_err(|error| error.error)
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let failed = |error| explained("write", &self.name, &error);
        let written = self.writer.write(bytes).map_err(failed)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| explained("write", &self.name, &error))
    }
}

/// Returns the folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Flushes the names in a folder to the disk, where folders can be opened and the file system supports it.
///
/// # Errors
/// Errors of the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    use ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => {
            Ok(())
        }
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests;
