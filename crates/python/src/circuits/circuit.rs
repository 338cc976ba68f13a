//! Circuits: built in, or netlists written by Yosys.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::circuits::named::NamedCircuit;
use cryptable::circuits::netlist::{NetlistError, read_blif_forms, read_yosys_json_forms};
use cryptable::circuits::{Circuit as LibraryCircuit, WordPort};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Result, exception};
use crate::files::read_file;
use crate::properties::properties;
use crate::stated_types::Counts;

/// A binary circuit, in all forms from which a plan may choose.
#[pyclass(frozen, module = "cryptable.circuits")]
pub(crate) struct Circuit {
    pub(crate) forms: Arc<Vec<LibraryCircuit>>,
}

type Ports = Vec<(String, usize)>;

impl Circuit {
    fn of_netlist(forms: std::result::Result<Vec<LibraryCircuit>, NetlistError>) -> Result<Self> {
        let forms = forms.map_err(|error| exception("FormatError", error.to_string()))?;
        Ok(Self { forms: forms.into() })
    }

    /// Returns the words of its inputs.
    pub(crate) fn input_ports(&self) -> Vec<WordPort> {
        let words = self.forms[0].inputs().iter();
        words.map(|word| WordPort { name: word.name.clone(), width: word.width }).collect()
    }

    /// Returns the words of its outputs.
    pub(crate) fn output_ports(&self) -> Vec<WordPort> {
        let words = self.forms[0].outputs().iter();
        words.map(|word| WordPort { name: word.name.clone(), width: word.signals.len() }).collect()
    }
}

fn named_ports(ports: Vec<WordPort>) -> Ports {
    ports.into_iter().map(|port| (port.name, port.width)).collect()
}

#[pymethods]
impl Circuit {
    /// Returns a built-in circuit, one of `cryptable.circuits.NAMES`.
    #[staticmethod]
    fn named(py: Python<'_>, name: &str) -> Result<Self> {
        let named = NamedCircuit::by_name(name);
        let named = named.ok_or_else(|| {
            let known = Self::names().join(", ");
            PyValueError::new_err(format!("there is no built-in circuit {name:?}, but {known}"))
        })?;
        Ok(Self { forms: crate::call::detach(py, || named.variants()).into() })
    }

    /// Returns the names of the built-in circuits.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        NamedCircuit::ALL.iter().map(|named| named.name()).collect()
    }

    /// Reads a netlist in BLIF; `top` names the model if there are several.
    #[staticmethod]
    #[pyo3(signature = (text, top = None))]
    fn from_blif(py: Python<'_>, text: &str, top: Option<&str>) -> Result<Self> {
        Self::of_netlist(crate::call::detach(py, || read_blif_forms(text, top)))
    }

    /// Reads a netlist in the JSON of Yosys; `top` names the module if there are several.
    #[staticmethod]
    #[pyo3(signature = (text, top = None))]
    fn from_yosys_json(py: Python<'_>, text: &str, top: Option<&str>) -> Result<Self> {
        Self::of_netlist(crate::call::detach(py, || read_yosys_json_forms(text, top)))
    }

    /// Reads a netlist from a file whose name ends in `.blif` or `.json`.
    #[staticmethod]
    #[pyo3(signature = (path, top = None))]
    fn read(py: Python<'_>, path: PathBuf, top: Option<&str>) -> Result<Self> {
        let text = String::from_utf8(read_file(&path)?);
        let text = text.map_err(|_| {
            exception("FormatError", format!("{}: it is not UTF-8", path.display()))
        })?;
        let extension = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("blif") => Self::from_blif(py, &text, top),
            Some("json") => Self::from_yosys_json(py, &text, top),
            _ => {
                let message =
                    format!("{}: a netlist's name ends in .blif or .json", path.display());
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// Evaluates the circuit in the clear on one word per input, in the order of the ports.
    #[pyo3(signature = (*inputs: "int"))]
    fn evaluate(&self, inputs: Vec<u128>) -> Result<Vec<u128>> {
        let found = self.forms[0].evaluate_words(&inputs);
        found.map_err(|error| exception("RangeError", error.to_string()))
    }

    /// Returns the netlist in BLIF, for other programs.
    fn to_blif(&self) -> Result<String> {
        self.forms[0].to_blif().map_err(|error| exception("FormatError", error.to_string()))
    }

    /// Returns the number of gates of each kind, and the number of levels: the gates on the longest path from an input
    /// to an output.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> Result<Counts<'py>> {
        let found = self.forms[0].statistics();
        let result = PyDict::new(py);
        for (name, count) in [
            ("gates", found.gates()),
            ("ands", found.ands),
            ("xors", found.xors),
            ("unions", found.unions),
            ("majorities", found.majorities),
            ("tables", found.tables),
            ("levels", found.depth),
        ] {
            result.set_item(name, count)?;
        }
        Ok(Counts(result.into_any()))
    }

    fn __repr__(&self) -> String {
        let shown = |ports: Ports| {
            let ports = ports.into_iter().map(|(name, width)| format!("{name}[{width}]"));
            ports.collect::<Vec<_>>().join(", ")
        };
        format!("Circuit({}: {} -> {})", self.name(), shown(self.inputs()), shown(self.outputs()))
    }
}

properties!(Circuit {
    /// Its name.
    name: &str = |it| it.forms[0].name();
    /// Names and widths of its input words.
    inputs: Ports = |it| named_ports(it.input_ports());
    /// Names and widths of its output words.
    outputs: Ports = |it| named_ports(it.output_ports());
});
