//! Homomorphically encrypted bytes, and AES keys.

use cryptable::transciphering::{
    EncryptedBytes as LibraryEncryptedBytes, EncryptedKey as LibraryEncryptedKey,
};
use pyo3::prelude::*;

use crate::encrypted_array::{not_compared, object_files};
use crate::properties::properties;

/// Homomorphically encrypted bytes, the result of transciphering. Public: they may be sent, stored and pickled.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct EncryptedBytes {
    pub(crate) inner: LibraryEncryptedBytes,
}

#[pymethods]
impl EncryptedBytes {
    /// The identifier of the secret key that decrypts it.
    #[getter]
    fn key_id(&self) -> String {
        self.inner.key_id().to_string()
    }

    fn __len__(&self) -> usize {
        self.inner.count()
    }

    fn __repr__(&self) -> String {
        format!("EncryptedBytes({} bytes)", self.inner.count())
    }
}

object_files!(EncryptedBytes: LibraryEncryptedBytes);
not_compared!(EncryptedBytes, "a lookup of `lambda v: v == 3` compares with a byte");

/// An AES key, encrypted bit by bit, with which a server transciphers. Public: it may be sent, stored and pickled.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct EncryptedKey {
    pub(crate) inner: LibraryEncryptedKey,
}

#[pymethods]
impl EncryptedKey {
    fn __repr__(&self) -> String {
        format!("EncryptedKey(of AES key {})", self.inner.aes_key_id())
    }
}

properties!(EncryptedKey {
    /// The name of the AES key, which messages carry.
    aes_key_id: String = |it| it.inner.aes_key_id().to_string();
    /// The identifier of the secret key that decrypts it.
    key_id: String = |it| it.inner.key_id().to_string();
});

object_files!(EncryptedKey: LibraryEncryptedKey);
