//! Files of keys and ciphertexts.

use std::io::Write;
use std::path::Path;

use cryptable_files::{Access, AtomicFile};

use crate::status::{Failure, Result};

/// Writes a file whole or not at all, in place of one that is there.
///
/// # Errors
/// Errors of `write` and of the disk.
pub(crate) fn write_file(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut AtomicFile) -> cryptable::Result<()>,
) -> Result<()> {
    let mut file = AtomicFile::create(path, access)?;
    write(&mut file)?;
    file.commit(true)?;
    Ok(())
}

/// Writes bytes to a file, as [`write_file`] does.
///
/// # Errors
/// Errors of the disk.
pub(crate) fn write_bytes(path: &Path, access: Access, bytes: &[u8]) -> Result<()> {
    write_file(path, access, |file| Ok(file.write_all(bytes)?))
}

/// Reads a whole file into an object. Errors name the file.
///
/// # Errors
/// Errors of the disk and of `read`.
pub(crate) fn read_file<T>(
    path: &Path,
    read: impl FnOnce(&[u8]) -> cryptable::Result<T>,
) -> Result<T> {
    let bytes = std::fs::read(path).map_err(|error| Failure::from(error).of_file(path))?;
    read(&bytes).map_err(|error| Failure::from(error).of_file(path))
}
