//! Encrypted bits.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::booleans::EncryptedBits as LibraryBits;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arrays::{index_of, length, reshaped};
use crate::equality::{compared, hash_of};
use crate::errors::{Result, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{ReducedArray, save_public};

/// Encrypted bits, each a ciphertext by itself, in the shape of the array that they were. Public: it may be sent, stored and
/// pickled.
///
/// `~x` needs no key; `& | ^` work within `with cryptable.booleans.computing(server):`.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct EncryptedBits {
    pub(crate) inner: Arc<LibraryBits>,
    pub(crate) shape: Vec<usize>,
}

impl EncryptedBits {
    pub(crate) fn new(inner: LibraryBits, shape: Vec<usize>) -> Self {
        Self { inner: inner.into(), shape }
    }

    fn read(bytes: &[u8]) -> cryptable::Result<Self> {
        let inner = LibraryBits::from_bytes(bytes)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }

    /// Calls `cryptable.booleans` for an operator, which knows the key.
    fn operator<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        other: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let operator = slf.py().import("cryptable.booleans")?.getattr("_operator")?;
        operator.call1((name, slf, other))
    }
}

#[pymethods]
impl EncryptedBits {
    /// The shape of the encrypted array.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The number of its axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// The number of bits.
    #[getter]
    fn size(&self) -> usize {
        self.inner.count()
    }

    /// The identifier of the secret key that decrypts it.
    #[getter]
    fn key_id(&self) -> String {
        self.inner.key_id().to_string()
    }

    /// The same bits in another shape.
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: &Bound<'_, PyTuple>) -> Result<Self> {
        let shape = reshaped(shape, self.inner.count())?;
        Ok(Self { inner: Arc::clone(&self.inner), shape })
    }

    /// Bits of several arrays, one after another, in one dimension.
    #[staticmethod]
    fn join(parts: Vec<Py<Self>>) -> Result<Self> {
        let parts: Vec<_> = parts.iter().map(|part| &*part.get().inner).collect();
        let inner = LibraryBits::join(&parts).map_err(raise)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }

    /// One bit, of the array in one dimension; below 0, from the end.
    fn bit(&self, index: i64) -> Result<Self> {
        let index = index_of(index, self.inner.count())?;
        Ok(Self::new(self.inner.bit(index).map_err(raise)?, Vec::new()))
    }

    /// Writes a file that every program of this library reads. An existing one is replaced only if told so.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = crate::call::detach(py, || self.inner.to_bytes());
        save_public(py, &path, replace, &bytes)
    }

    /// Reads a file of bits: one dimension.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self> {
        crate::call::detach(py, || Self::read(&read_file(&path)?).map_err(raise_of(&path)))
    }

    /// Its bytes, as a file has them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = crate::call::detach(py, || self.inner.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// From the bytes of a file: one dimension.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> Result<Self> {
        crate::call::detach(py, || Self::read(bytes)).map_err(raise)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<ReducedArray<'py>> {
        let restore = py.import("cryptable._pickling")?.getattr("of_bytes")?;
        let class = py.get_type::<Self>().into_any();
        Ok((restore, (class, self.to_bytes(py), self.shape(py)?)))
    }

    fn __len__(&self) -> Result<usize> {
        length(&self.shape)
    }

    fn __richcmp__<'py>(
        slf: Bound<'py, Self>,
        other: Bound<'py, PyAny>,
        comparison: CompareOp,
    ) -> Result<Bound<'py, PyAny>> {
        compared(slf.as_any(), &other, comparison, r#"`server.gate("xnor", x, y)` compares bits"#)
    }

    fn __hash__(slf: Bound<'_, Self>) -> usize {
        hash_of(slf.as_any())
    }

    fn __repr__(&self) -> String {
        format!("EncryptedBits(shape {:?})", self.shape)
    }

    fn __bool__(&self) -> Result<bool> {
        Err(PyTypeError::new_err(
            "encrypted bits are neither true nor false: mux() chooses by them",
        ))
    }

    fn __invert__(&self) -> Self {
        Self::new(!&*self.inner, self.shape.clone())
    }

    /// numpy is to leave operators to these.
    #[classattr]
    fn __array_ufunc__() -> Option<()> {
        None
    }

    fn __and__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "and", &other)
    }

    fn __or__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "or", &other)
    }

    fn __xor__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "xor", &other)
    }
}
