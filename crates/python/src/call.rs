//! Execution of long calls beside the calling thread, which reports progress and handles Ctrl-C.
//!
//! Python delivers signals only to its main thread, and only while that runs Python code. The library therefore works
//! on a thread of its own; the caller waits without the interpreter lock, and acquires it a few times per second.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use cryptable::Execution;
use pyo3::impl_::wrap::SomeWrap;
use pyo3::prelude::*;

use crate::errors::{self, Result};
use crate::pool;
use crate::watched_file::Call;

/// Interval at which the caller looks for signals and messages.
const PERIOD: Duration = Duration::from_millis(50);

/// Messages between the two threads.
#[derive(Default)]
struct News {
    done: AtomicUsize,
    total: AtomicUsize,
    stop: AtomicBool,
}

/// The user's progress argument, if not `None`.
pub(crate) enum Progress<'py> {
    /// The default of the call: a bar, or none.
    Bar(bool),
    /// `True`, `False` or a callback.
    Given(Bound<'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Progress<'py> {
    type Error = PyErr;

    #[cfg(feature = "stubs")]
    const INPUT_TYPE: pyo3::inspect::PyStaticExpr = crate::stated_types::hint!("Progress");

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> Result<Self> {
        Ok(Self::Given(given.to_owned()))
    }
}

// `help` shows the default `progress = true` from the signature. If the default were not a literal, it would show
// `...`; a handwritten text would have to repeat the whole signature. `SomeWrap` is a hidden trait by which PyO3 makes
// an `Option` from a default.
impl<'py> SomeWrap<Progress<'py>> for bool {
    fn wrap(self) -> Option<Progress<'py>> {
        Some(Progress::Bar(self))
    }
}

/// Runs a call like [`run`], with the user's progress argument: `True` for a bar with this title, `False` or `None` for
/// none, or a callback.
pub(crate) fn run_reporting<R: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<Progress<'_>>,
    title: &str,
    call: impl FnOnce(Execution<'_>) -> cryptable::Result<R> + Send,
) -> Result<R> {
    let reporting = py.import("cryptable.progress")?.getattr("reporting")?;
    let bar = match progress {
        None => reporting.call1((false, title))?,
        Some(Progress::Bar(wanted)) => reporting.call1((wanted, title))?,
        Some(Progress::Given(given)) => reporting.call1((given, title))?,
    };
    let callback = bar.call_method0("__enter__")?;
    let callback = (!callback.is_none()).then_some(&callback);
    let result = run(py, threads, callback, call);
    bar.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    result
}

/// Works like [`run_reporting`], for calls of engines, which only need progress.
pub(crate) fn run_engine<R: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<Progress<'_>>,
    title: &str,
    call: impl FnOnce(cryptable::Progress<'_>) -> cryptable::Result<R> + Send,
) -> Result<R> {
    run_reporting(py, threads, progress, title, |execution| execution.run(call))
}

/// Works like [`run`], for calls that report nothing, on all threads.
pub(crate) fn run_silently<R: Send>(
    py: Python<'_>,
    call: impl FnOnce() -> cryptable::Result<R> + Send,
) -> Result<R> {
    run(py, 0, None, |_| call())
}

/// Runs a call of the library on `threads` threads (0: all), and calls `progress(done, total)` in this thread.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    call: impl FnOnce(Execution<'_>) -> cryptable::Result<R> + Send,
) -> Result<R> {
    let mut result = None;
    let keep = |execution: Execution<'_>| {
        result = Some(call(execution)?);
        Ok(())
    };
    run_boxed(py, threads, progress, Box::new(keep))?;
    Ok(result.expect("a call that did not fail has a result"))
}

/// Runs a short computation without the interpreter lock.
pub(crate) fn detach<R: Send>(py: Python<'_>, call: impl FnOnce() -> R + Send) -> R {
    py.detach(|| pool::run(call))
}

/// A call that stores its result.
type BoxedCall<'a> = Box<dyn FnOnce(Execution<'_>) -> cryptable::Result<()> + Send + 'a>;

/// Implements [`run`], compiled once for all calls.
fn run_boxed(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    call: BoxedCall<'_>,
) -> Result<()> {
    let progress = progress.map(|callback| callback.clone().unbind());
    py.detach(|| {
        let (news, of_files) = (News::default(), Call::begin());
        let (finished, wait) = channel::<()>();
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                // This is dropped when the call ends, even by a panic.
                let _finished = finished;
                let tell = |done, total| news.tell(done, total);
                pool::run(|| call(Execution::default().threads(threads).progress(&tell)))
            });
            let mut told = (0, 0);
            let mut interruption = None;
            while wait.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                if interruption.is_none()
                    && let Err(error) = news.pass_on(progress.as_ref(), &mut told)
                {
                    interruption = Some(error);
                    news.stop.store(true, Ordering::Relaxed);
                }
            }
            let result = of_files.end(worker.join())?;
            match interruption {
                Some(error) => Err(error),
                None => {
                    result.map_err(errors::raise)?;
                    news.pass_on(progress.as_ref(), &mut told)
                }
            }
        })
    })
}

impl News {
    /// Records the progress of the call, and returns whether to continue.
    fn tell(&self, done: usize, total: usize) -> ControlFlow<()> {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Runs the handlers of pending signals, and passes new progress to the callback.
    fn pass_on(&self, progress: Option<&Py<PyAny>>, told: &mut (usize, usize)) -> Result<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let new = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
            if let Some(callback) = progress
                && new.1 > 0
                && new != *told
            {
                callback.call1(py, new)?;
                *told = new;
            }
            Ok(())
        })
    }
}
