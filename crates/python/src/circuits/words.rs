//! Encrypted words.

use std::sync::Arc;

use cryptable::circuits::{EncryptedWordsReader, EncryptedWordsSummary, WordPort};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use zeroize::Zeroizing;

use crate::arrays::{as_array, of_words, places};
use crate::encrypted_array::{array_files, array_methods, not_compared};
use crate::errors::{Result, exception};

/// Largest width of a port, in bits, whose words arrays can hold.
const MAX_WIDTH: usize = 128;

/// Words, with one value per port.
pub(crate) type Words = Zeroizing<Vec<Vec<u128>>>;

/// Encrypted words of the ports of a circuit, bit by bit, in the shape of the arrays that were encrypted. Public: they
/// may be sent, stored and pickled.
#[pyclass(frozen, module = "cryptable.circuits")]
pub(crate) struct EncryptedWords {
    /// The file.
    pub(crate) bytes: Arc<Vec<u8>>,
    pub(crate) summary: EncryptedWordsSummary,
    pub(crate) shape: Vec<usize>,
}

impl EncryptedWords {
    pub(crate) fn new(bytes: Vec<u8>, shape: Option<Vec<usize>>) -> cryptable::Result<Self> {
        let summary = EncryptedWordsReader::new(&bytes)?.summary().clone();
        let shape = shape.unwrap_or_else(|| vec![summary.words as usize]);
        Ok(Self { bytes: bytes.into(), summary, shape })
    }

    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        Ok((*self.bytes).clone())
    }

    fn read(bytes: &[u8]) -> cryptable::Result<Self> {
        Self::new(bytes.to_vec(), None)
    }
}

#[pymethods]
impl EncryptedWords {
    /// Names and widths of the ports.
    #[getter]
    fn ports(&self) -> Vec<(String, usize)> {
        self.summary.ports.iter().map(|port| (port.name.clone(), port.width)).collect()
    }

    /// The identifier of the secret key that decrypts it.
    #[getter]
    fn key_id(&self) -> String {
        self.summary.key_id.to_string()
    }

    fn __repr__(&self) -> String {
        let ports = self.ports().into_iter().map(|(name, width)| format!("{name}[{width}]"));
        format!("EncryptedWords({}, shape {:?})", ports.collect::<Vec<_>>().join(", "), self.shape)
    }
}

array_methods!(EncryptedWords { bytes, summary }, "`is None` and `size` tell what can be known");
array_files!(EncryptedWords);
not_compared!(EncryptedWords, "a circuit with `CircuitBuilder.equal` compares words");

/// Reads words from a dictionary of arrays, all of one shape.
pub(crate) fn words_of(
    ports: &[WordPort],
    values: &Bound<'_, PyDict>,
) -> Result<(Words, Vec<usize>)> {
    check_widths(ports)?;
    if let Some(stranger) = values.keys().iter().find(|key| {
        key.extract::<String>().map_or(true, |key| ports.iter().all(|port| port.name != key))
    }) {
        return Err(PyValueError::new_err(format!("the circuit has no input {stranger}")));
    }
    let mut shape: Option<Vec<usize>> = None;
    let mut words: Words = Zeroizing::new(Vec::new());
    for port in ports {
        let missing = || PyValueError::new_err(format!("no words for the input {:?}", port.name));
        let given = values.get_item(&port.name)?.ok_or_else(missing)?;
        let (column, found) = column_of(port, &given)?;
        let expected = shape.get_or_insert_with(|| found.clone());
        if found != *expected {
            let message =
                format!("input {:?} has the shape {found:?}, others {expected:?}", port.name);
            return Err(PyValueError::new_err(message));
        }
        words.resize_with(column.len(), Vec::new);
        words.iter_mut().zip(column.iter()).for_each(|(word, &value)| word.push(value));
    }
    Ok((words, shape.unwrap_or_default()))
}

fn column_of(
    port: &WordPort,
    given: &Bound<'_, PyAny>,
) -> Result<(Zeroizing<Vec<u128>>, Vec<usize>)> {
    let array = as_array(given)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    // Python integers may have more than 64 bits.
    let listed = array.call_method0("ravel")?.call_method0("tolist")?;
    let mut values = Zeroizing::new(Vec::with_capacity(places(&shape)));
    for (index, value) in listed.cast::<PyList>()?.iter().enumerate() {
        let value = value
            .extract::<u128>()
            .ok()
            .filter(|value| port.width >= MAX_WIDTH || value >> port.width == 0);
        let (name, width) = (&port.name, port.width);
        values.push(value.ok_or_else(|| {
            let message = format!(
                "the value at position {index} of input {name:?} is not an unsigned integer of {width} bits"
            );
            exception("RangeError", message)
        })?);
    }
    Ok((values, shape))
}

/// Returns words as a dictionary of arrays.
pub(crate) fn arrays_of<'py>(
    py: Python<'py>,
    ports: &[WordPort],
    words: &Words,
    shape: &[usize],
) -> Result<Bound<'py, PyDict>> {
    check_widths(ports)?;
    let found = PyDict::new(py);
    for (index, port) in ports.iter().enumerate() {
        let column = words.iter().map(|word| word[index]);
        let array = if port.width > 64 {
            let listed = PyList::new(py, column)?;
            let array = py.import("numpy")?.call_method1("array", (listed, "object"))?;
            array.call_method1("reshape", (PyTuple::new(py, shape)?,))?
        } else {
            let column = Zeroizing::new(column.map(|value| value as u64).collect::<Vec<_>>());
            of_words(py, &column, shape, port.width as u32, false)?
        };
        found.set_item(&port.name, array)?;
    }
    Ok(found)
}

fn check_widths(ports: &[WordPort]) -> Result<()> {
    let Some(wide) = ports.iter().find(|port| port.width > MAX_WIDTH) else { return Ok(()) };
    let (name, width) = (&wide.name, wide.width);
    let message =
        format!("port {name:?} has {width} bits; arrays of words have at most {MAX_WIDTH}");
    Err(exception("RangeError", message))
}
