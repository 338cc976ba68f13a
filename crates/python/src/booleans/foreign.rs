//! Gates on ciphertexts of other libraries: their secret, and the server's keys.

use std::path::{Path, PathBuf};

use cryptable::bits::Parameters as PackedParameters;
use cryptable::packed_gates::foreign::{
    ForeignGates as LibraryForeignGates, ForeignParameters, ForeignSecret as LibraryForeignSecret,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use super::gate::gate_of;
use crate::call::{self, Progress};
use crate::errors::{Result, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{Origin, ReducedKey, open_mapped, refuse_pickle, write_evaluation_key};
use crate::properties::properties;

/// A secret key of OpenFHE or tfhe-rs, for whose ciphertexts `ForeignGates` evaluates gates.
///
/// Programs in `comparisons/` write its file: `LWEKEY01`, the dimension n in four bytes, and n signed bytes.
///
/// Erased from memory when it is deleted; it cannot be pickled.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct ForeignSecret {
    inner: LibraryForeignSecret,
}

impl ForeignSecret {
    fn packed(&self, gates: usize) -> cryptable::Result<PackedParameters> {
        self.inner.parameters().packed(gates)
    }
}

#[pymethods]
impl ForeignSecret {
    /// Reads a file that a program of the other library wrote; `set` is `openfhe-std128` or `tfhe-rs-boolean`.
    #[staticmethod]
    #[pyo3(signature = (path, *, set = "openfhe-std128", insecure_toy = false))]
    fn load(py: Python<'_>, path: PathBuf, set: &str, insecure_toy: bool) -> Result<Self> {
        let read = || {
            let parameters = match insecure_toy {
                true => ForeignParameters::insecure_toy(),
                false => ForeignParameters::named(set).map_err(raise)?,
            };
            let bytes = Zeroizing::new(read_file(&path)?);
            LibraryForeignSecret::from_bytes(&parameters, &bytes).map_err(raise_of(&path))
        };
        Ok(Self { inner: call::detach(py, read)? })
    }

    /// Makes the server's keys for `gates` gates at once, in memory: one or two gigabytes. Keys for fewer gates take
    /// less time.
    #[pyo3(signature = (*, gates = 16_384, threads: "int" = 0, progress = true))]
    fn gates(
        &self,
        py: Python<'_>,
        gates: usize,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<ForeignGates> {
        let inner = call::run_engine(py, threads, progress, "gates", |progress| {
            self.inner.gates(&self.packed(gates)?, progress)
        })?;
        Ok(ForeignGates { inner, origin: Origin::default() })
    }

    /// Makes the server's keys, like `gates`, and writes them to a file for the server, which `ForeignGates.open`
    /// reads. An existing file is replaced only with `replace=True`.
    #[pyo3(signature = (path, *, gates = 16_384, threads: "int" = 0, progress = true, replace = false))]
    fn save_gates(
        &self,
        py: Python<'_>,
        path: PathBuf,
        gates: usize,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        write_evaluation_key(py, &path, replace, threads, progress, |out, progress| {
            self.inner.write_gates(&self.packed(gates)?, out, progress)
        })
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("ForeignSecret"))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.inner)
    }
}

properties!(ForeignSecret {
    /// Its identifier. It reveals nothing about the secret.
    id: String = |it| it.inner.id().to_string();
    /// The parameters of its ciphertexts.
    set: &'static str = |it| it.inner.parameters().name();
});

/// The server's keys for thousands of gates at once on bits that another library encrypted; results return to that
/// library, under the same secret. Threads may share them.
///
/// A list of ciphertexts consists of these bytes: `LWELIST1`; the dimension n and log2 of the modulus q in four bytes
/// each; the number of ciphertexts in eight bytes; then for each ciphertext n + 1 words of four bytes, the mask and the
/// body. `np.frombuffer(result, "<u4", offset=24).reshape(-1, n + 1)` returns the words of a list.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct ForeignGates {
    inner: LibraryForeignGates,
    origin: Origin,
}

#[pymethods]
impl ForeignGates {
    /// Maps a file written by `ForeignSecret.save_gates` or `cryptable foreign keygen` into memory and checks all of
    /// it.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn open(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let path: &Path = &path;
        let (inner, origin) =
            open_mapped(py, path, allow_insecure, LibraryForeignGates::from_shared)?;
        Ok(Self { inner, origin })
    }

    /// Evaluates a gate bit by bit, like `EvaluationKey.gate`, on two different lists of equal length, of fresh
    /// ciphertexts or results.
    #[pyo3(signature = (gate, x, y, *, threads: "int" = 0, progress = true))]
    fn gate<'py>(
        &self,
        py: Python<'py>,
        gate: &str,
        x: &[u8],
        y: &[u8],
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Bound<'py, PyBytes>> {
        let which = gate_of(gate)?;
        let list = call::run_engine(py, threads, progress, gate, |progress| {
            let parameters = self.inner.parameters();
            let (x, y) = (parameters.read_list(x)?, parameters.read_list(y)?);
            parameters.write_list(&self.inner.gate(which, &x, &y, progress)?)
        })?;
        Ok(PyBytes::new(py, &list))
    }

    /// Negates the bits of a list.
    fn invert<'py>(&self, py: Python<'py>, x: &[u8]) -> Result<Bound<'py, PyBytes>> {
        let list = call::run_silently(py, || {
            let parameters = self.inner.parameters();
            parameters.write_list(&self.inner.not(&parameters.read_list(x)?)?)
        })?;
        Ok(PyBytes::new(py, &list))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<ReducedKey<'py>> {
        self.origin.reduce::<Self>(py)
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.inner)
    }
}

properties!(ForeignGates {
    /// The identifier of the other library's secret for which they were made.
    key_id: String = |it| it.inner.clients().lwe.to_string();
    /// The parameters of the ciphertexts.
    set: &'static str = |it| it.inner.parameters().name();
    /// Number of bits per bootstrap.
    bits_at_once: usize = |it| it.inner.bits_at_once();
    /// log2 of the probability that a gate returns a wrong bit.
    log2_fail: f64 = |it| it.inner.log2_fail();
    /// Classical security of the weakest secret in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.security_bits();
    /// Bytes of memory that they use.
    memory_bytes: usize = |it| it.inner.memory_bytes();
    /// Standard deviation of the noise of results, as a fraction of the LWE modulus; noise of an eighth or more makes a
    /// bit wrong.
    noise: f64 = |it| it.inner.deviation();
});
