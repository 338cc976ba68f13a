//! Requests for lookups of numbers in CKKS slots.

use cryptable_approximate::{LookupFunction, LookupPlan, LookupRequest};

use crate::{Request, Result};

/// The job of looking up numbers in CKKS slots: in tables, or in smooth functions.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotLookups {
    request: LookupRequest,
}

impl Request<SlotLookups> {
    /// Creates a request for functions of vectors ([`crate::ckks`]) that are evaluated by bootstrapping: discontinuous
    /// functions, given as tables on the points of a grid, or a smooth one. Defaults: real slots, results correct to 8
    /// bits.
    ///
    /// ```
    /// use cryptable::ckks::{Grid, SmoothFunction};
    /// use cryptable::{Request, SecretKey};
    /// // A table of 16 points on 2,000 real numbers; results are correct to 10 bits and have three levels left.
    /// let request = Request::slot_lookups(Grid::integers(16)).values(2000).precision_bits(10.0).levels(3);
    /// let plan = request.plan()?;
    /// assert!(plan.best().prediction.level >= 3 && plan.best().precision_bits >= 10.0);
    /// // GELU on [-8, 8], with errors of at most 2^-14.
    /// let gelu = SmoothFunction::gelu(8.0, 1e-5)?;
    /// let plan = Request::slot_lookups(&gelu).precision_bits(14.0).plan()?;
    /// assert!(plan.best().precision_bits >= 14.0);
    /// # if false {
    /// let secret = SecretKey::generate(&plan);
    /// # }
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn slot_lookups(function: impl Into<LookupFunction>) -> Self {
        Self::of(SlotLookups { request: LookupRequest::new(function) })
    }

    /// Restricts the plan to interpolations of this order, 1 to 3. Default: the fastest order that is precise enough.
    #[must_use]
    pub fn order(mut self, order: u64) -> Self {
        self.job.request.order = Some(order);
        self
    }

    /// Sets the precision of results: except for failures, errors are at most 2^-`bits` times the spread of a
    /// table's outputs, or at most 2^-`bits` for a smooth function. Default: 8.
    #[must_use]
    pub fn precision_bits(mut self, bits: f64) -> Self {
        self.job.request.precision_bits = bits;
        self
    }

    /// Makes slots complex; the real and the imaginary part are both looked up.
    #[must_use]
    pub fn complex(mut self) -> Self {
        self.job.request.complex = true;
        self
    }

    /// Sets the number of levels that results have left. Default: 0.
    #[must_use]
    pub fn levels(mut self, levels: usize) -> Self {
        self.job.request.levels = levels;
        self
    }

    /// Restricts the plan to one ring degree, 2^14 to 2^17. Default: 2^15 and 2^16 are tried.
    #[must_use]
    pub fn ring_degree(mut self, degree: usize) -> Self {
        self.job.request.ring_degree = Some(degree);
        self
    }

    /// Plans the lookups on every parameter set in question, fastest first.
    ///
    /// # Errors
    /// If a number of the request is out of range, or if no parameters meet it.
    pub fn plan(&self) -> Result<LookupPlan> {
        LookupPlan::new(&LookupRequest {
            count: self.limits.count(),
            log2_fail: self.limits.log2_fail,
            memory: self.limits.memory,
            ..self.job.request.clone()
        })
    }
}
