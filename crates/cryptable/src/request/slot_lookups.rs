//! The job of looking numbers in CKKS slots up in tables.

use cryptable_approximate::{Grid, LookupPlan, LookupRequest};

use crate::{Request, Result};

/// Looks numbers in CKKS slots up in tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotLookups {
    request: LookupRequest,
}

impl Request<SlotLookups> {
    /// A request for tables of these points, on real slots, with results right to 8 bits: discontinuous functions of vectors
    /// ([`crate::ckks`]).
    ///
    /// ```
    /// use cryptable::ckks::Grid;
    /// use cryptable::{Request, SecretKey};
    /// // A table of 16 points on 2,000 real numbers, results right to 10 bits, three levels to go on with.
    /// let request = Request::slot_lookups(Grid::integers(16)).values(2000).precision_bits(10.0).levels(3);
    /// let plan = request.plan()?;
    /// assert!(plan.best().prediction.level >= 3 && plan.best().precision_bits >= 10.0);
    /// # if false {
    /// let secret = SecretKey::generate(&plan);
    /// # }
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn slot_lookups(grid: Grid) -> Self {
        Self::of(SlotLookups { request: LookupRequest::new(grid) })
    }

    /// Asks for interpolations of this order, 1 to 3. Default: the fastest that serves.
    #[must_use]
    pub fn order(mut self, order: u64) -> Self {
        self.job.request.order = Some(order);
        self
    }

    /// Sets the bits that results must be right to: but for failures, errors are at most 2^-bits of the spread of a table's values.
    #[must_use]
    pub fn precision_bits(mut self, bits: f64) -> Self {
        self.job.request.precision_bits = bits;
        self
    }

    /// Makes slots complex, and looks both parts up.
    #[must_use]
    pub fn complex(mut self) -> Self {
        self.job.request.complex = true;
        self
    }

    /// Sets the levels that results have left. Default: 0.
    #[must_use]
    pub fn levels(mut self, levels: usize) -> Self {
        self.job.request.levels = levels;
        self
    }

    /// Asks for a ring degree, 2^14 to 2^17. Default: 2^15 or 2^16.
    #[must_use]
    pub fn ring_degree(mut self, degree: usize) -> Self {
        self.job.request.ring_degree = Some(degree);
        self
    }

    /// Plans the lookups on all parameter sets in question, the fastest first.
    ///
    /// # Errors
    /// If a number is out of range, or no parameters serve.
    pub fn plan(&self) -> Result<LookupPlan> {
        LookupPlan::new(&LookupRequest {
            count: self.limits.count(),
            log2_fail: self.limits.log2_fail,
            memory: self.limits.memory,
            ..self.job.request
        })
    }
}
