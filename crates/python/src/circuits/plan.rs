//! Plans of circuits on all parameter sets.

use std::sync::Arc;

use cryptable::bits::NamedSet;
use cryptable::circuits::{Candidate, Circuit as LibraryCircuit, InputSupply};
use cryptable::jobs::Circuits;
use cryptable::{Limits, Request};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::circuit::Circuit;
use crate::bits::Parameters;
use crate::errors::{Result, exception, raise};
use crate::properties::properties;

/// A placement of the gates, cleanings and bootstraps of a circuit on the fastest parameter set, and a comparison with
/// all other sets. Prints as a list.
#[pyclass(frozen, module = "cryptable.circuits", name = "Plan")]
pub(crate) struct CircuitPlan {
    pub(crate) circuit: Py<Circuit>,
    found: Vec<Candidate>,
    refused: Vec<(&'static str, String)>,
    words: Option<u64>,
}

impl CircuitPlan {
    pub(crate) fn best(&self) -> &Candidate {
        &self.found[0]
    }
}

#[pymethods]
impl CircuitPlan {
    /// The circuit.
    #[getter]
    fn circuit(&self, py: Python<'_>) -> Py<Circuit> {
        self.circuit.clone_ref(py)
    }

    /// Predicted seconds on one thread, for the requested number of words, or for a full ciphertext.
    #[getter]
    fn seconds(&self) -> f64 {
        match self.words {
            Some(words) => self.best().seconds(Some(words)),
            None => self.best().plan.seconds(),
        }
    }

    /// Lists all sets that can run it, the fastest first: name, predicted seconds per word of a full ciphertext, bytes
    /// of memory, log2 of the failure probability.
    #[getter]
    fn candidates(&self) -> Vec<(&'static str, f64, usize, f64)> {
        let candidate = |it: &Candidate| {
            let plan = &it.plan;
            (it.name, it.seconds(None), plan.memory_bytes(), plan.failure().log2())
        };
        self.found.iter().map(candidate).collect()
    }

    fn __repr__(&self) -> String {
        let best = self.best();
        format!("set {}: {}", best.name, best.plan)
    }
}

properties!(CircuitPlan {
    /// The name of the parameter set.
    set: &'static str = |it| it.best().name;
    /// The parameter set itself.
    parameters: Parameters = |it| Parameters { inner: it.best().parameters.clone() };
    /// Number of words on which the circuit runs at once.
    words_at_once: usize = |it| it.best().plan.words();
    /// Largest memory use in bytes, including keys.
    memory_bytes: usize = |it| it.best().plan.memory_bytes();
    /// Number of bootstraps per batch.
    bootstraps: usize = |it| it.best().plan.counts().bootstraps();
    /// log2 of the probability that a bit of any output of any word of a ciphertext is wrong.
    log2_fail: f64 = |it| it.best().plan.failure().log2();
    /// Classical security in bits.
    security_bits: f64 = |it| it.best().parameters.security_bits();
    /// Sets that cannot run it, with the reasons.
    refusals: Vec<(&'static str, String)> = |it| it.refused.clone();
});

/// Returns a request for a circuit whose input bits are read when they are needed.
pub(super) fn request(forms: &[LibraryCircuit]) -> Request<Circuits> {
    Request::circuit(forms).supply(InputSupply::WhenNeeded)
}

/// Plans a circuit on all parameter sets, or on one.
#[pyfunction]
#[pyo3(signature = (circuit, *, words = None, set = None, parallel = 1, memory = None, log2_fail = None,
    insecure_toy = false))]
// One keyword argument per option: Python's counterpart of a builder.
#[allow(clippy::too_many_arguments)]
pub(crate) fn plan_circuit(
    py: Python<'_>,
    circuit: Py<Circuit>,
    words: Option<u64>,
    set: Option<&str>,
    parallel: usize,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    insecure_toy: bool,
) -> Result<CircuitPlan> {
    let set = set.map(|name| {
        NamedSet::by_name(name).ok_or_else(|| {
            let known = NamedSet::ALL.map(NamedSet::name).join(", ");
            PyValueError::new_err(format!("there is no parameter set {name:?}, but {known}"))
        })
    });
    let set = set.transpose()?;
    let forms = Arc::clone(&circuit.get().forms);
    let limits = Limits { values: words, memory, log2_fail, insecure_toy, ..Limits::default() };
    let request = request(&forms).limits(limits);
    let request = set.into_iter().fold(request.parallel(parallel), Request::set);
    let all = crate::call::detach(py, || request.plan()).map_err(raise)?;
    let refused: Vec<_> =
        all.refused.iter().map(|(name, error)| (*name, error.to_string())).collect();
    all.best().map_err(|error| exception("PlanError", error.to_string()))?;
    Ok(CircuitPlan { circuit, found: all.found, refused, words })
}
