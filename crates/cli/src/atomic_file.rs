//! Outputs: files that appear whole or not at all, standard output and pipes.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

use crate::cleared_writer::ClearedWriter;
use crate::interrupt::{PartialFile, Place, Uninterrupted};
use crate::printable::Printable as _;

/// Names of standard output.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Directories of open files.
const OPEN_FILES: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// Most links that are followed to a file that is yet to be made.
const MAX_LINKS: usize = 40;

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

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody whom the process's mask lets.
    Public,
    /// Its owner only (mode 0600 on Unix).
    #[cfg(feature = "client")]
    Private,
}

impl Access {
    /// Permissions on Unix.
    fn mode(self) -> u32 {
        match self {
            Self::Public => 0o666,
            #[cfg(feature = "client")]
            Self::Private => 0o600,
        }
    }
}

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A regular file of this name, links followed; it may be yet to be made.
    File(PathBuf),
    /// Standard output.
    Stdout,
    /// A pipe, a device, or what another program opened for this one: written straight through.
    Through(PathBuf),
}

impl Destination {
    /// Finds out what a name stands for.
    ///
    /// # Errors
    /// If it stands for a directory, or links go round in circles.
    pub fn of(path: &Path) -> Result<Self> {
        let name = path.printable();
        if is_stdout(path) {
            return Ok(Self::Stdout);
        }
        if path
            .parent()
            .is_some_and(|parent| OPEN_FILES.iter().any(|open| parent == Path::new(open)))
        {
            return Ok(Self::Through(path.to_path_buf()));
        }
        let failed = || format!("cannot write {name}");
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                Ok(Self::File(fs::canonicalize(path).with_context(failed)?))
            }
            Ok(metadata) if metadata.is_dir() => bail!("cannot write {name}: it is a directory"),
            Ok(_) => Ok(Self::Through(path.to_path_buf())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self::File(end_of_links(path).with_context(failed)?))
            }
            Err(error) => Err(anyhow::anyhow!("cannot create {name}: {}", plain(&error))),
        }
    }
}

/// Where links lead that end at no file.
fn end_of_links(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    bail!("more than {MAX_LINKS} links")
}

/// An output being written: to a file without a name, or where the file system has none, under a temporary one in the
/// directory of its target; or to where the other side reads it at once.
///
/// [`AtomicFile::commit`] gives it its name; dropped before that, it vanishes. All its errors name
/// the target.
#[derive(Debug)]
pub struct AtomicFile {
    /// As the user named it, for messages.
    name: PathBuf,
    writer: ClearedWriter<Sink>,
}

#[derive(Debug)]
enum Sink {
    Partial { file: PartialFile, target: PathBuf, prefix: String, access: Access },
    Through { file: File, bytes: u64 },
}

impl AtomicFile {
    /// Starts an output that is written from its start to its end.
    ///
    /// # Errors
    /// If `path` is a directory, or its directory takes no new file.
    pub fn create(path: &Path, access: Access) -> Result<Self> {
        let failed = |error: io::Error| {
            anyhow::anyhow!("cannot create {}: {}", shown(path).printable(), plain(&error))
        };
        let sink = match Destination::of(path)? {
            Destination::File(target) => {
                let prefix = temporary_prefix(&target, path)?;
                let file = PartialFile::create(place(&target, &prefix, access)).map_err(failed)?;
                Sink::Partial { file, target, prefix, access }
            }
            Destination::Stdout => {
                STDOUT_IS_TAKEN.store(true, Ordering::Relaxed);
                Sink::Through { file: stdout().map_err(failed)?, bytes: 0 }
            }
            Destination::Through(path) => {
                let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
                Sink::Through { file, bytes: 0 }
            }
        };
        Ok(Self { name: shown(path).to_path_buf(), writer: ClearedWriter::new(sink) })
    }

    /// Writes everything out, gives the file its name and returns its size in bytes.
    ///
    /// # Errors
    /// If the disk is full, or a file of that name exists and is not to be replaced. The temporary
    /// file is gone then.
    pub fn commit(self, replace: bool) -> Result<u64> {
        Ok(Self::commit_all(vec![self], replace)?[0])
    }

    /// Writes several files out and gives them their names one after the other: all or, but for those that were
    /// replaced, none. No interruption comes in between.
    ///
    /// # Errors
    /// As [`AtomicFile::commit`].
    pub fn commit_all(files: Vec<Self>, replace: bool) -> Result<Vec<u64>> {
        let mut finished = VecDeque::with_capacity(files.len());
        let mut sizes = Vec::with_capacity(files.len());
        for Self { name, writer } in files {
            let failed = |error: io::Error| named(&name, &error);
            let mut sink = writer.into_inner().map_err(failed)?;
            sizes.push(sink.finish().map_err(failed)?);
            finished.push_back((name, sink));
        }
        let mut uninterrupted = Uninterrupted::start();
        let mut published: Vec<PathBuf> = Vec::new();
        // What is left when one fails vanishes after the lock is released.
        while let Some((name, sink)) = finished.pop_front() {
            let Sink::Partial { file, target, prefix, access } = sink else { continue };
            let place = place(&target, &prefix, access);
            if let Err(error) = file.persist(&target, replace, place, &mut uninterrupted) {
                drop(uninterrupted);
                for path in published {
                    let _ = fs::remove_file(path);
                }
                return Err(named(&name, &error).into());
            }
            published.push(target);
        }
        published.iter().for_each(|path| sync_directory(path));
        Ok(sizes)
    }
}

impl Sink {
    /// Brings everything to the disk or through the pipe; returns the size.
    fn finish(&mut self) -> io::Result<u64> {
        match self {
            Self::Partial { file, .. } => {
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
            Self::Partial { file, .. } => file.file().write(buffer),
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

/// What temporary names of an output begin with.
fn temporary_prefix(target: &Path, path: &Path) -> Result<String> {
    let name = target.file_name();
    let name =
        name.with_context(|| format!("cannot create {}: it names no file", path.printable()))?;
    Ok(format!(".{}.partial-", name.to_string_lossy()))
}

/// Where an output is written before it has its name.
fn place<'a>(target: &'a Path, prefix: &'a str, access: Access) -> Place<'a> {
    Place { directory: directory_of(target), prefix, mode: access.mode() }
}

/// The directory that a file is in.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Brings a new name to the disk, where directories can be.
fn sync_directory(path: &Path) {
    if cfg!(unix) {
        // Some file systems know no such thing; the file itself is on the disk.
        let _ = File::open(directory_of(path)).and_then(|directory| directory.sync_all());
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
        self.writer.write(bytes).map_err(|error| named(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| named(&self.name, &error))
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

    fn entries(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn commit_replaces_only_if_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for (text, replace, expected) in [("1", false, "1"), ("2", false, "1"), ("3", true, "3")] {
            let mut file = AtomicFile::create(&path, Access::Public).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let refused = file.commit(replace).is_err();
            assert_eq!(refused, text == "2");
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
            assert_eq!(entries(directory.path()), 1);
        }
    }

    #[test]
    fn dropped_files_vanish() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut file = AtomicFile::create(&path, Access::Public).unwrap();
        file.write_all(&[0; 100_000]).unwrap();
        drop(file);
        assert_eq!(entries(directory.path()), 0);
    }

    #[test]
    fn with_and_without_names_partial_files_become_whole_ones_or_vanish() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a");
        let place = Place { directory: directory.path(), prefix: ".a.partial-", mode: 0o600 };
        let finish = |mut file: PartialFile, text: &str, replace| {
            file.file().write_all(text.as_bytes()).unwrap();
            file.persist(&target, replace, place, &mut Uninterrupted::start())
        };
        for (create, while_writing) in [
            (PartialFile::create_named as fn(_) -> _, 1),
            (PartialFile::create, usize::from(cfg!(not(target_os = "linux")))),
        ] {
            let file = create(place).unwrap();
            assert_eq!(entries(directory.path()), while_writing);
            drop(file);
            finish(create(place).unwrap(), "1", false).unwrap();
            let error = finish(create(place).unwrap(), "2", false).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(&target).unwrap(), "1");
            finish(create(place).unwrap(), "3", true).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), "3");
            assert_eq!(entries(directory.path()), 1);
            fs::remove_file(&target).unwrap();
        }
    }

    #[test]
    fn directories_and_missing_directories_are_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(directory.path(), Access::Public).unwrap_err();
        assert!(error.to_string().contains("it is a directory"), "{error}");
        let error = AtomicFile::create(&directory.path().join("no/x"), Access::Public).unwrap_err();
        assert!(error.to_string().contains("no/x: no such directory"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn private_files_are_private_and_links_are_followed() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        AtomicFile::create(&link, Access::Private).unwrap().commit(true).unwrap();
        let metadata = fs::symlink_metadata(&path).unwrap();
        assert_eq!((metadata.permissions().mode() & 0o777, metadata.len()), (0o600, 0));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        // So they are where there is no file yet.
        fs::remove_file(&path).unwrap();
        AtomicFile::create(&link, Access::Public).unwrap().commit(true).unwrap();
        assert!(path.is_file() && fs::symlink_metadata(&link).unwrap().is_symlink());
        std::os::unix::fs::symlink("c", directory.path().join("c")).unwrap();
        assert!(AtomicFile::create(&directory.path().join("c"), Access::Public).is_err());
    }
}
