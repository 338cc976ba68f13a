//! Requests for packed lookups whose results are used one by one.

use cryptable_conversion::bridges::{self, Continuation, Plan, Returning};

use crate::request::as_count;
use crate::{Request, Result};

/// The job of looking up packed values and then computing on the results one by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bridge<C> {
    input_modulus: u64,
    next: C,
    taken_out: Option<u64>,
    returning: Returning,
}

impl<C: Continuation> Request<Bridge<C>> {
    /// Creates a request for packed lookups of values below `input_modulus`, whose results are then computed on by
    /// `next`.
    ///
    /// ```
    /// use cryptable::Request;
    /// use cryptable::bridges::{Function, Integers, Returning};
    /// let next = Integers { bits: 8, function: Function::Sign };
    /// let request = Request::bridge(16, next).values(100).taken_out(20).returning(Returning::Packed);
    /// // In production, drop `insecure_toy`, which keeps this example quick.
    /// let plan = request.insecure_toy().plan()?;
    /// println!("{plan}");                                  // time and failures of every step
    /// assert!(plan.log2_fail() <= -30.0 && plan.steps().len() == 5);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn bridge(input_modulus: u64, next: C) -> Self {
        let returning = Returning::default();
        Self::of(Bridge { input_modulus, next, taken_out: None, returning })
    }

    /// Sets how many of the results are extracted as single values. Default: all.
    #[must_use]
    pub fn taken_out(mut self, values: u64) -> Self {
        self.job.taken_out = Some(values);
        self
    }

    /// Sets the form in which results are returned. Default: they stay single values.
    #[must_use]
    pub fn returning(mut self, returning: Returning) -> Self {
        self.job.returning = returning;
        self
    }

    /// Finds the fastest parameters of both ends with which all steps together keep the failure probability and the
    /// memory limit.
    ///
    /// # Errors
    /// [`crate::Error::FailureUnreachable`] if no pair of parameters keeps the failure probability; it names the step
    /// with the largest. [`crate::Error::Memory`] if no pair fits in memory. Other errors if one end has no parameters.
    pub fn plan(&self) -> Result<Plan<C::Target>> {
        let Self { job, limits } = self;
        let request = bridges::Request {
            values: limits.count(),
            taken_out: job.taken_out.map(as_count),
            returning: job.returning,
            memory: limits.memory,
            log2_fail: limits.log2_fail,
            threads: limits.threads,
            cost: limits.cost,
            is_toy: limits.insecure_toy,
            ..bridges::Request::new(job.input_modulus, job.next.clone())
        };
        request.plan()
    }
}
