//! Execution settings of a call: the number of threads and the progress callback.

use std::num::NonZeroUsize;

use cryptable_ring::unoptimised;

use crate::{Error, Progress, Result, memory};

/// Number of threads and progress callback of one call. Default: all threads of rayon's pool, and no callback.
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
    /// Runs the call on exactly this number of threads, which are started for it. 0 means rayon's pool.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads);
        self
    }

    /// Calls `callback` with the number of steps done and their total. The callback may stop the call, which then
    /// returns [`Error::Cancelled`].
    #[must_use]
    pub fn progress(
        mut self,
        callback: &'a cryptable_lattice::progress::ProgressCallback<'a>,
    ) -> Self {
        self.progress = Progress::new(callback);
        self
    }

    /// Runs a call on these threads and passes it the progress callback, for methods of engines that accept only a
    /// [`Progress`].
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
    /// Errors of the call; [`Error::Io`] if threads cannot be started; [`Error::Allocation`] if the system refuses a
    /// large buffer.
    pub fn run<R: Send>(&self, call: impl FnOnce(Progress<'a>) -> Result<R> + Send) -> Result<R> {
        let progress = self.progress;
        let call = |progress| memory::refusable(|| call(progress));
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
