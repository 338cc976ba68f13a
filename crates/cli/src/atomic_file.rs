//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody whom the process's mask lets.
    Public,
    /// Its owner only (mode 0600 on Unix).
    Private,
}

/// A file being written under a temporary name in the directory of its target.
///
/// [`AtomicFile::commit`] gives it its name; dropped before that, it vanishes. All its errors name
/// the target.
#[derive(Debug)]
pub struct AtomicFile {
    /// As the user named it, for messages.
    name: PathBuf,
    /// Where it goes: `name` with its links followed.
    target: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl AtomicFile {
    /// Starts a file that is to be at `path`.
    ///
    /// # Errors
    /// If `path` is something else than a regular file, or its directory takes no new file.
    pub fn create(path: &Path, access: Access) -> Result<Self> {
        let target = resolve(path)?;
        let name = target
            .file_name()
            .with_context(|| format!("cannot create {}: it names no file", path.display()))?;
        let directory = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let prefix = format!(".{}.partial-", name.to_string_lossy());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        set_access(&mut builder, access);
        let file = builder.tempfile_in(directory).map_err(|error| {
            anyhow::anyhow!("cannot create {}: {}", path.display(), plain(&error))
        })?;
        Ok(Self { name: path.to_path_buf(), target, writer: BufWriter::new(file) })
    }

    /// Writes everything out, gives the file its name and returns its size in bytes.
    ///
    /// # Errors
    /// If the disk is full, or a file of that name exists and is not to be replaced. The temporary
    /// file is gone then.
    pub fn commit(self, replace: bool) -> Result<u64> {
        let Self { name, target, writer } = self;
        let failed = |error: io::Error| named(&name, &error);
        let file = writer.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        let bytes = file.as_file().metadata().map_err(failed)?.len();
        let persisted =
            if replace { file.persist(&target) } else { file.persist_noclobber(&target) };
        persisted.map_err(|error| failed(error.error))?;
        Ok(bytes)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(|error| named(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| named(&self.name, &error))
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.writer.seek(position).map_err(|error| named(&self.name, &error))
    }
}

/// Follows links, so that the file they point to is replaced, and refuses devices and directories.
fn resolve(path: &Path) -> Result<PathBuf> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            fs::canonicalize(path).with_context(|| format!("cannot write {}", path.display()))
        }
        Ok(_) => bail!("cannot write {}: it exists and is not a regular file", path.display()),
        Err(_) => Ok(path.to_path_buf()),
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {}", path.display(), plain(error)))
}

/// The error without the temporary path that `tempfile` adds.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such directory".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::AlreadyExists => "it exists (--force replaces it)".into(),
        ErrorKind::StorageFull => "the disk is full".into(),
        _ => error.to_string(),
    }
}

#[cfg(unix)]
fn set_access(builder: &mut tempfile::Builder<'_, '_>, access: Access) {
    use std::os::unix::fs::PermissionsExt;
    let mode = match access {
        Access::Public => 0o666,
        Access::Private => 0o600,
    };
    builder.permissions(fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn set_access(_: &mut tempfile::Builder<'_, '_>, _: Access) {}

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
        assert_eq!(entries(directory.path()), 1);
        drop(file);
        assert_eq!(entries(directory.path()), 0);
    }

    #[test]
    fn directories_and_missing_directories_are_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(directory.path(), Access::Public).unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{error}");
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
    }
}
