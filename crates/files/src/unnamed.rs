//! Files that have no name until they are whole, on Linux.
//!
//! No directory lists a file that was opened with `O_TMPFILE`. When its process ends, however it ends, the file system
//! takes its blocks back; `linkat` gives it a name in one step.

use std::fs::File;
use std::io;
use std::path::Path;

/// Folder in which Linux lists a process's open files.
#[cfg(target_os = "linux")]
const OPEN_FILES: &str = "/proc/self/fd";

/// Makes a file without a name on the file system of a directory, with these permissions less those that the process's
/// umask removes. Returns `None` if the file system does not support such files, or if the file could not be named
/// later.
///
/// # Errors
/// If no file can be made in the directory.
#[cfg(target_os = "linux")]
pub(crate) fn create(directory: &Path, mode: u32) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    // Without /proc, only privileged processes can name the file.
    if !Path::new(OPEN_FILES).is_dir() {
        return Ok(None);
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(directory, flags, Mode::from_raw_mode(mode)) {
        Ok(file) => Ok(Some(file.into())),
        // The file system does not support such files, or the kernel does not know of them.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Gives the file a name that is not in use.
///
/// # Errors
/// `AlreadyExists` if the name is in use; if the directory does not accept the name.
#[cfg(target_os = "linux")]
pub(crate) fn link(file: &File, name: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    let open = format!("{OPEN_FILES}/{}", file.as_raw_fd());
    Ok(linkat(CWD, open.as_str(), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Returns `None`: other systems have no such files.
#[cfg(not(target_os = "linux"))]
pub(crate) fn create(_: &Path, _: u32) -> io::Result<Option<File>> {
    Ok(None)
}

/// Never called, since [`create`] makes no files.
#[cfg(not(target_os = "linux"))]
pub(crate) fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
