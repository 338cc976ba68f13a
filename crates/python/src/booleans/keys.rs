//! Keys of gates: the client's and the server's.

use std::path::PathBuf;

use cryptable::gates::{
    EvaluationKey as LibraryEvaluationKey, Parameters, SecretKey as LibrarySecretKey,
};
use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::encrypted_bits::EncryptedBits;
use super::gate::run_gate;
use super::packed_gates::{self, PackedGates};
use crate::arrays::{booleans, common_shape, shaped};
use crate::call::{self, Progress};
use crate::errors::Result;
use crate::key_files::Origin;
use crate::keys::{evaluation_key, makes_evaluation_key, secret_key};
use crate::properties::properties;

/// The client's secret key for gates on bits.
///
/// Erased from memory when it is deleted; it cannot be pickled.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct SecretKey {
    inner: LibrarySecretKey,
}

#[pymethods]
impl SecretKey {
    /// Draws a fresh secret of 128 bits of security; a gate fails with probability at most 2^`log2_fail` (default:
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

    /// Encrypts bits of any shape.
    #[pyo3(signature = (values: "npt.ArrayLike"))]
    fn encrypt(&self, values: &Bound<'_, PyAny>) -> Result<EncryptedBits> {
        let bits = booleans(values)?;
        let clear = Zeroizing::new(bits.values);
        let inner = call::detach(values.py(), || self.inner.encrypt(&clear));
        Ok(EncryptedBits::new(inner, bits.shape))
    }

    /// Decrypts bits to an array of booleans.
    #[pyo3(signature = (bits) -> "npt.NDArray[np.bool_]")]
    fn decrypt<'py>(&self, py: Python<'py>, bits: &EncryptedBits) -> Result<Bound<'py, PyAny>> {
        let values = Zeroizing::new(call::run_silently(py, || self.inner.decrypt(&bits.inner))?);
        shaped(py, &values, &bits.shape)
    }

    /// Makes the server's keys for `gates` gates at once (default: the largest number, 16,384), in memory: half a
    /// gigabyte. Keys for fewer gates take less time, for 256 gates half of it. The secret must have been made with
    /// `log2_fail=-128`.
    #[pyo3(signature = (*, gates = None, threads: "int" = 0, progress = true))]
    fn packed_gates(
        &self,
        py: Python<'_>,
        gates: Option<usize>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<PackedGates> {
        let inner = call::run_engine(py, threads, progress, "packed gates", |progress| {
            packed_gates::secret_of(&self.inner, gates)?.packed_gates(progress)
        })?;
        Ok(PackedGates::in_memory(inner))
    }

    /// Makes the server's keys for many gates at once, like `packed_gates`, and writes them to a new folder for the
    /// server, which `PackedGates.open` reads. Files of an existing folder are replaced only with `replace=True`.
    #[pyo3(signature = (folder, *, gates = None, threads: "int" = 0, progress = true, replace = false))]
    fn save_packed_gates(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        gates: Option<usize>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        packed_gates::save(py, &self.inner, gates, &folder, replace, threads, progress)
    }
}

properties!(SecretKey {
    /// Classical security in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.parameters().security_bits();
    /// log2 of the probability that a gate goes wrong.
    log2_fail: f64 = |it| it.inner.parameters().log2_fail();
});

/// The server's key for gates, with one bootstrap per gate and bit. Threads may share it.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct EvaluationKey {
    inner: LibraryEvaluationKey,
    origin: Origin,
}

#[pymethods]
impl EvaluationKey {
    /// Evaluates a gate bit by bit: `and`, `nand`, `or`, `nor`, `xor` or `xnor`.
    #[pyo3(signature = (gate, x, y, *, threads: "int" = 0, progress = true))]
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
        run_gate(py, gate, shape, threads, progress, |gate, progress| {
            self.inner.gate(gate, &x.inner, &y.inner, progress)
        })
    }

    /// Returns x where the selector is true, else y.
    #[pyo3(signature = (selector, x, y, *, threads: "int" = 0, progress = true))]
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
        let inner = call::run_engine(py, threads, progress, "mux", |progress| {
            self.inner.mux(&selector.inner, &x.inner, &y.inner, progress)
        })?;
        Ok(EncryptedBits::new(inner, shape))
    }
}

secret_key!(SecretKey: LibrarySecretKey, "booleans");
makes_evaluation_key!(SecretKey, EvaluationKey);
evaluation_key!(EvaluationKey: LibraryEvaluationKey, "booleans");
