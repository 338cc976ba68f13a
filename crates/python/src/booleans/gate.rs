//! Gates by name, with one bit per bootstrap or thousands.

use cryptable::gates::{EncryptedBits as LibraryBits, Gate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::encrypted_bits::EncryptedBits;
use crate::call::{self, Progress};
use crate::errors::Result;

/// Returns the gate with this name.
///
/// # Errors
/// `ValueError` if there is none.
pub(super) fn gate_of(name: &str) -> Result<Gate> {
    Gate::by_name(name).ok_or_else(|| {
        let message = format!("gate is {name:?}, but must be and, nand, or, nor, xor or xnor");
        PyValueError::new_err(message)
    })
}

/// Evaluates the gate with this name on operands of this shape, through the given evaluator.
///
/// # Errors
/// `ValueError` if there is no such gate; the errors of the gate.
pub(super) fn run_gate(
    py: Python<'_>,
    name: &str,
    shape: Vec<usize>,
    threads: usize,
    progress: Option<Progress<'_>>,
    gate: impl FnOnce(Gate, cryptable::Progress<'_>) -> cryptable::Result<LibraryBits> + Send,
) -> Result<EncryptedBits> {
    let which = gate_of(name)?;
    let inner = call::run_engine(py, threads, progress, name, |it| gate(which, it))?;
    Ok(EncryptedBits::new(inner, shape))
}
