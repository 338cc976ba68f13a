//! Integers in digits, a ciphertext each digit.

use cryptable::integers::large_values::RadixInteger;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::equality::{compared, hash_of};
use crate::errors::{Result, raise};
use crate::key_files::Reduced;

/// An encrypted integer in digits of base 8. Public.
#[pyclass(frozen, module = "cryptable.large_values")]
pub(crate) struct Radix {
    pub(crate) inner: RadixInteger,
}

#[pymethods]
impl Radix {
    /// Its digits.
    #[getter]
    fn digits(&self) -> usize {
        self.inner.digits()
    }

    /// Its bytes, as a file has them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = crate::call::detach(py, || self.inner.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// From the bytes of a file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> Result<Self> {
        let inner = crate::call::detach(py, || RadixInteger::from_bytes(bytes)).map_err(raise)?;
        Ok(Self { inner })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        let restore = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((restore, (self.to_bytes(py),)))
    }

    fn __richcmp__<'py>(
        slf: Bound<'py, Self>,
        other: Bound<'py, PyAny>,
        comparison: CompareOp,
    ) -> Result<Bound<'py, PyAny>> {
        compared(
            slf.as_any(),
            &other,
            comparison,
            "`radix_less_than` of an evaluation key compares them",
        )
    }

    fn __hash__(slf: Bound<'_, Self>) -> usize {
        hash_of(slf.as_any())
    }

    fn __repr__(&self) -> String {
        format!("Radix({} digits of base 8)", self.digits())
    }
}
