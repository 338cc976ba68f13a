//! Outputs: files that appear complete or not at all, standard output, and pipes.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

pub use cryptable_files::{Access, AtomicFile};

use crate::input_file;

/// Names of standard output.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Whether an output goes to standard output, so that reports cannot.
static STDOUT_IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Returns whether an output goes to standard output.
pub fn stdout_is_taken() -> bool {
    STDOUT_IS_TAKEN.load(Ordering::Relaxed)
}

/// Returns whether a name means standard output.
pub fn is_stdout(path: &Path) -> bool {
    STDOUT.iter().any(|name| path == Path::new(name))
}

/// Returns the name of an output for messages.
pub fn shown(path: &Path) -> &Path {
    if is_stdout(path) { Path::new("standard output") } else { path }
}

/// Returns the same name as text that cannot control the terminal.
pub fn name(path: &Path) -> String {
    input_file::printable(shown(path))
}

/// Returns the regular file that an output's name stands for, like [`cryptable_files::target_of`]; `None` for standard
/// output.
pub fn target_of(path: &Path) -> io::Result<Option<PathBuf>> {
    if is_stdout(path) { Ok(None) } else { cryptable_files::target_of(path) }
}

/// Starts an output that is written sequentially.
pub fn create(path: &Path, access: Access) -> io::Result<AtomicFile> {
    if !is_stdout(path) {
        return AtomicFile::create(path, access);
    }
    STDOUT_IS_TAKEN.store(true, Ordering::Relaxed);
    let failed = |error| io::Error::other(format!("cannot create standard output: {error}"));
    Ok(AtomicFile::through(stdout().map_err(failed)?, shown(path)))
}

/// Writes a whole output, and returns its length in bytes. A file that exists is replaced only if `force` is set.
pub fn write(path: &Path, access: Access, content: &[u8], force: bool) -> anyhow::Result<u64> {
    let mut file = create(path, access)?;
    file.write_all(content)?;
    Ok(file.commit(force)?)
}

/// Checks that a file does not exist yet, or may be replaced. `loss` is the part of the message that says what would be
/// lost.
#[cfg(feature = "client")]
pub fn check_new(path: &Path, force: bool, loss: &str) -> anyhow::Result<()> {
    let is_file = target_of(path)?.is_some();
    let is_new = force || !is_file || !path.exists();
    anyhow::ensure!(is_new, "{} exists; --force replaces it{loss}", input_file::name(path));
    Ok(())
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

/// Returns whether standard output was closed when the program started. In that case, the standard library opens the
/// null device for reading and writing, which a shell does not do when it redirects output.
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
