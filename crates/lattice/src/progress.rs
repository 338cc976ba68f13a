//! Progress of long work, and its cancellation.

use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::memory;

/// Callback that receives the number of completed steps and the total number, and returns whether to continue.
pub type ProgressCallback<'a> = dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 'a;

/// The receiver, if any, of reports on how far long work has come, which may stop the work.
///
/// The callback may be called from any thread, once before the first step and after each step, one call at a time and
/// in the order of the steps: the number of completed steps never decreases.
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
    /// Returns a progress that reports to nobody and never stops the work.
    #[must_use]
    pub const fn silent() -> Self {
        Self { callback: None }
    }

    /// Returns a progress that reports to a callback.
    #[must_use]
    pub const fn new(callback: &'a ProgressCallback<'a>) -> Self {
        Self { callback: Some(callback) }
    }

    /// Reports `done` steps of `total`.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the callback stops the work; [`Error::Allocation`] if the system refuses memory.
    pub fn report(&self, done: usize, total: usize) -> Result<()> {
        memory::check_reserve()?;
        match self.callback.map(|callback| callback(done, total)) {
            Some(ControlFlow::Break(())) => Err(Error::Cancelled { done, total }),
            _ => Ok(()),
        }
    }

    /// Returns a callback for the progress of one of `of` equal parts of the work.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use cryptable_lattice::Progress;
    /// let tell = |done: usize, total: usize| {
    ///     assert_eq!((done, total), (5, 8));
    ///     ControlFlow::Continue(())
    /// };
    /// // The third of four parts is half done.
    /// let third = Progress::new(&tell).part(2..3, 4);
    /// Progress::new(&third).report(1, 2)?;
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    pub fn part(
        self,
        parts: Range<usize>,
        of: usize,
    ) -> impl Fn(usize, usize) -> ControlFlow<()> + Sync + 'a {
        move |done, total| match self.report(parts.start * total + parts.len() * done, of * total) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    /// Starts to count steps.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the callback stops the work before the first step.
    pub fn steps(self, total: usize) -> Result<Steps<'a>> {
        self.report(0, total)?;
        Ok(Steps { progress: self, done: Mutex::new(0), total })
    }

    /// Returns the results of `of` for all indices below `total`, on all threads. Each index is a step.
    ///
    /// ```
    /// use cryptable_lattice::Progress;
    /// assert_eq!(Progress::silent().map(3, |index| Ok(index * index))?, [0, 1, 4]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Progress::steps`] and [`Steps::done`], or the first error that `of` returns.
    pub fn map<T: Send>(
        self,
        total: usize,
        of: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let steps = self.steps(total)?;
        let one = |index| of(index).and_then(|result| steps.done().map(|()| result));
        (0..total).into_par_iter().map(one).collect()
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("is_silent", &self.callback.is_none()).finish()
    }
}

/// Counts the steps of one piece of work, from any number of threads.
///
/// The lock is held while the callback runs, so that two threads cannot report their counts in the wrong order.
#[derive(Debug)]
pub struct Steps<'a> {
    progress: Progress<'a>,
    done: Mutex<usize>,
    total: usize,
}

impl Steps<'_> {
    /// Counts one more step as completed.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the callback stops the work.
    pub fn done(&self) -> Result<()> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        self.progress.report(*done, self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_never_fall_whatever_thread_tells_them() {
        let told = Mutex::new(Vec::new());
        let slow_at_odd = |done: usize, _| {
            // A thread that reports an odd count is late: without the lock the next one would overtake it.
            if done % 2 == 1 {
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            told.lock().unwrap().push(done);
            ControlFlow::Continue(())
        };
        let steps = Progress::new(&slow_at_odd).steps(64).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..16).for_each(|_| steps.done().unwrap()));
            }
        });
        assert_eq!(told.into_inner().unwrap(), (0..=64).collect::<Vec<_>>());
    }
}
