//! Equality and hashes of encrypted values: objects have an identity, but their contents are hidden.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PyTuple};

use crate::errors::Result;

/// Compares encrypted values. An object equals itself. Comparison with numbers, arrays and other encrypted values is
/// refused: like numpy's `==`, it would compare all values, which needs a key; `instead` names the call that does.
/// Anything else, such as `None`, is a different object.
pub(crate) fn compared<'py>(
    x: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
    comparison: CompareOp,
    instead: &str,
) -> Result<Bound<'py, PyAny>> {
    let py = x.py();
    let operator = match comparison {
        CompareOp::Eq if x.is(other) => return Ok(PyBool::new(py, true).to_owned().into_any()),
        CompareOp::Ne if x.is(other) => return Ok(PyBool::new(py, false).to_owned().into_any()),
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    };
    if has_values(x, other)? {
        let message = format!(
            "encrypted values are not compared by {operator}: {instead}; `is` tells objects apart"
        );
        return Err(PyTypeError::new_err(message));
    }
    Ok(py.NotImplemented().into_bound(py))
}

/// Whether the other operand of a comparison has values, too.
fn has_values<'py>(x: &Bound<'py, PyAny>, other: &Bound<'py, PyAny>) -> Result<bool> {
    let is_number = other.is_instance_of::<PyInt>()
        || other.is_instance_of::<PyFloat>()
        || other.is_instance_of::<PyComplex>();
    let is_sequence = other.is_instance_of::<PyList>()
        || other.is_instance_of::<PyTuple>()
        || other.is_instance_of::<PyBytes>();
    Ok(is_number
        || is_sequence
        || other.get_type().is(x.get_type())
        // Numpy arrays and numbers, Series, and encrypted values with operators.
        || other.hasattr("__array__")?
        || other.hasattr("__array_ufunc__")?)
}

/// Returns the hash of an object that equals only itself.
pub(crate) fn hash_of(x: &Bound<'_, PyAny>) -> usize {
    // Rotates the address as Python does, since the low bits of addresses are equal.
    (x.as_ptr() as usize).rotate_right(4)
}
