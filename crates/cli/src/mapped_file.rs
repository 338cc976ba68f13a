//! Evaluation keys straight from the page cache.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result, bail};
use memmap2::{Mmap, MmapOptions};

/// A file mapped into memory, read-only and private.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a whole file.
    ///
    /// # Errors
    /// If it cannot be opened, is not a regular file, or is empty.
    #[allow(unsafe_code)]
    pub fn open(path: &Path) -> Result<Self> {
        let failed = || format!("cannot read {}", path.display());
        let file = File::open(path).with_context(failed)?;
        let metadata = file.metadata().with_context(failed)?;
        if !metadata.is_file() {
            bail!("cannot read {}: it is not a regular file", path.display());
        }
        if metadata.len() == 0 {
            bail!("cannot read {}: it is empty", path.display());
        }
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
