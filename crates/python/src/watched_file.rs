//! Mapped files, and calls that detect whether somebody changed the files that they read.

use std::fmt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cryptable_wire::MappedFile;
use pyo3::exceptions::PyOSError;

use crate::errors::Result;

/// Number of calls of this process so far.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// All mapped files that are in use.
static FILES: Mutex<Vec<Weak<WatchedFile>>> = Mutex::new(Vec::new());

/// A mapped file that knows which call read it last. It checks for changes at the first read of every call, and
/// [`Call::check_files`] checks at the end: results computed between the two come from the bytes that were checked.
pub(crate) struct WatchedFile {
    map: MappedFile,
    path: PathBuf,
    last_call: AtomicU64,
}

impl WatchedFile {
    /// Maps a file.
    pub(crate) fn open(path: &Path) -> std::io::Result<Arc<Self>> {
        let (map, path, last_call) = (MappedFile::open(path)?, path.to_owned(), AtomicU64::new(0));
        let file = Arc::new(Self { map, path, last_call });
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file| file.strong_count() > 0);
        files.push(Arc::downgrade(&file));
        Ok(file)
    }

    /// Returns the reason why its contents can no longer be trusted.
    fn change(&self) -> Option<Changed> {
        let error = self.map.check_unchanged().err()?;
        Some(Changed(format!(
            "{} changed while it was in use: {error}. Files are to be replaced, not written to in place; open it again",
            self.path.display()
        )))
    }
}

impl AsRef<[u8]> for WatchedFile {
    /// # Panics
    /// If the file was changed before this call; the panic carries a [`Changed`] and prints no message. Reads beyond
    /// the end of a truncated file would end the process.
    fn as_ref(&self) -> &[u8] {
        let call = CALLS.load(Ordering::Relaxed);
        if self.last_call.load(Ordering::Relaxed) < call
            && self.last_call.fetch_max(call, Ordering::Relaxed) < call
            && let Some(changed) = self.change()
        {
            resume_unwind(Box::new(changed));
        }
        self.map.as_ref()
    }
}

/// Description of the change.
struct Changed(String);

impl fmt::Debug for WatchedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A call that may read mapped files.
pub(crate) struct Call(u64);

impl Call {
    /// Begins one.
    pub(crate) fn begin() -> Self {
        Self(CALLS.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Ends the call; its result is valid only if no file that was read since its beginning has changed.
    ///
    /// # Errors
    /// `OSError` that names the file.
    ///
    /// # Panics
    /// If the call panicked for any reason other than a changed file.
    pub(crate) fn end<R>(self, result: std::thread::Result<R>) -> Result<R> {
        let files = FILES.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let files = files.iter().filter_map(Weak::upgrade);
        let mut read = files.filter(|file| file.last_call.load(Ordering::Relaxed) >= self.0);
        match (result, read.find_map(|file| file.change())) {
            (_, Some(Changed(what))) => Err(PyOSError::new_err(what)),
            (Ok(result), None) => Ok(result),
            (Err(panic), None) => match panic.downcast::<Changed>() {
                Ok(changed) => Err(PyOSError::new_err(changed.0)),
                Err(panic) => resume_unwind(panic),
            },
        }
    }
}
