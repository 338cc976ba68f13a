//! Literals: all numbers that define a parameter set, as Python dictionaries.
//!
//! Canonical bytes of parameters are JSON, or several parts of JSON one after another: for `leveled`, both moduli and
//! circuit bootstrapping; for single values that may be packed, those parameters, the packed ones, and their
//! conversion.

use cryptable::{Engine, Parameters, ReadOptions, WireError};
use cryptable_wire::{BodyReader, BodyWriter};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{Result, raise};
use crate::key_files::{Reduced, read_options};

/// Greatest length of a part.
const MAX_PART_BYTES: u64 = 1 << 20;

/// Parts of the parameters of single values that may be packed.
const BRIDGED: [&str; 3] = ["single", "packed", "conversion"];

/// Numbers and the part of the parameters of leveled values.
const LEVELED: [&str; 3] = ["input_modulus", "output_modulus", "circuit_bootstrapping"];

/// Converts JSON to Python objects.
pub(crate) fn loaded<'py>(py: Python<'py>, json: &[u8]) -> Result<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (PyBytes::new(py, json),))
}

/// Converts Python objects to JSON.
///
/// # Errors
/// `TypeError` if JSON cannot represent them.
pub(crate) fn dumped(literal: &Bound<'_, PyAny>) -> Result<Vec<u8>> {
    let text: String = literal.py().import("json")?.call_method1("dumps", (literal,))?.extract()?;
    Ok(text.into_bytes())
}

/// Makes parameters from the JSON of their literal, which is also their canonical bytes, and validates them.
///
/// # Errors
/// `TypeError` if it is not JSON; the errors of reading parameters.
pub(crate) fn read<T: Send>(
    literal: &Bound<'_, PyAny>,
    allow_insecure: bool,
    read: impl FnOnce(&[u8], ReadOptions) -> cryptable::Result<T> + Send,
) -> Result<T> {
    let bytes = dumped(literal)?;
    crate::call::detach(literal.py(), || read(&bytes, read_options(allow_insecure))).map_err(raise)
}

/// Adds literals, comparisons, hashes and pickles to a class of parameters.
///
/// The class has one field, `inner`, of the given type of the library, whose canonical bytes are the JSON of its literal.
macro_rules! literal_parameters {
    ($class:ident: $library:ty) => {
        #[pyo3::pymethods]
        impl $class {
            /// All numbers that define the set, as a dictionary, which `json.dumps` can write and `from_literal` reads.
            #[getter]
            fn literal<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> $crate::errors::Result<$crate::stated_types::Literal<'py>> {
                let literal = $crate::literals::loaded(py, &self.inner.to_bytes())?;
                Ok($crate::stated_types::Literal(literal))
            }

            /// Makes the set with the numbers of a literal, after validation: every number against its bounds, and the
            /// security and failure probabilities that it claims.
            #[staticmethod]
            #[pyo3(signature = (literal: "Mapping[str, Any]", *, allow_insecure = false))]
            fn from_literal(
                literal: &pyo3::Bound<'_, pyo3::PyAny>,
                allow_insecure: bool,
            ) -> $crate::errors::Result<Self> {
                let read = <$library>::from_bytes;
                Ok(Self { inner: $crate::literals::read(literal, allow_insecure, read)? })
            }

            fn __eq__(&self, other: &Self) -> bool {
                self.inner.digest() == other.inner.digest()
            }

            fn __hash__(&self) -> u64 {
                $crate::literals::hash(&self.inner.digest())
            }

            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> $crate::errors::Result<$crate::literals::ReducedLiteral<'py>> {
                $crate::literals::reduce::<Self>(self.literal(py)?.0)
            }
        }
    };
}
pub(crate) use literal_parameters;

/// Return value of `__reduce__` for parameters: their class and their literal.
pub(crate) type ReducedLiteral<'py> = Reduced<'py, (Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// Returns how to restore parameters of this class from a pickle: by `from_literal`.
pub(crate) fn reduce<T: PyTypeInfo>(literal: Bound<'_, PyAny>) -> Result<ReducedLiteral<'_>> {
    let py = literal.py();
    let restore = py.import("cryptable._pickling")?.getattr("of_literal")?;
    Ok((restore, (py.get_type::<T>().into_any(), literal)))
}

/// Returns the `hash` of parameters with this digest.
pub(crate) fn hash(digest: &[u8; 32]) -> u64 {
    digest[..8].iter().fold(0, |hash, &byte| hash << 8 | u64::from(byte))
}

/// Returns the literal of parameters of any engine.
pub(crate) fn of<'py>(py: Python<'py>, parameters: &Parameters) -> Result<Bound<'py, PyAny>> {
    let bytes = parameters.to_bytes();
    let wrong = |error: WireError| raise(error.into());
    let mut reader = BodyReader::new(&bytes);
    let literal = PyDict::new(py);
    match parameters {
        Parameters::Packed(_) | Parameters::Single(_) => return loaded(py, &bytes),
        Parameters::Leveled(_) => {
            let [input, output, circuit] = LEVELED;
            literal.set_item(input, reader.u64(input).map_err(wrong)?)?;
            literal.set_item(output, reader.u64(output).map_err(wrong)?)?;
            let part = reader.bytes(circuit, MAX_PART_BYTES).map_err(wrong)?;
            literal.set_item(circuit, loaded(py, part)?)?;
        }
        Parameters::Bridged(_) => {
            for name in BRIDGED {
                let part = reader.bytes(name, MAX_PART_BYTES).map_err(wrong)?;
                literal.set_item(name, loaded(py, part)?)?;
            }
        }
    }
    Ok(literal.into_any())
}

/// Returns the canonical bytes of a literal of an engine.
///
/// # Errors
/// `ValueError` if it does not have the engine's parts; `TypeError` if it is not JSON.
pub(crate) fn bytes_of(engine: Engine, literal: &Bound<'_, PyAny>) -> Result<Vec<u8>> {
    let mut writer = BodyWriter::new(Vec::new());
    if engine == Engine::Leveled {
        let [input, output, circuit] = part_of(literal, LEVELED)?;
        writer.u64(input.extract()?)?;
        writer.u64(output.extract()?)?;
        writer.bytes(&dumped(&circuit)?)?;
    } else if literal.contains(BRIDGED[2])? {
        for part in part_of(literal, BRIDGED)? {
            writer.bytes(&dumped(&part)?)?;
        }
    } else {
        return dumped(literal);
    }
    Ok(writer.into_inner())
}

/// Returns the entries of a literal with these names; refuses any others.
fn part_of<'py>(literal: &Bound<'py, PyAny>, names: [&str; 3]) -> Result<[Bound<'py, PyAny>; 3]> {
    let [a, b, c] = names.map(|name| literal.get_item(name));
    if let (Ok(a), Ok(b), Ok(c)) = (a, b, c)
        && literal.len()? == names.len()
    {
        return Ok([a, b, c]);
    }
    let message = format!("a literal of these parameters has {}", names.join(", "));
    Err(PyValueError::new_err(message))
}
