//! Progress of long work, and its cancellation.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// What hears of progress: steps done and steps in all; it answers whether to go on.
pub type ProgressCallback<'a> = dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 'a;

/// Who is told how far long work has come, if anyone, and may stop it.
///
/// The callback comes from any thread, once before the first step and after each of them.
///
/// ```
/// use std::ops::ControlFlow;
/// use cryptable_lattice::{Error, Progress};
/// let until_half = |done: usize, total: usize| {
///     if 2 * done > total { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// };
/// let progress = Progress::new(&until_half);
/// assert!(progress.report(5, 10).is_ok());
/// assert!(matches!(progress.report(6, 10), Err(Error::Cancelled { done: 6, total: 10 })));
/// assert!(Progress::silent().report(6, 10).is_ok());
/// ```
#[derive(Clone, Copy, Default)]
pub struct Progress<'a> {
    callback: Option<&'a ProgressCallback<'a>>,
}

impl<'a> Progress<'a> {
    /// Tells nobody.
    #[must_use]
    pub const fn silent() -> Self {
        Self { callback: None }
    }

    /// Tells a callback.
    #[must_use]
    pub const fn new(callback: &'a ProgressCallback<'a>) -> Self {
        Self { callback: Some(callback) }
    }

    /// Tells of `done` steps of `total`.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the callback asks to stop.
    pub fn report(&self, done: usize, total: usize) -> Result<()> {
        match self.callback.map(|callback| callback(done, total)) {
            Some(ControlFlow::Break(())) => Err(Error::Cancelled { done, total }),
            _ => Ok(()),
        }
    }

    /// Starts to count steps.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the callback asks to stop before the first.
    pub fn steps(self, total: usize) -> Result<Steps<'a>> {
        self.report(0, total)?;
        Ok(Steps { progress: self, done: AtomicUsize::new(0), total })
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("is_silent", &self.callback.is_none()).finish()
    }
}

/// Counts the steps of one piece of work, from any number of threads.
#[derive(Debug)]
pub struct Steps<'a> {
    progress: Progress<'a>,
    done: AtomicUsize,
    total: usize,
}

impl Steps<'_> {
    /// One step more is done.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the callback asks to stop.
    pub fn done(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.progress.report(done, self.total)
    }
}
