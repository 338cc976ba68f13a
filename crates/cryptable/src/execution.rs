//! How a call runs: on how many threads, and who hears of its progress.

use std::num::NonZeroUsize;

use cryptable_ring::unoptimised;

use crate::{Error, Progress, Result};

/// Threads and progress of one call. By default all threads of rayon's pool, and no progress is told.
///
/// ```
/// use std::ops::ControlFlow;
/// use cryptable::{Engine, Execution, Parameters, SecretKey, Table};
/// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
/// let server = secret.evaluation_key();
/// let table = server.prepare(&Table::from_fn(4, 4, |x| 3 - x)?)?;
/// let cancelled = |_done: usize, _total: usize| ControlFlow::Break(());
/// let execution = Execution::default().threads(1).progress(&cancelled);
/// let result = server.lookup_with(&secret.encrypt(&[1, 2])?, &table, execution);
/// assert!(matches!(result, Err(cryptable::Error::Cancelled { .. })));
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Execution<'a> {
    threads: Option<NonZeroUsize>,
    progress: Progress<'a>,
}

impl<'a> Execution<'a> {
    /// On exactly this many threads, started for the call; 0 is as many as rayon's pool has.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads);
        self
    }

    /// Tells `callback` of steps done and in all; it may stop the call, which then fails with
    /// [`Error::Cancelled`].
    #[must_use]
    pub fn progress(
        mut self,
        callback: &'a cryptable_lattice::progress::ProgressCallback<'a>,
    ) -> Self {
        self.progress = Progress::new(callback);
        self
    }

    /// Runs a call that takes progress alone, as those of engines do, on these threads.
    ///
    /// ```
    /// use cryptable::Execution;
    /// use cryptable::ckks::{KeySet, Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let execution = Execution::default().threads(1);
    /// let server = execution.run(|progress| secret.evaluation_key_for(&KeySet::new(), progress))?;
    /// assert_eq!(server.key_id(), secret.id());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the call; if threads cannot be started.
    pub fn run<R: Send>(&self, call: impl FnOnce(Progress<'a>) -> Result<R> + Send) -> Result<R> {
        let progress = self.progress;
        match self.threads {
            None => unoptimised::on_large_stacks(|| call(progress)),
            Some(threads) => {
                let mut builder = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
                if let Some(bytes) = unoptimised::stack_bytes() {
                    builder = builder.stack_size(bytes);
                }
                let pool =
                    builder.build().map_err(|error| Error::Io(std::io::Error::other(error)))?;
                pool.install(|| call(progress))
            }
        }
    }
}

/// The share of one of several equal parts in the progress of a whole.
pub(crate) fn part_of<'a>(
    whole: &'a Progress<'a>,
    part: usize,
    parts: usize,
) -> impl Fn(usize, usize) -> std::ops::ControlFlow<()> + Sync + 'a {
    move |done, total| match whole.report(part * total + done, parts * total) {
        Ok(()) => std::ops::ControlFlow::Continue(()),
        Err(_) => std::ops::ControlFlow::Break(()),
    }
}
