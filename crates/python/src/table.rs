//! Tables.

use pyo3::prelude::*;

use crate::arrays::{array, integers};
use crate::errors::{Result, raise};

/// A lookup table: one output for every input 0, 1, ... below the input modulus.
#[pyclass(frozen, module = "cryptable", from_py_object)]
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) inner: std::sync::Arc<cryptable::Table>,
}

#[pymethods]
impl Table {
    /// Outputs for the inputs 0, 1, ..., and the modulus that all of them are below.
    #[new]
    #[pyo3(signature = (outputs, output_modulus, *, signed = false))]
    fn new(outputs: &Bound<'_, PyAny>, output_modulus: u64, signed: bool) -> Result<Self> {
        let outputs = integers(outputs, output_modulus, signed)?.values;
        let inputs = outputs.len() as u64;
        let table = cryptable::Table::new(inputs, output_modulus, outputs).map_err(raise)?;
        Ok(Self { inner: table.into() })
    }

    /// The number of inputs.
    #[getter]
    fn input_modulus(&self) -> u64 {
        self.inner.input_modulus()
    }

    /// What all outputs are below.
    #[getter]
    fn output_modulus(&self) -> u64 {
        self.inner.output_modulus()
    }

    /// The outputs.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let (values, modulus) = (self.inner.values(), self.inner.output_modulus());
        array(py, values, &[values.len()], modulus, false)
    }

    fn __len__(&self) -> usize {
        self.inner.values().len()
    }

    fn __eq__(&self, other: &Self) -> bool {
        *self.inner == *other.inner
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, u64)> {
        Ok((self.outputs(py)?, self.output_modulus()))
    }

    fn __repr__(&self) -> String {
        format!("Table({} -> {})", self.inner.input_modulus(), self.inner.output_modulus())
    }
}
