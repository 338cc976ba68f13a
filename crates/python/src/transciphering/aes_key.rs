//! AES keys, and messages under them.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use cryptable::transciphering::{
    AesKey as LibraryAesKey, AuthenticationKey as LibraryAuthenticationKey, BLOCK_BYTES,
    Message as LibraryMessage, MessageEncryptor, MessageError,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::call;
use crate::errors::{Result, exception, raise, raise_of, raise_of_message};
use crate::files::{Access, map_file, open, read_file, write_file};
use crate::key_files::{Reduced, refuse_pickle, save_public};
use crate::properties::properties;

/// The client's AES-128 key, with a record of the counters that it has used: every message draws its own nonce, and a
/// counter used before is refused.
///
/// Erased from memory when it is deleted; it cannot be pickled.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct AesKey {
    encryptor: Mutex<MessageEncryptor>,
}

impl AesKey {
    fn new(key: LibraryAesKey) -> Self {
        Self { encryptor: Mutex::new(MessageEncryptor::new(key)) }
    }

    /// Calls a function with the key.
    pub(crate) fn with<R>(&self, call: impl FnOnce(&mut MessageEncryptor) -> R) -> R {
        call(&mut self.encryptor.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl AesKey {
    /// Draws a fresh key.
    #[staticmethod]
    fn generate() -> Self {
        Self::new(LibraryAesKey::generate())
    }

    /// Makes a key of 16 bytes, which another program also uses. Python keeps its own copy of them.
    #[staticmethod]
    fn from_bytes(bytes: [u8; BLOCK_BYTES]) -> Self {
        Self::new(LibraryAesKey::from_bytes(&Zeroizing::new(bytes)))
    }

    /// The key's name, which messages carry. It reveals nothing about the key.
    #[getter]
    fn id(&self) -> String {
        self.with(|encryptor| encryptor.key().id().to_string())
    }

    /// Encrypts bytes; the result is longer by a header. `first_counter`, 16 bytes, is random by default.
    #[pyo3(signature = (message, *, first_counter = None))]
    fn encrypt(
        &self,
        py: Python<'_>,
        message: &[u8],
        first_counter: Option<[u8; BLOCK_BYTES]>,
    ) -> Result<Message> {
        let inner = call::detach(py, || {
            self.with(|encryptor| match first_counter {
                None => encryptor.encrypt(message),
                Some(first) => encryptor.encrypt_from(first, message),
            })
        });
        Ok(Message { bytes: inner.map_err(raise_of_message)?.to_bytes() })
    }

    /// Checks a message's tag and decrypts it; raises `AuthenticityError` if anybody changed it.
    fn open<'py>(&self, py: Python<'py>, message: &Message) -> Result<Bound<'py, PyBytes>> {
        let plain = call::detach(py, || {
            let message = message.library()?;
            self.with(|encryptor| encryptor.key().open(&message))
        });
        Ok(PyBytes::new(py, &plain.map_err(raise_of_message)?))
    }

    /// Encrypts a file of any length into a message file, piece by piece: the same as `encrypt`, with little memory.
    #[pyo3(signature = (source, target, *, first_counter = None, replace = false))]
    fn encrypt_file(
        &self,
        py: Python<'_>,
        source: PathBuf,
        target: PathBuf,
        first_counter: Option<[u8; BLOCK_BYTES]>,
        replace: bool,
    ) -> Result<()> {
        let mut input = open(&source)?;
        let length = input.get_ref().metadata().map(|found| found.len())?;
        write_file(&target, Access::Public, replace, |out| {
            call::run_silently(py, || {
                Ok(self.with(|encryptor| {
                    let encryption = encryptor.take(first_counter, length)?;
                    encryption.encrypt_stream(&mut input, out).map_err(MessageError::from)
                }))
            })?
            .map_err(raise_of_message)
        })
    }

    /// Checks the tag of a message file and decrypts it, piece by piece, into a file that only its owner may read; if
    /// anybody changed the message, nothing is written.
    #[pyo3(signature = (source, target, *, replace = false))]
    fn open_file(
        &self,
        py: Python<'_>,
        source: PathBuf,
        target: PathBuf,
        replace: bool,
    ) -> Result<()> {
        let file = map_file(&source)?;
        write_file(&target, Access::Private, replace, |out| {
            call::run_silently(py, || {
                let message = LibraryMessage::from_bytes((*file).as_ref())?;
                Ok(self.with(|encryptor| encryptor.key().open_stream(&message, out)))
            })?
            .map_err(raise_of_message)
        })
    }

    /// Returns the key that checks messages under this one, but cannot decrypt them.
    fn authentication_key(&self) -> AuthenticationKey {
        AuthenticationKey { inner: self.with(|encryptor| encryptor.key().authentication_key()) }
    }

    /// Reads a key of 16 bytes, as written by `save`. The file does not record which counters were used before, so do
    /// not set `first_counter`.
    #[staticmethod]
    fn load(path: PathBuf) -> Result<Self> {
        Ok(Self::new(LibraryAesKey::from_bytes(&*read_secret(path)?)))
    }

    /// Writes the 16 bytes of the key to a file that only its owner may read.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = self.with(|encryptor| Zeroizing::new(*encryptor.key().as_bytes()));
        write_file(&path, Access::Private, replace, |out| out.write_all(&*bytes))
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("AesKey"))
    }

    fn __repr__(&self) -> String {
        format!("AesKey(id {})", self.id())
    }
}

/// Reads `BYTES` secret bytes from a file.
fn read_secret<const BYTES: usize>(path: PathBuf) -> Result<Zeroizing<[u8; BYTES]>> {
    let bytes = Zeroizing::new(read_file(&path)?);
    let mut secret = Zeroizing::new([0; BYTES]);
    if bytes.len() != BYTES {
        let (path, found) = (path.display(), bytes.len());
        let message = format!("{path}: a key has {BYTES} bytes, not {found}");
        return Err(exception("FormatError", message));
    }
    secret.copy_from_slice(&bytes);
    Ok(secret)
}

/// Size in bytes of a key that checks messages.
const AUTHENTICATION_BYTES: usize = 32;

/// A key that checks that messages were made by a holder of the AES key or of this key, but cannot decrypt them.
///
/// Erased from memory when it is deleted; it cannot be pickled.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct AuthenticationKey {
    inner: LibraryAuthenticationKey,
}

#[pymethods]
impl AuthenticationKey {
    /// Makes a key from 32 bytes that another holder provided. Python keeps its own copy of them.
    #[staticmethod]
    fn from_bytes(bytes: [u8; AUTHENTICATION_BYTES]) -> Self {
        Self { inner: LibraryAuthenticationKey::from_bytes(&Zeroizing::new(bytes)) }
    }

    /// Reads a key of 32 bytes, as written by `save`.
    #[staticmethod]
    fn load(path: PathBuf) -> Result<Self> {
        Ok(Self { inner: LibraryAuthenticationKey::from_bytes(&*read_secret(path)?) })
    }

    /// Writes the 32 bytes of the key to a file that only its owner may read.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, path: PathBuf, replace: bool) -> Result<()> {
        write_file(&path, Access::Private, replace, |out| out.write_all(self.inner.as_bytes()))
    }

    /// Checks a message; raises `AuthenticityError` if anybody changed it, or if it has no tag.
    fn verify(&self, py: Python<'_>, message: &Message) -> Result<()> {
        call::detach(py, || self.inner.verify(&message.library()?)).map_err(raise_of_message)
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("AuthenticationKey"))
    }

    fn __repr__(&self) -> String {
        "AuthenticationKey(redacted)".to_owned()
    }
}

/// Bytes encrypted under an AES key, with their first counter block and a tag. Public: it may be sent, stored and
/// pickled.
#[pyclass(frozen, module = "cryptable.transciphering")]
pub(crate) struct Message {
    /// The wire format.
    bytes: Vec<u8>,
}

impl Message {
    fn read(bytes: Vec<u8>) -> cryptable::Result<Self> {
        LibraryMessage::from_bytes(&bytes)?;
        Ok(Self { bytes })
    }

    /// The message.
    pub(crate) fn library(&self) -> cryptable::Result<LibraryMessage<'_>> {
        LibraryMessage::from_bytes(&self.bytes)
    }
}

#[pymethods]
impl Message {
    /// Makes a message from bytes that another program encrypted with AES-128-CTR, starting from a counter block of 16
    /// bytes. It has no tag.
    #[staticmethod]
    fn from_counter_mode(
        key: &AesKey,
        first_counter: [u8; BLOCK_BYTES],
        bytes: &[u8],
    ) -> Result<Self> {
        let id = key.with(|encryptor| encryptor.key().id());
        let message = LibraryMessage::from_counter_mode(id, first_counter, bytes);
        Ok(Self { bytes: message.map_err(raise)?.to_bytes() })
    }

    /// The number of bytes of the text.
    fn __len__(&self) -> Result<usize> {
        Ok(self.library().map_err(raise)?.bytes().len())
    }

    /// The counter block at which it begins, 16 bytes.
    #[getter]
    fn first_counter<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.library().map_err(raise)?.counters().first()))
    }

    /// Writes a file that every program of this library can read. An existing file is replaced only with
    /// `replace=True`.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        save_public(py, &path, replace, &self.bytes)
    }

    /// Reads a message file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self> {
        call::detach(py, || Self::read(read_file(&path)?).map_err(raise_of(&path)))
    }

    /// Returns its bytes, as in a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// Reads a message from the bytes of a file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read(bytes.to_vec()).map_err(raise)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        let restore = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((restore, (self.to_bytes(py),)))
    }

    fn __repr__(&self) -> Result<String> {
        let message = self.library().map_err(raise)?;
        let tag = if message.has_tag() { "with a tag" } else { "without a tag" };
        let (length, id) = (message.bytes().len(), message.key_id());
        Ok(format!("Message({length} bytes under AES key {id}, {tag})"))
    }
}

properties!(Message {
    /// The name of the AES key that encrypted it.
    aes_key_id: Result<String> = |it| Ok(it.library().map_err(raise)?.key_id().to_string());
    /// Whether holders of the AES key can detect changes.
    has_tag: Result<bool> = |it| Ok(it.library().map_err(raise)?.has_tag());
});
