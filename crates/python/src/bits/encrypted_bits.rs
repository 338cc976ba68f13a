//! Encrypted bits, in slots.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::circuits::{EncryptedBits as LibraryBits, Parameters as LibraryParameters};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::parameters::Parameters;
use crate::arrays::{length, reshaped};
use crate::equality::{compared, hash_of};
use crate::errors::{Result, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{Reduced, save_public};

/// Thousands of encrypted bits in one ciphertext, in the shape of the array that they were. Public: they may be sent, stored
/// and pickled.
#[pyclass(frozen, module = "cryptable.bits")]
pub(crate) struct EncryptedBits {
    pub(crate) inner: Arc<LibraryBits>,
    parameters: LibraryParameters,
    pub(crate) shape: Vec<usize>,
}

/// What is pickled of bits: their parameters, bytes and shape.
type Pickled<'py> = (Parameters, Bound<'py, PyBytes>, Bound<'py, PyTuple>);

impl EncryptedBits {
    pub(crate) fn new(
        inner: LibraryBits,
        parameters: &LibraryParameters,
        shape: Vec<usize>,
    ) -> Self {
        Self { inner: inner.into(), parameters: parameters.clone(), shape }
    }

    fn read(parameters: &LibraryParameters, bytes: &[u8]) -> cryptable::Result<Self> {
        let inner = LibraryBits::from_bytes(parameters, bytes)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, parameters, shape))
    }

    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        self.inner.to_bytes(&self.parameters)
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

    /// Levels for gates that are left before the next bootstrap.
    #[getter]
    fn levels(&self) -> usize {
        self.inner.levels()
    }

    /// Predicted standard deviation of a bit from 0 or 1, and bound of what of it is no noise.
    #[getter]
    fn noise(&self) -> (f64, f64) {
        let noise = self.inner.noise();
        (noise.deviation(), noise.bias())
    }

    /// log2 of the probability that a bit is wrong.
    #[getter]
    fn log2_fail_per_bit(&self) -> f64 {
        self.parameters.log2_fail_per_bit(self.inner.noise())
    }

    /// Its parameters.
    #[getter]
    fn parameters(&self) -> Parameters {
        Parameters { inner: self.parameters.clone() }
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
        let (inner, parameters) = (Arc::clone(&self.inner), self.parameters.clone());
        Ok(Self { inner, parameters, shape })
    }

    /// Writes a file that every program of this library reads. An existing one is replaced only if told so.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = crate::call::detach(py, || self.bytes()).map_err(raise)?;
        save_public(py, &path, replace, &bytes)
    }

    /// Reads a file of bits of these parameters: one dimension.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, parameters: &Parameters) -> Result<Self> {
        crate::call::detach(py, || {
            Self::read(&parameters.inner, &read_file(&path)?).map_err(raise_of(&path))
        })
    }

    /// Its bytes, as a file has them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = crate::call::detach(py, || self.bytes()).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// From the bytes of a file, of bits of these parameters: one dimension.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], parameters: &Parameters) -> Result<Self> {
        crate::call::detach(py, || Self::read(&parameters.inner, bytes)).map_err(raise)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Reduced<'py, Pickled<'py>>> {
        let restore = py.import("cryptable._pickling")?.getattr("packed_bits")?;
        Ok((restore, (self.parameters(), self.to_bytes(py)?, self.shape(py)?)))
    }

    fn __len__(&self) -> Result<usize> {
        length(&self.shape)
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
            r#"`bits.gate(server, "xnor", x, y)` compares bits"#,
        )
    }

    fn __hash__(slf: Bound<'_, Self>) -> usize {
        hash_of(slf.as_any())
    }

    fn __repr__(&self) -> String {
        format!("EncryptedBits(shape {:?}, {} levels left)", self.shape, self.levels())
    }

    fn __bool__(&self) -> Result<bool> {
        let message = "encrypted bits are neither true nor false: a multiplexer chooses by them";
        Err(PyTypeError::new_err(message))
    }
}
