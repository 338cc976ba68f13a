//! Parameters of keys, the cost of lookups with them, and the problems on which their security rests.

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

/// A validated parameter set of any engine, from which keys are generated.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Parameters {
    pub(crate) inner: cryptable::Parameters,
}

/// A learning-with-errors problem on which the security of a secret rests.
#[pyclass(frozen, get_all, module = "cryptable")]
pub(crate) struct Secret {
    /// The secret of the set that it concerns.
    name: &'static str,
    /// Whether it is ring LWE.
    is_ring: bool,
    /// LWE dimension, or ring degree.
    dimension: usize,
    /// How the secret is drawn: `binary`, `ternary`, or `ternary of weight` and its Hamming weight.
    distribution: String,
    /// log2 of the largest modulus under which anything is encrypted with this secret.
    log2_modulus: f64,
    /// Estimated log2 cost of the cheapest attack, from the tables of estimates; `None` if they have no such row.
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

/// Limits before noise becomes too large: the number of terms of sums, and of lookups in a row.
#[pyclass(frozen, get_all, module = "cryptable")]
pub(crate) struct SumLimits {
    /// Largest number of fresh values in a sum that can be looked up.
    fresh_lookup: u64,
    /// Largest number of results of lookups in a sum that can be looked up; 0 if results have another modulus than
    /// inputs.
    result_lookup: u64,
    /// Largest number of results of lookups in a sum that can be decrypted.
    result_decryption: u64,
    /// Largest number of lookups in a row on a fresh value; `None` if there is no limit.
    lookups_in_a_row: Option<u32>,
    /// All limits in one sentence.
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
    /// Peak memory in bytes, including keys.
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
    /// Number of values that one ciphertext holds.
    values_per_ciphertext: usize = |it| it.inner.values_per_ciphertext;
    /// Number of threads that the lookup of one ciphertext can use.
    parallelism: usize = |it| it.inner.parallelism;
    /// Size of the evaluation key in memory, in bytes.
    key_memory_bytes: usize = |it| it.inner.key_memory_bytes;
    /// Size of the evaluation key's file in bytes.
    key_file_bytes: usize = |it| it.inner.key_file_bytes;
    /// Memory in bytes besides the key, on one thread.
    working_bytes: usize = |it| it.inner.working_bytes;
    /// Size of a fresh ciphertext in bytes.
    ciphertext_bytes: usize = |it| it.inner.ciphertext_bytes;
    /// Size of a result in bytes.
    result_bytes: usize = |it| it.inner.result_bytes;
});

#[pymethods]
impl Parameters {
    /// Makes toy parameters for tests, without any security. `entries` selects separate tables for every value or
    /// encrypted tables, `complex_outputs` complex tables, `digits` a multiplexer tree with these digits, and `bridged`
    /// single values that the server may pack.
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
            let message =
                "a toy has entries, complex outputs, digits, or is bridged: only one of them";
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

    /// Limits of sums; `None` where there are no sums.
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

    /// Predicts the costs of a lookup of `values` values in `tables` tables.
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

    /// Returns the size in bytes of the compressed results for this number of values; `None` for single values, which
    /// stay as they are.
    fn compressed_bytes(&self, values: u64) -> Option<u64> {
        self.inner.compressed_bytes(values)
    }

    /// All numbers that define the set, as a dictionary, which `json.dumps` can write and `from_literal` reads.
    #[getter]
    fn literal<'py>(&self, py: Python<'py>) -> Result<Literal<'py>> {
        Ok(Literal(literals::of(py, &self.inner)?))
    }

    /// Makes the set with the numbers of a literal of this engine, after validation: every number against its bounds,
    /// the security that it claims, and its failure probabilities.
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

    /// Returns the canonical bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    /// Reads parameters of this engine as written by `to_bytes`, and validates them.
    #[staticmethod]
    #[pyo3(signature = (engine, bytes, *, allow_insecure = false))]
    fn from_bytes(engine: &str, bytes: &[u8], allow_insecure: bool) -> Result<Self> {
        Self::read(engine, bytes, read_options(allow_insecure))
    }

    /// Writes a file of the parameters, which `cryptable keygen --plan` also reads.
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
    /// The name of their engine.
    engine: &'static str = |it| it.inner.engine().name();
    /// The method that evaluates tables.
    method: String = |it| it.inner.method_name();
    /// Inputs are below this modulus.
    input_modulus: u64 = |it| it.inner.input_modulus();
    /// Outputs are below this modulus.
    output_modulus: u64 = |it| it.inner.output_modulus();
    /// The ring degree.
    ring_degree: usize = |it| it.inner.ring_degree();
    /// Number of values that one ciphertext holds.
    values_per_ciphertext: usize = |it| it.inner.values_per_ciphertext();
    /// log2 of the probability that a lookup returns any wrong value in a ciphertext.
    log2_fail: f64 = |it| it.inner.failure_probability().log2();
    /// log2 of the probability that a lookup returns a given value wrong.
    log2_fail_per_value: f64 = |it| it.inner.value_failure_probability().log2();
    /// Classical security of the weakest secret in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.security_bits();
    /// Whether they are insecure toys, for tests.
    is_insecure: bool = |it| it.inner.security_level().is_insecure();
    /// LWE problems on which the security of each secret rests.
    secrets: Vec<Secret> = |it| it.inner.lwe_instances().iter().map(Into::into).collect();
    /// Sizes of the digits into which packed values are decomposed, the least significant first.
    digit_sizes: Result<Vec<u64>> = |it| it.inner.digit_sizes().map_err(raise);
    /// Number of bits by which results hide tables from the holder of the secret key; `None` if they do not.
    hidden_bits: Option<u32> = |it| it.inner.hidden_bits();
    /// The digest that identifies them in ciphertexts.
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
    /// Returns a toy for these moduli and kind of entries.
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
        // Parameters of single values that may be packed have a format of their own.
        let inner = read.or_else(|error| match bridged::Parameters::from_bytes(bytes, options) {
            Ok(bridged) => Ok(bridged.into()),
            // The bytes do not have that format, so return the first error.
            Err(Error::Wire(_)) => Err(error),
            Err(refused) => Err(refused),
        });
        Ok(Self { inner: inner.map_err(raise)? })
    }
}

/// Formats a number of bytes for people.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A parameter set in the list of all sets.
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
    /// Classical security of the weakest secret in bits.
    security_bits: f64 = |it| it.inner.security_bits();
    /// log2 of the probability that a value, a gate, a bit, or an AES block goes wrong; `None` if it depends on the
    /// circuit.
    log2_fail: Option<f64> = |it| it.inner.log2_fail;
    /// LWE problems on which the security of each secret rests.
    secrets: Vec<Secret> = |it| it.inner.instances.iter().map(Into::into).collect();
});

/// Lists all named parameter sets, and those that plans use by default for tables of every width. Takes half a minute.
#[pyfunction]
pub(crate) fn list_parameters(py: Python<'_>) -> Result<Vec<ListedParameters>> {
    let list = call::run_silently(py, cryptable::ListedParameters::all)?;
    Ok(list.into_iter().map(|it| ListedParameters { inner: it.into() }).collect())
}
