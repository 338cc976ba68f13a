//! Parameters of keys, what lookups with them take, and what their security rests on.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::engines::bridged;
use cryptable::engines::packed::{self, EntryKind, MultiplexerLiteral};
use cryptable::{Engine, Error, KeyParameters, LweInstance, ReadOptions, SecretDistribution};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call;
use crate::cost_model::CostModel;
use crate::entry_tables::kind_of;
use crate::errors::{Result, raise};
use crate::key_files::{Reduced, load_public, read_options, save_public};
use crate::literals;
use crate::properties::properties;
use crate::stated_types::Literal;

/// A validated parameter set of any engine: what keys are generated for.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Parameters {
    pub(crate) inner: cryptable::Parameters,
}

/// A learning-with-errors problem that a secret of a parameter set rests on.
#[pyclass(frozen, get_all, module = "cryptable")]
pub(crate) struct Secret {
    /// Which secret of the set it is.
    name: &'static str,
    /// Whether it is RLWE.
    is_ring: bool,
    /// LWE dimension, or ring degree.
    dimension: usize,
    /// How the secret is drawn: `binary`, `ternary`, or `ternary of weight` and its Hamming weight.
    distribution: String,
    /// log2 of the largest modulus that anything is encrypted under.
    log2_modulus: f64,
    /// Estimated cost of the cheapest attack, log2, by the tables of estimates; None if they have no such row.
    security_bits: Option<f64>,
}

impl From<&LweInstance> for Secret {
    fn from(instance: &LweInstance) -> Self {
        let distribution = match instance.secret() {
            SecretDistribution::Binary => "binary".to_owned(),
            SecretDistribution::UniformTernary => "ternary".to_owned(),
            SecretDistribution::FixedWeightTernary(weight) => format!("ternary of weight {weight}"),
            SecretDistribution::Blocks(blocks) => format!("one in each of {blocks} blocks"),
        };
        Self {
            name: instance.name(),
            is_ring: instance.is_ring(),
            dimension: instance.dimension(),
            distribution,
            log2_modulus: instance.log2_modulus(),
            security_bits: instance.estimated_bits(),
        }
    }
}

#[pymethods]
impl Secret {
    fn __repr__(&self) -> String {
        let Self { name, dimension, distribution, log2_modulus, security_bits, .. } = self;
        let kind = if self.is_ring { "ring degree" } else { "dimension" };
        let bits = security_bits.map_or("-".to_owned(), |bits| format!("{bits:.1}"));
        format!(
            "Secret({name}: {kind} {dimension}, {distribution}, log2 q {log2_modulus:.1}, {bits} bits)"
        )
    }
}

/// How many terms sums may have, and how many lookups follow each other, before noise is too large.
#[pyclass(frozen, get_all, module = "cryptable")]
pub(crate) struct SumLimits {
    /// Most fresh values of a sum that can be looked up.
    fresh_lookup: u64,
    /// Most results of lookups of a sum that can be looked up; 0 if results have another modulus than inputs.
    result_lookup: u64,
    /// Most results of lookups of a sum that can be decrypted.
    result_decryption: u64,
    /// Most lookups in a row of a fresh value; `None` if there is no end.
    lookups_in_a_row: Option<u32>,
    /// All of them in a sentence.
    text: String,
}

#[pymethods]
impl SumLimits {
    fn __repr__(&self) -> String {
        self.text.clone()
    }
}

/// Predicted costs of a lookup.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Prediction {
    inner: cryptable::Prediction,
}

impl Prediction {
    pub(crate) fn new(inner: cryptable::Prediction) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Prediction {
    /// Memory at its peak, keys included.
    #[pyo3(signature = (threads: "int" = 2))]
    fn peak_bytes(
        &self,
        #[pyo3(from_py_with = crate::threads::of_prediction)] threads: usize,
    ) -> usize {
        self.inner.peak_bytes_on(threads)
    }

    /// Returns the seconds of a lookup of `values` values by a cost model (default: that of this machine).
    #[pyo3(signature = (values, threads: "int" = 1, *, cost_model = None))]
    fn seconds(
        &self,
        py: Python<'_>,
        values: u64,
        #[pyo3(from_py_with = crate::threads::of_prediction)] threads: usize,
        cost_model: Option<&CostModel>,
    ) -> f64 {
        let model = call::detach(py, || CostModel::or_calibrated(cost_model));
        self.inner.duration(&model, values, threads).as_secs_f64()
    }

    fn __repr__(&self) -> String {
        let peak = self.inner.peak_bytes();
        let file = self.inner.key_file_bytes;
        format!("Prediction({peak} bytes at the peak, a key file of {file} bytes)")
    }
}

properties!(Prediction {
    /// Values that one ciphertext holds.
    values_per_ciphertext: usize = |it| it.inner.values_per_ciphertext;
    /// Threads that one ciphertext keeps busy.
    parallelism: usize = |it| it.inner.parallelism;
    /// Bytes of the evaluation key in memory.
    key_memory_bytes: usize = |it| it.inner.key_memory_bytes;
    /// Bytes of the evaluation key in its file.
    key_file_bytes: usize = |it| it.inner.key_file_bytes;
    /// Bytes of memory beside the key, on one thread.
    working_bytes: usize = |it| it.inner.working_bytes;
    /// Bytes of a fresh ciphertext.
    ciphertext_bytes: usize = |it| it.inner.ciphertext_bytes;
    /// Bytes of a result.
    result_bytes: usize = |it| it.inner.result_bytes;
});

#[pymethods]
impl Parameters {
    /// Toys, for tests: no security at all. With `entries`, for tables of their own for every value or encrypted ones; with
    /// `complex_outputs`, for complex tables; with `digits`, of a multiplexer tree of such digits; with `bridged`, of single
    /// values that the server may pack.
    #[staticmethod]
    #[pyo3(signature = (engine: "Engine", input_modulus, output_modulus, *, entries: "Entries" = "shared", complex_outputs = false, digits = None, bridged = false))]
    fn insecure_toy(
        engine: &str,
        input_modulus: u64,
        output_modulus: u64,
        entries: &str,
        complex_outputs: bool,
        digits: Option<Vec<u64>>,
        bridged: bool,
    ) -> Result<Self> {
        let engine: Engine = engine.parse().map_err(raise)?;
        let kind = kind_of(entries)?;
        let of_packed = [kind != EntryKind::Shared, complex_outputs, digits.is_some()];
        if of_packed.iter().filter(|&&wanted| wanted).count() > usize::from(!bridged) {
            let message = "a toy has entries, complex outputs, digits, or is bridged: one of them";
            return Err(PyValueError::new_err(message));
        }
        let make = || {
            let moduli = (input_modulus, output_modulus);
            let packed = if bridged {
                return cryptable::Parameters::insecure_bridged_toy(moduli.0, moduli.1);
            } else if let Some(digits) = digits {
                toy_of_digits(digits, output_modulus)
            } else if complex_outputs {
                packed::Parameters::insecure_toy_complex(moduli.0, moduli.1, TOY_COMPLEX)
            } else if kind != EntryKind::Shared {
                packed::Parameters::insecure_toy_entries(moduli.0, moduli.1)
            } else {
                return cryptable::Parameters::insecure_toy(engine, moduli.0, moduli.1);
            };
            packed.map(Into::into)
        };
        Ok(Self { inner: crate::pool::run(make).map_err(raise)? })
    }

    /// How many terms sums may have; `None` where there are no sums.
    #[getter]
    fn sum_limits(&self) -> Option<SumLimits> {
        crate::pool::run(|| self.inner.sum_limits()).map(|limits| SumLimits {
            fresh_lookup: limits.fresh_lookup,
            result_lookup: limits.result_lookup,
            result_decryption: limits.result_decryption,
            lookups_in_a_row: limits.lookups_in_a_row,
            text: limits.to_string(),
        })
    }

    /// Predicts a lookup of `values` values in `tables` tables.
    #[pyo3(signature = (*, values = 1, tables = 1, entries: "Entries" = "shared"))]
    fn prediction(
        &self,
        py: Python<'_>,
        values: u64,
        tables: usize,
        entries: &str,
    ) -> Result<Prediction> {
        let kind = kind_of(entries)?;
        let predict = || Ok(self.inner.lookup_prediction(kind, tables, values));
        Ok(Prediction { inner: call::run_silently(py, predict)? })
    }

    /// Bytes of the compressed results of lookups of this number of values; `None` of single values, which stay as they are.
    fn compressed_bytes(&self, values: u64) -> Option<u64> {
        self.inner.compressed_bytes(values)
    }

    /// All numbers that make the set, as a dictionary: what `json.dumps` writes, and `from_literal` reads.
    #[getter]
    fn literal<'py>(&self, py: Python<'py>) -> Result<Literal<'py>> {
        Ok(Literal(literals::of(py, &self.inner)?))
    }

    /// The set of a literal of this engine, validated: every number against its bounds, the security that it claims, and its
    /// failures.
    #[staticmethod]
    #[pyo3(signature = (engine, literal: "Mapping[str, Any]", *, allow_insecure = false))]
    fn from_literal(
        engine: &str,
        literal: &Bound<'_, PyAny>,
        allow_insecure: bool,
    ) -> Result<Self> {
        let bytes = literals::bytes_of(engine.parse().map_err(raise)?, literal)?;
        Self::read(engine, &bytes, read_options(allow_insecure))
    }

    /// Canonical bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    /// Reads what `to_bytes` wrote, of parameters of this engine, and validates it.
    #[staticmethod]
    #[pyo3(signature = (engine, bytes, *, allow_insecure = false))]
    fn from_bytes(engine: &str, bytes: &[u8], allow_insecure: bool) -> Result<Self> {
        Self::read(engine, bytes, read_options(allow_insecure))
    }

    /// Writes a file of the parameters, which `cryptable keygen --plan` takes, too.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        save_public(py, &path, replace, &KeyParameters::from(&self.inner).to_file())
    }

    /// Reads a file of parameters of lookups, as `save` and `cryptable plan --output` write it, and validates them.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let options = read_options(allow_insecure);
        let read = |bytes: &[u8]| KeyParameters::from_file(bytes, options)?.lookups();
        Ok(Self { inner: load_public(py, &path, read)? })
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __hash__(&self) -> u64 {
        literals::hash(&self.inner.digest())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<Reduced<'py, (&'static str, Bound<'py, PyBytes>)>> {
        let restore = py.import("cryptable._pickling")?.getattr("parameters")?;
        Ok((restore, (self.engine(), self.to_bytes(py))))
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        let (inputs, outputs) = (self.input_modulus(), self.output_modulus());
        format!("Parameters({}, {}, {inputs} -> {outputs})", self.engine(), self.method())
    }
}

properties!(Parameters {
    /// Which engine they are of.
    engine: &'static str = |it| it.inner.engine().name();
    /// How tables are evaluated.
    method: String = |it| it.inner.method_name();
    /// Inputs are below this modulus.
    input_modulus: u64 = |it| it.inner.input_modulus();
    /// Outputs are below this modulus.
    output_modulus: u64 = |it| it.inner.output_modulus();
    /// The ring degree.
    ring_degree: usize = |it| it.inner.ring_degree();
    /// Values that one ciphertext holds.
    values_per_ciphertext: usize = |it| it.inner.values_per_ciphertext();
    /// log2 of the probability that any value of a ciphertext comes out wrong of a lookup.
    log2_fail: f64 = |it| it.inner.failure_probability().log2();
    /// log2 of the probability that one value does.
    log2_fail_per_value: f64 = |it| it.inner.value_failure_probability().log2();
    /// Security in bits, classical, of the weakest secret; 0 of toys.
    security_bits: f64 = |it| it.inner.security_bits();
    /// Whether they are toys, for tests.
    is_insecure: bool = |it| it.inner.security_level().is_insecure();
    /// LWE problems on which the security of each secret rests.
    secrets: Vec<Secret> = |it| it.inner.lwe_instances().iter().map(Into::into).collect();
    /// Sizes of the digits that values are decomposed into, the least significant first: of packed values.
    digit_sizes: Result<Vec<u64>> = |it| it.inner.digit_sizes().map_err(raise);
    /// Bits by which results hide tables from who has the secret key; none where they do not.
    hidden_bits: Option<u32> = |it| it.inner.hidden_bits();
    /// The digest that names them in ciphertexts.
    digest: String = |it| hexadecimal(&it.inner.digest());
});

/// Values of a toy of complex outputs.
const TOY_COMPLEX: usize = 512;

fn toy_of_digits(digits: Vec<u64>, output_modulus: u64) -> cryptable::Result<packed::Parameters> {
    let selectors = vec![1; digits.len()];
    let tree = MultiplexerLiteral { digits, selectors, ..MultiplexerLiteral::default() };
    packed::Parameters::insecure_toy_tree(output_modulus, 2048, 1024, tree, 0)
}

impl Parameters {
    /// A toy of moduli and a kind of entries.
    pub(crate) fn toy(
        engine: &str,
        input_modulus: u64,
        output_modulus: u64,
        entries: &str,
    ) -> Result<Self> {
        Self::insecure_toy(engine, input_modulus, output_modulus, entries, false, None, false)
    }

    pub(crate) fn read(engine: &str, bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let engine = engine.parse().map_err(raise)?;
        let read = cryptable::Parameters::from_bytes(engine, bytes, options);
        // Those of single values that may be packed have a format of their own.
        let inner = read.or_else(|error| match bridged::Parameters::from_bytes(bytes, options) {
            Ok(bridged) => Ok(bridged.into()),
            // Not of that format.
            Err(Error::Wire(_)) => Err(error),
            Err(refused) => Err(refused),
        });
        Ok(Self { inner: inner.map_err(raise)? })
    }
}

/// Bytes as people compare them.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A parameter set of the list.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct ListedParameters {
    inner: Arc<cryptable::ListedParameters>,
}

#[pymethods]
impl ListedParameters {
    fn __repr__(&self) -> String {
        format!("ListedParameters({}: {:.1} bits)", self.name(), self.security_bits())
    }
}

properties!(ListedParameters {
    /// Purpose of the set.
    name: &str = |it| &it.inner.name;
    /// Security in bits, classical, of the weakest secret.
    security_bits: f64 = |it| it.inner.security_bits();
    /// log2 of the probability that a value, a gate, a bit, or a block of AES goes wrong; `None` where it depends on the
    /// circuit.
    log2_fail: Option<f64> = |it| it.inner.log2_fail;
    /// LWE problems on which the security of each secret rests.
    secrets: Vec<Secret> = |it| it.inner.instances.iter().map(Into::into).collect();
});

/// All parameter sets that have names, and those that plans take by default for tables of every width: half a minute.
#[pyfunction]
pub(crate) fn list_parameters(py: Python<'_>) -> Result<Vec<ListedParameters>> {
    let list = call::run_silently(py, cryptable::ListedParameters::all)?;
    Ok(list.into_iter().map(|it| ListedParameters { inner: it.into() }).collect())
}
