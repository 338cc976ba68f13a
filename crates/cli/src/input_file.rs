//! Inputs: regular files, standard input, and pipes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek};
use std::path::Path;

#[cfg(feature = "client")]
use anyhow::ensure;
use anyhow::{Context, Result, bail};
use cryptable::{CiphertextFileSummary, EvaluationKeyHeader, WireError};
#[cfg(feature = "client")]
use zeroize::Zeroizing;

/// Names of standard input.
const STDIN: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Returns whether a name means standard input.
pub fn is_stdin(path: &Path) -> bool {
    STDIN.iter().any(|name| path == Path::new(name))
}

/// Returns the name of an input for messages.
pub fn shown(path: &Path) -> &Path {
    if is_stdin(path) { Path::new("standard input") } else { path }
}

/// Returns the same name as text that cannot control the terminal.
pub fn name(path: &Path) -> String {
    printable(shown(path))
}

/// Returns a path as text that cannot control the terminal.
pub fn printable(path: &Path) -> String {
    cryptable_wire::printable(&path.to_string_lossy()).into_owned()
}

/// Opens an input for sequential reading.
pub fn open(path: &Path) -> Result<File> {
    let name = name(path);
    let file = if is_stdin(path) { stdin() } else { File::open(path) };
    let file = file.with_context(|| format!("cannot read {name}"))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        bail!("cannot read {name}: it is a directory");
    }
    Ok(file)
}

/// Opens an input that is read more than once. Data from a pipe is first copied to an unnamed temporary file.
pub fn open_seekable(path: &Path) -> Result<File> {
    let name = name(path);
    let failed = || format!("cannot read {name}");
    let mut file = open(path)?;
    if file.metadata().with_context(failed)?.is_file()
        && file.stream_position().is_ok_and(|p| p == 0)
    {
        return Ok(file);
    }
    let mut spool = || {
        let mut spool = tempfile::tempfile()?;
        io::copy(&mut file, &mut spool)?;
        spool.rewind()?;
        Ok(spool)
    };
    let spooled: io::Result<File> = spool();
    let directory = printable(&std::env::temp_dir());
    spooled.with_context(|| format!("cannot copy {name} to a file in {directory}"))
}

/// Returns a warning if a file with a secret can be read or written by others.
#[cfg(all(unix, any(feature = "client", feature = "remote")))]
pub fn exposure(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = path.metadata().ok().filter(|found| !is_stdin(path) && found.is_file())?;
    let mode = metadata.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then(|| {
        let name = name(path);
        format!(
            "{name} is secret, but others may read or change it (mode {mode:04o}): chmod 600 keeps it private"
        )
    })
}

/// Returns nothing on systems whose files have no modes.
#[cfg(all(not(unix), any(feature = "client", feature = "remote")))]
pub fn exposure(_: &Path) -> Option<String> {
    None
}

/// Opens a file that this program keeps beside another one. Does not follow a link in its place, since the creator of the
/// link would choose where the program writes.
pub fn open_companion(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    options.open(path)
}

/// Reads the first bytes of a file, which show its kind: at most the header of a key.
pub fn first_bytes(mut file: &File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.take(EvaluationKeyHeader::BYTES as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start)
}

/// Refuses a regular file that this program wrote where another kind, `expected`, is read. Messages then name the commands
/// that read it.
pub fn refuse_own(file: &File, path: &Path, expected: &'static str) -> Result<()> {
    if is_stdin(path) || !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    let start = first_bytes(file).with_context(|| format!("cannot read {}", name(path)))?;
    let found = match start.first_chunk() {
        Some(magic) if *magic == CiphertextFileSummary::MAGIC => {
            WireError::BadMagic { found: *magic }
        }
        _ => match cryptable_wire::peek_header(&start) {
            Ok(header) => WireError::WrongKind { expected, found: header.object_type },
            Err(_) => return Ok(()),
        },
    };
    Err(found).with_context(|| name(path))
}

/// Reads a whole input of at most `limit` bytes, without leaving copies in memory. `what` names the expected kind in
/// messages.
#[cfg(feature = "client")]
pub fn read_secret(
    path: &Path,
    limit: u64,
    what: &str,
    check_start: impl FnOnce(&[u8]) -> Result<()>,
) -> Result<Zeroizing<Vec<u8>>> {
    let name = name(path);
    let failed = || format!("cannot read {name}");
    let mut file = open(path)?;
    let metadata = file.metadata().with_context(failed)?;
    let length = if metadata.is_file() { metadata.len() } else { limit };
    let room = length.min(limit) + 1;
    // Reserve space for everything at once, since growing would leave copies behind.
    let mut content = Zeroizing::new(Vec::with_capacity(room as usize));
    file.by_ref()
        .take(room.min(EvaluationKeyHeader::BYTES as u64))
        .read_to_end(&mut content)
        .with_context(failed)?;
    check_start(&content).with_context(|| name.to_string())?;
    let rest = room - content.len() as u64;
    file.take(rest).read_to_end(&mut content).with_context(failed)?;
    ensure!(content.len() as u64 <= limit, "{name}: more than {limit} bytes, the limit for {what}");
    Ok(content)
}

#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use super::*;

    #[test]
    fn regular_files_are_read_in_place_and_limits_hold() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, b"abc").unwrap();
        let mut text = String::new();
        open_seekable(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc");
        assert_eq!(read_secret(&path, 3, "a key", |_| Ok(())).unwrap().as_slice(), b"abc");
        let error = read_secret(&path, 2, "a key", |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("more than 2 bytes, the limit for a key"), "{error}");
        let error = open(directory.path()).unwrap_err().to_string();
        assert!(error.contains("it is a directory"), "{error}");
    }
}
