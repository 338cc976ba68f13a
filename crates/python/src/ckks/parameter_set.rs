//! The class of parameter sets, whose methods are in `parameters.rs`.

use cryptable::ckks::Parameters as LibraryParameters;
use pyo3::prelude::*;

/// A validated parameter set.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct Parameters {
    pub(crate) inner: LibraryParameters,
}
