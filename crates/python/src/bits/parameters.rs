//! Parameter sets of bits.

use cryptable::bits::{NamedSet, Packing, Parameters as LibraryParameters, Precision};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{Result, raise};
use crate::literals::literal_parameters;
use crate::parameters::{Secret, hexadecimal};
use crate::properties::properties;

/// A validated parameter set of bits, from which keys are generated.
#[pyclass(frozen, module = "cryptable.bits")]
pub(crate) struct Parameters {
    pub(crate) inner: LibraryParameters,
}

/// INSECURE sets, for tests.
const TOYS: [&str; 6] = [
    "insecure-toy",
    "insecure-toy-complex",
    "insecure-toy-sparse",
    "insecure-toy-sums",
    "insecure-toy-tables",
    "insecure-toy-throughput",
];

/// Returns the toy with this name.
fn toy(name: &str) -> Option<cryptable::Result<LibraryParameters>> {
    Some(match name {
        "insecure-toy" => LibraryParameters::insecure_toy(Packing::Real),
        "insecure-toy-complex" => LibraryParameters::insecure_toy(Packing::Complex),
        "insecure-toy-sparse" => LibraryParameters::insecure_toy(Packing::Sparse(256)),
        "insecure-toy-sums" => LibraryParameters::insecure_toy_sums(),
        "insecure-toy-tables" => LibraryParameters::insecure_toy_tables(Packing::Real),
        "insecure-toy-throughput" => LibraryParameters::insecure_toy_throughput(),
        _ => return None,
    })
}

/// Standard deviation of a bit from 0 or 1, and log2 of the probability that it is wrong.
fn pair(precision: Precision) -> (f64, f64) {
    (precision.deviation, precision.log2_fail_per_bit)
}

#[pymethods]
impl Parameters {
    /// Returns the set with a name from `names()`, or a set for tests, of which `insecure-toy` is the smallest.
    #[staticmethod]
    fn named(py: Python<'_>, name: &str) -> Result<Self> {
        let found = crate::call::detach(py, || match NamedSet::by_name(name) {
            Some(set) => Some(set.parameters()),
            None => toy(name),
        });
        let inner = found.ok_or_else(|| {
            let known = NamedSet::ALL.map(NamedSet::name).into_iter().chain(TOYS);
            let known = known.collect::<Vec<_>>().join(", ");
            PyValueError::new_err(format!("there is no parameter set {name:?}, but {known}"))
        })?;
        Ok(Self { inner: inner.map_err(raise)? })
    }

    /// Lists the names and purposes of the sets of 128 bits of security, the smallest ciphertexts first.
    #[staticmethod]
    fn names() -> Vec<(&'static str, &'static str)> {
        NamedSet::ALL.map(|set| (set.name(), set.description())).to_vec()
    }

    fn __repr__(&self) -> String {
        let (name, bits, levels) = (self.name(), self.bits_at_once(), self.levels());
        let security = self.security_bits();
        format!(
            "Parameters({name}: {bits} bits at once, {levels} levels, {security:.0} bits of security)"
        )
    }
}

literal_parameters!(Parameters: LibraryParameters);

properties!(Parameters {
    /// Its name for display.
    name: &str = |it| &it.inner.literal().name;
    /// The ring degree.
    ring_degree: usize = |it| it.inner.literal().ring_degree;
    /// Largest number of bits per ciphertext and bootstrap.
    bits_at_once: usize = |it| it.inner.bits();
    /// Number of levels for gates that fresh and bootstrapped bits have.
    levels: usize = |it| it.inner.levels_after_bootstrap();
    /// Classical security of the weakest secret in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.security_bits();
    /// LWE problems on which the security of each secret rests.
    secrets: Vec<Secret> = |it| it.inner.lwe_instances().iter().map(Into::into).collect();
    /// log2 of the stated failure probability of a bit: operations that would exceed it are refused.
    log2_fail_per_bit: f64 = |it| it.inner.literal().log2_fail;
    /// Standard deviation of a bit from 0 or 1 after BinBoot of fresh bits, and log2 of the probability that it is
    /// wrong.
    bin_boot_precision: (f64, f64) = |it| pair(it.inner.bin_boot_precision());
    /// The same as `bin_boot_precision`, after GateBoot of fresh bits.
    gate_boot_precision: (f64, f64) = |it| pair(it.inner.gate_boot_precision());
    /// Size of a server's switching keys in memory, in bytes.
    key_memory_bytes: usize = |it| it.inner.key_memory_bytes();
    /// The digest that identifies it in files.
    digest: String = |it| hexadecimal(&it.inner.digest());
});
