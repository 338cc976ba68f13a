//! Encrypted bits.

use std::sync::Arc;

use cryptable::gates::EncryptedBits as LibraryBits;
use pyo3::prelude::*;

use crate::arrays::index_of;
use crate::encrypted_array::{array_files, array_methods, indexed, not_compared, operators};
use crate::errors::{Result, raise};

/// Encrypted bits, with one ciphertext per bit, in the shape of the array that was encrypted. Public: they may be sent,
/// stored and pickled.
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

    fn take(&self, places: &[usize], shape: Vec<usize>) -> Result<Self> {
        let one = |&place: &usize| self.inner.bit(place);
        let bits: Vec<_> =
            places.iter().map(one).collect::<cryptable::Result<_>>().map_err(raise)?;
        let bits: Vec<_> = bits.iter().collect();
        Ok(Self::new(LibraryBits::join(&bits).map_err(raise)?, shape))
    }

    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        Ok(self.inner.to_bytes())
    }

    fn read(bytes: &[u8]) -> cryptable::Result<Self> {
        let inner = LibraryBits::from_bytes(bytes)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }

    /// Evaluates an operator through `cryptable.booleans`, which knows the key.
    fn operator<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        other: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let operator = slf.py().import("cryptable.booleans")?.getattr("_operator")?;
        operator.call1((name, slf, other))
    }
}

#[pymethods]
impl EncryptedBits {
    /// The identifier of the secret key that decrypts it.
    #[getter]
    fn key_id(&self) -> String {
        self.inner.key_id().to_string()
    }

    /// Joins the bits of several arrays, one after another, in one dimension.
    #[staticmethod]
    fn join(parts: Vec<Py<Self>>) -> Result<Self> {
        let parts: Vec<_> = parts.iter().map(|part| &*part.get().inner).collect();
        let inner = LibraryBits::join(&parts).map_err(raise)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }

    /// Returns one bit of the flattened array; negative indices count from the end.
    fn bit(&self, index: i64) -> Result<Self> {
        let index = index_of(index, self.inner.count())?;
        Ok(Self::new(self.inner.bit(index).map_err(raise)?, Vec::new()))
    }

    fn __repr__(&self) -> String {
        format!("EncryptedBits(shape {:?})", self.shape)
    }

    fn __invert__(&self) -> Self {
        Self::new(!&*self.inner, self.shape.clone())
    }
}

array_methods!(EncryptedBits { inner }, "mux() chooses by them");
array_files!(EncryptedBits);
indexed!(EncryptedBits);
not_compared!(EncryptedBits, r#"`server.gate("xnor", x, y)` compares bits"#);
operators!(EncryptedBits: __and__ = "and", __or__ = "or", __xor__ = "xor");
