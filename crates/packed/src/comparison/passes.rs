//! Progress of work that is made of several lookups.

use std::ops::ControlFlow;

use cryptable_lattice::{Error, Progress, Result};

/// Steps that are told of a bootstrap.
const STEPS_PER_BOOTSTRAP: usize = 16;

/// Lookups one after the other, each of a known number of bootstraps, that are told as one piece of work.
#[derive(Debug)]
pub(crate) struct Passes<'a> {
    progress: Progress<'a>,
    done: usize,
    total: usize,
}

impl<'a> Passes<'a> {
    /// So many bootstraps are to come.
    pub(crate) fn new(progress: Progress<'a>, bootstraps: usize) -> Self {
        Self { progress, done: 0, total: STEPS_PER_BOOTSTRAP * bootstraps }
    }

    /// Runs `work`, which takes `bootstraps` bootstraps.
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
