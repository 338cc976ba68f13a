//! Statement to servers that two keys share one secret.

use cryptable::ckks::SharedSecret as LibrarySharedSecret;
use cryptable_wire::KeyId;
use pyo3::prelude::*;

/// A client's statement to servers that its keys for vectors and for packed integers share one secret.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct SharedSecret {
    pub(crate) inner: LibrarySharedSecret,
}

#[pymethods]
impl SharedSecret {
    /// Creates the statement from the identifiers of both keys.
    #[new]
    fn new(vectors: [u8; KeyId::BYTES], packed: [u8; KeyId::BYTES]) -> Self {
        Self { inner: LibrarySharedSecret { vectors: KeyId(vectors), packed: KeyId(packed) } }
    }

    fn __getnewargs__(&self) -> ([u8; KeyId::BYTES], [u8; KeyId::BYTES]) {
        (self.inner.vectors.0, self.inner.packed.0)
    }
}
