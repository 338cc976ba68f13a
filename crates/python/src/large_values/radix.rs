//! Integers in digits, with one ciphertext per digit.

use cryptable::large_values::RadixInteger;
use pyo3::prelude::*;

use crate::encrypted_array::{not_compared, object_files};

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

    fn __repr__(&self) -> String {
        format!("Radix({} digits of base 8)", self.digits())
    }
}

object_files!(Radix: RadixInteger);
not_compared!(Radix, "`radix_less_than` of an evaluation key compares them");
