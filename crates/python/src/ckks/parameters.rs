//! Parameter sets, and plans that find them.

use cryptable::CostModel;
use cryptable::ckks::{Grid, LookupFunction, Parameters as LibraryParameters};
use cryptable::jobs::SlotLookups;
use cryptable::{Limits, Request};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::functions::{SlotFunction, SmoothFunction};
pub(crate) use super::parameter_set::Parameters;
use super::vector::Vector;
use crate::call;
use crate::errors::{Result, exception, raise};
use crate::literals::literal_parameters;
use crate::parameters::{Secret, hexadecimal};
use crate::properties::properties;

#[pymethods]
impl Parameters {
    /// Returns a set by name: `leveled_128` (7 levels, no bootstrap), `bootstrapping_128`, `lookups_128`,
    /// `sparse_bootstrapping_128` with `slots` slots; or a set for tests, whose name begins with `insecure_toy`.
    #[staticmethod]
    #[pyo3(signature = (name, *, slots = None))]
    fn named(py: Python<'_>, name: &str, slots: Option<usize>) -> Result<Self> {
        let unknown = || {
            let ending = if slots.is_some() { " with a number of slots" } else { "" };
            PyValueError::new_err(format!("there is no parameter set {name:?}{ending}"))
        };
        let inner = call::detach(py, || {
            Some(match (name, slots) {
                ("leveled_128", None) => LibraryParameters::leveled_128(),
                ("bootstrapping_128", None) => LibraryParameters::bootstrapping_128(),
                ("lookups_128", None) => LibraryParameters::lookups_128(),
                ("sparse_bootstrapping_128", Some(slots)) => {
                    LibraryParameters::sparse_bootstrapping_128(slots)
                }
                ("insecure_toy", None) => LibraryParameters::insecure_toy(),
                ("insecure_toy_bootstrapping", None) => {
                    LibraryParameters::insecure_toy_bootstrapping()
                }
                ("insecure_toy_lookups", None) => LibraryParameters::insecure_toy_lookups(),
                ("insecure_toy_sparse_bootstrapping", Some(slots)) => {
                    LibraryParameters::insecure_toy_sparse_bootstrapping(slots)
                }
                _ => return None,
            })
        });
        Ok(Self { inner: inner.ok_or_else(unknown)?.map_err(raise)? })
    }

    /// Standard deviation and bias of the error of a bootstrap of a fresh vector; `None` without bootstraps.
    #[getter]
    fn bootstrap_error(&self, py: Python<'_>) -> Option<(f64, f64)> {
        let error = call::detach(py, || self.inner.bootstrap_error());
        error.map(|error| (error.deviation, error.bias))
    }

    /// Returns the index at which `EvaluationKey.to_packed` puts the integer of a slot.
    fn packed_index(&self, slot: usize) -> Result<usize> {
        if slot < self.slots() {
            return Ok(self.inner.packed_index(slot));
        }
        let message = format!("slot {slot} is not below {}", self.slots());
        Err(exception("RangeError", message))
    }

    /// Predicts a lookup: levels of the result, standard deviation and bias of its error, the largest error of an input
    /// as a fraction of half the distance of two points (or of a 64th of a smooth function's interval), and log2 of the
    /// probability that a slot fails.
    #[pyo3(signature = (vector, table: "SlotTable | SmoothFunction") -> "dict[str, Any]")]
    fn predict_lookup<'py>(
        &self,
        py: Python<'py>,
        vector: &Vector,
        table: SlotFunction,
    ) -> Result<Bound<'py, PyDict>> {
        let predict = || self.inner.predict_lookup(&vector.inner, table.get());
        let found = call::run_silently(py, predict)?;
        let result = PyDict::new(py);
        result.set_item("level", found.level)?;
        result.set_item("error", (found.error.deviation, found.error.bias))?;
        result.set_item("phase_error", found.phase_error)?;
        result.set_item("log2_fail_per_slot", found.log2_fail_per_slot)?;
        Ok(result)
    }

    fn __repr__(&self) -> String {
        let literal = self.inner.literal();
        format!(
            "Parameters({}, ring degree {}, {} slots, {} levels, {:.0} bits of security)",
            literal.name,
            literal.ring_degree,
            self.slots(),
            self.levels(),
            self.security_bits()
        )
    }
}

literal_parameters!(Parameters: LibraryParameters);

properties!(Parameters {
    /// Number of slots of a vector, each of which holds one number.
    slots: usize = |it| it.inner.slots();
    /// Number of multiplications in a row that fresh vectors allow.
    levels: usize = |it| it.inner.levels();
    /// Whether they allow bootstraps.
    is_bootstrappable: bool = |it| it.inner.is_bootstrappable();
    /// Classical security in bits; 0 for toys.
    security_bits: f64 = |it| it.inner.security_bits();
    /// LWE problems on which the security of each secret rests.
    secrets: Vec<Secret> = |it| it.inner.lwe_instances().iter().map(Into::into).collect();
    /// The digest that identifies it in files.
    digest: String = |it| hexadecimal(&it.inner.digest());
    /// log2 of the probability that a bootstrap gets a slot wrong.
    log2_fail_per_slot: f64 = |it| it.inner.log2_fail_per_slot();
});

/// Parameters for lookups on slots, and the cost of a lookup.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct LookupCandidate {
    inner: cryptable::ckks::LookupCandidate,
}

#[pymethods]
impl LookupCandidate {
    fn __repr__(&self) -> String {
        let (parameters, order) = (self.parameters().__repr__(), self.order());
        format!("LookupCandidate(order {order}, {:.1} bits, {parameters})", self.precision_bits())
    }
}

properties!(LookupCandidate {
    /// The parameters.
    parameters: Parameters = |it| Parameters { inner: it.inner.parameters.clone() };
    /// The interpolation order that tables should have; 0 for a smooth function.
    order: u64 = |it| it.inner.order;
    /// Number of levels of results.
    level: usize = |it| it.inner.prediction.level;
    /// Number of correct bits of results.
    precision_bits: f64 = |it| it.inner.precision_bits;
    /// log2 of the probability that any value of a ciphertext has a larger error.
    log2_fail: f64 = |it| it.inner.log2_fail();
    /// Predicted time of a lookup on one thread, in seconds.
    seconds: f64 = |it| CostModel::default().seconds(&it.inner.work());
    /// Memory of a lookup in bytes, including keys.
    memory_bytes: usize = |it| it.inner.memory_bytes;
});

/// Parameters for lookups on slots, the fastest first. Prints as a table.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct LookupPlan {
    inner: cryptable::ckks::LookupPlan,
}

#[pymethods]
impl LookupPlan {
    /// The fastest candidate.
    #[getter]
    fn best(&self) -> LookupCandidate {
        LookupCandidate { inner: self.inner.best().clone() }
    }

    /// All candidates, the fastest first.
    #[getter]
    fn candidates(&self) -> Vec<LookupCandidate> {
        let candidates = self.inner.candidates().iter();
        candidates.map(|it| LookupCandidate { inner: it.clone() }).collect()
    }

    fn __repr__(&self) -> String {
        self.inner.to_string()
    }
}

/// The kind of functions for which parameters are needed: tables with a number of points, or a smooth function.
#[derive(FromPyObject)]
pub(crate) enum Planned {
    Points(usize),
    Smooth(Py<SmoothFunction>),
}

/// Finds parameters for tables of a number of points `first + m·step`, or for a smooth function.
#[pyfunction]
#[pyo3(signature = (function: "int | SmoothFunction", *, first = 0.0, step = 1.0, order = None, precision_bits = None, complex = false,
    values = None, levels = 0, log2_fail = None, memory = None, ring_degree = None))]
// One keyword argument per option: Python's counterpart of a builder.
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan_lookups(
    py: Python<'_>,
    function: Planned,
    first: f64,
    step: f64,
    order: Option<u64>,
    precision_bits: Option<f64>,
    complex: bool,
    values: Option<usize>,
    levels: usize,
    log2_fail: Option<f64>,
    memory: Option<usize>,
    ring_degree: Option<usize>,
) -> Result<LookupPlan> {
    let values = values.map(|count| count as u64);
    let limits = Limits { values, memory, log2_fail, ..Limits::default() };
    let function = match function {
        Planned::Points(count) => LookupFunction::from(Grid { first, step, count }),
        Planned::Smooth(function) => LookupFunction::from(&function.get().inner),
    };
    let request = Request::slot_lookups(function).limits(limits).levels(levels);
    let request = order.into_iter().fold(request, Request::order);
    let request = precision_bits.into_iter().fold(request, Request::precision_bits);
    let request = ring_degree.into_iter().fold(request, Request::<SlotLookups>::ring_degree);
    let request = if complex { request.complex() } else { request };
    let plan = call::run_silently(py, || request.plan())?;
    Ok(LookupPlan { inner: plan })
}
