//! Picks the method: candidates side by side, by predicted time within a memory limit.

use rayon::prelude::*;

use crate::digit_choice::{DigitChoice, digit_choices};
use crate::error::{Error, Result};
use crate::parameter_choice::{Method, Request};
use crate::parameters::Parameters;
use crate::prediction::Prediction;

/// Largest input modulus of AKP.
const MAX_AKP_MODULUS: u64 = 1 << 12;

/// Cleanings that are tried, the cheapest first: of the wave, of the deltas.
const CLEANINGS: [(u32, u32); 4] = [(0, 0), (1, 0), (0, 1), (0, 2)];

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
        return Err(Error::TooLarge { name: "input modulus of AKP", value, limit: MAX_AKP_MODULUS });
    }
    Ok(Candidate::new(Method::Akp, Parameters::choose_primes(request, None)?))
}

/// The fastest tree of every list of digits.
fn trees(request: &Request, method: Method) -> Result<Vec<Candidate>> {
    let binary = method == Method::Bmt;
    let choices = digit_choices(request.input_modulus, binary, request.digit_bits);
    let results: Vec<_> = choices
        .into_par_iter()
        .map(|multiplexer| {
            let digits = multiplexer.digits.clone();
            (digits, tree(request, &DigitChoice { multiplexer, wave_cleanings: 0 }))
        })
        .collect();
    let mut best: Vec<(Vec<u64>, Candidate)> = Vec::new();
    let mut last = Error::Unsupported(format!(
        "digits for input modulus {}: it needs at least two factors of at most 64",
        request.input_modulus
    ));
    for (digits, result) in results {
        match result {
            Ok(parameters) => {
                let candidate = Candidate::new(method, parameters);
                match best.iter_mut().find(|(other, _)| *other == digits) {
                    Some((_, other)) if better(request, &candidate, other) => *other = candidate,
                    Some(_) => (),
                    None => best.push((digits, candidate)),
                }
            }
            Err(error) => last = error,
        }
    }
    if best.is_empty() { Err(last) } else { Ok(best.into_iter().map(|(_, c)| c).collect()) }
}

/// Whether a candidate fits where the other does not, or is faster.
fn better(request: &Request, candidate: &Candidate, other: &Candidate) -> bool {
    let limit = request.memory_limit.unwrap_or(usize::MAX);
    let key = |c: &Candidate| (c.prediction.peak_bytes() > limit, c.prediction.eval_units);
    key(candidate) < key(other)
}

/// Parameters with the cheapest cleaning that reaches the failure probability.
fn tree(request: &Request, choice: &DigitChoice) -> Result<Parameters> {
    let mut last = None;
    for (wave_cleanings, delta_cleanings) in CLEANINGS {
        if wave_cleanings > 0 && choice.is_binary() {
            continue;
        }
        let mut choice = choice.clone();
        choice.wave_cleanings = wave_cleanings;
        choice.multiplexer.delta_cleanings = delta_cleanings;
        match Parameters::choose_primes(request, Some(&choice)) {
            Ok(parameters) => return Ok(parameters),
            Err(error) => last = Some(error),
        }
    }
    Err(last.expect("some cleaning was tried"))
}
