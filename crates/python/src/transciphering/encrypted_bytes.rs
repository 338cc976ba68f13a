//! Homomorphically encrypted bytes, and AES keys.

use std::path::PathBuf;

use cryptable::transciphering::{
    EncryptedBytes as LibraryEncryptedBytes, EncryptedKey as LibraryEncryptedKey,
};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::equality::{compared, hash_of};
use crate::errors::{Result, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{Reduced, save_public};

/// Files and pickles of what is public, and written by `to_bytes`.
macro_rules! public_object {
    ($(#[$doc:meta])* $name:ident: $library:ty, [$($more:tt)*]) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "cryptable.transciphering")]
        pub(crate) struct $name {
            pub(crate) inner: $library,
        }

        #[pymethods]
        impl $name {
            $($more)*

            /// The identifier of the secret key that decrypts it.
            #[getter]
            fn key_id(&self) -> String {
                self.inner.key_id().to_string()
            }

            /// Writes a file that every program of this library reads. An existing one is replaced only if told so.
            #[pyo3(signature = (path, *, replace = false))]
            fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
                let bytes = crate::call::detach(py, || self.inner.to_bytes());
                save_public(py, &path, replace, &bytes)
            }

            /// Reads a file.
            #[staticmethod]
            fn load(py: Python<'_>, path: PathBuf) -> Result<Self> {
                crate::call::detach(py, || {
                    let inner = <$library>::from_bytes(&read_file(&path)?).map_err(raise_of(&path))?;
                    Ok(Self { inner })
                })
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

public_object!(
    /// Homomorphically encrypted bytes: what transciphering gives. Public: it may be sent, stored and pickled.
    EncryptedBytes: LibraryEncryptedBytes,
    [
        fn __len__(&self) -> usize {
            self.inner.count()
        }

        fn __richcmp__<'py>(
            slf: Bound<'py, Self>,
            other: Bound<'py, PyAny>,
            comparison: CompareOp,
        ) -> Result<Bound<'py, PyAny>> {
            compared(slf.as_any(), &other, comparison, "a lookup of `lambda v: v == 3` compares with a byte")
        }

        fn __hash__(slf: Bound<'_, Self>) -> usize {
            hash_of(slf.as_any())
        }

        fn __repr__(&self) -> String {
            format!("EncryptedBytes({} bytes)", self.inner.count())
        }
    ]
);

public_object!(
    /// An AES key, encrypted bit by bit: what a server transciphers with. Public: it may be sent, stored and pickled.
    EncryptedKey: LibraryEncryptedKey,
    [
        /// The name of the AES key, which messages carry.
        #[getter]
        fn aes_key_id(&self) -> String {
            self.inner.aes_key_id().to_string()
        }

        fn __repr__(&self) -> String {
            format!("EncryptedKey(of AES key {})", self.inner.aes_key_id())
        }
    ]
);
