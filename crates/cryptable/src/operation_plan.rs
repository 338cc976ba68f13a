//! Plans of jobs that have several operations with one set of parameters.

use std::fmt;
use std::time::Duration;

use crate::{FailureProbability, Parameters};

/// The predicted cost and failure probability of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedOperation {
    /// Name of the operation.
    pub name: &'static str,
    /// Number of lookups: functional bootstraps of all values of a ciphertext.
    pub lookups: usize,
    /// Number of tables in which these lookups look up values.
    pub tables: usize,
    /// Predicted time for a full ciphertext or, with the engine `single`, for the values of the request.
    pub duration: Duration,
    /// Probability that any value of a full ciphertext comes out wrong.
    pub failure: FailureProbability,
}

/// Parameters for a job `J`, with a prediction for each of its operations. `Display` prints a table of operations.
///
/// ```
/// use cryptable::Request;
/// let plan = Request::comparisons(12).insecure_toy().plan()?;
/// println!("{plan}");
/// let maximum = plan.operation("maximum").expect("an operation of comparisons");
/// assert!(maximum.lookups > 1 && maximum.duration < plan.operations().iter().map(|it| it.duration).sum::<std::time::Duration>());
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OperationPlan<J> {
    pub(crate) job: J,
    pub(crate) threads: usize,
    pub(crate) parameters: Parameters,
    pub(crate) operations: Vec<PlannedOperation>,
    pub(crate) peak_bytes: usize,
    pub(crate) key_file_bytes: usize,
}

impl<J> OperationPlan<J> {
    /// Returns the parameters, for which keys are generated.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the operations of the job.
    #[must_use]
    pub fn operations(&self) -> &[PlannedOperation] {
        &self.operations
    }

    /// Finds the operation with a name; `None` if the job has none.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<&PlannedOperation> {
        self.operations.iter().find(|planned| planned.name == name)
    }

    /// Returns the number of threads that times are predicted for.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the predicted peak memory of an operation on the server in bytes, keys included.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    /// Returns the size of the evaluation key's file in bytes.
    #[must_use]
    pub fn key_file_bytes(&self) -> usize {
        self.key_file_bytes
    }
}

impl<J> AsRef<Parameters> for OperationPlan<J> {
    fn as_ref(&self) -> &Parameters {
        &self.parameters
    }
}

impl<J> fmt::Display for OperationPlan<J>
where
    Self: Title,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, parameters, .. } = self;
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        writeln!(f, "{}", self.title())?;
        writeln!(f, "  {parameters}")?;
        writeln!(
            f,
            "  {:.1} GB of memory, evaluation key of {:.1} GB",
            gigabytes(self.peak_bytes),
            gigabytes(self.key_file_bytes)
        )?;
        let values = parameters.values_per_ciphertext();
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        write!(
            f,
            "  {values} value{} per ciphertext, {threads} thread{}, predicted:",
            plural(values),
            plural(*threads)
        )?;
        let width = self.operations.iter().map(|it| it.name.len()).max().unwrap_or_default();
        for PlannedOperation { name, lookups, tables, duration, failure } in &self.operations {
            let seconds = duration.as_secs_f64();
            write!(
                f,
                "\n    {name:<width$} {lookups:>5} lookups, {tables:>5} tables {seconds:>9.3} s  fails with {failure}"
            )?;
        }
        Ok(())
    }
}

/// The first line of a displayed plan.
pub trait Title {
    /// Returns one line that names the job.
    fn title(&self) -> String;
}
