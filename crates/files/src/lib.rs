//! Files that are written whole or not at all, and outputs that others read at once.

#![forbid(unsafe_code)]

mod cleared_writer;
mod partial_file;
mod unnamed_file;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

pub use cleared_writer::ClearedWriter;
use partial_file::PartialFile;
pub use partial_file::{Uninterrupted, target_of_partial};

/// Folders of open files.
const OPEN_FILES: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// Most links that are followed to a file that is yet to be made.
const MAX_LINKS: usize = 40;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody whom the process's mask lets.
    Public,
    /// Its owner only (mode 0600 on Unix).
    Private,
}

impl Access {
    /// Permissions on Unix.
    fn mode(self) -> u32 {
        match self {
            Self::Public => 0o666,
            Self::Private => 0o600,
        }
    }
}

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A regular file of this name, links followed; it may be yet to be made.
    File(PathBuf),
    /// A pipe, a device, or what another program opened for this one: written straight through.
    Through(PathBuf),
}

impl Destination {
    /// Finds out what a name stands for.
    ///
    /// # Errors
    /// `IsADirectory`; if links go round in circles; that of the disk.
    pub fn of(path: &Path) -> io::Result<Self> {
        let parent = path.parent();
        if parent.is_some_and(|parent| OPEN_FILES.iter().any(|open| parent == Path::new(open))) {
            return Ok(Self::Through(path.to_path_buf()));
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(Self::File(fs::canonicalize(path)?)),
            Ok(metadata) if metadata.is_dir() => {
                Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"))
            }
            Ok(_) => Ok(Self::Through(path.to_path_buf())),
            Err(error) if error.kind() == ErrorKind::NotFound => end_of_links(path).map(Self::File),
            Err(error) => Err(error),
        }
    }
}

/// Where links lead that end at no file.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else {
            let names_file = target.file_name().is_some();
            let refused = || io::Error::new(ErrorKind::InvalidInput, "it names no file");
            return names_file.then_some(target).ok_or_else(refused);
        };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other(format!("more than {MAX_LINKS} links")))
}

/// An output being written: to a file without a name, or where the file system has none, under a temporary one in the
/// folder of its target; or to where the other side reads it at once. Its buffer is cleared.
///
/// [`WholeFile::commit`] gives it its name; dropped before that, it vanishes.
///
/// ```
/// use std::io::Write;
///
/// use cryptable_files::{Access, WholeFile};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("key");
/// let mut file = WholeFile::create(&path, Access::Private)?;
/// file.write_all(b"secret")?;
/// assert!(!path.exists());
/// assert_eq!(file.commit(false)?, 6);
/// assert!(path.exists());
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct WholeFile(ClearedWriter<Sink>);

#[derive(Debug)]
enum Sink {
    Partial(PartialFile),
    Through { file: File, bytes: u64 },
}

impl WholeFile {
    /// Starts an output that is written from its start to its end.
    ///
    /// # Errors
    /// If `path` is a directory, or its folder takes no new file.
    pub fn create(path: &Path, access: Access) -> io::Result<Self> {
        match Destination::of(path)? {
            Destination::File(target) => {
                Ok(Self(ClearedWriter::new(Sink::Partial(PartialFile::create(target, access)?))))
            }
            Destination::Through(path) => {
                Ok(Self::through(OpenOptions::new().append(true).open(path)?))
            }
        }
    }

    /// Writes straight to what is open.
    #[must_use]
    pub fn through(file: File) -> Self {
        Self(ClearedWriter::new(Sink::Through { file, bytes: 0 }))
    }

    /// Brings everything to the disk, gives the file its name and returns its size in bytes.
    ///
    /// # Errors
    /// If the disk is full; `AlreadyExists` if a file of that name exists and is not to be replaced. The temporary file
    /// is gone then.
    pub fn commit(self, replace: bool) -> io::Result<u64> {
        Ok(Self::commit_all(vec![self], replace).map_err(|(_, error)| error)?[0])
    }

    /// Brings several files to the disk and gives them their names one after the other: all or, but for those that were
    /// replaced, none. No interruption comes in between.
    ///
    /// # Errors
    /// As [`WholeFile::commit`], with the place in `files` of the one that failed.
    pub fn commit_all(files: Vec<Self>, replace: bool) -> Result<Vec<u64>, (usize, io::Error)> {
        let mut sinks = Vec::with_capacity(files.len());
        let mut sizes = Vec::with_capacity(files.len());
        for (index, Self(writer)) in files.into_iter().enumerate() {
            let mut sink = writer.into_inner().map_err(|error| (index, error))?;
            sizes.push(sink.finish().map_err(|error| (index, error))?);
            sinks.push(sink);
        }
        let mut uninterrupted = Uninterrupted::start();
        let mut published: Vec<(usize, PathBuf)> = Vec::new();
        // What is left when one fails vanishes after the lock is released.
        for (index, sink) in sinks.into_iter().enumerate() {
            let Sink::Partial(file) = sink else { continue };
            match file.persist(replace, &mut uninterrupted) {
                Ok(target) => published.push((index, target)),
                Err(error) => {
                    drop(uninterrupted);
                    for (_, path) in published {
                        let _ = fs::remove_file(path);
                    }
                    return Err((index, error));
                }
            }
        }
        drop(uninterrupted);
        for (index, path) in &published {
            sync_folder(folder_of(path)).map_err(|error| (*index, error))?;
        }
        Ok(sizes)
    }
}

impl Sink {
    /// Brings everything to the disk or through the pipe; returns the size.
    fn finish(&mut self) -> io::Result<u64> {
        match self {
            Self::Partial(file) => {
                let file = file.file();
                file.sync_all()?;
                Ok(file.metadata()?.len())
            }
            Self::Through { bytes, .. } => Ok(*bytes),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Partial(file) => file.file().write(buffer),
            Self::Through { file, bytes } => {
                let written = file.write(buffer)?;
                *bytes += written as u64;
                Ok(written)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Brings the names in a folder to the disk, where folders can be opened and the file system knows of such a thing.
///
/// # Errors
/// That of the disk.
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
