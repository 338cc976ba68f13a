//! Files under temporary names, and their removal when the program is interrupted.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use tempfile::NamedTempFile;

/// Temporary names in use. Whoever holds the lock cannot be interrupted.
static PARTIAL_FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// As long as it lives, an interruption waits.
pub struct Uninterrupted(MutexGuard<'static, BTreeSet<PathBuf>>);

impl Uninterrupted {
    /// Waits for whoever else must not be interrupted.
    pub fn start() -> Self {
        Self(PARTIAL_FILES.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A file under a temporary name. It vanishes when it is dropped and when the program is interrupted.
#[derive(Debug)]
pub struct PartialFile {
    /// Taken by [`PartialFile::persist`] and when dropped.
    file: Option<NamedTempFile>,
}

impl PartialFile {
    /// Makes a file.
    ///
    /// # Errors
    /// If the directory takes none.
    pub fn create(builder: &tempfile::Builder<'_, '_>, directory: &Path) -> io::Result<Self> {
        let mut uninterrupted = Uninterrupted::start();
        let file = builder.tempfile_in(directory)?;
        uninterrupted.0.insert(file.path().to_path_buf());
        Ok(Self { file: Some(file) })
    }

    /// The file.
    pub fn file(&mut self) -> &mut NamedTempFile {
        self.file.as_mut().expect("only taken when it goes")
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If that fails, or a file of that name exists and is not to be replaced. The temporary file is gone then.
    pub fn persist(
        mut self,
        target: &Path,
        replace: bool,
        uninterrupted: &mut Uninterrupted,
    ) -> io::Result<()> {
        let file = self.file.take().expect("only taken when it goes");
        uninterrupted.0.remove(file.path());
        let persisted = if replace { file.persist(target) } else { file.persist_noclobber(target) };
        // The error holds the temporary file, which vanishes with it.
        persisted.map(drop).map_err(|error| error.error)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let mut uninterrupted = Uninterrupted::start();
            uninterrupted.0.remove(file.path());
            drop(file);
        }
    }
}

/// From now on, an interrupted program removes its partial files before it ends.
///
/// # Errors
/// If the system refuses.
#[cfg(unix)]
pub fn install() -> Result<()> {
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
            let partial = Uninterrupted::start();
            for path in partial.0.iter() {
                let _ = std::fs::remove_file(path);
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
