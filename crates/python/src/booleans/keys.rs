//! Keys of gates: the client's and the server's.

use std::path::PathBuf;

use cryptable::booleans::{
    EvaluationKey as LibraryEvaluationKey, Parameters, SecretKey as LibrarySecretKey,
};
use numpy::{IxDyn, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::encrypted_bits::EncryptedBits;
use super::gate::run_gate;
use super::packed_gates::{self, PackedGates};
use crate::arrays::{booleans, common_shape};
use crate::call::{self, Progress};
use crate::errors::Result;
use crate::key_files::{
    Origin, ReducedKey, load_secret, open_mapped, refuse_pickle, save_secret, write_evaluation_key,
};

/// The client's secret key of bits.
///
/// Cleared from memory when it goes; never pickled.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct SecretKey {
    inner: LibrarySecretKey,
}

#[pymethods]
impl SecretKey {
    /// Draws a fresh secret, of 128 bits of security; a gate fails with at most 2^`log2_fail`, 2^-64 if left out.
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

    /// The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key.
    #[getter]
    fn id(&self) -> String {
        self.inner.id().to_string()
    }

    /// Security in bits, classical; 0 of toys.
    #[getter]
    fn security_bits(&self) -> f64 {
        self.inner.parameters().security_bits()
    }

    /// log2 of the probability that a gate goes wrong.
    #[getter]
    fn log2_fail(&self) -> f64 {
        self.inner.parameters().log2_fail()
    }

    /// Encrypts bits of any shape.
    fn encrypt(&self, values: &Bound<'_, PyAny>) -> Result<EncryptedBits> {
        let bits = booleans(values)?;
        let clear = Zeroizing::new(bits.values);
        let inner = call::detach(values.py(), || self.inner.encrypt(&clear));
        Ok(EncryptedBits::new(inner, bits.shape))
    }

    /// Decrypts bits: an array of booleans.
    fn decrypt<'py>(&self, py: Python<'py>, bits: &EncryptedBits) -> Result<Bound<'py, PyAny>> {
        let values = Zeroizing::new(call::run_silently(py, || self.inner.decrypt(&bits.inner))?);
        Ok(PyArray1::from_slice(py, &values).reshape(IxDyn(&bits.shape))?.into_any())
    }

    /// The server's key, in memory.
    #[pyo3(signature = (*, threads = 0, progress = true))]
    fn evaluation_key(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EvaluationKey> {
        let inner = call::run_engine(py, (threads, progress, "evaluation key"), |progress| {
            self.inner.evaluation_key(progress)
        })?;
        Ok(EvaluationKey { inner, origin: Origin::default() })
    }

    /// The server's keys for thousands of gates at once, in memory: half a gigabyte. A secret must be of
    /// `log2_fail=-128` for them.
    #[pyo3(signature = (*, threads = 0, progress = true))]
    fn packed_gates(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<PackedGates> {
        let inner = call::run_engine(py, (threads, progress, "packed gates"), |progress| {
            packed_gates::secret_of(&self.inner)?.packed_gates(progress)
        })?;
        Ok(PackedGates::in_memory(inner))
    }

    /// Makes the server's keys for thousands of gates at once, as `packed_gates`, and writes them to a new folder: what a server
    /// gets, and `PackedGates.open` reads. Files of an existing folder are replaced only if told so.
    #[pyo3(signature = (folder, *, threads = 0, progress = true, replace = false))]
    fn save_packed_gates(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        packed_gates::save(py, &self.inner, (&folder, replace), (threads, progress))
    }

    /// Makes the server's key and writes it to a file.
    #[pyo3(signature = (path, *, threads = 0, progress = true, replace = false))]
    fn save_evaluation_key(
        &self,
        py: Python<'_>,
        path: PathBuf,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        write_evaluation_key(py, (&path, replace), (threads, progress), |out, progress| {
            self.inner.write_evaluation_key(out, progress)
        })
    }

    /// Writes the key to a file that its owner alone may read. An existing one is replaced only if told so.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, path: PathBuf, replace: bool) -> Result<()> {
        save_secret(&path, replace, &self.inner.to_bytes())
    }

    /// Reads a key file.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let inner = load_secret(py, &path, allow_insecure, LibrarySecretKey::from_bytes)?;
        Ok(Self { inner })
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("SecretKey"))
    }

    fn __repr__(&self) -> String {
        format!("SecretKey(booleans, id {})", self.id())
    }
}

/// The server's key of gates, a bootstrap a gate and bit. Threads may share it.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct EvaluationKey {
    inner: LibraryEvaluationKey,
    origin: Origin,
}

#[pymethods]
impl EvaluationKey {
    /// Reads a key file and checks all of it.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn open(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let read = LibraryEvaluationKey::from_shared;
        let (inner, origin) = open_mapped(py, &path, allow_insecure, read)?;
        Ok(Self { inner, origin })
    }

    /// The identifier of the secret key that it was made from.
    #[getter]
    fn key_id(&self) -> String {
        self.inner.key_id().to_string()
    }

    /// Bytes of memory that it takes.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    /// A gate, bit by bit: `and`, `nand`, `or`, `nor`, `xor` or `xnor`.
    #[pyo3(signature = (gate, x, y, *, threads = 0, progress = true))]
    fn gate(
        &self,
        py: Python<'_>,
        gate: &str,
        x: &EncryptedBits,
        y: &EncryptedBits,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EncryptedBits> {
        let shape = common_shape([&x.shape, &y.shape])?;
        run_gate(py, (gate, shape), (threads, progress), |gate, progress| {
            self.inner.gate(gate, &x.inner, &y.inner, progress)
        })
    }

    /// x where the selector is true, else y.
    #[pyo3(signature = (selector, x, y, *, threads = 0, progress = true))]
    fn mux(
        &self,
        py: Python<'_>,
        selector: &EncryptedBits,
        x: &EncryptedBits,
        y: &EncryptedBits,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EncryptedBits> {
        let shape = common_shape([&selector.shape, &x.shape, &y.shape])?;
        let inner = call::run_engine(py, (threads, progress, "mux"), |progress| {
            self.inner.mux(&selector.inner, &x.inner, &y.inner, progress)
        })?;
        Ok(EncryptedBits::new(inner, shape))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<ReducedKey<'py>> {
        self.origin.reduce::<Self>(py)
    }

    fn __repr__(&self) -> String {
        format!("EvaluationKey(booleans, of client key {})", self.key_id())
    }
}
