//! Keys of transciphering: the client's and the server's.

use std::path::PathBuf;

use cryptable::transciphering::{
    BLOCK_BYTES, Message as LibraryMessage, Parameters, PreparedTable as LibraryPreparedTable,
    Transciphering,
};
use cryptable::transciphering::{
    EvaluationKey as LibraryEvaluationKey, PublicKey as LibraryPublicKey,
    SecretKey as LibrarySecretKey,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::aes_key::{AesKey, Message};
use super::encrypted_bytes::{EncryptedBytes, EncryptedKey};
use crate::call::{self, Progress};
use crate::errors::{Result, raise, raise_of_message};
use crate::files::{Access, map_file, write_file};
use crate::key_files::Origin;
use crate::keys::{evaluation_key, makes_evaluation_key, public_key, secret_key};
use crate::properties::properties;
use crate::table::{Signs, Table, of_moduli};

/// The client's secret key for transciphering: encrypts its AES key once, and decrypts the server's results for its
/// messages.
///
/// Erased from memory when it is deleted; it cannot be pickled.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct SecretKey {
    inner: LibrarySecretKey,
}

#[pymethods]
impl SecretKey {
    /// Draws a fresh secret of 128 bits of security; a byte fails with probability at most 2^`log2_fail` (default:
    /// 2^-64).
    #[staticmethod]
    #[pyo3(signature = (*, log2_fail = None, insecure_toy = false))]
    fn generate(py: Python<'_>, log2_fail: Option<f64>, insecure_toy: bool) -> Result<Self> {
        let inner = call::run_silently(py, || {
            let parameters = match log2_fail {
                _ if insecure_toy => Parameters::insecure_toy(),
                None => Parameters::default_128(),
                Some(log2_fail) => Parameters::with_log2_fail(log2_fail)?,
            };
            Ok(LibrarySecretKey::generate(&parameters))
        })?;
        Ok(Self { inner })
    }

    /// Encrypts an AES key bit by bit; the server needs it once.
    fn encrypt_key(&self, py: Python<'_>, key: &AesKey) -> EncryptedKey {
        let inner =
            call::detach(py, || key.with(|encryptor| self.inner.encrypt_key(encryptor.key())));
        EncryptedKey { inner }
    }

    /// Encrypts bytes homomorphically, without AES.
    fn encrypt(&self, py: Python<'_>, data: &[u8]) -> EncryptedBytes {
        EncryptedBytes { inner: call::detach(py, || self.inner.encrypt(data)) }
    }

    /// Makes a public key, with which anyone can encrypt an AES key for this client's server and then send messages
    /// under it.
    fn public_key(&self, py: Python<'_>) -> Result<PublicKey> {
        Ok(PublicKey { inner: call::run_silently(py, || self.inner.public_key())? })
    }

    /// Decrypts homomorphically encrypted bytes.
    fn decrypt<'py>(&self, py: Python<'py>, data: &EncryptedBytes) -> Result<Bound<'py, PyBytes>> {
        let plain = call::detach(py, || self.inner.decrypt(&data.inner)).map_err(raise)?;
        Ok(PyBytes::new(py, &plain))
    }

    /// Decrypts a file written by `EvaluationKey.transcipher_file`, piece by piece, into a file that only its owner may
    /// read; returns the number of bytes.
    #[pyo3(signature = (source, target, *, threads: "int" = 0, progress = true, replace = false))]
    fn decrypt_file(
        &self,
        py: Python<'_>,
        source: PathBuf,
        target: PathBuf,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<u64> {
        let file = map_file(&source)?;
        let mut count = 0;
        write_file(&target, Access::Private, replace, |out| {
            count = call::run_engine(py, threads, progress, "decrypt", |progress| {
                self.inner.decrypt_stream((*file).as_ref(), out, progress)
            })?;
            Result::Ok(())
        })?;
        Ok(count)
    }
}

properties!(SecretKey {
    /// Classical security in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.parameters().security_bits();
    /// log2 of the probability that a byte goes wrong.
    log2_fail: f64 = |it| it.inner.parameters().log2_fail();
});

/// A public key for transciphering, with which a contributor encrypts an AES key of its own and then sends messages
/// under it.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct PublicKey {
    inner: LibraryPublicKey,
}

public_key!(PublicKey: LibraryPublicKey);

#[pymethods]
impl PublicKey {
    /// Encrypts an AES key bit by bit; the server needs it once.
    fn encrypt_key(&self, py: Python<'_>, key: &AesKey) -> Result<EncryptedKey> {
        let encrypt = || key.with(|encryptor| self.inner.encrypt_key(encryptor.key()));
        Ok(EncryptedKey { inner: call::run_silently(py, encrypt)? })
    }

    /// Encrypts bytes homomorphically, without AES.
    fn encrypt(&self, py: Python<'_>, data: &[u8]) -> Result<EncryptedBytes> {
        Ok(EncryptedBytes { inner: call::run_silently(py, || self.inner.encrypt(data))? })
    }
}

/// The server's key for transciphering. Threads may share it.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct EvaluationKey {
    inner: LibraryEvaluationKey,
    origin: Origin,
}

/// Number of values of a byte.
const BYTE_VALUES: u64 = 256;

/// A table of 256 bytes, encoded once.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct PreparedTable {
    inner: LibraryPreparedTable,
}

#[pymethods]
impl PreparedTable {
    /// Bytes of memory that it uses.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    fn __repr__(&self) -> String {
        format!("PreparedTable({BYTE_VALUES} -> {BYTE_VALUES}, {} bytes)", self.memory_bytes())
    }
}

#[pymethods]
impl EvaluationKey {
    /// Encodes a table from bytes to bytes: anything that `cryptable.table` converts to one.
    #[pyo3(signature = (table: "TableLike"))]
    fn prepare(&self, table: &Bound<'_, PyAny>) -> Result<PreparedTable> {
        let py = table.py();
        let table = of_moduli(table, BYTE_VALUES, BYTE_VALUES, Signs::default())?;
        let table = table.cast::<Table>()?.get();
        let inner = call::run_silently(py, || self.inner.prepare(&table.inner))?;
        Ok(PreparedTable { inner })
    }

    /// Turns a message into homomorphic ciphertexts, and maps each byte through a table if one is given.
    #[pyo3(signature = (key, message, table = None, *, threads: "int" = 0, progress = true))]
    fn transcipher(
        &self,
        py: Python<'_>,
        key: &EncryptedKey,
        message: &Message,
        table: Option<&PreparedTable>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EncryptedBytes> {
        let table = table.map(|table| &table.inner);
        let inner = call::run_engine(py, threads, progress, "transcipher", |progress| {
            let transciphering = Transciphering::new(&self.inner, &key.inner, table)?;
            Ok(transciphering.transcipher(&message.library()?, progress))
        })?;
        let inner = inner.map_err(raise_of_message)?;
        Ok(EncryptedBytes { inner })
    }

    /// Transciphers a message file of any length into a file, piece by piece, like `transcipher`. With `first_counter`,
    /// 16 bytes, the input holds only bytes that another program encrypted with AES-128-CTR, starting from that counter
    /// block.
    #[pyo3(signature = (key, source, target, table = None, *, first_counter = None, threads: "int" = 0, progress = true,
        replace = false))]
    // One keyword argument per option.
    #[allow(clippy::too_many_arguments)]
    fn transcipher_file(
        &self,
        py: Python<'_>,
        key: &EncryptedKey,
        source: PathBuf,
        target: PathBuf,
        table: Option<&PreparedTable>,
        first_counter: Option<[u8; BLOCK_BYTES]>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        let table = table.map(|table| &table.inner);
        let file = map_file(&source)?;
        write_file(&target, Access::Public, replace, |out| {
            call::run_engine(py, threads, progress, "transcipher", |progress| {
                let bytes = (*file).as_ref();
                let message = match first_counter {
                    None => LibraryMessage::from_bytes(bytes)?,
                    Some(first) => {
                        let id = key.inner.aes_key_id();
                        LibraryMessage::from_counter_mode(id, first, bytes)?
                    }
                };
                let transciphering = Transciphering::new(&self.inner, &key.inner, table)?;
                Ok(transciphering.transcipher_stream(&message, out, progress))
            })?
            .map_err(raise_of_message)
        })
    }

    /// Maps encrypted bytes through several tables.
    #[pyo3(signature = (data, tables, *, threads: "int" = 0, progress = true))]
    fn lookup_many(
        &self,
        py: Python<'_>,
        data: &EncryptedBytes,
        tables: Vec<Py<PreparedTable>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<EncryptedBytes>> {
        let tables: Vec<_> = tables.iter().map(|table| &table.get().inner).collect();
        let found = call::run_engine(py, threads, progress, "lookup", |progress| {
            self.inner.lookup_many(&data.inner, &tables, progress)
        })?;
        Ok(found.into_iter().map(|inner| EncryptedBytes { inner }).collect())
    }
}

secret_key!(SecretKey: LibrarySecretKey, "transciphering");
makes_evaluation_key!(SecretKey, EvaluationKey);
evaluation_key!(EvaluationKey: LibraryEvaluationKey, "transciphering");
