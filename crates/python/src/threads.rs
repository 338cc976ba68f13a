//! Numbers of threads that users ask for.

use std::num::NonZeroUsize;

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

/// Reads the threads that a plan predicts for: `None` or 0, as for calls, leave the library's default, which is all.
pub(crate) fn of_plan(asked: &Bound<'_, PyAny>) -> Result<Option<usize>> {
    Ok(if asked.is_none() { None } else { stated(of_call(asked)?) })
}

/// Returns the number of threads unless it is 0, which stands for all.
pub(crate) fn stated(threads: usize) -> Option<usize> {
    Some(threads).filter(|&threads| threads != 0)
}

/// The threads that times are predicted for.
pub(crate) fn of_prediction(asked: &Bound<'_, PyAny>) -> Result<usize> {
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Ok(stated(of_call(asked)?).unwrap_or_else(all))
}
