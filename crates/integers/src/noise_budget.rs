//! The noise that lookups may get: determines when digits are refreshed.
//!
//! A lookup leaves as much of its input's noise as its interpolation does (the square, for AKP of first order), so
//! results of noisy inputs are noisier. The budget fixes the noisiest input, and with it a bound R on the noise of all
//! results; it admits the inputs whose results are within R. The chosen R is the one for which sums of the most results
//! are admitted as inputs: lookups can then continue without end, and the noise of a digit alone determines which
//! operations it allows. Tables whose outputs differ by less leave less noise, if the engine's model supports this.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::noise_bound::largest_where;

use crate::digit_arithmetic::LookupModel;
use crate::integer::digit_bits;

/// Factor between the bounds on results that the search tries.
const STEP: f64 = 1.25;

/// Largest number of steps of the search.
const STEPS: i32 = 100;

/// Relative tolerance of comparisons of noise.
const TOLERANCE: f64 = 1e-9;

/// Number of powers of two up to the largest modulus of digits.
const RANGES: usize = 17;

/// Noise that lookups admit, and noise of their results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoiseBudget {
    /// Bound on the noise of results.
    pub(crate) result: NoiseBound,
    /// Bounds for tables whose outputs differ by at most a power of two.
    within: [NoiseBound; RANGES],
    /// Number of results whose sum is admitted.
    pub(crate) terms: u64,
}

impl NoiseBudget {
    /// Returns the budget of a model that admits sums of the most results, among those that support all operations on
    /// integers.
    ///
    /// # Errors
    /// If there is none: the [`sums_of_operations`] cannot be looked up.
    pub(crate) fn new(model: &dyn LookupModel) -> Result<Self> {
        let (modulus, fresh) = (model.modulus()?, model.fresh_noise());
        let unit = model.result_noise(fresh, u64::MAX);
        let mut best: Option<(NoiseBound, Self)> = None;
        let mut most = 0;
        for step in 0..STEPS {
            let factor = STEP.powi(step);
            let input = NoiseBound::new(unit.deviation() * factor, unit.bias() * factor);
            if !keeps_failures(model, input) {
                break;
            }
            let result = model.result_noise(input, u64::MAX).max(fresh);
            let budget = Self { result, within: [result; RANGES], terms: 0 };
            let terms = largest_where(1.0, |terms| budget.admits(model, result.times(terms)));
            most = most.max(terms);
            if best.is_some_and(|(_, best)| best.terms >= terms) {
                continue;
            }
            let of = |range| model.result_noise(input, range).max(fresh);
            if sums_of_operations(modulus, of).iter().all(|&sum| budget.admits(model, sum)) {
                best = Some((input, Self { terms, ..budget }));
            }
        }
        let Some((input, mut best)) = best else {
            let name = "number of results of a sum that is looked up";
            return Err(Error::TooSmall { name, value: most, limit: most + 1 });
        };
        for (log2, bound) in best.within.iter_mut().enumerate() {
            *bound = model.result_noise(input, 1 << log2).max(fresh);
        }
        Ok(best)
    }

    /// Bound on the noise of results of tables whose outputs differ by at most `range`.
    pub(crate) fn result_within(&self, range: u64) -> NoiseBound {
        self.within[range.next_power_of_two().ilog2() as usize]
    }

    /// Returns whether an input with this noise can be looked up.
    pub(crate) fn admits(&self, model: &dyn LookupModel, input: NoiseBound) -> bool {
        keeps_failures(model, input) && self.is_result(model.result_noise(input, u64::MAX))
    }

    /// Returns whether noise is at most that of results.
    fn is_result(&self, noise: NoiseBound) -> bool {
        is_within(noise, self.result)
    }
}

/// Noise of the inputs that operations look up, given the noise of results of tables whose outputs differ by some
/// range: `x + B·y`, if two digits have room; else halves of digits, `x + y` with a carry, and a digit beside a
/// multiple of a flag.
fn sums_of_operations(modulus: u64, of: impl Fn(u64) -> NoiseBound) -> Vec<NoiseBound> {
    let (half, base) = (1 << (modulus.ilog2() / 2), 1 << digit_bits(modulus));
    if half == base {
        return vec![of(u64::MAX).times(base + 1)];
    }
    let digit = of(base - 1);
    vec![of(half - 1).times(half + 1), digit.times(2) + of(1), digit + of(base)]
}

/// Returns whether noise is within a bound.
pub(crate) fn is_within(noise: NoiseBound, bound: NoiseBound) -> bool {
    noise.deviation() <= bound.deviation() * (1.0 + TOLERANCE)
        && noise.bias() <= bound.bias() * (1.0 + TOLERANCE)
}

fn keeps_failures(model: &dyn LookupModel, input: NoiseBound) -> bool {
    model.lookup_log2_fail(input) <= model.stated_log2_fail()
}
