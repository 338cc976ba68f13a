//! Choice of the matrices of CoeffsToSlots. More and smaller matrices have fewer diagonals in total, hence fewer giant
//! steps and products. They need one or two more primes at the top of the chain, where only CoeffsToSlots becomes more
//! expensive. The first matrix, or the first step of the trace to sparse slots, may raise: a rotation under the sparse
//! secret needs a key of one digit.

use std::ops::RangeInclusive;

use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::error::Result;

use crate::literal::{DftLiteral, ParametersLiteral};
use crate::parameters::parameter_set::Parameters;
use crate::planner::key_choice::{
    KEY_WEIGHT, weighted, with_baby_steps, with_relinearization_keys,
};
use crate::planner::literals::{Evaluation, split_levels};
use crate::planner::prime_choice::{LARGEST_DEVIATION, choose_primes};
use crate::planner::request::Request;

/// An alternative to matrices of up to five levels.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// Levels of a first matrix that raises ([`ParametersLiteral::raising_matrix`]), if there is one. With sparse
    /// slots, halvings of the steps of the trace, the first of which then raises.
    raising: Option<u32>,
    /// Maximum number of levels of any other matrix.
    most: u32,
    /// Number of additional primes.
    primes: usize,
}

const fn choice(raising: Option<u32>, most: u32, primes: usize) -> Choice {
    Choice { raising, most, primes }
}

/// The alternatives that are tried. A matrix that raises has few levels, since each of its diagonals is a rotation with a key.
const CHOICES: [Choice; 7] = [
    choice(None, 4, 1),
    choice(None, 3, 2),
    choice(Some(5), 5, 0),
    choice(Some(4), 4, 1),
    choice(Some(2), 3, 2),
    choice(Some(3), 3, 2),
    choice(Some(4), 3, 2),
];

/// Number of the best choices of matrices that are tried with other keys: they differ by less than other keys gain.
const TO_IMPROVE: usize = 2;

/// Weights of key bytes that are tried in addition to the default if nothing else fits into the memory limit.
const STRONGER_WEIGHTS: [f64; 2] = [0.5, 2.0];

/// Numbers of bits that all primes may lose to make room for additional primes.
const LOST_BITS: [f64; 4] = [0.0, 1.0, 2.0, 3.0];

/// Parameters with their rank: whether they fail the check, memory beyond a limit, and time and key bytes.
type Ranked = ((bool, usize, f64), Parameters);

/// Chooses the best parameters that pass `check` for one way to evaluate a request's tables: primes first, then
/// matrices.
///
/// # Errors
/// The errors of [`choose_primes`].
pub(crate) fn choose_primes_and_matrices(
    request: &Request,
    evaluation: Evaluation<'_>,
    check: impl Fn(&Parameters) -> Result<()>,
) -> Result<Parameters> {
    let found = choose_primes(request, evaluation, &check)?;
    Ok(choose_matrices(request, found, check))
}

/// Numbers of digits of keys of the half ring that are tried: the least secure number is the fastest.
const HALF_DIGITS: RangeInclusive<usize> = 1..=6;

/// Returns the best of these parameters, of those with other matrices of CoeffsToSlots, baby steps and relinearization
/// keys, and of those in the half ring. The best have the least time and key bytes ([`weighted`]), within the request's
/// memory limit if any are. The others must be secure, stay within the stated failure probability, and pass `check`;
/// `found` is returned if none does.
pub(crate) fn choose_matrices(
    request: &Request,
    found: Parameters,
    check: impl Fn(&Parameters) -> Result<()>,
) -> Parameters {
    let deviation = found.failure().typical_ratio.max(LARGEST_DEVIATION);
    let serves =
        |other: &Parameters| other.failure().typical_ratio <= deviation && check(other).is_ok();
    let largest = |&choice: &Choice| {
        let of = found.literal();
        let literals = LOST_BITS.iter().filter_map(|&lost| with_matrices(of, choice, lost));
        let mut secure = literals.filter_map(|literal| Parameters::new(literal).ok());
        secure.next().filter(serves)
    };
    // The way to real slots shares the primes of matrices, so that matrices need not have a whole number of primes.
    let fewer_primes = |choice: &Choice| Choice { primes: choice.primes - 1, ..*choice };
    let shared = CHOICES.iter().filter(|it| found.literal().real_slots && it.primes > 0);
    let choices: Vec<Choice> = CHOICES.into_iter().chain(shared.map(fewer_primes)).collect();
    let more: Vec<Parameters> = choices.iter().filter_map(largest).collect();
    let with_weights = |weights: &'static [f64]| -> Vec<Parameters> {
        let all = [&found].into_iter().chain(&more);
        let literals =
            all.flat_map(|of| weights.iter().map(move |&weight| with_baby_steps(of, weight)));
        literals.filter_map(|literal| Parameters::new(literal).ok()).collect()
    };
    let limit = request.memory.unwrap_or(usize::MAX);
    let peak = |it: &Parameters| it.prediction_of(request.tables).peak_bytes();
    let mut fewer = with_weights(&[KEY_WEIGHT]);
    if ![&found].into_iter().chain(&more).chain(&fewer).any(|it| peak(it) <= limit) {
        fewer.extend(with_weights(&STRONGER_WEIGHTS));
    }
    let ranked = |fails, parameters: Parameters| {
        let prediction = parameters.prediction_of(request.tables);
        let peak = prediction.peak_bytes();
        let excess = if peak > limit { peak } else { 0 };
        ((fails, excess, weighted(&prediction)), parameters)
    };
    // Predicting noise takes longer than predicting time, so noise is predicted only for candidates that take less
    // time.
    let or_better = |best: Ranked, other: Parameters| {
        let other = ranked(false, other);
        if other.0 < best.0 && serves(&other.1) { other } else { best }
    };
    let improved = |first: Ranked, literals: Vec<ParametersLiteral>| {
        let others = literals.into_iter().filter_map(|literal| Parameters::new(literal).ok());
        others.fold(first, or_better)
    };
    let others = more.into_iter().chain(fewer).map(|it| ranked(false, it));
    let mut all: Vec<Ranked> =
        [ranked(check(&found).is_err(), found)].into_iter().chain(others).collect();
    all.sort_by(|a, b| a.0.partial_cmp(&b.0).expect("times are numbers"));
    let best_few = all.into_iter().filter(|(rank, it)| rank.0 || serves(it)).take(TO_IMPROVE);
    let improved = best_few.map(|first| {
        // Baby steps were chosen for parts of a key that has become smaller since.
        let refined = vec![with_baby_steps(&first.1, KEY_WEIGHT)];
        let first = improved(first, refined);
        let with_keys = with_relinearization_keys(first.1.literal());
        improved(first, with_keys)
    });
    let best = improved.reduce(|a, b| if b.0 < a.0 { b } else { a }).expect("what was found");
    match in_half_ring(&best.1) {
        Some(half) => or_better(best, half).1,
        None => best.1,
    }
}

/// Returns the same parameters, but with tables that are evaluated in the half ring, if values and primes have room
/// there.
fn in_half_ring(of: &Parameters) -> Option<Parameters> {
    let literal = of.literal();
    let has_room = 4 * literal.slots <= literal.ring_degree;
    let mut digits = HALF_DIGITS.filter(|_| has_room);
    digits.find_map(|half_digits| {
        let name = format!("{}_half", literal.name);
        Parameters::new(ParametersLiteral {
            name,
            half_digits,
            relinearization: Vec::new(),
            ..literal.clone()
        })
        .ok()
    })
}

/// Returns the literal with other matrices of CoeffsToSlots, and primes of fewer bits; `None` if there would be neither
/// more matrices nor one that raises.
fn with_matrices(
    literal: &ParametersLiteral,
    choice: Choice,
    lost_bits: f64,
) -> Option<ParametersLiteral> {
    let of = &literal.coeffs_to_slots;
    let levels: u32 = of.stages.iter().sum();
    let is_sparse = literal.input_slots() < literal.ring_degree;
    let stages: Vec<u32> = match choice.raising {
        Some(first) if first < levels && !is_sparse => {
            std::iter::once(first).chain(split_levels(levels - first, choice.most)).collect()
        }
        _ => split_levels(levels, choice.most),
    };
    let trace_halvings = match choice.raising {
        Some(halvings) if is_sparse => TraceHalvings(halvings.min(TraceHalvings::MAX)),
        _ => literal.trace_halvings,
    };
    let (primes, raising_matrix) = (of.primes + choice.primes, choice.raising.is_some());
    let is_other = raising_matrix || stages.len() > of.stages.len();
    is_other.then(|| {
        ParametersLiteral {
            coeffs_to_slots: DftLiteral { stages, primes, ..of.clone() },
            raising_matrix,
            trace_halvings,
            log2_scale: literal.log2_scale - lost_bits,
            // Constants have half of a prime if there are any; those of hidden tables keep the bits that they need.
            constant_bits: match literal.hidden_bits {
                Some(_) => literal.constant_bits.min(literal.log2_scale - lost_bits),
                None => literal.constant_bits - lost_bits.min(2.0 * literal.constant_bits) / 2.0,
            },
            ..literal.clone()
        }
        .with_spare_bits()
    })
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::cost::{CostModel, Prediction};

    use super::*;
    use crate::planner::request::Method;

    #[test]
    fn more_matrices_are_taken_where_there_is_room() {
        let akp = |bits: u32, memory| {
            let request =
                Request { memory, method: Some(Method::Akp), ..Request::new(1 << bits, 1 << bits) };
            Parameters::choose(&request).unwrap()
        };
        let stages = |found: &Parameters| found.literal().coeffs_to_slots.stages.clone();
        let fast = akp(8, None);
        assert_eq!(stages(&fast), [3; 5]);
        assert!(fast.literal().raising_matrix && fast.prediction().key_file_bytes <= 800_000_000);
        let small = akp(8, Some(fast.prediction().peak_bytes() - 1));
        assert!(small.prediction().peak_bytes() < fast.prediction().peak_bytes());
        for found in [fast, small] {
            assert!(found.security_bits() >= 128.0);
            assert!(found.failure_probability().log2() <= -64.0);
        }
    }

    #[test]
    fn plans_that_raise_take_less_time_and_no_larger_keys() {
        for (bits, count) in [(8, None), (8, Some(1024))] {
            let method = Some(Method::Akp);
            let request = Request { count, method, ..Request::new(1 << bits, 1 << bits) };
            let found = Parameters::choose(&request).unwrap();
            assert!(found.literal().raising_matrix);
            let literal = ParametersLiteral { raising_matrix: false, ..found.literal().clone() };
            let without = Parameters::new(literal).unwrap();
            let [with, without] = [found, without].map(|it| it.prediction());
            let seconds = |it: &Prediction| CostModel::default().seconds(&it.work);
            assert!(seconds(&with) < 0.99 * seconds(&without), "{bits} bits, {count:?}");
            assert!(with.key_file_bytes <= without.key_file_bytes);
        }
    }

    #[test]
    fn tables_of_few_values_are_planned_in_the_half_ring() {
        let of = |count| Request { count: Some(count), ..Request::new(256, 256) };
        for count in [1 << 12, 1 << 14] {
            let found = Parameters::choose(&of(count)).unwrap();
            assert!(found.security_bits() >= 128.0 && found.failure_probability().log2() <= -64.0);
            let literal = ParametersLiteral { half_digits: 0, ..found.literal().clone() };
            let whole = Parameters::new(literal).unwrap();
            let [half, whole] = [&found, &whole].map(Parameters::prediction);
            let seconds = |it: &Prediction| CostModel::default().seconds(&it.work);
            assert!(seconds(&half) < 0.9 * seconds(&whole), "{count} values");
            assert!(half.key_file_bytes < whole.key_file_bytes * 51 / 50);
            assert!(half.peak_bytes() < whole.peak_bytes());
        }
        assert_eq!(Parameters::choose(&of(1 << 15)).unwrap().literal().half_digits, 0);
    }

    #[test]
    fn smaller_rings_are_planned_or_refused() {
        // If the primes of the chain are short, keys of SlotsToCoeffs have many of them, and then more digits.
        for bits in 1..=8 {
            let (ring_degree, method) = (Some(1 << 15), Some(Method::Akp));
            let request = Request { ring_degree, method, ..Request::new(1 << bits, 1 << bits) };
            if let Ok(found) = Parameters::choose(&request) {
                assert!(found.security_bits() >= 128.0, "{bits} bits");
            }
        }
    }
}
