//! Numbers of threads that users request.

use std::num::NonZeroUsize;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::{Result, exception};

/// Largest number of threads, as on the command line.
const MOST: usize = 1024;

/// Number of threads of a call, 0 for all.
///
/// # Errors
/// `TypeError` if it is not an integer, `RangeError` if it is out of range.
pub(crate) fn of_call(asked: &Bound<'_, PyAny>) -> Result<usize> {
    let count = match asked.extract::<i64>() {
        Ok(count) => usize::try_from(count).ok().filter(|&count| count <= MOST),
        // Too large for an `i64`, but an integer: out of range.
        Err(error) if error.is_instance_of::<PyOverflowError>(asked.py()) => None,
        Err(error) => return Err(error),
    };
    count.ok_or_else(|| {
        let message = format!("threads is {asked}, but must be from 0, which is all, to {MOST}");
        exception("RangeError", message)
    })
}

/// Reads the number of threads for which a plan predicts times: `None` or 0 (as for calls) select the library's
/// default, which is all.
pub(crate) fn of_plan(asked: &Bound<'_, PyAny>) -> Result<Option<usize>> {
    Ok(if asked.is_none() { None } else { stated(of_call(asked)?) })
}

/// Returns the number of threads unless it is 0, which stands for all.
pub(crate) fn stated(threads: usize) -> Option<usize> {
    Some(threads).filter(|&threads| threads != 0)
}

/// Number of threads for which times are predicted.
pub(crate) fn of_prediction(asked: &Bound<'_, PyAny>) -> Result<usize> {
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    Ok(stated(of_call(asked)?).unwrap_or_else(all))
}
