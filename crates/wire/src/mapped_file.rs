//! Files that are read directly from the page cache.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

use memmap2::{Mmap, MmapOptions};

/// File mapped into memory, read-only and private. Evaluation keys are used in place, and processes that map the same
/// file share its memory.
///
/// Other programs can still change the file in place, which [`MappedFile::check_unchanged`] detects. If another program
/// cuts the file short, reading beyond its new end kills the process (on Unix by SIGBUS).
#[derive(Debug)]
pub struct MappedFile {
    map: Mmap,
    file: File,
    stamp: Stamp,
}

/// Fingerprint that reveals a changed file: its length, and its modification time where the system has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { length: metadata.len(), modified: metadata.modified().ok() }
    }
}

impl MappedFile {
    /// Maps a whole file.
    ///
    /// # Errors
    /// If it cannot be opened, is not a regular file, or is empty. The error names the file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot read {}: {error}", path.display()))
        };
        File::open(path).and_then(|file| Self::of(&file)).map_err(named)
    }

    /// Maps a file that is already open, such as one without a name.
    ///
    /// # Errors
    /// If it is not a regular file, or is empty.
    #[allow(unsafe_code)]
    pub fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
        }
        if !metadata.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
        }
        if metadata.len() == 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "it is empty"));
        }
        // SAFETY: the mapping is private and read-only, so this process cannot change the bytes. This
        // library never alters a file in place: it replaces files by renaming, which leaves the mapped
        // one as it was. Users must ensure that no other program truncates or rewrites the file while it
        // is mapped, as with every program that maps files.
        let map = unsafe { MmapOptions::new().map_copy_read_only(file) }?;
        Ok(Self { map, file: file.try_clone()?, stamp: Stamp::of(&metadata) })
    }

    /// Checks that nobody changed the file in place since it was mapped, so that results computed from it so far are
    /// based on the bytes that were checked.
    ///
    /// ```
    /// use std::io::Write as _;
    /// let mut file = tempfile::tempfile()?;
    /// file.write_all(b"key")?;
    /// let mapped = cryptable_wire::MappedFile::of(&file)?;
    /// assert!(mapped.check_unchanged().is_ok());
    /// file.set_len(1)?;
    /// assert!(mapped.check_unchanged().is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidData` if its length or modification time has changed; also if the system cannot tell.
    pub fn check_unchanged(&self) -> io::Result<()> {
        let found = Stamp::of(&self.file.metadata()?);
        let Stamp { length, .. } = self.stamp;
        let what = if found.length != length {
            format!("it was {length} bytes long when it was opened and is {} now", found.length)
        } else if found != self.stamp {
            "it was written to after it was opened".to_owned()
        } else {
            return Ok(());
        };
        Err(io::Error::new(ErrorKind::InvalidData, what))
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};
    use std::time::Duration;

    use super::*;

    #[test]
    fn changes_in_place_show_and_replacements_do_not_matter() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let old = SystemTime::now() - Duration::from_secs(1000);
        let start = || {
            std::fs::write(&path, b"abc").unwrap();
            let file = File::options().read(true).write(true).open(&path).unwrap();
            file.set_modified(old).unwrap();
            let mapped = MappedFile::of(&file).unwrap();
            mapped.check_unchanged().unwrap();
            (file, mapped)
        };
        let (mut file, mapped) = start();
        file.rewind().unwrap();
        file.write_all(b"abd").unwrap();
        let error = mapped.check_unchanged().unwrap_err().to_string();
        assert_eq!(error, "it was written to after it was opened");
        let (file, mapped) = start();
        file.set_len(2).unwrap();
        let error = mapped.check_unchanged().unwrap_err().to_string();
        assert_eq!(error, "it was 3 bytes long when it was opened and is 2 now");
        let (_, mapped) = start();
        std::fs::write(directory.path().join("b"), b"new").unwrap();
        std::fs::rename(directory.path().join("b"), &path).unwrap();
        mapped.check_unchanged().unwrap();
        assert_eq!(mapped.as_ref(), b"abc");
    }

    #[test]
    fn maps_files_and_refuses_the_rest() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, b"abc").unwrap();
        assert_eq!(MappedFile::open(&path).unwrap().as_ref(), b"abc");
        std::fs::write(&path, b"").unwrap();
        assert!(MappedFile::open(&path).unwrap_err().to_string().contains("empty"));
        let error = MappedFile::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains("is a directory"), "{error}");
        assert!(MappedFile::open(&directory.path().join("none")).is_err());
        let mut unnamed = tempfile::tempfile().unwrap();
        unnamed.write_all(b"abc").unwrap();
        assert_eq!(MappedFile::of(&unnamed).unwrap().as_ref(), b"abc");
    }
}
