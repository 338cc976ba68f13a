//! Files that are being written, and their removal when the program is interrupted.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use tempfile::NamedTempFile;

use crate::unnamed_file::UnnamedFile;

/// Temporary names in use. Whoever holds the lock cannot be interrupted.
static PARTIAL_FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// What people are told if the program is interrupted now.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// What the first interruption does in place of ending the program, if anything.
#[cfg(feature = "serve")]
static INSTEAD: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// The first interruption from now on does this; the program ends by itself then, or by the next one.
#[cfg(feature = "serve")]
pub fn instead(call: impl FnOnce() + Send + 'static) {
    *INSTEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(call));
}

/// As long as it lives, an interrupted program tells what this was given last, if anything.
#[derive(Debug, Default)]
pub struct LastWords(());

impl LastWords {
    /// Tells this from now on: a line as standard error takes it, without its end.
    pub fn set(&mut self, line: Option<String>) {
        *last_words() = line;
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        *last_words() = None;
    }
}

fn last_words() -> MutexGuard<'static, Option<String>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As long as it lives, an interruption waits.
pub struct Uninterrupted(MutexGuard<'static, BTreeSet<PathBuf>>);

impl Uninterrupted {
    /// Waits for whoever else must not be interrupted.
    pub fn start() -> Self {
        Self(PARTIAL_FILES.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A file that is being written. It vanishes when it is dropped and when the program is interrupted; where the file
/// system has files without names, it has none before it is whole, and vanishes however the program ends.
#[derive(Debug)]
pub struct PartialFile {
    /// Taken by [`PartialFile::persist`] and when dropped.
    content: Option<Content>,
}

#[derive(Debug)]
enum Content {
    Unnamed(UnnamedFile),
    Named(NamedTempFile),
}

/// Where temporary names are, and who may read the file.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// A directory of the target's file system.
    pub directory: &'a Path,
    /// What temporary names begin with.
    pub prefix: &'a str,
    /// Permissions on Unix, less what the process's mask takes.
    pub mode: u32,
}

impl PartialFile {
    /// Makes a file, without a name where the file system has such files.
    ///
    /// # Errors
    /// If the directory takes none.
    pub fn create(place: Place<'_>) -> io::Result<Self> {
        match UnnamedFile::create(place.directory, place.mode)? {
            Some(file) => Ok(Self { content: Some(Content::Unnamed(file)) }),
            None => Self::create_named(place),
        }
    }

    /// Makes a file under a temporary name.
    ///
    /// # Errors
    /// If the directory takes none.
    pub fn create_named(place: Place<'_>) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(place.prefix);
        set_mode(&mut builder, place.mode);
        let mut uninterrupted = Uninterrupted::start();
        let file = builder.tempfile_in(place.directory)?;
        uninterrupted.0.insert(file.path().to_path_buf());
        Ok(Self { content: Some(Content::Named(file)) })
    }

    /// The file.
    pub fn file(&mut self) -> &mut File {
        match self.content.as_mut().expect("only taken when it goes") {
            Content::Unnamed(file) => file.file(),
            Content::Named(file) => file.as_file_mut(),
        }
    }

    /// Gives the file its name, in the directory that it was made in.
    ///
    /// # Errors
    /// If that fails, or a file of that name exists and is not to be replaced. The temporary file is gone then.
    pub fn persist(
        mut self,
        target: &Path,
        replace: bool,
        place: Place<'_>,
        uninterrupted: &mut Uninterrupted,
    ) -> io::Result<()> {
        match self.content.take().expect("only taken when it goes") {
            Content::Unnamed(file) => match file.link(target) {
                Err(error) if replace && error.kind() == io::ErrorKind::AlreadyExists => {
                    replace_by(&file, target, place)
                }
                linked => linked,
            },
            Content::Named(file) => {
                uninterrupted.0.remove(file.path());
                let persisted =
                    if replace { file.persist(target) } else { file.persist_noclobber(target) };
                // The error holds the temporary file, which vanishes with it.
                persisted.map(drop).map_err(|error| error.error)
            }
        }
    }
}

/// Puts a whole file without a name in the place of another one: links replace nothing, so it gets a temporary name and
/// is renamed. Killed between the two, the program leaves a whole file under a temporary name.
fn replace_by(file: &UnnamedFile, target: &Path, place: Place<'_>) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    let link = builder.prefix(place.prefix).make_in(place.directory, |name| file.link(name))?;
    // The error holds the temporary name, which vanishes with it.
    link.into_temp_path().persist(target).map_err(|error| error.error)
}

#[cfg(unix)]
fn set_mode(builder: &mut tempfile::Builder<'_, '_>, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(mode));
}

#[cfg(not(unix))]
fn set_mode(_: &mut tempfile::Builder<'_, '_>, _: u32) {}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if let Some(Content::Named(file)) = self.content.take() {
            let mut uninterrupted = Uninterrupted::start();
            uninterrupted.0.remove(file.path());
            drop(file);
        }
    }
}

/// From now on, an interrupted program removes its partial files before it ends, and says its last words.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub fn install() -> Result<()> {
    use std::io::{IsTerminal as _, Write as _};

    use anyhow::Context as _;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::emulate_default_handler;
    let ignored = ignored_signals();
    let handled = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let handled = handled.filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(handled)
        .context("cannot prepare for being interrupted")?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            #[cfg(feature = "serve")]
            if let Some(call) = INSTEAD.lock().unwrap_or_else(PoisonError::into_inner).take() {
                call();
                continue;
            }
            let partial = Uninterrupted::start();
            for path in partial.0.iter() {
                let _ = std::fs::remove_file(path);
            }
            if let Some(words) = last_words().take() {
                // A bar leaves its line unfinished.
                let begin = if io::stderr().is_terminal() { "\n" } else { "" };
                let _ = writeln!(io::stderr(), "{begin}{words}");
            }
            // Ends the process as the signal would have; nobody makes a file in between.
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// Nothing to prepare for.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn install() -> Result<()> {
    Ok(())
}

/// Signals that this process was started with to ignore, as by `nohup`: bit 0 is signal 1.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
