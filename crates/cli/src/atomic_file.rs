//! Outputs: files that appear whole or not at all, standard output and pipes.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
pub use cryptable_files::Access;
use cryptable_files::WholeFile;

use crate::printable::Printable as _;

/// Names of standard output.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Whether an output goes to standard output, where reports then cannot go.
static STDOUT_IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether an output goes to standard output.
pub fn stdout_is_taken() -> bool {
    STDOUT_IS_TAKEN.load(Ordering::Relaxed)
}

/// Whether a name means standard output.
pub fn is_stdout(path: &Path) -> bool {
    STDOUT.iter().any(|name| path == Path::new(name))
}

/// An output's name in messages.
pub fn shown(path: &Path) -> &Path {
    if is_stdout(path) { Path::new("standard output") } else { path }
}

/// The regular file that an output's name stands for, as [`cryptable_files::target_of`]; standard output is none.
///
/// # Errors
/// If it stands for a directory, or links go round in circles.
pub fn target_of(path: &Path) -> Result<Option<PathBuf>> {
    if is_stdout(path) {
        return Ok(None);
    }
    Ok(cryptable_files::target_of(path).map_err(|error| named(path, &error))?)
}

/// An output being written: a [`WholeFile`] whose errors name the target.
#[derive(Debug)]
pub struct AtomicFile {
    /// As the user named it, for messages.
    name: PathBuf,
    file: WholeFile,
}

impl AtomicFile {
    /// Starts an output that is written from its start to its end.
    ///
    /// # Errors
    /// If `path` is a directory, or its directory takes no new file.
    pub fn create(path: &Path, access: Access) -> Result<Self> {
        let file = if is_stdout(path) {
            STDOUT_IS_TAKEN.store(true, Ordering::Relaxed);
            stdout().map(WholeFile::through)
        } else {
            WholeFile::create(path, access)
        };
        let name = shown(path).to_path_buf();
        match file {
            Ok(file) => Ok(Self { name, file }),
            Err(error) => bail!("cannot create {}: {}", name.printable(), plain(&error)),
        }
    }

    /// Writes everything out, gives the file its name and returns its size in bytes.
    ///
    /// # Errors
    /// If the disk is full, or a file of that name exists and is not to be replaced. The temporary
    /// file is gone then.
    pub fn commit(self, replace: bool) -> Result<u64> {
        Ok(Self::commit_all(vec![self], replace)?[0])
    }

    /// Commits several files as [`WholeFile::commit_all`] does.
    ///
    /// # Errors
    /// As [`AtomicFile::commit`].
    pub fn commit_all(files: Vec<Self>, replace: bool) -> Result<Vec<u64>> {
        let (names, files): (Vec<_>, _) =
            files.into_iter().map(|file| (file.name, file.file)).unzip();
        WholeFile::commit_all(files, replace)
            .map_err(|(index, error)| named(&names[index], &error).into())
    }
}

#[cfg(unix)]
fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    if was_closed(&file) {
        return Err(io::Error::other("it is closed"));
    }
    Ok(file)
}

/// Whether standard output was closed when the program started: the standard library opens the null device in its place, for
/// reading, too, as no shell does that writes there.
#[cfg(unix)]
fn was_closed(stdout: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |metadata: std::fs::Metadata| metadata.rdev();
    let is_null = match (stdout.metadata(), std::fs::metadata("/dev/null")) {
        (Ok(found), Ok(null)) => device(found) == device(null),
        _ => false,
    };
    let flags = rustix::fs::fcntl_getfl(stdout);
    is_null && flags.is_ok_and(|flags| flags.contains(rustix::fs::OFlags::RDWR))
}

#[cfg(windows)]
fn stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| named(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(&self.name, &error))
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {}", path.printable(), plain(error)))
}

/// The error without the temporary path that `tempfile` adds.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such directory".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::BrokenPipe => "its reader is gone".into(),
        ErrorKind::AlreadyExists => "it exists (--force replaces it)".into(),
        ErrorKind::StorageFull => "the disk is full".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_file_as_the_user_does() {
        let directory = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(directory.path(), Access::Public).unwrap_err();
        assert!(error.to_string().ends_with("it is a directory"), "{error}");
        let path = directory.path().join("no/x");
        let error = AtomicFile::create(&path, Access::Public).unwrap_err();
        let expected = format!("cannot create {}: no such directory", path.printable());
        assert_eq!(error.to_string(), expected);
    }
}
