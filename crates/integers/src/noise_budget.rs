//! How much noise lookups may get: the bookkeeping that decides when digits are refreshed.
//!
//! A lookup leaves of its input's noise what its interpolation does (the square, for AKP of first order), so results of
//! noisy inputs are noisier. The budget fixes a bound R on the noise of all results, and admits inputs of which results
//! keep to R. Of all R it takes that of which sums of the most results are admitted again: lookups then go on without
//! end, and the noise of a digit says alone what may be done with it.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::noise_bound::largest_where;

use crate::digit_arithmetic::LookupModel;

/// Steps by which the bound on results is searched.
const STEP: f64 = 1.25;

/// Steps that are tried at most.
const STEPS: i32 = 100;

/// Relative tolerance of comparisons of noise.
const TOLERANCE: f64 = 1e-9;

/// Noise that lookups admit, and noise of their results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoiseBudget {
    /// Bound on the noise of results.
    pub(crate) result: NoiseBound,
    /// Results of which a sum is admitted.
    pub(crate) terms: u64,
}

impl NoiseBudget {
    /// The budget of a model.
    ///
    /// # Errors
    /// If sums of fewer than `least` results may be looked up.
    pub(crate) fn new(model: &dyn LookupModel, least: u64) -> Result<Self> {
        let fresh = model.fresh_noise();
        let unit = model.result_noise(fresh);
        let mut best = Self { result: unit, terms: 0 };
        for step in 0..STEPS {
            let factor = STEP.powi(step);
            let input = NoiseBound::new(unit.deviation() * factor, unit.bias() * factor);
            if !keeps_failures(model, input) {
                break;
            }
            let result = model.result_noise(input).max(fresh);
            let budget = Self { result, terms: 0 };
            let terms = largest_where(1.0, |terms| budget.admits(model, result.times(terms)));
            if terms > best.terms {
                best = Self { result, terms };
            }
        }
        if best.terms < least {
            let (name, value) = ("number of results of a sum that is looked up", best.terms);
            return Err(Error::TooSmall { name, value, limit: least });
        }
        Ok(best)
    }

    /// Whether an input with this noise may be looked up.
    pub(crate) fn admits(&self, model: &dyn LookupModel, input: NoiseBound) -> bool {
        keeps_failures(model, input) && self.is_result(model.result_noise(input))
    }

    /// Whether noise is not above that of results.
    pub(crate) fn is_result(&self, noise: NoiseBound) -> bool {
        noise.deviation() <= self.result.deviation() * (1.0 + TOLERANCE)
            && noise.bias() <= self.result.bias() * (1.0 + TOLERANCE)
    }
}

fn keeps_failures(model: &dyn LookupModel, input: NoiseBound) -> bool {
    model.lookup_log2_fail(input) <= model.stated_log2_fail()
}
