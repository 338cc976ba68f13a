//! Requests: a job, and the limits on its plan.

mod lookups;
mod slot_lookups;

use cryptable_lattice::cost::CostModel;
use cryptable_ring::unoptimised;

pub use lookups::Lookups;
pub use slot_lookups::SlotLookups;

/// The quantity by which the candidates of a plan are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// The shortest time for all values.
    #[default]
    Throughput,
    /// The shortest time until the first result.
    Latency,
}

/// Limits that a request of any kind may have, with the same defaults and the same meaning for all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Values per operation. Default: the capacity of a packed ciphertext; see [`Request::new`] for lookups.
    pub values: Option<u64>,
    /// Bytes of memory that the server may use, keys included. Default: no limit.
    pub memory: Option<usize>,
    /// Base-2 logarithm of the largest probability that a whole operation on one ciphertext fails for any of its
    /// values. Default: -64.
    pub log2_fail: Option<f64>,
    /// Threads that times are predicted for. Default: the size of rayon's pool.
    pub threads: Option<usize>,
    /// Sorts candidates. Has no effect on jobs that have only one candidate.
    pub goal: Goal,
    /// Costs of operations on the server. Default: measured once on this machine.
    pub cost: Option<CostModel>,
    /// Whether to use INSECURE parameters on small rings, for tests.
    pub insecure_toy: bool,
}

impl Limits {
    /// Returns the requested cost model, or the one of this machine.
    pub(crate) fn cost(&self) -> CostModel {
        self.cost.unwrap_or_else(CostModel::calibrated)
    }

    /// Returns the requested number of threads, or the size of rayon's pool.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }

    /// Returns the requested number of values, in the type that the engines use.
    pub(crate) fn count(&self) -> Option<usize> {
        self.values.map(as_count)
    }
}

/// Converts a number of values to the type that the engines use, saturating.
pub(crate) fn as_count(values: u64) -> usize {
    usize::try_from(values).unwrap_or(usize::MAX)
}

/// Job and limits, which together determine a plan.
///
/// Each kind of job has a constructor: [`Request::new`] and [`Request::for_table`] for lookups,
/// [`Request::comparisons`], [`Request::formulas`], [`Request::words`], [`Request::integers`], [`Request::bridge`], [`Request::circuit`] and
/// [`Request::slot_lookups`]. The methods below set limits, which all jobs share; other methods belong to one kind of
/// job.
///
/// ```
/// use cryptable::{Engine, Goal, Request, Table};
/// let table = Table::from_fn(16, 16, |x| x * x % 16)?;
/// let plan = Request::for_table(&table).values(1).goal(Goal::Latency).engine(Engine::Single).plan()?;
/// let parameters = plan.best().parameters();
/// assert!(parameters.failure_probability().log2() <= -64.0);
/// assert!(parameters.security_bits() >= 128.0);
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Request<J = Lookups> {
    pub(crate) job: J,
    pub(crate) limits: Limits,
}

impl<J> Request<J> {
    /// Creates a request for a job, without limits.
    pub(crate) fn of(job: J) -> Self {
        unoptimised::warn();
        Self { job, limits: Limits::default() }
    }

    /// Replaces all limits at once, for programs that read them from their own options.
    ///
    /// ```
    /// use cryptable::{Limits, Request};
    /// let limits = Limits { memory: Some(8 << 30), log2_fail: Some(-80.0), ..Limits::default() };
    /// assert_eq!(Request::new(4, 4).limits(limits), Request::new(4, 4).memory(8 << 30).log2_fail(-80.0));
    /// ```
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the number of values per operation, for which times are predicted and compared. Default: the capacity of a
    /// packed ciphertext; see [`Request::new`] for lookups.
    #[must_use]
    pub fn values(mut self, values: u64) -> Self {
        self.limits.values = Some(values);
        self
    }

    /// Limits the bytes of memory that the server may use, keys and prepared tables included. Default: no limit.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Limits the failure probability, given as its base-2 logarithm. Default: -64.
    ///
    /// This is the probability that a whole operation on one ciphertext goes wrong for any of its values
    /// ([`crate::Parameters::values_per_ciphertext`]), so a single value of a packed ciphertext fails less often. All
    /// engines reach -128 for tables.
    ///
    /// ```
    /// use cryptable::{Engine, Request};
    /// let plan = Request::new(2, 2).engine(Engine::Packed).log2_fail(-128.0).plan()?;
    /// let parameters = plan.best().parameters();
    /// assert!(parameters.failure_probability().log2() <= -128.0);
    /// assert!(parameters.value_failure_probability().log2() <= -143.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn log2_fail(mut self, log2_fail: f64) -> Self {
        self.limits.log2_fail = Some(log2_fail);
        self
    }

    /// Sets the number of threads that times are predicted for. Default: the size of rayon's pool.
    ///
    /// An operation itself runs on the threads of its [`Execution`](crate::Execution).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.limits.threads = Some(threads);
        self
    }

    /// Sets the quantity by which candidates are sorted. Default: [`Goal::Throughput`].
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.limits.goal = goal;
        self
    }

    /// Sets the costs of operations on the machine that will run them. Default: measured on this machine.
    #[must_use]
    pub fn cost_model(mut self, cost: CostModel) -> Self {
        self.limits.cost = Some(cost);
        self
    }

    /// Restricts the plan to INSECURE parameters on small rings, for tests.
    #[must_use]
    pub fn insecure_toy(mut self) -> Self {
        self.limits.insecure_toy = true;
        self
    }
}
