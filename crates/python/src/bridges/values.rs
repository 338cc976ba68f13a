//! Single values at the other end of a bridge.

use cryptable::engines::leveled;
use cryptable::integers::large_values;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::equality::{compared, hash_of};
use crate::errors::{Result, raise};
use crate::key_files::Reduced;

/// Bytes and pickles of single values.
macro_rules! single_values {
    ($(#[$doc:meta])* $name:ident: $library:ty, $instead:literal) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "cryptable.bridges")]
        pub(crate) struct $name {
            pub(crate) inner: $library,
        }

        #[pymethods]
        impl $name {
            fn __len__(&self) -> usize {
                self.inner.count()
            }

            fn __richcmp__<'py>(
                slf: Bound<'py, Self>,
                other: Bound<'py, PyAny>,
                comparison: CompareOp,
            ) -> Result<Bound<'py, PyAny>> {
                compared(slf.as_any(), &other, comparison, $instead)
            }

            fn __hash__(slf: Bound<'_, Self>) -> usize {
                hash_of(slf.as_any())
            }

            fn __repr__(&self) -> String {
                format!(concat!(stringify!($name), "({} values)"), self.inner.count())
            }

            /// Its bytes, as a file has them.
            fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                let bytes = crate::call::detach(py, || self.inner.to_bytes());
                PyBytes::new(py, &bytes)
            }

            /// From the bytes of a file.
            #[staticmethod]
            fn from_bytes(py: Python<'_>, bytes: &[u8]) -> Result<Self> {
                let inner = crate::call::detach(py, || <$library>::from_bytes(bytes)).map_err(raise)?;
                Ok(Self { inner })
            }

            fn __reduce__<'py>(
                &self,
                py: Python<'py>,
            ) -> Result<Reduced<'py, (Bound<'py, PyBytes>,)>> {
                let restore = py.get_type::<Self>().getattr("from_bytes")?;
                Ok((restore, (self.to_bytes(py),)))
            }
        }
    };
}

single_values!(
    /// Whole encrypted integers, a ciphertext each. Public.
    Integers: large_values::EncryptedIntegers,
    "`large_values.less_than` compares two"
);

single_values!(
    /// Encrypted small values, a ciphertext each: signs and results of comparisons. Public.
    SmallValues: large_values::SmallValues,
    "their decryptions are"
);

single_values!(
    /// Encrypted values of engine `leveled`. Public.
    LeveledValues: leveled::Ciphertext,
    "a lookup of `lambda v: v == 3` compares with a number"
);
