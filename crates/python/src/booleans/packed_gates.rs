//! The server's keys for thousands of gates at once, and their files.

use std::path::{Path, PathBuf};

use cryptable::bits::EvaluationKey as PackedEvaluationKey;
use cryptable::bits::{Packing, Parameters as PackedParameters};
use cryptable::gates::Parameters;
use cryptable::gates::SecretKey as LibrarySecretKey;
use cryptable::packed_gates::{
    Clients, ConversionParameters, ExtractionKey, PackedGates as LibraryPackedGates,
    PackedGatesSecret, RingPackingKey, SeededExtractionKey, SeededRingPackingKey,
};
use cryptable::{Error, ReadOptions, WireError, inspect};
use pyo3::prelude::*;

use super::encrypted_bits::EncryptedBits;
use super::gate::run_gate;
use crate::arrays::common_shape;
use crate::call::{self, Progress};
use crate::errors::{Result, raise};
use crate::files::{Access, map_file, read_file, write_file};
use crate::key_files::{Origin, ReducedKey, open_mapped, read_options};
use crate::properties::properties;
use crate::watched_file::Call;

/// Parameters of bits, as JSON.
const GATES: &str = "gates.json";
/// Parameters of packing and extraction, as JSON.
const CONVERSION: &str = "conversion.json";
const PACKING: &str = "packing.key";
const EXTRACTION: &str = "extraction.key";
const BOOTSTRAPS: &str = "bootstraps.key";

/// The server's keys for thousands of gates at once, in microseconds per gate. Threads may share them.
#[pyclass(frozen, module = "cryptable.booleans")]
pub(crate) struct PackedGates {
    inner: LibraryPackedGates,
    origin: Origin,
}

/// The ring degree of `cleaning_128`.
const RING_DEGREE: usize = 1 << 14;

/// A client's secrets for packed gates: its own, and a fresh secret of the ring, for this number of gates at once, or
/// the largest.
pub(super) fn secret_of(
    single: &LibrarySecretKey,
    gates: Option<usize>,
) -> cryptable::Result<PackedGatesSecret<'_>> {
    let packing = gates.map_or(Packing::Complex, |gates| Packing::of_bits(gates, RING_DEGREE));
    let parameters = if single.parameters().security_level().is_insecure() {
        let packing = if packing == Packing::Complex { packing } else { Packing::Sparse(256) };
        PackedParameters::insecure_toy(packing)?
    } else {
        PackedParameters::cleaning_128(packing)?
    };
    PackedGatesSecret::generate(single, &parameters)
}

/// Makes keys from a fresh secret of the ring, and writes them to a folder.
pub(super) fn save(
    py: Python<'_>,
    single: &LibrarySecretKey,
    gates: Option<usize>,
    folder: &Path,
    replace: bool,
    threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<()> {
    let secret = call::run_silently(py, || secret_of(single, gates))?;
    std::fs::create_dir_all(folder)?;
    let write = |name: &str, bytes: &[u8]| {
        write_file(&folder.join(name), Access::Public, replace, |out| out.write_all(bytes))
    };
    write(GATES, &single.parameters().to_bytes())?;
    write(CONVERSION, &secret.parameters().to_bytes())?;
    write_file(&folder.join(PACKING), Access::Public, replace, |out| {
        call::run_silently(py, || Ok(secret.packing_key()?.write(out)?))
    })?;
    write_file(&folder.join(EXTRACTION), Access::Public, replace, |out| {
        call::run_silently(py, || Ok(secret.extraction_key()?.write(out)?))
    })?;
    // The largest file comes last: a folder without it is incomplete.
    write_file(&folder.join(BOOTSTRAPS), Access::Public, replace, |out| {
        call::run_engine(py, threads, progress, "packed gates", |progress| {
            secret.ring().write_evaluation_key(out, progress)
        })
    })
}

/// Combines the key of bootstraps with the other files of its folder.
fn join(
    server: PackedEvaluationKey,
    folder: &Path,
    options: ReadOptions,
) -> Result<LibraryPackedGates> {
    let gates = Parameters::from_bytes(&read_file(&folder.join(GATES))?, options).map_err(raise)?;
    let conversion = read_file(&folder.join(CONVERSION))?;
    let parameters = ConversionParameters::from_bytes(&conversion, options).map_err(raise)?;
    let (packing, extraction) =
        (map_file(&folder.join(PACKING))?, map_file(&folder.join(EXTRACTION))?);
    let read = || {
        let lwe = inspect((*packing).as_ref())?.key_id.ok_or_else(|| {
            WireError::invalid("packing key", "no identifier of a client", "that of bits")
        })?;
        let clients = Clients { lwe, ring: server.key_id() };
        let packing = SeededRingPackingKey::from_bytes(&parameters, clients, (*packing).as_ref())?;
        let packing = RingPackingKey::expand(&packing);
        let bytes = (*extraction).as_ref();
        let extraction = SeededExtractionKey::from_bytes(&parameters, clients, bytes)?;
        let extraction = ExtractionKey::expand(&extraction);
        LibraryPackedGates::new(&gates, server, packing, extraction)
    };
    read().map_err(|error: Error| raise(error))
}

impl PackedGates {
    pub(super) fn in_memory(inner: LibraryPackedGates) -> Self {
        Self { inner, origin: Origin::default() }
    }
}

#[pymethods]
impl PackedGates {
    /// Reads a folder that `SecretKey.save_packed_gates` wrote and checks all of it. The largest file is mapped into memory.
    #[staticmethod]
    #[pyo3(signature = (folder, *, allow_insecure = false))]
    fn open(py: Python<'_>, folder: PathBuf, allow_insecure: bool) -> Result<Self> {
        let path = folder.join(BOOTSTRAPS);
        let of_files = Call::begin();
        let (server, _) = open_mapped(py, &path, allow_insecure, PackedEvaluationKey::from_shared)?;
        let inner = call::detach(py, || join(server, &folder, read_options(allow_insecure)))?;
        let inner = of_files.end(Ok(inner))?;
        Ok(Self { inner, origin: Origin::of(&folder, allow_insecure)? })
    }

    /// Evaluates a gate bit by bit, like `EvaluationKey.gate`, on two different arrays of bits, fresh or results of
    /// this method.
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<ReducedKey<'py>> {
        self.origin.reduce::<Self>(py)
    }

    fn __repr__(&self) -> String {
        format!(
            "PackedGates({} bits at once, of client key {})",
            self.bits_at_once(),
            self.key_id()
        )
    }
}

properties!(PackedGates {
    /// The identifier of the secret key for which they were made.
    key_id: String = |it| it.inner.packing().clients().lwe.to_string();
    /// Number of bits per bootstrap.
    bits_at_once: usize = |it| it.inner.bits_at_once();
    /// log2 of the probability that a gate returns a wrong bit.
    log2_fail: f64 = |it| it.inner.log2_fail();
    /// Classical security of the weakest secret in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.security_bits();
    /// Bytes of memory that it uses.
    memory_bytes: usize = |it| it.inner.memory_bytes();
    /// Standard deviation of the noise of results, as a fraction of the LWE modulus; noise of an eighth or more makes a
    /// bit wrong.
    noise: f64 = |it| it.inner.noise().deviation();
});
