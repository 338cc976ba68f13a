//! Tables.

use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{array, integers};
use crate::errors::{Result, raise};
use crate::properties::properties;
use crate::real_function::RealFunction;
use crate::stated_types::{Integers, Reals};

/// Signed columns of a table, in Python False, True, `"inputs"` or `"outputs"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signs {
    pub(crate) inputs: bool,
    pub(crate) outputs: bool,
}

impl Signs {
    /// Returns the user's choice, or else the signedness of the values to be looked up for both columns.
    pub(crate) fn of(stated: Option<Self>, values_are_signed: bool) -> Self {
        stated.unwrap_or(Self::both(values_are_signed))
    }

    /// Selects both columns or none.
    pub(crate) fn both(signed: bool) -> Self {
        Self { inputs: signed, outputs: signed }
    }

    /// Returns the name in Python.
    fn name(self) -> SignsName {
        match (self.inputs, self.outputs) {
            (true, false) => SignsName::Column("inputs"),
            (false, true) => SignsName::Column("outputs"),
            (both, _) => SignsName::Both(both),
        }
    }
}

#[derive(IntoPyObject)]
enum SignsName {
    Both(bool),
    Column(&'static str),
}

impl<'py> FromPyObject<'_, 'py> for Signs {
    type Error = PyErr;

    #[cfg(feature = "stubs")]
    const INPUT_TYPE: pyo3::inspect::PyStaticExpr = crate::stated_types::hint!("Signs");

    fn extract(signed: Borrowed<'_, 'py, PyAny>) -> Result<Self> {
        if let Ok(both) = signed.extract::<bool>() {
            return Ok(Self::both(both));
        }
        match signed.extract::<String>().as_deref() {
            Ok("inputs") => Ok(Self { inputs: true, outputs: false }),
            Ok("outputs") => Ok(Self { inputs: false, outputs: true }),
            _ => {
                let found = signed.repr()?;
                let message =
                    format!("signed is {found}, but must be True, False, 'inputs' or 'outputs'");
                Err(PyTypeError::new_err(message))
            }
        }
    }
}

/// Arguments that recreate a table.
type NewArguments<'py> = ((Integers<'py>, u64), Bound<'py, PyDict>);

/// A lookup table: one output for every input 0, 1, ... below the input modulus.
#[pyclass(frozen, module = "cryptable", from_py_object)]
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) inner: std::sync::Arc<cryptable::Table>,
}

#[pymethods]
impl Table {
    /// Makes a table from outputs for the inputs 0, 1, ..., and the modulus that all of them are below. With
    /// `signed=True`, inputs and outputs range from -P/2 to P/2 - 1, where P is the modulus of each (inputs below 0 are
    /// at the end of the list); `"inputs"` and `"outputs"` apply this to one of them.
    #[new]
    #[pyo3(signature = (outputs: "npt.ArrayLike", output_modulus, *, signed = None))]
    fn new(outputs: &Bound<'_, PyAny>, output_modulus: u64, signed: Option<Signs>) -> Result<Self> {
        let signed = signed.unwrap_or_default();
        let outputs = integers(outputs, output_modulus, signed.outputs)?.values;
        let inputs = outputs.len() as u64;
        let table = cryptable::Table::new(inputs, output_modulus, outputs).map_err(raise)?;
        Ok(Self { inner: table.with_signs(signed.inputs, signed.outputs).into() })
    }

    /// The outputs.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> Result<Integers<'py>> {
        let (values, modulus) = (self.inner.values(), self.inner.output_modulus());
        let signed = self.inner.signed_outputs();
        Ok(Integers(array(py, values, &[values.len()], modulus, signed)?))
    }

    /// The outputs of a `real_table` as real numbers: fractions of the output modulus from -1/2 to below 1/2.
    #[getter]
    fn reals<'py>(&self, py: Python<'py>) -> Reals<'py> {
        let modulus = self.inner.output_modulus() as f64;
        let fraction = |value: i64| value as f64 / modulus;
        let centered = self.inner.centered().into_iter();
        Reals(PyArray1::from_iter(py, centered.map(fraction)).into_any())
    }

    /// Splits the table into two with half the output bits each, for the low and the high half, so that the outputs are
    /// `low + low.output_modulus * high`.
    fn halves(&self) -> Result<(Self, Self)> {
        let [low, high] = self.inner.halves().map_err(raise)?;
        Ok((Self { inner: low.into() }, Self { inner: high.into() }))
    }

    fn __len__(&self) -> usize {
        self.inner.values().len()
    }

    fn __eq__(&self, other: &Self) -> bool {
        *self.inner == *other.inner
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> Result<NewArguments<'py>> {
        let options = PyDict::new(py);
        let signs = Signs { inputs: self.signed_inputs(), outputs: self.signed_outputs() };
        options.set_item("signed", signs.name())?;
        Ok(((self.outputs(py)?, self.output_modulus()), options))
    }

    fn __repr__(&self) -> String {
        format!("Table({} -> {})", self.inner.input_modulus(), self.inner.output_modulus())
    }
}

properties!(Table {
    /// The number of inputs.
    input_modulus: u64 = |it| it.inner.input_modulus();
    /// All outputs are below this modulus.
    output_modulus: u64 = |it| it.inner.output_modulus();
    /// Whether its inputs are signed.
    signed_inputs: bool = |it| it.inner.signed_inputs();
    /// Whether its outputs are signed.
    signed_outputs: bool = |it| it.inner.signed_outputs();
});

/// Makes a table of these moduli through `cryptable.table`.
pub(crate) fn of_moduli<'py>(
    table: &Bound<'py, PyAny>,
    inputs: u64,
    output_modulus: u64,
    signed: Signs,
) -> Result<Bound<'py, PyAny>> {
    let options = PyDict::new(table.py());
    options.set_item("inputs", inputs)?;
    options.set_item("output_modulus", output_modulus)?;
    options.set_item("signed", signed.name())?;
    made(table, &options)
}

/// Makes a table of `inputs` inputs, if that number is known, through `cryptable.table`, with the least possible output
/// modulus.
pub(crate) fn of_inputs<'py>(
    table: &Bound<'py, PyAny>,
    inputs: Option<u64>,
) -> Result<Bound<'py, PyAny>> {
    let options = PyDict::new(table.py());
    options.set_item("inputs", inputs)?;
    made(table, &options)
}

fn made<'py>(table: &Bound<'py, PyAny>, options: &Bound<'py, PyDict>) -> Result<Bound<'py, PyAny>> {
    table.py().import("cryptable.tables")?.getattr("table")?.call((table,), Some(options))
}

/// Makes the table of a function of bfloat16 numbers, from patterns of 16 bits to patterns of 16 bits, exact to the
/// last bit.
///
/// Results are rounded to the nearest number, ties to even; all NaNs become one pattern.
#[pyfunction]
#[pyo3(signature = (function: "Callable[[float], float]"))]
pub(crate) fn bfloat16_table(function: &Bound<'_, PyAny>) -> Result<Table> {
    let function = RealFunction::new(function);
    let table = cryptable::bfloat16::table(|x| function.value(x, f64::NAN));
    Ok(Table { inner: function.result(table)?.map_err(raise)?.into() })
}

/// Evaluates GELU, `x·Φ(x)`, correct to the last bits of a double.
#[pyfunction]
pub(crate) fn gelu(x: f64) -> f64 {
    cryptable::bfloat16::gelu(x)
}

/// Makes the tables of every digit, with one input per value of the digit; if there are none, one that returns the
/// digit itself.
pub(crate) fn tables_of_digits(
    tables: Option<Vec<Vec<Bound<'_, PyAny>>>>,
    sizes: &[u64],
) -> Result<Vec<Vec<cryptable::Table>>> {
    let Some(tables) = tables else {
        let identity = |&p: &u64| Ok(vec![cryptable::Table::from_fn(p, p, |x| x)?]);
        let found: cryptable::Result<_> = sizes.iter().map(identity).collect();
        return found.map_err(raise);
    };
    // The library checks the number of digits.
    let sizes = sizes.iter().map(Some).chain(std::iter::repeat(None));
    let of_digit = |(tables, size): (&Vec<Bound<'_, PyAny>>, Option<&u64>)| {
        let table = |it: &Bound<'_, PyAny>| {
            let found = of_inputs(it, size.copied())?;
            Ok((*found.cast::<Table>()?.get().inner).clone())
        };
        tables.iter().map(table).collect()
    };
    tables.iter().zip(sizes).map(of_digit).collect()
}

/// A table encoded for an engine, made once and used for any number of lookups.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct PreparedTable {
    pub(crate) inner: cryptable::PreparedTable,
}

#[pymethods]
impl PreparedTable {
    fn __repr__(&self) -> String {
        format!("{:?}", self.inner)
    }
}

properties!(PreparedTable {
    /// Inputs are below this modulus.
    input_modulus: u64 = |it| it.inner.input_modulus();
    /// Outputs are below this modulus.
    output_modulus: u64 = |it| it.inner.output_modulus();
    /// Whether its inputs are signed.
    signed_inputs: bool = |it| it.inner.signed_inputs();
    /// Whether its outputs are signed.
    signed_outputs: bool = |it| it.inner.signed_outputs();
    /// Bytes of memory that it uses.
    memory_bytes: usize = |it| it.inner.memory_bytes();
});
