//! Programs of formulas and their plans, for `cryptable/ml.py` and `cryptable/frames.py`.

use cryptable::jobs::Formulas;
use cryptable::{Limits, OperationPlan};
use pyo3::prelude::*;

use crate::call;
use crate::errors::{Result, raise_of_frame};
use crate::properties::properties;

/// A program that the server runs: formulas over named columns. `ml.compile` makes it from a model, `frames.group_by`
/// from sums by groups. Its file is also a step of pipelines.
#[pyclass(frozen, module = "cryptable.ml")]
pub(crate) struct ServerProgram {
    pub(crate) inner: cryptable_frames::Program,
}

#[pymethods]
impl ServerProgram {
    /// Reads a program.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> Result<Self> {
        let read = || cryptable_frames::Program::from_json(text.as_bytes());
        Ok(Self { inner: call::detach(py, read).map_err(raise_of_frame)? })
    }

    fn __repr__(&self) -> String {
        let (columns, results) = (self.inner.columns().join(", "), self.inner.results().join(", "));
        format!("ServerProgram({columns} -> {results})")
    }
}

properties!(ServerProgram {
    /// Names of the columns.
    columns: Vec<String> = |it| it.inner.columns().to_vec();
    /// Names of the results.
    results: Vec<String> = |it| it.inner.results().to_vec();
    /// Number of different tables and conditions.
    tables: usize = |it| it.inner.formulas().tables();
    /// Name of the column whose values are groups, and the number of groups, if results are summed by group.
    groups: Option<(String, u64)> = |it| {
        let (column, groups) = it.inner.groups()?;
        Some((it.inner.columns()[column].clone(), groups))
    };
    /// Largest number of nested choices that each need a product.
    choices_in_a_row: usize = |it| it.inner.formulas().choices_in_a_row();
});

/// Parameters for a program, and the predicted costs of a run. Prints as a list.
#[pyclass(frozen, module = "cryptable.ml")]
pub(crate) struct ProgramPlan {
    pub(crate) inner: OperationPlan<Formulas>,
}

#[pymethods]
impl ProgramPlan {
    fn __repr__(&self) -> String {
        self.inner.to_string()
    }
}

properties!(ProgramPlan {
    /// Predicted seconds for one full ciphertext per column.
    seconds: f64 = |it| it.inner.operations()[0].duration.as_secs_f64();
    /// Number of rows with one full ciphertext per column.
    rows: usize = |it| it.inner.parameters().values_per_ciphertext();
    /// log2 of the probability that any result of a full ciphertext is wrong.
    log2_fail: f64 = |it| it.inner.operations()[0].failure.log2();
    /// Classical security in bits.
    security_bits: f64 = |it| it.inner.parameters().security_bits();
    /// Predicted peak memory in bytes, including keys.
    memory_bytes: usize = |it| it.inner.peak_bytes();
    /// Size of the evaluation key's file in bytes.
    key_file_bytes: usize = |it| it.inner.key_file_bytes();
});

/// Finds parameters for a program, and predicts the cost of a run.
#[pyfunction]
#[pyo3(signature = (program, *, values = None, memory = None, log2_fail = None, threads: "int | None" = None,
    insecure_toy = false))]
pub(crate) fn plan_program(
    py: Python<'_>,
    program: &ServerProgram,
    values: Option<u64>,
    memory: Option<usize>,
    log2_fail: Option<f64>,
    #[pyo3(from_py_with = crate::threads::of_plan)] threads: Option<usize>,
    insecure_toy: bool,
) -> Result<ProgramPlan> {
    let limits = Limits { values, memory, log2_fail, threads, insecure_toy, ..Limits::default() };
    let request = program.inner.request().limits(limits);
    Ok(ProgramPlan { inner: call::run_silently(py, || request.plan())? })
}
