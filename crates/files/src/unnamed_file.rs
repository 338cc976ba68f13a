//! Files that have no name until they are whole, on Linux.
//!
//! No directory lists a file that was opened with `O_TMPFILE`. When its process ends, however it ends, the file system
//! takes its blocks back; `linkat` gives it a name in one step.

use std::fs::File;
use std::io;
use std::path::Path;

/// A file without a name.
#[derive(Debug)]
pub struct UnnamedFile(File);

impl UnnamedFile {
    /// The file.
    pub fn file(&mut self) -> &mut File {
        &mut self.0
    }
}

#[cfg(target_os = "linux")]
impl UnnamedFile {
    /// Makes a file on the file system of a directory, with these permissions less what the process's mask takes; none
    /// if the file system has no such files, or nothing could give it a name later.
    ///
    /// # Errors
    /// If the directory takes no file.
    pub fn create(directory: &Path, mode: u32) -> io::Result<Option<Self>> {
        use rustix::fs::{Mode, OFlags};
        use rustix::io::Errno;
        // Without /proc, only privileged processes can name the file.
        if !Path::new(OPEN_FILES).is_dir() {
            return Ok(None);
        }
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match rustix::fs::open(directory, flags, Mode::from_raw_mode(mode)) {
            Ok(file) => Ok(Some(Self(file.into()))),
            // File systems without such files, and kernels that know of none.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the file a name that nothing has.
    ///
    /// # Errors
    /// `AlreadyExists` if something has it; if the directory takes no name.
    pub fn link(&self, name: &Path) -> io::Result<()> {
        use std::os::fd::AsRawFd as _;

        use rustix::fs::{AtFlags, CWD, linkat};
        let open = format!("{OPEN_FILES}/{}", self.0.as_raw_fd());
        Ok(linkat(CWD, open.as_str(), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

/// Where Linux lists a process's open files.
#[cfg(target_os = "linux")]
const OPEN_FILES: &str = "/proc/self/fd";

#[cfg(not(target_os = "linux"))]
impl UnnamedFile {
    /// None: other systems have no such files.
    ///
    /// # Errors
    /// None.
    pub fn create(_: &Path, _: u32) -> io::Result<Option<Self>> {
        Ok(None)
    }

    /// Not to be reached.
    ///
    /// # Errors
    /// Always.
    pub fn link(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
