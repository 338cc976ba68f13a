//! Progress of work that consists of several lookups.

use std::ops::ControlFlow;

use cryptable_lattice::{Error, Progress, Result};

/// Number of steps that are reported per bootstrap.
const STEPS_PER_BOOTSTRAP: usize = 16;

/// Progress of consecutive lookups, each with a known number of bootstraps, that are reported as one piece of work.
#[derive(Debug)]
pub(crate) struct Passes<'a> {
    progress: Progress<'a>,
    done: usize,
    total: usize,
}

impl<'a> Passes<'a> {
    /// Starts the progress of work with `bootstraps` bootstraps.
    pub(crate) fn new(progress: Progress<'a>, bootstraps: usize) -> Self {
        Self { progress, done: 0, total: STEPS_PER_BOOTSTRAP * bootstraps }
    }

    /// Runs `work`, which needs `bootstraps` bootstraps.
    ///
    /// # Errors
    /// The errors of the work; [`Error::Cancelled`], with steps of the whole.
    pub(crate) fn run<T>(
        &mut self,
        bootstraps: usize,
        work: impl FnOnce(Progress<'_>) -> Result<T>,
    ) -> Result<T> {
        let (progress, begin, whole) = (self.progress, self.done, self.total);
        let share = STEPS_PER_BOOTSTRAP * bootstraps;
        let tell = |done: usize, total: usize| {
            let done = (begin + share * done / total.max(1)).min(whole);
            match progress.report(done, whole) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        };
        let found = work(Progress::new(&tell)).map_err(|error| match error {
            Error::Cancelled { done, total } => {
                Error::Cancelled { done: begin + share * done / total.max(1), total: whole }
            }
            other => other,
        })?;
        self.done += share;
        Ok(found)
    }
}
