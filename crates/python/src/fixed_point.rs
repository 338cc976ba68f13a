//! Tables of real and complex outputs in fixed point, as fractions of the output modulus.

use cryptable::engines::packed::{self, Flooding, RealDecryption};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{complex_numbers, reals};
use crate::errors::{Result, raise};
use crate::properties::properties;
use crate::stated_types::ComplexNumbers;
use crate::table::Table;

/// A table of complex outputs, with both parts in fixed point.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct ComplexTable {
    pub(crate) inner: packed::ComplexTable,
}

/// A complex table encoded for a key, made once and used for any number of lookups.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct PreparedComplexTable {
    pub(crate) inner: packed::PreparedComplexTable,
}

#[pymethods]
impl ComplexTable {
    /// Makes a table from outputs for the inputs 0, 1, ..., whose parts are from -1/2 to below 1/2 and are rounded to
    /// multiples of one over the output modulus.
    #[new]
    #[pyo3(signature = (outputs: "npt.ArrayLike", output_modulus))]
    fn new(outputs: &Bound<'_, PyAny>, output_modulus: u64) -> Result<Self> {
        let (outputs, _) = complex_numbers(outputs)?;
        let inputs = outputs.values.len() as u64;
        let inner = packed::ComplexTable::new(inputs, &outputs.values, output_modulus);
        Ok(Self { inner: inner.map_err(raise)? })
    }

    /// The outputs after rounding.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> ComplexNumbers<'py> {
        ComplexNumbers(PyArray1::from_vec(py, self.inner.rounded()).into_any())
    }

    fn __len__(&self) -> usize {
        self.inner.tables()[0].len()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> (ComplexNumbers<'py>, u64) {
        (self.outputs(py), self.output_modulus())
    }

    fn __repr__(&self) -> String {
        format!("ComplexTable({} -> {})", self.input_modulus(), self.output_modulus())
    }
}

properties!(ComplexTable {
    /// The number of inputs.
    input_modulus: u64 = |it| it.inner.tables()[0].input_modulus();
    /// Denominator of both parts.
    output_modulus: u64 = |it| it.inner.tables()[0].output_modulus();
});

#[pymethods]
impl PreparedComplexTable {
    /// Bytes of memory that it uses.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    fn __repr__(&self) -> String {
        format!("PreparedComplexTable({} bytes)", self.memory_bytes())
    }
}

/// Makes the table of real outputs from -1/2 to below 1/2, rounded to multiples of one over the output modulus.
#[pyfunction]
#[pyo3(signature = (outputs: "npt.ArrayLike", output_modulus))]
pub(crate) fn real_table(outputs: &Bound<'_, PyAny>, output_modulus: u64) -> Result<Table> {
    let outputs = reals(outputs)?.values;
    let table = packed::RealTable::new(outputs.len() as u64, &outputs, output_modulus);
    Ok(Table { inner: table.map_err(raise)?.table().clone().into() })
}

/// Returns the least output modulus, a power of two, for which the rounding error of real outputs is at most `error`.
#[pyfunction]
pub(crate) fn modulus_for(error: f64) -> Result<u64> {
    packed::RealTable::modulus_for(error).map_err(raise)
}

/// Returns the options of a decryption: precision in bits, and flooding noise for bits of security and a number of
/// decryptions.
pub(crate) fn decryption(precision: Option<u32>, flooding: Option<(u32, u64)>) -> RealDecryption {
    let options = RealDecryption::default();
    let options = precision.map_or(options, |bits| options.precision(bits));
    flooding.map_or(options, |(bits, queries)| options.flooding(Flooding::new(bits, queries)))
}
