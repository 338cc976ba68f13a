//! The search for parameters of lookups in slots.
//!
//! The sizes of all parts grow together in steps, by a bit of scale per step (and corresponding amounts elsewhere,
//! fitted to `lookups_128` and `bootstrapping_128`; for smooth functions by the dry run). The lowest step that meets
//! the request has the shortest chains, and is found by bisection. The numbers of levels follow from the table. A dry
//! run of the actual parameters decides whether they meet the request.

use cryptable_lattice::SecurityLevel;
use cryptable_lattice::error::{Error, Result, demand};
use cryptable_lattice::security::{SecretDistribution, max_log2_modulus};
use rayon::prelude::*;

use crate::literal::ParametersLiteral;
use crate::literal_choice::Sizes;
use crate::lookup_plan::{LookupCandidate, LookupPlan};
use crate::lookup_request::{LookupFunction, LookupRequest, TriedFunction};
use crate::parameters::Parameters;
use crate::phase_series::PhaseSeries;

/// The ring degree from which on chains have room for more levels.
const LARGE: usize = 1 << 16;

/// Number of steps.
const STEPS: usize = 11;

/// Groups of orders whose tables have nearly equal numbers of coefficients.
const ORDERS: [&[u64]; 2] = [&[1], &[2, 3]];

/// log2 of the least range for a smooth function.
const LEAST_RANGE: f64 = 2.0;

/// Baby steps of the matrices: more of them need less time and more memory.
const BABY_STEPS: [usize; 2] = [8, 4];

impl LookupPlan {
    /// Finds parameters of at least 128 bits that meet a request, for each ring degree and order: those with the
    /// shortest chains.
    ///
    /// # Errors
    /// If a number is out of range, or no parameters meet the request: names the request, the best value found, and the
    /// limit.
    pub fn new(request: &LookupRequest) -> Result<Self> {
        request.check()?;
        Self::search(request, &request.rings()?, SecurityLevel::Bits128)
    }

    /// Uses the same sizes at ring degree 2^10 for the requested number of slots, for tests only: **insecure**.
    ///
    /// # Errors
    /// The errors of [`LookupPlan::new`].
    pub fn insecure_toy(request: &LookupRequest) -> Result<Self> {
        request.check()?;
        let slots = request.count.map_or(1 << 9, usize::next_power_of_two).clamp(4, 1 << 9);
        Self::search(request, &[(1 << 10, slots)], SecurityLevel::Insecure)
    }

    fn search(
        request: &LookupRequest,
        rings: &[(usize, usize)],
        security: SecurityLevel,
    ) -> Result<Self> {
        let search = Search { request, security };
        let groups: &[&[u64]] = match request.function {
            LookupFunction::Points(_) => &ORDERS,
            LookupFunction::Smooth(_) => &[&[0]],
        };
        let pairs = rings.iter().flat_map(|&ring| groups.iter().map(move |&it| (ring, it)));
        let is_asked = |orders: &[u64]| request.order.is_none_or(|it| orders.contains(&it));
        let pairs: Vec<_> = pairs.filter(|(_, orders)| is_asked(orders)).collect();
        let found: Vec<Result<LookupCandidate>> =
            pairs.into_par_iter().map(|((n, m), orders)| search.of_ring(n, m, orders)).collect();
        let (mut candidates, mut refused) = (Vec::new(), Vec::new());
        for result in found {
            match result {
                Ok(candidate) => candidates.push(candidate),
                Err(error) => refused.push(error),
            }
        }
        Self::of(candidates).ok_or_else(|| best_of(refused))
    }
}

/// A search for a request.
struct Search<'a> {
    request: &'a LookupRequest,
    security: SecurityLevel,
}

impl Search<'_> {
    /// Finds the lowest step that meets the request, for one ring and some orders.
    fn of_ring(&self, degree: usize, slots: usize, orders: &[u64]) -> Result<LookupCandidate> {
        let functions = self.request.functions(orders)?;
        let (mut low, mut high) = (0, STEPS);
        let (mut best, mut refused) = (None, Vec::new());
        while low < high {
            let middle = (low + high) / 2;
            match self.at_step(degree, slots, middle, &functions) {
                Ok(found) => {
                    best = Some(found);
                    high = middle;
                }
                // Higher steps need more of the resource that is missing.
                Err(error) if is_of_resources(&error) => {
                    refused.push(error);
                    high = middle;
                }
                Err(error) => {
                    refused.push(error);
                    low = middle + 1;
                }
            }
        }
        best.ok_or_else(|| best_of(refused))
    }

    /// Returns the fastest function at a step that meets the request.
    fn at_step(
        &self,
        degree: usize,
        slots: usize,
        step: usize,
        functions: &[(TriedFunction<'_>, u64)],
    ) -> Result<LookupCandidate> {
        let mut refused = Vec::new();
        for baby_steps in BABY_STEPS {
            let series = functions[0].0.as_slot_function().series();
            let mut sizes = sizes(self.request, degree, slots, step, series);
            sizes.baby_steps = baby_steps;
            let parameters = Parameters::new(self.literal(&sizes)?)?;
            for (function, order) in functions {
                let (function, bounds) = (function.as_slot_function(), self.request.bounds());
                let candidate = LookupCandidate::new(parameters.clone(), function, *order, bounds);
                match candidate.and_then(|candidate| keeps_to(self.request, candidate)) {
                    Ok(candidate) => return Ok(candidate),
                    Err(error) => refused.push(error),
                }
            }
            if !refused.iter().any(|error| matches!(error, Error::Memory { .. })) {
                break;
            }
        }
        Err(best_of(refused))
    }

    /// The literal with these sizes.
    fn literal(&self, sizes: &Sizes) -> Result<ParametersLiteral> {
        let degree = sizes.ring_degree;
        let is_secure = self.security != SecurityLevel::Insecure;
        // Toys use the chains of the smaller ring.
        let secure_degree = if is_secure { degree } else { LARGE };
        let limit = max_log2_modulus(secure_degree, SecretDistribution::UniformTernary);
        let limit = limit.expect("a degree of the tables");
        let claim = if is_secure { "lookups" } else { "insecure_toy_lookups" };
        let name = format!("{claim}_{degree}_{}", sizes.slots);
        sizes.literal(name, self.security, limit).ok_or(Error::TooLarge {
            name: "log2 of the modulus that the table, the levels and the precision take",
            value: sizes.log2_modulus().ceil() as u64,
            limit: limit as u64,
        })
    }
}

/// Returns whether modulus or memory is missing, not precision.
fn is_of_resources(error: &Error) -> bool {
    matches!(error, Error::Memory { .. } | Error::TooLarge { .. })
}

/// Returns the most specific error: of memory, where everything else was sufficient, then of precision, then of
/// modulus; the last one of a kind.
fn best_of(errors: Vec<Error>) -> Error {
    let rank = |error: &Error| match error {
        Error::Memory { .. } => 2,
        Error::TooLarge { .. } => 0,
        _ => 1,
    };
    errors.into_iter().max_by_key(rank).expect("an error of every search without a result")
}

/// Sizes at a step, for functions like the given one.
fn sizes(
    request: &LookupRequest,
    ring_degree: usize,
    slots: usize,
    step: usize,
    series: &PhaseSeries,
) -> Sizes {
    let large = ring_degree >= LARGE;
    let s = step as f64 - 2.0;
    let smooth = matches!(request.function, LookupFunction::Smooth(_));
    // Tables need exact phases. Smooth functions also need exact powers, and less exact matrices.
    let level = (if smooth { 36.0 + s } else { 34.0 + s }).min(45.0);
    let matrices = if smooth {
        [24.2 + 1.35 * s, 30.3 + 1.46 * s]
    } else {
        [24.7 + 1.4 * s, (30.3 + 2.25 * s).min(50.0)]
    };
    let digit_limbs = match (large, smooth) {
        (true, true) => 6,
        (true, false) => 5,
        (false, _) => 3,
    };
    let period = series.period.period;
    let (log2_range, before) = range_of(request, period);
    // The first level of a table uses the prime of the odd function.
    let of_table = (request.levels + series.levels()).saturating_sub(1);
    let levels = of_table.max(request.levels).max(before).max(1);
    Sizes {
        ring_degree,
        slots,
        levels: (levels, level),
        base: (40.0 + 1.2 * s).clamp(level, 49.0),
        log2_range,
        matrices,
        most_merged: if large { 4 } else { 5 },
        exponential: (39.0 + 1.7 * s).min(49.5),
        series: if large { (4, 5) } else { (5, 3) },
        sines: 1,
        baby_steps: BABY_STEPS[0],
        digit_limbs,
        log2_fail: request.log2_fail_of_slot(slots),
    }
}

/// log2 of the range of bootstraps for a period, and the levels that inputs need. Inputs need no level if the range
/// over the period is an integer.
fn range_of(request: &LookupRequest, period: f64) -> (f64, usize) {
    let is_power = period.log2().fract() == 0.0 && period >= 1.0;
    match request.function {
        LookupFunction::Smooth(_) => {
            (period.log2() + (LEAST_RANGE - period.log2()).ceil().max(0.0), 0)
        }
        LookupFunction::Points(_) if is_power => (period.log2().max(5.0), 0),
        LookupFunction::Points(_) => (5.0, usize::from((32.0 / period).fract() != 0.0)),
    }
}

/// Checks that a candidate meets the request.
fn keeps_to(request: &LookupRequest, found: LookupCandidate) -> Result<LookupCandidate> {
    let error = found.prediction.phase_error;
    let limit = "as a fraction of half the distance of two points, or of a 64th of the interval, it must be \
                 less than 1";
    demand(error < 1.0, "error of a lookup's input", error, limit)?;
    let (bits, asked) = (found.precision_bits, request.precision_bits);
    let limit = format!("at least {asked}, as requested");
    demand(bits >= asked, "bits of precision of a lookup", bits, &limit)?;
    let (name, level) = ("levels of a lookup's result", found.prediction.level as f64);
    let limit = format!("at least {}, as requested", request.levels);
    demand(found.prediction.level >= request.levels, name, level, &limit)?;
    match request.memory {
        Some(limit) if found.memory_bytes > limit => {
            Err(Error::Memory { needed: found.memory_bytes, limit })
        }
        _ => Ok(found),
    }
}
