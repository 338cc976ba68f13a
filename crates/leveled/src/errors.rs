//! Errors of numbers that callers pass.

use cryptable_lattice::Error;

/// A number out of range, and what it must satisfy.
pub(crate) fn out_of_range(name: &'static str, value: u64, limit: impl Into<String>) -> Error {
    Error::Parameter { name, value: value as f64, limit: limit.into() }
}
