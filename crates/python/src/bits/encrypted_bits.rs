//! Encrypted bits, in slots.

use std::sync::Arc;

use cryptable::bits::{EncryptedBits as LibraryBits, Parameters as LibraryParameters};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::parameters::Parameters;
use crate::encrypted_array::{array_files, array_methods, not_compared};
use crate::errors::Result;
use crate::key_files::Reduced;
use crate::properties::properties;
use crate::stated_types::Shape;

/// Thousands of encrypted bits in one ciphertext, in the shape of the array that was encrypted. Public: they may be
/// sent, stored and pickled.
#[pyclass(frozen, module = "cryptable.bits")]
pub(crate) struct EncryptedBits {
    pub(crate) inner: Arc<LibraryBits>,
    parameters: LibraryParameters,
    pub(crate) shape: Vec<usize>,
}

/// Pickled form of bits: their parameters, bytes and shape.
type Pickled<'py> = (Parameters, Bound<'py, PyBytes>, Shape<'py>);

impl EncryptedBits {
    pub(crate) fn new(
        inner: LibraryBits,
        parameters: &LibraryParameters,
        shape: Vec<usize>,
    ) -> Self {
        Self { inner: inner.into(), parameters: parameters.clone(), shape }
    }

    fn read(bytes: &[u8], parameters: &Parameters) -> cryptable::Result<Self> {
        let parameters = &parameters.inner;
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
    /// Predicted standard deviation of a bit from 0 or 1, and a bound on its error that is not noise.
    #[getter]
    fn noise(&self) -> (f64, f64) {
        let noise = self.inner.noise();
        (noise.deviation(), noise.bias())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Reduced<'py, Pickled<'py>>> {
        let restore = py.import("cryptable._pickling")?.getattr("packed_bits")?;
        Ok((restore, (self.parameters(), self.to_bytes(py)?, self.shape(py)?)))
    }

    fn __repr__(&self) -> String {
        format!("EncryptedBits(shape {:?}, {} levels left)", self.shape, self.levels())
    }
}

properties!(EncryptedBits {
    /// Number of levels left for gates before the next bootstrap.
    levels: usize = |it| it.inner.levels();
    /// log2 of the probability that a bit is wrong.
    log2_fail_per_bit: f64 = |it| it.parameters.log2_fail_per_bit(it.inner.noise());
    /// Its parameters.
    parameters: Parameters = |it| Parameters { inner: it.parameters.clone() };
    /// The identifier of the secret key that decrypts it.
    key_id: String = |it| it.inner.key_id().to_string();
});

array_methods!(EncryptedBits { inner, parameters }, "a multiplexer chooses by them");
array_files!(EncryptedBits, parameters: &Parameters);
not_compared!(EncryptedBits, r#"`bits.gate(server, "xnor", x, y)` compares bits"#);
