//! Evaluation keys straight from the page cache.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use memmap2::{Mmap, MmapOptions};

use crate::input_file;

/// A file mapped into memory, read-only and private.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a whole file; what comes from a pipe goes to an unnamed temporary file first.
    ///
    /// # Errors
    /// If it cannot be read, or is empty.
    #[allow(unsafe_code)]
    pub fn open(path: &Path) -> Result<Self> {
        let name = input_file::shown(path).display();
        let failed = || format!("cannot read {name}");
        let file = input_file::open_seekable(path)?;
        ensure!(file.metadata().with_context(failed)?.len() > 0, "cannot read {name}: it is empty");
        // SAFETY: the mapping is private and read-only, so this process cannot change the bytes. This
        // program never alters a file in place: it replaces files by renaming, which leaves the mapped
        // one as it was. That no other program truncates or rewrites the file while it is mapped is
        // asked of the user, as of every program that maps files.
        let map = unsafe { MmapOptions::new().map_copy_read_only(&file) }.with_context(failed)?;
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
    use super::*;

    #[test]
    fn maps_files_and_refuses_the_rest() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, b"abc").unwrap();
        assert_eq!(MappedFile::open(&path).unwrap().as_ref(), b"abc");
        std::fs::write(&path, b"").unwrap();
        assert!(MappedFile::open(&path).unwrap_err().to_string().contains("empty"));
        assert!(MappedFile::open(directory.path()).is_err());
        assert!(MappedFile::open(&directory.path().join("none")).is_err());
    }
}
