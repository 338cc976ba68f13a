//! Inspection of a file without a key.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Result;
use crate::key_files::load_public;

/// Describes a file: type, engine, key, sizes, and the security and failure probability of its parameters.
#[pyfunction]
#[pyo3(signature = (path) -> "dict[str, Any]")]
pub(crate) fn inspect(py: Python<'_>, path: PathBuf) -> Result<Bound<'_, PyDict>> {
    let found = load_public(py, &path, cryptable::inspect)?;
    let result = PyDict::new(py);
    result.set_item("object", &found.object)?;
    result.set_item("bytes", found.bytes)?;
    if let Some(engine) = found.engine {
        result.set_item("engine", engine.name())?;
    }
    if let Some(key_id) = found.key_id {
        result.set_item("key_id", key_id.to_string())?;
    }
    if let Some(new_owner) = found.new_owner {
        result.set_item("new_owner", new_owner.to_string())?;
    }
    if let Some((values, modulus)) = found.values {
        result.set_item("values", values)?;
        result.set_item("modulus", modulus)?;
    }
    if let Some(fresh) = found.fresh {
        result.set_item("fresh", fresh)?;
    }
    if let Some(parameters) = &found.parameters {
        result.set_item("security_bits", parameters.security_bits())?;
        result.set_item("log2_fail", parameters.log2_fail())?;
        result.set_item("insecure", parameters.security_level().is_insecure())?;
    }
    Ok(result)
}
