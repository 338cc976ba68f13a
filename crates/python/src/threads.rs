//! Numbers of threads that users ask for.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::{Result, exception};

/// Most threads: as many as the command line takes.
const MOST: usize = 1024;

/// The threads of a call, 0 for all.
///
/// # Errors
/// `TypeError` of what is no integer, `RangeError` of one that is no number of threads.
pub(crate) fn of_call(asked: &Bound<'_, PyAny>) -> Result<usize> {
    let count = match asked.extract::<i64>() {
        Ok(count) => usize::try_from(count).ok().filter(|&count| count <= MOST),
        // An integer, too.
        Err(error) if error.is_instance_of::<PyOverflowError>(asked.py()) => None,
        Err(error) => return Err(error),
    };
    count.ok_or_else(|| {
        let message = format!("threads is {asked}, but must be from 0, which is all, to {MOST}");
        exception("RangeError", message)
    })
}

/// As [`of_call`], or `None`.
///
/// # Errors
/// As [`of_call`].
pub(crate) fn of_plan(asked: &Bound<'_, PyAny>) -> Result<Option<usize>> {
    if asked.is_none() { Ok(None) } else { of_call(asked).map(Some) }
}

/// The threads that times are predicted for.
///
/// # Errors
/// As [`of_call`].
pub(crate) fn of_prediction(asked: &Bound<'_, PyAny>) -> Result<usize> {
    Ok(all_for_none(of_call(asked)?))
}

/// So many threads, for 0 as many as the machine runs at a time.
pub(crate) fn all_for_none(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        _ => threads,
    }
}
