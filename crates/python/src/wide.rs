//! Dictionaries, and structured tables of wide values, for `cryptable/wide.py`.

mod client;

use std::borrow::Cow;
use std::sync::Arc;

use cryptable::jobs::Words;
use cryptable::wide::{
    Dictionary, PreparedWords, WideValues as LibraryValues, WordCircuit, words_of_bits,
};
use cryptable::{Ciphertext as LibraryCiphertext, Limits, OperationPlan, Request};
use numpy::{Element, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::encrypted_array::{array_files, array_methods, indexed, not_compared};
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;
use crate::key_files::Reduced;
use crate::properties::properties;

pub(crate) use client::{decrypt_wide, encrypt_wide};

/// Predicted costs of dictionaries and structured tables, from which keys are generated. Prints as a list.
#[pyclass(frozen, module = "cryptable.wide")]
pub(crate) struct WidePlan {
    pub(crate) inner: OperationPlan<Words>,
}

#[pymethods]
impl WidePlan {
    /// Lists for a dictionary and each kind of structure its name, number of lookups, and predicted seconds for a full
    /// ciphertext.
    #[getter]
    fn tables(&self) -> Vec<(&'static str, usize, f64)> {
        let tables = self.inner.operations().iter();
        tables.map(|it| (it.name, it.lookups, it.duration.as_secs_f64())).collect()
    }

    fn __repr__(&self) -> String {
        self.inner.to_string()
    }
}

properties!(WidePlan {
    /// Bits of the keys of a dictionary.
    bits: u32 = |it| it.inner.bits();
    /// Bits of its values.
    value_bits: u32 = |it| it.inner.value_bits();
    /// Largest number of entries of a dictionary, which is the number of values of a word.
    word_modulus: u64 = |it| it.inner.modulus();
    /// Predicted peak memory in bytes, including keys.
    memory_bytes: usize = |it| it.inner.peak_bytes();
    /// Size of the evaluation key's file in bytes.
    key_file_bytes: usize = |it| it.inner.key_file_bytes();
    /// log2 of the probability that a dictionary returns any wrong value in a ciphertext.
    log2_fail: f64 = |it| it.inner.failure_probability().log2();
    /// Classical security in bits.
    security_bits: f64 = |it| it.inner.parameters().security_bits();
});

/// Predicts the costs of dictionaries with keys of `bits` bits.
#[pyfunction]
#[pyo3(signature = (bits, *, value_bits = None, values = None, memory = None, log2_fail = None, threads: "int | None" = None, insecure_toy = false))]
// One keyword argument per option: Python's counterpart of a builder.
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan_wide(
    py: Python<'_>,
    bits: u32,
    value_bits: Option<u32>,
    values: Option<u64>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    #[pyo3(from_py_with = crate::threads::of_plan)] threads: Option<usize>,
    insecure_toy: bool,
) -> Result<WidePlan> {
    let limits = Limits { values, memory, log2_fail, threads, insecure_toy, ..Limits::default() };
    let request = Request::words(bits).limits(limits);
    let request = value_bits.into_iter().fold(request, Request::value_bits);
    Ok(WidePlan { inner: call::run_silently(py, || request.plan())? })
}

/// Pickled form of values: their bytes, number of words, and shape.
type Pickled<'py> = (Bound<'py, PyBytes>, usize, Vec<usize>);

/// Encrypted values in words, in the shape of the array that was encrypted. Public: they may be sent, stored and
/// pickled.
#[pyclass(frozen, module = "cryptable.wide")]
pub(crate) struct WideValues {
    inner: Arc<LibraryValues>,
    shape: Vec<usize>,
}

impl WideValues {
    fn read(bytes: &[u8], words: usize) -> cryptable::Result<Self> {
        let joined = LibraryCiphertext::from_bytes(bytes)?;
        let inner = LibraryValues::from_ciphertext(joined, words)?;
        let shape = vec![inner.count()];
        Ok(Self { inner: inner.into(), shape })
    }

    fn take(&self, places: &[usize], shape: Vec<usize>) -> Result<Self> {
        let word = |word: &LibraryCiphertext| {
            let word = Ciphertext::new(word.clone(), Vec::new()).take(places, Vec::new())?;
            Ok((*word.inner).clone())
        };
        let words = self.inner.words().iter().map(word).collect::<Result<_>>()?;
        Ok(Self { inner: LibraryValues::new(words).map_err(raise)?.into(), shape })
    }

    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        Ok(self.inner.to_ciphertext()?.to_bytes())
    }
}

#[pymethods]
impl WideValues {
    /// Number of words per value.
    #[getter]
    fn words(&self) -> usize {
        self.inner.words().len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Reduced<'py, Pickled<'py>>> {
        let restore = py.import("cryptable._pickling")?.getattr("wide_values")?;
        Ok((restore, (self.to_bytes(py)?, self.words(), self.shape.clone())))
    }

    fn __repr__(&self) -> String {
        format!("WideValues({} words each, shape {:?})", self.words(), self.shape)
    }
}

array_methods!(WideValues { inner }, "`is None` and `size` tell what can be known");
array_files!(WideValues, words: usize);
indexed!(WideValues);
not_compared!(WideValues, "a `wide.dictionary` tells which of known values they are");

/// A dictionary or a structured table, encoded for a key, made once and used for any number of lookups.
#[pyclass(frozen, module = "cryptable.wide")]
pub(crate) struct PreparedWide {
    inner: PreparedWords,
}

#[pymethods]
impl PreparedWide {
    /// Looks up a value in the clear, to check a table.
    fn evaluate(&self, value: u64) -> Result<u64> {
        let circuit = self.inner.circuit();
        let p = circuit.modulus();
        let low_first = |rest: &mut u64| {
            let word = *rest % p;
            *rest /= p;
            word
        };
        let mut rest = value;
        let words: Vec<u64> = (0..circuit.input_words()).map(|_| low_first(&mut rest)).collect();
        let found = circuit.evaluate(&words).map_err(raise)?;
        Ok(found.iter().rev().fold(0, |value: u64, word| value.wrapping_mul(p).wrapping_add(*word)))
    }

    fn __repr__(&self) -> String {
        format!("PreparedWide({} lookups)", self.lookups())
    }
}

properties!(PreparedWide {
    /// Number of lookups of a word that it needs.
    lookups: usize = |it| it.inner.circuit().lookups();
    /// Number of words of each input value.
    input_words: usize = |it| it.inner.circuit().input_words();
    /// Number of words of each result.
    output_words: usize = |it| it.inner.circuit().output_words();
    /// Bytes of memory that it uses.
    memory_bytes: usize = |it| it.inner.memory_bytes();
});

/// The constituents of a table.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TableOfWords {
    /// `dictionary`, `pieces`, `sum`, `classes` or `products`.
    kind: String,
    bits: u32,
    output_modulus: Option<u64>,
    default: u64,
    /// Keys and values, starts and values.
    pairs: Vec<(u64, u64)>,
    /// Functions of the low and the high word, or their classes.
    halves: Vec<(Vec<u64>, Vec<u64>)>,
    /// Outputs for pairs of classes.
    outputs: Vec<u64>,
}

impl TableOfWords {
    fn circuit(&self, p: u64) -> cryptable::Result<WordCircuit> {
        let outputs = self.output_modulus.unwrap_or(p);
        match self.kind.as_str() {
            "dictionary" => {
                let largest = self.pairs.iter().map(|pair| pair.1).max().unwrap_or(0);
                let least = largest.max(self.default).max(1).saturating_add(1);
                let least = least.checked_next_power_of_two().unwrap_or(u64::MAX);
                let values = self.output_modulus.unwrap_or(least);
                let (words, pairs) = (words_of_bits(self.bits, p), self.pairs.iter().copied());
                Dictionary::new(p, words, values, pairs, self.default)?.circuit()
            }
            "pieces" => WordCircuit::piecewise_constant(p, outputs, &self.pairs),
            "sum" => {
                let at = |values: &[u64], x: u64| values.get(x as usize).copied().unwrap_or(0);
                let none = (Vec::new(), Vec::new());
                let (low, high) = self.halves.first().unwrap_or(&none);
                for half in [low, high] {
                    if half.len() as u64 != p {
                        let found = half.len();
                        return Err(cryptable::Error::TableLength { found, expected: p });
                    }
                }
                WordCircuit::sum(p, outputs, |x| at(low, x), |x| at(high, x))
            }
            "classes" => {
                let none = (Vec::new(), Vec::new());
                let (low, high) = self.halves.first().unwrap_or(&none);
                WordCircuit::classes(p, outputs, [low, high], &self.outputs)
            }
            _ => WordCircuit::products(p, &self.halves),
        }
    }
}

/// Encodes a table of words for a key.
#[pyfunction]
#[pyo3(signature = (key, table: "Mapping[str, Any]"))]
pub(crate) fn prepare_wide(
    py: Python<'_>,
    key: &EvaluationKey,
    table: TableOfWords,
) -> Result<PreparedWide> {
    let key = key.library();
    let inner = call::run_silently(py, || {
        let key = key.packed()?;
        key.prepare_words(&table.circuit(key.parameters().input_modulus())?)
    })?;
    Ok(PreparedWide { inner })
}

/// Whether nobody can write to an array, or to those of which it is a view.
fn is_read_only(array: &Bound<'_, PyAny>) -> Result<bool> {
    let mut array = array.clone();
    while let Ok(flags) = array.getattr("flags") {
        if flags.getattr("writeable")?.extract()? {
            return Ok(false);
        }
        array = array.getattr("base")?;
    }
    Ok(true)
}

/// Finds the structure of a table of words, with one output per value of two words, and encodes it. The outputs are an
/// array of one dimension, of `uint8` to `uint64`, which is copied if somebody may write to it meanwhile.
#[pyfunction]
#[pyo3(signature = (key, outputs: "npt.NDArray[Any]", output_modulus))]
pub(crate) fn recognise_wide(
    key: &EvaluationKey,
    outputs: &Bound<'_, PyAny>,
    output_modulus: u64,
) -> Result<PreparedWide> {
    fn of<'py, T: Element + Copy + Into<u64> + Send + Sync>(
        key: &cryptable::EvaluationKey,
        outputs: &PyReadonlyArray1<'py, T>,
        output_modulus: u64,
    ) -> Result<PreparedWide> {
        let py = outputs.py();
        let outputs = match is_read_only(outputs.as_any())? {
            true => Cow::Borrowed(outputs.as_slice()?),
            false => Cow::Owned(outputs.as_slice()?.to_vec()),
        };
        let inner = call::run_silently(py, || {
            let key = key.packed()?;
            let (parameters, found) = (key.parameters(), outputs.len());
            let expected = parameters.input_modulus().saturating_pow(2);
            if found as u64 != expected {
                return Err(cryptable::Error::TableLength { found, expected });
            }
            let output = |x: u64| outputs[x as usize].into();
            key.prepare_words(&parameters.circuit_of_function(output_modulus, output)?)
        })?;
        Ok(PreparedWide { inner })
    }
    let key = key.library();
    if let Ok(outputs) = outputs.extract::<PyReadonlyArray1<'_, u8>>() {
        of(key, &outputs, output_modulus)
    } else if let Ok(outputs) = outputs.extract::<PyReadonlyArray1<'_, u16>>() {
        of(key, &outputs, output_modulus)
    } else if let Ok(outputs) = outputs.extract::<PyReadonlyArray1<'_, u32>>() {
        of(key, &outputs, output_modulus)
    } else {
        of(key, &outputs.extract::<PyReadonlyArray1<'_, u64>>()?, output_modulus)
    }
}

/// Maps every value through a dictionary or a structured table.
#[pyfunction]
#[pyo3(signature = (key, values, table, *, threads: "int" = 0, progress = true))]
pub(crate) fn lookup_wide(
    py: Python<'_>,
    key: &EvaluationKey,
    values: &WideValues,
    table: &PreparedWide,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    progress: Option<Progress<'_>>,
) -> Result<WideValues> {
    let key = key.library();
    let inner = call::run_reporting(py, threads, progress, "lookup", |execution| {
        key.lookup_wide(&values.inner, &table.inner, execution)
    })?;
    Ok(WideValues { inner: inner.into(), shape: values.shape.clone() })
}
