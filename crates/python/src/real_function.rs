//! User functions of numbers, for library calls that need functions that never fail.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use crate::errors::Result;

/// A Python function of one number, which stores the first exception that it raises. It may be called by several
/// threads.
pub(crate) struct RealFunction {
    function: Py<PyAny>,
    failure: Mutex<Option<PyErr>>,
}

impl RealFunction {
    pub(crate) fn new(function: &Bound<'_, PyAny>) -> Self {
        Self { function: function.clone().unbind(), failure: Mutex::new(None) }
    }

    fn failure(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the function's value, or `otherwise` after the first exception.
    pub(crate) fn value(&self, x: f64, otherwise: f64) -> f64 {
        if self.failure().is_some() {
            return otherwise;
        }
        let found = Python::attach(|py| self.function.call1(py, (x,))?.extract::<f64>(py));
        found.unwrap_or_else(|error| {
            self.failure().get_or_insert(error);
            otherwise
        })
    }

    /// Returns the result, or the exception that the function raised.
    pub(crate) fn result<R>(self, made: R) -> Result<R> {
        match self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(made),
        }
    }
}
