//! Costs of operations on a machine.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call;
use crate::errors::Result;
use crate::stated_types::Seconds;

/// Seconds per kind of work on one thread of a machine, which plans use to turn counts of operations into times.
#[pyclass(frozen, module = "cryptable", from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct CostModel {
    pub(crate) inner: cryptable::CostModel,
}

impl CostModel {
    /// Returns the given model, or that of this machine.
    pub(crate) fn or_calibrated(given: Option<&Self>) -> cryptable::CostModel {
        given.map_or_else(cryptable::CostModel::calibrated, |model| model.inner)
    }
}

#[pymethods]
impl CostModel {
    /// Returns the model of this machine, which is measured once and then stored: the default of plans.
    #[staticmethod]
    fn calibrated(py: Python<'_>) -> Result<Self> {
        let inner = call::run_silently(py, || Ok(cryptable::CostModel::calibrated()))?;
        Ok(Self { inner })
    }

    /// Measures this machine again, in a second or two.
    #[staticmethod]
    fn measure(py: Python<'_>) -> Result<Self> {
        let inner = call::run_silently(py, || {
            cryptable::CostModel::measure().map_err(cryptable::Error::Io)
        })?;
        Ok(Self { inner })
    }

    /// Returns a model with built-in proportions for a machine on which the unit, a forward transform of degree 65,536,
    /// takes this many seconds.
    #[staticmethod]
    fn of_unit(seconds: f64) -> Self {
        Self { inner: cryptable::CostModel::of_unit(seconds) }
    }

    /// The unit u in seconds.
    #[getter]
    fn unit(&self) -> f64 {
        self.inner.unit()
    }

    /// Seconds per kind of work, by name.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> Result<Seconds<'py>> {
        let found = PyDict::new(py);
        for (name, seconds) in self.inner.fields() {
            found.set_item(name, seconds)?;
        }
        Ok(Seconds(found.into_any()))
    }

    fn __repr__(&self) -> String {
        format!("CostModel(u = {:.1} microseconds)", 1e6 * self.unit())
    }
}
