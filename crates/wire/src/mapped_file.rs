//! Files straight from the page cache.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

/// A file mapped into memory, read-only and private: evaluation keys are used where they lie, and processes that map
/// the same file share it.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a whole file.
    ///
    /// # Errors
    /// If it cannot be opened, is not a regular file, or is empty; the error names the file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot read {}: {error}", path.display()))
        };
        File::open(path).and_then(|file| Self::of(&file)).map_err(named)
    }

    /// Maps a file that is open already, as one without a name.
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
        // one as it was. That no other program truncates or rewrites the file while it is mapped is
        // asked of the user, as of every program that maps files.
        let map = unsafe { MmapOptions::new().map_copy_read_only(file) }?;
        Ok(Self(map))
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

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
