//! Picks the method: candidates side by side, by predicted time within a memory limit.

use rayon::prelude::*;

use crate::digit_choice::{DigitChoice, digit_lists, selector_choices};
use crate::parameter_choice::{Method, Request};
use crate::parameters::{MultiplexerLiteral, Parameters};
use crate::prediction::Prediction;
use cryptable_lattice::error::{Error, Result};

/// Largest input modulus of AKP.
const MAX_AKP_MODULUS: u64 = 1 << 12;

/// What is tried for precision, the cheapest first: cleanings of the wave and of the deltas, and extra
/// primes of CoeffsToSlots (which make errors of phase smaller) and of SlotsToCoeffs (for large outputs).
const CLEANINGS: [(u32, u32, [usize; 2]); 12] = [
    (0, 0, [0, 0]),
    (1, 0, [0, 0]),
    (0, 0, [0, 1]),
    (0, 0, [1, 0]),
    (1, 0, [0, 1]),
    (1, 0, [1, 0]),
    (0, 0, [1, 1]),
    (1, 0, [1, 1]),
    (0, 1, [0, 0]),
    (0, 1, [0, 1]),
    (0, 2, [0, 0]),
    (0, 2, [0, 1]),
];

/// One way to evaluate the tables of a request.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The method.
    pub method: Method,
    /// Its parameters: 128 bits, and the stated failure probability.
    pub parameters: Parameters,
    /// What a lookup will cost.
    pub prediction: Prediction,
}

impl Candidate {
    fn new(method: Method, parameters: Parameters) -> Self {
        let prediction = parameters.prediction();
        Self { method, parameters, prediction }
    }
}

/// All ways to evaluate the tables of a request within its memory limit, the fastest first: the best of
/// every method and digit size.
///
/// # Errors
/// If there is none: names what is needed.
pub fn plan(request: &Request) -> Result<Vec<Candidate>> {
    let (mut found, mut last) = (Vec::new(), None);
    let wanted = |method| request.method.is_none_or(|wanted| wanted == method);
    if wanted(Method::Akp) && request.digit_bits.is_none() {
        match akp(request) {
            Ok(candidate) => found.push(candidate),
            Err(error) => last = Some(error),
        }
    }
    for method in [Method::Bmt, Method::Cmt] {
        // Small tables have nothing to gain from digits unless they are asked for.
        if wanted(method) && (request.method.is_some() || request.input_modulus >= 1 << 8) {
            match trees(request, method) {
                Ok(candidates) => found.extend(candidates),
                Err(error) => last = last.or(Some(error)),
            }
        }
    }
    let least = found.iter().map(|candidate| candidate.prediction.peak_bytes()).min();
    if let (Some(limit), Some(least)) = (request.memory_limit, least) {
        found.retain(|candidate| candidate.prediction.peak_bytes() <= limit);
        if found.is_empty() {
            return Err(Error::Memory { needed: least, limit });
        }
    }
    found.sort_by(|a, b| a.prediction.eval_units.total_cmp(&b.prediction.eval_units));
    if found.is_empty() {
        let Request { input_modulus, output_modulus, .. } = request;
        let nothing = format!("input modulus {input_modulus} and output modulus {output_modulus}");
        return Err(last.unwrap_or(Error::Unsupported(nothing)));
    }
    Ok(found)
}

fn akp(request: &Request) -> Result<Candidate> {
    if request.input_modulus > MAX_AKP_MODULUS {
        let value = request.input_modulus;
        return Err(Error::TooLarge {
            name: "input modulus of AKP",
            value,
            limit: MAX_AKP_MODULUS,
        });
    }
    Ok(Candidate::new(Method::Akp, Parameters::choose_primes(request, None)?))
}

/// The fastest tree of every list of digits.
fn trees(request: &Request, method: Method) -> Result<Vec<Candidate>> {
    let binary = method == Method::Bmt;
    let lists = digit_lists(request.input_modulus, binary, request.digit_bits);
    let results: Vec<Result<Candidate>> =
        lists.into_par_iter().map(|digits| fastest_tree(request, method, &digits)).collect();
    let mut found = Vec::new();
    let mut last = Error::Unsupported(format!(
        "digits for input modulus {}: it needs at least two factors of at most 64",
        request.input_modulus
    ));
    for result in results {
        match result {
            Ok(candidate) => found.push(candidate),
            Err(error) => last = error,
        }
    }
    if found.is_empty() { Err(last) } else { Ok(found) }
}

/// The fastest tree over the given digits. How much cleaning the digits need hardly depends on how they
/// are grouped to selectors, so that is found for one grouping.
fn fastest_tree(request: &Request, method: Method, digits: &[u64]) -> Result<Candidate> {
    let mut selectors = selector_choices(digits).into_iter();
    let unserved = || Error::Unsupported(format!("selectors for digits {digits:?}"));
    let first = selectors.next().ok_or_else(unserved)?;
    let (choice, parameters) = cheapest_cleaning(request, digits, first)?;
    let mut best = Candidate::new(method, parameters);
    let others: Vec<_> = selectors.collect();
    let others: Vec<_> = others
        .into_par_iter()
        .filter_map(|selectors| {
            let mut choice = choice.clone();
            choice.multiplexer.selectors = selectors;
            Parameters::choose_primes(request, Some(&choice)).ok()
        })
        .map(|parameters| Candidate::new(method, parameters))
        .collect();
    for candidate in others {
        if better(request, &candidate, &best) {
            best = candidate;
        }
    }
    Ok(best)
}

/// Whether a candidate fits where the other does not, or is faster.
fn better(request: &Request, candidate: &Candidate, other: &Candidate) -> bool {
    let limit = request.memory_limit.unwrap_or(usize::MAX);
    let key = |c: &Candidate| (c.prediction.peak_bytes() > limit, c.prediction.eval_units);
    key(candidate) < key(other)
}

/// The fewest levels of cleaning and of precision of the homomorphic DFTs that reach the failure
/// probability.
fn cheapest_cleaning(
    request: &Request,
    digits: &[u64],
    selectors: Vec<usize>,
) -> Result<(DigitChoice, Parameters)> {
    let mut last = None;
    for (wave_cleanings, delta_cleanings, extra_primes) in CLEANINGS {
        let multiplexer = MultiplexerLiteral {
            digits: digits.to_vec(),
            selectors: selectors.clone(),
            delta_cleanings,
            cleaning_and: false,
            entry_levels: 0,
        };
        let choice = DigitChoice { multiplexer, wave_cleanings, extra_primes };
        if wave_cleanings > 0 && choice.is_binary() {
            continue;
        }
        match Parameters::choose_primes(request, Some(&choice)) {
            Ok(parameters) => return Ok((choice, parameters)),
            Err(error) => last = Some(error),
        }
    }
    Err(last.expect("some cleaning was tried"))
}
