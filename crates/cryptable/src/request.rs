//! Requests: a job, and the limits that its plan keeps to.

mod lookups;
mod slot_lookups;

use cryptable_lattice::cost::CostModel;
use cryptable_ring::unoptimised;

pub use lookups::Lookups;
pub use slot_lookups::SlotLookups;

/// What a plan is to be best at: its candidates are sorted by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// The least time for all values.
    #[default]
    Throughput,
    /// The least time until the first value is there.
    Latency,
}

/// Limits that any request may have, whatever its job, with the same defaults and the same meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Values per operation. Default: as many as a packed ciphertext holds; see [`Lookups`] for tables.
    pub values: Option<u64>,
    /// Bytes of memory that the server may take, keys included. Default: any number.
    pub memory: Option<usize>,
    /// log2 of the largest probability that a whole operation on one ciphertext fails for any of its values. Default: -64.
    pub log2_fail: Option<f64>,
    /// Threads that times are predicted for. Default: the threads of rayon's pool.
    pub threads: Option<usize>,
    /// Orders candidates. Jobs that have one way to be done have one candidate.
    pub goal: Goal,
    /// Costs of operations on the server. Default: measured on this machine, once.
    pub cost: Option<CostModel>,
    /// INSECURE parameters of small rings, for tests.
    pub insecure_toy: bool,
}

impl Limits {
    /// The cost model asked for, or this machine's.
    pub(crate) fn cost(&self) -> CostModel {
        self.cost.unwrap_or_else(CostModel::calibrated)
    }

    /// The number of threads asked for, or that of rayon's pool.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }

    /// The number of values asked for, as engines count them.
    pub(crate) fn count(&self) -> Option<usize> {
        self.values.map(as_count)
    }
}

/// A number of values as engines count them.
pub(crate) fn as_count(values: u64) -> usize {
    usize::try_from(values).unwrap_or(usize::MAX)
}

/// A job and its limits: everything that a plan follows from.
///
/// Each job has a constructor: [`Request::new`] and [`Request::for_table`] for lookups, [`Request::comparisons`],
/// [`Request::words`], [`Request::integers`], [`Request::bridge`], [`Request::circuit`] and [`Request::slot_lookups`]. The calls below set limits of any of them.
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
    /// A request for a job, without limits.
    pub(crate) fn of(job: J) -> Self {
        unoptimised::warn();
        Self { job, limits: Limits::default() }
    }

    /// Replaces all limits at once, as a program does that reads them from its own options.
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

    /// Sets the number of values per operation: their time is predicted and compared. Default: the capacity of a packed
    /// ciphertext; plans of lookups say which number they assume ([`crate::Plan::values_assumed`]).
    #[must_use]
    pub fn values(mut self, values: u64) -> Self {
        self.limits.values = Some(values);
        self
    }

    /// Limits the bytes of memory that the server may take, keys and prepared tables included. Default: any number.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Limits the failure probability, log2: that a whole operation on one ciphertext goes wrong for any of its values
    /// ([`crate::Parameters::values_per_ciphertext`]). Each value of a packed ciphertext then fails less often; encryptions of
    /// the other engines hold one. Default: -64. All engines reach -128 for tables.
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

    /// Sets the number of threads that times are predicted for. Default: the threads of rayon's pool. Operations themselves
    /// use the threads of their [`Execution`](crate::Execution).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.limits.threads = Some(threads);
        self
    }

    /// Sets what the best candidate is best at. Default: [`Goal::Throughput`].
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.limits.goal = goal;
        self
    }

    /// Sets what operations cost on the machine that will run them. Default: measured on this one.
    #[must_use]
    pub fn cost_model(mut self, cost: CostModel) -> Self {
        self.limits.cost = Some(cost);
        self
    }

    /// Asks for INSECURE parameters of small rings, for tests.
    #[must_use]
    pub fn insecure_toy(mut self) -> Self {
        self.limits.insecure_toy = true;
        self
    }
}
